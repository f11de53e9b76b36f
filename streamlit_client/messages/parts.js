// Puts the list of messages together from what list_view.py sends: the code, the turns, and the list itself.

const FEED = "st-key-messages-feed"; // the class of the place where a running answer comes
const turns = []; // by the number of a part: its digest, and the turns
let code = null; // a promise of the module that draws
let wanted = null; // the list that waits for its turns
let fed = ""; // what stood there last
let running = null; // all that has come of the running answer

function load(text) {
  code ??= import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  return draw();
}

/** Draw the list as soon as everything is there. */
async function draw() {
  if (!wanted || !code) return;
  const module = await code;
  if (!wanted?.data.parts.every((digest, number) => turns[number]?.digest === digest)) return;
  const { parentElement, data, setTriggerValue } = wanted;
  wanted = null;
  module.draw({
    parentElement,
    data: { ...data, turns: data.parts.flatMap((_, number) => turns[number].turns) },
    act: (name, key, value) => setTriggerValue("action", { chat: data.chat, key, name, value }),
  });
  if (running) module.feed(running); // it may be further than the list
}

/** Give the list what has come of a running answer. Each run of the script draws the place anew. */
async function feed() {
  const text = document.getElementsByClassName(FEED)[0]?.textContent;
  if (!text || text === fed || !code) return;
  fed = text;
  const piece = JSON.parse(text);
  const isSame = running?.chat === piece.chat && running.key === piece.key;
  const known = isSame ? running : { text: "", reasoning: "" };
  running = {
    ...piece,
    text: join(known.text, piece.start, piece.text),
    start: 0,
    reasoning: join(known.reasoning, piece.reasoning_start, piece.reasoning),
    reasoning_start: 0,
  };
  (await code).feed(piece);
}

/** A text that goes on with another one from a place on; after a gap, what is known of it. */
function join(known, start, text) {
  return start > known.length ? known : known.slice(0, start) + text;
}

let isWatching = false;
function watch() {
  if (isWatching) return;
  isWatching = true;
  new MutationObserver(feed).observe(document.body, { childList: true, characterData: true, subtree: true });
}

export default function (part) {
  watch();
  const { data } = part;
  if (data.kind === "code") return void load(data.code);
  if (data.kind === "turns") turns[data.number] = { digest: data.digest, turns: JSON.parse(data.turns) };
  else wanted = part;
  return void draw();
}
