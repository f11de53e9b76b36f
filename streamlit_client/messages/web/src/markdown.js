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
const HOLDERS = "ol, ul, li, blockquote, .tc-table, table, thead, tbody, tr"; // of blocks
const HOLDER_TOKEN = /^(?:ordered_list|bullet_list|list_item|blockquote|table)_/;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const FORMULA = /\$\$|\\\[|\\begin\{/; // of which a fence might still become a part
const TASK = /^\[([ xX])\](?=\s)/;

function buildParser() {
  const parser = new MarkdownIt("commonmark", { html: false, linkify: true, breaks: true });
  parser.enable(["table", "strikethrough", "linkify"]);
  parser.linkify.set({ fuzzyLink: true, fuzzyEmail: true });
  parser.validateLink = (address) => /^(?:https?|mailto):/i.test(address.trim()) || DATA_IMAGE.test(address);
  formulaPlugin(parser);
  parser.core.ruler.push("plain_addresses", showPlainAddresses);
  parser.core.ruler.push("tasks", findTasks);
  parser.core.ruler.push("paragraphs", showParagraphs);
  parser.core.ruler.push("directions", addDirections);
  parser.renderer.rules.image = drawImage;
  parser.renderer.rules.fence = drawCode;
  parser.renderer.rules.code_block = drawCode;
  parser.renderer.rules.task = (tokens, place) => {
    const state = tokens[place].content ? 'checked aria-label="Done"' : 'aria-label="Not done"';
    return `<input type="checkbox" disabled ${state}>`;
  };
  parser.renderer.rules.table_open = (tokens, place, options, env, self) =>
    `<div class="tc-table" tabindex="0" role="group" aria-label="Table"><table${self.renderAttrs(tokens[place])}>\n`;
  parser.renderer.rules.table_close = () => "</table></div>\n";
  return parser;
}

const parser = buildParser();
const blockParser = buildParser();
blockParser.core.ruler.enableOnly(["normalize", "block"]);

/** Blocks of Markdown as a fragment of the page. `references`: definitions of links outside the text. */
export function render(text, references) {
  const fragment = clean(parser.render(text, { references: { ...references } }));
  // The ends of lines between blocks are nothing to see.
  for (const holder of [fragment, ...fragment.querySelectorAll(HOLDERS)]) {
    for (const node of [...holder.childNodes]) {
      if (node.nodeType === Node.TEXT_NODE && !node.data.trim()) node.remove();
    }
  }
  return fragment;
}

/** The fences of a text that are in no list or quote: their lines, languages and contents. */
export function findFences(text) {
  return blockParser
    .parse(text, {})
    .filter((token) => token.type === "fence" && token.level === 0)
    .map((token) => ({ lines: token.map, language: readLanguage(token), content: token.content }));
}

/**
 * The outermost blocks of a text, of which the last line may be cut: how each begins, and its lines.
 *
 * Of the text, only the whole lines are read. The definitions of links in it are added to `references`.
 * `starts` says where each line begins. `items` are the first lines of a list's items or of a table's rows.
 */
export function readBlocks(text, references) {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  const starts = [0];
  for (let end = whole.indexOf("\n"); end >= 0; end = whole.indexOf("\n", end + 1)) starts.push(end + 1);
  const blocks = [];
  for (const token of blockParser.parse(whole, { references })) {
    if (token.level === 0 && token.map) {
      blocks.push({ type: token.type, lines: token.map, markup: token.markup, language: readLanguage(token), items: [] });
    } else if (token.type === "list_item_open" && token.level === 1) {
      blocks.at(-1).items.push(token.map[0]);
    } else if (token.type === "tr_open" && token.level === 2) {
      blocks.at(-1).items.push(token.map[0]);
    }
  }
  return { blocks, starts, whole };
}

/**
 * Where the last block begins that has ended, or that is a fence. What stands before it stays as it is.
 *
 * It stands after a blank line, or else it could still become a part of the block before. A fence cannot.
 */
export function findSettled({ blocks, starts, whole }) {
  const isBlank = (line) => !whole.slice(starts[line], starts[line + 1]).trim();
  let last = starts.length - 1;
  while (last > 0 && isBlank(last)) last -= 1;
  const found = blocks.findLast(({ type, lines: [begin, end] }) => {
    if (!begin || !(type === "fence" || end <= last)) return false;
    if (isBlank(begin - 1)) return true;
    return type === "fence" && !FORMULA.test(whole.slice(whole.lastIndexOf("\n\n", starts[begin]) + 1, starts[begin]));
  });
  return found ? starts[found.lines[0]] : 0;
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
    if (!task || !TASK.test(tokens[place].content)) continue; // or its brackets are escaped
    text.content = text.content.slice(task[0].length);
    const box = new state.Token("task", "input", 0);
    box.content = task[1] === " " ? "" : "x";
    tokens[place].children.unshift(box);
    tokens[place - 2].attrSet("class", "tc-task");
  }
}

/**
 * Let the texts of all lists be paragraphs. Otherwise a list that grows would change as a whole when its first
 * blank line comes.
 */
function showParagraphs(state) {
  for (const token of state.tokens) token.hidden = false;
}

/**
 * Let each block have the direction of its own text. Blocks that hold others have that of the first letter in
 * them: a browser does not look into blocks within that have a direction of their own.
 */
function addDirections(state) {
  const holders = [];
  for (const token of state.tokens) {
    const isHolder = HOLDER_TOKEN.test(token.type);
    if (isHolder && token.nesting === 1) holders.push(token);
    else if (isHolder) holders.pop();
    else if (token.nesting === 1 && !/^(?:thead|tbody|tr)_open$/.test(token.type)) token.attrSet("dir", "auto");
    const letter = token.type === "inline" && /\p{L}/u.exec(token.content)?.[0];
    for (const holder of letter ? holders : []) {
      if (!holder.attrGet("dir")) holder.attrSet("dir", RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr");
    }
  }
}
