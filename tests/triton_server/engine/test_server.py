"""A real Triton with the embedded model, used by this project's client and by other clients."""

import json
import threading
import time
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tritonclient.grpc as triton
from conftest import Server
from process_tree import MODELS, find_process
from pytriton.client import DecoupledModelClient, ModelClient
from pytriton.client.exceptions import PyTritonClientInferenceServerError
from support import wait_until

from model_core import LLM, SamplingParams, TritonchatError
from model_core.errors import InvalidRequest, PromptTooLong, RequestTimeout
from model_core.requests.events import TokenIds
from triton_server.client.chat_client import Answer, ChatClient, ServerUnavailable
from triton_server.contract.json_tensors import encode

HELLO = [{"role": "user", "content": "Hello"}]
CONVERSATIONS = [
    [{"role": "user", "content": f"My name is {name}. " + "I like long walks. " * (n % 5)}]
    for n, name in enumerate(["Ada", "Bo", "Cleo", "Dov", "Eve", "Finn", "Gia", "Hal"] * 4)
]
ENDLESS = {"max_tokens": 900, "ignore_eos": True}
pytestmark = pytest.mark.filterwarnings("ignore::pytriton.client.warnings.NotSupportedTimeoutWarning")


def triton_counters(server: Server, model: str) -> dict[str, float]:
    """Return Triton's own counters of a model. It counts a request after it has sent the response."""
    with urllib.request.urlopen(server.metrics_url, timeout=60) as response:
        lines = response.read().decode().splitlines()
    counter_lines = [line for line in lines if f'model="{model}"' in line and line.startswith("nv_inference")]
    return {line.partition("{")[0]: float(line.rpartition(" ")[2]) for line in counter_lines}


def test_pytriton_client_gets_complete_answer(server: Server) -> None:
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


def test_second_turn_computes_only_new_tokens(client: ChatClient) -> None:
    turns = [{"role": "user", "content": "My name is Theodora."}]
    first = client.chat(turns)
    turns += [{"role": "assistant", "content": first.text}, {"role": "user", "content": "Who am I?"}]
    second = client.chat(turns)
    new = second.usage["prompt_tokens"] - second.usage["cached_tokens"]
    # The new question with its control tokens, and the last token of the answer, which was never an input.
    assert 0 < new < 20 < second.usage["cached_tokens"]


def test_pytriton_client_streams_the_same_text(server: Server) -> None:
    messages, parameters = encode("Once upon a time"), encode({"max_tokens": 200, "ignore_eos": True})
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        complete = client.infer_sample(messages, parameters)
    with DecoupledModelClient(f"grpc://{server.grpc_url}", "chat_stream") as client:
        responses = list(client.infer_sample(messages, parameters))
        hello_responses = list(client.infer_sample(encode(HELLO)))
    assert len(responses) > 1
    assert b"".join(response["response"][0] for response in responses) == complete["response"][0]
    assert [bool(response["details"][0]) for response in responses] == [False] * (len(responses) - 1) + [True]
    usages = [json.loads(last["details"][0])["usage"] for last in (responses[-1], complete)]
    for usage in usages:
        usage.pop("cached_tokens")  # the second request finds the first one's prompt in the cache
    assert usages[0] == usages[1]
    assert json.loads(hello_responses[-1]["details"][0])["finish_reason"] == "stop"


def test_batch_of_two_rows_in_one_request(server: Server) -> None:
    rows = np.stack([encode("Hello"), encode("Hallo")])
    tensor = triton.InferInput("messages", list(rows.shape), "UINT8")
    tensor.set_data_from_numpy(rows)
    with triton.InferenceServerClient(server.grpc_url) as client:
        result = client.infer("chat", [tensor])
    assert result.as_numpy("response").shape == (2, 1)
    assert result.as_numpy("details").shape == (2, 1)


def test_streamed_answer_equals_complete_answer(client: ChatClient) -> None:
    client.chat(HELLO, max_tokens=40)  # so that both find the same prefix in the cache
    complete = client.chat(HELLO, max_tokens=40)
    with client.stream(HELLO, max_tokens=40) as stream:
        deltas = list(stream)
    assert stream.answer is not None
    assert "".join(deltas) == complete.text == stream.answer.text == stream.text
    assert complete.finish_reason == "stop"
    assert complete.usage == stream.answer.usage
    assert complete.timings["first_token"] > 0


def test_server_and_library_give_the_same_answer(client: ChatClient, llm: LLM) -> None:
    for conversation in CONVERSATIONS[:8]:
        assert client.chat(conversation).text == llm.chat(conversation).text


