"""What a client has got of an answer is left out of that of another server."""

import pytest

from triton_server.proxy.continuation import Diverged, Sent

TEXT, IDS, ROLE = ("text", 0), ("ids", 0), ("role", 0)


def test_what_was_sent_is_left_out() -> None:
    sent = Sent()
    first = {"text": "Hel", "ids": [1, 2], "role": "assistant"}
    sent.note([(TEXT, first, "text"), (IDS, first, "ids")], [(ROLE, first, "role")])
    sent.restart()
    again = {"text": "He", "ids": [1], "role": "assistant"}
    assert not sent.cut([(TEXT, again, "text"), (IDS, again, "ids")], [(ROLE, again, "role")])
    more = {"text": "llo", "ids": [2, 3]}
    assert sent.cut([(TEXT, more, "text"), (IDS, more, "ids")], [])
    assert more == {"text": "lo", "ids": [3]}


def test_another_answer_is_not_joined_to_the_first() -> None:
    sent = Sent()
    sent.note([(TEXT, {"text": "Hello"}, "text")], [])
    sent.restart()
    with pytest.raises(Diverged):
        sent.cut([(TEXT, {"text": "Hi"}, "text")], [])
