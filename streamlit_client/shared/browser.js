// What the page does in the browser where Streamlit has no way to do it. browser.py says what it is given.

const PHONE = "(max-width: 768px)"; // where Streamlit lays the side bar over the page
const PATIENCE_MS = 30_000; // for an element that Streamlit is about to draw, on a busy machine
const LINE = "[data-testid=stChatInputTextArea]";
const READY = "Answer ready · "; // in front of the title of a tab that nobody sees
const ICON = "[data-testid=stIconMaterial]";
const SWITCHES = ":is([class*='st-key-open-'], .st-key-new-chat, .st-key-temporary-chat):has(button)";
const drafts = new Map(); // by the names of message lines
let shownLine = null;
let leaving = null; // the line of the conversation that a person is leaving, see `leaveLine`
const NAME = ".st-key-name-field input"; // of a conversation or a folder that is given another name
const namesBefore = new WeakMap(); // by their fields: what stood in them before a person wrote
const namesSelected = new WeakMap(); // by their fields: the name that was selected
const REPLACED_MS = 1000; // until an element that was replaced is there again
const CONNECTION_LOST =
  "The page does not answer. It may be starting again. This tab goes on by itself when it is back.";
let focused = null; // the element that has the focus, or had it until the page removed it

const find = (selector) => document.querySelector(selector);

/** Say something to a screen reader. */
function say(text) {
  let region = find("#tritonchat-said");
  if (!region) {
    region = document.createElement("div");
    region.id = "tritonchat-said";
    region.setAttribute("role", "status");
    document.body.append(region);
  }
  region.textContent = text;
}

/** Let the title of a tab that nobody sees say that an answer has ended. Streamlit sets it in each run. */
function markTitle(state) {
  if (state.isReady && !document.title.startsWith(READY)) document.title = READY + document.title;
}

/** A person sees the tab again. */
function unmarkTitle(state) {
  if (document.hidden) return;
  state.isReady = false;
  if (document.title.startsWith(READY)) document.title = document.title.slice(READY.length);
}

/** Close the side bar of a phone when something was chosen in it. */
function closeSideBar(event) {
  const chosen = event.target.closest?.(
    "[data-testid=stSidebar] :is([class*='st-key-open-'] button, [class*='-chat'] button, a[href])",
  );
  if (!chosen || !matchMedia(PHONE).matches) return;
  // After Streamlit has seen the click.
  setTimeout(() => find("[data-testid=stSidebarCollapseButton] button")?.click(), 0);
}

/** Move the focus to an element as soon as it is there and may be used; again if Streamlit draws another one. */
function focus(selector) {
  const end = performance.now() + PATIENCE_MS;
  let reached = null;
  const attempt = () => {
    const isLeft = reached && (reached.isConnected || document.activeElement !== document.body);
    if (isLeft && document.activeElement !== reached) return; // a person has chosen something else
    const element = [...document.querySelectorAll(selector)].pop();
    if (element && element !== reached && !element.disabled && !element.closest("[data-stale=true]")) {
      element.focus();
      if (element.matches(NAME)) selectName(element);
      if (document.activeElement === element) reached = element;
    }
    if (performance.now() < end) setTimeout(attempt, 50);
  };
  attempt();
}

/** On a phone, the focus would open one. A machine without a mouse has one. */
function hasKeyboard() {
  return !matchMedia("(pointer: coarse)").matches;
}

/** Remember what has the focus, but not what a person has left. */
function rememberFocus({ type, target }) {
  if (type === "focusin") focused = { element: target, place: target.closest("[class*='st-key-']") };
  else setTimeout(() => !isGone(target) && target === focused?.element && (focused = null), 0);
}

function isGone(element) {
  return !element.isConnected || element.disabled;
}

/**
 * The page has removed what had the focus. It goes to what stands in its place, or to the message line; else the
 * next key would begin at the top of the page.
 */
