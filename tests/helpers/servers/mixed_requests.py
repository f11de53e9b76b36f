"""Requests of many kinds: long and short, constrained, with tools, with an adapter, sampled and not."""

import random
from typing import Any

_WORDS = ("a cat", "a dog", "the moon", "rain and snow", "seven numbers", "a song", "for you", "about tea")


def make_mixed(number: int, adapter: str = "changed") -> tuple[str, dict[str, Any]]:
    """The path and the body of one of many kinds, always the same for a number. Some are equal.

    `adapter`: the name of the model for a third of them.
    """
    chance = random.Random(number)
    text = " ".join(chance.choices(_WORDS, k=chance.choice((2, 15, 150))))
    body: dict[str, Any] = {"max_tokens": chance.choice((1, 8, 40)), "receipt": "whole"}
    body |= {"temperature": chance.choice((0, 0.7, 1.3)), "seed": chance.choice((None, number % 7))}
    body |= chance.choice(({}, {"top_p": 0.8}, {"min_p": 0.1, "repetition_penalty": 1.2}, {"stop": ["."]}))
    body["model"] = chance.choice(("default", "default", adapter))
    if chance.random() < 0.3:
        return "/v1/completions", {**body, "prompt": text}
    body["messages"] = [{"role": "user", "content": text}]
    function = {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    kinds = (
        {},
        {},
        {"response_format": form},
        {"tools": [{"type": "function", "function": function}], "tool_choice": "required"},
        {"n": 2},
    )
    return "/v1/chat/completions", {**body, **chance.choice(kinds)}
