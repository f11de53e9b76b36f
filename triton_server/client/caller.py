"""For whom a program asks the server: what they may use, and who counts what they take."""

from collections.abc import Mapping
from contextvars import ContextVar


class Caller:
    """Somebody who may use all models, and whose tokens nobody counts."""

    async def check_model(self, name: str | None) -> None:
        """Check that the model called `name` may be used; None: the first one. Raises TritonchatError."""

    async def may_use(self, name: str) -> bool:
        """Whether the model of this name may be used."""
        return True

    def check_all_models(self) -> None:
        """Check that what all models share may be changed. Raises TritonchatError."""

    def count_tokens(self, counts: Mapping[str, int]) -> None:
        """Count what an answer has taken, by the names of `usage`."""


# That of the running task, which AsyncChatClient asks before it sends anything. Tasks inherit it.
CALLER: ContextVar[Caller] = ContextVar("CALLER", default=Caller())  # noqa: B039 - it has no state
