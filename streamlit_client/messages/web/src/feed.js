/** Hands what comes of running answers to their lists: JSON in an unseen place, which list_view.py draws. */

const PLACE = "st-key-messages-feed"; // its class
let isWatching = false;
let fed = ""; // what stood there last
let pieces = new Map(); // by the conversations: what has come of the answer that runs there

/** Look at the place from now on. Each run of the page's script draws it anew. */
export function watchFeed() {
  if (isWatching) return;
  isWatching = true;
  const watched = { childList: true, characterData: true, subtree: true };
  new MutationObserver(read).observe(document.body, watched);
}

/** What has come of the answer that runs in a conversation, or that ran there last. */
export function findPiece(chat) {
  return pieces.get(chat);
}

function read() {
  const text = document.getElementsByClassName(PLACE)[0]?.textContent;
  if (!text || text === fed) return;
  fed = text;
  pieces = new Map(JSON.parse(text).map((piece) => [piece.chat, extend(pieces.get(piece.chat), piece)]));
  for (const piece of pieces.values()) {
    window.dispatchEvent(new CustomEvent("tritonchat-feed", { detail: piece }));
  }
}

function extend(known, piece) {
  const isSame = known?.key === piece.key;
  return {
    ...piece,
    start: 0,
    text: join(isSame ? known.text : "", piece.start, piece.text),
    reasoning: join(isSame ? known.reasoning : "", piece.reasoning_start, piece.reasoning),
  };
}

/** A text that goes on with another one from a place on. After a gap, what is known of it. */
function join(known, start, text) {
  return start > known.length ? known : known.slice(0, start) + text;
}