function keepFocus() {
  if (!focused || document.activeElement !== document.body || !isGone(focused.element)) return;
  const key = focused.place?.className.match(/st-key-[\w-]+/)?.[0];
  focused = null;
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    const same = key ? document.querySelectorAll(`.${key} :is(button, input, textarea, summary):enabled`) : [];
    if (same.length === 1) same[0].focus();
    else if (hasKeyboard()) find(LINE)?.focus();
  }, REPLACED_MS);
}

/** Let typing replace a name. Streamlit may give the field its name after it has drawn it. */
function selectName(field) {
  if (namesBefore.has(field) || namesSelected.get(field) === field.value) return;
  namesSelected.set(field, field.value);
  field.select();
}

/**
 * Leave the field of a name by Escape, or unchanged by Enter or a click elsewhere. Streamlit tells the page of
 * changes alone.
 */
function leaveName({ type, target, key, relatedTarget }) {
  if (!target.matches?.(NAME)) return;
  if (type === "beforeinput") {
    if (!namesBefore.has(target)) namesBefore.set(target, target.value);
    return;
  }
  if (type === "keydown") selectName(target);
  const before = namesBefore.get(target) ?? target.value;
  if (key === "Escape") write(target, before);
  const isLeft = type === "focusout" && document.hasFocus() && !relatedTarget?.closest(".st-key-name-field");
  if (target.value === before && (isLeft || key === "Enter" || key === "Escape")) {
    find(".st-key-leave-name button")?.click();
  }
}

function isWriting() {
  const active = document.activeElement;
  return active?.matches("input, textarea, [contenteditable=true]") ?? false;
}

/** Ctrl+K goes to the search, ? shows the list of keys. Streamlit has the other ones. */
function pressKey(event) {
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === "k") {
    const search = ".st-key-search input";
    if (!find(search)) return;
    event.preventDefault();
    if (find("[data-testid=stSidebar]")?.dataset.collapsed === "true") {
      find("[data-testid=stExpandSidebarButton]")?.click();
    }
    focus(search);
  } else if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toUpperCase() === "O") {
    leaveLine(find(".st-key-new-chat"));
  } else if (event.key === "?" && !isWriting()) {
    find(".st-key-shortcuts button")?.click();
  }
}

/** The name of the message line of the conversation that is shown: Streamlit makes a class of its key. */
function nameLine(line) {
  return line.closest("[class*='st-key-question-']")?.className.match(/st-key-question-\w+/)?.[0];
}

/** Keep what is written in the message line, after Streamlit has seen the event, which may have sent it. */
function rememberDraft() {
  setTimeout(() => {
    const line = find(LINE);
    if (line && line === shownLine) drafts.set(nameLine(line), line.value);
  }, 100);
}

/** Write the draft of a conversation into its line, which is another one for each conversation. */
function restoreDraft() {
  const line = find(LINE);
  if (!line || line === shownLine) return;
  shownLine = line;
  const draft = drafts.get(nameLine(line));
  if (!draft || line.value) return;
  write(line, draft);
}

function write(line, text) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(line), "value").set.call(line, text);
  line.dispatchEvent(new Event("input", { bubbles: true })); // React keeps the value that an event tells
}

/**
 * A person goes to another conversation, which gets a line of its own in a moment. What is written until then
 * is for that line; an Enter in the old one would be lost, or ask in the old conversation.
 */
function leaveLine(place) {
  const line = find(LINE);
  if (!line || !place) return; // a page that is not drawn yet
  const opened = place.className.match(/st-key-open-(\w+)/)?.[1];
  const shown = new URLSearchParams(location.search).get("chat");
  const stays = opened ? opened === shown : !find("[data-testid=stChatMessage]"); // a new one is used again
  if (stays || leaving?.line === line) return;
  if (leaving) clearInterval(leaving.timer);
  const timer = setInterval(reachLine, 20);
  leaving = { line, name: nameLine(line), text: line.value, end: performance.now() + PATIENCE_MS, timer };
  if (hasKeyboard()) line.focus();
}

function isRunning() {
  return find("[data-testid=stApp]")?.dataset.testScriptState === "running";
}

