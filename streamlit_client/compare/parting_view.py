"""Shows where the two answers of a round part."""

import math

import streamlit as st

from model_core.errors import TritonchatError
from streamlit_client.chat.token_view import format_share
from streamlit_client.compare.comparison import Comparison
from streamlit_client.compare.parting import Mark, Parting, find_parting
from streamlit_client.shared.descriptions import describe_error
from streamlit_client.shared.server import get_client
from streamlit_client.shared.token_text import show_text

BUTTON = "Where they part"
PLACES = ("Left", "Right")
_MAX_COMMON = 1000  # characters of the common beginning

_CSS = """
.parting { font-family: var(--st-font); color: var(--st-text-color); line-height: 1.6; }
.parting p { margin: 0 0 0.5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.parting .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr));
  gap: 0.75rem; }
.parting .side { border-left: 3px solid var(--st-orange-color, #e8710a); padding-left: 0.6rem; min-width: 0; }
.parting h4 { margin: 0; font-size: 0.875rem; font-weight: 600; }
.parting mark { color: inherit; border-radius: 3px; padding: 1px 2px; font-weight: 600;
  background: color-mix(in srgb, var(--st-orange-color, #e8710a) 45%, transparent); }
.parting .words { font-size: 0.875rem; margin: 0; }
"""
# Texts of answers are set as text, never as HTML.
_JS = """
export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".parting");
  const make = (name, text, kind) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const sides = make("div", "", "sides");
  for (const side of data.sides) {
    const text = make("p", "");
    text.append(side.before, make("mark", side.mark), side.rest);
    const box = make("section", "", "side");
    box.setAttribute("aria-label", side.place);
    box.append(make("h4", side.place), text, make("p", side.words, "words"));
    sides.append(box);
  }
  root.replaceChildren(make("p", data.common, "common"), sides);
}
"""
_parting = st.components.v2.component(
    "tritonchat.parting",
    html='<div class="parting" role="group" aria-label="Where the answers part"></div>',
    css=_CSS,
    js=_JS,
)


def show_parting(comparison: Comparison, number: int) -> None:
    """Show where the answers of a round part, or a button for it: probabilities are computed when asked for.

    Nothing is shown before both have ended, or while the names of the sides are hidden, which probabilities
    might tell.
    """
    left, right = comparison.rounds[number]
    if not (comparison.has_names and left.text and right.text):
        return
    if not (left.finished.is_set() and right.finished.is_set()):
        return
    if left.text == right.text:
        st.caption("Both answers have the same text.")
        return
    found = comparison.partings.get(number)
    if found is None:
        place = st.empty()  # of the button, and then of what is computed
        if not place.button(BUTTON, icon=":material/alt_route:", type="tertiary", key=f"part-{number}"):
            return
        rounds, systems = comparison.rounds[: number + 1], [side.system for side in comparison.sides]
        try:
            with place, st.spinner("Computing the probabilities …"):
                found = comparison.partings[number] = find_parting(get_client(), rounds, systems)
        except TritonchatError as error:
            place.error(describe_error(error), icon=":material/error:")
            return
        place.empty()
    if left.reasoning != right.reasoning:
        st.caption("The reasoning of the two differs already. This is about the texts after it.")
    st.caption(describe_common(found))
    _parting(data=draw_parting(found), key=f"parting-{number}")


def describe_common(found: Parting) -> str:
    """How much two answers have in common."""
    if not found.tokens:
        common = "The answers part at their first token."
    elif found.tokens == 1:
        common = "The first token is the same."
    else:
        common = f"The first {found.tokens:,} tokens are the same."
    return f"{common} Probabilities are those of the models, before penalties, bias and temperature."


def draw_parting(found: Parting) -> dict[str, object]:
    """What the component draws."""
    common = found.common
    if len(common) > _MAX_COMMON:
        common = "…" + common[-_MAX_COMMON:]
    sides = [
        {
            "place": place,
            "before": mark.before,
            "mark": "the end" if mark.text is None else show_text(mark.text),
            "rest": mark.rest,
            "words": describe_mark(mark),
        }
        for place, mark in zip(PLACES, found.marks, strict=True)
    ]
    return {"common": common, "sides": sides}


def describe_mark(mark: Mark) -> str:
    """How likely both sides find the token, in words."""
    parts = []
    for place, seen in zip(PLACES, mark.seen, strict=True):
        if seen is None:
            continue
        text, probability = seen
        share = format_share(math.log(probability)) if probability else "below 0.1%"
        other = "" if text == mark.text else f" (of “{show_text(text)}”, as it reads the text)"
        parts.append(f"{place.lower()} {share}{other}")
    return f"Probability: {', '.join(parts)}" if parts else ""
