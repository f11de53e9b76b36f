// The library that draws diagrams, for the frame in which frames.js lets it run.
import mermaid from "mermaid";

window.mermaid = mermaid;
