"""What people read about parameters comes from the vocabulary."""

import pytest
from click.testing import CliRunner
from paths import ROOT

from model_core.requests.messages import PromptFields
from model_core.requests.sampling import SamplingFields
from triton_server.api.parameter_page import render_page
from triton_server.cli.tritonchat import cli
from triton_server.contract.parameters import describe_parameter, describe_type
from triton_server.options.flags import SAMPLING_FLAGS


def test_reference_page_is_current() -> None:
    page = ROOT / "docs" / "parameters.md"
    assert page.read_text() == render_page(), (
        "python -m triton_server.api.parameter_page > docs/parameters.md"
    )


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"anyOf": [{"type": "number", "minimum": 0, "maximum": 2}, {"type": "null"}]}, "number from 0 to 2"),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            "text or list of texts",
        ),
        ({"enum": ["auto", "none"], "type": "string"}, "auto or none"),
        ({"anyOf": [{"const": "auto"}, {"$ref": "#/$defs/ToolName"}]}, "auto or object"),
    ],
)
def test_types_are_described_in_words(schema: dict, words: str) -> None:
    assert describe_type(schema) == words


def test_description_has_type_range_and_meaning() -> None:
    assert describe_parameter("presence_penalty") == (
        "Number from -2 to 2. Subtract this from the logits of tokens that the answer has already."
    )


def test_help_of_chat_has_the_parameters_of_reasoning() -> None:
    text = " ".join(CliRunner().invoke(cli, ["chat", "--help"], terminal_width=200).output.split())
    for flag, name in (
        ("--think / --no-think", "enable_thinking"),
        ("--reasoning-budget", "reasoning_budget"),
    ):
        assert f"{flag} " in text
        assert PromptFields.model_fields[name].description in text


def test_help_of_complete_has_every_parameter() -> None:
    text = " ".join(CliRunner().invoke(cli, ["complete", "--help"], terminal_width=200).output.split())
    for name in SAMPLING_FLAGS:
        assert f"--{name.replace('_', '-')} " in text
        assert SamplingFields.model_fields[name].description in text
    assert {"logprobs", "logit_bias"}.isdisjoint(SAMPLING_FLAGS)


def test_flags_have_the_types_of_the_fields() -> None:
    flags = "--top-k 3 --min-p 0.5 --mirostat 2 --ignore-eos --stop a --stop b --stop-token-ids 5"
    given = cli.commands["complete"].make_context("complete", flags.split()).params
    expected = {
        "top_k": 3,
        "min_p": 0.5,
        "mirostat": 2,
        "ignore_eos": True,
        "stop": ("a", "b"),
        "stop_token_ids": (5,),
        "bad_words": (),
        "temperature": None,
    }
    assert {name: given[name] for name in expected} == expected
