/** What blocks of a text get besides their contents: buttons of code, sandboxed frames. */

import { copyButton } from "./copy.js";
import { iconButton, make } from "./elements.js";
import { drawMermaid, showPage } from "./frames.js";

const PAGES = new Set(["html", "svg"]);

/** Add the buttons to the blocks of code of a fragment. Returns the fragment. */
export function decorate(fragment) {
  for (const pre of fragment.querySelectorAll("pre")) {
    const language = pre.getAttribute("data-language") ?? "";
    const holder = codeBlock(pre, language);
    pre.replaceWith(holder);
    holder.append(pre);
  }
  return fragment;
}

/** A block of code that is made of a text that is no Markdown. */
export function plainCode(text, html, language = "") {
  const code = make("code");
  if (html === null) code.textContent = text;
  else code.innerHTML = html; // from highlight.js, which has escaped the text
  const pre = make("pre", {}, code);
  const holder = codeBlock(pre, language);
  holder.append(pre);
  return holder;
}

function codeBlock(pre, language) {
  pre.setAttribute("tabindex", "0"); // who has no mouse scrolls it by keys
  pre.setAttribute("dir", "ltr");
  const read = () => pre.textContent;
  const head = make("div", { class: "tc-code-head", "data-language": language || null });
  const holder = make("div", { class: "tc-code", "data-testid": "stCode", "data-language": language || null }, head);
  const kind = language.toLowerCase();
  if (kind === "mermaid") {
    head.append(frameButton("Draw the diagram", holder, () => drawMermaid(read())));
  } else if (PAGES.has(kind)) {
    head.append(frameButton("Show the page", holder, () => showPage(read())));
  }
  head.append(copyButton("Copy to clipboard", read));
  return holder;
}

/** A button that shows a frame below the code, and takes it away. */
function frameButton(name, holder, makeFrame) {
  const button = iconButton(
    name,
    "show",
    () => {
      const shown = holder.querySelector(":scope > .tc-frame");
      if (shown) {
        shown.remove();
      } else {
        const frame = makeFrame();
        holder.append(frame);
        frame.scrollIntoView({ block: "nearest" });
      }
      button.setAttribute("aria-expanded", String(!shown));
    },
    { "aria-expanded": "false" },
  );
  return button;
}
