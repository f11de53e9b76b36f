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
`parameters` is an object with the other fields of `vocabulary.Request`, which describes each of them.

`response` is text of the answer. `details` is empty, or an object. With the complete answer, or with its last
delta, it has:

- `finish_reason`: `stop`, `length`, `tool_calls` or `cancelled`.
- `usage`: `prompt_tokens`, `completion_tokens`, `cached_tokens`, which were found in the prefix cache,
  `reasoning_tokens`, and `truncated_messages`, the number of old messages that were left out (see the field
  `truncation`).
- `timings`: seconds from the arrival of the request until it was admitted (`queue`), until its first token
  (`first_token`) and until its end (`total`).
- `seed`: the one that was used, whether the request gave it or not.
- `stop_string`: the one that ended the answer, or null.
- `model`: the name of the model.
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
`calibrate` is true (model_core/choose.py). `usage` counts the prompt once, and the tokens of all choices.

With `acknowledge`: true, `chat_stream` answers as soon as the engine has accepted a request: by a response
without text whose `details` are {"accepted": true}. A request that is refused has no such response.

A client with many streams can have their pieces in a feed, which takes far fewer responses. `chat_stream`
answers {"feed": name} as `messages` with a stream of its own, which ends with the connection, or by
{"cancel": name}. Each `response` in it is a JSON object: for some running requests, by `request_id`, a list
of pieces [response, details]. The first object is empty: the feed is open. A request whose `feed` is this
name has its acceptance and its last piece in its own stream. The `details` of this piece have `fed`, the
number of pieces in the feed, if there are some. If the feed ends earlier, the stream goes on with the others.

A slot of the engine that becomes free goes to the `client` with the fewest running requests. One eighth of
the slots is reserved for clients without a running request.

`texts` is a list of strings, or of lists of token ids; `parameters` of `embed` is an object with the other
fields of `embedding_request.EmbeddingRequest`. `embeddings` has a vector for each text: [texts, dimensions],
or [texts, 1] with scores if there is a `query`. Its `details` have `usage` (`prompt_tokens`), `rows` (the
number of texts, for the rows of a request are padded with zeros to the same size), `timings` (`total`) and
`model`, or only `error`; `embeddings` is then [1, 1], and means nothing.

`command` is one of these objects:

- {"cancel": request_id}: the result is {"cancelled": true or false}.
- {"stats": true}: the result is the state of the server. `models` has for each model its `name`, `state`
  ("unloaded", "loading", "ready" or "failed"), `progress` from 0 to 1 while it is loaded, the `error` if that
  has failed, `triton_models` and `description`, which is null until the model was loaded for the first time.
  The other numbers, and `model`, its description, are those of the first model, or of another one with
  {"stats": true, "model": name}. `embeddings` are the running and waiting requests to `embed`, of all models.
  Adapters follow the models, each with its model as `parent`.
- {"load": name}: the server begins to load a model. The result is {"model": its entry in `models`}.
- {"load_adapter": name, "folder": path}: the server begins to load an adapter of the first model, or of
  another one with "model": name. The result is {"state": "ready"}, or {"state": "loading"}: then the same
  command tells later how it went. {"drop_adapter": name}: no new request may choose an adapter; the result is
  {"dropped": true}. Both are refused unless the server runs with --allow-adapter-loading.
- {"tokenize": prompt}: the result has the `token_ids` of a text or a conversation, `max_context` of the
  model, of a conversation its `text` as the chat template writes it, and with "pieces": true for each token
  its `name` in the vocabulary, its `text`, and its `bytes` if it is a part of a character. Further fields are
  `model`, of a text `add_special_tokens` (default true), and of a conversation those of `ChatFields`.
