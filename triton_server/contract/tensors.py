"""The contract of the gRPC interface: tensors of UTF-8 JSON, and their meaning.

| Triton model  | inputs                                     | outputs                          |
| ------------- | ------------------------------------------ | -------------------------------- |
| `chat`        | `messages` UINT8, `parameters` UINT8 (opt.) | `response` BYTES, `details` BYTES |
| `chat_stream` | the same                                   | the same, one response per delta |
| `chat_control`| `command` UINT8                            | `result` BYTES                   |
| `embed`       | `texts` UINT8, `parameters` UINT8 (opt.)    | `embeddings` FP32, `details` BYTES |

A server with several models has `chat-NAME`, `chat_stream-NAME` and `embed-NAME` for each model after the
first. The field `model` of `parameters` names a model, too, whatever the Triton model. A model that is not
loaded is loaded by the first request for it, which waits, as do those that come after it. `model` may be the
name of an adapter, too; then its model answers, changed by the adapter.

`messages` is a list of {"role", "content"}, or a raw prompt to continue: a string, or a list of token ids.
`content` is a text, or a list of parts: {"type": "text", "text"}, and for models that see
{"type": "image_url", "image_url": {"url": "data:image/png;base64,...", "detail": "auto"}}. An image is a PNG,
a JPEG, a WebP or the first frame of a GIF.
`parameters` is an object with the other fields of `request_fields.Request`, which describes each of them.

`response` is text of the answer. `details` is empty, or an object. With the complete answer, or with its last
delta, it has:

- `finish_reason`: `stop`, `length`, `tool_calls` or `cancelled`.
- `usage`: `prompt_tokens`, `completion_tokens`, `cached_tokens`, which were found in the prefix cache,
  `reasoning_tokens`, `image_tokens` of the prompt if it has images, `truncated_messages`, the number of old
  messages that were left out (see the field `truncation`), and `answer_cached`: true if the answer was kept
  from an equal request (--answer-cache).
- `timings`: seconds from the arrival of the request until it was admitted (`queue`), until its first token
  (`first_token`) and until its end (`total`).
- `seed`: the one that was used, whether the request gave it or not.
- `stop_string`: the one that ended the answer, or null.
- `model`: the name of the model.
- `fingerprint`: a digest of all that the answer depends on but the request (`LLM.fingerprint`). If another
  server computes the model, it is what that server says, or null.
- `receipt`: only if the request, or the server, asks for it: an object, see docs/reproducible.md.
- `error`: only if the request failed: `type` and `message` as in model_core/errors.py, and `param`, the field
  that is wrong, or null; `retry_after_s`, if another server that computes the model has said it.

These parts of an answer are in the `details` of the response with their tokens, in streams of each delta:

- `reasoning`: text of the reasoning. It precedes the text of the same response.
- `tool_calls`: a list of {"index", "id", "name", "arguments"}, which follow the text of the same response.
  The first part of a call has `id` and `name`; the others have only more text of its `arguments`.
- `logprobs`: of its tokens, if the request asks for them. Each entry has `token` (its text), `token_id`,
  `logprob`, `rank`, which is 1 for the likeliest token, and `top_logprobs`, a list of such entries without
  rank. If another server computes the model (--engine), what it does not say is null: ranks, and ids of
  alternatives. A token may be a part of a character. Its text then has U+FFFD in that place, and the entry
  has `bytes`: a list of integers. With `echo`, they begin with those of the prompt.
- `prompt_logprobs`: of all tokens of the prompt, if the request asks for them, in the first response after
  it. The first token has no log probability: its `logprob` and its `rank` are null.
- `token_ids`: of its tokens, if the request asks for them, or if the model has no tokenizer; the answer then
  has no text. The first response with them has `prompt_token_ids`, too.

A request with `choices` gets no new text: `response` is the likeliest of them, and `details` has `choices`,
in their order, each with its `text`, its `rank`, its `perplexity`, its `logprob`, which is that of the whole
answer, its `tokens` in the form of `logprobs`, with as many alternatives as the field `logprobs` asks for,
and its `calibrated_perplexity`, which is null unless
`calibrate` is true (model_core/llm/choose.py). `usage` counts the prompt once, and the tokens of all choices.

With `acknowledge`: true, `chat_stream` answers as soon as the engine has accepted a request: by a response
without text whose `details` are {"accepted": true, "fingerprint": as in the last, "prompt_tokens": those of
the prompt, if they are known}. A request that is refused has no such response.

A client with many streams can have their pieces in a feed, which takes far fewer responses. `chat_stream`
answers {"feed": name} as `messages` with a stream of its own, which ends with the connection, or by
{"cancel": name}. Each `response` in it is a JSON object: for some running requests, by `request_id`, a list
of pieces [response, details]. The first object is empty: the feed is open. A request whose `feed` is this
name has its acceptance and its last piece in its own stream. The `details` of this piece have `fed`, the
number of pieces in the feed, if there are some. If the feed ends earlier, the stream goes on with the others.

A slot of the engine that becomes free goes to the `client` with the fewest running requests. One eighth of
the slots is reserved for clients without a running request.

`texts` is a list of strings, or of lists of token ids, or of the messages of one conversation, as in
`messages`, which has one vector; `parameters` of `embed` is an object with the other fields of
`embedding_fields.EmbeddingRequest`. `embeddings` has a vector for each text: [texts, dimensions], or
[texts, 1] with scores if there is a `query`. Its `details` have `usage` (`prompt_tokens`, and `image_tokens`
if there are images), `rows` (the number of texts, for the rows of a request are padded with zeros to the same
size), `timings` (`total`), `model` and `is_sparse` (whether vectors have a number for each word), or only
`error`; `embeddings` is then [1, 1], and means nothing.

`command` is one of the objects in commands.py.

`chat_stream` accepts {"health": true} as `messages`, too, and answers at once with an empty delta. This makes
it possible to watch each model.
"""

from collections.abc import Sequence
from typing import Any

# A conversation to answer, or a raw prompt to continue: text or token ids.
Prompt = list[dict[str, Any]] | str | list[int]
# Texts or lists of token ids to embed, or the messages of one conversation.
EmbeddingInputs = Sequence[str] | Sequence[Sequence[int]] | Sequence[dict[str, Any]]

# Names of Triton models.
CHAT, CHAT_STREAM, CHAT_CONTROL, EMBED = "chat", "chat_stream", "chat_control", "embed"
DEFAULT_MODEL = "default"  # another name of the model that answers requests without a name
HEALTH = {"health": True}  # a command, which does not need the engine
READY = "ready"  # its result if the server accepts requests
