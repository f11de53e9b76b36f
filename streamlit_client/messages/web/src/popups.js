/** Menus and panels that open at a button. The browser closes them by Escape and by a click elsewhere. */

import { make } from "./elements.js";

const GAP = 4; // pixels
const MARGIN = 8;

function place(panel, button) {
  const at = button.getBoundingClientRect();
  const { width, height } = panel.getBoundingClientRect();
  const isBelow = at.bottom + GAP + height <= innerHeight || at.top < height;
  const top = isBelow ? at.bottom + GAP : at.top - GAP - height;
  panel.style.left = `${Math.max(MARGIN, Math.min(at.left, innerWidth - width - MARGIN))}px`;
  panel.style.top = `${Math.max(MARGIN, Math.min(top, innerHeight - height - MARGIN))}px`;
}

function open(panel, button) {
  button.after(panel);
  panel.popover = "auto";
  panel.showPopover({ source: button });
  place(panel, button);
  button.setAttribute("aria-expanded", "true");
  panel.addEventListener("toggle", (event) => {
    if (event.newState !== "closed") return;
    button.setAttribute("aria-expanded", "false");
    if (panel.contains(document.activeElement) || document.activeElement === document.body) button.focus();
    panel.remove();
  });
}

/** Let a button open a panel with what `fill` makes. */
export function opensPanel(button, label, fill) {
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    const panel = make("div", { class: "tc-panel", role: "dialog", "aria-label": label, tabindex: "-1" }, ...fill());
    open(panel, button);
    panel.focus();
  });
}

/** Let a button open a menu of `[label, act]`. */
export function opensMenu(button, label, options) {
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  const show = () => {
    const menu = make("div", { class: "tc-panel tc-menu", role: "menu", "aria-label": label });
    for (const [name, act] of options()) {
      const choose = () => {
        menu.hidePopover();
        button.focus();
        act();
      };
      menu.append(make("button", { type: "button", role: "menuitem", tabindex: "-1", onclick: choose }, name));
    }
    menu.addEventListener("keydown", (event) => moveInMenu(menu, event));
    open(menu, button);
    menu.firstElementChild.focus();
  };
  button.addEventListener("click", show);
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    show();
  });
}

function moveInMenu(menu, event) {
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement);
  const targets = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  if (event.key === "Tab") {
    menu.hidePopover();
  } else if (event.key in targets) {
    event.preventDefault();
    items[targets[event.key]].focus();
  } else if (event.key.length === 1 && event.key !== " ") {
    const starts = (item) => item.textContent.toLowerCase().startsWith(event.key.toLowerCase());
    [...items.slice(at + 1), ...items].find(starts)?.focus();
  }
}
