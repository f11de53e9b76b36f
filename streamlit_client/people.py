"""Who visits the page."""


def owner() -> str:
    """The name under which the visitor's conversations are kept; "" for everybody on this machine."""
    return ""
