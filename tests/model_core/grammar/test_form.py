"""Answers of a given form: they always have it, and nothing around a request changes them."""

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import psutil
import pytest
from form_samples import Sample, all_samples
from paths import CHECKPOINTS
from test_engine import submit
from test_rwkv_tokenizer import folder as rwkv_folder  # noqa: F401 - a fixture
from test_scheduler import assert_all_pages_are_released, content, ids, llm_with_pages, totals
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from model_core import LLM, Completion, SamplingParams
from model_core.cache.memory import KVCache
from model_core.cache.page_pool import PagePool
from model_core.checks.request_values import MAX_DEPTH
from model_core.errors import InvalidRequest
from model_core.grammar.constraint import MAX_CACHED_GRAMMARS, GrammarCompiler, write_grammar
from model_core.grammar.trial import GrammarCheck, GrammarFault
from model_core.model.batch import STEP_TOKENS
from model_core.requests.form import MAX_GRAMMAR_LENGTH, Form
from model_core.text.rwkv_tokenizer import RwkvTokenizer

SAMPLES = all_samples()
FIELDS = {f"the_name_of_field_number_{i}": {"type": "integer", "minimum": 0, "maximum": 9} for i in range(20)}
RECORD = Form(
    json_schema={
        "type": "object",
        "properties": FIELDS,
        "required": list(FIELDS),
        "additionalProperties": False,
    }
)
MIXED = Form(
    json_schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]{1,8}$"},
            "kind": {"enum": ["first", "second", "third"]},
            "ages": {
                "type": "array",
                "items": {"type": "integer", "minimum": 0, "maximum": 99},
                "maxItems": 4,
            },
        },
        "required": ["name", "kind", "ages"],
        "additionalProperties": False,
    }
)
# The vocabulary of tiny models: these characters, pairs that become one token, and an end token.
_CHARACTERS = '{}[]":,.-_0123456789abcdefghijklmnopqrstuvwxyzĠĊ'
_MERGES = [('"', ":"), ('"', ","), ("n", "a"), ("na", "m"), ("k", "i"), ("nam", "e"), ("a", "g"), ("s", '"')]
FAMILIES = ["llama-bfloat16", "mistral-window", "gemma4", "rwkv7", "qwen3-next", "lfm2-biases"]


def params(form: Form, **others: Any) -> SamplingParams:
    return SamplingParams(form=form, **{"temperature": 2.0, "seed": 3, "max_tokens": 600, **others})


def assert_has_form(form: Form, completion: Completion) -> None:
    """Check an answer: whole if it has ended, else the start of one that has the form."""
    sample = Sample("", form)
    assert completion.error is None
    if completion.finish_reason == "stop":
        assert sample.accepts(completion.text), completion.text
    else:
        assert sample.accepts_start(completion.text), completion.text


def text_model(folder: Path, name: str) -> Path:
    """A tiny checkpoint of random weights, with a tokenizer for its 64 tokens."""
    shutil.copytree(CHECKPOINTS / name, folder)
    vocabulary = {token: i for i, token in enumerate([*_CHARACTERS, *map("".join, _MERGES)])}
    tokenizer = Tokenizer(models.BPE(vocabulary, _MERGES))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken("<|end|>", special=True)])
    tokenizer.save(str(folder / "tokenizer.json"))
    end = {"eos_token_id": tokenizer.token_to_id("<|end|>")}
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **end}))
    (folder / "generation_config.json").write_text(json.dumps(end))
    return folder


@pytest.fixture
def compiler(llm: LLM) -> GrammarCompiler:
    """For the embedded model, with nothing compiled yet."""
    return GrammarCompiler(llm.tokenizer, llm.model.config.vocab_size, {2, 0})


def test_there_are_enough_forms() -> None:
    assert len({sample.name for sample in SAMPLES}) == 300


