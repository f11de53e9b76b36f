"""The table of commands, and what stands on it: both clients, and the page of documentation."""

import inspect
import subprocess
import sys
from typing import Any

import pytest
from paths import ROOT

from model_core.errors import InvalidRequest
from model_core.requests.messages import ImageUrlPart
from triton_server.client import AsyncChatClient, ChatClient
from triton_server.contract.commands import COMMANDS, TokenizeChat, parse_command

# The names of the methods that are not those of their commands.
METHODS = {"tokenizer": "show_tokenizer", "prompts": "list_prompts", "prompt": "show_prompt"}
METHODS |= {"origin": "show_origin", "receipt_key": "show_receipt_key"}


def test_page_is_current() -> None:
    page, script = ROOT / "docs" / "commands.md", ROOT / "docs" / "write_commands.py"
    written = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert page.read_text() == written.stdout, "python docs/write_commands.py > docs/commands.md"


def test_no_field_is_called_as_a_command() -> None:
    for name, command in COMMANDS.items():
        for fields in command.fields:
            assert COMMANDS.keys() & fields.model_fields.keys() == {name}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"conversations"}))
def test_both_clients_have_the_same_methods(name: str) -> None:
    method, other = (getattr(client, METHODS.get(name, name)) for client in (ChatClient, AsyncChatClient))
    assert inspect.iscoroutinefunction(other) and not inspect.iscoroutinefunction(method)
    assert inspect.signature(method) == inspect.signature(other)
    assert inspect.getdoc(method) == inspect.getdoc(other)


@pytest.mark.parametrize(
    ("command", "complaint", "param"),
    [
        (None, "None is no command; there are cancel, stats, load, ", "command"),
        ("stats", "'stats' is no command; there are", "command"),
        ([{"stats": True}], "is no command; there are", "command"),
        ({}, "{} is no command; there are", "command"),
        ({"reboot": True}, "{'reboot': True} is no command; there are", "command"),
        ({"Stats": True}, "{'Stats': True} is no command; the nearest one is stats.", "command"),
        ({"x" * 1000: True}, "is no command; there are", "command"),
        ({"model": "m"}, "is no command", "command"),
        ({"stats": True, "health": True}, "stats and health are commands of their own.", "health"),
        ({"tokenize": "a", "detokenize": [1]}, "tokenize and detokenize are commands of", "detokenize"),
        ({"stats": False}, "stats must be True, not False.", "stats"),
        ({"stats": None}, "stats is missing.", "stats"),
        ({"stats": True, "models": "m"}, "unknown parameter 'models'; the nearest name is model", "models"),
        ({"stats": True, "model": 5}, "model must be a string, not 5.", "model"),
        ({"cancel": 5}, "cancel must be a string, not 5.", "cancel"),
        ({"cancel": "a\ud800"}, "cancel has half of a surrogate pair", "cancel"),
        ({"cancel": "a", "model": "m"}, "unknown parameter 'model'", "model"),
        ({"load": ["m"]}, "load must be a string, not ['m'].", "load"),
        ({"load_adapter": "a"}, "folder is missing.", "folder"),
        ({"load_adapter": "a", "folder": 3}, "folder must be a string, not 3.", "folder"),
        ({"recommend": 3}, "recommend must be True, not 3.", "recommend"),
        ({"get_model": None}, "get_model is missing.", "get_model"),
        ({"get_model": ["m"]}, "get_model must be a string, not ['m'].", "get_model"),
        ({"drop_adapter": {}}, "drop_adapter must be a string, not {}.", "drop_adapter"),
        ({"tokenize": 5}, "tokenize must be a list", "tokenize"),
        ({"tokenize": []}, "tokenize must be a list of 1 or more", "tokenize"),
        ({"tokenize": "a", "tools": []}, "unknown parameter 'tools'", "tools"),
        ({"tokenize": "a", "pieces": "yes"}, "pieces must be true or false, not 'yes'.", "pieces"),
        ({"detokenize": [1, True]}, "detokenize[1] must be a whole number, not True.", "detokenize[1]"),
        ({"detokenize": [-1]}, "detokenize[0] must be at least 0, not -1.", "detokenize[0]"),
        ({"save_prompt": "a"}, "messages is missing.", "messages"),
        ({"save_prompt": 1, "messages": "x"}, "save_prompt must be a string, not 1.", "save_prompt"),
        (
            {"save_prompt": "a", "messages": "x", "parameters": []},
            "parameters must be an object",
            "parameters",
        ),
        ({"save_prompt": "a", "messages": "x", "salt": 1}, "unknown parameter 'salt'", "salt"),
        ({"prompts": "all"}, "prompts must be True, not 'all'.", "prompts"),
        ({"prompt": 5}, "prompt must be a string, not 5.", "prompt"),
        ({"delete_prompt": []}, "delete_prompt must be a string, not [].", "delete_prompt"),
        ({"forget": 5}, "forget must be a string, not 5.", "forget"),
        ({"live": True, "tree": 1}, "tree must be true or false, not 1.", "tree"),
        ({"profile": True}, "profile must be a string, not True.", "profile"),
        ({"explain": "a", "layer": -1}, "layer must be at least 0, not -1.", "layer"),
        ({"conversations": None}, "conversations is missing.", "conversations"),
        ({"conversations": ["get"]}, "conversations must be a string", "conversations"),
        ({"metrics": "vllm"}, "metrics must be True, not 'vllm'.", "metrics"),
        ({"health": True, "self": 1}, "unknown parameter 'self'", "self"),
    ],
    ids=str,
)
def test_wrong_commands_are_refused_by_name(command: Any, complaint: str, param: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_command(command)
    message = str(refused.value)
    assert complaint in message and message.endswith(".") and len(message) < 400
    assert refused.value.param == param


def test_images_to_count_are_shared_by_salt_as_those_of_requests() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    message = {"role": "user", "content": [image]}
    for salt, expected in (("one", "one"), (None, "")):
        command = TokenizeChat(tokenize=[message], cache_salt=salt)
        assert [part.salt for part in command.tokenize[0].images if isinstance(part, ImageUrlPart)] == [
            expected
        ]
    with pytest.raises(InvalidRequest, match="tokenize has 257 images"):
        TokenizeChat(tokenize=[{"role": "user", "content": [image] * 257}])
