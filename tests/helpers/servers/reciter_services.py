"""Fixtures of tests that start HTTP services for a reciter (`reciter.py`), whose engine they can hold."""

from collections.abc import Callable, Iterator
from pathlib import Path

import openai
import pytest
from http_service import Service, services
from in_process import served
from reciter import write_reciter
from support import pool_of

from model_core import LLM


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    """The reciter."""
    with LLM(write_reciter(tmp_path_factory.mktemp("reciter") / "reciter"), kv_cache_memory=2**27) as llm:
        yield llm


@pytest.fixture(scope="module")
def grpc_url(model: LLM) -> Iterator[str]:
    """The address of its server."""
    with served(pool_of(model)) as url:
        yield url


@pytest.fixture
def start(grpc_url: str, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts HTTP services with settings of their own, and the same database."""
    with services(grpc_url, tmp_path) as starter:
        yield starter


@pytest.fixture
def gpt(start: Callable[..., Service]) -> openai.OpenAI:
    """OpenAI's client of such a service."""
    return client_of(start())


def client_of(service: Service, key: str = "none") -> openai.OpenAI:
    """OpenAI's client of a service."""
    return openai.OpenAI(base_url=f"{service.url}/v1", api_key=key, max_retries=0)
