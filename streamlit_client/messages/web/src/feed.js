// Hands what has come of a running answer to the list of messages (list.js).
export default function ({ data }) {
  window.tritonchatFed = data;
  window.dispatchEvent(new CustomEvent("tritonchat-feed", { detail: data }));
}
