"""Texts of others within Streamlit's Markdown show as they are."""

from html import unescape

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from streamlit_client.shared.markdown import escape


def test_escaped_text_has_no_markup() -> None:
    assert escape("my_model *v2* :red[x]\n# y") == r"my\_model \*v2\* \:red\[x\] \# y"


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(alphabet="!()[]<>`~\\\n \t#*_-|$:&;a1.\r/+=", max_size=60))
def test_escaped_text_is_one_paragraph(text: str) -> None:
    shown = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(f"x{escape(text)}x")
    assert unescape(shown) == f"<p>x{escape_spaces(text)}x</p>\n"


def escape_spaces(text: str) -> str:
    """The text on one line."""
    for space in "\t\r\n":
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text
