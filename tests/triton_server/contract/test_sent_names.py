"""The names that clients use for fields, in errors."""

import pytest

from triton_server.contract.sent_names import rename_field

NAMES = {
    "messages": "prompt",
    "messages[1].content[0].image_url": "images[0]",
    "tools[]": "tools[].function",
    "form": "text.format",
    "form.json_schema": "text.format.schema",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("messages", "prompt"),
        ("messages[1]", "prompt[1]"),
        ("messages[1].content[0].image_url", "images[0]"),
        ("messages[1].content[0].image_url.url", "images[0].url"),
        ("messages[1].content[0].image_urls", "prompt[1].content[0].image_urls"),
        ("tools[12].parameters.type", "tools[12].function.parameters.type"),
        ("tools", "tools"),
        ("form.regex", "text.format.regex"),
        ("form.json_schema.properties.a", "text.format.schema.properties.a"),
        ("forms", "forms"),
        ("top_k", "top_k"),
        ("", ""),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=range(13),
)
def test_the_longest_name_that_fits_counts(path: str, expected: str) -> None:
    assert rename_field(path, NAMES) == expected
