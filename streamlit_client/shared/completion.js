// The list that opens in the message line behind a mark such as "#". completion.py says what it is given.

const LINE = "[data-testid=stChatInputTextArea]";
const LIST = "tritonchat-choices";
const FORM = "tritonchat-variables";
const MAX_SHOWN = 50;
const PATIENCE_MS = 8000; // for the line, which Streamlit may be about to draw
const VARIABLE = /\{\{([^{}\n]+)\}\}/g; // of a text, which a person fills
let entries = {}; // by marks
let shown = null; // the open list: its line, where its word begins, its entries, and which is chosen

/** Write a text into the line as if it were typed: React keeps the value that an event tells. */
function write(line, text, cursor) {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(line, text);
  line.dispatchEvent(new Event("input", { bubbles: true }));
  line.focus();
  line.setSelectionRange(cursor, cursor);
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

/** Lay a box above the line, in the colours of the page. */
function lay(box, line) {
  const place = line.getBoundingClientRect();
  const theme = getComputedStyle(document.querySelector("[data-testid=stApp]") ?? document.body);
  Object.assign(box.style, {
    left: `${place.left}px`,
    bottom: `${innerHeight - place.top + 8}px`,
    width: `${Math.min(place.width, 480)}px`,
    background: theme.backgroundColor,
    color: theme.color,
  });
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
  lay(list, shown.line);
  list.children[shown.chosen].scrollIntoView({ block: "nearest" });
  shown.line.setAttribute("aria-autocomplete", "list");
  shown.line.setAttribute("aria-controls", LIST);
  shown.line.setAttribute("aria-activedescendant", `${LIST}-${shown.chosen}`);
}

function look(event) {
  const line = event.target;
  if (!line.matches?.(LINE)) return;
  closeForm(); // the line goes on without it
  const word = findWord(line);
  if (!word) return close();
  shown = word;
  draw();
}

/** Put an entry into the line, after its variables were asked for. */
function choose(place) {
  const { line, start, mark, found } = shown;
  const entry = found[place];
  const before = line.value.slice(0, start);
  const rest = line.value.slice(line.selectionStart);
  close();
  const put = (text) => {
    write(line, before + text + rest, before.length + text.length);
    close(); // what was written may begin with a mark, too
  };
  if (entry.text === null) put(`${mark}${entry.name}${rest.startsWith(" ") ? "" : " "}`);
  else fill(line, entry.text, put);
}

function closeForm() {
  document.getElementById(FORM)?.remove();
}

/** Ask for the variables of a text, each once, and give `put` the text with what was written for them. */
function fill(line, text, put) {
  closeForm();
  const names = [...new Set([...text.matchAll(VARIABLE)].map((found) => found[1].trim()))];
  if (!names.length) return put(text);
  const form = document.createElement("form");
  form.id = FORM;
  form.setAttribute("role", "dialog");
  form.setAttribute("aria-label", "Fill in the prompt");
  const fields = new Map();
  for (const name of names) {
    const label = document.createElement("label");
    const field = document.createElement("textarea");
    field.rows = 1;
    label.append(name, field);
    form.append(label);
    fields.set(name, field);
  }
  const button = document.createElement("button");
  button.textContent = "Insert";
  form.append(button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    closeForm();
    put(text.replace(VARIABLE, (_, name) => fields.get(name.trim()).value));
  });
  form.addEventListener("keydown", (event) => {
    event.stopPropagation(); // or Escape would stop the answer
    if (event.key === "Enter" && !event.shiftKey && event.target !== button) {
      event.preventDefault();
      form.requestSubmit();
    } else if (event.key === "Escape") {
      closeForm();
      line.focus();
    }
  });
  document.body.append(form);
  lay(form, line);
  fields.get(names[0]).focus();
}

function press(event) {
  const line = event.target;
  if (!line.matches?.(LINE) || !shown) return;
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
      fill(line, text, (filled) => write(line, filled, filled.length));
      close();
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
  const isNew = JSON.stringify(data.entries) !== JSON.stringify(entries);
  entries = data.entries;
  // What was written before they were there.
  if (isNew && document.activeElement?.matches(LINE)) look({ target: document.activeElement });
  if (data.begun.number !== state.begun) {
    state.begun = data.begun.number;
    if (data.begun.text) begin(data.begun.text);
  }
}
