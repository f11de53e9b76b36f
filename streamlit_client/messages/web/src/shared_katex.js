// What katex.js has set, for the files that are built without KaTeX.
export default window.tritonchatKatex;
