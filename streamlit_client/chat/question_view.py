"""How a question looks: as it was typed, but code between fences as code, and a long paste folded."""

import re

import streamlit as st
from markdown_it import MarkdownIt

from streamlit_client.shared.conversation import Turn

_MAX_SHOWN, _MAX_LINES = 4000, 60  # of a question, before it is folded
_WHOLE_HEIGHT = 400  # pixels
_PARSER = MarkdownIt("commonmark").disable(["code", "html_block"])


def show_question(turn: Turn) -> None:
    """Show the question of a turn."""
    shown = fold(turn.question)
    for text, language in split_fences(shown):
        if language is None:
            st.text(text)
        else:
            st.code(text, language=language or None, wrap_lines=True)
    if shown != turn.question:
        # The whole is only in the page while a person looks at it: a browser takes long to draw it.
        key = f"whole-question-{turn.id}"
        if st.toggle(f"Show all {len(turn.question):,} characters", key=key):
            st.code(turn.question, language=None, wrap_lines=True, height=_WHOLE_HEIGHT)


def fold(text: str) -> str:
    """The beginning of a long text, as whole lines if they are short; a short text as it is."""
    if len(text) <= _MAX_SHOWN and text.count("\n") < _MAX_LINES:
        return text
    beginning = "\n".join(text[: _MAX_SHOWN // 4].split("\n")[: _MAX_LINES // 4])
    return beginning.rstrip() + " …"


def split_fences(text: str) -> list[tuple[str, str | None]]:
    """The parts of a text: each with the language of a fence, "" if it names none; None for what is no code.

    Fences are those of CommonMark that are in no list or quote.
    """
    text = re.sub(r"\r\n?", "\n", text)  # as the parser counts lines
    lines, place = text.split("\n"), 0
    parts: list[tuple[str, str | None]] = []
    for token in _PARSER.parse(text):
        if token.type == "fence" and token.level == 0 and token.map is not None:
            begin, end = token.map
            parts.append(("\n".join(lines[place:begin]), None))
            parts.append((token.content.removesuffix("\n"), (token.info.split() or [""])[0]))
            place = end
    parts.append(("\n".join(lines[place:]), None))
    return [part for part in parts if part[0].strip() or part[1] is not None] or [(text, None)]
