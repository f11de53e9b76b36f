/**
 * Pages and diagrams that a model has written, in frames that can reach nothing.
 *
 * A frame has an origin of its own, so it sees neither the page nor its cookies. Its policy lets it load nothing.
 * A page could still go to another address; the frame around it has a policy, too, which forbids that.
 */

import { make } from "./elements.js";

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; " +
  "media-src data: blob:; font-src data:";
const HEAD = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
const LIBRARIES = ["katex.js", "mermaid.js"].map((name) => new URL(name, import.meta.url)); // in this order
const MAX_HEIGHT = 4000; // pixels

let libraries = null; // a promise of their sources

function escapeAttribute(text) {
  return text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
}

function frame(title) {
  return make("iframe", { class: "tc-frame", title, sandbox: "allow-scripts", referrerpolicy: "no-referrer" });
}

/** A frame with a page of HTML or SVG. */
export function showPage(html) {
  const inner = escapeAttribute(HEAD + html);
  const style = "<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>";
  const source = `${HEAD}${style}<iframe title="The page" sandbox="allow-scripts" srcdoc="${inner}"></iframe>`;
  const element = frame("The page of this code");
  element.srcdoc = source;
  return element;
}

/** A frame with the drawing of a Mermaid diagram. Its libraries come from the page's own server. */
export function drawMermaid(text) {
  // It gets a document once: a second one, given while the first one loads, may be lost.
  const element = frame("The diagram of this code");
  const isDark = getComputedStyle(document.documentElement).colorScheme.includes("dark");
  libraries ??= Promise.all(LIBRARIES.map(load));
  libraries.then(
    (sources) => {
      element.srcdoc = diagramPage(sources, text, isDark);
    },
    () => {
      libraries = null;
      element.srcdoc = `${HEAD}<p>The library that draws diagrams could not be loaded.</p>`;
    },
  );
  const receive = (event) => {
    if (!element.isConnected) window.removeEventListener("message", receive);
    if (event.source !== element.contentWindow || typeof event.data?.height !== "number") return;
    element.style.height = `${Math.min(MAX_HEIGHT, Math.max(40, event.data.height))}px`;
  };
  window.addEventListener("message", receive);
  return element;
}

async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} is not there`);
  return answer.text();
}

function diagramPage(sources, text, isDark) {
  const scripts = sources.map((source) => `<script>${source.replace(/<\/script/gi, "<\\/script")}</script>`);
  const input = JSON.stringify({ text, theme: isDark ? "dark" : "default" }).replace(/</g, "\\u003c");
  return `${HEAD}<style>body{margin:8px;font-family:sans-serif}svg{max-width:100%;height:auto}</style><div id="place"></div>
${scripts.join("\n")}
<script>
const input = ${input};
mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: input.theme, suppressErrorRendering: true });
mermaid.render("diagram", input.text).then(
  ({ svg }) => { place.innerHTML = svg; },
  (error) => { place.textContent = "This diagram cannot be drawn: " + error.message; },
).then(() => parent.postMessage({ height: document.documentElement.offsetHeight }, "*"));
</script>`;
}
