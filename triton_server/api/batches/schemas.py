"""Files and batches as clients see them, in OpenAI's form."""

from typing import Literal

from pydantic import BaseModel, Field

from ...conversations.tables import StoredFile
from ..body import Body, Metadata, WholeBody
from .lines import Endpoint

MIN_EXPIRY_S, MAX_EXPIRY_S = 3600, 30 * 86400  # as OpenAI has it
BATCH, BATCH_OUTPUT = "batch", "batch_output"
# Of uploads: the input of a batch, an image, or a file for vector stores.
PURPOSES = (BATCH, "vision", "user_data", "assistants")


class FileObject(BaseModel):
    """A file. Its time is in seconds since 1970."""

    id: str
    object: Literal["file"] = "file"
    bytes: int
    created_at: int
    expires_at: int | None
    filename: str
    purpose: str
    status: Literal["processed"] = "processed"
    status_details: None = None


class FileList(BaseModel):
    """Files, those that were stored last first, unless the order is `asc`."""

    object: Literal["list"] = "list"
    data: list[FileObject]
    first_id: str | None
    last_id: str | None
    has_more: bool


class FileDeleted(BaseModel):
    """A file that is no longer there."""

    id: str
    object: Literal["file"] = "file"
    deleted: Literal[True] = True


class ExpiresAfter(Body):
    """When files expire: so many seconds after they were made."""

    anchor: Literal["created_at"]
    seconds: int = Field(ge=MIN_EXPIRY_S, le=MAX_EXPIRY_S)


class BatchRequest(WholeBody):
    """A batch to run."""

    input_file_id: str = Field(description="A file of purpose `batch`: JSON Lines, a request in each.")
    endpoint: Endpoint = Field(description="The route of all requests in the file.")
    completion_window: Literal["24h"] = Field(description="After it, the rest of the batch expires.")
    metadata: Metadata | None = None
    output_expires_after: ExpiresAfter | None = Field(
        None, description="Of the files with answers and errors; by default as --file-expiry says."
    )


class BatchCounts(BaseModel):
    """The numbers of a batch's requests: all, those with an answer, and those with an error."""

    total: int
    completed: int
    failed: int


class CachedTokens(BaseModel):
    """Tokens of prompts that were found in the prefix cache."""

    cached_tokens: int


class ReasoningTokens(BaseModel):
    """Tokens of answers that are reasoning."""

    reasoning_tokens: int


class BatchUsage(BaseModel):
    """The tokens of a batch's answers, once it has ended."""

    input_tokens: int
    input_tokens_details: CachedTokens
    output_tokens: int
    output_tokens_details: ReasoningTokens
    total_tokens: int


class BatchProblem(BaseModel):
    """Why a batch was not begun. `line` counts from 1."""

    code: str
    message: str
    param: str | None
    line: int | None


class BatchErrors(BaseModel):
    """The first 100 problems of a batch."""

    object: Literal["list"] = "list"
    data: list[BatchProblem]


class BatchObject(BaseModel):
    """A batch. Times are in seconds since 1970."""

    id: str
    object: Literal["batch"] = "batch"
    endpoint: str
    errors: BatchErrors | None = None
    input_file_id: str
    completion_window: str
    status: Literal[
        "validating", "failed", "in_progress", "finalizing", "completed", "expired", "cancelling", "cancelled"
    ]
    output_file_id: str | None = None
    error_file_id: str | None = None
    created_at: int
    in_progress_at: int | None = None
    expires_at: int
    finalizing_at: int | None = None
    completed_at: int | None = None
    failed_at: int | None = None
    expired_at: int | None = None
    cancelling_at: int | None = None
    cancelled_at: int | None = None
    request_counts: BatchCounts
    usage: BatchUsage | None = None
    metadata: dict[str, str] | None = None


class BatchList(BaseModel):
    """Batches, those that were made last first."""

    object: Literal["list"] = "list"
    data: list[BatchObject]
    first_id: str | None
    last_id: str | None
    has_more: bool


def describe_file(file: StoredFile) -> FileObject:
    """A stored file as clients see it."""
    return FileObject(
        id=file.id,
        bytes=file.bytes,
        created_at=int(file.created),
        expires_at=None if file.expires is None else int(file.expires),
        filename=file.filename,
        purpose=file.purpose,
    )
