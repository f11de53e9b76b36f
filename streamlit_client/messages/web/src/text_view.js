/**
 * A text of Markdown that may grow.
 *
 * Its finished blocks are drawn once. What follows them is drawn again as it grows, and of that only the nodes
 * change that are others than before, so that a selection and the focus stay.
 */

import { decorate } from "./blocks.js";
import { highlight } from "./code.js";
import { make } from "./elements.js";
import { findBlocks, render } from "./markdown.js";

const LONG_CODE = 2000; // characters of code that are drawn anew as a whole
const MAX_RECOLOURED = 20_000;
const COLOURS_SHARE = 20; // of the time since the colours were drawn last, they take at most one part in 20
const FENCE = /^(`{3,}|~{3,})[^`\n]*\n/;
const FORMULA = /\$\$|\\\[|\\begin\{/; // which a fence might still become a part of

export class TextView {
  constructor() {
    this.element = make("div", { class: "tc-text" });
    this.clear();
  }

  clear() {
    this.text = "";
    this.start = 0; // of the part that is drawn again
    this.settled = null; // the last node before that part
    this.references = {};
    this.isStale = false; // a link was defined after a text that might name it
    this.colouredAt = 0;
    this.colouringCost = 0;
    this.element.replaceChildren();
  }

  /** Show a text. `isFinished`: it does not grow any more. */
  update(text, isFinished) {
    const whole = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (!whole.startsWith(this.text)) this.clear();
    else if (whole === this.text && !isFinished) return;
    this.text = whole;
    if (!isFinished && this.appendCode()) return;
    this.settle();
    if (isFinished && this.isStale) {
      Object.assign(this, { start: 0, settled: null, isStale: false });
    }
    morph(this.element, this.settled?.nextSibling ?? this.firstOfRest(), this.draw(this.text.slice(this.start)));
  }

  draw(text) {
    return decorate(render(text, this.references));
  }

  firstOfRest() {
    return this.settled ? null : this.element.firstChild;
  }

  /** Draw the blocks for the last time that have ended. */
  settle() {
    const rest = this.text.slice(this.start);
    const before = Object.keys(this.references).length;
    const begins = findBlocks(rest, this.references);
    if (this.settled && Object.keys(this.references).length > before) this.isStale = true;
    const end = begins.filter((begin) => !FORMULA.test(openPart(rest.slice(0, begin)))).pop();
    if (!end) return;
    const finished = this.draw(rest.slice(0, end));
    const count = finished.childNodes.length;
    const first = this.settled?.nextSibling ?? this.firstOfRest();
    morph(this.element, first, finished);
    this.settled = count ? this.element.lastChild : this.settled;
    this.start += end;
  }

  /** Append to the code of a long fence that has not ended. Returns whether the text ends with one. */
  appendCode() {
    const rest = this.text.slice(this.start);
    const fence = FENCE.exec(rest);
    if (!fence || rest.length < LONG_CODE || new RegExp(`\n ? ? ?${fence[1]}`).test(rest)) return false;
    const first = this.settled ? this.settled.nextElementSibling : this.element.firstElementChild;
    const code = first?.querySelector("pre > code");
    const content = rest.slice(fence[0].length).replace(/\n$/, "");
    const shown = code?.textContent;
    if (!code || !content.startsWith(shown)) return false;
    const now = performance.now();
    if (content.length < MAX_RECOLOURED && now - this.colouredAt > this.colouringCost * COLOURS_SHARE) {
      const fresh = make("code");
      fresh.innerHTML = highlight(content, first.dataset.language ?? "");
      morph(code, code.firstChild, fresh);
      this.colouredAt = performance.now();
      this.colouringCost = this.colouredAt - now;
      return true;
    }
    if (code.lastChild?.nodeType !== Node.TEXT_NODE) code.append("");
    code.lastChild.appendData(content.slice(shown.length));
    return true;
  }
}

/** What stands after the last blank line of a text. */
function openPart(text) {
  return text.endsWith("\n\n") ? "" : text.slice(text.lastIndexOf("\n\n") + 1);
}

/** Make the children of `parent` from `old` on equal to those of `fresh`. */
function morph(parent, old, fresh) {
  for (const node of [...fresh.childNodes]) {
    if (!old) {
      parent.append(node);
      continue;
    }
    const next = old.nextSibling;
    if (!old.isEqualNode(node)) change(parent, old, node);
    old = next;
  }
  while (old) {
    const next = old.nextSibling;
    old.remove();
    old = next;
  }
}

function change(parent, old, node) {
  if (old.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
    if (node.data.startsWith(old.data)) old.appendData(node.data.slice(old.data.length));
    else old.data = node.data;
  } else if (old.nodeType === Node.ELEMENT_NODE && old.cloneNode(false).isEqualNode(node.cloneNode(false))) {
    morph(old, old.firstChild, node);
  } else {
    old.replaceWith(node);
  }
}
