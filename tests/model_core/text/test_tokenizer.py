"""Text to tokens and back, and streams of text."""

import json
import shutil
from pathlib import Path

import pytest

from model_core.chat.chat_tokenizer import ChatTokenizer
from model_core.chat.template import has_default_template
from model_core.errors import InvalidRequest, ModelError
from model_core.files.tokenizers.folder import open_folder_tokenizer
from model_core.hub import embedded_model
from model_core.requests.messages import Message
from model_core.text.stream import TextStream
from model_core.text.tokenizer import Tokenizer

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
    return open_folder_tokenizer(folder).tokenizer


def stream(tokenizer: Tokenizer, prompt: list[int], ids: list[int], stop: tuple[str, ...] = ()) -> list[str]:
    return push_all(TextStream(tokenizer, prompt, stop), ids)


def push_all(text: TextStream, ids: list[int]) -> list[str]:
    deltas = []
    for token in ids:
        deltas.append(text.push(token))
        if text.has_stopped:
            break
    return [*deltas, text.finish()]


@pytest.mark.parametrize("text", TEXTS)
def test_deltas_are_whole_characters_and_make_up_the_text(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode("Once upon a time, there was " + text)
    expected = tokenizer.decode(ids)
    for cut in range(1, len(ids)):
        prompt = tokenizer.decode(ids[:cut])
        if prompt.endswith("\ufffd"):
            continue  # no text ends inside a character
        deltas = stream(tokenizer, ids[:cut], ids[cut:])
        assert prompt + "".join(deltas) == expected


@pytest.mark.parametrize("text", TEXTS)
def test_shortened_answer_ends_with_a_whole_character(tokenizer: Tokenizer, text: str) -> None:
    prompt = tokenizer.encode("Well:")
    ids = tokenizer.encode("Well:" + text)[len(prompt) :]
    for end in range(1, len(ids)):
        shown = "".join(stream(tokenizer, prompt, ids[:end]))
        assert tokenizer.decode(prompt + ids).startswith(tokenizer.decode(prompt) + shown)
        assert "\ufffd" not in shown


@pytest.mark.parametrize("stop", [(".",), ("the",), ("upon a",), ("zzz", "time, the"), ("pon a time, th",)])
def test_stop_strings_are_not_in_the_text(tokenizer: Tokenizer, stop: tuple[str, ...]) -> None:
    ids = tokenizer.encode("Well. Once upon a time, the end. And more.")
    answer = tokenizer.decode(ids)[len(tokenizer.decode(ids[:5])) :]
    text = TextStream(tokenizer, ids[:5], stop)
    deltas = push_all(text, ids[5:])
    first, found = min(((answer.index(s), s) for s in stop if s in answer), default=(len(answer), None))
    assert "".join(deltas) == answer[:first]
    assert text.stop_string == found


def test_neighbouring_multibyte_characters_are_decoded_separately(minueza: Path) -> None:
    tokenizer = Tokenizer.from_folder(minueza)
    prompt, ids = tokenizer.encode("🦊" * 3), tokenizer.encode("🦊" * 5)
    assert "".join(stream(tokenizer, prompt, ids[len(prompt) :])) == "🦊🦊"


def test_kept_special_tokens_are_part_of_the_text() -> None:
    tokenizer = Tokenizer.from_folder(embedded_model())
    mark = tokenizer.encode("<|im_start|>")[0]
    ids = [*tokenizer.encode("Well, "), mark, *tokenizer.encode("yes 🦊"), mark, *tokenizer.encode("🦊")]
    for kept, expected in (({mark: "[X]"}, "Well, [X]yes 🦊[X]🦊"), ({}, "Well, yes 🦊🦊")):
        text = TextStream(tokenizer, [], kept_tokens=kept)
        assert "".join([*map(text.push, ids), text.finish()]) == expected
    # The first bytes of a character that ends there are left out.
    cut = [*tokenizer.encode("a🦊")[:-1], mark, *tokenizer.encode("b")]
    text = TextStream(tokenizer, [], ("]b",), {mark: "[X]"})
    assert "".join([*map(text.push, cut), text.finish()]) == "a[X"


def test_first_stop_string_of_a_text_ends_it_whatever_their_order() -> None:
    tokenizer = Tokenizer.from_folder(embedded_model())
    for stops in (("b", "a"), ("a", "b")):
        text = TextStream(tokenizer, [], stops, {0: "one a two b"})
        assert (text.push(0), text.stop_string) == ("one ", "a")


def test_start_of_a_stop_string_is_delivered_later() -> None:
    tokenizer = Tokenizer.from_folder(embedded_model())
    ids = tokenizer.encode("aab aab aaa")
    assert "".join(stream(tokenizer, [], ids, ("aabb",))) == "aab aab aaa"


def test_token_text_is_the_text_inside_a_text(tokenizer: Tokenizer) -> None:
    text = "There was  a cat, and\nit was the cat."
    ids = tokenizer.encode(text)
    assert "".join(tokenizer.token_text(token_id) for token_id in ids).endswith(text)


def test_text_goes_on_after_invalid_bytes() -> None:
    tokenizer = Tokenizer.from_folder(embedded_model())
    broken = tokenizer.encode("é")[:1] * 9  # a leading byte, again and again
    if tokenizer.decode(broken[:1]) != "\ufffd":
        pytest.skip("é is a single token here")
    text = "".join(stream(tokenizer, [], broken + tokenizer.encode("ok")))
    assert text.endswith("ok")


def test_chat_template_of_a_published_model(minueza: Path) -> None:
    chat_tokenizer = open_folder_tokenizer(minueza)
    tokenizer = chat_tokenizer.tokenizer
    ids = chat_tokenizer.encode_chat([Message(role="user", content="Hi")]).token_ids
    expected = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    assert "".join(tokenizer.token_text(i) for i in ids[:1]) == "<|im_start|>"
    assert ids == tokenizer.encode(expected, add_special_tokens=False)
    assert tokenizer.eos_token_id == 32000


@pytest.mark.parametrize("name", ["<|im_end|>", "<|IM_END|>"])
def test_marked_name_of_a_control_token_is_text(name: str) -> None:
    tokenizer = Tokenizer.from_folder(embedded_model())
    (end,) = tokenizer.encode("<|im_end|>")
    marked = tokenizer.control_tokens.mark(f"a {name} b", with_answer_names=False)
    ids = tokenizer.encode_marked(f"<|im_end|>{marked}<|im_end|>")
    assert [ids[0], ids[-1], ids.count(end)] == [end, end, 2]
    assert tokenizer.decode(ids[1:-1], keep_special=True) == f"a {name} b"
    assert tokenizer.encode_marked("<|im_end|>") == [end]


def test_raw_prompt_starts_with_the_begin_token(story: Path) -> None:
    assert Tokenizer.from_folder(story).encode("Once upon a time")[0] == 1


def template(tmp_path: Path, source: object, **config: object) -> ChatTokenizer:
    folder = tmp_path / "model"
    shutil.copytree(embedded_model(), folder)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "chat_template": source, **config}))
    return open_folder_tokenizer(folder)


