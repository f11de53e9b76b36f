"""What of a body counts as images: long words of base64."""

import pytest

from triton_server.system.body_encoding import BodyLimit, count_images


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", 0),
        (b"a" * 255, 0),
        (b"a" * 256, 256),
        (b'"' + b"a" * 300 + b'" ' + b"b" * 255 + b" " + b"+/=\\" * 64, 556),
        ((b"a" * 255 + b" ") * 2**12, 0),
        ((b"a" * 2**20 + b" ") * 2, 2**21),
    ],
    ids=range(6),
)
def test_long_words_count_as_images(body: bytes, expected: int) -> None:
    assert count_images(body) == expected


def test_images_and_what_else_is_in_a_body_have_a_limit_each() -> None:
    body = b'"' + b"a" * 1000 + b'"'
    assert not BodyLimit(2, "", 1000).is_exceeded(body)
    assert BodyLimit(1, "", 1000).is_exceeded(body) and BodyLimit(2, "", 999).is_exceeded(body)
    assert BodyLimit(4, "", 1999).is_exceeded(body, 2) and not BodyLimit(4, "", 2000).is_exceeded(body, 2)
