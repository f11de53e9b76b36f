// The library that draws formulas: once for the page, and again in the frame in which diagrams are drawn.
import katex from "katex";

window.tritonchatKatex = katex;
