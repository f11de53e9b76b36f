/**
 * The scrolling of the page. It stays at the end while a person is there, and nowhere jumps.
 *
 * The element that scrolls is Streamlit's; it has an end of its own below the list (the message line).
 */

const AT_END = 60; // pixels from the end that still count as there
const HOLD_MS = 150; // after a scroll upwards in which nothing grows
const UPWARDS = new Set(["ArrowUp", "PageUp", "Home"]);

export class Follower {
  constructor(root, button, changed) {
    this.root = root;
    this.button = button;
    this.changed = changed;
    this.isFollowing = true;
    this.heldUntil = 0;
    this.last = { top: 0, height: 0 };
    this.scroller = findScroller(root);
    // Not all browsers keep what is seen in its place while something above it grows.
    this.isAnchored = CSS.supports("overflow-anchor", "auto");
    this.events = [
      ["scroll", () => this.onScroll()],
      ["wheel", (event) => event.deltaY < 0 && this.leave()],
      ["touchmove", () => this.hold()],
      ["keydown", (event) => UPWARDS.has(event.key) && !isWriting() && this.leave()],
    ];
    for (const [kind, listen] of this.events) this.scroller.addEventListener(kind, listen, { passive: true });
    this.sizes = new ResizeObserver(() => {
      this.follow();
      this.changed();
    });
    this.sizes.observe(this.scroller);
    this.sizes.observe(root);
  }

  destroy() {
    for (const [kind, listen] of this.events) this.scroller.removeEventListener(kind, listen);
    this.sizes.disconnect();
  }

  /** A person scrolls up. Nothing grows for a moment, or Streamlit would take the scroll for one of its own. */
  leave() {
    if (this.scroller.scrollTop <= 0) return;
    this.isFollowing = false;
    this.hold();
  }

  hold() {
    this.heldUntil = performance.now() + HOLD_MS;
  }

  distance() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    return scrollHeight - clientHeight - scrollTop;
  }

  onScroll() {
    const { scrollTop: top, scrollHeight: height } = this.scroller;
    const isUp = top < this.last.top - 1 && height >= this.last.height;
    if (isUp) this.isFollowing = false;
    else if (this.distance() < AT_END) this.isFollowing = true;
    this.last = { top, height };
    this.showButton();
    this.changed();
  }

  showButton() {
    const isFar = this.distance() > this.scroller.clientHeight / 4;
    const line = this.scroller.querySelector("[data-testid=stBottom]");
    this.root.style.setProperty("--tc-bottom", `${line?.offsetHeight ?? 0}px`);
    this.button.hidden = this.isFollowing || !isFar;
  }

  toEnd() {
    this.isFollowing = true;
    this.changed();
    this.follow();
  }

  /** Go to the end, if the person is there. */
  follow() {
    if (this.isFollowing && this.distance() > 1) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.last = { top: this.scroller.scrollTop, height: this.scroller.scrollHeight };
    this.showButton();
  }

  scrollTo(offset) {
    this.isFollowing = false;
    this.scroller.scrollTop += offset - this.seen(0).top;
  }

  /** Which part of the list is seen, in pixels from its beginning. `height`: that of the list. */
  seen(height) {
    const { top } = this.scroller.getBoundingClientRect();
    const begin = top - this.root.getBoundingClientRect().top;
    const { clientHeight } = this.scroller;
    // Who follows sees the end, whatever the heights of turns turn out to be.
    if (this.isFollowing) return { top: height - clientHeight, bottom: height };
    return { top: begin, bottom: begin + clientHeight };
  }

  /** Note where the first element is that is seen. */
  holdPlace(elements) {
    if (this.isFollowing || this.isAnchored) return null;
    const { top } = this.scroller.getBoundingClientRect();
    for (const element of elements) {
      const box = element.getBoundingClientRect();
      if (box.bottom > top) return { element, top: box.top };
    }
    return null;
  }

  /** Scroll such that the element is where it was. */
  restorePlace(anchor) {
    if (this.isFollowing) {
      this.follow();
    } else if (anchor?.element.isConnected) {
      const moved = anchor.element.getBoundingClientRect().top - anchor.top;
      if (Math.abs(moved) >= 1) this.scroller.scrollTop += moved;
    }
  }
}

function findScroller(element) {
  for (let each = element.parentElement; each; each = each.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(each).overflowY)) return each;
  }
  return document.scrollingElement;
}

function isWriting() {
  return document.activeElement?.matches("input, textarea, [contenteditable=true]") ?? false;
}
