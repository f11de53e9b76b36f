"""The commands of `chat_control`: their fields, and what they answer.

A command is a JSON object. One key is the name of the command, and its value is what the command is about;
the other keys are further fields. Both clients send and read commands by this table, the server finds and
checks them by it, and `docs/write_commands.py` makes docs/commands.md of it. The result of a failure is
{"error": {...}}.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from model_core.checks.request_values import JsonObject, StrictModel, Text, shorten
from model_core.errors import InvalidRequest
from model_core.requests.messages import ChatFields, FailFastList, Message

from .request_fields import CacheFields, ModelFields, separate_images

CONTROL_TIMEOUT_S = 10.0  # after which a command counts as unanswered
_STORE_TIMEOUT_S = 30.0  # the same for conversations, whose database may be busy
_TOKENS_TIMEOUT_S = 300.0  # the same for tokens, whose model may have to be loaded first
MAX_IDS = 2**18  # to make text of

_Yes = Literal[True]
_Conversation = Annotated[FailFastList[Message], Field(min_length=1)]


class Cancel(StrictModel):
    """End a request; its text so far is still delivered. False if the server has no such request."""

    cancel: Text = Field(description="The `request_id`, or the name of a feed.")


class Stats(ModelFields, StrictModel):
    """Tell the state of the server.

    `models` has for each model its `name`, `state` ("unloaded", "loading", "ready" or "failed"), `progress`
    from 0 to 1 while it is loaded, the `error` if that has failed, `unloads_in_s`, the seconds until it is
    unloaded unless it is used, `triton_models`, `description`, which is null until the model was loaded for
    the first time, and then a `ModelDescription` (model_core/llm/description.py), and the `fingerprint` of
    its answers, which is null while it is not loaded. Adapters follow the models, each with its model as
    `parent`. `embeddings` are the running and waiting requests to `embed`, of all models. `idle_s` are the
    seconds since an answer of any model ended, 0 while one runs, and null before the first; answers to
    requests of batches do not count. The other numbers, and `model`, its description, are those of the
    model.
    """

    stats: _Yes


class Load(StrictModel):
    """Begin to load a model. Answers at once, with its entry in the `models` of `stats`."""

    load: Text = Field(description="Its name.")


class Recommend(StrictModel):
    """Tell three published models at most that fit this machine.

    Each of the `models` has its `name`, `licence`, `form` ("folder" or "GGUF"), `download_bytes`,
    `memory_bytes` and `weights`; the `command` that a person types on that machine, which ends with the
    `arguments` of `--model`; its `speed`, tokens a second of a `prompt` and an `answer`, null if this machine
    was not measured (`tritonchat recommend`); and its `download`, null or a `state` ("downloading", "done" or
    "failed") with `completed` and `total` bytes or the `error`. `allows_getting`: whether `get_model` is
    allowed.
    """

    recommend: _Yes


class GetModel(StrictModel):
    """Begin to download one of the models of `recommend`, and load it (--allow-pull).

    The answer is its `download`. When that is done, the model is among those of `stats`, by its name.
    """

    get_model: Text = Field(description="Its name.")


class LoadAdapter(ModelFields, StrictModel):
    """Begin to load an adapter (--allow-adapter-loading): "ready", or "loading" until it is asked again."""

    load_adapter: Text = Field(description="The name by which requests choose it.")
    folder: Text = Field(description="On the server's machine, in PEFT's layout.")


class DropAdapter(StrictModel):
    """Let no new request choose an adapter (--allow-adapter-loading)."""

    drop_adapter: Text = Field(description="Its name.")


class _Pieces(ModelFields):
    pieces: bool = Field(False, description="Tell of each token its `pieces`, too.")


class TokenizeText(_Pieces, StrictModel):
    """Make tokens of a text or a conversation.

    The result has the `token_ids`, `max_context` of the model, of a conversation its `text` as the chat
    template writes it, and `pieces`: of each token its `name` in the vocabulary, its `text`, and its `bytes`
    if it is a part of a character.
    """

    tokenize: Text
    add_special_tokens: bool = Field(True, description="Add the tokens that begin or end a text.")
    parse_special: bool = Field(
        True, description="Names of special tokens in the text are these tokens; otherwise they are text."
    )


class TokenizeChat(ChatFields, CacheFields, _Pieces, StrictModel):
    """Make tokens of a conversation."""

    tokenize: _Conversation

    @model_validator(mode="after")
    def _separate_images(self) -> "TokenizeChat":
        separate_images(self.tokenize, self.cache_salt, "tokenize")
        return self


class Detokenize(ModelFields, StrictModel):
    """Make text of token ids, names of special tokens included."""

    detokenize: Annotated[FailFastList[Annotated[int, Field(ge=0)]], Field(max_length=MAX_IDS)]


class ShowTokenizer(ModelFields, StrictModel):
    """Tell of the tokenizer and the chat template of a model.

    The result has the `tokenizer_class`, `max_context`, `special_tokens`: their texts by roles such as
    "eos_token", the `chat_template`, which is null for a model without one, and `infill`: whether the
    tokenizer has the tokens to fill in the middle of a text.
    """

    tokenizer: _Yes


class ShowReceiptKey(StrictModel):
    """Tell the public key of the server's receipts, as a set of keys (RFC 7517)."""

    receipt_key: _Yes