def test_answers_have_their_form(llm: LLM) -> None:
    chosen = [sample for sample in SAMPLES[::10] for _ in range(2)]
    all_params = [params(sample.form, seed=seed) for seed, sample in enumerate(chosen)]
    completions = llm.generate(["Hello"] * len(chosen), all_params)
    for sample, completion in zip(chosen, completions, strict=True):
        assert_has_form(sample.form, completion)
    ended = sum(completion.finish_reason == "stop" for completion in completions)
    assert ended >= 0.8 * len(completions)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"logprobs": 2},
        {"top_k": 40, "top_p": 0.9},
        {"min_p": 0.1},
        {"temperature": 0},
        {"repetition_penalty": 1.5, "presence_penalty": 1.0},
    ],
    ids=str,
)
def test_answers_are_the_same_alone_and_among_others(llm: LLM, settings: dict[str, Any]) -> None:
    forms = [MIXED, RECORD, Form(regex="[a-z]{2,9} [0-9]{2}"), Form(choice=["one", "two", "twelve"])]
    prompts = [f"Number {i}. " * (1 + i % 3) for i in range(len(forms))]
    all_params = [params(form, **settings) for form in forms]
    together = llm.generate([*prompts, "Hello", "Hi"], [*all_params, SamplingParams(), SamplingParams()])
    for prompt, one, completion in zip(prompts, all_params, together, strict=False):
        assert content(llm.generate(prompt, one)) == content(completion)
        assert_has_form(one.form, completion)


def test_tokens_are_the_same_with_log_probabilities(llm: LLM) -> None:
    """Which need the logits of each token, so that none can be computed together with the one before."""
    for form in (MIXED, RECORD):
        plain, detailed = llm.generate("Hello", params(form)), llm.generate("Hello", params(form, logprobs=0))
        assert plain.token_ids == detailed.token_ids
        assert [entry.token_id for entry in detailed.logprobs] == detailed.token_ids


@pytest.mark.parametrize("name", FAMILIES)
def test_forms_in_every_kind_of_model(name: str, tmp_path: Path) -> None:
    """Alone, together, with little memory so that requests are preempted, and with drafts."""
    folder = text_model(tmp_path / "model", name)
    prompts = [ids(size, size) for size in (1, 17, 33, 60, 5, 40)]
    all_params = [params(MIXED, seed=seed, max_tokens=100) for seed in range(len(prompts))]
    with LLM(folder, max_concurrency=8) as llm:
        expected = [
            content(llm.generate(prompt, one)) for prompt, one in zip(prompts, all_params, strict=True)
        ]
        for completion in llm.generate(prompts, all_params):
            assert_has_form(MIXED, completion)
        assert [content(c) for c in llm.generate(prompts, all_params)] == expected
        assert totals(llm)["forced_tokens"] > 0
        assert_all_pages_are_released(llm)
        longest = PagePool(KVCache(llm.model.kv_groups, 1)).max_pages(60 + 100, STEP_TOKENS)
    with llm_with_pages(folder, longest, max_concurrency=8, speculate=6) as small:
        assert [content(c) for c in small.generate(prompts, all_params)] == expected
        if name not in ("mistral-window", "rwkv7"):  # which need little memory, or none
            assert totals(small)["preemptions"] > 0
        assert_all_pages_are_released(small)


def test_drafts_do_not_change_answers(llm: LLM) -> None:
    lists = Form(
        json_schema={
            "type": "array",
            "items": {"enum": ["again", "again and again"]},
            "minItems": 20,
            "maxItems": 40,
        }
    )
    no_way_back = Form(grammar='start: a "."\na[max_tokens=30]: /(ab|ba)+/')  # llguidance cannot undo a token
    with LLM(speculate=5) as drafting:
        for form in (lists, RECORD, MIXED, no_way_back):
            for settings in ({}, {"temperature": 0}, {"logprobs": 1}):
                expected = llm.generate("again and again", params(form, **settings))
                assert content(drafting.generate("again and again", params(form, **settings))) == content(
                    expected
                )
        assert totals(drafting)["accepted_tokens"] > 20


