"""Batches whose processes die, whose time is over, or that two services see."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openai
import psutil
from batching import CHAT, TEXT, begin, end_of, read, to_file, to_line
from conftest import Server, running_server
from http_service import HELLO, Service
from openai import OpenAI
from openai.types import Batch
from process_tree import find_process
from reciter_services import client_of
from support import wait_until

from triton_server.conversations.batches import BatchStore
from triton_server.conversations.limits import SessionLimits
from triton_server.conversations.transactions import Database

SHORT = {"model": "default", "prompt": "Once", "max_tokens": 2, "seed": 1}
LONG = {**HELLO, "max_tokens": 10_000, "ignore_eos": True}


def connect_to(server: Server) -> OpenAI:
    return OpenAI(base_url=f"{server.api_url}/v1", api_key="none", max_retries=0)


def ask(question: Callable[[], Any]) -> Any:
    """What a service answers; it may be away for a while."""
    answers: list[Any] = []

    def has_answered() -> bool:
        try:
            answers.append(question())
        except (openai.APIConnectionError, openai.InternalServerError):
            return False
        return True

    wait_until(has_answered)
    return answers[0]


def find(server: Server, name: str) -> psutil.Process:
    """A process of the server, when it runs."""
    found: list[psutil.Process | None] = [None]

    def is_there() -> bool:
        found[0] = find_process(server, name)
        return found[0] is not None

    wait_until(is_there)
    assert found[0] is not None
    return found[0]


def wait_for(client: OpenAI, batch: Batch, count: int) -> None:
    """Wait until so many requests of a batch are done."""

    def are_done() -> bool:
        counts = ask(lambda: client.batches.retrieve(batch.id)).request_counts
        return counts.completed + counts.failed >= count

    wait_until(are_done)


def names_of(client: OpenAI, batch: Batch) -> Counter[str]:
    """The names of the lines of both result files."""
    lines = [*read(client, batch.output_file_id), *read(client, batch.error_file_id)]
    return Counter(line["custom_id"] for line in lines)


def test_nothing_is_lost_or_twice_whichever_process_dies(tmp_path: Path) -> None:
    names = [str(number) for number in range(1000)]
    data = {"log": tmp_path / "log", "XDG_DATA_HOME": str(tmp_path)}
    with running_server(**data) as server:
        client = connect_to(server)
        batch = begin(client, to_file([to_line(name, SHORT, TEXT) for name in names]), TEXT)
        for count, victim in enumerate(("api", "engine", "tritonserver")):
            wait_for(client, batch, 100 * count + 20)
            find(server, victim).kill()
        wait_for(client, batch, 400)
    with running_server(**data) as server:  # the end of the block above has killed all
        client = connect_to(server)
        done = end_of(client, batch)
        assert (done.status, done.request_counts.completed) == ("completed", len(names))
        assert names_of(client, done) == Counter(names)


def test_a_batch_whose_time_is_over_keeps_what_is_done(start: Callable[..., Service], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'batches.db'}"
    client = client_of(start(database=url))
    lines = [to_line("short", HELLO), *(to_line(f"long {number}", LONG) for number in range(40))]
    batch = begin(client, to_file(lines))
    assert batch.expires_at == batch.created_at + 24 * 60 * 60
    wait_for(client, batch, 1)
    database = Database(url)
    store = BatchStore(database, SessionLimits())
    (stored,) = store.list_open()
    store.change(stored, expires_at=batch.created_at)
    database.close()
    done = end_of(client, batch)
    assert (done.status, done.expired_at is not None) == ("expired", True)
    assert [line["custom_id"] for line in read(client, done.output_file_id)] == ["short"]
    assert {line["error"]["code"] for line in read(client, done.error_file_id)} == {"batch_expired"}
    assert names_of(client, done) == Counter(line["custom_id"] for line in lines)


def test_of_two_services_one_answers_and_the_other_takes_over(
    start: Callable[..., Service], tmp_path: Path
) -> None:
    services = [start(process=True) for _ in range(2)]
    clients = [client_of(service) for service in services]
    names = [str(number) for number in range(600)]
    batch = begin(clients[0], to_file([to_line(name, HELLO) for name in names]), CHAT)
    wait_for(clients[1], batch, 20)
    first = next(number for number, service in enumerate(services) if is_writing(service, tmp_path))
    assert not is_writing(services[1 - first], tmp_path)
    services[first].process.kill()
    survivor = clients[1 - first]
    done = end_of(survivor, batch)
    assert (done.status, done.request_counts.completed) == ("completed", len(names))
    assert names_of(survivor, done) == Counter(names)


def is_writing(service: Service, folder: Path) -> bool:
    """Whether a service has a file of the batch open."""
    files = [Path(file.path) for file in service.process.open_files()]
    return any(folder in file.parents and "files" in file.parent.name for file in files)
