"""The chat page in Streamlit's own test harness, without a browser."""

import json
from typing import Any

from paths import ROOT
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.testing.v1 import AppTest

from streamlit_client.messages.list_actions import LIST

TIMEOUT_S = 60
SCRIPT = ROOT / "streamlit_client" / "page.py"


def turns_of(app: AppTest, place: str) -> list[dict[str, Any]]:
    """The turns that the list in a place is given, which no harness can draw; none if there is no list."""
    sent = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    given = [each["turns"] for each in sent if each.get("list") == place and "turns" in each]
    # A long list has parts of JSON, a short one the turns themselves.
    parts = [json.loads(turns) if isinstance(turns, str) else turns for turns in given]
    return [turn for part in parts for turn in part]


class ChatPage:
    """A tab with the chat page. `TRITONCHAT_SERVER` must be set."""

    def __init__(self, conversation: str | None = None, **parameters: str) -> None:
        """Open the page; with the id of a conversation, that one. `parameters` are others of the address."""
        self.app = AppTest.from_file(SCRIPT, default_timeout=TIMEOUT_S)
        if conversation is not None:
            parameters["chat"] = conversation
        for name, value in parameters.items():
            self.app.query_params[name] = value
        self.run()

    def run(self) -> "ChatPage":
        """Run the script. It must not raise."""
        self.app.run()
        assert not self.app.exception, self.app.exception[0].value
        return self

    @property
    def id(self) -> str:
        """The id of the conversation in the address."""
        (value,) = [self.app.query_params["chat"]]
        return value if isinstance(value, str) else value[0]

    @property
    def turns(self) -> list[dict[str, Any]]:
        """The turns that the list of messages is given."""
        return turns_of(self.app, LIST)

    @property
    def questions(self) -> list[str]:
        """The questions that are shown."""
        return [turn["question"]["text"] for turn in self.turns if turn["question"]]

    @property
    def answers(self) -> list[str]:
        """The texts of the answers that are shown, as Markdown."""
        return [turn["text"] for turn in self.turns]

    @property
    def errors(self) -> list[str]:
        """The errors under the answers that are shown."""
        return [turn["error"] for turn in self.turns if turn["error"]]

    @property
    def notes(self) -> list[str]:
        """What stands under the answers that are shown."""
        return [note for turn in self.turns for note in turn["notes"]]

    @property
    def branches(self) -> list[str]:
        """Of the turns that have others beside them, which ones are shown, as "1 of 2"."""
        return ["{place} of {count}".format(**turn["branches"]) for turn in self.turns if turn["branches"]]

    @property
    def captions(self) -> list[str]:
        """All captions outside the list of messages."""
        return [caption.value for caption in self.app.caption]

    def ask(self, question: str, **files: bytes) -> "ChatPage":
        """Ask a question and wait for its answer. `files`: name, with _ for a dot -> content."""
        line = self.app.chat_input[0]
        for name, content in files.items():
            line.upload(name.replace("_", "."), content)
        line.set_value(question)
        return self.run()

    def click(self, label: str) -> "ChatPage":
        """Click the last button with a label."""
        [*_, button] = [button for button in self.app.button if button.label == label]
        button.click()
        return self.run()

    def has_button(self, label: str) -> bool:
        """Whether there is a button with a label."""
        return any(button.label == label for button in self.app.button)

    def act(self, turn: int, name: str, value: str | int | None = None) -> "ChatPage":
        """Do something in the list of messages, as the browser sends it."""
        (shown,) = [e.proto for e in self.app.get("bidi_component") if '"kind": "list"' in e.proto.json]
        chat = json.loads(shown.json)["chat"]
        states = self.app._tree.get_widget_states()
        action = {"chat": chat, "key": str(turn), "name": name, "value": value}
        events = [{"event": "action", "value": action}]
        states.widgets.add(id=_make_trigger_id(shown.id, "events"), json_trigger_value=json.dumps(events))
        self.app._run(states)
        assert not self.app.exception, self.app.exception[0].value
        return self

    def choose(self, key: str, option: str) -> "ChatPage":
        """Choose an option of a menu."""
        self.app.menu_button(key=key).click(option)
        return self.run()

    def change(self, kind: str, label: str, value: Any) -> "ChatPage":
        """Give the widget of a kind with a label a value."""
        (widget,) = [widget for widget in getattr(self.app, kind) if widget.label == label]
        widget.set_value(value)
        return self.run()

    def value(self, kind: str, label: str) -> Any:
        """The value of the widget of a kind with a label."""
        (widget,) = [widget for widget in getattr(self.app, kind) if widget.label == label]
        return widget.value
