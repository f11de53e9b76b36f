"""An answer between others on one page: its reasoning and its text, as they come."""

from typing import Any

import streamlit as st

from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_reasoning
from streamlit_client.shared.parts import Parts


class MarkdownView:
    """The places of a text that grows. Only its last part is drawn again, see `Parts`."""

    def __init__(self, parent: Any) -> None:
        self._parts, self._drawn = Parts(), ""
        # The further parts have a container: where it stood for another text before, this clears it at once.
        self._places, self._further = [parent.empty()], parent.empty()

    def draw(self, text: str) -> int:
        """Draw what has changed; how many characters."""
        if text == self._drawn:
            return 0
        self._drawn, count = text, 0
        for number, markdown in self._parts.update(text):
            if number == 1 == len(self._places):
                self._further = self._further.container()
            if number == len(self._places):
                self._places.append(self._further.empty())
            self._places[number].markdown(markdown)
            count += len(markdown)
        return count


class AnswerView:
    """The places of an answer's parts: its reasoning and its text."""

    def __init__(self) -> None:
        self._reasoning, self._text = st.empty(), MarkdownView(st)
        self._label: str | None = None  # of the reasoning's expander
        self._open_reasoning: MarkdownView | None = None  # its inside

    def draw(self, turn: Turn) -> int:
        """Draw what has changed; how many characters. Reasoning is open until the answer begins."""
        count = 0
        if turn.reasoning:
            label = describe_reasoning(turn)
            if self._open_reasoning is None or label != self._label:
                self._label = label
                self._open_reasoning = MarkdownView(
                    self._reasoning.expander(label, expanded=not turn.has_answer)
                )
            count += self._open_reasoning.draw(turn.reasoning)
        return count + self._text.draw(turn.shown_text)
