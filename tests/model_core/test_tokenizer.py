"""Text in, tokens out, and back, a piece at a time."""

import json
import shutil
from pathlib import Path

import pytest

from model_core.errors import InvalidRequest, ModelError
from model_core.llm import embedded_model
from model_core.tokenizer import TextStream, Tokenizer

TEXTS = [
    "Hello there.",
    "  two spaces, a\ttab\nand a line",
    "naïve café, Straße, Ελλάδα, кофе",
    "日本語とemoji 🦊👩‍👩‍👧 together",
    "def f(x):\n    return x + 1\n",
]


@pytest.fixture(scope="module", params=["embedded", "story", "minueza"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    folder = embedded_model() if request.param == "embedded" else request.getfixturevalue(request.param)
    return Tokenizer(folder)


def stream(tokenizer: Tokenizer, prompt: list[int], ids: list[int], stop: tuple[str, ...] = ()) -> list[str]:
    text = TextStream(tokenizer, prompt, stop)
    pieces = []
    for token in ids:
        pieces.append(text.push(token))
        if text.stopped:
            break
    return [*pieces, text.finish()]


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_whole_and_add_up(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode("Once upon a time, there was " + text)
    whole = tokenizer.decode(ids)
    for cut in range(1, len(ids)):
        prompt = tokenizer.decode(ids[:cut])
        if prompt.endswith("\ufffd"):
            continue  # no text ends inside a character
        pieces = stream(tokenizer, ids[:cut], ids[cut:])
        assert prompt + "".join(pieces) == whole


@pytest.mark.parametrize("text", TEXTS)
def test_an_answer_cut_short_ends_with_a_whole_character(tokenizer: Tokenizer, text: str) -> None:
    prompt = tokenizer.encode("Well:")
    ids = tokenizer.encode("Well:" + text)[len(prompt) :]
    for end in range(1, len(ids)):
        shown = "".join(stream(tokenizer, prompt, ids[:end]))
        assert tokenizer.decode(prompt + ids).startswith(tokenizer.decode(prompt) + shown)
        assert "\ufffd" not in shown


@pytest.mark.parametrize("stop", [(".",), ("the",), ("upon a",), ("zzz", "time, the"), ("pon a time, th",)])
def test_stop_strings_never_show(tokenizer: Tokenizer, stop: tuple[str, ...]) -> None:
    ids = tokenizer.encode("Well. Once upon a time, the end. And more.")
    whole = tokenizer.decode(ids)[len(tokenizer.decode(ids[:5])) :]
    pieces = stream(tokenizer, ids[:5], ids[5:], stop)
    first = min((whole.index(s) for s in stop if s in whole), default=len(whole))
    assert "".join(pieces) == whole[:first]


def test_bytes_of_neighbouring_characters_are_kept_apart(minueza: Path) -> None:
    tokenizer = Tokenizer(minueza)
    prompt, ids = tokenizer.encode("🦊" * 3), tokenizer.encode("🦊" * 5)
    assert "".join(stream(tokenizer, prompt, ids[len(prompt) :])) == "🦊🦊"


def test_what_only_looks_like_a_stop_string_comes_late_but_comes() -> None:
    tokenizer = Tokenizer(embedded_model())
    ids = tokenizer.encode("aab aab aaa")
    assert "".join(stream(tokenizer, [], ids, ("aabb",))) == "aab aab aaa"


def test_texts_of_tokens_are_those_inside_a_text(tokenizer: Tokenizer) -> None:
    text = "There was  a cat, and\nit was the cat."
    ids = tokenizer.encode(text)
    assert "".join(tokenizer.token_text(token_id) for token_id in ids).endswith(text)


def test_hopeless_bytes_are_shown_in_the_end() -> None:
    tokenizer = Tokenizer(embedded_model())
    broken = tokenizer.encode("é")[:1] * 9  # a leading byte, again and again
    if tokenizer.decode(broken[:1]) != "\ufffd":
        pytest.skip("é is a single token here")
    text = "".join(stream(tokenizer, [], broken + tokenizer.encode("ok")))
    assert text.endswith("ok")


def test_chat_template_of_a_real_model(minueza: Path) -> None:
    tokenizer = Tokenizer(minueza)
    ids = tokenizer.encode_chat([{"role": "user", "content": "Hi"}])
    expected = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert "".join(tokenizer.token_text(i) for i in ids[:1]) == "<|im_start|>"
    assert ids == tokenizer._tokenizer.encode(expected, add_special_tokens=False).ids
    assert tokenizer.eos_token_id == 32000


def test_raw_prompts_begin_as_the_model_wants(story: Path) -> None:
    assert Tokenizer(story).encode("Once upon a time")[0] == 1


def template(tmp_path: Path, source: object, **config: object) -> Tokenizer:
    folder = tmp_path / "model"
    shutil.copytree(embedded_model(), folder)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "chat_template": source, **config}))
    return Tokenizer(folder)


def rendered(tokenizer: Tokenizer, *contents: str) -> str:
    messages = [{"role": "user", "content": content} for content in contents]
    return tokenizer._tokenizer.decode(tokenizer.encode_chat(messages), skip_special_tokens=False)


def test_templates_get_what_hugging_face_gives_them(tmp_path: Path) -> None:
    source = (
        "{%- for m in messages %}\n"
        "    {%- if loop.index > 2 %}{% break %}{% endif %}\n"
        "    {%- generation %}{{ m.content | tojson }}{% endgeneration %}\n"
        "{%- endfor %}"
        "{{ strftime_now('%Y') | length }}{{ eos_token }}{% if add_generation_prompt %}!{% endif %}"
    )
    tokenizer = template(tmp_path, source, eos_token={"content": "<|im_end|>"})
    assert rendered(tokenizer, "é<b>", "two", "three") == '"é<b>""two"4<|im_end|>!'


def test_templates_by_name_and_in_a_file_of_their_own(tmp_path: Path) -> None:
    named = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "yes"}]
    tokenizer = template(tmp_path, named)
    assert rendered(tokenizer, "x") == "yes"
    (tmp_path / "model" / "chat_template.jinja").write_text("from a file")
    assert rendered(Tokenizer(tmp_path / "model"), "x") == "from a file"


@pytest.mark.parametrize(
    "source",
    [
        "{{ raise_exception('only one message, please') }}",
        "{{ messages.missing.name }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.system('true') }}",
        "{% for i in range(10**9) %}{% endfor %}",
        "{{ messages.append(1) }}",
        "{{ 1 / 0 }}",
    ],
)
def test_templates_that_refuse_fail_or_attack(tmp_path: Path, source: str) -> None:
    with pytest.raises(InvalidRequest, match="chat template"):
        rendered(template(tmp_path, source), "x")


def test_templates_tell_none_from_undefined(tmp_path: Path) -> None:
    source = "{% if tools is not none %}tools{% endif %}{% if documents is not none %}documents{% endif %}no"
    assert rendered(template(tmp_path, source), "x") == "no"


def test_special_tokens_may_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    tokenizer = template(tmp_path, "{{ bos_token }}", eos_token=None)
    folder = tmp_path / "model"
    (folder / "special_tokens_map.json").write_text('{"bos_token": {"content": "<|im_start|>"}}')
    assert rendered(Tokenizer(folder), "x") == "<|im_start|>"
    assert tokenizer.eos_token_id is None


def test_damaged_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="template"):
        template(tmp_path, "{% if %}")


def test_without_template_chat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no chat template"):
        rendered(template(tmp_path, None), "x")
