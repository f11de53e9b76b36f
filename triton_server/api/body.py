"""The base of all parts of requests' bodies."""

from pydantic import BaseModel, ConfigDict


class Body(BaseModel):
    """A part of a request's body. Unknown fields are ignored."""

    model_config = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)


class WholeBody(Body):
    """The body of a request. Unknown fields are kept, and named (ignored.check_fields)."""

    model_config = ConfigDict(extra="allow")
