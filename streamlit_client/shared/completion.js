// The list that opens in the message line behind a mark such as "#". completion.py says what it is given.

const LINE = "[data-testid=stChatInputTextArea]";
const LIST = "tritonchat-choices";
const MAX_SHOWN = 50;
const PATIENCE_MS = 4000; // for the line, which Streamlit may be about to draw
const HOLE = /\{\{[^{}\n]*\}\}/; // of a text, which a person fills
let entries = {}; // by marks
let shown = null; // the open list: its line, where its word begins, its entries, and which is chosen

/** Write a text into the line as if it were typed: React keeps the value that an event tells. */
function write(line, text, start, end) {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(line, text);
  line.dispatchEvent(new Event("input", { bubbles: true }));
  line.focus();
  line.setSelectionRange(start, end ?? start);
}

/** The word before the cursor, if it begins with a mark: where it begins, and what may be chosen for it. */
function findWord(line) {
  const before = line.value.slice(0, line.selectionStart);
  const word = before.match(/(?:^|\s)(\S+)$/)?.[1];
  const all = word && entries[word[0]];
  if (!all || (word[0] === "/" && word.length !== before.length)) return null;
  const begun = word.slice(1).toLowerCase();
  const found = all.filter((entry) => entry.name.toLowerCase().includes(begun)).slice(0, MAX_SHOWN);
  return found.length ? { line, start: before.length - word.length, mark: word[0], found, chosen: 0 } : null;
}

function close() {
  document.getElementById(LIST)?.remove();
  shown?.line.removeAttribute("aria-activedescendant");
  shown = null;
}

function draw() {
  let list = document.getElementById(LIST);
  if (!list) {
    list = document.createElement("ul");
    list.id = LIST;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Suggestions");
    list.addEventListener("mousedown", (event) => {
      event.preventDefault(); // or the line would lose the focus
      const item = event.target.closest("li");
      if (item) choose(Number(item.dataset.place));
    });
    document.body.append(list);
  }
  list.replaceChildren(
    ...shown.found.map((entry, place) => {
      const item = document.createElement("li");
      const about = document.createElement("small");
      item.id = `${LIST}-${place}`;
      item.dataset.place = place;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(place === shown.chosen));
      item.textContent = shown.mark + entry.name;
      about.textContent = entry.about;
      item.append(about);
      return item;
    }),
  );
  const box = shown.line.getBoundingClientRect();
  const theme = getComputedStyle(document.querySelector("[data-testid=stApp]") ?? document.body);
  Object.assign(list.style, {
    left: `${box.left}px`,
    bottom: `${innerHeight - box.top + 8}px`,
    width: `${Math.min(box.width, 480)}px`,
    background: theme.backgroundColor,
    color: theme.color,
  });
  list.children[shown.chosen].scrollIntoView({ block: "nearest" });
  shown.line.setAttribute("aria-autocomplete", "list");
  shown.line.setAttribute("aria-controls", LIST);
  shown.line.setAttribute("aria-activedescendant", `${LIST}-${shown.chosen}`);
}

function look(event) {
  const line = event.target;
  if (!line.matches?.(LINE)) return;
  const word = findWord(line);
  if (!word) return close();
  shown = word;
  draw();
}

/** Put an entry into the line. The first hole of its text is selected, so that typing fills it. */
function choose(place) {
  const { line, start, mark, found } = shown;
  const entry = found[place];
  const rest = line.value.slice(line.selectionStart);
  const put = entry.text ?? `${mark}${entry.name}${rest.startsWith(" ") ? "" : " "}`;
  const text = line.value.slice(0, start) + put + rest;
  close();
  write(line, text, start + put.length);
  close(); // what was written begins with a mark, too
  if (entry.text !== null) selectHole(line, 0);
}

/** Select the next hole of the line from a place on. Whether there is one. */
function selectHole(line, from) {
  const found = line.value.slice(from).match(HOLE);
  if (!found) return false;
  line.setSelectionRange(from + found.index, from + found.index + found[0].length);
  return true;
}

function press(event) {
  const line = event.target;
  if (!line.matches?.(LINE)) return;
  if (!shown) {
    const goesOn = event.key === "Tab" && !event.shiftKey && selectHole(line, line.selectionEnd);
    if (goesOn) event.preventDefault();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    shown.chosen = (shown.chosen + step + shown.found.length) % shown.found.length;
    draw();
  } else if (event.key === "Enter" || event.key === "Tab") {
    choose(shown.chosen);
  } else if (event.key === "Escape") {
    close();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation(); // or Enter would send, and Escape stop the answer
}

/** Write the beginning of a message into the line as soon as it is there. */
function begin(text) {
  const end = performance.now() + PATIENCE_MS;
  const attempt = () => {
    const line = document.querySelector(LINE);
    if (line && !line.disabled) {
      write(line, text, text.length);
      close();
      selectHole(line, 0);
    } else if (performance.now() < end) setTimeout(attempt, 50);
  };
  attempt();
}

function install() {
  document.addEventListener("input", look, true);
  document.addEventListener("keydown", press, true);
  document.addEventListener("focusout", close);
  return { begun: 0 };
}

export default function ({ data }) {
  const state = (window.tritonchatCompletion ??= install());
  entries = data.entries;
  if (data.begun.number !== state.begun) {
    state.begun = data.begun.number;
    if (data.begun.text) begin(data.begun.text);
  }
}
