"""Progress bars for the client of the hub."""

from typing import Any

from tqdm import tqdm


class SilentBar(tqdm):
    """A bar that is not shown."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **(settings | {"disable": True}))


def forward_to(bar: tqdm) -> type[tqdm]:
    """A class of bars that are not shown, and that advance `bar`."""

    class Forwarder(SilentBar):
        def update(self, n: float | None = 1) -> None:
            bar.update(n)

    return Forwarder