- {"detokenize": ids}: the result is {"text": text}, names of special tokens included. "model" is possible.
- {"save_prompt": name, "messages": prompt, "parameters": fields}: the server begins to compute and save a
  prompt: a conversation, without the beginning of an answer, or a raw prompt. Of the fields, those count that
  change the prompt, such as `tools`. The result is {"state": "saving"}: then the same command tells later how
  it went; or {"state": "ready", "prompt": entry}. An entry has `name`, `tokens`, `bytes`, and `created` and
  `last_used` in seconds since 1970. {"delete_prompt": name} deletes it; the result is {"deleted": true}. Both
  are refused unless the server runs with --allow-saving-prompts. The result of {"prompts": true} is
  {"prompts": entries}, and that of {"prompt": name} is {"prompt": entry}, with its `messages` and
  `parameters`. These commands are for the first model, or for another one with "model": name.
- {"live": true}: the result shows what the first model's engine does, or with "model": name another one's.
  It costs so little that several people may ask each second. It has `model`, its `state`, `histograms` and
  `engine`, which is null unless the model is loaded (model_core/live.py, step_log.py): `running`, `waiting`,
  `kv_pages`, the running `requests` by labels, the last `steps`, and `seconds`, their sums. With "tree": true
  it has the `tree` of the prefix cache. Nothing of it is anybody's text.
- {"profile": load}: the server measures a step of "one answer", "eight answers" or "a prompt", operation by
  operation, in memory of its own. The result is a `StepProfile` (model_core/step_profile.py).
- {"explain": prompt}: the result shows how the model computes a text or a conversation of up to 256 tokens:
  its `text` as the chat template writes it, its `tokens`, the `tape` in words, `attention` of a `layer` and
  `head`, which the command may name, and the likeliest `next` tokens, with the probabilities with which they
  are sampled. "sampling" may set temperature, top_k, top_p, min_p and typical_p. `attention` is null for a
  model without it (model_core/explain.py). A conversation may have the fields of `ChatFields`.
- {"conversations": command, "owner": name, ...}: a command of the store of conversations, see below.
- {"forget": cache_salt}: what the prefix cache on disk (--prefix-cache-disk) and memory have of requests with
  this salt is deleted. The result is {"forgotten": true}.
- {"metrics": true}: the result is {"metrics": text} in Prometheus' text format; with "vllm" instead of true,
  the text has vLLM's names, too.
- {"health": true}: the result is {"health": state}, which is "ready", or why the server accepts no requests.

The store of conversations is that of the HTTP service's sessions: one database, in which every owner has its
own. The owner "" is everybody for an HTTP service without keys, and the default. `command` and its fields:

- "list": `search` (words that must all occur), `limit` (50), `before` ({"pinned", "updated", "id"} of the
  last one of the page before). The result has `conversations`: those with "id", "title", "pinned", "created",
  "updated" and "turns", their number on the path that is shown; pinned ones first, then the newest.
- "import": `file`, the text of a conversation as `exchange.to_json` writes it; it gets a new id.
- "get", "delete", "restore": `id`. "create": `title`, `system`, `parameters`. "change": `id`, and `title`,
  `pinned`, `system`, `parameters` or `head`. The result has `conversation`, with all fields and turns of
  `conversations.tree.Conversation`, or is {"deleted": true}.
- "add_turn": `id`, `parent` (null: a first turn), `question`, `parameters`, `attachments` ({"name", "text",
  "tokens"}). The result is {"turn": its id}. "change_turn": `id`, `turn`, and what changes: `answer`,
  `reasoning`, `tool_calls`, `finish_reason`, `usage`, `timings`, `rating`.
- "list_documents": `kind`; "get_document", "delete_document": `kind`, `name`; "put_document": with a `value`.
- "add_vote": `vote`, an object; "list_votes".

`chat_stream` accepts {"health": true} as `messages`, too, and answers at once with an empty delta. This makes
it possible to watch each model. The result of a failure is {"error": {...}}.
"""

from typing import Any

# A conversation to answer, or a raw prompt to continue: text or token ids.
Prompt = list[dict[str, Any]] | str | list[int]

# Names of Triton models.
CHAT, CHAT_STREAM, CHAT_CONTROL, EMBED = "chat", "chat_stream", "chat_control", "embed"
DEFAULT_MODEL = "default"  # another name of the model that answers requests without a name
HEALTH = {"health": True}  # a command, which does not need the engine
READY = "ready"  # its result if the server accepts requests