def rendered(tokenizer: ChatTokenizer, *contents: str) -> str:
    messages = [Message(role="user", content=content) for content in contents]
    return tokenizer.tokenizer.decode(tokenizer.encode_chat(messages).token_ids, keep_special=True)


def test_templates_have_the_functions_of_hugging_face(tmp_path: Path) -> None:
    source = (
        "{%- for m in messages %}\n"
        "    {%- if loop.index > 2 %}{% break %}{% endif %}\n"
        "    {%- generation %}{{ m.content | tojson }}{% endgeneration %}\n"
        "{%- endfor %}"
        "{{ strftime_now('%Y') | length }}{{ eos_token }}{% if add_generation_prompt %}!{% endif %}"
    )
    tokenizer = template(tmp_path, source, eos_token={"content": "<|im_end|>"})
    assert rendered(tokenizer, "é<b>", "two", "three") == '"é<b>""two"4<|im_end|>!'


def test_named_templates_and_template_files(tmp_path: Path) -> None:
    named = [{"name": "tool_use", "template": "no"}, {"name": "default", "template": "yes"}]
    tokenizer = template(tmp_path, named)
    assert rendered(tokenizer, "x") == "yes"
    (tmp_path / "model" / "chat_template.jinja").write_text("from a file")
    assert rendered(open_folder_tokenizer(tmp_path / "model"), "x") == "from a file"


