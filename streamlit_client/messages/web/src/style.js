/** The looks of the list, in the page once. The fonts of formulas come from the page's own server. */

import katex from "katex/dist/katex.min.css";
import messages from "./messages.css";

const FONTS = /url\(fonts\/([\w-]+\.woff2)\) format\("woff2"\)(?:,url\([^)]*\) format\("[^"]*"\))*/g;

export function addStyle() {
  if (document.getElementById("tritonchat-messages-style")) return;
  const style = document.createElement("style");
  style.id = "tritonchat-messages-style";
  const fonts = katex.replace(FONTS, (_, name) => `url(${new URL(`fonts/${name}`, import.meta.url)}) format("woff2")`);
  style.textContent = fonts + messages;
  document.head.append(style);
}