class ShowOrigin(ModelFields, StrictModel):
    """Tell what the fingerprint of a model or an adapter is made of (docs/reproducible.md).

    It is null while the model is not loaded, and if another server computes it.
    """

    origin: _Yes


class SavePrompt(ModelFields, StrictModel):
    """Begin to compute and save a prompt (--allow-saving-prompts).

    The result has `state`: "saving" until it is asked again, or "ready", with `prompt`: its `name`, `tokens`,
    `bytes`, and `created` and `last_used` in seconds since 1970.
    """

    save_prompt: Text = Field(description="The name.")
    messages: Any = Field(description="A conversation, without the beginning of an answer, or a raw prompt.")
    parameters: JsonObject = Field(
        {}, description="Only those that change the prompt matter, such as `tools`."
    )


class ListPrompts(ModelFields, StrictModel):
    """List the saved prompts of a model, as `save_prompt` describes them."""

    prompts: _Yes


class ShowPrompt(ModelFields, StrictModel):
    """Show a saved prompt, with its `messages` and `parameters`."""

    prompt: Text = Field(description="Its name.")


class DeletePrompt(ModelFields, StrictModel):
    """Delete a saved prompt (--allow-saving-prompts)."""

    delete_prompt: Text = Field(description="Its name.")


class Forget(StrictModel):
    """Delete what the caches have of some requests: the prefix cache on disk (--prefix-cache-disk) and in
    memory, and the cache of answers (--answer-cache)."""

    forget: Text = Field(
        description="Their `cache_salt`. Salts that go on after it with a slash are forgotten, too."
    )


class Live(ModelFields, StrictModel):
    """Show what a model's engine does. It costs so little that several people may ask each second.

    The result has `model`, its `state`, `histograms` and `engine`, which is null unless the model is loaded
    (model_core/engine/snapshot.py, step_log.py): `running`, `waiting`, `kv_pages`, the running `requests` by
    labels, the last `steps`, and `seconds`, their sums. Nothing of it is anybody's text.
    """

    live: _Yes
    tree: bool = Field(False, description="Show the `tree` of the prefix cache, too.")


class Profile(ModelFields, StrictModel):
    """Measure a step, operation by operation: a `StepProfile` (model_core/inspect/step_profile.py)."""

    profile: Text = Field(description='"one answer", "eight answers" or "a prompt".')


class _Explain(ModelFields):
    layer: int = Field(0, ge=0, description="The layer whose attention is shown.")
    head: int = Field(0, ge=0, description="The head whose attention is shown.")
    sampling: dict[str, Any] = Field({}, description="temperature, top_k, top_p, min_p and typical_p.")


class ExplainText(_Explain, StrictModel):
    """Show how the model computes a text or a conversation of up to 256 tokens.

    The result has its `text` as the chat template writes it, its `tokens`, the `tape` in words, `attention`,
    which is null for a model without it (model_core/inspect/explain.py), and the likeliest `next` tokens,
    with the probabilities with which they are sampled. A conversation may have images of up to 1,280 tokens
    more. `images` has each of their parts: the place of its first token (`start`), how many tokens (`rows`)
    it has, and, in their order, how many lie below and beside each other (`grid`, null if they do not), and
    the `picture` that the model sees, as a data URL. `weights` of tokens before the end of the last one
    are empty.
    """

    explain: Annotated[Text, Field(min_length=1)]


class ExplainChat(_Explain, ChatFields, StrictModel):
    """Show how the model computes a conversation."""

    explain: _Conversation


class Conversations(StrictModel, extra="allow"):
    """Use the store of conversations, which is that of the HTTP service's sessions, too.

    It is one database, in which every owner has its own. The field `owner` says whose; the default "" is the
    owner of all that an HTTP service without keys stores. `list` gives pinned conversations first, then the
    newest, at most `limit` (50) that have all words of `search`; `before` is {"pinned", "updated", "id"} of
    the last one of the page before. `get` leaves out the attachments of the turns whose ids are in `known`;
    they never change. `import` takes a `file` as `exchange.to_json` writes it, and gives it a new id. A
    `parent` that is null makes a first turn; `attachments` are {"name", "text", "tokens"}. A conversation is
    in the form of `conversations.tree.Conversation`; in a list, it has the number of its `turns`.
    """

    conversations: Text = Field(description="A command of the store, to which the other fields belong.")


