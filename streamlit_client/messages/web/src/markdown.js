/**
 * Markdown as models write it: CommonMark with tables, strikethrough, addresses, task lists and formulas.
 *
 * The parser writes no HTML of the text. What may stand in the page is decided in clean.js alone.
 */

import MarkdownIt from "markdown-it";
import { clean } from "./clean.js";
import { highlight } from "./code.js";
import { formulaPlugin } from "./formulas.js";

// How an address in plain text begins, as in GFM. README.md is none, although there is a domain md.
const WRITTEN_ADDRESS = /^(?:https?:\/\/|mailto:|www\.|[^/]+@)/i;
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);/i;
const TASK = /^\[([ xX])\](?=\s)/;

function buildParser() {
  const parser = new MarkdownIt("commonmark", { html: false, linkify: true, breaks: true });
  parser.enable(["table", "strikethrough", "linkify"]);
  parser.linkify.set({ fuzzyLink: true, fuzzyEmail: true });
  parser.validateLink = (address) => /^(?:https?|mailto):/i.test(address.trim()) || DATA_IMAGE.test(address);
  formulaPlugin(parser);
  parser.core.ruler.push("plain_addresses", showPlainAddresses);
  parser.core.ruler.push("tasks", findTasks);
  parser.core.ruler.push("directions", addDirections);
  parser.renderer.rules.image = drawImage;
  parser.renderer.rules.fence = drawCode;
  parser.renderer.rules.code_block = drawCode;
  parser.renderer.rules.task = (tokens, place) => {
    const state = tokens[place].content ? 'checked aria-label="Done"' : 'aria-label="Not done"';
    return `<input type="checkbox" disabled ${state}>`;
  };
  parser.renderer.rules.table_open = () =>
    '<div class="tc-table" tabindex="0" role="group" aria-label="Table"><table>\n';
  parser.renderer.rules.table_close = () => "</table></div>\n";
  return parser;
}

const parser = buildParser();
const blockParser = buildParser();
blockParser.core.ruler.enableOnly(["normalize", "block"]);

/** Blocks of Markdown as a fragment of the page. `references`: definitions of links outside the text. */
export function render(text, references) {
  return clean(parser.render(text, { references: { ...references } }));
}

/** The fences of a text that are in no list or quote: their lines, languages and contents. */
export function findFences(text) {
  return blockParser
    .parse(text, {})
    .filter((token) => token.type === "fence" && token.level === 0)
    .map((token) => ({ lines: token.map, language: readLanguage(token), content: token.content }));
}

/**
 * Where blocks begin that stay as they are, whatever follows the text.
 *
 * These are the ones after a blank line that are followed by a whole line. The definitions of links in the
 * text are added to `references`. Lines end with "\n"; the last may be cut. `kind` is that of the last block.
 */
export function findBlocks(text, references) {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const tokens = blockParser.parse(whole, { references }).filter((token) => token.level === 0 && token.map);
  const lines = whole.split("\n");
  const starts = [0];
  for (const line of lines) starts.push(starts[starts.length - 1] + line.length + 1);
  let last = lines.length - 1;
  while (last > 0 && !lines[last].trim()) last -= 1;
  const begins = tokens
    .map((token) => token.map)
    .filter(([begin, end]) => begin && !lines[begin - 1].trim() && end <= last)
    .map(([begin]) => starts[begin]);
  return begins;
}

function readLanguage(token) {
  return token.info.trim().match(/^[\w#+.-]*/)[0];
}

function drawCode(tokens, place) {
  const token = tokens[place];
  const language = token.type === "fence" ? readLanguage(token) : "";
  const code = token.content.replace(/\n$/, "");
  const name = language ? ` data-language="${parser.utils.escapeHtml(language)}"` : "";
  return `<pre${name}><code>${highlight(code, language)}</code></pre>\n`;
}

/** A picture within the text is shown. A browser would send a request for any other one, so it is a link. */
function drawImage(tokens, place, options, env, self) {
  const token = tokens[place];
  const alternative = parser.utils.escapeHtml(self.renderInlineAsText(token.children, options, env));
  const source = parser.utils.escapeHtml(token.attrGet("src"));
  if (DATA_IMAGE.test(source)) return `<img src="${source}" alt="${alternative}">`;
  const isInLink = tokens.slice(0, place).reduce((depth, each) => depth + linkDepth(each), 0) > 0;
  return isInLink ? alternative || "image" : `<a href="${source}">${alternative || "image"}</a>`;
}

function linkDepth(token) {
  return { link_open: 1, link_close: -1 }[token.type] ?? 0;
}

function showPlainAddresses(state) {
  for (const block of state.tokens) {
    if (block.type !== "inline") continue;
    const { children } = block;
    for (let place = 0; place < children.length - 2; place++) {
      const isFound = children[place].type === "link_open" && children[place].markup === "linkify";
      if (isFound && !WRITTEN_ADDRESS.test(children[place + 1].content)) {
        children.splice(place + 2, 1);
        children.splice(place, 1);
      }
    }
  }
}

function findTasks(state) {
  const { tokens } = state;
  for (let place = 2; place < tokens.length; place++) {
    const isFirst = tokens[place - 1].type === "paragraph_open" && tokens[place - 2].type === "list_item_open";
    const text = tokens[place].children?.[0];
    const task = tokens[place].type === "inline" && isFirst && text?.type === "text" && TASK.exec(text.content);
    if (!task) continue;
    text.content = text.content.slice(task[0].length);
    const box = new state.Token("task", "input", 0);
    box.content = task[1] === " " ? "" : "x";
    tokens[place].children.unshift(box);
    tokens[place - 2].attrSet("class", "tc-task");
  }
}

/** Let each block have the direction of its own text. */
function addDirections(state) {
  for (const token of state.tokens) {
    if (token.nesting === 1 && !/^(?:table|thead|tbody|tr)_open$/.test(token.type)) token.attrSet("dir", "auto");
  }
}
