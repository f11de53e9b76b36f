"""What the references of a JSON schema point at, within its document.

Sources: json-schema.org/draft/2020-12/json-schema-core, sections 8.2 and 9.2; RFC 6901 (pointers) and 3986.
"""

from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

Path = tuple[str | int, ...]  # from the root of the document

_VALUES = {"const", "enum", "default", "examples", "example"}  # keywords with values, which are no schemas
_DRAFT4 = "json-schema.org/draft-04/"


class UnknownReference(ValueError):
    """A reference to what is not in the document. The message says why, as the end of a sentence."""


class Document:
    """A schema with the places that have an address of their own."""

    def __init__(self, root: Any) -> None:
        self.root = root
        version = root.get("$schema") if isinstance(root, dict) else None
        self._id_keyword = "id" if isinstance(version, str) and _DRAFT4 in version else "$id"
        self._bases: dict[Path, str] = {(): ""}
        self._places: dict[tuple[str, str], Path] = {("", ""): ()}  # by URI, and anchor in it
        self._index(root, (), "")

    @property
    def has_parts_with_ids(self) -> bool:
        """Whether a part below the root is a document of its own."""
        return len(self._bases) > 1

    def find(self, reference: str, origin: Path) -> Path:
        """The place that a reference at the place `origin` points at. Raises UnknownReference."""
        base = self._base(origin)
        uri, fragment = urldefrag(reference)
        try:
            uri = urljoin(base, uri) if uri else base
        except ValueError:
            raise UnknownReference("is no URI") from None
        if (uri, "") not in self._places:
            raise UnknownReference("is not in the schema, and other documents are not read")
        fragment = unquote(fragment)
        if not fragment.startswith("/"):
            if (uri, fragment) not in self._places:
                raise UnknownReference("names an anchor that the schema does not have")
            return self._places[uri, fragment]
        path = self._places[uri, ""]
        for part in fragment[1:].split("/"):
            path = (*path, self._key(path, part.replace("~1", "/").replace("~0", "~")))
        return path

    def get(self, path: Path) -> Any:
        """What stands at a place."""
        value = self.root
        for key in path:
            value = value[key]
        return value

    def _key(self, path: Path, part: str) -> str | int:
        value = self.get(path)
        if isinstance(value, dict) and part in value:
            return part
        if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            return int(part)
        raise UnknownReference("points at nothing")

    def _base(self, path: Path) -> str:
        """The URI to which references at a place are relative."""
        return next(
            self._bases[path[:size]] for size in range(len(path), -1, -1) if path[:size] in self._bases
        )

    def _index(self, value: Any, path: Path, base: str) -> None:
        if isinstance(value, list):
            for index, part in enumerate(value):
                self._index(part, (*path, index), base)
        if not isinstance(value, dict):
            return
        name = value.get(self._id_keyword)
        if isinstance(name, str):
            uri, fragment = urldefrag(name)
            if uri:
                base = urljoin(base, uri)
                self._bases[path] = base
                self._places.setdefault((base, ""), path)
            if fragment:  # an anchor, up to draft 7
                self._places.setdefault((base, fragment), path)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(value.get(keyword), str):
                self._places.setdefault((base, value[keyword]), path)
        for key, part in value.items():
            if key not in _VALUES:
                self._index(part, (*path, key), base)
