"""`tritonchat diff`: where two answers part, how likely each token was there, and what a report shows."""

import json
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from any_receipt import make_any_receipt
from click.testing import CliRunner, Result
from in_process import Endpoints, local_server
from support import pool_of

from model_core import LLM
from model_core.errors import InvalidRequest, QueueFull, TritonchatError
from triton_server.api.batches.lines import BatchLine
from triton_server.cli.tritonchat import cli
from triton_server.receipts.canonical import hash_text, to_canonical
from triton_server.receipts.keys import load_key
from triton_server.receipts.log import ReceiptLog, read_log
from triton_server.receipts.receipt import strip
from triton_server.receipts.signer import ReceiptSigner
from triton_server.replay.answers import ComparedAnswer, Token, prepare_body, read_answer, read_failure
from triton_server.replay.diff import compare, judge_json, make_regex_judge, summarize
from triton_server.replay.logged_requests import read_logged
from triton_server.replay.report import check_limits

CHAT = "/v1/chat/completions"


def line(number: int = 0, url: str = CHAT, **body: Any) -> BatchLine:
    filled = {"messages": [{"role": "user", "content": "Hello"}], **body}
    return BatchLine(custom_id=f"q{number}", method="POST", url=url, body=filled)


def answer_of(*tokens: tuple[str, float], top: dict[str, float] | None = None) -> ComparedAnswer:
    """An answer of tokens with their probabilities; `top`: those of the likeliest ones, at each place."""
    tops = {key: math.log(value) for key, value in (top or {}).items()}
    entries = [Token(text, text, math.log(p), tops or {text: math.log(p)}) for text, p in tokens]
    text = "".join(text for text, _ in tokens)
    return ComparedAnswer(text, entries, json.dumps(text))


def test_equal_answers() -> None:
    answer = answer_of(("a", 0.5), ("b", 0.25))
    found = compare(line(), answer, answer, None)
    assert found.equal and found.same and found.parting is None and found.divergence == 0
    assert answer.perplexity == pytest.approx(math.sqrt(8))


def test_first_token_that_differs_with_the_probabilities_of_both() -> None:
    a = answer_of(("x", 0.5), ("a", 0.5), ("y", 0.5), top={"x": 0.5, "a": 0.5, "b": 0.25})
    b = answer_of(("x", 0.5), ("b", 0.75), top={"x": 0.5, "b": 0.75})
    parting = compare(line(), a, b, None).parting
    assert parting is not None and (parting.place, parting.before, parting.texts) == (1, "x", ("a", "b"))
    (a_in_a, a_in_b), (b_in_a, b_in_b) = parting.probabilities
    assert (a_in_a, b_in_a, b_in_b) == pytest.approx((0.5, 0.25, 0.75)) and a_in_b is None


def test_answer_that_ends_earlier_parts_at_its_end() -> None:
    parting = compare(line(), answer_of(("x", 0.5)), answer_of(("x", 0.5), ("y", 0.5)), None).parting
    assert parting is not None and (parting.place, parting.texts) == (1, ("", "y"))


def test_divergence_is_that_of_what_both_tell_of() -> None:
    a, b = (
        answer_of(("x", 0.5), top={"x": 0.5, "y": 0.25}),
        answer_of(("x", 0.75), top={"x": 0.75, "y": 0.125}),
    )
    expected = 0.5 * math.log(0.5 / 0.75) + 0.25 * math.log(2) + 0.25 * math.log(0.25 / 0.125)
    assert compare(line(), a, b, None).divergence == pytest.approx(expected)


def test_divergence_is_at_most_the_true_one() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        p, q = (np.exp(z) / np.exp(z).sum() for z in random.normal(0, 2, (2, 100)))
        tops = [{str(n): float(x[n]) for n in np.argsort(-x)[:20]} for x in (p, q)]
        a, b = (answer_of((next(iter(top)), next(iter(top.values()))), top=top) for top in tops)
        found = compare(line(), a, b, None).divergence
        assert found is None or 0 <= found <= float(np.sum(p * np.log(p / q))) + 1e-6


def test_judges() -> None:
    assert judge_json('{"a": 1, "b": [2]}', '{"b":[2],"a":1.0}') and not judge_json("{", "{")
    assert not judge_json('{"ok": true}', '{"ok": 1}')
    number = make_regex_judge(r"is (\d+)")
    assert number("It is 7.", "The answer is 7") and not number("is 7", "is 8") and not number("?", "?")
    assert compare(line(), answer_of(("7", 0.5)), answer_of(("7 ", 0.5)), judge_json).same


