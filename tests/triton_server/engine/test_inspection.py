"""The commands that show what the engine does and how the model computes, on a running server."""

import concurrent.futures
import json
from typing import Any

import numpy as np
import pytest
import tritonclient.grpc as triton
from conftest import Server
from in_process import Endpoints
from support import wait_until

from model_core import LLM
from model_core.engine.snapshot import label_request
from model_core.errors import InvalidRequest, ModelNotFound, PromptTooLong, QueueFull, TritonchatError
from triton_server.client import ChatClient
from triton_server.engine.commands.dispatcher import MAX_INSPECTIONS

HELLO = [{"role": "user", "content": "Hello, who are you?"}]


def send(server: Server, command: Any) -> dict[str, Any]:
    """The result of any JSON as a command."""
    row = np.frombuffer(json.dumps(command).encode(), np.uint8)[None]
    tensor = triton.InferInput("command", list(row.shape), "UINT8")
    tensor.set_data_from_numpy(row)
    with triton.InferenceServerClient(server.grpc_url) as client:
        result = client.infer("chat_control", [tensor]).as_numpy("result")
    return json.loads(result.flat[0])


def test_live_shows_running_requests(endless: Server) -> None:
    with ChatClient(endless.grpc_url) as client, client.stream("A secret: ", max_tokens=40_000) as stream:
        for _ in stream:
            live = client.live(with_tree=True)
            break
        (request,) = live["engine"]["requests"]
        assert request["label"] == label_request(stream.request_id)
        assert request["answer_tokens"] > 0 and request["kv_pages"] > 0
        assert live["state"] == "ready" and live["engine"]["running"] == 1
        assert live["engine"]["steps"][-1]["model"] > 0
        assert any(second["answer_tokens"] for second in live["engine"]["seconds"])
        assert live["engine"]["tree"]["prefixes"]
        assert stream.request_id not in str(live) and "secret" not in str(live)


def test_live_counts_times_of_requests(client: ChatClient) -> None:
    def count(name: str) -> int:
        return sum(number for _, number in client.live()["histograms"][name])

    before = count("first_token"), count("token")
    client.chat(HELLO, max_tokens=5, ignore_eos=True)
    assert (count("first_token"), count("token")) == (before[0] + 1, before[1] + 1)
    limits = [limit for limit, _ in client.live()["histograms"]["first_token"]]
    assert limits[-1] is None and limits[:-1] == sorted(limits[:-1])


def test_cached_prefix_is_seen_as_a_hit(client: ChatClient) -> None:
    prompt = "The keeper of the lighthouse " * 12
    for _ in range(2):
        client.chat(prompt, max_tokens=1, cache_salt="hits")
    tree = client.live(with_tree=True)["engine"]["tree"]
    assert any(prefix["hits"] >= 1 and prefix["tokens"] >= 48 for prefix in tree["prefixes"])
    assert "hits" not in [str(value) for prefix in tree["prefixes"] for value in prefix.values()]


def test_model_that_is_not_loaded_has_no_engine(several: Endpoints) -> None:
    with ChatClient(several.grpc_url) as client:
        wait_until(lambda: client.live("broken")["state"] == "failed")
        assert client.live("broken")["engine"] is None
        assert client.live("speaker")["engine"] is not None
        with pytest.raises(ModelNotFound):
            client.live("nobody")


def test_step_is_profiled_against_the_machine(client: ChatClient) -> None:
    profile = client.profile("one answer")
    assert profile["bandwidth"] > 1e8 and profile["operations_per_second"] > 1e8
    assert sum(part["seconds"] for part in profile["operations"]) == pytest.approx(profile["seconds"])
    assert {"attend", "linear logits"} <= {part["name"] for part in profile["operations"]}
    with pytest.raises(InvalidRequest, match="one of one answer"):
        client.profile("x" * 100)


def test_conversation_is_explained(client: ChatClient, llm: LLM) -> None:
    prompt = llm.encode_chat(HELLO)
    shown = client.explain(HELLO, layer=2, head=3, sampling={"temperature": 1.0, "top_p": 1.0})
    assert shown["text"] == prompt.text
    assert [token["token_id"] for token in shown["tokens"]] == prompt.token_ids
    assert "".join(token["text"] for token in shown["tokens"]) == prompt.text
    attention = shown["attention"]
    assert (attention["layer"], attention["head"], attention["layers"]) == (2, 3, list(range(6)))
    assert [len(row) for row in attention["weights"]] == list(range(1, len(prompt.token_ids) + 1))
    assert all(sum(row) == pytest.approx(1, abs=0.02) for row in attention["weights"])
    likeliest = client.chat(HELLO, max_tokens=1, temperature=0, logprobs=0).details["logprobs"][0]
    assert shown["next"][0]["token_id"] == likeliest["token_id"]
    assert shown["next"][0]["logprob"] == pytest.approx(likeliest["logprob"], abs=1e-4)
    assert shown["tape"]["layers"] == 6 and len(shown["tape"]["inside"]) == 13
    continued = client.explain([*HELLO, {"role": "assistant", "content": "I"}], continue_final_message=True)
    assert continued["text"] == f"{prompt.text}I"


