"""A real Triton with the embedded model: what users of any client see."""

import json
import threading
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc as triton
from conftest import Server
from pytriton.client import DecoupledModelClient, ModelClient
from pytriton.client.exceptions import PyTritonClientInferenceServerError
from support import wait_until

from model_core import LLM, TritonchatError
from model_core.errors import InvalidRequest, PromptTooLong, RequestTimeout
from triton_server.client import Answer, ChatClient, ServerUnavailable
from triton_server.contract import encode

HELLO = [{"role": "user", "content": "Hello"}]
CONVERSATIONS = [
    [{"role": "user", "content": f"My name is {name}. " + "I like long walks. " * (n % 5)}]
    for n, name in enumerate(["Ada", "Bo", "Cleo", "Dov", "Eve", "Finn", "Gia", "Hal"] * 4)
]
ENDLESS = {"max_tokens": 900, "ignore_eos": True}
pytestmark = pytest.mark.filterwarnings("ignore::pytriton.client.warnings.NotSupportedTimeoutWarning")


def counters(server: Server, model: str) -> dict[str, float]:
    """Triton's own counters of a model."""
    with urllib.request.urlopen(server.metrics_url) as response:
        lines = response.read().decode().splitlines()
    wanted = [line for line in lines if f'model="{model}"' in line and line.startswith("nv_inference")]
    return {line.partition("{")[0]: float(line.rpartition(" ")[2]) for line in wanted}


def test_bare_model_client(server: Server) -> None:
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        result = client.infer_sample(np.frombuffer(json.dumps(HELLO).encode(), np.uint8))
    assert result["response"].shape == (1,)
    assert len(result["response"][0].decode()) > 3
    details = json.loads(result["details"][0])
    assert details["finish_reason"] == "stop"
    assert details["model"] == "embedded"
    assert details["usage"]["prompt_tokens"] > max(3, details["usage"]["cached_tokens"])
    assert set(details["timings"]) == {"queue", "first_token", "total"}
    assert "error" not in details


def test_a_second_turn_computes_only_what_is_new(client: ChatClient) -> None:
    turns = [{"role": "user", "content": "My name is Theodora."}]
    first = client.chat(turns)
    turns += [{"role": "assistant", "content": first.text}, {"role": "user", "content": "Who am I?"}]
    second = client.chat(turns)
    new = second.usage["prompt_tokens"] - second.usage["cached_tokens"]
    # The question with its tokens around it, and the end of the answer, which was never computed on.
    assert 0 < new < 20 < second.usage["cached_tokens"]


def test_bare_decoupled_client_gives_the_same_text_in_pieces(server: Server) -> None:
    messages, parameters = encode("Once upon a time"), encode({"max_tokens": 200, "ignore_eos": True})
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        whole = client.infer_sample(messages, parameters)
    with DecoupledModelClient(f"grpc://{server.grpc_url}", "chat_stream") as client:
        pieces = list(client.infer_sample(messages, parameters))
        bare = list(client.infer_sample(encode(HELLO)))
    assert len(pieces) > 1
    assert b"".join(piece["response"][0] for piece in pieces) == whole["response"][0]
    assert [bool(piece["details"][0]) for piece in pieces] == [False] * (len(pieces) - 1) + [True]
    usages = [json.loads(last["details"][0])["usage"] for last in (pieces[-1], whole)]
    for usage in usages:
        usage.pop("cached_tokens")  # the second finds what the first has computed
    assert usages[0] == usages[1]
    assert json.loads(bare[-1]["details"][0])["finish_reason"] == "stop"


def test_triton_over_http_too(server: Server) -> None:
    """The plain model is open to whatever Triton speaks; here a batch of two rows in one request."""
    rows = np.stack([encode("Hello"), encode("Hallo")])
    tensor = triton.InferInput("messages", list(rows.shape), "UINT8")
    tensor.set_data_from_numpy(rows)
    with triton.InferenceServerClient(server.grpc_url) as client:
        result = client.infer("chat", [tensor])
    assert result.as_numpy("response").shape == (2, 1)
    assert result.as_numpy("details").shape == (2, 1)


def test_our_client_whole_and_streamed(client: ChatClient) -> None:
    client.chat(HELLO, max_tokens=40)  # so that both find the same in the cache
    whole = client.chat(HELLO, max_tokens=40)
    with client.stream(HELLO, max_tokens=40) as stream:
        pieces = list(stream)
    assert stream.answer is not None
    assert "".join(pieces) == whole.text == stream.answer.text == stream.text
    assert whole.finish_reason == "stop"
    assert whole.usage == stream.answer.usage
    assert whole.timings["first_token"] > 0


