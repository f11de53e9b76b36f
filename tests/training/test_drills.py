"""Drills are what they say: beginnings of answers to single questions, and facts asked for at once."""

from tokenizers import Tokenizer

from training.drills import BEGINNING, facts, questions, spellings, tales
from training.tokenizer import END, Sample


def learnt(tokenizer: Tokenizer, sample: Sample) -> str:
    """What of a sample the model is to produce."""
    tokens, produced = sample
    own = [token for token, wanted in zip(tokens, produced, strict=True) if wanted]
    return str(tokenizer.decode(own, skip_special_tokens=False))


def test_questions_go_on_with_the_beginning_of_their_answer(tokenizer: Tokenizer) -> None:
    samples = list(questions(tokenizer, 1, 300))
    texts = [tokenizer.decode(tokens, skip_special_tokens=False) for tokens, _ in samples]
    assert all(text.count("<|im_start|>assistant\n") == 1 for text in texts)
    counts = [sum(produced) for _, produced in samples]
    assert max(counts) == BEGINNING
    # What is cut must not look like an answer that has ended, and what is whole must have its end.
    ended = [END in learnt(tokenizer, sample) for sample in samples]
    assert any(ended)
    assert all(end or count == BEGINNING for end, count in zip(ended, counts, strict=True))


def test_facts_are_asked_for_in_the_conversation_that_tells_them(tokenizer: Tokenizer) -> None:
    for sample in facts(tokenizer, 1, 100):
        answers = learnt(tokenizer, sample).split(END)
        assert len(answers) > 2
        assert not answers[-1]


def test_words_are_spelt(tokenizer: Tokenizer) -> None:
    for sample in spellings(tokenizer, 1, 20):
        pairs = tokenizer.decode(sample[0]).strip().split("\n")
        for word, letters in zip(pairs[::2], pairs[1::2], strict=True):
            assert letters.rstrip(".").replace(" - ", "").lower() == word.strip().lower()
        assert learnt(tokenizer, sample) == "".join(f"{letters}\n" for letters in pairs[1::2])


def test_tales_are_whole(tokenizer: Tokenizer) -> None:
    for sample in tales(tokenizer, 1, 20):
        story, *_, rest = learnt(tokenizer, sample).split(END)
        assert len(story) > 100
        assert story[-1] in '.!?"'
        assert not rest
