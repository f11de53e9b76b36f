"""Parts of a whole on the command line, such as 1%."""

from typing import Any

import click


class Percent(click.ParamType):
    """A part of a whole."""

    name = "percent"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The part as a number from 0 to 1."""
        try:
            share = float(str(value).removesuffix("%")) / 100
        except ValueError:
            share = -1.0
        if not (0 <= share <= 1 and str(value).endswith("%")):
            self.fail(f"{value} is no part of a whole; give one such as 1%.", param, ctx)
        return share
