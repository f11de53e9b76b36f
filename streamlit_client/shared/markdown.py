"""Texts that others have written, in Streamlit's Markdown. What models answer is drawn by `messages`."""

import re


def escape(text: str) -> str:
    """Markdown that shows the text unchanged, on one line."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", re.sub(r"[ \t\r\n\f\v]+", " ", text))
