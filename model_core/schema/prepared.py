"""Prepares a JSON schema, so that all grammars read the same one."""

from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from .prune import prune
from .references import Document
from .rewrite import Rewriter, WrongSchema

_MAX_ROUNDS = 8


@dataclass(frozen=True)
class PreparedSchema:
    """A schema that a grammar enforces exactly.

    All its references are `#/$defs/<name>`, with `$defs` at the root, so that a part of it can stand
    anywhere together with `$defs`. It has no annotations and no identifiers. No property has the schema
    false. Patterns match whole strings, in Rust's syntax. To prepare it again changes nothing.

    Attributes:
        schema: what is enforced.
        left_out: the places in the given schema of what is not, such as `properties.a.not`.
    """

    schema: dict[str, Any] | bool
    left_out: tuple[str, ...] = ()


def prepare_schema(schema: Any, *, strict: bool, field: str) -> PreparedSchema:
    """Prepare a JSON schema of any draft.

    Args:
        schema: valid JSON.
        strict: refuse the schema if something of it cannot be enforced.
        field: the parameter of the request that has the schema, for errors.

    Raises:
        InvalidRequest: the schema is wrong, no value is valid under it, or `strict` and a part of it cannot
            be enforced.
    """
    rewriter = Rewriter(Document(schema), strict)
    try:
        prepared, reason = prune(*rewriter.rewrite())
        for _ in range(_MAX_ROUNDS):  # what was left out may leave references to references, and the like
            before = prepared
            prepared, again = prune(*Rewriter(Document(prepared), strict).rewrite())
            reason = again or reason
            if prepared == before:
                break
    except WrongSchema as error:
        raise InvalidRequest(f"the JSON schema cannot be used: {error}.", field) from None
    if prepared is False:
        because = f": {reason or 'it is false'}"
        raise InvalidRequest(f"no JSON is valid under the schema{because}.", field)
    return PreparedSchema(prepared, tuple(rewriter.left_out))