def test_the_server_answers_as_the_library_does(client: ChatClient, llm: LLM) -> None:
    for conversation in CONVERSATIONS[:8]:
        assert client.chat(conversation).text == llm.chat(conversation).text


def test_logprobs_come_in_details(client: ChatClient) -> None:
    answer = client.chat(HELLO, max_tokens=3, logprobs=2)
    assert len(answer.details["logprobs"]) == 3
    first = answer.details["logprobs"][0]
    assert set(first) == {"token", "token_id", "logprob", "top_logprobs"}
    assert first["token"] == first["top_logprobs"][0]["token"]


def test_stop_strings_and_seeds(client: ChatClient) -> None:
    text = client.chat("Hello", max_tokens=60, ignore_eos=True).text
    stop = text[10:14]
    stopped = client.chat("Hello", max_tokens=60, ignore_eos=True, stop=stop)
    assert stopped.text == text[: text.index(stop)]
    assert stopped.finish_reason == "stop"
    wild = {"max_tokens": 60, "ignore_eos": True, "temperature": 1.5}
    texts = [client.chat("Hello", seed=seed, **wild).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_errors_are_exceptions_of_their_own(client: ChatClient) -> None:
    with pytest.raises(InvalidRequest, match="temperature"):
        client.chat(HELLO, temperature=9)
    with pytest.raises(PromptTooLong, match="--max-context"):
        list(client.stream([{"role": "user", "content": "word " * 5000}]))
    with pytest.raises(RequestTimeout, match="timeout_s") as raised:
        client.chat("Hello", timeout_s=0, **ENDLESS)
    assert raised.value.partial == ""
    with pytest.raises(InvalidRequest, match="surrogate"):
        client.chat("half a fox \ud83e")
    with pytest.raises(InvalidRequest, match="gRPC"):
        ChatClient("http://127.0.0.1:8000")
    with pytest.raises(ServerUnavailable, match="tritonchat serve"):
        ChatClient("127.0.0.1:9").chat(HELLO)
    with pytest.raises(ServerUnavailable):
        list(ChatClient("127.0.0.1:9").stream(HELLO))
    assert not ChatClient("127.0.0.1:9").is_ready()


def test_cancel_keeps_what_was_made(client: ChatClient) -> None:
    request_id = uuid.uuid4().hex
    with client.stream("Hello", request_id=request_id, **ENDLESS) as stream:
        next(iter(stream))
        assert client.cancel(request_id)
        rest = list(stream)
    assert stream.answer is not None
    assert stream.answer.finish_reason == "cancelled"
    assert stream.answer.text.endswith("".join(rest))
    assert not client.cancel(request_id)


def test_leaving_a_stream_ends_the_work(client: ChatClient) -> None:
    with client.stream("Hello", **ENDLESS) as stream:
        next(iter(stream))
    wait_until(lambda: client.stats()["running"] == 0)
    assert stream.text
    assert stream.answer is None


def test_stats_say_what_the_server_is(client: ChatClient) -> None:
    before = client.stats()
    client.chat(HELLO)
    after = client.stats()
    assert after["model"]["name"] == "embedded"
    assert after["model"]["chat_template"] is True
    assert after["alive"] is True
    assert after["totals"]["requests"] == before["totals"]["requests"] + 1
    assert after["totals"]["completion_tokens"] > before["totals"]["completion_tokens"]


@pytest.mark.parametrize("command", [b"x", b"", b"[]", b'{"stats": false}', b'{"reboot": true}', b"\xff"])
def test_wrong_commands_are_told(server: Server, command: bytes) -> None:
    with ModelClient(f"grpc://{server.grpc_url}", "chat_control") as client:
        result = client.infer_sample(np.frombuffer(command or b" ", np.uint8))
    assert json.loads(result["result"][0])["error"]["type"] == "invalid_request"


def test_requests_of_different_lengths_share_a_batch(server: Server, client: ChatClient) -> None:
    before = counters(server, "chat")
    with ThreadPoolExecutor(32) as pool:
        list(pool.map(lambda conversation: client.chat(conversation, max_tokens=30), CONVERSATIONS))
    after = counters(server, "chat")
    answered = after["nv_inference_count"] - before["nv_inference_count"]
    executions = after["nv_inference_exec_count"] - before["nv_inference_exec_count"]
    assert len({len(encode(c)) for c in CONVERSATIONS}) > 10
    assert answered == 32
    assert executions <= 16  # two or more in a batch on average; measured: 2 to 6 executions


def test_32_clients_get_the_bytes_they_get_alone(server: Server) -> None:
    """Among them ones that are malformed, and ones that leave half-way."""
    parameters = {"max_tokens": 60, "temperature": 0.9, "logprobs": 1, "ignore_eos": True}

    def ask(number: int) -> Answer:
        with ChatClient(server.grpc_url) as own:
            conversation = CONVERSATIONS[number]
            if number % 2:
                return own.chat(conversation, seed=number, **parameters)
            with own.stream(conversation, seed=number, **parameters) as stream:
                list(stream)
            assert stream.answer is not None
            return stream.answer

    alone = [ask(number) for number in range(32)]
    over = threading.Event()
    complaints: list[str] = []

    def misbehave(kind: int) -> None:
        bad = [
            lambda own: own.chat(HELLO, temperature=float("nan")),
            lambda own: own.chat([{"role": "wizard", "content": "x"}]),
            lambda own: own.chat([{"role": "user", "content": "x" * 2_000_000}]),
            lambda own: own.chat(HELLO, nonsense=1),
        ][kind]
        with ChatClient(server.grpc_url) as own:
            while not over.is_set():
                try:
                    bad(own)
                except TritonchatError as error:
                    complaints.append(str(error))
                with own.stream("Hello", **ENDLESS) as stream:
                    next(iter(stream))

    troublemakers = [threading.Thread(target=misbehave, args=(kind,)) for kind in range(4)]
    for thread in troublemakers:
        thread.start()
    try:
        with ThreadPoolExecutor(32) as pool:
            together = list(pool.map(ask, range(32)))
    finally:
        over.set()
        for thread in troublemakers:
            thread.join(timeout=60)
    for one, among in zip(alone, together, strict=True):
        assert one.text == among.text
        assert one.details["logprobs"] == among.details["logprobs"]
    assert {c.partition(" ")[0] for c in complaints} == {"parameters", "message", "messages", "unknown"}


def test_malformed_rows_fail_alone_in_a_batch(server: Server) -> None:
    """Rows of one Triton request are of one batch for certain."""
    good, bad = json.dumps("Hello").encode(), [b'"\xff\xfe___"', b"not json", b"12345678", b"[{}]    "]
    size = max(map(len, [good, *bad]))
    rows = np.stack([np.frombuffer(row.ljust(size), np.uint8) for row in [good, *bad, good]])
    parameters = np.tile(encode({"max_tokens": 9, "ignore_eos": True}), (len(rows), 1))
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        result = client.infer_batch(rows, parameters)
    details = [json.loads(row[0]) for row in result["details"]]
    assert details[0]["finish_reason"] == details[-1]["finish_reason"] == "length"
    assert result["response"][0] == result["response"][-1] != b""
    assert [d["error"]["type"] for d in details[1:-1]] == ["invalid_request"] * 4
    assert [row[0] for row in result["response"][1:-1]] == [b""] * 4


@pytest.mark.parametrize(
    "tensor",
    [
        np.zeros(4, np.float32),
        np.zeros(4, np.int64),
        np.zeros((2, 2), np.uint8),
        np.array([b"Hello"], dtype=object),
    ],
    ids=["float32", "int64", "two dimensions", "bytes"],
)
def test_wrong_tensors_are_refused_by_triton(server: Server, tensor: np.ndarray) -> None:
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        with pytest.raises(PyTritonClientInferenceServerError):
            client.infer_sample(tensor)
        assert client.infer_sample(encode(HELLO))["response"][0]


def test_megabytes_are_refused_in_a_sentence(server: Server) -> None:
    message = encode([{"role": "user", "content": "x" * 2_000_000}])
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        error = json.loads(client.infer_sample(message)["details"][0])["error"]
    assert error["type"] == "prompt_too_long"
    assert "--max-context" in error["message"]


def test_an_empty_tensor_harms_nobody(server: Server) -> None:
    """PyTriton cannot carry one to our code; Triton joins it only with others that are empty."""
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        with pytest.raises(PyTritonClientInferenceServerError):
            client.infer_sample(np.zeros(0, np.uint8))
        assert client.infer_sample(encode(HELLO))["response"][0]
