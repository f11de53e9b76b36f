/**
 * Finds formulas in Markdown: `$$...$$`, `\(...\)`, `\[...\]`, `\begin{align}...` and `$...$`.
 *
 * A formula that fills whole lines between `$$`, `\[` or `\begin{...}` and its end is a block (`math_block`), any
 * other one a part of a line (`math_inline`). There is no blank line in a formula. Without its end, a mark is
 * text. A single dollar may be a price, so it must look like mathematics (`findDollarEnd`). KaTeX draws formulas.
 */

import "./katex.js";
import katex from "./shared_katex.js";

const MARKS = { "$$": "$$", "\\[": "\\]", "\\(": "\\)" }; // of the beginning: that of the end
// What KaTeX knows of amsmath, and models write without marks around it.
const ENVIRONMENTS =
  "(?:align|alignat|equation|gather)\\*?|(?:align|alignat|gather)ed|[bBpvV]?matrix|smallmatrix|array|r?cases|split";
const BEGIN = new RegExp(`\\\\begin\\{(${ENVIRONMENTS})\\}`, "y");
const BLOCK_MARKS = ["$$", "\\["];
const LENGTH = 2; // of each mark
// Of a formula. Without a limit, a text of many beginnings without ends would take time by its square.
const MAX_CHARACTERS = 5000;
const MAX_LINES = 60;
const MAX_INNER = 3;
const MAX_DOLLAR = 500; // characters between single dollars
const MAX_KEPT = 2000; // drawn formulas

