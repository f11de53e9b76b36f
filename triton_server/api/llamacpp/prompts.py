"""Prompts and biases in llama.cpp's forms, whose texts are made tokens by the engine where that is needed."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request as HttpRequest

from model_core.errors import InvalidRequest
from model_core.requests.sampling import MAX_BIAS

from ...contract.sent_names import rename_error
from ..errors import unsupported
from ..request_body import MAX_ANSWERS

MAX_TEXTS = 128  # of a request that are made tokens one by one
# A text; token ids; or both, mixed.
Prompt = str | list[int] | list[int | str]
# A text, and whether it gets the tokens with which texts begin -> its tokens.
Encode = Callable[[str, bool], Awaitable[list[int]]]


def read_prompts(value: Any) -> list[Prompt]:
    """The prompts in the field `prompt`. Raises InvalidRequest or ApiError."""
    if not isinstance(value, list) or any(type(part) is int for part in value):
        return [_read_prompt(value)]
    if not value or len(value) > MAX_ANSWERS:
        raise InvalidRequest(f"prompt must hold 1 to {MAX_ANSWERS} prompts, not {len(value)}.", "prompt")
    return [_read_prompt(each) for each in value]


def _read_prompt(value: Any) -> Prompt:
    if isinstance(value, dict) and isinstance(value.get("prompt_string"), str):
        if value.get("multimodal_data"):
            raise unsupported(
                "prompt",
                "prompt has multimodal_data, but raw prompts are text; send images to /v1/chat/completions.",
            )
        return value["prompt_string"]
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(type(part) in (int, str) for part in value):
        return value
    raise InvalidRequest(
        "prompt must be a text, a list of token ids and texts, or a list of such prompts.", "prompt"
    )


def count_texts(prompt: Prompt) -> int:
    """How many texts of a prompt must be made tokens one by one."""
    return 0 if isinstance(prompt, str) else sum(isinstance(part, str) for part in prompt)


async def encode_mixed(prompt: Prompt, encode: Encode) -> str | list[int]:
    """A prompt as a text or as token ids. Only a text at its beginning gets a begin token."""
    if isinstance(prompt, str):
        return prompt
    ids: list[int] = []
    for number, part in enumerate(prompt):
        ids += [part] if isinstance(part, int) else await encode(part, number == 0)
    return ids


def read_biases(value: Any) -> list[tuple[int | str, float]]:
    """The pairs of a token, or a text, and its bias in the field `logit_bias`. Raises InvalidRequest."""
    wrong = InvalidRequest(
        "logit_bias must be an object, or a list of pairs: a token id or a text, and a number from "
        f"-{MAX_BIAS} to {MAX_BIAS} or false.",
        "logit_bias",
    )
    pairs: Any = list(value.items()) if isinstance(value, dict) else value
    if not isinstance(pairs, list):
        raise wrong
    biases: list[tuple[int | str, float]] = []
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise wrong
        token, bias = pair
        if bias is False:
            bias = -MAX_BIAS
        if type(bias) not in (int, float) or type(token) not in (int, str):
            raise wrong
        is_id = isinstance(value, dict) and token.removeprefix("-").isdecimal()
        biases.append((int(token[:20]) if is_id else token, float(bias)))
    return biases


async def encode_biases(biases: list[tuple[int | str, float]], encode: Encode) -> dict[int, float]:
    """The bias of each token. Of several for the same one, their sum counts, as in llama.cpp."""
    sums: dict[int, float] = {}
    for token, bias in biases:
        for token_id in [token] if isinstance(token, int) else await encode(token, False):
            sums[token_id] = sums.get(token_id, 0.0) + bias
    return sums


def encoder(http_request: HttpRequest, model: str | None, param: str) -> Encode:
    """Makes tokens of texts with a model's tokenizer. `param`: the field that has the texts, for errors."""
    client = http_request.app.state.triton_client

    async def encode(text: str, is_first: bool) -> list[int]:
        try:
            result = await client.tokenize(text, model=model, add_special_tokens=is_first)
        except InvalidRequest as error:
            raise rename_error(error, {"tokenize": param}) from None
        return result["token_ids"]

    return encode
