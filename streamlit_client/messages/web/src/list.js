/**
 * The messages of a conversation. Only those near what a person sees are in the page.
 *
 * A turn that is far has its height, or what it probably will be, as empty space.
 */

import { iconButton, make } from "./elements.js";
import { findPiece } from "./feed.js";
import { Follower } from "./follower.js";
import { addStyle } from "./style.js";
import { EARLIER, LATER, TurnView } from "./turn_view.js";

const AROUND = 1000; // pixels above and below what is seen that have their messages in the page
const SMALL_TURNS = 60; // a conversation with at most so many turns
const SMALL_CHARACTERS = 200_000; // and characters is in the page as a whole, and the browser can search it
const PENDING = "pending"; // the key of a question that is not stored
const BUDGET_MS = 7; // of a frame, for drawing turns that come near
const REDRAW_MS = 40; // a person sees no difference to a shorter interval
const MAX_REDRAW_MS = 90;
const LINE_HEIGHT = 26; // pixels, to guess the height of what was never drawn
const LETTER_WIDTH = 8;
const TURN_HEIGHT = 190; // without its lines

export class MessageList {
  constructor(parent) {
    addStyle();
    this.entries = [];
    this.chat = undefined;
    this.edited = null; // the number of the wish to edit that was followed last
    this.range = [0, 0];
    this.timer = 0;
    this.frame = 0;
    this.drawCost = 0;
    this.act = () => {};
    this.above = make("div", { class: "tc-space" });
    this.below = make("div", { class: "tc-space" });
    this.latest = iconButton("To the latest", "latest", () => this.follower.toEnd());
    this.latest.classList.add("tc-latest");
    this.root = make("div", { class: "tc-list", role: "group" });
    this.root.append(this.above, this.below, make("div", { class: "tc-latest-place" }, this.latest));
    parent.append(this.root);
    this.follower = new Follower(this.root, this.latest, () => this.plan());
    this.sizes = new ResizeObserver((changes) => this.measure(changes));
    this.onFeed = (event) => this.feed(event.detail);
    window.addEventListener("tritonchat-feed", this.onFeed);
    this.onKey = (event) => this.pressKey(event);
    document.addEventListener("keydown", this.onKey);
  }

  destroy() {
    this.follower.destroy();
    this.sizes.disconnect();
    window.removeEventListener("tritonchat-feed", this.onFeed);
    document.removeEventListener("keydown", this.onKey);
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }

  /** Alt+Up edits the last question. */
  pressKey(event) {
    if (event.key !== "ArrowUp" || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const entry = this.entries.findLast(({ turn }) => turn.actions.includes("edit"));
    if (!entry) return;
    event.preventDefault();
    this.edit(entry);
  }

  edit(entry) {
    this.show(entry);
    entry.view.edit();
  }

  /** Bring a turn into view. */
  show(entry) {
    const place = this.entries.indexOf(entry);
    if (place < this.range[0] || place >= this.range[1]) {
      this.follower.scrollTo(this.offsets()[place]);
      this.layout();
    }
    this.drawEntry(entry);
    entry.element.scrollIntoView({ block: "nearest" });
  }

  update({ chat, turns, label = "Conversation", edit = null }) {
    this.root.setAttribute("aria-label", label);
    const isOther = chat !== this.chat;
    if (isOther) this.clear();
    this.chat = chat;
    const focused = this.holdFocus();
    const isNew = this.take(turns);
    if (isOther || isNew) this.follower.isFollowing = true;
    const piece = findPiece(chat);
    if (piece) this.feed(piece);
    this.layout();
    const isKnown = isOther || edit?.number === this.edited; // a wish of before does not come again
    const wanted = isKnown ? null : this.entries.find(({ key }) => key === edit?.key);
    this.edited = edit?.number ?? null;
    if (wanted) this.edit(wanted);
    if (focused) this.restoreFocus(focused);
  }

  /** The button under an answer that has the focus: the place of its turn, and its name; null: none has. */
  holdFocus() {
    const place = this.entries.findIndex(({ element }) => element.contains(document.activeElement));
    const name = document.activeElement.closest(".tc-foot > button")?.getAttribute("aria-label");
    return place < 0 || !name ? null : { place, name, element: document.activeElement };
  }

  /** Another branch was drawn: focus the button of the same name, or at the end of its steps the other one. */
  restoreFocus({ place, name, element }) {
    if (element.isConnected) return;
    const buttons = this.entries[place]?.element.querySelectorAll(".tc-foot > button:enabled") ?? [];
    const find = (wanted) => [...buttons].find((button) => button.getAttribute("aria-label") === wanted);
    const opposite = { [EARLIER]: LATER, [LATER]: EARLIER }[name];
    (find(name) ?? find(opposite))?.focus({ preventScroll: true });
  }

  clear() {
    for (const { element } of this.entries) element.remove();
    this.sizes.disconnect();
    this.entries = [];
    this.range = [0, 0];
  }

  /** Take over the turns of the page. Returns whether the last one is a new question. */
  take(turns) {
    const old = new Map(this.entries.map((entry) => [entry.key, entry]));
    const before = this.entries;
    // A question that waited was stored: its turn has an id now, and another question may wait.
    const waiting = before.findIndex(({ key }) => key === PENDING);
    const stored = turns[waiting]?.key;
    if (stored !== undefined && stored !== PENDING && !old.has(stored)) {
      old.set(stored, before[waiting]);
      old.delete(PENDING);
    }
    let isNew = false;
    this.entries = turns.map((turn) => {
      const entry = old.get(turn.key) ?? this.makeEntry(turn);
      isNew = !before.includes(entry) && turn.is_running;
      entry.key = turn.key;
      entry.element.dataset.turn = turn.key;
      const next = keepStreamed(entry.turn, turn);
      const signature = JSON.stringify(next);
      entry.isChanged ||= signature !== entry.signature;
      entry.signature = signature;
      entry.turn = next;
      return entry;
    });
    const stays = new Set(this.entries);
    for (const entry of before) {
      if (stays.has(entry)) continue;
      this.sizes.unobserve(entry.element);
      entry.element.remove();
    }
    this.characters = this.entries.reduce((sum, { turn }) => sum + countCharacters(turn), 0);
    return isNew;
  }

  makeEntry(turn) {
    const element = make("div", { class: "tc-turn" });
    return { key: turn.key, turn, element, view: null, height: null, signature: "", isChanged: true };
  }

  /** Take what has come of a running answer. */
  feed(data) {
    if (data.chat !== this.chat) return;
    const entry = this.entries.find(({ key }) => key === data.key);
    if (!entry?.turn.is_running || data.start > entry.turn.text.length) return;
    const { turn } = entry;
    const text = turn.text.slice(0, data.start) + data.text;
    if (text.length > turn.text.length) turn.text = text;
    if (data.reasoning.length > turn.reasoning.length) turn.reasoning = data.reasoning;
    turn.reasoning_label = data.reasoning_label;
    turn.notes = data.note ? [data.note] : [];
    entry.isStreamed = true;
    if (!this.timer) this.timer = setTimeout(() => this.drawStreamed(), Math.max(0, this.nextDrawing()));
  }

  /** Milliseconds until what has come may be drawn: a costly text less often, and none during a scroll upwards. */
  nextDrawing() {
    const pause = Math.min(MAX_REDRAW_MS, Math.max(REDRAW_MS, 3 * this.drawCost));
    return Math.max(this.drawnAt + pause, this.follower.heldUntil) - performance.now() || 0;
  }

  drawStreamed() {
    this.timer = 0;
    const begin = performance.now();
    if (begin < this.follower.heldUntil) {
      this.timer = setTimeout(() => this.drawStreamed(), this.follower.heldUntil - begin);
      return;
    }
    for (const entry of this.entries) {
      if (!entry.isStreamed) continue;
      entry.isStreamed = false;
      if (entry.view) entry.view.drawAnswer();
      else entry.isChanged = true;
    }
    this.drawnAt = performance.now();
    this.drawCost = this.drawnAt - begin;
    this.follower.follow();
  }

  plan() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.layout();
    });
  }

  heightOf(entry) {
    if (entry.height !== null) return entry.height;
    const letters = Math.max(20, this.root.clientWidth / LETTER_WIDTH);
    const { question, text } = entry.turn;
    const lines = text.length / letters + Math.min(60, (question?.text.length ?? 0) / letters);
    return TURN_HEIGHT + LINE_HEIGHT * lines;
  }

  /** Where each turn begins, in pixels from the beginning of the list; and where the last one ends. */
  offsets() {
    const places = [0];
    for (const entry of this.entries) places.push(places.at(-1) + this.heightOf(entry));
    return places;
  }

  /** Put those turns into the page that are near what is seen, and take the others out. */
  layout() {
    if (!this.root.isConnected) return;
    const places = this.offsets();
    const [first, last] = this.findRange(places);
    const anchor = this.follower.holdPlace(this.entries.slice(...this.range).map(({ element }) => element));
    this.entries.forEach((entry, place) => {
      if ((place < first || place >= last) && entry.element.isConnected) {
        this.sizes.unobserve(entry.element);
        entry.element.remove();
      }
    });
    let before = this.above;
    for (const entry of this.entries.slice(first, last)) {
      if (before.nextSibling !== entry.element) before.after(entry.element);
      this.sizes.observe(entry.element);
      before = entry.element;
    }
    this.range = [first, last];
    this.above.style.height = `${places[first]}px`;
    this.below.style.height = `${places.at(-1) - places[last]}px`;
    const isComplete = this.drawNear(places, first, last);
    this.follower.restorePlace(anchor);
    if (!isComplete) this.plan();
  }

  findRange(places) {
    const count = this.entries.length;
    if (count <= SMALL_TURNS && this.characters <= SMALL_CHARACTERS) return [0, count];
    const { top, bottom } = this.follower.seen(places.at(-1));
    let first = 0;
    while (first < count - 1 && places[first + 1] < top - AROUND) first += 1;
    let last = first + 1;
    while (last < count && places[last] < bottom + AROUND) last += 1;
    return [first, last];
  }

  /** Draw turns until the time of a frame is used up; first those that are seen. Returns whether all are drawn. */
  drawNear(places, first, last) {
    const { top, bottom } = this.follower.seen(places.at(-1));
    const centre = (top + bottom) / 2;
    const distance = (place) => Math.max(places[place] - centre, centre - places[place + 1], 0);
    const waiting = [];
    for (let place = first; place < last; place++) {
      const entry = this.entries[place];
      if (entry.isChanged || !entry.view) waiting.push(place);
    }
    waiting.sort((one, other) => distance(one) - distance(other));
    const end = performance.now() + BUDGET_MS;
    for (const place of waiting) {
      if (performance.now() > end) return false;
      this.drawEntry(this.entries[place]);
    }
    return true;
  }

  drawEntry(entry) {
    if (entry.view && !entry.isChanged) return;
    entry.view ??= new TurnView(entry.element, (name, value) => {
      entry.signature = ""; // the next turns are drawn, whatever they are
      this.act(entry.key, name, value);
    });
    entry.view.update(entry.turn);
    entry.isChanged = false;
    entry.element.style.minHeight = "";
  }

  /** Remember the heights of turns. */
  measure(changes) {
    for (const { target, borderBoxSize } of changes) {
      const entry = this.entries.find(({ element }) => element === target);
      if (entry?.view && target.isConnected) entry.height = borderBoxSize[0].blockSize;
    }
    this.follower.follow();
    this.plan();
  }
}

function countCharacters({ question, text, reasoning }) {
  return text.length + reasoning.length + (question?.text.length ?? 0);
}

/** A running turn; what has come of it by the feed may be more than what the page knew when it was drawn. */
function keepStreamed(old, turn) {
  if (!turn.is_running || !old?.is_running) return turn;
  const longer = (name) => (old[name].startsWith(turn[name]) ? old[name] : turn[name]);
  return { ...turn, text: longer("text"), reasoning: longer("reasoning") };
}
