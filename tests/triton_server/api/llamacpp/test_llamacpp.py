"""The API of llama.cpp's server, as its clients ask: over one real server with a model that can fill in."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from in_process import Endpoints, local_server
from infill_model import write_infill_model
from support import pool_of

from model_core import LLM, SamplingParams
from model_core.text.infill import InfillText, encode_infill

STORY = "Once upon a time"
SNIPPET = {"text": "def f(): pass\n", "filename": "a.py", "time": [1, 2]}


@pytest.fixture(scope="module")
def coder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LLM]:
    """The model of the server, which closes it."""
    folder = tmp_path_factory.mktemp("coder")
    yield LLM(write_infill_model(folder / "coder"), kv_cache_memory=2**27)


@pytest.fixture(scope="module")
def endpoints(coder: LLM, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoints]:
    with local_server(pool_of(coder), tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture(scope="module")
def web(endpoints: Endpoints) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=endpoints.api_url, timeout=60) as client:
        yield client


def ask(web: httpx.Client, path: str = "/completion", **body: Any) -> Any:
    answer = web.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(web: httpx.Client, path: str = "/completion", **body: Any) -> tuple[str | None, str]:
    """The field that is wrong, and the sentence."""
    answer = web.post(path, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["type"]) == (400, 400, "invalid_request_error")
    return error["param"], error["message"]


def events_of(web: httpx.Client, path: str = "/completion", **body: Any) -> list[dict[str, Any]]:
    answer = web.post(path, json={**body, "stream": True})
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "[DONE]" not in answer.text
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]


def test_answer_is_the_models(web: httpx.Client, coder: LLM) -> None:
    expected = coder.generate(STORY, SamplingParams(max_tokens=9, temperature=0.9, top_k=50, seed=7))
    body = {"prompt": STORY, "n_predict": 9, "temperature": 0.9, "top_k": 50, "seed": 7}
    answer = ask(web, **body, return_tokens=True, cache_prompt=True, id_slot=0)
    assert (answer["content"], answer["tokens"]) == (expected.text, expected.token_ids)
    assert (answer["stop"], answer["stop_type"], answer["stopping_word"]) == (True, "limit", "")
    assert (answer["tokens_predicted"], answer["tokens_evaluated"]) == (9, expected.usage.prompt_tokens)
    assert (answer["prompt"], answer["model"], answer["truncated"]) == (STORY, "coder", False)
    settings = answer["generation_settings"]
    assert (settings["temperature"], settings["top_k"], settings["n_predict"]) == (0.9, 50, 9)
    assert (settings["seed"], settings["top_p"]) == (7, 1.0)
    times = answer["timings"]
    assert times["prompt_n"] + times["cache_n"] == expected.usage.prompt_tokens and times["predicted_n"] == 9
    assert times["predicted_ms"] > 0 and times["predicted_per_second"] > 0
    assert ask(web, **body)["tokens"] == []
    assert ask(web, "/completions", **body)["content"] == expected.text
    again = ask(web, **body)
    assert again["tokens_cached"] == again["timings"]["cache_n"] == expected.usage.prompt_tokens - 1


def test_answer_ends_at_a_word_or_by_itself(web: httpx.Client) -> None:
    whole = ask(web, prompt=STORY, n_predict=30)["content"]
    word = whole.split()[4]
    answer = ask(web, prompt=STORY, n_predict=30, stop=["", word])
    assert (answer["stop_type"], answer["stopping_word"]) == ("word", word)
    assert answer["content"] == whole[: whole.index(word)]
    answer = ask(web, prompt="x", json_schema={"const": "a\nb"})
    assert (answer["content"], answer["stop_type"], answer["has_new_line"]) == ('"a\\nb"', "eos", False)
    grammar = 'root ::= "a\\n" "b"'
    answer = ask(web, prompt="x", grammar=grammar)
    assert (answer["content"], answer["has_new_line"]) == ("a\nb", True)
    assert answer["generation_settings"]["grammar"] == grammar
    assert ask(web, prompt="x", grammar="", n_predict=1)["stop_type"] == "limit"


def test_prompts_are_texts_tokens_or_both(web: httpx.Client, coder: LLM) -> None:
    assert coder.tokenizer is not None
    ids = coder.encode(STORY)
    expected = ask(web, prompt=STORY, n_predict=5)["content"]
    for prompt in (ids, [STORY], {"prompt_string": STORY}, [{"prompt_string": STORY, "multimodal_data": []}]):
        answer = ask(web, prompt=prompt, n_predict=5)
        assert (answer["content"], answer["prompt"]) == (expected, STORY)
    mixed = ["Once", *ids[1:]]
    assert ask(web, prompt=mixed, n_predict=5)["content"] == expected
    answers = ask(web, prompt=[STORY, ids, mixed], n_predict=5, n_cmpl=2, temperature=1.0, seed=3)
    assert [answer["index"] for answer in answers] == [0, 1, 2, 3, 4, 5]
    assert [answer["generation_settings"]["seed"] for answer in answers] == [3, 4] * 3
    assert len({answer["content"] for answer in answers[::2]}) == 1
    events = events_of(web, prompt=[STORY, ids], n_predict=5)
    ends = {event["index"]: event for event in events if event["stop"]}
    assert ends.keys() == {0, 1}
    for number in ends:
        parts = [event["content"] for event in events if event["index"] == number]
        assert "".join(parts) == expected


def test_stream_joins_to_the_answer(web: httpx.Client) -> None:
    body = {"prompt": STORY, "n_predict": 12, "n_probs": 2, "seed": 1}
    whole = ask(web, **body, return_tokens=True)
    *parts, end = events_of(web, **body, timings_per_token=True)
    assert "".join(part["content"] for part in parts) == whole["content"] and end["content"] == ""
    assert [token for part in parts for token in part["tokens"]] == whole["tokens"] and end["tokens"] == []
    told = [entry for part in parts for entry in part["completion_probabilities"]]
    assert told == whole["completion_probabilities"] and "completion_probabilities" not in end
    assert not any(part["stop"] for part in parts) and end["stop"]
    assert [part["tokens_predicted"] for part in parts][-1] == 12 == end["tokens_predicted"]
    assert {part["tokens_evaluated"] for part in parts} == {whole["tokens_evaluated"]}
    assert parts[-1]["timings"]["predicted_n"] == 12
    assert end["generation_settings"]["stream"] and not whole["generation_settings"]["stream"]


def test_probabilities_of_tokens(web: httpx.Client, coder: LLM) -> None:
    answer = ask(web, prompt="Hé", n_predict=4, n_probs=3, return_tokens=True)
    entries = answer["completion_probabilities"]
    assert [entry["id"] for entry in entries] == answer["tokens"]
    for entry in entries:
        assert coder.tokenizer is not None
        assert bytes(entry["bytes"]) == coder.tokenizer.token_bytes(entry["id"])
        assert len(entry["top_logprobs"]) == 3 and entry["logprob"] <= 0
        assert entry["id"] == entry["top_logprobs"][0]["id"]  # sampling is greedy
    assert "completion_probabilities" not in ask(web, prompt="Hé", n_predict=4, n_probs=0)


def test_biases_in_all_forms(web: httpx.Client, coder: LLM) -> None:
    assert coder.tokenizer is not None
    (first,) = ask(web, prompt=STORY, n_predict=1, return_tokens=True)["tokens"]
    forms: list[Any] = [[[first, False]], {str(first): False}, [[first, -100]], {",": -50.0}, [[",", -50]]]
    assert coder.tokenizer.encode(",", False) == [first]
    others = [ask(web, prompt=STORY, n_predict=1, return_tokens=True, logit_bias=bias) for bias in forms]
    assert len({answer["tokens"][0] for answer in others}) == 1 and others[0]["tokens"] != [first]
    assert others[0]["generation_settings"]["logit_bias"] == [{"token": first, "bias": -100.0}]
    word = ask(web, prompt="x", n_predict=1, logit_bias=[["Hello there", 30]], response_fields=["content"])
    assert word["content"] in ("Hello", " there")


def test_only_some_fields_are_answered(web: httpx.Client) -> None:
    paths = ["content", "timings/prompt_n", "generation_settings/n_predict", "nothing", "content/x", ""]
    answer = ask(web, prompt=STORY, n_predict=3, response_fields=paths)
    assert answer.keys() == {"content", "timings/prompt_n", "generation_settings/n_predict"}
    *_, end = events_of(web, prompt=STORY, n_predict=3, response_fields=["stop_type"])
    assert end == {"stop_type": "limit"}
    assert ask(web, prompt=STORY, n_predict=0, response_fields=[""]) == {}


def test_values_of_llama_cpp_that_mean_nothing_here(web: httpx.Client, coder: LLM) -> None:
    body = {
        **{"prompt": STORY, "n_predict": 3, "seed": -1, "top_p": 2.0, "min_p": -1, "top_k": -5},
        **{"temperature": -1.0, "repeat_last_n": 64, "dry_multiplier": 0.0, "dry_base": 1.75, "min_keep": 0},
        **{
            "typical_p": 1.0,
            "mirostat": 0,
            "n_probs": 0,
            "logit_bias": [],
            "stop": [],
            "samplers": ["top_k"],
        },
        **{"t_max_prompt_ms": 500, "speculative.n_max": 16, "n_cache_reuse": 0, "n_keep": 0},
    }
    answer = web.post("/completion", json={**body, "samplers": ["temperature"]})
    assert "X-Ignored-Fields" not in answer.headers
    assert answer.json()["content"] == coder.generate(STORY, SamplingParams(max_tokens=3, temperature=0)).text
    seeds = {ask(web, **body)["generation_settings"]["seed"] for _ in range(2)}
    assert len(seeds) == 2  # random
    assert ask(web, prompt=STORY, n_predict=-1, stop=[" "])["generation_settings"]["n_predict"] == 2048


@pytest.mark.parametrize(
    ("body", "param", "sentence"),
    [
        ({}, "prompt", "prompt is missing."),
        ({"prompt": ""}, "prompt", "prompt is empty."),
        ({"prompt": []}, "prompt", "prompt must hold 1 to 128 prompts, not 0."),
        ({"prompt": ["a"] * 129}, "prompt", "prompt must hold 1 to 128 prompts, not 129."),
        ({"prompt": [1, True]}, "prompt", "prompt must be a text, a list"),
        ({"prompt": [[1], 2.5]}, "prompt", "prompt must be a text, a list"),
        ({"prompt": [-1]}, None, "outside the model's vocabulary"),
        ({"prompt": [10**9]}, None, "outside the model's vocabulary"),
        ({"prompt": [1, *["a"] * 129]}, "prompt", "have 129 texts among tokens; at most 128"),
        ({"prompt": {"prompt_string": "a", "multimodal_data": ["x"]}}, "prompt", "raw prompts are text"),
        ({"prompt": "a", "logit_bias": [["x"]]}, "logit_bias", "logit_bias must be an object"),
        ({"prompt": "a", "logit_bias": [[1, True]]}, "logit_bias", "logit_bias must be an object"),
        ({"prompt": "a", "logit_bias": "x"}, "logit_bias", "logit_bias must be an object"),
        ({"prompt": "a", "logit_bias": [[1, 1e9]]}, "logit_bias[1]", "logit_bias[1] must be at most 100"),
        ({"prompt": "a", "samplers": ["top_q"]}, "samplers", "samplers has 'top_q'; there are penalties"),
        ({"prompt": "a", "samplers": ["top_k", "top_k"]}, "samplers", "a name twice"),
        ({"prompt": "a", "repeat_last_n": 64, "repeat_penalty": 1.1}, "repeat_last_n", "send -1"),
        ({"prompt": "a", "dry_multiplier": -1}, "dry_multiplier", "dry_multiplier"),
        ({"prompt": "a", "post_sampling_probs": True}, "post_sampling_probs", "is not supported"),
        ({"prompt": "a", "lora": [{"id": 0, "scale": 1}]}, "lora", "name the adapter as the model"),
        ({"prompt": "a", "mirostat": 1}, "mirostat", "mirostat must be 0 or 2, not 1."),
        ({"prompt": "a", "grammar": "root ::="}, "grammar", ""),
        ({"prompt": "a", "n_predict": "many"}, None, ""),
        ({"prompt": "a", "n_cmpl": 129}, None, ""),
        ({"prompt": ["a"] * 100, "n_cmpl": 2}, "n", "at most 128"),
        ({"prompt": "a", "response_fields": ["a"] * 257}, "response_fields", ""),
        ({"prompt": "a", "prompt_logprobs": 1}, "prompt_logprobs", "no place for prompt_logprobs"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(
    web: httpx.Client, body: dict[str, Any], param: str | None, sentence: str
) -> None:
    name, message = refusal(web, **body)
    assert sentence in message
    assert param is None or name == param


def test_error_of_a_stream_is_an_event(web: httpx.Client) -> None:
    *_, last = events_of(web, prompt=STORY, n_predict=600, timeout_s=0.02)
    assert last["error"]["code"] == 408 and last["error"]["message"]


def test_prompt_that_is_too_long(web: httpx.Client) -> None:
    answer = web.post("/completion", json={"prompt": "a b " * 2000})
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, "exceed_context_size_error")


def test_answer_that_fills_the_context_says_so(web: httpx.Client, coder: LLM) -> None:
    length = coder.engine.limits.max_context
    answer = ask(web, prompt=[3] * (length - 4), n_predict=50, ignore_eos=True, response_fields=["truncated"])
    assert answer == {"truncated": True}


def test_infill_as_editors_ask(web: httpx.Client, coder: LLM) -> None:
    """The requests of llama.vim and llama.vscode."""
    common = {
        **{"id_slot": 0, "stream": False, "cache_prompt": True, "input_extra": [SNIPPET]},
        **{"t_max_prompt_ms": 500, "t_max_predict_ms": 60_000},
    }
    prepared = {**common, "input_prefix": "", "input_suffix": "", "prompt": "", "n_predict": 0}
    prepared |= {"temperature": 0.0, "samplers": [], "response_fields": [""]}
    assert ask(web, "/infill", **prepared) == {}
    fields = [
        *("content", "timings/prompt_n", "timings/prompt_ms", "timings/prompt_per_token_ms"),
        *("timings/prompt_per_second", "timings/predicted_n", "timings/predicted_ms"),
        *("timings/predicted_per_token_ms", "timings/predicted_per_second", "truncated", "tokens_cached"),
    ]
    request = {
        **{**common, "input_prefix": "Once upon", "prompt": " a time", "input_suffix": "The end.\n"},
        **{"n_predict": 12, "stop": ["\n\n"], "n_indent": 0, "top_k": 40, "top_p": 0.9, "seed": 4},
        **{"samplers": ["top_k", "top_p", "infill"], "response_fields": fields},
    }
    answer = web.post("/infill", json=request)
    assert answer.headers["X-Ignored-Fields"] == "samplers.infill"
    body = answer.json()
    assert list(body) == fields and body["truncated"] is False and body["tokens_cached"] > 0
    text = InfillText(STORY, "The end.\n", [("a.py", SNIPPET["text"])])
    prompt = encode_infill(coder.tokenizer, text)
    params = SamplingParams(
        max_tokens=12, temperature=1.0, top_k=40, top_p=0.9, seed=4, stop_token_ids=prompt.ends
    )
    assert body["content"] == coder.generate(prompt.token_ids, params).text
    assert body["timings/predicted_n"] <= 12


def test_infill_tells_its_prompt_and_streams(web: httpx.Client) -> None:
    body = {"input_prefix": "Once upon", "input_suffix": " the end.", "n_predict": 8}
    answer = ask(web, "/infill", **body)
    assert answer["prompt"] == "<|fim_prefix|>Once upon<|fim_suffix|> the end.<|fim_middle|>"
    *parts, end = events_of(web, "/infill", **body)
    assert "".join(part["content"] for part in parts) == answer["content"]
    assert end["prompt"] == answer["prompt"]
    long = ask(web, "/infill", **{**body, "input_prefix": "word " * 50_000})
    assert long["truncated"] and long["prompt"].startswith("<|fim_prefix|>") and "Once" not in long["prompt"]


def test_infill_ends_at_tokens_of_the_form(web: httpx.Client, coder: LLM) -> None:
    assert coder.tokenizer is not None
    end = coder.tokenizer.token_id("<|file_sep|>")
    body = {"input_prefix": "a", "input_suffix": "b", "n_predict": 5, "logit_bias": [[end, 100]]}
    answer = ask(web, "/infill", **body)
    assert (answer["content"], answer["stop_type"]) == ("", "eos")
    assert ask(web, "/infill", **body, ignore_eos=True)["tokens_predicted"] == 5


@pytest.mark.parametrize(
    ("body", "param", "sentence"),
    [
        ({"input_prefix": "a"}, "input_suffix", "input_suffix is missing."),
        ({"input_suffix": "a"}, "input_prefix", "input_prefix is missing."),
        ({"input_prefix": [1, 2], "input_suffix": ""}, "input_prefix", "must be a string"),
        ({"input_prefix": "a", "input_suffix": "", "input_extra": [{}]}, "input_extra[0].text", "is missing"),
        ({"input_prefix": "a", "input_suffix": "", "input_extra": [{"text": "a"}] * 257}, "input_extra", ""),
        ({"input_prefix": "a", "input_suffix": "", "prompt": [1]}, "prompt", "must be a string"),
        ({"input_prefix": "a", "input_suffix": "b" * 2**21}, None, ""),
        ({"input_prefix": "\ud800", "input_suffix": ""}, None, "half of a surrogate pair"),
    ],
)
def test_infill_that_cannot_be_done(
    web: httpx.Client, body: dict[str, Any], param: str | None, sentence: str
) -> None:
    answer = web.post("/infill", content=json.dumps(body).encode())
    error = answer.json()["error"]
    assert answer.status_code == 400, answer.text
    assert sentence in error["message"] and (param is None or error["param"] == param)


def test_suffix_of_openais_completions(web: httpx.Client) -> None:
    expected = ask(web, "/infill", input_prefix="Once", input_suffix=" end.", n_predict=6)["content"]
    body = {"prompt": "Once", "suffix": " end.", "max_tokens": 6}
    assert ask(web, "/v1/completions", **body)["choices"][0]["text"] == expected
    both = ask(web, "/v1/completions", **{**body, "prompt": ["Once", "Once"]})["choices"]
    assert [choice["text"] for choice in both] == [expected] * 2
    plain = ask(web, "/v1/completions", prompt="Once", max_tokens=6)["choices"]
    empty = ask(web, "/v1/completions", prompt="Once", suffix="", max_tokens=6)["choices"]
    assert plain[0]["text"] == empty[0]["text"] != expected
    extra = {"input_extra": [{"text": "x", "filename": "f"}]}
    usage = ask(web, "/v1/completions", **body, **extra)["usage"]
    assert usage["prompt_tokens"] > ask(web, "/v1/completions", **body)["usage"]["prompt_tokens"]
    for wrong, param in (
        ({"prompt": [1, 2]}, "suffix"),
        ({"echo": True}, "echo"),
        ({"input_extra": [{"text": "a", "time": 1}]}, "input_extra[0].time"),
        ({"prompt": "word " * 5000}, None),
    ):
        answer = web.post("/v1/completions", json={**body, **wrong})
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)
    answer = web.post("/v1/completions", json={"prompt": "a", "input_extra": []})
    assert answer.json()["error"]["message"] == "input_extra needs a suffix."


def test_suffix_of_ollamas_prompts(web: httpx.Client) -> None:
    expected = ask(web, "/infill", input_prefix="Once", input_suffix=" end.", n_predict=6)["content"]
    body = {"model": "default", "prompt": "Once", "suffix": " end.", "stream": False}
    assert ask(web, "/api/generate", **body, options={"num_predict": 6})["response"] == expected
    answer = web.post("/api/generate", json={**body, "system": "Be brief."})
    assert answer.status_code == 400 and "has no system message" in answer.json()["error"]


def test_answers_end_by_indentation(web: httpx.Client) -> None:
    body = {"prompt": "x", "n_predict": 50, "grammar": 'root ::= "if a:\\n    b\\n  c\\nd"'}
    expected = "if a:\n    b\n  "
    answer = ask(web, **body, n_indent=3)
    assert (answer["content"], answer["stop_type"]) == (expected, "limit")
    *parts, end = events_of(web, **body, n_indent=3)
    assert "".join(part["content"] for part in parts) == expected and end["stop_type"] == "limit"
    assert ask(web, **body, n_indent=1)["content"] == "if a:\n    b\n  c\n"
    assert ask(web, **body)["content"] == "if a:\n    b\n  c\nd"


def test_answers_end_by_time_after_a_line_end(web: httpx.Client) -> None:
    body = {"prompt": "x", "grammar": 'root ::= "a\\n" [a-z]{900}', "n_predict": 900, "t_max_predict_ms": 1}
    for answer in ask(web, **body, n_cmpl=8, temperature=1.0):  # so many take seconds
        assert (answer["stop_type"], answer["content"][:2]) == ("limit", "a\n")
        assert answer["tokens_predicted"] < 900
    body |= {"grammar": "root ::= [a-z]{60}"}
    answer = ask(web, **body)
    assert len(answer["content"]) == 60 and answer["stop_type"] == "eos"  # it has no line end


def test_properties_of_the_server(web: httpx.Client, coder: LLM) -> None:
    props = web.get("/props").json()
    limits = coder.engine.limits
    assert props["default_generation_settings"]["n_ctx"] == limits.max_context
    assert props["total_slots"] == limits.max_concurrency and props["infill"] is True
    assert (props["model_path"], props["model_alias"], props["is_sleeping"]) == ("coder", "coder", False)
    assert "<|im_start|>" in props["chat_template"] and props["eos_token"] == "<|im_end|>"
    used = ask(web, prompt="x", n_predict=1)["generation_settings"]
    defaults = props["default_generation_settings"]["params"]
    assert defaults.keys() | {"stream"} == used.keys()
    changed = {"n_predict", "max_tokens", "seed", "stream"}
    assert {name: used[name] for name in defaults.keys() - changed} == {
        name: defaults[name] for name in defaults.keys() - changed
    }
    unknown = web.get("/props", params={"model": "x"})
    assert (unknown.status_code, unknown.json()["error"]["type"]) == (404, "not_found_error")
    assert web.post("/props", json={}).status_code == 405


def test_slots_show_how_far_answers_are(web: httpx.Client, endpoints: Endpoints, coder: LLM) -> None:
    idle = web.get("/slots", params={"fail_on_no_slot": 1}).json()
    assert len(idle) == coder.engine.limits.max_concurrency
    assert not any(slot["is_processing"] for slot in idle) and [slot["id"] for slot in idle[:2]] == [0, 1]
    body = {"prompt": STORY, "n_predict": 950, "ignore_eos": True, "stream": True, "n_cmpl": 30}
    with httpx.stream("POST", f"{endpoints.api_url}/completion", json=body, timeout=60) as answer:
        lines = answer.iter_lines()
        next(lines)
        first, *_, last = web.get("/slots").json()
        lines.close()
    assert first["is_processing"] and first["n_prompt_tokens"] == 4 and first["next_token"]["n_decoded"] > 0
    assert not last["is_processing"] and "next_token" not in last
    assert STORY not in json.dumps(first)


def test_special_tokens_can_be_text(web: httpx.Client) -> None:
    text = "a<|im_end|>b"
    parsed = ask(web, "/tokenize", content=text)["tokens"]
    literal = ask(web, "/tokenize", content=text, parse_special=False)["tokens"]
    assert len(parsed) == 3 and len(literal) > 3
    assert ask(web, "/detokenize", tokens=literal) == {"prompt": text, "content": text}
    assert ask(web, "/tokenize", prompt=text, parse_special=True)["tokens"] == parsed


def test_tokenizer_as_lm_eval_asks(web: httpx.Client, coder: LLM) -> None:
    told = web.get("/tokenizer_info").json()
    assert (told["eos_token"], told["bos_token"]) == ("<|im_end|>", None)
    assert told["model_max_length"] == coder.engine.limits.max_context and told["chat_template"]
    end = ask(web, "/tokenize", prompt=told["eos_token"], add_special_tokens=False)["tokens"]
    assert coder.tokenizer is not None and end == [coder.tokenizer.eos_token_id]


def test_embeddings_have_llamacpps_form(web: httpx.Client) -> None:
    """A list for each input, under both paths and both names of the field."""
    texts = [STORY, "A fox."]
    expected = [entry["embedding"] for entry in ask(web, "/v1/embeddings", input=texts)["data"]]
    for path, name in (("/embedding", "content"), ("/embeddings", "input")):
        answer = ask(web, path, **{name: texts})
        assert [entry["index"] for entry in answer] == [0, 1]
        for entry, vector in zip(answer, expected, strict=True):
            assert entry["embedding"] == [pytest.approx(vector, abs=1e-6)]
    assert len(ask(web, "/embedding", content=[1, 2, 3])) == 1
    (raw,) = ask(web, "/embedding", content=STORY, embd_normalize=-1)
    assert sum(number**2 for number in raw["embedding"][0]) != pytest.approx(1, abs=1e-3)
    assert refusal(web, "/embedding", content=STORY, embd_normalize=0)[0] == "embd_normalize"


def test_openais_routes_have_llamacpps_paths(web: httpx.Client) -> None:
    """llama.cpp's server has them without /v1, too, and tells the measures of its models."""
    question = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3, "seed": 1}
    answers = [
        ask(web, path, **question)["choices"] for path in ("/chat/completions", "/v1/chat/completions")
    ]
    assert answers[0] == answers[1]
    models = web.get("/models").json()
    assert models["object"] == "list"
    assert models == web.get("/v1/models").json()
    meta = models["data"][0]["meta"]
    assert meta["n_ctx"] == models["data"][0]["max_model_len"]
    assert min(meta["n_vocab"], meta["n_params"], meta["size"]) > 0
    assert web.post("/reranking", json={"query": "a", "documents": ["b"]}).status_code == 400  # no reranker
