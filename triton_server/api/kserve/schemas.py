"""Bodies of KServe's protocol.

Source: https://github.com/kserve/open-inference-protocol, and Triton's extensions of it in
https://github.com/triton-inference-server/server/tree/main/docs/protocol.
"""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from model_core.requests.messages import FailFastList

from ..body import Body, WholeBody
from ..errors import ERROR_RESPONSES

MAX_TENSORS, MAX_RANK = 16, 8  # that a request may name


class ErrorText(BaseModel):
    """An error in KServe's form."""

    error: str


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {**response, "model": ErrorText} for status, response in ERROR_RESPONSES.items()
}


class InputTensor(Body):
    """An input: its numbers are in `data`, or as bytes after the JSON (`binary_data_size`)."""

    name: str
    shape: Annotated[FailFastList[int], Field(max_length=MAX_RANK)]
    datatype: str
    parameters: dict[str, Any] | None = None
    data: Any = Field(None, description="The numbers, in rows or all in one list.")


class OutputTensor(Body):
    """An output that is wanted. With `binary_data`, it comes as bytes after the JSON."""

    name: str
    parameters: dict[str, Any] | None = None


class InferenceRequest(WholeBody):
    """Tensors to compute with."""

    id: str | None = Field(None, max_length=128, description="Comes back with the response.")
    parameters: dict[str, Any] | None = Field(
        None,
        description="`timeout`: microseconds after which the request is ended. `binary_data_output`: whether "
        "all outputs come as bytes.",
    )
    inputs: Annotated[FailFastList[InputTensor], Field(min_length=1, max_length=MAX_TENSORS)]
    outputs: Annotated[FailFastList[OutputTensor], Field(max_length=MAX_TENSORS)] | None = None


class IndexRequest(WholeBody):
    """What to list."""

    ready: bool | None = Field(None, description="Only models that are ready; all of them are.")