@pytest.mark.parametrize("value", [1234567890123456789, [-(2**63), 2**64], {"a": 0.09649554245875569}])
def test_numbers_of_a_schema_are_written_as_they_are(llm: LLM, value: Any) -> None:
    """llguidance alone rounds integers beyond 2^53, and some floats by one unit in the last place."""
    for schema in (
        {"const": value},
        {"enum": [value]},
        {"type": ["array", "object", "number"], "enum": [value]},
    ):
        form = Form(json_schema=schema, strict=True)
        assert json.loads(llm.generate("Hello", params(form)).text) == value


def test_tokens_that_must_follow_need_no_step(llm: LLM) -> None:
    before = totals(llm)
    completion = llm.generate("Hello", params(RECORD))
    steps, forced = (totals(llm)[name] - before[name] for name in ("steps", "forced_tokens"))
    assert len(json.loads(completion.text)) == 20
    assert forced > 0.6 * len(completion.token_ids)
    assert steps <= len(completion.token_ids) - forced + 1


def test_answer_ends_at_its_largest_length(llm: LLM) -> None:
    whole = llm.generate("Hello", params(RECORD))
    for count in range(1, 40):
        completion = llm.generate("Hello", params(RECORD, max_tokens=count))
        assert (completion.finish_reason, completion.token_ids) == ("length", whole.token_ids[:count])
        assert whole.text.startswith(completion.text)
    exact = llm.generate("Hello", params(RECORD, max_tokens=len(whole.token_ids)))
    assert (exact.finish_reason, exact.text) == ("stop", whole.text)


def test_stop_string_ends_an_answer_in_text_that_must_follow(llm: LLM) -> None:
    whole = llm.generate("Hello", params(RECORD))
    for stop in ("name_of", "field_number_7", "}"):
        completion = llm.generate("Hello", params(RECORD, stop=[stop]))
        assert completion.finish_reason == "stop"
        assert completion.text == whole.text[: whole.text.index(stop)]


def test_end_token_ends_an_answer_where_the_form_allows_it(llm: LLM) -> None:
    end = {2: 100.0}
    letters = Form(regex="[a-z]{3,60}")
    completion = llm.generate("Hello", params(letters, logit_bias=end, temperature=0))
    assert 3 <= len(completion.text) < 20
    assert (completion.finish_reason, completion.token_ids[-1]) == ("stop", 2)
    completion = llm.generate("Hello", params(letters, logit_bias=end, temperature=0, ignore_eos=True))
    assert (completion.finish_reason, len(completion.text)) == ("stop", 60)


def test_bias_does_not_leave_the_form(llm: LLM) -> None:
    colour = Form(choice=["red", "green", "blue"])
    for word in ("red", "green", "blue"):
        bias = dict.fromkeys([*llm.encode(word), *llm.encode("purple"), llm.encode(word[0])[0]], 100.0)
        assert llm.generate("Hello", params(colour, logit_bias=bias)).text == word


def test_names_of_control_tokens_are_text(llm: LLM) -> None:
    form = Form(
        json_schema={
            "type": "array",
            "prefixItems": [{"const": "<|im_end|>"}] * 2,
            "minItems": 2,
            "items": False,
        }
    )
    completion = llm.generate("Hello", params(form))
    assert json.loads(completion.text) == ["<|im_end|>"] * 2
    assert completion.finish_reason == "stop"


def test_models_without_an_end_token(endless_model: Path) -> None:
    with LLM(endless_model) as llm:
        completion = llm.generate("Hello", params(Form(regex="[!-~]{2,5}")))
        assert (completion.finish_reason, len(completion.text)) == ("stop", 5)


def test_rwkv_tokenizers_and_vocabularies_that_are_padded(rwkv_folder: Path) -> None:  # noqa: F811
    tokenizer, grammar = (
        RwkvTokenizer.from_folder(rwkv_folder),
        write_grammar(Form(choice=["then there", "日本"])).text,
    )
    constraint = GrammarCompiler(tokenizer, 400, {0}).compile(grammar, ignores_end=False)
    assert constraint.forced_tokens() == []
    for token in tokenizer.encode("th"):
        constraint.accept(token)
    forced = constraint.forced_tokens()
    assert tokenizer.decode(forced) == "en there"
    for token in forced:
        constraint.accept(token)
    assert constraint.has_ended


