/** How a turn looks: the question with its files, the answer as it comes, and what can be done with both. */

import { plainCode } from "./blocks.js";
import { highlight } from "./code.js";
import { copyButton } from "./copy.js";
import { drawEditor } from "./editor.js";
import { icon, iconButton, make } from "./elements.js";
import { opensMenu, opensPanel } from "./popups.js";
import { drawQuestion } from "./question.js";
import { TextView } from "./text_view.js";

const OPTIONS = {
  tokens: "Look at the tokens",
  edit: "Edit the question",
  again: "Answer again",
  again_with: "Answer again with ",
  back: "Go back to before this question",
  receipt: "Reproducible: copy receipt",
};
const LINE = "[data-testid=stChatInputTextArea]"; // where a person writes
export const EARLIER = "Earlier branch";
export const LATER = "Later branch";
const THUMBS = { up: "Good answer", down: "Bad answer" };

export class TurnView {
  /** Draws into `element`. `act(name, value)` tells the page what a person has chosen. */
  constructor(element, act) {
    this.element = element;
    this.act = act;
    this.drawn = {}; // by the names of parts: what they were made of
    this.text = new TextView();
    this.text.element.dataset.testid = "stMarkdown";
    this.reasoning = null;
    this.isEditing = false;
    this.question = message("user");
    this.answer = message("assistant");
    this.places = {};
    for (const name of ["reasoning", "calls", "notes", "error", "sources", "foot"]) {
      this.places[name] = make("div", { class: `tc-${name}` });
    }
    const { reasoning, ...others } = this.places;
    const content = this.answer.querySelector(".tc-content");
    content.append(reasoning, this.text.element, ...Object.values(others));
    element.append(this.answer);
  }

  /** Show a turn. Only the parts are drawn that have changed. */
  update(turn) {
    this.turn = turn;
    if (!turn.shows_answer) this.answer.remove();
    this.draw("question", turn.question, () => this.drawQuestion());
    this.drawAnswer();
    this.draw("calls", turn.calls, (calls) => calls.map(drawCall));
    this.draw("sources", turn.sources, drawSources);
    this.draw("foot", this.describeFoot(), () => this.drawFoot());
  }

  /** What the line below an answer is made of. */
  describeFoot() {
    const { branches, thumb, actions, others, text, is_running: isRunning } = this.turn;
    return { branches, thumb, actions, others, isRunning, hasText: text !== "" };
  }

  /** Show what an answer is made of while it runs. */
  drawAnswer() {
    const { reasoning, reasoning_label: label, text, is_running: isRunning, notes, error } = this.turn;
    if (reasoning) this.drawReasoning(reasoning, label, isRunning && !text);
    else if (this.reasoning) this.removeReasoning();
    this.text.update(text, !isRunning);
    this.draw("notes", notes, (all) => all.map((note) => make("p", { class: "tc-note", dir: "auto" }, note)));
    this.draw("error", error, (words) => (words ? [make("p", { dir: "auto", role: "alert" }, words)] : []));
  }

  draw(name, data, makeParts) {
    const signature = JSON.stringify(data ?? null);
    if (this.drawn[name] === signature) return;
    this.drawn[name] = signature;
    const parts = makeParts(data);
    if (name !== "question") this.places[name].replaceChildren(...parts);
  }

  drawQuestion() {
    const { question } = this.turn;
    if (!question) {
      this.question.remove();
      return;
    }
    this.isEditing = false;
    this.question.querySelector(".tc-content").replaceChildren(...drawQuestion(question));
    if (!this.question.isConnected) this.element.prepend(this.question);
  }

  /** Reasoning is open until the answer begins, unless the person has opened or closed it. */
  drawReasoning(text, label, isOpen) {
    if (!this.reasoning) {
      const view = new TextView();
      const summary = make("summary", {});
      const details = make("details", { class: "tc-fold", "data-testid": "stExpander" }, summary, view.element);
      this.reasoning = { view, summary, details, isTouched: false };
      summary.addEventListener("click", () => {
        this.reasoning.isTouched = true;
        // What is folded is not drawn.
        if (!details.open) view.update(this.turn.reasoning, !this.turn.is_running);
      });
      this.places.reasoning.replaceChildren(details);
    }
    const { view, summary, details, isTouched } = this.reasoning;
    if (summary.textContent !== label) summary.textContent = label;
    if (!isTouched && details.open !== isOpen) details.open = isOpen;
    if (details.open) view.update(text, !this.turn.is_running || Boolean(this.turn.text));
  }

