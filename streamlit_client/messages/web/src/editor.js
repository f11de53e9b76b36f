/** The question in a field, in its own place. */

import { make } from "./elements.js";

/** A field with the text of a question. `send` gets the new one; `leave` is called when the field is done. */
export function drawEditor(text, send, leave) {
  const field = make("textarea", { class: "tc-editor", "aria-label": "Question", dir: "auto", rows: "1" });
  field.value = text;
  const finish = (isSent) => {
    if (isSent && !field.value.trim()) return;
    leave();
    if (isSent) send(field.value);
  };
  const grow = () => {
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  };
  field.addEventListener("input", grow);
  field.addEventListener("keydown", (event) => {
    event.stopPropagation(); // the page has shortcuts of its own
    if (event.isComposing) return;
    if (event.key === "Escape") finish(false);
    else if (event.key === "Enter" && !event.shiftKey) finish(true);
    else return;
    event.preventDefault();
  });
  const button = (name, isSent) =>
    make("button", { type: "button", class: "tc-wide-button", onclick: () => finish(isSent) }, name);
  const buttons = make("div", { class: "tc-row" }, button("Send", true), button("Cancel", false));
  const start = () => {
    grow();
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  };
  return { element: make("div", { class: "tc-editing" }, field, buttons), start };
}
