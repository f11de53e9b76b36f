"""Data URLs of images are read strictly, and others are refused by name."""

import base64

import pytest

from model_core.errors import InvalidRequest
from model_core.images.data_url import read_data_url, write_data_url

DATA = bytes(range(256))
TEXT = base64.b64encode(DATA).decode()


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/jpg", "IMAGE/WEBP", "image/gif"])
def test_base64_of_an_image_is_read(kind: str) -> None:
    assert read_data_url(write_data_url(kind, DATA), "image", 256) == DATA
    assert read_data_url(f"DATA:{kind};BASE64,{TEXT}", "image", 256) == DATA
    for parameters in ("charset=utf-8", "name=a.png;charset=base64", "x"):
        assert read_data_url(f"data:{kind};{parameters};base64,{TEXT}", "image", 256) == DATA


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "is no data URL"),
        (TEXT, "is no data URL"),
        ("https://example.com/a.png", "is no data URL"),
        ("file:///etc/passwd", "is no data URL"),
        ("data:image/png;base64", "is no data URL"),
        ("data:" + "x" * 300 + ",", "is no data URL"),
        (f"data:;base64,{TEXT}", "is of the type 'text/plain'"),
        (f"data:image/svg+xml;base64,{TEXT}", "is of the type 'image/svg+xml'"),
        (f"data:image/heic;base64,{TEXT}", "is of the type 'image/heic'"),
        (f"data:application/pdf;base64,{TEXT}", "is of the type 'application/pdf'"),
        ("data:image/png,%89PNG", "is encoded as 'percent'; send base64"),
        (f"data:image/png;base32,{TEXT}", "is encoded as 'base32'; send base64"),
        (f"data:image/png;charset=utf-8,{TEXT}", "is encoded as 'percent'; send base64"),
        (f"data:image/png;base64;charset=utf-8,{TEXT}", "is encoded as 'percent'; send base64"),
        (f"data:image/png;charset=base64,{TEXT}", "is encoded as 'percent'; send base64"),
        ("data:image/png;base64,", "is empty"),
        (f"data:image/png;base64,{TEXT[:-1]}", "is not valid base64"),
        (f"data:image/png;base64,{TEXT[:40]}\n{TEXT[40:]}", "is not valid base64"),
        ("data:image/png;base64,-_-_", "is not valid base64"),
        (f"data:image/png;base64,{TEXT}é", "is not valid base64"),
        (write_data_url("image/png", DATA + DATA), "has more than 300 bytes"),
    ],
)
def test_others_are_refused_by_name(url: str, reason: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read_data_url(url, "messages[0].content[0]", 300)

    assert str(caught.value).startswith(f"messages[0].content[0] {reason}")
    assert str(caught.value).endswith(".") and len(str(caught.value)) < 250
    assert caught.value.param == "messages[0].content[0]"
