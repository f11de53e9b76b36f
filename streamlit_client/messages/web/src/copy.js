/** Copies texts. */

import { icon, iconButton } from "./elements.js";

const SAID_FOR_MS = 2000;

/** Write a text to the clipboard. Pages without TLS have only the old way. */
async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("the browser does not allow it");
}

/** The live region belongs to the page (shared/browser.js). */
function say(text) {
  window.tritonchatPage?.say(text);
}

function show(button, name, picture) {
  button.replaceChildren(icon(picture));
  button.setAttribute("aria-label", name);
  button.title = name;
}

/** A button that copies what `read` gives when it is pressed. */
export function copyButton(name, read, properties = {}) {
  const button = iconButton(
    name,
    "copy",
    async () => {
      try {
        await copy(read());
      } catch {
        say("The browser does not allow this page to copy.");
        return;
      }
      say("Copied.");
      show(button, "Copied", "done");
      setTimeout(() => show(button, name, "copy"), SAID_FOR_MS);
    },
    properties,
  );
  return button;
}
