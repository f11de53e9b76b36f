/** How a question looks: as it was typed, but code between fences as code, and a long one folded. */

import { plainCode } from "./blocks.js";
import { highlight } from "./code.js";
import { icon, make } from "./elements.js";
import { findFences } from "./markdown.js";

const MAX_SHOWN = 4000; // characters of a question, before it is folded
const MAX_LINES = 60;
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);/i;

/** The parts of a question: its text and its files. */
export function drawQuestion(question) {
  return [drawText(question.text), ...question.files.map(drawFile)];
}

function drawText(text) {
  const holder = make("div", { class: "tc-question" });
  const shown = fold(text);
  holder.append(...parts(shown));
  if (shown === text) return holder;
  const button = make("button", { type: "button", class: "tc-wide-button", "aria-expanded": "false" });
  const label = () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.textContent = isOpen ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`;
  };
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    holder.replaceChildren(...parts(isOpen ? shown : text), button);
    label();
    button.focus();
  });
  label();
  holder.append(button);
  return holder;
}

/** The beginning of a long text, as whole lines if they are short; a short text as it is. */
function fold(text) {
  const lines = text.split("\n");
  if (text.length <= MAX_SHOWN && lines.length <= MAX_LINES) return text;
  const beginning = text.slice(0, MAX_SHOWN / 4).split("\n").slice(0, MAX_LINES / 4);
  return `${beginning.join("\n").trimEnd()} …`;
}

function parts(source) {
  const text = source.replace(/\r\n?/g, "\n");
  const lines = text.split("\n");
  const found = [];
  let place = 0;
  for (const { lines: [begin, end], language, content } of findFences(text)) {
    found.push(plain(lines.slice(place, begin)));
    const code = content.replace(/\n$/, "");
    found.push(plainCode(code, highlight(code, language), language));
    place = end;
  }
  found.push(plain(lines.slice(place)));
  return found.filter((part) => part);
}

/** Lines as paragraphs, each with the direction of its own text. */
function plain(lines) {
  const text = lines.join("\n").replace(/^\n+|\s+$/g, "");
  return text && make("div", { class: "tc-plain", dir: "auto" }, text);
}

function drawFile(file) {
  const label = [file.name, file.detail].filter(Boolean).join(" · ");
  if (file.image && DATA_IMAGE.test(file.image)) {
    const picture = make("img", { src: file.image, alt: file.name });
    return make("figure", { class: "tc-picture" }, picture, make("figcaption", { dir: "auto" }, label));
  }
  const details = make("details", { class: "tc-fold tc-file" }, make("summary", { dir: "auto" }, icon("file"), label));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(plainCode(file.text ?? "", null));
  });
  return details;
}
