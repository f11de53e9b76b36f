"""An answer that grows is drawn in parts, and looks as one text does."""

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_markdown import EXAMPLES, HOSTILE

from streamlit_client.shared import parts
from streamlit_client.shared.markdown import sanitize
from streamlit_client.shared.parts import Parts

texts = st.builds(
    str.join, st.sampled_from(["\n\n", "\n"]), st.lists(st.sampled_from(EXAMPLES + HOSTILE), max_size=6)
)


def shown(text: str, ends: list[int]) -> list[str]:
    """The parts of a text after it has come in pieces that have these ends."""
    growing, places = Parts(), {}
    for end in [*sorted(end for end in ends if end < len(text)), len(text)]:
        places |= growing.update(text[:end])
    return [places[number] for number in range(len(places))]


def structure(markdown: str) -> list[str]:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    return [token.type for token in parser.parse(markdown)]


@given(text=texts, ends=st.lists(st.integers(0, 500)))
@settings(max_examples=100)
def test_parts_depend_on_the_text_alone(text: str, ends: list[int]):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "MIN_PART", 15)
        whole = shown(text, [])
        assert shown(text, ends) == whole
    assert list(chain.from_iterable(map(structure, whole))) == structure(sanitize(text))


def test_only_the_last_part_is_drawn_again():
    paragraph = "Word " * 150 + "\n\n"
    growing = Parts()
    drawn = [[number for number, _ in growing.update(paragraph * count)] for count in range(1, 8)]
    assert drawn == [[0], [0], [0], [0, 1], [1], [1, 2], [2]]


def test_links_are_found_when_their_definition_comes():
    text = "See [there].\n\n" + "Word " * 300 + "\n\nMore\n\n"
    growing = Parts()
    assert dict(growing.update(text))[0].startswith("See \\[there\\]")
    assert dict(growing.update(text + "[there]: https://example.org\n"))[0].startswith("See [there](<https")