class Metrics(StrictModel):
    """Tell the metrics, in Prometheus' text format, under our names and under vLLM's."""

    metrics: _Yes


class Health(StrictModel):
    """Tell whether the server accepts requests: "ready", or why it does not."""

    health: _Yes


@dataclass(frozen=True)
class Command:
    """A command.

    Attributes:
        fields: its fields; two classes if it is about a text or a conversation.
        answer: the field of the result that has it; None: the result is the answer.
        done: of a command without an answer, the field of the result that is true.
        timeout_s: after which a client counts it as unanswered.
        proxied: to which servers a proxy sends it: to one, to another one if that fails, or to all.
        concerns: "a model": that of its field `model`, or that which it is about, if there is no such field.
    """

    fields: tuple[type[BaseModel], ...]
    answer: str | None = None
    done: str | None = None
    timeout_s: float = CONTROL_TIMEOUT_S
    proxied: Literal["once", "again", "to all"] = "once"
    concerns: Literal["a model", "all models", "no model"] = "a model"

    def make_result(self, answer: Any) -> dict[str, Any]:
        """The result with an answer."""
        if self.done is not None:
            return {self.done: True}
        return answer if self.answer is None else {self.answer: answer}

    def read_result(self, result: Mapping[str, Any]) -> Any:
        """The answer in a result."""
        return result if self.answer is None else result[self.answer]


COMMANDS = {
    "cancel": Command((Cancel,), "cancelled", proxied="to all", concerns="no model"),
    "stats": Command((Stats,), proxied="again", concerns="no model"),
    "load": Command((Load,), "model", proxied="to all"),
    "recommend": Command((Recommend,), proxied="again", concerns="no model"),
    "get_model": Command((GetModel,), "download", proxied="to all", concerns="all models"),
    "load_adapter": Command((LoadAdapter,), "state", proxied="to all", concerns="all models"),
    "drop_adapter": Command((DropAdapter,), done="dropped", proxied="to all", concerns="all models"),
    "tokenize": Command((TokenizeText, TokenizeChat), timeout_s=_TOKENS_TIMEOUT_S, proxied="again"),
    "detokenize": Command((Detokenize,), "text", timeout_s=_TOKENS_TIMEOUT_S, proxied="again"),
    "tokenizer": Command((ShowTokenizer,), timeout_s=_TOKENS_TIMEOUT_S, proxied="again"),
    "receipt_key": Command((ShowReceiptKey,), "receipt_key", proxied="again", concerns="no model"),
    "origin": Command((ShowOrigin,), "origin", proxied="again"),
    "save_prompt": Command((SavePrompt,)),
    "prompts": Command((ListPrompts,), "prompts", proxied="again"),
    "prompt": Command((ShowPrompt,), "prompt", proxied="again"),
    "delete_prompt": Command((DeletePrompt,), done="deleted"),
    "forget": Command((Forget,), done="forgotten", proxied="to all", concerns="no model"),
    "live": Command((Live,), proxied="again"),
    "profile": Command((Profile,), timeout_s=_TOKENS_TIMEOUT_S, proxied="again"),
    "explain": Command((ExplainText, ExplainChat), timeout_s=_TOKENS_TIMEOUT_S, proxied="again"),
    "conversations": Command((Conversations,), timeout_s=_STORE_TIMEOUT_S, concerns="no model"),
    "metrics": Command((Metrics,), "metrics", proxied="again", concerns="no model"),
    "health": Command((Health,), "health", proxied="again", concerns="no model"),
}


def parse_command(value: Any) -> tuple[str, BaseModel]:
    """The name and the fields of the command in a JSON value. Raises InvalidRequest."""
    keys = list(value) if isinstance(value, dict) else []
    names = [key for key in keys if key in COMMANDS]
    if len(names) > 1:
        raise InvalidRequest(f"{names[0]} and {names[1]} are commands of their own.", names[1])
    if not names:
        similar = [name for key in keys[:1] for name in get_close_matches(key[:64], COMMANDS, 1)]
        hint = f"the nearest one is {similar[0]}" if similar else f"there are {', '.join(COMMANDS)}"
        raise InvalidRequest(f"{shorten(value)} is no command; {hint}.", "command")
    kinds = COMMANDS[names[0]].fields
    return names[0], kinds[0 if isinstance(value[names[0]], str) else -1](**value)