def test_details_have_logprobs(client: ChatClient) -> None:
    answer = client.chat(HELLO, max_tokens=3, logprobs=2)
    assert len(answer.details["logprobs"]) == 3
    first = answer.details["logprobs"][0]
    assert set(first) == {"token", "token_id", "logprob", "rank", "top_logprobs"}
    assert first["token"] == first["top_logprobs"][0]["token"]


def test_details_have_token_ids(client: ChatClient, llm: LLM) -> None:
    params = {"max_tokens": 12, "seed": 1, "return_token_ids": True}
    expected = llm.chat(HELLO, SamplingParams(max_tokens=12, seed=1))
    with client.stream(HELLO, **params) as stream:
        ids = [event for event in stream.events if isinstance(event, TokenIds)]
    assert [event.prompt_ids for event in ids] == [llm.encode_chat(HELLO).token_ids] + [None] * (len(ids) - 1)
    assert [token for event in ids for token in event.ids] == expected.token_ids
    for details in (stream.answer.details, client.chat(HELLO, **params).details):
        assert details["token_ids"] == expected.token_ids
        assert details["prompt_token_ids"] == llm.encode_chat(HELLO).token_ids
    assert "token_ids" not in client.chat(HELLO, max_tokens=2).details


def test_prefix_cache_is_shared_only_within_a_cache_salt(client: ChatClient) -> None:
    prompt = "The secret number that nobody else may come to know is 493021."
    answers = [client.chat(prompt, max_tokens=8, cache_salt=salt) for salt in ("a", "a", "b")]
    first, same, other = (answer.usage["cached_tokens"] for answer in answers)
    assert first == other == 0 < same
    assert len({answer.text for answer in answers}) == 1