def test_servers_that_do_not_answer_are_equal_in_nothing() -> None:
    for error, is_equal in ((InvalidRequest("wrong"), True), (QueueFull("the server is full."), False)):
        assert compare(line(), read_failure(error, 0), read_failure(error, 1), None).equal is is_equal


def test_thresholds() -> None:
    answers = answer_of(("a", 0.5)), answer_of(("b", 0.5))
    summary = summarize([compare(line(), *pair, None) for pair in (answers, answers[:1] * 2)])
    assert (summary.equal, summary.first_difference) == (0.5, 0)
    kept = {limit.name: limit.is_kept for limit in check_limits(summary, 0.5, 0.6, 1e9)}
    assert kept == {"--min-equal": True, "--min-same": False, "--max-kl": True}
    assert not check_limits(summary, None, None, None)


@pytest.mark.parametrize(
    ("body", "url"),
    [
        ({"stream": True}, CHAT),
        ({"n": 2}, CHAT),
        ({"prompt": ["a", "b"]}, "/v1/completions"),
        ({"echo": True, "prompt": "a"}, "/v1/completions"),
        ({"input": "a"}, "/v1/embeddings"),
        ({"input": "a"}, "/v1/responses"),
    ],
)
def test_requests_that_cannot_be_compared_are_named(body: dict[str, Any], url: str) -> None:
    with pytest.raises(TritonchatError, match="the request 'q0'"):
        prepare_body(line(url=url, **body), "default")


@pytest.mark.parametrize("answer", [None, {}, {"choices": []}, {"choices": [{"message": 1}]}, []])
def test_answers_of_another_form_are_refused(answer: Any) -> None:
    with pytest.raises(TritonchatError, match="not of OpenAI's form"):
        read_answer(CHAT, answer)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    llm = LLM(kv_cache_memory=2**26, weights="int4", threads=1)
    with local_server(pool_of(llm), tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    questions = ["Hello", "Tell me a story.", "<script>alert(1)</script> & more", "Sing"]
    bodies = [{"messages": [{"role": "user", "content": text}], "temperature": 1.2} for text in questions]
    lines = [line(n, **body, model="default", max_tokens=24) for n, body in enumerate(bodies)]
    prompt = {"prompt": "Once upon a time", "max_tokens": 24, "temperature": 1.2}
    lines.append(BatchLine(custom_id="<b>", method="POST", url="/v1/completions", body=prompt))
    path = tmp_path / "requests.jsonl"
    path.write_text("".join(each.model_dump_json() + "\n" for each in lines))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["diff", *map(str, arguments)])


def test_model_equals_itself_through_a_server(served: Endpoints, requests: Path) -> None:
    result = run("embedded?weights=int4", served.api_url, requests, "--min-equal", "100%", "--max-kl", 0)
    assert result.exit_code == 0, result.output
    assert "5 requests: 100.0% the same bytes" in result.output


def test_another_model_is_reported(served: Endpoints, requests: Path, tmp_path: Path) -> None:
    out = {kind: tmp_path / f"report.{kind}" for kind in ("json", "html")}
    flags = [word for kind, path in out.items() for word in (f"--{kind}", path)]
    result = run("embedded?weights=int8", served.api_url, requests, "--min-equal", "100%", *flags)
    assert result.exit_code == 1 and "--min-equal 1 is not kept" in result.output, result.output
    found = json.loads(out["json"].read_text())
    assert found["summary"]["requests"] == 5 and 0 < found["summary"]["divergence"] < 1
    parted = [each["parting"] for each in found["requests"] if each["parting"] is not None]
    assert parted and not all(each["equal"] for each in found["requests"])
    for parting in parted:
        for own, pair in zip((0, 1), parting["probabilities"], strict=True):
            assert pair[own] is not None and all(value is None or 0 < value <= 1 for value in pair)
            assert all(value is not None for value in pair) or parting["texts"][own] == ""
    page = out["html"].read_text()
    assert "<script" not in page and not re.search(r"(src|href)\s*=|https?://(?!127)|@import|url\(", page)
    assert "default-src 'none'" in page and "<mark" in page and "<b>" not in page


def test_refused_requests_are_answers_too(served: Endpoints, requests: Path) -> None:
    long = {"prompt": "word " * 3000, "max_tokens": 2}
    raw = BatchLine(custom_id="1", method="POST", url="/v1/completions", body=long).model_dump_json()
    requests.write_text(raw + "\n")
    result = run("embedded?weights=int4", served.api_url, requests)
    assert result.exit_code == 0 and "failed 1 and 1" in result.output, result.output


