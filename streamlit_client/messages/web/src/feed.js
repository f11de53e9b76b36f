/** Hands what comes of a running answer to the list: JSON in an unseen place, which list_view.py draws. */

const PLACE = "st-key-messages-feed"; // its class
let isWatching = false;
let fed = ""; // what stood there last

/** Look at the place from now on. Each run of the page's script draws it anew. */
export function watchFeed() {
  if (isWatching) return;
  isWatching = true;
  const watched = { childList: true, characterData: true, subtree: true };
  new MutationObserver(read).observe(document.body, watched);
}

function read() {
  const text = document.getElementsByClassName(PLACE)[0]?.textContent;
  if (!text || text === fed) return;
  fed = text;
  const piece = JSON.parse(text);
  const known = window.tritonchatFed;
  const isSame = known?.chat === piece.chat && known.key === piece.key;
  window.tritonchatFed = {
    ...piece,
    start: 0,
    text: join(isSame ? known.text : "", piece.start, piece.text),
    reasoning: join(isSame ? known.reasoning : "", piece.reasoning_start, piece.reasoning),
  };
  window.dispatchEvent(new CustomEvent("tritonchat-feed", { detail: window.tritonchatFed }));
}

/** A text that goes on with another one from a place on. After a gap, what is known of it. */
function join(known, start, text) {
  return start > known.length ? known : known.slice(0, start) + text;
}
