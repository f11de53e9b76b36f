/** Colours of code. */

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import haskell from "highlight.js/lib/languages/haskell";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import julia from "highlight.js/lib/languages/julia";
import kotlin from "highlight.js/lib/languages/kotlin";
import latex from "highlight.js/lib/languages/latex";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import matlab from "highlight.js/lib/languages/matlab";
import perl from "highlight.js/lib/languages/perl";
import php from "highlight.js/lib/languages/php";
import powershell from "highlight.js/lib/languages/powershell";
import protobuf from "highlight.js/lib/languages/protobuf";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scala from "highlight.js/lib/languages/scala";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = {
  bash, c, cpp, csharp, css, diff, dockerfile, go, haskell, ini, java, javascript, json, julia, kotlin, latex, lua,
  makefile, markdown, matlab, perl, php, powershell, protobuf, python, r, ruby, rust, scala, sql, swift, typescript,
  xml, yaml,
};
const PART = 2000; // characters, at least
const MAX_PART = 20_000;

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/**
 * The first part of a code, and whether it has ended, whatever follows it.
 *
 * A part ends with a line, and outside of all strings and comments, so that the colours of the next one do not
 * depend on it. A long code that grows is drawn by parts.
 */
export function cutPart(code, language) {
  const isKnown = Boolean(hljs.getLanguage(language));
  for (let length = PART; ; length += PART) {
    const end = code.indexOf("\n", length - 1) + 1;
    const isWhole = end > 0 && end < code.length;
    const text = isWhole ? code.slice(0, end) : code;
    const isColoured = isKnown && text.length <= MAX_PART;
    const result = isColoured ? hljs.highlight(text, { language, ignoreIllegals: true }) : null;
    if (isWhole && result?._top.parent && text.length < MAX_PART) {
      length = text.length;
      continue;
    }
    const html = result ? result.value : escape(text);
    return { length: text.length, html: `<span class="tc-part">${html}</span>`, isWhole };
  }
}

/** Code as HTML with the classes of its parts; without them if nobody knows the language. */
export function highlight(code, language) {
  let html = "";
  for (let place = 0; place < code.length; ) {
    const part = cutPart(code.slice(place), language);
    html += part.html;
    place += part.length;
  }
  return html;
}

function escape(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
