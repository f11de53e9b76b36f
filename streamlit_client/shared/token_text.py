"""How the text of a token is shown."""


def show_text(text: str) -> str:
    """The text of a token with signs for white space, on one line."""
    return text.replace("\r", "␍").replace("\n", "⏎").replace("\t", "⇥").replace(" ", "␣")