def test_text_is_explained(client: ChatClient, llm: LLM) -> None:
    shown = client.explain("Once upon a time 🦊")
    assert [token["token_id"] for token in shown["tokens"]] == llm.encode("Once upon a time 🦊")
    assert any("bytes" in token for token in shown["tokens"])  # parts of the fox


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"live": False}, "live must be"),
        ({"live": True, "tree": "yes"}, "tree must be true or false"),
        ({"live": True, "model": 3}, "model must be a string"),
        ({"live": True, "salt": "a"}, "unknown parameter 'salt'"),
        ({"profile": True}, "profile must be a string"),
        ({"profile": "one answer", "steps": 10**9}, "unknown parameter 'steps'"),
        ({"explain": ""}, "explain must be"),
        ({"explain": []}, "explain must be"),
        ({"explain": [1, 2]}, "explain[0] must be"),
        ({"explain": {"a": 1}}, "explain must be"),
        ({"explain": None}, "explain is missing"),
        ({"explain": "a" * 9000}, "at most 8192 characters, but the text has 9000"),
        ({"explain": "\ud800"}, "half of a surrogate pair"),
        ({"explain": "a", "layer": -1}, "layer must be at least 0"),
        ({"explain": "a", "head": 1.5}, "head must be a whole number"),
        ({"explain": "a", "sampling": {"temperature": "hot"}}, "temperature must be"),
        ({"explain": "a", "sampling": {"temperature": 1e9}}, "temperature must be"),
        ({"explain": "a", "sampling": {"mirostat": True}}, "sampling has 'mirostat'"),
        ({"explain": "a", "sampling": [1]}, "sampling must be an object"),
        ({"explain": [{"role": "king", "content": "a"}]}, "explain[0].role"),
        ({"explain": "word " * 600}, "at most 256 tokens"),
        ({"explain": HELLO * 100}, "at most 256 tokens"),
    ],
)
def test_hostile_commands_get_one_sentence(server: Server, command: dict[str, Any], words: str) -> None:
    error = send(server, command)["error"]
    assert words in error["message"], error
    assert error["message"].endswith(".") and error["type"] in ("invalid_request", "prompt_too_long")


def test_names_of_control_tokens_are_text(client: ChatClient) -> None:
    shown = client.explain([{"role": "user", "content": "<|end|><|assistant|>"}])
    names = [token["name"] for token in shown["tokens"]]
    ordinary = client.explain([{"role": "user", "content": "fox"}])["tokens"]
    special = [token["name"] for token in ordinary if token["name"].startswith("<|")]
    assert [name for name in names if name.startswith("<|") and name.endswith("|>")] == special


def test_many_explanations_at_once_are_refused_in_a_sentence(server: Server) -> None:
    refusals: list[TritonchatError] = []
    prompt = "cat " * 200

    def ask(_: int) -> None:
        with ChatClient(server.grpc_url) as client:
            try:
                client.explain(prompt)
            except QueueFull as error:
                refusals.append(error)

    with concurrent.futures.ThreadPoolExecutor(3 * MAX_INSPECTIONS) as threads:
        list(threads.map(ask, range(3 * MAX_INSPECTIONS)))
    assert all("try again in a moment" in str(error) for error in refusals)
    with ChatClient(server.grpc_url) as client:
        assert client.explain("cat")["next"]  # nothing is left waiting


def test_explaining_and_profiling_change_no_answer(client: ChatClient, server: Server) -> None:
    settings = {"max_tokens": 200, "seed": 5, "temperature": 0.9, "ignore_eos": True}
    expected = client.chat("Once upon a time", **settings).text
    with client.stream("Once upon a time", **settings) as stream:
        text = next(iter(stream))
        for layer in range(4):
            client.explain(HELLO, layer=layer)
        client.profile("eight answers")
        text += "".join(stream)
    assert stream.answer is not None and stream.answer.text == expected


def test_choices_have_alternatives(client: ChatClient) -> None:
    answer = client.chat(HELLO, max_tokens=12, temperature=0, logprobs=5)
    (choice,) = client.choose(HELLO, [answer.text], logprobs=5)
    shown = [(t["token_id"], pytest.approx(t["logprob"], abs=1e-5)) for t in answer.details["logprobs"]]
    for token, expected in zip(choice["tokens"], shown, strict=False):
        assert (token["token_id"], token["logprob"]) == expected
        assert len(token["top_logprobs"]) == 5
        assert token["top_logprobs"][0]["logprob"] >= token["logprob"]
    (plain,) = client.choose(HELLO, [answer.text])
    assert all(token["top_logprobs"] == [] for token in plain["tokens"])


def test_long_prompt_is_named(client: ChatClient) -> None:
    with pytest.raises(PromptTooLong, match="shorten it"):
        client.explain("word " * 600)
