"""Log probabilities are delivered with the deltas of an answer, and then the engine keeps none of them."""

import threading

from model_core import LLM, SamplingParams
from model_core.engine.job import Job
from model_core.requests.results import Delta, join_deltas


def test_engine_keeps_only_log_probabilities_not_yet_delivered(llm: LLM) -> None:
    deltas: list[Delta] = []
    ended = threading.Event()

    def on_delta(delta: Delta) -> None:  # the engine's thread, between two tokens
        deltas.append(delta)
        if delta.completion is not None:
            ended.set()

    params = SamplingParams(max_tokens=200, ignore_eos=True, logprobs=5).with_defaults(llm.defaults)
    prompt = llm.encode("Once upon a time")
    llm.engine.submit(Job(prompt, params), on_delta)
    assert ended.wait(60)
    assert deltas[-1].completion is not None and deltas[-1].completion.logprobs is None
    assert max(len(delta.logprobs or ()) for delta in deltas) < 20
    answer = join_deltas(deltas)
    assert answer.logprobs is not None and len(answer.logprobs) == 200
    assert answer.logprobs == llm.generate(prompt, params).logprobs
