"""The input of a batch: JSON Lines, a request in each (https://platform.openai.com/docs/guides/batch)."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from model_core.checks.request_values import shorten

from ...system.body_encoding import BodyLimit

Endpoint = Literal["/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/responses"]
ENDPOINTS: tuple[str, ...] = get_args(Endpoint)
MAX_LINES = 50_000  # as OpenAI has it
_MAX_PROBLEMS = 100  # that are named
_MAX_SHOWN = 100  # characters of a custom_id in a message


class BatchLine(BaseModel):
    """A request of a batch. `custom_id` is the client's name for it."""

    model_config = ConfigDict(strict=True, extra="forbid")

    custom_id: Annotated[str, Field(min_length=1, max_length=512)]
    method: Literal["POST"]
    url: Endpoint
    body: dict[str, Any]

    def count_answers(self) -> int:
        """About how many answers it asks for; what is wrong in it is found when it is answered."""
        prompt, n = self.body.get("prompt"), self.body.get("n")
        is_many = isinstance(prompt, list) and prompt and not isinstance(prompt[0], int)
        prompts = len(prompt) if isinstance(prompt, list) and is_many else 1
        return max(1, prompts * (n if isinstance(n, int) else 1))


@dataclass(frozen=True)
class Problem:
    """What is wrong with a line, in the form of OpenAI's `errors.data`. `line` counts from 1."""

    code: str
    message: str
    param: str | None
    line: int | None

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return asdict(self)


class WrongLine(Exception):
    """A line is no request. `problem` says why."""

    def __init__(self, code: str, message: str, number: int, param: str | None = None) -> None:
        super().__init__(message)
        self.problem = Problem(code, message, param, number)


def read_lines(path: Path, max_bytes: int) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers from 1.

    `max_bytes`: of a line; 0: any number. A longer one comes with `max_bytes` + 1 of its bytes.
    """
    with path.open("rb") as file:
        number = 0
        while line := file.readline(max_bytes + 1 if max_bytes else -1):
            number += 1
            rest = line
            while max_bytes and len(rest) > max_bytes and not rest.endswith(b"\n"):
                rest = file.readline(max_bytes + 1)
            if line.strip():
                yield number, line


def parse_line(raw: bytes, number: int, limit: BodyLimit, endpoint: str | None = None) -> BatchLine:
    """The request in a line, for this endpoint (None: any). Raises WrongLine."""
    if limit.is_exceeded(raw):
        more = f", or {limit.image_bytes} bytes of images (--max-body-images)" if limit.image_bytes else ""
        raise WrongLine(
            "line_too_large",
            f"line {number} has more than {limit.plain_bytes} bytes ({limit.flag}){more}.",
            number,
        )
    try:
        # bytes would be read in other encodings, too.
        line = BatchLine.model_validate(json.loads(raw.decode()))
    except ValidationError as error:
        (first, *_) = error.errors()
        param = ".".join(map(str, first["loc"])) or None
        message = f"line {number}: {param or 'the line'}: {_lower(first['msg'])}."
        raise WrongLine("invalid_request", message, number, param) from None
    except RecursionError:
        raise WrongLine("invalid_json_line", f"line {number} is nested too deep.", number) from None
    except ValueError as error:  # of JSON, of UTF-8, and of whole numbers with too many digits
        message = f"line {number} is not JSON in UTF-8: {_lower(str(error))}."
        raise WrongLine("invalid_json_line", message, number) from None
    if endpoint is not None and line.url != endpoint:
        message = f"line {number}: url is {line.url}, and the endpoint of the batch is {endpoint}."
        raise WrongLine("mismatched_endpoint", message, number, "url")
    return line


def check_lines(path: Path, limit: BodyLimit, endpoint: str | None = None) -> tuple[int, list[Problem]]:
    """The number of requests in a file, and what is wrong with it, the first problems only."""
    first_lines: dict[str, int] = {}  # by custom_id
    problems: list[Problem] = []
    for number, raw in read_lines(path, limit.total):
        if len(problems) >= _MAX_PROBLEMS:
            break
        try:
            custom_id = parse_line(raw, number, limit, endpoint).custom_id
            if custom_id in first_lines:
                other, name = first_lines[custom_id], shorten(custom_id[:_MAX_SHOWN])
                message = f"line {number} has the custom_id {name} of line {other}; each must be unique."
                raise WrongLine("duplicate_custom_id", message, number, "custom_id")
        except WrongLine as error:
            problems.append(error.problem)
            continue
        first_lines[custom_id] = number
        if len(first_lines) > MAX_LINES:
            message = f"the file has more than {MAX_LINES} requests; make several batches of it."
            return len(first_lines), [*problems, Problem("too_many_lines", message, None, number)]
    if not first_lines and not problems:
        problems.append(Problem("empty_file", "the file has no requests.", None, None))
    return len(first_lines), problems


def _lower(message: str) -> str:
    """A message of a library within a sentence."""
    return (message[:1].lower() + message[1:]).rstrip(".")