def test_stop_strings_and_seeds(client: ChatClient) -> None:
    text = client.chat("Hello", max_tokens=60, ignore_eos=True).text
    stop = text[10:14]
    stopped_answer = client.chat("Hello", max_tokens=60, ignore_eos=True, stop=stop)
    assert stopped_answer.text == text[: text.index(stop)]
    assert stopped_answer.finish_reason == "stop"
    assert stopped_answer.details["stop_string"] == stop
    random_parameters = {"max_tokens": 60, "ignore_eos": True, "temperature": 1.5}
    texts = [client.chat("Hello", seed=seed, **random_parameters).text for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    drawn = client.chat("Hello", **random_parameters)
    with client.stream("Hello", seed=drawn.seed, **random_parameters) as stream:
        assert "".join(stream) == drawn.text
    assert stream.answer is not None and stream.answer.seed == drawn.seed


def test_tokens_of_a_prompt_are_counted_without_an_answer(client: ChatClient) -> None:
    answer = client.chat(HELLO, max_tokens=1)
    counts = [client.chat(HELLO, count_only=True)]
    with client.stream(HELLO, count_only=True) as stream:
        assert list(stream) == []
    assert stream.answer is not None
    for count in (*counts, stream.answer):
        expected = {
            "prompt_tokens": answer.usage["prompt_tokens"],
            "completion_tokens": 0,
            "cached_tokens": 0,
            "truncated_messages": 0,
            "reasoning_tokens": 0,
        }
        assert (count.text, count.finish_reason, count.usage) == ("", "stop", expected)
    assert (
        client.chat([{"role": "user", "content": "word " * 2000}], count_only=True).usage["prompt_tokens"]
        > 2000
    )
    with pytest.raises(PromptTooLong):
        client.chat([{"role": "user", "content": "word " * 100_000}], count_only=True)


def test_oldest_turns_of_a_long_conversation_are_left_out(client: ChatClient, llm: LLM) -> None:
    messages = [
        {"role": role, "content": f"Hello number {number}."}
        for number in range(3000)
        for role in ("user", "assistant")
    ]
    messages += HELLO
    with pytest.raises(PromptTooLong):
        client.chat(messages, max_tokens=5)
    answer = client.chat(messages, max_tokens=5, truncation="auto")
    left_out = answer.usage["truncated_messages"]
    assert 0 < left_out < len(messages) - 1
    count = client.chat(messages, max_tokens=5, truncation="auto", count_only=True)
    assert count.usage == {**answer.usage, "completion_tokens": 0, "cached_tokens": 0}
    params = SamplingParams(max_tokens=5, seed=answer.details["seed"])
    assert answer.text == llm.chat(messages, params, truncation="auto").text
    assert answer.text == llm.chat(messages[left_out:], params).text


def test_errors_have_their_own_exceptions(client: ChatClient) -> None:
    for send in (client.chat, lambda *prompt, **wrong: list(client.stream(*prompt, **wrong))):
        with pytest.raises(InvalidRequest, match="temperature must be between 0 and 2, not 9") as refused:
            send(HELLO, temperature=9)
        assert refused.value.param == "temperature"
        with pytest.raises(InvalidRequest) as refused:
            send([*HELLO, {"role": "wizard", "content": "x"}])
        assert refused.value.param == "messages[1].role"
    with pytest.raises(PromptTooLong, match="--max-context"):
        list(client.stream([{"role": "user", "content": "word " * 5000}]))
    with pytest.raises(RequestTimeout, match="timeout_s") as error_info:
        client.chat("Hello", timeout_s=0, **ENDLESS)
    assert error_info.value.partial == ""
    with pytest.raises(InvalidRequest, match="surrogate"):
        client.chat("half a fox \ud83e")
    with pytest.raises(InvalidRequest, match="gRPC"):
        ChatClient("http://127.0.0.1:8000")
    with pytest.raises(ServerUnavailable, match="tritonchat serve"):
        ChatClient("127.0.0.1:9").chat(HELLO)
    with pytest.raises(ServerUnavailable):
        list(ChatClient("127.0.0.1:9").stream(HELLO))
    assert not ChatClient("127.0.0.1:9").is_ready()


def test_cancelled_answer_keeps_its_text(endless: Server) -> None:
    request_id = uuid.uuid4().hex
    with (
        ChatClient(endless.grpc_url) as client,
        client.stream("Hello", request_id=request_id, max_tokens=40_000) as stream,
    ):
        next(iter(stream))
        assert client.cancel(request_id)
        later_deltas = list(stream)
        assert not client.cancel(request_id)
    assert stream.answer is not None
    assert stream.answer.finish_reason == "cancelled"
    assert stream.answer.text.endswith("".join(later_deltas))


def test_closed_stream_is_cancelled(client: ChatClient) -> None:
    with client.stream("Hello", **ENDLESS) as stream:
        next(iter(stream))
    wait_until(lambda: client.stats()["running"] == 0)
    assert stream.text
    assert stream.answer is None


def test_stats_describe_the_server(client: ChatClient) -> None:
    before = client.stats()
    client.chat(HELLO)
    after = client.stats()
    assert after["model"]["name"] == "embedded"
    assert after["model"]["chat_template"] is True
    assert after["alive"] is True
    assert after["totals"]["requests"] == before["totals"]["requests"] + 1
    assert after["totals"]["completion_tokens"] > before["totals"]["completion_tokens"]


@pytest.mark.parametrize("command", [b"x", b"", b"[]", b'{"stats": false}', b'{"reboot": true}', b"\xff"])
def test_wrong_command_is_an_invalid_request(server: Server, command: bytes) -> None:
    with ModelClient(f"grpc://{server.grpc_url}", "chat_control") as client:
        result = client.infer_sample(np.frombuffer(command or b" ", np.uint8))
    assert json.loads(result["result"][0])["error"]["type"] == "invalid_request"


def test_requests_of_different_lengths_share_a_batch(server: Server, client: ChatClient) -> None:
    assert len({len(encode(c)) for c in CONVERSATIONS}) > 10
    before = triton_counters(server, "chat")
    count = 0

    def change(counter: str) -> float:
        return triton_counters(server, "chat")[counter] - before[counter]

    def ask(messages: list[dict[str, str]]) -> None:
        client.chat(messages, max_tokens=3)

    # Triton waits a moment for more requests. On a busy machine, all of them may come later.
    while count == 0 or change("nv_inference_exec_count") > count / 2:
        assert count < 50 * len(CONVERSATIONS)
        with ThreadPoolExecutor(len(CONVERSATIONS)) as pool:
            list(pool.map(ask, CONVERSATIONS))
        count += len(CONVERSATIONS)
        wait_until(lambda count=count: change("nv_inference_count") == count)


def test_batches_do_not_wait_for_each_other(endless: Server) -> None:
    with ChatClient(endless.grpc_url) as client, ThreadPoolExecutor(8) as pool:
        names = [f"long {number}" for number in range(8)]
        answers = [pool.submit(client.chat, "Hello", max_tokens=40_000, request_id=name) for name in names]
        wait_until(lambda: client.stats()["running"] == 8)
        assert client.chat("Hello", max_tokens=3).finish_reason == "length"
        assert not any(answer.done() for answer in answers)
        assert all(client.cancel(name) for name in names)
        assert {answer.result().finish_reason for answer in answers} == {"cancelled"}


def test_answers_survive_a_stall_of_the_models_processes(server: Server) -> None:
    """Triton gives up requests that it passes to such a process, but there are none meanwhile."""
    parameters = {"max_tokens": 900, "ignore_eos": True}
    with ChatClient(server.grpc_url) as client, ThreadPoolExecutor(1) as pool:
        expected = client.chat("Hello", **parameters).text
        uptime, processes = client.stats()["uptime_s"], [find_process(server, name) for name in MODELS]
        with client.stream("Hello", **parameters) as stream:
            answer = pool.submit(client.chat, "Hello", **parameters)
            deltas = iter(stream)
            next(deltas)
            wait_until(lambda: client.stats()["running"] == 2)
            with server.paused():  # it sends no probe meanwhile
                time.sleep(1)  # what was on its way has arrived
                for process in processes:
                    process.suspend()
                time.sleep(3)
                for process in processes:
                    process.resume()
            list(deltas)
            assert stream.text == answer.result().text == expected
        assert client.stats()["uptime_s"] > uptime
    assert [find_process(server, name) for name in MODELS] == processes


def test_32_concurrent_clients_get_the_same_answers_as_single_clients(server: Server) -> None:
    """Other clients send malformed requests and leave their streams early meanwhile."""
    parameters = {"max_tokens": 60, "temperature": 0.9, "logprobs": 1, "ignore_eos": True}

    def ask(number: int) -> Answer:
        with ChatClient(server.grpc_url) as client_of_thread:
            conversation = CONVERSATIONS[number]
            if number % 2:
                return client_of_thread.chat(conversation, seed=number, **parameters)
            with client_of_thread.stream(conversation, seed=number, **parameters) as stream:
                list(stream)
            assert stream.answer is not None
            return stream.answer

    single_answers = [ask(number) for number in range(32)]
    stop_event = threading.Event()
    messages: list[str] = []

    def send_bad_requests(index: int) -> None:
        bad_request = [
            lambda client_of_thread: client_of_thread.chat(HELLO, temperature=float("nan")),
            lambda client_of_thread: client_of_thread.chat([{"role": "wizard", "content": "x"}]),
            lambda client_of_thread: client_of_thread.chat([{"role": "user", "content": "x" * 2_000_000}]),
            lambda client_of_thread: client_of_thread.chat(HELLO, nonsense=1),
        ][index]
        with ChatClient(server.grpc_url) as client_of_thread:
            while not stop_event.is_set():
                try:
                    bad_request(client_of_thread)
                except TritonchatError as error:
                    messages.append(str(error))
                with client_of_thread.stream("Hello", **ENDLESS) as stream:
                    next(iter(stream))

    bad_clients = [threading.Thread(target=send_bad_requests, args=(index,)) for index in range(4)]
    for thread in bad_clients:
        thread.start()
    try:
        with ThreadPoolExecutor(32) as pool:
            concurrent_answers = list(pool.map(ask, range(32)))
    finally:
        stop_event.set()
        for thread in bad_clients:
            thread.join(timeout=60)
    for single, concurrent in zip(single_answers, concurrent_answers, strict=True):
        assert single.text == concurrent.text
        assert single.details["logprobs"] == concurrent.details["logprobs"]
    assert {c.partition(" ")[0] for c in messages} == {"parameters", "messages[0].role", "This", "unknown"}


def test_malformed_rows_do_not_fail_the_others_of_a_batch(server: Server) -> None:
    """The rows of one Triton request are always in one batch."""
    valid_row, malformed_rows = (
        json.dumps("Hello").encode(),
        [b'"\xff\xfe___"', b"not json", b"12345678", b"[{}]    "],
    )
    size = max(map(len, [valid_row, *malformed_rows]))
    rows = np.stack(
        [np.frombuffer(row.ljust(size), np.uint8) for row in [valid_row, *malformed_rows, valid_row]]
    )
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
def test_triton_refuses_wrong_tensors(server: Server, tensor: np.ndarray) -> None:
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        with pytest.raises(PyTritonClientInferenceServerError):
            client.infer_sample(tensor)
        assert client.infer_sample(encode(HELLO))["response"][0]


def test_prompt_of_megabytes_is_refused(server: Server) -> None:
    message = encode([{"role": "user", "content": "x" * 2_000_000}])
    with ModelClient(f"grpc://{server.grpc_url}", "chat") as client:
        error = json.loads(client.infer_sample(message)["details"][0])["error"]
    assert error["type"] == "prompt_too_long"
    assert "--max-context" in error["message"]
