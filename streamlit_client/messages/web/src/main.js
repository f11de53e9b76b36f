/** The list of messages of the chat page, as a component of Streamlit. */

import { MessageList } from "./list.js";

const lists = new WeakMap(); // by the element that Streamlit gives

export default function ({ data, parentElement, setTriggerValue }) {
  let list = lists.get(parentElement);
  if (!list) {
    list = new MessageList(parentElement);
    lists.set(parentElement, list);
  }
  list.act = (key, name, value) => setTriggerValue("action", { key, name, value });
  list.update(data);
  return () => {
    // Streamlit also calls this for a drawing that another one has overtaken.
    if (parentElement.isConnected) return;
    list.destroy();
    lists.delete(parentElement);
  };
}
