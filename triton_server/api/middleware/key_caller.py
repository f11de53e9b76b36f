"""A client with a key of the database, as the connection to the server sees it."""

from collections.abc import Mapping

from fastapi import FastAPI

from ...client.caller import Caller
from ...contract.tensors import DEFAULT_MODEL
from ..errors import ApiError
from .metrics import metrics_of
from .stored_keys import StoredKeys


class KeyCaller(Caller):
    """The owner of a key, for whom a request runs: all that it asks of the server is checked and counted."""

    def __init__(
        self, app: FastAPI, keys: StoredKeys, owner: str, models: tuple[str, ...] | None = None
    ) -> None:
        """`models`: the names of those that the key may use; None: all."""
        self._app, self._keys, self._owner, self._models = app, keys, owner, models

    async def check_model(self, name: str | None) -> None:
        """See Caller. Raises ApiError: 403 if the key may not use the model, 404 if there is none."""
        if self._models is None:
            return
        model = await self._app.state.served_models.resolve(name or DEFAULT_MODEL)
        if model.name not in self._models:
            allowed = ", ".join(map(repr, self._models)) or "none"
            self._refuse(f"may not use the model {model.name!r}; it may use {allowed}.", "model")

    async def may_use(self, name: str) -> bool:
        """See Caller."""
        return self._models is None or name in self._models

    def check_all_models(self) -> None:
        """See Caller. Raises ApiError (403) if the key may use some models only."""
        if self._models is not None:
            self._refuse("may use some models only, so it cannot change what all keys use.")

    def count_tokens(self, counts: Mapping[str, int]) -> None:
        """See Caller."""
        used = counts.get("prompt_tokens", 0), counts.get("completion_tokens", 0)
        self._keys.count_tokens(self._owner, *used)

    def _refuse(self, reason: str, param: str | None = None) -> None:
        metrics_of(self._app).count_refusal("wrong_model")
        raise ApiError(403, f"the key of {self._owner} {reason}", code="model_not_allowed", param=param)
