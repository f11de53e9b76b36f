// Long texts that are pasted into the message line become files. pastes.py says what it is given.

const LINE = "[data-testid=stChatInputTextArea]";

/** Give the message line a file in the place of a long text. Streamlit shows it above the line. */
function attach(event, state) {
  const line = event.target;
  if (!line.matches?.(LINE) || event.clipboardData.files.length) return;
  const text = event.clipboardData.getData("text/plain");
  if (text.length <= state.limit) return;
  event.preventDefault();
  event.stopPropagation();
  state.count += 1;
  const files = new DataTransfer();
  files.items.add(new File([text], `Pasted text ${state.count}.txt`, { type: "text/plain" }));
  line.dispatchEvent(new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true }));
  window.tritonchatPage?.say("The text is long, so it was attached as a file.");
}

function install() {
  const state = { limit: Infinity, count: 0 };
  document.addEventListener("paste", (event) => attach(event, state), true);
  return state;
}

export default function ({ data }) {
  const state = (window.tritonchatPastes ??= install());
  state.limit = data.limit ?? Infinity;
  return () => {
    state.limit = Infinity; // lines of other pages take no files
  };
}
