"""What the page says and sends, without a page: prompts, figures, errors, and a model's text as Markdown."""

import pytest

from model_core.errors import QueueFull, TritonchatError
from streamlit_client.conversation import Turn, as_markdown, figures, in_plain_words, literal, prompt_for
from triton_server.client import Answer


def answered(question: str, text: str) -> Turn:
    return Turn(question, text=text)


def ended(reason: str, out: int = 11, **state: bool) -> Turn:
    details = {
        "finish_reason": reason,
        "usage": {"prompt_tokens": 7, "completion_tokens": out, "cached_tokens": 0},
        "timings": {"queue": 0.0, "first_token": 0.25, "total": 1.25},
    }
    return Turn("?", parameters={"seed": 3, "max_tokens": 11}, answer=Answer("", details), **state)


def test_a_chat_model_gets_the_conversation_without_questions_that_were_never_answered():
    turns = [answered("a", "b"), answered("lost", ""), Turn("c")]
    user, assistant = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}
    asked = {"role": "user", "content": "c"}
    assert prompt_for(turns, " ", chat=True) == [user, assistant, asked]
    assert prompt_for(turns, "Be brief. ", chat=True)[0] == {"role": "system", "content": "Be brief."}


def test_a_model_without_chat_template_gets_the_bare_text():
    assert prompt_for([answered("a", "b"), Turn("Once")], "Be brief.", chat=False) == "Once"


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        (ended("stop"), "complete"),
        (ended("stop", stopped=True), "complete"),
        (ended("length"), "cut at max tokens"),
        (ended("length", out=10), "cut where the context is full"),
        (ended("cancelled", stopped=True), "stopped by you"),
        (ended("cancelled"), "cut off"),
        (Turn("?", parameters={"seed": 3}, stopped=True), "stopped by you"),
    ],
)
def test_why_an_answer_ended_in_plain_words(turn: Turn, words: str):
    assert figures(turn).split(" · ")[-2:] == ["seed 3", words]


def test_figures():
    assert figures(ended("stop")).startswith("10 tokens/s · first token after 250 ms · 7 tokens in, 11 out")


def test_errors_in_plain_words_keep_what_the_server_said():
    assert in_plain_words(TritonchatError("it broke.")) == r"It broke\."
    said = in_plain_words(QueueFull("full; see `--max-queue`."))
    assert said.startswith("The server is busy") and r"Full\; see `--max-queue`\." in said


def test_literal_text_has_no_markup():
    assert literal("my_model *v2* :red[x]") == r"my\_model \*v2\* \:red\[x\]"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("roses\nviolets", "roses  \nviolets"),
        ("$5 and $6", r"\$5 and \$6"),
        ("$$x$$", "$$x$$"),
        ("![a](http://b)", r"!\[a](http://b)"),
        ("use `$a\\n![b]` here, $5", "use `$a\\n![b]` here, \\$5"),
        ("``a ` $b`` $5", "``a ` $b`` \\$5"),
        ("```sh\necho $a\n![b]\n```\n$5", "```sh\necho $a\n![b]\n```  \n\\$5"),
        ("```sh\necho $a", "```sh\necho $a"),
        ("````\n```\n$a\n````", "````\n```\n$a\n````"),
        ("``` ![a](http://b) `", "``` !\\[a](http://b) `"),
        ("\\` ![a](http://b) `", "\\` !\\[a](http://b) `"),
    ],
)
def test_a_models_text_as_markdown(text: str, markdown: str):
    assert as_markdown(text) == markdown