  removeReasoning() {
    this.reasoning = null;
    this.places.reasoning.replaceChildren();
  }

  drawFoot() {
    const { branches, thumb, actions, text, is_running: isRunning } = this.turn;
    const parts = [];
    if (text && !isRunning) parts.push(copyButton("Copy", () => this.turn.text.slice(this.turn.copy_from)));
    if (branches) parts.push(...this.drawBranches(branches));
    if (thumb !== null && thumb !== undefined) {
      for (const [value, name] of Object.entries(THUMBS)) {
        const choose = () => this.rate(this.turn.thumb === value ? "" : value);
        parts.push(iconButton(name, value, choose, { "aria-pressed": String(thumb === value), "data-thumb": value }));
      }
    }
    if (actions.length && !isRunning) {
      const button = iconButton("More", "more", () => {});
      opensMenu(button, "More", () => this.listOptions());
      parts.push(button);
    }
    return parts;
  }

  /** Show a rating at once. The page's next turns show whether it was kept. */
  rate(thumb) {
    this.turn = { ...this.turn, thumb };
    for (const button of this.places.foot.querySelectorAll("[data-thumb]")) {
      button.setAttribute("aria-pressed", String(button.dataset.thumb === thumb));
    }
    this.drawn.foot = JSON.stringify(this.describeFoot());
    this.act("thumb", thumb);
  }

  drawBranches({ place, count }) {
    const step = (name, picture, value, isPossible) =>
      iconButton(name, picture, () => this.act("branch", value), { disabled: !isPossible });
    return [
      step(EARLIER, "earlier", -1, place > 1),
      make("span", { class: "tc-note" }, `${place} of ${count}`),
      step(LATER, "later", 1, place < count),
    ];
  }

  listOptions() {
    const options = [];
    for (const name of this.turn.actions) {
      if (name === "again_with") {
        for (const model of this.turn.others) options.push([OPTIONS[name] + model, () => this.act(name, model)]);
      } else {
        options.push([OPTIONS[name], name === "edit" ? () => this.edit() : () => this.act(name, null)]);
      }
    }
    return options;
  }

  /** Show the question in a field. What is sent becomes a branch of its own. */
  edit() {
    if (!this.turn.question || this.isEditing) return;
    const content = this.question.querySelector(".tc-content");
    const leave = () => {
      this.isEditing = false;
      content.replaceChildren(...drawQuestion(this.turn.question));
      document.querySelector(LINE)?.focus();
    };
    const editor = drawEditor(this.turn.question.text, (text) => this.act("edit", text), leave);
    this.isEditing = true;
    content.firstElementChild.replaceWith(editor.element);
    editor.start();
  }
}

function message(role) {
  const name = `Chat message from ${role}`;
  return make(
    "div",
    { class: `tc-message tc-${role}`, "data-testid": "stChatMessage" },
    make("div", { class: "tc-avatar" }, icon(role)),
    make("div", { class: "tc-content", "data-testid": "stChatMessageContent", role: "group", "aria-label": name }),
  );
}

function drawCall({ name, arguments: given, result }) {
  let text = given;
  try {
    text = JSON.stringify(JSON.parse(given), null, 2);
  } catch {
    // It stays as the model has written it.
  }
  const card = make("div", { class: "tc-call" }, make("p", { class: "tc-call-name" }, icon("tool"), make("strong", {}, name)));
  card.append(plainCode(text, highlight(text, "json"), "json"));
  if (result !== null) card.append(make("p", { class: "tc-note" }, "Result"), plainCode(result, null));
  return card;
}

function drawSources(sources) {
  if (!sources.length) return [];
  const buttons = sources.map(({ number, label, title, text, is_cited: isCited }) => {
    const button = make("button", { type: "button", class: "tc-wide-button", dir: "auto" });
    button.append(`${number} ${label}`, isCited ? " · cited" : "");
    if (isCited) button.classList.add("tc-cited");
    opensPanel(button, title, () => [
      make("p", { class: "tc-note", dir: "auto" }, title),
      make("div", { class: "tc-plain", dir: "auto" }, text),
    ]);
    return button;
  });
  return [make("span", { class: "tc-note" }, "Sources"), ...buttons];
}
