"""The slots for answers under attack: one client tries to take all of them."""

import itertools
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from http_service import CHAT, HELLO, Service, posted, samples, status
from support import wait_until

from triton_server.api.errors import ApiError
from triton_server.api.middleware.answer_slots import AnswerSlots
from triton_server.api.middleware.metrics import ServiceMetrics

GREEDY, MODEST, THIRD = "sk-greedy", "sk-modest", "sk-third"
# Some megabytes of events, which no kernel holds for a client that does not read: so the answer does not end.
LONG = {
    **HELLO,
    "max_tokens": 900,
    "ignore_eos": True,
    "stream": True,
    "logprobs": True,
    "top_logprobs": 5,
}


def fill(slots: AnswerSlots, client: str, stack: ExitStack) -> int:
    """Take slots for a client until it is refused; return their number."""
    for taken in itertools.count():
        try:
            stack.enter_context(slots.hold(client, 1))
        except ApiError as error:
            assert (error.status, error.retry_after_s) == (429, 1)
            return taken
    raise AssertionError


@pytest.mark.parametrize("total", [1, 2, 3, 64, 320])
def test_no_client_gets_all_slots(total: int) -> None:
    slots = AnswerSlots(total, 0, True, ServiceMetrics())
    with ExitStack() as stack:
        first = fill(slots, "a", stack)
        assert first == (total + 1) // 2
        assert fill(slots, "b", stack) >= (total >= 2)
        assert fill(slots, "c", stack) >= (total >= 4)


def test_shares_become_even_as_answers_end() -> None:
    slots = AnswerSlots(60, 0, True, ServiceMetrics())
    clients = [f"client {number}" for number in range(5)]
    held: dict[str, list[ExitStack]] = {client: [] for client in clients}
    with ExitStack() as everything:
        for _ in range(500):
            for client in clients:
                with pytest.raises(ApiError):
                    while True:
                        stack = everything.enter_context(ExitStack())
                        stack.enter_context(slots.hold(client, 1))
                        held[client].append(stack)
            # The oldest answer of the client with the most slots ends.
            held[max(clients, key=lambda client: len(held[client]))].pop(0).close()
        assert min(map(len, held.values())) >= 8, {client: len(held[client]) for client in clients}


def test_answers_of_one_request_get_all_slots_or_none() -> None:
    metrics = ServiceMetrics()
    slots = AnswerSlots(10, 0, True, metrics)
    with slots.hold("a", 4), pytest.raises(ApiError) as refused, slots.hold("a", 2):
        pytest.fail("there was no slot")
    assert refused.value.status == 429
    with slots.hold("a", 5), slots.hold("b", 3):
        assert samples(metrics.render())["tritonchat_api_answers_open"] == 8
    with pytest.raises(ApiError, match="--max-streams") as refused, slots.hold("a", 6):
        pytest.fail("there never will be a slot")
    assert (refused.value.status, refused.value.param) == (400, "n")


def test_limits_of_one_client() -> None:
    slots = AnswerSlots(0, 3, False, ServiceMetrics())
    with ExitStack() as stack:
        assert fill(slots, "a", stack) == fill(slots, "b", stack) == 3
        with pytest.raises(ApiError, match="--max-streams-per-key"), slots.hold("a", 1):
            pass
        with pytest.raises(ApiError, match="--max-streams-per-key") as refused, slots.hold("c", 4):
            pass
        assert refused.value.status == 400


def test_single_client_gets_all_slots() -> None:
    with ExitStack() as stack:
        assert fill(AnswerSlots(7, 0, False, ServiceMetrics()), "", stack) == 7
        slots = AnswerSlots(0, 0, True, ServiceMetrics())
        for _ in range(1000):
            stack.enter_context(slots.hold("", 100))


def test_slots_are_free_after_every_kind_of_end() -> None:
    metrics = ServiceMetrics()
    slots = AnswerSlots(1, 0, False, metrics)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), slots.hold("a", 1):
            with pytest.raises(ApiError) as refused, slots.hold("b", 1):
                pytest.fail("there was no slot")
            assert (refused.value.status, refused.value.retry_after_s) == (429, 1)
            1 / 0  # noqa: B018
    values = samples(metrics.render())
    assert values["tritonchat_api_answers_open"] == 0
    assert values['tritonchat_api_refusals_total{reason="too_many_answers"}'] == 3


def test_one_key_cannot_take_all_slots_of_the_service(start: Callable[..., Service]) -> None:
    """One key asks for more long answers than it may have; other keys are answered at the same time."""
    service = start(api_keys=(GREEDY, MODEST, THIRD), max_streams=16, client_timeout_s=120)
    streams = []
    for _ in range(4):
        stream = service.connect(request(GREEDY, {**LONG, "n": 2}))
        assert status(stream.recv(4096)) == 200
        streams.append(stream)
    refused = service.ask({**LONG, "n": 2}, **{"X-Api-Key": GREEDY})
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "1"
    assert "--max-streams" in refused.json()["error"]["message"]
    for key in (MODEST, THIRD):
        assert service.ask(**{"X-Api-Key": key}).status_code == 200
    values = service.metrics()
    assert values["tritonchat_api_answers_open"] == 8
    assert values['tritonchat_api_refusals_total{reason="too_many_answers_of_client"}'] == 1
    for stream in streams:
        stream.close()
    wait_until(lambda: service.metrics()["tritonchat_api_answers_open"] == 0)


def request(key: str, body: dict) -> bytes:
    """The bytes of a request with a key."""
    return posted(CHAT, body).replace(b"Host:", f"X-Api-Key: {key}\r\nHost:".encode(), 1)