# Each rule needs a piece of llguidance's stack.
_CHAIN = Form(grammar="\n".join(["start: r0", *(f"r{i}: r{i + 1}" for i in range(5000)), 'r5000: "a"']))
WRONG = {
    "unknown type": (Form(json_schema={"type": "strin"}), "strin"),
    "unknown format": (Form(json_schema={"type": "string", "format": "colour"}), "colour"),
    "keyword that is not supported": (Form(json_schema={"uniqueItems": True}), "uniqueItems"),
    "no JSON is valid": (Form(json_schema=False), "false"),
    "contradiction": (Form(json_schema={"type": "integer", "minimum": 3, "maximum": 2}), "minimum"),
    "missing definition": (Form(json_schema={"$ref": "#/$defs/a"}), r"\$defs/a"),
    "other file": (Form(json_schema={"$ref": "file:///etc/passwd"}), "file:///etc/passwd"),
    "no regular expression": (Form(regex="(a"), "unclosed group"),
    "lookahead": (Form(regex="(?=a)b"), "look-around"),
    "no grammar": (Form(grammar="an answer with verbs"), "grammar|start|Expected"),
    "missing rule in Lark": (Form(grammar="start: a"), '"a"'),
    "missing rule in GBNF": (Form(grammar="root ::= a"), "`a`"),
    "empty text": (Form(choice=[""]), "no text"),
    "too large": (Form(choice=["a" * 200_000]), "at most"),
    "too large when it is compiled": (Form(regex="((a{500}){500}b){500}c"), "longer than"),
    "slow": (Form(json_schema={"type": "integer", "multipleOf": 99_999_999}), "too many digits"),
    "deeper than the stack": (_CHAIN, "too complex"),
    "no end": (Form(json_schema={"$ref": "#"}), "leads back to itself"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_forms_are_refused(llm: LLM, case: str) -> None:
    form, message = WRONG[case]
    with pytest.raises(InvalidRequest, match=message) as error:
        llm.generate("Hello", params(form))
    assert error.value.param in ("form", "form.json_schema")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"regex": "a", "choice": ["a"]},
        {"choice": []},
        {"choice": "a"},
        {"regex": 1},
        {"json_object": False},
        {"json_schema": "{}"},
        {"pattern": "a"},
        {"regex": "a" * (MAX_GRAMMAR_LENGTH + 1)},
        {"grammar": "a" * (MAX_GRAMMAR_LENGTH + 1)},
        {"choice": ["\ud800"]},
        {"json_schema": {"const": "\ud800"}},
        {"json_schema": {"properties": {"\ud800": {}}}},
        {"json_schema": {"const": float("nan")}},
        {"json_schema": json.loads('{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1))},
    ],
    ids=lambda values: ascii(values)[:30],
)
def test_form_has_exactly_one_field(values: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest) as error:
        SamplingParams(form=values)
    assert error.value.param.startswith("form")


def test_process_that_tries_grammars_ends_with_the_model() -> None:
    def processes() -> list[psutil.Process]:
        children = psutil.Process().children()
        return [child for child in children if any("trial_program" in part for part in child.cmdline())]

    before = processes()
    with LLM() as llm:
        assert processes() == before
        for form in (Form(regex="a"), _CHAIN, Form(regex="b")):
            with contextlib.suppress(InvalidRequest):
                assert llm.generate("Hello", params(form)).text == form.regex
        assert len(processes()) == len(before) + 1
    assert processes() == before


def test_models_without_a_tokenizer_refuse_forms() -> None:
    with LLM(CHECKPOINTS / "llama-tied-gqa") as llm, pytest.raises(InvalidRequest, match="no tokenizer"):
        llm.generate([1, 2], params(MIXED))


def test_forms_that_become_too_complex_fail_alone(llm: LLM) -> None:
    # The last letter ends all rules that each letter before has begun.
    rules = [f'x{i}: "a" x{i} | "c"' for i in range(60)]
    deep = Form(grammar="\n".join([f"start: {' | '.join(f'x{i}' for i in range(60))}", *rules]))
    many_letters = {"logit_bias": {llm.encode("a")[0]: 100.0}, "frequency_penalty": 2.0, "temperature": 0}
    healthy = submit(llm, "Hello", params(MIXED))
    with pytest.raises(InvalidRequest, match="too complex"):
        llm.generate("Hello", params(deep, **many_letters))
    assert_has_form(MIXED, healthy.completion())


def test_compiled_forms_are_kept_up_to_a_number(
    compiler: GrammarCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, find_fault = [], GrammarCheck.find_fault

    def note_grammars(check: GrammarCheck, grammars: list[str]) -> GrammarFault | None:
        compiled.extend(grammars)
        return find_fault(check, grammars)

    monkeypatch.setattr(GrammarCheck, "find_fault", note_grammars)
    grammars = [write_grammar(Form(regex=f"a{{1,{i + 2}}}")).text for i in range(MAX_CACHED_GRAMMARS + 5)]
    oldest = grammars[-MAX_CACHED_GRAMMARS]
    for grammar in (*grammars, *grammars[-3:], oldest, grammars[0]):
        constraint = compiler.compile(grammar, ignores_end=False)
        constraint.accept(constraint.forced_tokens()[0])  # changes no other answer's
    assert compiled == [*grammars, grammars[0]]


def test_an_answer_at_a_dead_end_is_what_was_valid(llm: LLM) -> None:
    # After the letter z nothing fits. What tries grammars chooses at random, and does not get there.
    form = Form(grammar='start: /[a-y]/ | "z" NOTHING\nNOTHING: /b/ & /d/')
    completion = llm.generate("Hello", params(form, logit_bias={llm.encode("z")[-1]: 100.0}, temperature=0))
    assert (completion.text, completion.finish_reason, completion.error) == ("z", "length", None)


def test_drafts_do_not_lead_to_a_dead_end(llm: LLM) -> None:
    """The prompt says that z follows, after which nothing may. Where it does not, the answer goes on."""
    rules = 'start: /[ab]/ /[cd]/ /[ef]/ /[gh]/ (/[i-y]/ /[ab]/{3} | "z" NOTHING)\nNOTHING: /c/ & /d/'
    ids = {letter: llm.encode(letter)[-1] for letter in "acegiz"}
    form, prompt = Form(grammar=rules), [ids[letter] for letter in "acegz" * 3]
    biases = {ids[letter]: 90.0 for letter in "acegi"} | {ids["z"]: 74.0}
    settings = {"temperature": 1.0, "max_tokens": 12, "logit_bias": biases}
    reasons = set()
    with LLM(speculate=4) as drafting:
        for seed in range(12):
            expected = llm.generate(prompt, params(form, seed=seed, **settings))
            completion = drafting.generate(prompt, params(form, seed=seed, **settings))
            assert content(completion) == content(expected)
            reasons.add(completion.finish_reason)
        assert totals(drafting)["drafted_tokens"] > 0
    assert reasons == {"stop", "length"}


def test_the_usage_names_what_of_a_schema_is_not_enforced(llm: LLM) -> None:
    properties = {"a": {"type": "integer", "not": {"const": 1}}}
    schema = {"type": "object", "properties": properties, "required": ["a"]}
    completion = llm.generate("Hello", params(Form(json_schema=schema, strict=False)))
    assert completion.usage.ignored_schema == ("form.json_schema.properties.a.not",)
    assert llm.generate("Hello", params(Form(regex="a"))).usage.ignored_schema == ()
    with pytest.raises(InvalidRequest, match=r"properties\.a\.not"):
        llm.generate("Hello", params(Form(json_schema=schema)))
