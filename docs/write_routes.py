"""Write the page of the routes of the HTTP service from their OpenAPI description.

python docs/write_routes.py > docs/routes.md
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from triton_server.api.app import create_app
from triton_server.api.settings import ServiceSettings

INTRODUCTION = """# Reference of the HTTP routes

Every route of the service, with the fields of its body; fields in bold are needed. A running service has the
same with all types at `/docs`, to be tried out, and as OpenAPI at `/openapi.json`.
[parameters.md](parameters.md) says what the fields mean, and [http.md](http.md) has examples.

`python docs/write_routes.py > docs/routes.md` has written this page.
"""
# The first word of a path -> the heading of its routes. Other paths stand under the first one.
SECTIONS = {
    "": "APIs of OpenAI, Anthropic and llama.cpp, and routes of its own",
    "api": "Ollama's API",
    "v2": "KServe's protocol",
    "sessions": "Sessions",
    "conversations": "Conversations",
}


def render_page() -> str:
    """The page docs/routes.md."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(ServiceSettings(database=f"sqlite:///{Path(folder, 'sessions.db')}"))
        description = app.openapi()
    rows: dict[str, list[str]] = {heading: [] for heading in SECTIONS.values()}
    schemas = description["components"]["schemas"]
    for path, operations in description["paths"].items():
        heading = SECTIONS.get(path.split("/")[1], SECTIONS[""])
        for method, operation in operations.items():
            about = first_sentence(operation.get("description") or operation["summary"])
            fields = ", ".join(body_fields(operation, schemas))
            rows[heading].append(f"| `{method.upper()} {path}` | {about} | {fields} |")
    parts = [INTRODUCTION]
    for heading, lines in rows.items():
        parts.append(
            "\n".join(
                [f"## {heading}\n", "| route | what it does | body |", "| --- | --- | --- |", *lines, ""]
            )
        )
    return "\n".join(parts)


def first_sentence(text: str) -> str:
    """The first paragraph of a description, on one line."""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def body_fields(operation: dict[str, Any], schemas: dict[str, Any]) -> Iterator[str]:
    """The names of the fields of a body: those that are needed first, in bold."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content.get("schema", {})
        schema = schemas.get(schema.get("$ref", "").rpartition("/")[2], schema)
        needed = schema.get("required", ())
        for name in sorted(schema.get("properties", {}), key=lambda name: (name not in needed, name)):
            yield f"**`{name}`**" if name in needed else f"`{name}`"


if __name__ == "__main__":
    print(render_page(), end="")
