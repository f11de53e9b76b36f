"""Flags of the command line, which the environment can set too."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from model_core.kv_cache import DTYPES
from model_core.loader import WEIGHTS

from .api.settings import Settings

Command = Callable[..., Any]
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class MemorySize(click.ParamType):
    """Bytes, or a number with a unit: 512MiB, 4G."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "")
        try:
            size = int(float(number) * _UNITS[unit])
        except (ValueError, OverflowError):
            size = 0
        if size <= 0:
            self.fail(f"{value!r} is not a size such as 512MiB or 4GiB.", param, ctx)
        return size


def option(flag: str, *names: str, **settings: Any) -> Callable[[Command], Command]:
    """A flag that the environment can set too: --max-context is TRITONCHAT_MAX_CONTEXT.

    `names` and `settings` are those of `click.option`.
    """
    variable = "TRITONCHAT_" + flag.removeprefix("--").replace("-", "_").upper()
    return click.option(
        flag, *names, **{"envvar": variable, "show_envvar": True, "show_default": True, **settings}
    )


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one, in the order in which --help shows them."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
PORT = click.IntRange(1, 65535)
model_options = options(
    option("--model", help="Folder in Hugging Face layout, or a name on the hub.  [default: embedded model]"),
    option("--weights", type=click.Choice(WEIGHTS), default="auto", help="auto: as stored; or rounded."),
    option("--threads", type=click.IntRange(1), help="Threads for the arithmetic.  [default: by model size]"),
    option(
        "--max-context",
        type=click.IntRange(2),
        help="Tokens of prompt and answer together.  [default: the model's]",
    ),
    option(
        "--kv-cache-dtype",
        type=click.Choice(DTYPES),
        default="float32",
        help="Keys and values in memory: float16 or int8 take half or a quarter, and are less exact.",
    ),
    option(
        "--speculate",
        type=click.IntRange(0, 64),
        default=0,
        help="Guess up to this many tokens ahead from the text so far; changes the speed, never the answer.",
    ),
)
port_options = options(
    option("--grpc-port", type=PORT, default=8001, help="Triton over gRPC."),
    option("--http-port", type=PORT, default=8000, help="Triton over HTTP."),
    option("--metrics-port", type=PORT, default=8002, help="Triton's counters for Prometheus."),
)
server_options = options(
    option(
        "--kv-cache-memory",
        type=MemorySize(),
        help="Memory for running conversations, such as 4GiB.  [default: a quarter of what is free]",
    ),
    option("--max-concurrency", type=click.IntRange(1), default=64, help="Requests computed together."),
    option("--max-queue", type=click.IntRange(0), default=256, help="Requests that may wait beyond those."),
    port_options,
)
host_option = option("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0: every one.")
page_option = option("--ui-port", type=PORT, default=8501, help="The page.")
api_port_option = option("--api-port", type=PORT, default=8080, help="The HTTP service: OpenAI's API, /docs.")
open_option = option(
    "--open-to-all",
    is_flag=True,
    help="Put Triton's ports and the page, which check no key, on --host too, and let the HTTP service "
    "run there without one.",
)
# Named as the fields of Settings.
api_options = options(
    api_port_option,
    option(
        "--api-key",
        "api_keys",
        multiple=True,
        help="A key that opens the HTTP service; may be repeated. In the environment (several: spaces "
        "between them) it stays out of the process list.",
    ),
    option("--api-key-file", type=FILE, help="More of them, one a line."),
    open_option,
    option("--tls-cert", type=FILE, help="Certificate for gRPC and the HTTP service, in PEM."),
    option("--tls-key", type=FILE, help="Its key."),
    option(
        "--cors-origin", "cors", multiple=True, help="Web pages of this origin may call the HTTP service."
    ),
    option(
        "--database",
        show_default="SQLite in the user's data folder",
        help="Of the sessions: sqlite:////folder/file.db, or postgresql://user:password@host/name, which "
        "needs the extra `postgresql`.",
    ),
    option(
        "--requests-per-minute",
        type=click.IntRange(0),
        default=Settings.requests_per_minute,
        help="Of one key, or of one address where there are no keys; 0: any number.",
    ),
    option(
        "--max-streams",
        type=click.IntRange(0),
        default=Settings.max_streams,
        help="Answers that the HTTP service gives at once; 0: any number.",
    ),
    option(
        "--max-answer-tokens",
        type=click.IntRange(0),
        default=Settings.max_answer_tokens,
        help="Tokens after which the HTTP service cuts an answer, whatever was asked for; 0: none.",
    ),
    option(
        "--max-messages",
        type=click.IntRange(0),
        default=Settings.max_messages,
        help="Messages of a conversation over HTTP; 0: any number.",
    ),
    option(
        "--max-body",
        "max_body_bytes",
        type=MemorySize(),
        default="4MiB",
        help="Size of a request over HTTP.",
    ),
    option(
        "--client-timeout",
        "client_timeout_s",
        type=click.FloatRange(0),
        default=Settings.client_timeout_s,
        help="Seconds after which a client that takes, or says, nothing is cut off; 0: never.",
    ),
    option("--log-content", is_flag=True, help="Write what is said over HTTP into the log."),
)
