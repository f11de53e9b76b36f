"""Tokens of texts and conversations: /tokenize and /detokenize of vLLM and llama.cpp, and /apply-template.

/tokenizer_info is vLLM's.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Discriminator, Field, Tag

from model_core.checks.request_values import Text
from model_core.errors import InvalidRequest
from model_core.requests.messages import ChatFields, FailFastList

from ...contract.sent_names import rename_error
from ...contract.tensors import DEFAULT_MODEL
from ...contract.tensors import Prompt as AnyPrompt
from ..body import WholeBody
from ..errors import ERROR_RESPONSES
from ..generation import find_images
from ..ignored import check_fields, ignore
from ..middleware.access import pseudonym
from ..openai import chat as openai_chat
from ..openai.chat import ChatRequest

_ROLES = ("bos_token", "eos_token", "pad_token", "unk_token")
router = APIRouter(tags=["tokens"], responses=ERROR_RESPONSES)


class _Pieces(BaseModel):
    return_token_strs: bool | None = Field(
        False, description="Report each token as the vocabulary writes it, such as `Ġthe`."
    )
    with_pieces: bool | None = Field(
        False, description="Let each of `tokens` be an object of its id and its text, as llama.cpp does."
    )


class TokenizeText(_Pieces, WholeBody):
    """A text to make tokens of."""

    model: str | None = Field("default", description="The name of a model; default: the first one.")
    prompt: Text | None = Field(None, description="The text; its tokens include special ones that it names.")
    content: Text | None = Field(None, description="llama.cpp's name of it.")
    add_special_tokens: bool | None = Field(
        None,
        description="Add those tokens with which the tokenizer begins or ends texts, such as a begin token. "
        "The default is true for `prompt`, as in vLLM, and false for `content`, as in llama.cpp.",
    )
    add_special: bool | None = Field(None, description="llama.cpp's name of it.")
    parse_special: bool | None = Field(
        True, description="Names of special tokens in the text are these tokens; otherwise they are text."
    )


class TokenizeChat(_Pieces, ChatRequest):
    """A conversation to make tokens of. The other fields are those of /v1/chat/completions."""


def _kind_of_body(body: Any) -> str:
    return "Chat" if isinstance(body, dict) and body.get("messages") is not None else "Text"


TokenizeRequest = Annotated[
    Annotated[TokenizeText, Tag("Text")] | Annotated[TokenizeChat, Tag("Chat")], Discriminator(_kind_of_body)
]


class TokenPiece(BaseModel):
    """A token with its text, or with its bytes if it is a part of a character."""

    id: int
    piece: str | list[int]


class Tokens(BaseModel):
    """Tokens."""

    tokens: list[int] | list[TokenPiece]
    count: int
    max_model_len: int = Field(description="Tokens of prompt and answer together.")
    token_strs: list[str | None] | None = None


class DetokenizeRequest(WholeBody):
    """Tokens to make text of."""

    model: str | None = Field("default", description="The name of a model; default: the first one.")
    tokens: FailFastList[int]


class Detokenized(BaseModel):
    """A text, with the names of special tokens."""

    prompt: str
    content: str = Field(description="The same, as llama.cpp calls it.")


class TokenizerInfo(BaseModel):
    """A tokenizer and its chat template, in vLLM's words. What a model does not have is null."""

    tokenizer_class: str = Field(description="This service's: names of Transformers' classes are not kept.")
    chat_template: str | None = None
    bos_token: str | None = None
    eos_token: str | None = None
    pad_token: str | None = None
    unk_token: str | None = None
    model_max_length: int | None = Field(None, description="Tokens of prompt and answer together.")


class Prompt(BaseModel):
    """A conversation as the model's chat template writes it."""

    prompt: str


