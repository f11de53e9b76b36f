"""A session of the page in which the next click comes at the worst moment."""

from streamlit.runtime.scriptrunner import RerunData, RerunException


class EndingSession(dict[str, object]):
    """Ends a callback at each value that it reads or sets, as Streamlit does for a click."""

    def to_dict(self) -> dict[str, object]:
        """All values at once, which is no place where a callback ends."""
        return dict(self)

    def end(self, *_: object) -> None:
        """What a click does."""
        raise RerunException(RerunData())

    __getitem__ = __setitem__ = __contains__ = __getattr__ = __setattr__ = get = end
