"""Progress bars for the client of the hub."""

import json
from typing import Any

from tqdm import tqdm


class SilentBar(tqdm):
    """A bar that is not shown."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **(settings | {"disable": True}))


class JsonBar(tqdm):
    """A bar for programs: lines of JSON with `status`, and `total` and `completed` in bytes."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        # The pace of other bars is that of a person or of a log.
        super().__init__(*arguments, **(settings | {"mininterval": 0.5}))

    def display(self, msg: str | None = None, pos: int | None = None) -> bool:
        """Write a line to standard output."""
        status = self.desc.removesuffix(": ")  # which set_description adds
        print(json.dumps({"status": status, "total": self.total, "completed": self.n}), flush=True)
        return True


def forward_to(bar: tqdm) -> type[tqdm]:
    """A class of bars that are not shown, and that advance `bar`."""

    class Forwarder(SilentBar):
        def update(self, n: float | None = 1) -> None:
            bar.update(n)

    return Forwarder