@router.post("/tokenize", response_model_exclude_none=True)
async def tokenize(request: Request, body: TokenizeRequest) -> Tokens:
    """The tokens of a text, or of a conversation as the model's chat template writes it."""
    result = await _tokenize(request, body, bool(body.return_token_strs or body.with_pieces))
    ids, pieces = result["token_ids"], result.get("pieces", [])
    tokens: list[int] | list[TokenPiece] = ids
    if body.with_pieces:
        texts = [piece.get("bytes", piece["text"]) for piece in pieces]
        tokens = [TokenPiece(id=number, piece=text) for number, text in zip(ids, texts, strict=True)]
    return Tokens(
        tokens=tokens,
        count=len(ids),
        max_model_len=result["max_context"],
        token_strs=[piece["name"] for piece in pieces] if body.return_token_strs else None,
    )


@router.post("/detokenize")
async def detokenize(request: Request, body: DetokenizeRequest) -> Detokenized:
    """The text of tokens."""
    check_fields(request, body)
    await request.app.state.served_models.resolve(body.model or DEFAULT_MODEL)
    with request.app.state.answer_slots.hold(request.state.client, 1):
        try:
            text = await request.app.state.triton_client.detokenize(body.tokens, body.model)
        except InvalidRequest as error:
            raise rename_error(error, {"detokenize": "tokens"}) from None
    return Detokenized(prompt=text, content=text)


@router.get("/tokenizer_info")
async def read_tokenizer(
    request: Request,
    model: str = Query(DEFAULT_MODEL, description="The name of a model; default: the first one."),
) -> TokenizerInfo:
    """The special tokens and the chat template of a model, which is loaded first if it must be."""
    await request.app.state.served_models.resolve(model)
    with request.app.state.answer_slots.hold(request.state.client, 1):
        told = await request.app.state.triton_client.show_tokenizer(model)
    return TokenizerInfo(
        tokenizer_class=told["tokenizer_class"],
        chat_template=told["chat_template"],
        model_max_length=told["max_context"],
        **{role: told["special_tokens"].get(role) for role in _ROLES},
    )


@router.post("/apply-template")
async def apply_template(request: Request, body: ChatRequest) -> Prompt:
    """A conversation as the model's chat template writes it, without an answer."""
    return Prompt(prompt=(await _tokenize(request, body, False))["text"])


async def _tokenize(request: Request, body: TokenizeText | ChatRequest, pieces: bool) -> dict[str, Any]:
    """The result of the command {"tokenize": ...}."""
    check_fields(request, body)
    await request.app.state.served_models.resolve(body.model or DEFAULT_MODEL)
    prompt: AnyPrompt
    if isinstance(body, TokenizeText):
        prompt, fields, param = *_parse_text(body), "prompt" if body.content is None else "content"
    else:
        functions = openai_chat.find_tools(body)
        ignore(request, "tools", functions.left_out)
        chat, param = openai_chat.parse(body, functions)[0], "messages"
        parameters = chat.parameters()
        fields = {name: parameters[name] for name in ChatFields.model_fields if name in parameters}
        fields["cache_salt"] = pseudonym(request.state.owner, body.cache_salt or "")
    with request.app.state.answer_slots.hold(request.state.client, 1):
        if not isinstance(body, TokenizeText):
            prompt = (await find_images(request, [chat]))[0].prompt()
        try:
            client = request.app.state.triton_client
            return await client.tokenize(prompt, model=body.model, pieces=pieces, **fields)
        except InvalidRequest as error:
            raise rename_error(error, {"tokenize": param}) from None


def _parse_text(body: TokenizeText) -> tuple[str, dict[str, Any]]:
    """The text, and the fields of the command. Raises InvalidRequest."""
    if body.prompt is not None and body.content is not None:
        raise InvalidRequest("prompt and content are two names of one field; send one of them.", "content")
    text = body.content if body.prompt is None else body.prompt
    if text is None:
        raise InvalidRequest("prompt, content or messages must be given.", "prompt")
    choices = (body.add_special_tokens, body.add_special, body.content is None)
    fields = {"add_special_tokens": next(choice for choice in choices if choice is not None)}
    return text, fields if body.parse_special is not False else {**fields, "parse_special": False}
