/** Decides what may stand in the page. All HTML that is made of a text goes through `clean`. */

import DOMPurify from "dompurify";

const TAGS = [
  ..."p h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code hr br em strong s a img div table thead tbody tr".split(" "),
  ..."th td input span".split(" "),
  // What KaTeX draws.
  ..."math semantics annotation mrow mi mo mn ms mtext mspace mfrac msqrt mroot msub msup msubsup mover".split(" "),
  ..."munder munderover mtable mtr mtd mstyle mpadded mphantom menclose mlabeledtr mglyph svg path line".split(" "),
];
const ATTRIBUTES = [
  ..."href src alt title class style dir start type checked disabled tabindex role aria-label".split(" "),
  ..."aria-hidden data-language target rel".split(" "),
  // What KaTeX draws.
  ..."encoding display mathvariant mathcolor mathbackground mathsize scriptlevel displaystyle stretchy fence".split(" "),
  ..."separator accent accentunder lspace rspace minsize maxsize symmetric movablelimits largeop width".split(" "),
  ..."height depth voffset linethickness rowspacing columnspacing columnalign rowalign columnlines rowlines".split(" "),
  ..."notation xmlns viewBox preserveAspectRatio d x1 x2 y1 y2 stroke-width".split(" "),
];
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);/i;
const ADDRESS = /^(?:https?|mailto):/i;
const FIXED = /url|fixed|expression|@|\\/i; // a style that loads something, or leaves its place

const purifier = DOMPurify(window);
purifier.addHook("uponSanitizeAttribute", (node, attribute) => {
  if (attribute.attrName === "style" && FIXED.test(attribute.attrValue)) attribute.keepAttr = false;
  if (attribute.attrName === "src") attribute.keepAttr = DATA_IMAGE.test(attribute.attrValue);
  if (attribute.attrName === "href") attribute.keepAttr = ADDRESS.test(attribute.attrValue);
});
purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName === "A" && node.hasAttribute("href")) {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  }
});

/** HTML as a fragment without anything that runs, loads, or is not on the lists above. */
export function clean(html) {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
