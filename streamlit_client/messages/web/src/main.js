/**
 * The list of messages of the chat page, as a component of Streamlit.
 *
 * list_view.py draws it several times: once for the list itself, and unseen for each part of its turns.
 */

import { watchFeed } from "./feed.js";
import { MessageList } from "./list.js";
import { findTurns, keepPart } from "./parts.js";

const lists = new WeakMap(); // by the element that Streamlit gives
let draw = () => {}; // the list that was wanted last; its turns may come after it

export default function ({ data, parentElement, setTriggerValue }) {
  if (data.kind === "turns") {
    keepPart(data);
    return draw();
  }
  watchFeed();
  let list = lists.get(parentElement);
  if (!list) {
    list = new MessageList(parentElement);
    lists.set(parentElement, list);
  }
  draw = () => {
    const turns = findTurns(data);
    if (!turns) return;
    list.act = (key, name, value) => setTriggerValue("action", { chat: data.chat, key, name, value });
    list.update({ ...data, turns });
  };
  draw();
  return () => {
    // Streamlit also calls this for a drawing that another one has overtaken.
    if (parentElement.isConnected) return;
    list.destroy();
    lists.delete(parentElement);
  };
}
