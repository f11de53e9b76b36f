"""Models that share a processor take turns."""

import threading

from paths import CHECKPOINTS
from support import wait_until

from model_core import LLM, SamplingParams
from model_core.machine.fair_lock import Turns


def test_who_waits_longest_is_next() -> None:
    turns, order = Turns(), []
    threads = []

    def take_turn(number: int) -> None:
        with turns:
            order.append(number)

    with turns:
        for number in range(5):
            threads.append(threading.Thread(target=take_turn, args=[number]))
            threads[-1].start()
            wait_until(lambda: len(turns._waiting) == len(threads))
    with turns:  # a lock that is not fair would come back here at once
        assert order == list(range(5))
    for thread in threads:
        thread.join(60)
    with turns:
        pass


def test_models_that_share_turns_answer_as_alone() -> None:
    params = SamplingParams(max_tokens=40, temperature=0.8, seed=1, ignore_eos=True)
    prompts = {"embedded": "Once upon a time", "other": [1, 2, 3]}
    turns, answers = Turns(), {}
    with LLM(CHECKPOINTS / "qwen3", threads=2) as other, LLM() as embedded:
        models = {"embedded": embedded, "other": other}
        alone = {name: models[name].generate(prompts[name], params).token_ids for name in models}
        for model in models.values():
            model.model.turns = turns

        def answer(name: str) -> None:
            answers[name] = models[name].generate(prompts[name], params).token_ids

        threads = [threading.Thread(target=answer, args=[name]) for name in models]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert answers == alone


def test_progress_of_loading() -> None:
    parts: list[float] = []
    with LLM(CHECKPOINTS / "qwen3", on_progress=parts.append):
        assert parts == sorted(parts)
        assert 0 < parts[0] < parts[-1] == 1
