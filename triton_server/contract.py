"""The contract of the gRPC interface: tensors of UTF-8 JSON, and their meaning.

| Triton model  | inputs                                     | outputs                          |
| ------------- | ------------------------------------------ | -------------------------------- |
| `chat`        | `messages` UINT8, `parameters` UINT8 (opt.) | `response` BYTES, `details` BYTES |
| `chat_stream` | the same                                   | the same, one response per delta |
| `chat_control`| `command` UINT8                            | `result` BYTES                   |

`messages` is a list of {"role", "content"}, or a raw prompt to continue: a string, or a list of token ids.
`details` comes with the complete answer, or with its last delta. If the request asks for `logprobs`, each
delta has `details` with {"logprobs": [...]} of its own tokens; only the last delta has more. Each entry has
`token` (its text), `token_id`, `logprob` and `top_logprobs`, a list of such entries. A token may be a part of
a character. Its text then has U+FFFD in that place, and the entry has `bytes`: a list of integers.

`parameters` is an object with the fields of SamplingParams and some more. `request_id` (a string of 1 to 128
characters) names the request for `cancel`. `cache_salt` (a string of at most 128 characters, "" by default)
divides the prefix cache: only requests with the same salt share cached prefixes, so `usage.cached_tokens`
does not reveal what other users have asked. `client` (a string of the same size) names the sender of the
request, who may be one of many behind a proxy. A slot of the engine that becomes free goes to the client with
the fewest running requests. One eighth of the slots is reserved for clients without a running request.

With `acknowledge`: true, `chat_stream` answers as soon as the engine has accepted a request: by a response
without text whose `details` are {"accepted": true}. A request that is refused has no such response.

`command` is one of these objects:

- {"cancel": request_id}: the result is {"cancelled": true or false}.
- {"stats": true}: the result is the state of the server.
- {"metrics": true}: the result is {"metrics": text} in Prometheus' text format.
- {"health": true}: the result is {"health": state}, which is "ready", or why the server accepts no requests.

`chat_stream` accepts {"health": true} as `messages`, too, and answers at once with an empty delta. This makes
it possible to watch each model. The result of a failure is {"error": {...}}.
"""

# A conversation to answer, or a raw prompt to continue: text or token ids.
Prompt = list[dict[str, str]] | str | list[int]

# Names of Triton models.
CHAT, CHAT_STREAM, CHAT_CONTROL = "chat", "chat_stream", "chat_control"
HEALTH = {"health": True}  # a command, which does not need the engine
READY = "ready"  # its result if the server accepts requests
ROLES = ("system", "user", "assistant")  # of messages
