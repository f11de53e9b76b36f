"""The component that draws lists of messages, and what feeds them while answers run.

Streamlit sends all data of a component again when some of it has changed, but only a reference to a message
that the browser has. So the turns of a long list are some unseen components, of which those with a changed
turn are sent, and the list has their digests. `web/src/parts.js` puts them together.
"""

import functools
import hashlib
import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

from streamlit_client.messages.list_actions import LIST
from streamlit_client.messages.list_data import count_units, key_of
from streamlit_client.shared.conversation import Turn
from streamlit_client.shared.descriptions import describe_progress, describe_reasoning

# A person sees no difference to a shorter interval, and each redraw costs the browser time.
REDRAW_INTERVAL_S = 0.05
# But a browser that has just opened the page loads the code of what it draws. It does that last, so on a busy
# machine pieces at that interval would keep it from it for minutes.
_OPENING_INTERVAL_S, _OPENING_S = 0.5, 60.0
_OVERLAP_S = 1.0  # a text that the browser should have long ago is not sent again,
_WHOLE_S = 5.0  # but once in so many seconds, for a browser that was too slow for it
_PART_SIZE = 65_536  # characters of JSON, from which on the next turn begins another part

_FILES = Path(__file__).parent / "web" / "dist"
_NAME = "tritonchat.messages"  # of the component, and in the addresses of its files


def show_list(
    chat: str,
    turns: Sequence[dict[str, Any]],
    edit: tuple[int, int] | None = None,
    on_action: Callable[[], None] = lambda: None,
    place: str = LIST,
    label: str = "Conversation",
) -> None:
    """Show turns, see `describe_turn`.

    Args:
        chat: names the conversation, which no other list of the page shows. With another one the list begins
            anew, at its end.
        turns: the oldest first.
        edit: the id of a turn whose question is to be edited, and a number that no such wish has had before.
        on_action: called when a person has chosen something, see `read_action`.
        place: names the list in the page.
        label: what a screen reader calls the list.
    """
    parts = split_turns(turns)
    wish = None if edit is None else {"key": str(edit[0]), "number": edit[1]}
    shown: dict[str, Any] = {"kind": "list", "list": place, "chat": chat, "label": label, "edit": wish}
    component = _find_component()
    with st.container(key=f"parts-of-{place}"):
        if len(parts) < 2:
            shown["turns"] = list(turns)
        else:
            shown["digests"] = digests = [_digest(part) for part in parts]
            for number, (digest, part) in enumerate(zip(digests, parts, strict=True)):
                data = {"kind": "turns", "list": place, "number": number, "digest": digest, "turns": part}
                component(key=f"{place}-part-{number}", data=data)
    with st.container(key=f"list-of-{place}"):
        component(key=place, data=shown, on_action_change=on_action)


def _find_component() -> Any:
    """The component that draws the list, after telling the runtime where its files are.

    Streamlit serves them to browsers. As code within messages, 600 kB would go to the browser with each.
    """
    manager = get_bidi_component_manager()
    if manager.get_component_asset_root(_NAME) is None:
        package, _, component = _NAME.partition(".")
        folder = ComponentConfig(component, _FILES.name)
        manager.register_from_manifest(ComponentManifest(package, "", [folder]), _FILES.parent)
    return _make_component()


@functools.cache
def _make_component() -> Any:
    return st.components.v2.component(_NAME, js="messages.js", isolate_styles=False)


def split_turns(turns: Sequence[dict[str, Any]]) -> list[str]:
    """Turns as JSON lists of several. Where a list ends depends on the turns before it alone."""
    parts: list[list[str]] = []
    size = _PART_SIZE
    for turn in turns:
        text = json.dumps(turn, separators=(",", ":"))
        if size >= _PART_SIZE or len(text) >= _PART_SIZE:
            parts.append([])
            size = 0
        parts[-1].append(text)
        size += len(text)
    return [f"[{','.join(part)}]" for part in parts]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def follow(*feeds: "Feed", is_opening: bool = False) -> None:
    """Feed lists with running answers until one of them has ended. `is_opening`: in a tab's first run."""
    with st.container(key="messages-feed"):
        place = st.empty()
    has_ended, now = False, time.monotonic()
    opened = now + _OPENING_S if is_opening else now
    while not has_ended:
        interval = _OPENING_INTERVAL_S if now < opened else REDRAW_INTERVAL_S
        for feed in feeds:
            has_ended |= feed.turn.wait(interval / len(feeds))
        now = time.monotonic()
        # This call ends the run if the visitor has clicked or left; so it is made in every round.
        place.text(json.dumps([feed.describe(now) for feed in feeds]))


class Feed:
    """What a list needs of a running answer. Most of the text it has already.

    Streamlit sends only the newest of several pieces that wait, so each has what came in the last second.
    """

    def __init__(self, chat: str, turn: Turn, say: Callable[[Turn], str] = describe_progress) -> None:
        """Feed the list that shows a conversation. `say`: what the answer is doing, in words."""
        self.turn, self._say = turn, say
        self._known = {"chat": chat, "key": key_of(turn)}
        self._sent: deque[tuple[float, int, int]] = deque(
            [(0.0, 0, 0)]
        )  # when, and the lengths in characters
        self._whole = -_WHOLE_S  # when it was sent as a whole

    def describe(self, now: float) -> dict[str, Any]:
        """A piece: the text from `start` on, as much of the reasoning, and the state. `now` in seconds."""
        text, reasoning = self.turn.shown_text, self.turn.reasoning
        if now - self._whole >= _WHOLE_S:
            self._whole, start, reasoning_start = now, 0, 0
        else:
            while len(self._sent) > 1 and self._sent[1][0] <= now - _OVERLAP_S:
                self._sent.popleft()
            _, start, reasoning_start = self._sent[0]
        self._sent.append((now, len(text), len(reasoning)))
        return {
            **self._known,
            "start": count_units(text[:start]),
            "text": text[start:],
            "reasoning_start": count_units(reasoning[:reasoning_start]),
            "reasoning": reasoning[reasoning_start:],
            "reasoning_label": describe_reasoning(self.turn) if reasoning else "",
            "note": self._say(self.turn),
        }
