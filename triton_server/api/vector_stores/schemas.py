"""Vector stores and their files as clients see them, in OpenAI's form.

Source: the types of the Python package `openai`.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticCustomError

from model_core.checks.request_values import Text
from model_core.requests.messages import FailFastList

from ...collections.filters import Filter
from ...collections.search import Found
from ...collections.store import IN_PROGRESS, MAX_FILES, STATUSES, Contents
from ...conversations.tables import CollectionFile
from ..body import Body, Metadata, WholeBody

MAX_RESULTS = 50
_DAY_S = 86400
_Text = Annotated[Text, Field(max_length=512)]
_Key = Annotated[Text, Field(min_length=1, max_length=64)]
Attributes = Annotated[dict[_Key, _Text | float | bool], Field(max_length=16)]
FileId = Annotated[Text, Field(min_length=1, max_length=64)]


class ExpiresAfter(Body):
    """When a vector store is removed: so many days after it was used last."""

    anchor: Literal["last_active_at"]
    days: int = Field(ge=1, le=365)


class StaticChunking(Body):
    """How files are cut. A token counts as three characters."""

    max_chunk_size_tokens: int = Field(ge=100, le=4096)
    chunk_overlap_tokens: int = Field(ge=0)

    @model_validator(mode="after")
    def _check_overlap(self) -> "StaticChunking":
        if 2 * self.chunk_overlap_tokens > self.max_chunk_size_tokens:
            raise PydanticCustomError("overlap", "has an overlap of more than half a chunk")
        return self


class ChunkingStrategy(Body):
    """How files are cut: as the model that embeds them takes it, or with given sizes."""

    type: Literal["auto", "static"]
    static: StaticChunking | None = None

    @model_validator(mode="after")
    def _check_sizes(self) -> "ChunkingStrategy":
        if (self.static is None) != (self.type == "auto"):
            raise PydanticCustomError("chunking", "needs `static` for the type static, and only for it")
        return self


class StoreRequest(WholeBody):
    """A vector store to create."""

    name: Annotated[Text, Field(max_length=256)] | None = None
    file_ids: Annotated[FailFastList[FileId], Field(max_length=MAX_FILES)] | None = Field(
        None, description="Files of /v1/files that are to be in it."
    )
    chunking_strategy: ChunkingStrategy | None = None
    expires_after: ExpiresAfter | None = None
    metadata: Metadata | None = None


class StoreChanges(WholeBody):
    """What is to be changed in a vector store. What is missing stays."""

    name: Annotated[Text, Field(max_length=256)] | None = None
    expires_after: ExpiresAfter | None = None
    metadata: Metadata | None = None


class FileEntry(Body):
    """A file of a batch, with what is its own."""

    file_id: FileId
    attributes: Attributes | None = None
    chunking_strategy: ChunkingStrategy | None = None


class FileRequest(FileEntry, WholeBody):
    """A file of /v1/files for a vector store."""


class FileBatchRequest(WholeBody):
    """Files for a vector store: `file_ids`, which have the rest in common, or `files`."""

    file_ids: Annotated[FailFastList[FileId], Field(min_length=1, max_length=MAX_FILES)] | None = None
    files: Annotated[FailFastList[FileEntry], Field(min_length=1, max_length=MAX_FILES)] | None = None
    attributes: Attributes | None = None
    chunking_strategy: ChunkingStrategy | None = None

    def entries(self) -> list[FileEntry]:
        """The files."""
        return self.files or [
            FileEntry(file_id=file_id, attributes=self.attributes, chunking_strategy=self.chunking_strategy)
            for file_id in self.file_ids or ()
        ]


class FileChanges(WholeBody):
    """The attributes that a file is to have."""

    attributes: Attributes | None


class RankingOptions(Body):
    """How results are ranked. A reranker ranks them if the service has one, unless `ranker` is none."""

    ranker: Literal["auto", "none", "default-2024-11-15", "default_2024_08_21"] | None = None
    score_threshold: float | None = Field(None, ge=0, le=1, description="The least score of a result.")
    hybrid_search: Any = Field(None, description="Refused: texts are found by their vectors alone.")


class SearchRequest(WholeBody):
    """A search."""

    query: (
        Annotated[Text, Field(min_length=1)]
        | Annotated[FailFastList[Annotated[Text, Field(min_length=1)]], Field(min_length=1, max_length=16)]
    )
    filters: Filter | None = None
    max_num_results: int | None = Field(None, ge=1, le=MAX_RESULTS)
    ranking_options: RankingOptions | None = None
    rewrite_query: bool | None = Field(None, description="true is refused.")


class FileCounts(BaseModel):
    """The numbers of files."""

    in_progress: int
    completed: int
    failed: int
    cancelled: int
    total: int


class StoreObject(BaseModel):
    """A vector store. Times are in seconds since 1970."""

    id: str
    object: Literal["vector_store"] = "vector_store"
    created_at: int
    name: str
    usage_bytes: int
    file_counts: FileCounts
    status: Literal["in_progress", "completed"]
    expires_after: ExpiresAfter | None
    expires_at: int | None
    last_active_at: int
    metadata: dict[str, str]
    embedding_model: str = Field(description="Not OpenAI's: the model that makes its vectors.")


class Deleted(BaseModel):
    """What is no longer there."""

    id: str
    object: str
    deleted: Literal[True] = True


class LastError(BaseModel):
    """Why a file has failed."""

    code: Literal["server_error", "unsupported_file", "invalid_file"]
    message: str


class FileInStore(BaseModel):
    """A file of a vector store."""

    id: str
    object: Literal["vector_store.file"] = "vector_store.file"
    usage_bytes: int
    created_at: int
    vector_store_id: str
    status: Literal["in_progress", "completed", "cancelled", "failed"]
    last_error: LastError | None
    chunking_strategy: dict[str, Any]
    attributes: dict[str, str | float | bool]


class FileBatch(BaseModel):
    """Files that were added together."""

    id: str
    object: Literal["vector_store.files_batch"] = "vector_store.files_batch"
    created_at: int
    vector_store_id: str
    status: Literal["in_progress", "completed", "cancelled", "failed"]
    file_counts: FileCounts


class Page(BaseModel):
    """A part of a list."""

    object: Literal["list"] = "list"
    data: list[Any]
    first_id: str | None
    last_id: str | None
    has_more: bool


class ContentPart(BaseModel):
    """A text of a file, and where in the file it is."""

    type: Literal["text"] = "text"
    text: str
    place: str | None = Field(None, description="Not OpenAI's: such as `page 3` or `lines 1-20`.")


class ContentPage(BaseModel):
    """The chunks of a file."""

    object: Literal["vector_store.file_content.page"] = "vector_store.file_content.page"
    data: list[ContentPart]
    has_more: Literal[False] = False
    next_page: None = None


class SearchResult(BaseModel):
    """A chunk that was found."""

    file_id: str
    filename: str
    score: float
    attributes: dict[str, str | float | bool]
    content: list[ContentPart]


class SearchPage(BaseModel):
    """What was found, best first."""

    object: Literal["vector_store.search_results.page"] = "vector_store.search_results.page"
    search_query: list[str]
    data: list[SearchResult]
    has_more: Literal[False] = False
    next_page: None = None


def describe_store(contents: Contents) -> StoreObject:
    """A stored collection as clients see it."""
    collection, days = contents.collection, contents.collection.expiry_days
    return StoreObject(
        id=collection.id,
        created_at=int(collection.created),
        name=collection.name,
        usage_bytes=contents.bytes,
        file_counts=count_files(contents.counts),
        status="in_progress" if contents.counts[IN_PROGRESS] else "completed",
        expires_after=None if days is None else ExpiresAfter(anchor="last_active_at", days=days),
        expires_at=None if days is None else int(collection.used) + days * _DAY_S,
        last_active_at=int(collection.used),
        metadata=collection.labels,
        embedding_model=collection.embedder,
    )


def count_files(counts: Any) -> FileCounts:
    """The numbers of files by status."""
    known = {name: counts.get(name, 0) for name in STATUSES}
    return FileCounts(**known, total=sum(known.values()))


def describe_file(store_id: str, file: CollectionFile) -> FileInStore:
    """A file of a collection as clients see it."""
    return FileInStore(
        id=file.file_id,
        usage_bytes=file.bytes,
        created_at=int(file.created),
        vector_store_id=store_id,
        status=file.status,
        last_error=None if file.error is None else LastError(**file.error),
        chunking_strategy=file.chunking,
        attributes=file.attributes,
    )


def describe_result(found: Found) -> SearchResult:
    """A chunk that was found, as clients see it."""
    return SearchResult(
        file_id=found.file_id,
        filename=found.filename,
        score=found.score,
        attributes=found.attributes,
        content=[ContentPart(text=found.text, place=found.place or None)],
    )
