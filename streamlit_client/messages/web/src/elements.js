/** Makes elements of the page. */

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  done: "M5 12l5 5 9-10",
  more: "M4.5 12h1M11.5 12h1M18.5 12h1",
  earlier: "M15 6l-6 6 6 6",
  later: "M9 6l6 6-6 6",
  up: "M7 11l4-7c1.5 0 2 1 2 2v4h5.5c1 0 1.8 1 1.5 2l-1.5 6c-.2.6-.8 1-1.5 1H7zM3 11h4v9H3z",
  down: "M17 13l-4 7c-1.5 0-2-1-2-2v-4H5.5c-1 0-1.8-1-1.5-2l1.5-6c.2-.6.8-1 1.5-1H17zM21 13h-4V4h4z",
  latest: "M12 5v14M6 13l6 6 6-6",
  user: "M12 4a4 4 0 1 0 0 8 4 4 0 1 0 0-8zM4 20c1-4 4-5 8-5s7 1 8 5",
  assistant: "M4 5h16v11H9l-5 4z",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  show: "M2 12c3-5 6-7 10-7s7 2 10 7c-3 5-6 7-10 7s-7-2-10-7zM12 9a3 3 0 1 0 0 6 3 3 0 1 0 0-6z",
  tool: "M14 6a4 4 0 0 1 5-3l-3 3 2 2 3-3a4 4 0 0 1-5 5l-8 8a2 2 0 0 1-3-3z",
};

/** An element with properties (`class`, `on...` and attributes) and children; those that are null are left out. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", "aria-hidden": "true", class: "tc-icon" })) {
    svg.setAttribute(key, value);
  }
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button that shows an icon, and whose name is read aloud and shown below a mouse. */
export function iconButton(name, picture, onclick, properties = {}) {
  const all = { type: "button", class: "tc-button", "aria-label": name, title: name, onclick, ...properties };
  return make("button", all, icon(picture));
}
