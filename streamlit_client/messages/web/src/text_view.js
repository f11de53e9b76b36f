/**
 * A text of Markdown that may grow.
 *
 * Its finished blocks are drawn once. What follows them is drawn again as it grows, and of that only the nodes
 * change that are others than before, so that a selection and the focus stay.
 */

import { decorate } from "./blocks.js";
import { make } from "./elements.js";
import { makeGrower } from "./growers.js";
import { findSettled, readBlocks, render } from "./markdown.js";
import { morph } from "./morph.js";

export class TextView {
  constructor() {
    this.element = make("div", { class: "tc-text" });
    this.tools = {
      draw: (text) => decorate(render(text, this.references)),
      read: (text) => this.read(text),
    };
    this.clear();
  }

  clear() {
    this.text = "";
    this.start = 0; // of the part that is not settled
    this.settled = null; // the last node before that part
    this.references = {};
    this.isStale = false; // a link was defined after a text that might name it
    this.grower = null;
    this.growerStart = -1;
    this.isWhole = true; // nothing was drawn of a text that might grow
    this.element.replaceChildren();
  }

  /** Show a text. `isFinished`: it does not grow any more. */
  update(text, isFinished) {
    const whole = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
    if (!whole.startsWith(this.text)) this.clear();
    if (whole === this.text && (this.isWhole || !isFinished)) return;
    this.text = whole;
    this.isWhole = isFinished;
    while (!this.step(isFinished));
    if (isFinished && this.isStale) this.drawAgain();
  }

  /** Draw what has changed. Returns whether that is all. */
  step(isFinished) {
    const rest = this.text.slice(this.start);
    if (this.grower) return this.grow(rest);
    const end = findSettled(this.read(rest));
    if (end) {
      this.draw(rest.slice(0, end));
      this.settled = this.element.lastChild;
      this.start += end;
      return false;
    }
    this.draw(rest);
    if (isFinished || this.growerStart === this.start) return true;
    const first = this.settled ? this.settled.nextElementSibling : this.element.firstElementChild;
    this.grower = makeGrower(rest, this.read(rest).blocks, first, this.tools);
    this.growerStart = this.grower ? this.start : -1;
    return !this.grower;
  }

  grow(rest) {
    const length = this.grower.grow(rest);
    if (length === null) {
      this.start = this.growerStart;
      this.grower = null;
      return false;
    }
    this.start += length;
    if (!this.grower.isOver) return true;
    this.settled = this.element.lastChild;
    this.grower = null;
    return false;
  }

  read(text) {
    const before = Object.keys(this.references).length;
    const parsed = readBlocks(text, this.references);
    if (this.start && Object.keys(this.references).length > before) this.isStale = true;
    return parsed;
  }

  draw(text) {
    const first = this.settled ? this.settled.nextSibling : this.element.firstChild;
    morph(this.element, first, this.tools.draw(text));
  }

  drawAgain() {
    Object.assign(this, { start: 0, settled: null, grower: null, growerStart: -1, isStale: false });
    this.draw(this.text);
  }
}
