/** Changes a part of the page into another one, and leaves alone what is the same in both. */

/** Make the children of `parent` from `old` on equal to those of `fresh`. */
export function morph(parent, old, fresh) {
  let at = old;
  for (const node of [...fresh.childNodes]) {
    if (!at) {
      parent.append(node);
      continue;
    }
    const next = at.nextSibling;
    if (!at.isEqualNode(node)) change(at, node);
    at = next;
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function change(old, node) {
  if (old.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) {
    if (node.data.startsWith(old.data)) old.appendData(node.data.slice(old.data.length));
    else old.data = node.data;
  } else if (old.nodeType === Node.ELEMENT_NODE && old.cloneNode(false).isEqualNode(node.cloneNode(false))) {
    morph(old, old.firstChild, node);
  } else {
    old.replaceWith(node);
  }
}
