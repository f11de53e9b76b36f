"""Flags of the command line. Environment variables can set them too."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from model_core.choices import ARITHMETIC, KV_CACHE_DTYPES, WEIGHTS
from model_core.sampling import MAX_TOKEN_COUNT, SamplingFields
from model_core.validation import find_range, value_type

from .api.settings import default_value
from .vocabulary import Request

Command = Callable[..., Any]
_TIME_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_MAX_SECONDS = 100 * 365 * 86400
_MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,38}")
_SIZE_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class MemorySize(click.ParamType):
    """Bytes, or a number with a unit: 512MiB, 4G."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip().lower().removesuffix("b").removesuffix("i")
        number, unit = (text[:-1], text[-1]) if text[-1:] in _SIZE_UNITS else (text, "")
        try:
            size = int(float(number) * _SIZE_UNITS[unit])
        except (ValueError, OverflowError):
            size = 0
        if size <= 0:
            self.fail(f"{value!r} is not a size such as 512MiB or 4GiB.", param, ctx)
        return size


class Duration(click.ParamType):
    """Seconds, or a number with a unit: 90s, 15m, 12h, 30d."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip().lower()
        number, unit = (text[:-1], text[-1]) if text[-1:] in _TIME_UNITS else (text, "s")
        try:
            seconds = float(number) * _TIME_UNITS[unit]
        except ValueError:
            seconds = -1
        if not 0 <= seconds < _MAX_SECONDS:
            self.fail(f"{value!r} is not a time such as 90s, 15m, 12h or 30d.", param, ctx)
        return seconds


class KeepAlive(Duration):
    """A duration, or -1, which is None: for ever."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | None:
        return None if str(value).strip() == "-1" else super().convert(value, param, ctx)


class NamedModel(click.ParamType):
    """PATH, or NAME=PATH: a pair of the name (None without) and the path."""

    name = "[NAME=]PATH"
    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str | None, str]:
        if isinstance(value, tuple):
            return value
        name, equals, path = value.partition("=")
        if not equals or "/" in name:  # a path may contain the sign
            return None, value
        if not _MODEL_NAME.fullmatch(name) or not path:
            self.fail(
                f"{value!r} is not NAME=PATH: a name has letters, digits, dots, - and _, at most 39.",
                param,
                ctx,
            )
        return name, path


class NamedAdapter(click.ParamType):
    """NAME=FOLDER: a pair of them."""

    name = "NAME=FOLDER"
    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, _, folder = value.partition("=")
        if not name or not folder:
            self.fail(f"{value!r} is not NAME=FOLDER.", param, ctx)
        return name, folder


def option(flag: str, *names: str, **attributes: Any) -> Callable[[Command], Command]:
    """Declare a flag that an environment variable can set too: --max-context is TRITONCHAT_MAX_CONTEXT.

    `names` and `attributes` are the parameters of `click.option`.
    """
    variable = "TRITONCHAT_" + flag.partition("/")[0].removeprefix("--").replace("-", "_").upper()
    return click.option(
        flag, *names, **{"envvar": variable, "show_envvar": True, "show_default": True, **attributes}
    )


def combine_options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Combine several options into one decorator. --help lists them in this order."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def parameter_option(name: str, flag: str = "") -> Callable[[Command], Command]:
    """Declare the flag of a request's parameter, with its type, range and description. None: not given."""
    field = Request.model_fields[name]
    kind, flag = value_type(field.annotation), flag or "--" + name.replace("_", "-")
    if get_origin(kind) is tuple:
        item = value_type(get_args(kind)[0])
        return click.option(flag, multiple=True, type=item, help=f"{field.description} It may be repeated.")
    if kind is bool:
        return option(flag, name, is_flag=True, default=None, help=field.description)
    if get_origin(kind) is Literal:
        return option(flag, name, type=click.Choice(get_args(kind)), help=field.description)
    # Limits that only guard against overflow would fill a line of --help.
    low, high = (None if abs(limit) >= MAX_TOKEN_COUNT else limit for limit in find_range(field))
    has_limit = low is not None or high is not None
    return option(flag, type=_RANGES[kind](low, high) if has_limit else kind, help=field.description)


def _has_flag(name: str) -> bool:
    kind = value_type(SamplingFields.model_fields[name].annotation)
    # A text on a terminal has no log probabilities.
    is_shown = not name.endswith("logprobs")
    return is_shown and (kind in (int, float, bool) or get_origin(kind) in (tuple, Literal))


FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
PORT = click.IntRange(1, 65535)
revision_option = option("--revision", help="Branch, tag or commit of a model on the hub.  [default: main]")
_MODEL = (
    "Folder in Hugging Face layout, .gguf file, or a name on the hub: owner/name, or owner/name:Q4_K_M for "
    ".gguf files of this quantization"
)
model_option = option("--model", help=f"{_MODEL}.  [default: embedded model]")
models_option = option(
    "--model",
    "models",
    multiple=True,
    type=NamedModel(),
    help=f"{_MODEL}; may be repeated. Requests name a model by its "
    "folder, or by NAME; the first one answers those that name none. Several models compute in turns, a step "
    "each with all threads. In the environment, commas separate them.  [default: embedded model]",
)
memory_options = combine_options(
    option(
        "--weights", type=click.Choice(WEIGHTS), default="auto", help="Type of the weights; auto: as stored."
    ),
    option(
        "--max-context",
        type=click.IntRange(2),
        help="Tokens of prompt and answer together.  [default: the model's]",
    ),
    option(
        "--kv-cache-dtype",
        type=click.Choice(KV_CACHE_DTYPES),
        default="float32",
        help="Keys and values in memory: float16 or int8 take half or a quarter, and are less exact.",
    ),
)
kv_memory_option = option(
    "--kv-cache-memory", type=MemorySize(), help="For keys and values.  [default: a quarter of free memory]"
)
model_options = combine_options(
    revision_option,
    memory_options,
    option(
        "--arithmetic",
        type=click.Choice(ARITHMETIC),
        default="int8",
        help="Activations that integer weights multiply: rounded to 8 bits; or as they are, more exact and "
        "slower. bfloat16: also round those that bfloat16 weights multiply, which needs AVX-512 BF16 or AMX "
        "(docs/speed.md).",
    ),
    option(
        "--portable",
        is_flag=True,
        help="Compute with float weights as on every x86 processor with AVX2, to the bit: not with AMX. With "
        "integer weights that is always so.",
    ),
    option("--threads", type=click.IntRange(1), help="Threads for the arithmetic.  [default: by model size]"),
    option(
        "--speculate",
        type=click.IntRange(0, 64),
        default=0,
        help="Draft up to this many tokens ahead from the text so far; changes the speed, never the answer. "
        "Models with recurrent layers do not draft, because their states cannot go back.",
    ),
    option(
        "--draft-model",
        help="A small model with the same vocabulary, as --model: it drafts tokens that the large one then "
        "checks; changes the speed, never the answer.",
    ),
)
_RANGES = {int: click.IntRange, float: click.FloatRange}
SAMPLING_FLAGS = list(filter(_has_flag, SamplingFields.model_fields))
sampling_options = combine_options(*map(parameter_option, SAMPLING_FLAGS))
port_options = combine_options(
    option("--grpc-port", type=PORT, default=8001, help="Triton over gRPC."),
    option(
        "--triton-http",
        is_flag=True,
        help="Let Triton answer over HTTP, too. Web pages in a browser can use this port.",
    ),
    option("--http-port", type=PORT, default=8000, help="Triton over HTTP, with --triton-http."),
    option("--metrics-port", type=PORT, default=8002, help="Triton's counters for Prometheus."),
)
server_options = combine_options(
    option(
        "--kv-cache-memory",
        type=MemorySize(),
        help="Memory for running conversations, such as 4GiB; several models get equal parts of it.  "
        "[default: a quarter of free memory]",
    ),
    option(
        "--keep-alive",
        "keep_alive_s",
        type=KeepAlive(),
        default="-1",
        help="Load each model when a request needs it, and unload it after this time without requests, such "
        "as 10m; 0: at once. -1: load all at the start, and keep them.",
    ),
    option(
        "--adapter",
        "adapters",
        multiple=True,
        type=NamedAdapter(),
        help="LoRA adapter of the (first) model: a folder in PEFT's layout. Requests name it as their model. "
        "It may be repeated. In the environment, commas separate them.",
    ),
    option(
        "--allow-adapter-loading",
        is_flag=True,
        help="Let clients load adapters from folders of this machine, and drop them: "
        "/v1/load_lora_adapter and /v1/unload_lora_adapter.",
    ),
    option(
        "--allow-saving-prompts",
        is_flag=True,
        help="Let clients save prompts, which all share and which outlast a restart, and delete them: "
        "/v1/prompts.",
    ),
    option(
        "--saved-prompts-disk",
        type=MemorySize(),
        default="4GiB",
        help="Maximum of the saved prompts of each model on disk; those that were not used for the longest "
        "time are deleted first.",
    ),
    option(
        "--prefix-cache-disk",
        type=MemorySize(),
        help="Keep cached prefixes of each model on disk, up to this size, when memory fills and at the end. "
        "Then conversations go on after a restart without computing their beginning.  [default: no]",
    ),
    option("--max-concurrency", type=click.IntRange(1), default=64, help="Requests computed together."),
    option(
        "--max-queue",
        type=click.IntRange(0),
        default=256,
        help="Requests that may wait while others are computed.",
    ),
    option(
        "--step-time",
        "step_time_s",
        type=click.FloatRange(0, min_open=True),
        default=0.15,
        help="Seconds that a step aims at while answers run. New prompts are computed in chunks that fit, so "
        "that running answers go on smoothly; with more, prompts are faster.",
    ),
    port_options,
)
host_option = option("--host", default="127.0.0.1", help="Address to listen on; 0.0.0.0: all addresses.")
page_option = option("--ui-port", type=PORT, default=8501, help="The page.")
login_option = option(
    "--login",
    type=FILE,
    help="Let people log in to the page, which then listens on --host: a file of Streamlit's secrets whose "
    "section [auth] names an OpenID Connect provider.",
)
api_port_option = option("--api-port", type=PORT, default=8080, help="The HTTP service: OpenAI's API, /docs.")
open_option = option(
    "--open-to-all",
    is_flag=True,
    help="Put Triton's ports and the page, which check no key, on --host too, and let the HTTP service "
    "run there without one.",
)
# The names are those of the fields of ServiceSettings.
api_options = combine_options(
    api_port_option,
    option(
        "--api-key",
        "api_keys",
        multiple=True,
        help="A key that opens the HTTP service; may be repeated. In the environment (several: spaces "
        "between them) it stays out of the process list.",
    ),
    option("--api-key-file", type=FILE, help="File with more keys, one per line."),
    open_option,
    option("--tls-cert", type=FILE, help="Certificate for gRPC and the HTTP service, in PEM."),
    option("--tls-key", type=FILE, help="The private key of --tls-cert, in PEM."),
    option(
        "--cors-origin",
        "cors_origins",
        multiple=True,
        help="Origin of web pages that may call the HTTP service.",
    ),
    option(
        "--database",
        show_default="SQLite in the user's data folder",
        help="Database of sessions and responses: sqlite:////folder/file.db, or "
        "postgresql://user:password@host/name. The latter needs the extra `postgresql`.",
    ),
    option(
        "--max-sessions",
        type=click.IntRange(0),
        default=default_value("max_sessions"),
        help="Maximum of sessions of one key, or of all clients if there are no keys, and likewise of stored "
        "responses; 0: any number.",
    ),
    option(
        "--max-session-bytes",
        type=MemorySize(),
        default="1GiB",
        help="Maximum size of these sessions together, and likewise of the responses.",
    ),
    option(
        "--session-expiry",
        "session_expiry_s",
        type=Duration(),
        default="0",
        help="Delete sessions that have not changed for this time, such as 30d or 12h; 0: never.",
    ),
    option(
        "--response-expiry",
        "response_expiry_s",
        type=Duration(),
        default="30d",
        help="Delete stored conversations of /v1/responses to which nothing was added for this time; 0: "
        "never.",
    ),
    option(
        "--requests-per-minute",
        type=click.IntRange(0),
        default=default_value("requests_per_minute"),
        help="Maximum of requests of one key, or of one address if there are no keys; 0: any number.",
    ),
    option(
        "--max-streams",
        type=click.IntRange(0),
        show_default="--max-concurrency and --max-queue together",
        help="Maximum of answers over HTTP at the same time; 0: any number. If there are several keys, each "
        "may use as many places as it leaves free.",
    ),
    option(
        "--max-streams-per-key",
        type=click.IntRange(0),
        default=default_value("max_streams_per_key"),
        help="The same for one key, or one address if there are no keys; 0: at most half of --max-streams.",
    ),
    option(
        "--max-answer-tokens",
        type=click.IntRange(0),
        default=default_value("max_answer_tokens"),
        help="Maximum of tokens in an answer over HTTP, whatever the request says; 0: any number.",
    ),
    option(
        "--max-messages",
        type=click.IntRange(0),
        default=default_value("max_messages"),
        help="Maximum of messages in a conversation over HTTP; 0: any number.",
    ),
    option(
        "--max-body",
        "max_body_bytes",
        type=MemorySize(),
        default="4MiB",
        help="Maximum size of a request over HTTP.",
    ),
    option(
        "--client-timeout",
        "client_timeout_s",
        type=click.FloatRange(0),
        default=default_value("client_timeout_s"),
        help="Seconds after which a client that neither reads nor sends is disconnected; 0: never.",
    ),
    option(
        "--vllm-metrics",
        is_flag=True,
        help="Let /metrics have vLLM's names, too, which dashboards and autoscalers for vLLM read.",
    ),
    option("--log-content", is_flag=True, help="Write the contents of HTTP requests and answers to the log."),
)