@pytest.mark.parametrize(
    ("a", "message"),
    [
        ("embedded?weight=int4", "weight is no setting here"),
        ("embedded?max_context=x", "should be a whole number"),
        ("http://127.0.0.1:9?weights=int4", "weights is no setting here"),
        ("http://127.0.0.1:9", "no server answers"),
        ("./nothing-here", "nothing-here"),
    ],
)
def test_sides_that_are_not_there_are_named(a: str, message: str, served: Endpoints, requests: Path) -> None:
    result = run(a, served.api_url, requests)
    assert isinstance(result.exception, TritonchatError) and message in str(result.exception)


def test_damaged_requests_and_judges_are_named(served: Endpoints, requests: Path) -> None:
    assert run(served.api_url, served.api_url, requests, "--same-regex", "(").exit_code == 2
    assert run(served.api_url, served.api_url, requests, "--same-regex", "x", "--same-json").exit_code == 2
    requests.write_text("{")
    result = run(served.api_url, served.api_url, requests)
    assert "cannot be answered: line 1 is not JSON" in str(result.exception)


def test_requests_of_a_log_are_compared(served: Endpoints, tmp_path: Path) -> None:
    signer = ReceiptSigner(lambda: tmp_path, log=tmp_path / "log", logs_content=True)
    tool = {"name": "look", "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    asked = {"role": "user", "content": "Hello"}
    bodies = [
        (CHAT, {"messages": [asked], "tools": [{"type": "function", "function": tool}], "temperature": 1.0}),
        (
            CHAT,
            {
                "messages": [
                    asked,
                    {"role": "assistant", "tool_calls": [call]},
                    {"role": "tool", "tool_call_id": "1", "content": "7"},
                ]
            },
        ),
        ("/v1/completions", {"prompt": [5, 6, 7], "seed": 2**63 - 1, "logprobs": 1}),
        ("/v1/completions", {"prompt": "Once", "echo": True}),
        ("/v1/completions", {"prompt": "Once", "logprobs": 0, "prompt_logprobs": 1, "echo": True}),
    ]
    with local_server(pool_of(LLM(kv_cache_memory=2**26, threads=1)), tmp_path, signer) as running:
        for path, body in bodies:
            answer = httpx.post(running.api_url + path, json={**body, "max_tokens": 5}, timeout=60)
            assert answer.status_code == 200, answer.text
        answers = [line.receipt["answer"] for line in read_log(tmp_path / "log") if line.receipt]
        logged = read_logged(tmp_path / "log")
        lines = logged.lines
        again = [httpx.post(running.api_url + line.url, json=line.body, timeout=60) for line in lines]
    signer.close()
    assert list(logged.left_out.values()) == [0, 2] and len(lines) == 3
    assert all(answer.status_code == 200 for answer in again)
    assert len(read_logged(tmp_path / "log", time.time() - 600).lines) == 6  # those of `again`, too
    assert not read_logged(tmp_path / "log", time.time() + 600).lines
    texts = [choice.get("text", (choice.get("message") or {}).get("content")) for choice in map(first, again)]
    assert [hash_text(text or "") for text in texts] == [answer["text_sha256"] for answer in answers[:3]]


def first(answer: httpx.Response) -> dict[str, Any]:
    return answer.json()["choices"][0]


def test_requests_of_a_log_keep_the_model_where_it_matters(tmp_path: Path) -> None:
    """One model may be called otherwise on the other server; several, and adapters, are not the first one."""

    def read(name: str, *models: tuple[str, dict[str, Any]]) -> list[str | None]:
        key, log = load_key(tmp_path), ReceiptLog(tmp_path / name)
        for model, made_of in models:
            whole = make_any_receipt(model, {"messages": "a"})
            signed = {field: value for field, value in strip(whole).items() if field != "signature"}
            signed["model"] = {"name": model, "fingerprint": "fp", "made_of": made_of}
            signed |= {"key": key.public, "log": log.next_place()}
            signed["signature"] = key.sign(to_canonical(signed))
            log.add({**signed, "request": whole["request"]})
        log.close()
        return [prepare_body(line, None)["model"] for line in read_logged(tmp_path / name).lines]

    assert read("one", ("a", {}), ("a", {})) == ["default", "default"]
    assert read("two", ("a", {}), ("b", {})) == ["a", "b"]
    assert read("adapter", ("poet", {"adapter": "x"})) == ["poet"]
