"""The chat page in Streamlit's own test harness, without a browser."""

from typing import Any

from paths import ROOT
from streamlit.testing.v1 import AppTest

TIMEOUT_S = 60
SCRIPT = ROOT / "streamlit_client" / "page.py"


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
    def questions(self) -> list[str]:
        """The questions that are shown."""
        return [message.text[0].value for message in self._messages("user") if message.text]

    @property
    def answers(self) -> list[str]:
        """The texts of the answers that are shown, as Markdown."""
        messages = self._messages("assistant")
        return ["\n".join(part.value for part in message.markdown) for message in messages]

    @property
    def captions(self) -> list[str]:
        """All captions."""
        return [caption.value for caption in self.app.caption]

    def _messages(self, name: str) -> list[Any]:
        return [message for message in self.app.chat_message if message.name == name]

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