/**
 * Bring what was written meanwhile to the new line: as soon as it is there, before the browser handles the next
 * key. If none comes, it stays where it is, and is not sent.
 */
function reachLine() {
  if (!leaving) return;
  const { line, name, text } = leaving;
  if (line.isConnected) leaving.isFocused = document.activeElement === line;
  const next = [...document.querySelectorAll(LINE)].find((each) => each !== line);
  if (isRunning()) leaving.end = performance.now() + PATIENCE_MS;
  if (!next && performance.now() < leaving.end) return;
  const { isFocused, isSent, timer } = leaving;
  clearInterval(timer);
  leaving = null;
  if (!next) return;
  restoreDraft();
  const written = line.value.startsWith(text) ? line.value.slice(text.length) : "";
  drafts.set(name, text);
  if (isFocused) next.focus();
  if (!written) return;
  write(next, next.value + written);
  const enter = { key: "Enter", code: "Enter", bubbles: true, cancelable: true };
  if (isSent) setTimeout(() => next.dispatchEvent(new KeyboardEvent("keydown", enter)), 50);
}

function holdEnter(event) {
  if (event.target !== leaving?.line || event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  leaving.isSent ||= !event.repeat; // the key may still be down that has pressed a button
}

/**
 * The names of icons are words of a font, which no screen reader should read aloud.
 * An element that has nothing but an icon keeps that name, which is better than none.
 */
function hideIcons() {
  for (const icon of document.querySelectorAll(`${ICON}:not([aria-hidden])`)) {
    const owner = icon.closest("button, a, [role=button], [role=radio]");
    if (owner && !owner.getAttribute("aria-label")) {
      const icons = [...owner.querySelectorAll(ICON)];
      const words = icons.reduce((text, each) => text.replace(each.textContent, ""), owner.textContent);
      if (!words.trim()) continue;
    }
    icon.setAttribute("aria-hidden", "true");
  }
}

/** Streamlit's words for a page that does not answer are for those who have written it. */
function explainLostConnection() {
  const heading = [...document.querySelectorAll("[role=dialog] > h2")].at(-1);
  if (heading?.textContent !== "Connection error" || heading.nextElementSibling?.matches(".tc-away")) return;
  const words = document.createElement("p");
  words.className = "tc-away"; // browser.css hides what follows: React would miss it
  words.textContent = CONNECTION_LOST;
  heading.after(words);
}

function install() {
  document.addEventListener("click", closeSideBar);
  document.addEventListener("click", (event) => {
    const place = event.target.closest?.(SWITCHES);
    if (place) leaveLine(place);
  });
  document.addEventListener("keydown", holdEnter, true);
  for (const kind of ["focusin", "focusout"]) document.addEventListener(kind, rememberFocus);
  for (const kind of ["beforeinput", "focusout", "keydown"]) document.addEventListener(kind, leaveName, true);
  document.addEventListener("keydown", pressKey);
  for (const kind of ["input", "keyup", "click"]) document.addEventListener(kind, rememberDraft, true);
  let isPlanned = false;
  new MutationObserver(() => {
    reachLine();
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      hideIcons();
      restoreDraft();
      keepFocus();
      explainLostConnection();
    });
  }).observe(document.body, { childList: true, subtree: true });
  hideIcons();
  restoreDraft();
  const state = { focused: null, said: null, isReady: false, say };
  document.addEventListener("visibilitychange", () => unmarkTitle(state));
  const watched = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => markTitle(state)).observe(document.head, watched);
  return state;
}

export default function ({ data }) {
  const state = (window.tritonchatPage ??= install());
  if (data.focus.number !== state.focused) {
    state.focused = data.focus.number;
    if (hasKeyboard() || data.focus.always) focus(data.focus.selector);
  }
  if (data.said.number !== state.said) {
    state.said = data.said.number;
    say(data.said.text);
    if (data.said.text && document.hidden) {
      state.isReady = true;
      markTitle(state);
    }
  }
}
