/**
 * Blocks that grow long: code, lists and tables. Their parts are drawn once, as the blocks of a text are.
 *
 * `grow` gets what has not been settled of the block, with all that follows. It draws that, and returns how many
 * characters are settled now; null if the text is not what the grower took it for. `isOver` says that the block
 * has ended, and what follows begins after these characters.
 */

import { clean } from "./clean.js";
import { cutPart } from "./code.js";
import { findSettled } from "./markdown.js";
import { morph } from "./morph.js";

const LONG = 1000; // characters of a block that is drawn anew as a whole
const FENCE = /^(`{3,}|~{3,})[^\n]*\n/;

/**
 * A grower for a text that is one long block, which `element` shows; null for any other text.
 *
 * `tools` has `draw`, which makes a fragment of a text, and `read`, which finds its blocks.
 */
export function makeGrower(text, blocks, element, tools) {
  if (text.length < LONG || blocks.length !== 1 || blocks[0].lines[0] !== 0) return null;
  const [{ type, language }] = blocks;
  if (type === "fence" && FENCE.test(text)) return new CodeGrower(text, language, element);
  if (type === "bullet_list_open" || type === "ordered_list_open") return new ListGrower(element, tools);
  if (type === "table_open") return new TableGrower(text, element, tools);
  return null;
}

class CodeGrower {
  constructor(text, language, element) {
    const [line, mark] = FENCE.exec(text);
    this.element = element;
    this.code = element.querySelector("code");
    this.code.replaceChildren();
    this.language = language;
    this.skipped = line.length;
    this.end = new RegExp(`^ {0,3}${mark}${mark[0]}*[ \t]*$`, "m");
    this.settled = 0; // parts
    this.isOver = false;
  }

  grow(text) {
    const rest = text.slice(this.skipped);
    const end = this.end.exec(rest);
    const code = (end ? rest.slice(0, end.index) : rest).replace(/\n$/, "");
    let place = 0;
    while (place < code.length) {
      const part = cutPart(code.slice(place), this.language);
      morph(this.code, this.code.childNodes[this.settled] ?? null, clean(part.html));
      if (!part.isWhole) break;
      this.settled += 1;
      place += part.length;
    }
    const length = place ? this.skipped + place : 0;
    const isWhole = end && rest[end.index + end[0].length] === "\n"; // or it may become another line
    if (!isWhole) {
      if (place) this.skipped = 0;
      return length;
    }
    this.isOver = true;
    return this.skipped + end.index + end[0].length + 1;
  }
}

/** What lists and tables have in common: children, of which all but the last are settled. */
class ContainerGrower {
  constructor(element, tools) {
    this.element = element;
    this.tools = tools;
    this.settled = 0; // children
    this.isOver = false;
  }

  /** Draw the rest of the container and what follows it. `skipped`: characters of `text` that are drawn already. */
  growBy(text, skipped) {
    const parsed = this.tools.read(text);
    const end = findSettled(parsed);
    const fragment = this.tools.draw(end ? text.slice(0, end) : text);
    const first = fragment.firstElementChild;
    const fresh = first && this.holder(first);
    if (first?.nodeName !== this.element.nodeName || !fresh) return null;
    const holder = this.holder(this.element);
    morph(holder, holder.children[this.settled] ?? null, fresh);
    first.remove();
    morph(this.element.parentNode, this.element.nextElementSibling, fragment);
    this.isOver = end > 0;
    if (this.isOver) return end - skipped;
    const items = this.items(parsed.blocks[0]);
    const count = items.length - 1;
    if (count < 1) return 0;
    this.settled += count;
    return parsed.starts[items[count]] - skipped;
  }
}

class ListGrower extends ContainerGrower {
  holder(element) {
    return element;
  }

  items(block) {
    return block?.items ?? [];
  }

  grow(text) {
    return this.growBy(text, 0);
  }
}

class TableGrower extends ContainerGrower {
  constructor(text, element, tools) {
    super(element, tools);
    this.head = `${text.split("\n", 2).join("\n")}\n`;
    this.isBegun = false;
  }

  holder(element) {
    return element.querySelector("tbody");
  }

  items(block) {
    return block?.items.slice(1) ?? []; // without the head
  }

  grow(text) {
    const length = this.isBegun ? this.growBy(this.head + text, this.head.length) : this.growBy(text, 0);
    this.isBegun ||= length > 0;
    return length;
  }
}
