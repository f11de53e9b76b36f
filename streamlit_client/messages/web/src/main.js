/**
 * Lists of messages, as a component of Streamlit.
 *
 * list_view.py draws it once for each list of the page, and unseen for each part of the turns of a long one.
 */

import { watchFeed } from "./feed.js";
import { MessageList } from "./list.js";
import { findTurns, keepPart } from "./parts.js";

const lists = new WeakMap(); // by the element that Streamlit gives
const draws = new Map(); // by the names of lists: draws what was wanted last, whose turns may come after it

export default function ({ data, parentElement, setTriggerValue }) {
  if (data.kind === "turns") {
    keepPart(data);
    return draws.get(data.list)?.();
  }
  watchFeed();
  let list = lists.get(parentElement);
  if (!list) {
    list = new MessageList(parentElement);
    lists.set(parentElement, list);
  }
  const draw = () => {
    const turns = findTurns(data);
    if (!turns) return;
    list.act = (key, name, value) => setTriggerValue("action", { chat: data.chat, key, name, value });
    list.update({ ...data, turns });
  };
  draws.set(data.list, draw);
  draw();
  return () => {
    // Streamlit also calls this for a drawing that another one has overtaken.
    if (parentElement.isConnected) return;
    list.destroy();
    lists.delete(parentElement);
    if (draws.get(data.list) === draw) draws.delete(data.list);
  };
}
