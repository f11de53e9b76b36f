"""A model differs from itself in nothing, whatever else the two servers compute meanwhile."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
from click.testing import CliRunner
from in_process import local_server
from mixed_requests import make_mixed
from support import pool_of

from model_core import LLM
from triton_server.api.batches.lines import BatchLine
from triton_server.cli.tritonchat import cli

CLIENTS = 3  # of each server, beside the comparison


@contextmanager
def load_on(urls: list[str]) -> Iterator[list[int]]:
    """Servers that answer other requests all the time. Yields the numbers of those that were answered."""
    ends, answered = threading.Event(), list[int]()

    def ask(client: int) -> None:
        number = 1000 * client
        while not ends.is_set():
            path, body = make_mixed(number, "default")
            answer = httpx.post(urls[client % len(urls)] + path, json=body, timeout=300)
            assert answer.status_code == 200, answer.text
            answered.append(number)
            number += 1

    with ThreadPoolExecutor(CLIENTS * len(urls)) as threads:
        running = [threads.submit(ask, client) for client in range(CLIENTS * len(urls))]
        try:
            yield answered
        finally:
            ends.set()
    for each in running:
        each.result()


def test_model_equals_itself_through_two_loaded_servers(tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    lines = []
    for number in range(24):
        path, body = make_mixed(number, "default")
        del body["receipt"]
        if body.pop("n", None) is None:
            lines.append(BatchLine(custom_id=str(number), method="POST", url=path, body=body))
    file.write_text("".join(line.model_dump_json() + "\n" for line in lines))
    few = LLM(kv_cache_memory=2**25, threads=1, max_concurrency=3, step_time_s=0.001, speculate=4)
    many = LLM(kv_cache_memory=2**26, threads=2)
    for name in ("few", "many"):
        (tmp_path / name).mkdir()
    with (
        local_server(pool_of(few), tmp_path / "few") as a,
        local_server(pool_of(many), tmp_path / "many") as b,
        load_on([a.api_url, b.api_url]) as answered,
    ):
        words = ["diff", a.api_url, b.api_url, str(file), "--min-equal", "100%", "--max-kl", "0"]
        result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0, result.output
    assert f"{len(lines)} requests: 100.0% the same bytes" in result.output and answered
