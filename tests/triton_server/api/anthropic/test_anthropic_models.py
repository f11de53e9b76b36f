"""The models that are served, as Anthropic's client lists them; other clients see OpenAI's form."""

from collections.abc import Iterator
from datetime import datetime, timezone

import anthropic
import httpx
import openai
import pytest
from in_process import Endpoints

from model_core import LLM
from triton_server.api.anthropic.models import list_page
from triton_server.api.errors import ApiError
from triton_server.api.served_models import ModelInfo


@pytest.fixture(scope="module")
def claude(several: Endpoints) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(base_url=several.api_url, api_key="none", max_retries=0) as client:
        yield client


def test_models_are_listed_and_found(claude: anthropic.Anthropic, llm: LLM) -> None:
    models = list(claude.models.list())
    assert [model.id for model in models] == ["embedded", "speaker", "broken"]
    first, *_, last = models
    assert (first.type, first.display_name, first.lifecycle) == ("model", "embedded", "active")
    assert first.max_input_tokens == llm.engine.limits.max_context and last.max_input_tokens is None
    assert first.created_at.tzinfo is not None and first.created_at <= datetime.now(timezone.utc)
    assert claude.models.retrieve("speaker") == models[1]
    assert claude.models.retrieve("default") == first


def test_pages_go_on_until_the_last_model(claude: anthropic.Anthropic) -> None:
    page = claude.models.list(limit=2)
    assert (page.has_more, page.first_id, page.last_id) == (True, "embedded", "speaker")
    assert [model.id for model in page] == ["embedded", "speaker", "broken"]  # with the next page
    assert [model.id for model in claude.models.list(after_id="embedded").data] == ["speaker", "broken"]
    before = claude.models.list(before_id="broken", limit=1)
    assert ([model.id for model in before.data], before.has_more) == (["speaker"], True)
    assert [model.id for model in before] == ["speaker", "embedded"]
    assert claude.models.list(lifecycle=["retired"]).data == []
    assert len(claude.models.list(lifecycle=["active", "retired"]).data) == 3


def test_errors_have_the_form_of_the_client(claude: anthropic.Anthropic, several: Endpoints) -> None:
    with pytest.raises(anthropic.NotFoundError) as missing:
        claude.models.retrieve("nobody/at/home")
    body = missing.value.body
    assert isinstance(body, dict) and body["type"] == "error" and body["error"]["type"] == "not_found_error"
    with pytest.raises(anthropic.BadRequestError, match="after_id names no model"):
        claude.models.list(after_id="nobody")
    with pytest.raises(anthropic.BadRequestError, match="limit"):
        claude.models.list(limit=0)
    other = httpx.get(f"{several.api_url}/v1/models/nobody", timeout=60).json()
    assert other["error"]["code"] == "model_not_found"


def test_other_clients_see_openais_form(several: Endpoints) -> None:
    client = openai.OpenAI(base_url=f"{several.api_url}/v1", api_key="none", max_retries=0)
    assert [model.id for model in client.models.list()] == ["embedded", "speaker", "broken"]
    body = httpx.get(f"{several.api_url}/v1/models", timeout=60).json()
    assert body.keys() == {"object", "data"} and body["data"][0]["object"] == "model"
    assert client.models.retrieve("speaker").owned_by == "tritonchat"


def test_a_page_has_the_models_beside_its_cursor() -> None:
    models = [ModelInfo(name, None, 0) for name in "abcde"]

    def names(**where: str) -> tuple[str, bool]:
        page = list_page(models, 2, **where)
        return "".join(model.id for model in page.data), page.has_more

    assert names() == ("ab", True) and names(after_id="b") == ("cd", True) == names(after_id="b")
    assert names(after_id="d") == ("e", False) and names(after_id="e") == ("", False)
    assert names(before_id="c") == ("ab", False) and names(before_id="e") == ("cd", True)
    assert names(before_id="a") == ("", False)
    with pytest.raises(ApiError, match="before_id names no model"):
        names(before_id="x")