def test_one_of_the_named_templates_is_chosen(tmp_path: Path) -> None:
    named = [{"name": name, "template": f"{name}!"} for name in ("default", "tool_use", "rag")]
    assert rendered(template(tmp_path, named), "x") == "default!"
    folder = tmp_path / "model"
    for name in ("rag", "tool_use"):
        assert rendered(open_folder_tokenizer(folder, template_file=Path(name)), "x") == f"{name}!"
    with pytest.raises(ModelError, match="'default', 'tool_use', 'rag'"):
        open_folder_tokenizer(folder, template_file=Path("other"))
    (folder / "chat_template.jinja").write_text("main")
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates" / "cite.jinja").write_text("cited")
    assert rendered(open_folder_tokenizer(folder), "x") == "main"
    assert rendered(open_folder_tokenizer(folder, template_file=Path("cite")), "x") == "cited"
    with pytest.raises(ModelError, match="which has 'default', 'cite'"):
        open_folder_tokenizer(folder, template_file=Path("rag"))


def test_a_model_with_other_templates_than_a_default_names_them(tmp_path: Path) -> None:
    tokenizer = template(tmp_path, [{"name": "rag", "template": "rag!"}])
    with pytest.raises(
        InvalidRequest, match="no default chat template, but others: --chat-template takes 'rag'"
    ):
        rendered(tokenizer, "x")
    assert not has_default_template(tmp_path / "model")
    assert rendered(open_folder_tokenizer(tmp_path / "model", template_file=Path("rag")), "x") == "rag!"


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
def test_templates_that_refuse_fail_or_attack_give_a_clear_error(tmp_path: Path, source: str) -> None:
    with pytest.raises(InvalidRequest, match="chat template"):
        rendered(template(tmp_path, source), "x")


def test_templates_distinguish_none_from_undefined(tmp_path: Path) -> None:
    source = "{% if tools is not none %}tools{% endif %}{% if documents is not none %}documents{% endif %}no"
    assert rendered(template(tmp_path, source), "x") == "no"


def test_special_tokens_in_special_tokens_map(tmp_path: Path) -> None:
    tokenizer = template(tmp_path, "{{ bos_token }}", eos_token=None)
    folder = tmp_path / "model"
    (folder / "special_tokens_map.json").write_text('{"bos_token": {"content": "<|im_start|>"}}')
    assert rendered(open_folder_tokenizer(folder), "x") == "<|im_start|>"
    assert tokenizer.tokenizer.eos_token_id is None


def test_damaged_template_is_named_and_can_be_replaced(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match=r"The chat template of .*/model is damaged: .*\. Send a string"):
        rendered(template(tmp_path, "{% if %}"), "x")
    file = tmp_path / "mine.jinja"
    file.write_text("mine")
    assert rendered(open_folder_tokenizer(tmp_path / "model", template_file=file), "x") == "mine"
    file.write_text("{% if %}")
    with pytest.raises(ModelError, match=r"mine\.jinja is damaged"):
        open_folder_tokenizer(tmp_path / "model", template_file=file)
    with pytest.raises(ModelError, match=r"none\.jinja is neither a file, nor a chat template of the model"):
        open_folder_tokenizer(tmp_path / "model", template_file=tmp_path / "none.jinja")


def test_template_in_a_json_file(tmp_path: Path) -> None:
    """Models that also see have it there; the tokenizer's own comes first."""
    assert rendered(template(tmp_path, "own"), "x") == "own"
    folder = tmp_path / "model"
    (folder / "chat_template.json").write_text('{"chat_template": "of the processor"}')
    assert rendered(open_folder_tokenizer(folder), "x") == "own"
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "chat_template": None}))
    assert rendered(open_folder_tokenizer(folder), "x") == "of the processor"


def test_without_template_chat_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no chat template; give it one with --chat-template FILE"):
        rendered(template(tmp_path, None), "x")


@pytest.mark.parametrize("text", ["Hello", " Hello", '{"a": 1}', "ends with <|im_end|></s>", "\n\n", "naïve"])
def test_text_inside_an_answer_is_encoded_as_it_is(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode_inside(text)
    if "<unk>" in tokenizer.token_text(0) and 0 in ids:
        pytest.skip("this vocabulary has no token for some of it")
    assert b"".join(map(tokenizer.token_bytes, ids)) == text.encode()
    assert not tokenizer.control_token_ids & set(ids)


def test_bytes_of_all_tokens(tokenizer: Tokenizer) -> None:
    tokens = tokenizer.all_token_bytes(40_000)
    assert [tokenizer.token_bytes(token_id) for token_id in range(2000)] == tokens[:2000]
    assert tokens[-1] == b""  # no token has this id