const WORD = /[0-9A-Za-z_]/; // a letter of another script may stand next to a formula
const AFTER_DOLLAR = /(?![0-9A-Za-z_$])|(?:s|st|nd|rd|th)\b/y; // "$k$-th" and "$k$th", but not "$A$B"
const COMMAND = /\\(?:text|textbf|textit|mathrm|operatorname|mbox)\*?\s*\{[^{}]*\}|\\[A-Za-z]+/g;
const PROSE = /[A-Za-z]{2,}[,;:.]?\s+[A-Za-z]{2,}|^\d[\d.,]*\s+[A-Za-z]{2,}|[.;!?]\s+[A-Z]/;
const CURRENCY = /^\d[\s\S]*[\s(](?:US|CA|AU|NZ|HK|SG|[ACS])$/; // "$5 (US$)"
const LABEL = /\\label\s*\{[^{}]*\}/g; // only a whole LaTeX document can refer to it

const drawn = new Map(); // by their sources; a text that grows has the same ones again and again

/** Let a parser find formulas, and draw them. */
export function formulaPlugin(parser) {
  parser.inline.ruler.before("escape", "math_inline", findInline);
  const ended = ["paragraph", "reference", "blockquote", "list"]; // which a formula may end
  parser.block.ruler.before("fence", "math_block", findBlock, { alt: ended });
  parser.renderer.rules.math_inline = (tokens, place) => {
    const { content, markup } = tokens[place];
    return draw(content, markup === "\\[" || (markup === "" && isFilling(content)));
  };
  parser.renderer.rules.math_block = (tokens, place) => {
    return `<div class="tc-formula" tabindex="0" role="group">${draw(tokens[place].content, true)}</div>\n`;
  };
}

function isFilling(content) {
  return /^\\begin\{(?:align|alignat|equation|gather)\*?\}/.test(content);
}

function draw(content, isBlock) {
  const key = (isBlock ? "b" : "i") + content;
  let html = drawn.get(key);
  if (html === undefined) {
    const source = content.replace(LABEL, "").trim();
    // `trust` is off, so no formula can load a picture or be a link.
    const options = { displayMode: isBlock || isFilling(source), throwOnError: false, strict: "ignore", maxExpand: 500 };
    html = katex.renderToString(source, options);
    if (drawn.size >= MAX_KEPT) drawn.delete(drawn.keys().next().value);
    drawn.set(key, html);
  }
  return html;
}

function findInline(state, silent) {
  const found = readInline(state);
  if (!found) return false;
  const { mark, content, end } = found;
  // A code span is none, and neither is the escaped text of a link.
  const isLink = mark === "\\[" && state.src[end] === "(";
  if (end > state.posMax || !content.trim() || content.includes("`") || isLink) return false;
  if (!silent) {
    const token = state.push("math_inline", "math", 0);
    token.content = content;
    token.markup = mark;
  }
  state.pos = end;
  return true;
}

function readInline({ src, pos }) {
  const mark = readMark(src, pos);
  if (mark) {
    const end = findEnd(src, pos + LENGTH, mark);
    return end < 0 ? null : { mark, content: src.slice(pos + LENGTH, end), end: end + LENGTH };
  }
  if (src[pos] === "$") {
    const end = findDollarEnd(src, pos);
    return end < 0 ? null : { mark: "$", content: src.slice(pos + 1, end), end: end + 1 };
  }
  const name = readBegin(src, pos);
  if (!name) return null;
  const end = findEnvironmentEnd(src, pos, name);
  return end < 0 ? null : { mark: "", content: src.slice(pos, end), end };
}

function findBlock(state, startLine, endLine, silent) {
  const line = (number) => state.src.slice(state.bMarks[number] + state.tShift[number], state.eMarks[number]);
  const first = line(startLine);
  const mark = readMark(first, 0);
  const name = readBegin(first, 0);
  if (!(BLOCK_MARKS.includes(mark) || name) || state.sCount[startLine] - state.blkIndent >= 4) return false;
  const skipped = name ? 0 : LENGTH;
  const last = Math.min(endLine, startLine + MAX_LINES);
  let text = first.slice(skipped);
  let number = startLine;
  let end;
  while ((end = findBlockEnd(text, mark, name)) < 0) {
    number += 1;
    if (number >= last || state.isEmpty(number) || state.sCount[number] < state.blkIndent) return false;
    if (text.length > MAX_CHARACTERS) return false;
    text += `\n${line(number)}`;
  }
  const content = text.slice(0, end);
  if (text.slice(end + skipped).trim() || !content.trim()) return false;
  if (!silent) {
    state.line = number + 1;
    const token = state.push("math_block", "math", 0);
    Object.assign(token, { block: true, content, map: [startLine, number + 1], markup: name ? "" : mark });
  }
  return true;
}

/** Where the content of a block ends, whose last line may have its end; -1 if that has not come. */
function findBlockEnd(text, mark, name) {
  if (name) return findEnvironmentEnd(text, 0, name);
  const start = text.lastIndexOf("\n") + 1;
  const end = findEnd(text.slice(start), 0, mark);
  return end < 0 ? -1 : start + end;
}

/** The mark with which a formula may begin here; more than two dollars are none. */
function readMark(text, place) {
  const mark = text.slice(place, place + LENGTH);
  const isPrice = mark === "$$" && (text[place + LENGTH] === "$" || text[place - 1] === "$");
  return Object.hasOwn(MARKS, mark) && !isPrice ? mark : null;
}

function readBegin(text, place) {
  BEGIN.lastIndex = place;
  return BEGIN.exec(text)?.[1] ?? null;
}

function count(text, word, from, to) {
  return text.slice(from, to).split(word).length - 1;
}

function findEnvironmentEnd(text, start, name) {
  const begin = `\\begin{${name}}`;
  const end = `\\end{${name}}`;
  let place = start + begin.length;
  for (let inner = 0; inner < MAX_INNER; inner++) {
    const found = text.indexOf(end, place);
    if (found < 0 || found + end.length > start + MAX_CHARACTERS) return -1;
    if (count(text, begin, start, found) === 1 + count(text, end, start, found)) return found + end.length;
    place = found + end.length;
  }
  return -1;
}

/**
 * The place of the dollar that ends a formula after the dollar at `begin`; -1 if that is a price.
 *
 * As in pandoc, there is no space within the dollars, and no digit behind them. So "$5 and $6" is none. A word does
 * not touch them, as those of "$HOME/$USER" do, and what stands between them is no prose. Dollars within braces, as
 * in `\text{if $x$}`, belong to the formula.
 */
function findDollarEnd(text, begin) {
  if (begin && (WORD.test(text[begin - 1]) || text[begin - 1] === "$")) return -1;
  if (!/^[^\s$.,;:!?)]/.test(text.slice(begin + 1, begin + 2))) return -1;
  const last = Math.min(text.length, begin + MAX_DOLLAR);
  let place = begin + 1;
  let braces = 0;
  while (place < last && (text[place] !== "$" || braces > 0)) {
    braces += { "{": 1, "}": -1 }[text[place]] ?? 0;
    place += text[place] === "\\" ? LENGTH : 1;
  }
  AFTER_DOLLAR.lastIndex = place + 1;
  if (place >= last || /\s/.test(text[place - 1]) || !AFTER_DOLLAR.test(text)) return -1;
  const content = text.slice(begin + 1, place).replace(COMMAND, " x ");
  return PROSE.test(content) || CURRENCY.test(content) ? -1 : place;
}

/**
 * Where the formula ends that begins before `start` with a mark; -1 if it does not.
 *
 * A backslash protects what follows. A formula within braces, as in `\text{if \(x\)}`, is a part of it.
 */
function findEnd(text, start, mark) {
  const endMark = MARKS[mark];
  const last = Math.min(text.length, start + MAX_CHARACTERS);
  let place = start;
  let braces = 0;
  let inner = 0;
  while (place < last) {
    if (text[place] === "$") {
      let run = 1;
      while (text[place + run] === "$") run += 1;
      if (mark === "$$" && run === LENGTH) return place;
      place += run;
      continue;
    }
    const pair = text.slice(place, place + LENGTH);
    if (pair === endMark) {
      if (!inner) return place;
      inner -= 1;
    } else if (pair === mark) {
      if (!braces || inner === MAX_INNER) return -1; // the formula has not ended, and here is another one
      inner += 1;
    }
    braces += { "{": 1, "}": -1 }[text[place]] ?? 0;
    place += text[place] === "\\" ? LENGTH : 1;
  }
  return -1;
}
