/** An answer as its tokens. Each shows how probable it was, and what could have stood there instead. */

import { make } from "./elements.js";

const KEYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The tokens of an answer. One of them can have the focus; arrows go on to the next. */
export function drawTokens(tokens) {
  const bubble = make("div", { class: "tc-panel tc-bubble", role: "tooltip", id: "tritonchat-token" });
  bubble.popover = "manual";
  const holder = make("div", { class: "tc-tokens", role: "group", "aria-label": "Tokens of the answer", dir: "auto" });
  tokens.forEach((token, place) => {
    const strength = Math.round(100 * (1 - token.probability));
    const element = make("span", { tabindex: place ? "-1" : "0", role: "button", "aria-label": describe(token) }, token.text);
    element.style.setProperty("--doubt", `${strength}%`);
    holder.append(element);
  });
  const show = (event) => {
    const place = [...holder.children].indexOf(event.target);
    if (place < 0 || place >= tokens.length) return;
    fill(bubble, tokens[place]);
    bubble.showPopover();
    const at = event.target.getBoundingClientRect();
    const { width, height } = bubble.getBoundingClientRect();
    bubble.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
    bubble.style.top = `${at.top > height + 12 ? at.top - height - 4 : at.bottom + 4}px`;
  };
  const hide = () => bubble.hidePopover();
  holder.addEventListener("mouseover", show);
  holder.addEventListener("focusin", show);
  holder.addEventListener("mouseleave", hide);
  holder.addEventListener("focusout", hide);
  holder.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const next = holder.children[[...holder.children].indexOf(event.target) + (KEYS[event.key] ?? 0)];
    if (!(event.key in KEYS) || !next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  return make("div", {}, holder, bubble);
}

function percent(value) {
  return `${(100 * value).toFixed(1)}%`;
}

function describe(token) {
  const others = token.others.map(([text, probability]) => `${JSON.stringify(text)} ${percent(probability)}`);
  return `${JSON.stringify(token.text)} ${percent(token.probability)}${others.length ? `; else ${others.join(", ")}` : ""}`;
}

function fill(bubble, token) {
  const row = ([text, probability], isChosen) =>
    make("tr", { class: isChosen ? "tc-chosen" : null }, make("td", {}, JSON.stringify(text)), make("td", {}, percent(probability)));
  const others = token.others.filter(([text]) => text !== token.text);
  const rows = [[token.text, token.probability], ...others].map((each, place) => row(each, place === 0));
  bubble.replaceChildren(make("table", {}, make("tbody", {}, ...rows)));
}
