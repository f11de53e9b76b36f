"""Many mixed requests together: each receipt verifies on a server that computes everything otherwise."""

import random
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import pytest
from adapters import write_adapter
from in_process import Endpoints, local_server
from mixed_requests import make_mixed

from model_core import LLM
from triton_server.engine.models.answer_cache import AnswerCache
from triton_server.engine.models.local_engine import LocalEngine
from triton_server.engine.models.model_pool import ModelPool
from triton_server.engine.models.model_slot import ModelSlot
from triton_server.engine.models.slot_adapters import SlotAdapters
from triton_server.receipts.canonical import to_canonical
from triton_server.receipts.log import read_log
from triton_server.receipts.receipt import ReceiptError, read_receipt
from triton_server.receipts.signer import ReceiptSigner

COUNT = 200


def serve(llm: LLM, adapter: Path, folder: Path, **more: Any) -> Any:
    slot = ModelSlot(
        "embedded", lambda on_progress: LocalEngine(llm), None, SlotAdapters({"changed": str(adapter)})
    )
    folder.mkdir()
    return local_server(ModelPool([slot]), folder, **more)


@pytest.mark.parametrize("count", [COUNT])
def test_mixed_receipts_verify_on_another_replica(llm: LLM, tmp_path: Path, count: int) -> None:
    adapter = write_adapter(llm, tmp_path / "adapter", seed=1, std=0.5)
    adapters = {"changed": adapter}
    signer = ReceiptSigner(lambda: tmp_path, log=tmp_path / "log", logs_content=True)
    cache = AnswerCache(tmp_path / "answers", 2**24)

    def ask(served: Endpoints, number: int) -> list[dict[str, Any]]:
        path, body = make_mixed(number)
        answer = httpx.post(served.api_url + path, json=body, timeout=300)
        assert answer.status_code == 200, answer.text
        return [choice["receipt"] for choice in answer.json()["choices"]]

    first = LLM(kv_cache_memory=2**26, adapters=adapters, threads=2)
    with (
        serve(first, adapter, tmp_path / "first", receipts=signer, answers=cache) as served,
        ThreadPoolExecutor(32) as threads,
    ):
        receipts = list(chain.from_iterable(threads.map(lambda number: ask(served, number), range(count))))
    signer.close()
    cache.close()
    lines = list(read_log(tmp_path / "log"))
    assert len(lines) == len(receipts) and not any(line.fault for line in lines)

    def verify(served: Endpoints, receipt: dict[str, Any]) -> str:
        body = {"receipt": receipt}
        answer = httpx.post(f"{served.api_url}/v1/receipts/verify", json=body, timeout=300)
        assert answer.status_code == 200, answer.text
        return "" if answer.json()["equal"] else answer.json()["message"]

    # With drafts, small steps, few requests together and little memory.
    settings = {"speculate": 4, "step_time_s": 0.001, "max_concurrency": 3, "threads": 1}
    second = LLM(kv_cache_memory=2**24, adapters=adapters, **settings)
    with serve(second, adapter, tmp_path / "second") as served, ThreadPoolExecutor(8) as threads:
        assert not list(filter(None, threads.map(lambda receipt: verify(served, receipt), receipts)))

    chance = random.Random(1)
    for receipt in receipts:
        raw = to_canonical(receipt)
        for place in chance.sample(range(len(raw)), 20):
            changed = raw[:place] + bytes([raw[place] ^ (1 << chance.randrange(8))]) + raw[place + 1 :]
            with pytest.raises(ReceiptError):
                read_receipt(changed)
