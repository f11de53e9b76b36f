"""Long conversations: the oldest turns are left out until the rest fits into the context.

A turn is a message of the user with everything up to the next one, so the results of tools stay with their
calls. The system messages at the start and the last turn always stay.

Turns are left out in blocks of about a quarter of the context. So the start of the prompt stays the same for
several turns, and the prefix cache has it. If one turn were left out at a time, the whole prompt would be
computed again for every answer.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..errors import PromptTooLong
from ..requests.messages import Message
from .template import MAX_CHARACTERS_PER_POSITION, ChatPrompt

_ROOM_SHARE = 8  # the answer may need this fraction of the context
_BLOCK_SHARE = 4
_CHARACTERS_PER_TOKEN = 3  # about; decides how large a block is
_MANY_CHARACTERS_PER_TOKEN = 6  # so that most conversations that fit are tried whole first
_IMAGE_CHARACTERS = 1024  # that take as much room as a small image
_MESSAGE_CHARACTERS = 16  # what templates write around a message, about


def prompt_limit(max_context: int, max_tokens: int) -> int:
    """Tokens that a shortened prompt may have, so that there is room for the answer.

    The room is `max_tokens` of the answer, but at most an eighth of the context.
    """
    return max_context - min(max_tokens, max_context // _ROOM_SHARE)


def fit_conversation(
    messages: Sequence[Message],
    encode: Callable[[Sequence[Message]], ChatPrompt],
    max_context: int,
    max_tokens: int,
) -> ChatPrompt:
    """The prompt of a conversation, without its oldest turns if they leave too little room for the answer.

    `encode` makes the prompt of some of the messages. It is called once for most conversations, and a few
    times for long ones, with no more messages than may fit. Raises what it raises for the last turn.
    """
    limit = prompt_limit(max_context, max_tokens)
    head, cuts, sizes = _find_cuts(messages, max_context)

    def encode_from(cut: int) -> ChatPrompt:
        prompt = encode([*messages[:head], *messages[cut:]])
        return replace(prompt, truncated_messages=cut - head)

    low, high = 0, len(cuts) - 1  # the first cut that fits is between them
    found: ChatPrompt | None = None
    characters_per_token: float = _MANY_CHARACTERS_PER_TOKEN
    is_estimate = False
    while low < high:
        # Estimates are good, and the middle sees to it that bad ones do not matter.
        is_estimate = not is_estimate
        estimates = (i for i in range(low, high - 1) if sizes[i] <= limit * characters_per_token)
        probe = next(estimates, high - 1) if is_estimate else (low + high) // 2
        try:
            prompt = encode_from(cuts[probe])
        except PromptTooLong:
            low = probe + 1
            continue
        characters_per_token = sizes[probe] / max(len(prompt.token_ids), 1)
        if len(prompt.token_ids) <= limit:
            found, high = prompt, probe
        else:
            low = probe + 1
    return found or encode_from(cuts[high])


def _find_cuts(messages: Sequence[Message], max_context: int) -> tuple[int, list[int], list[int]]:
    """Where a conversation may go on after its system messages.

    Returns the number of these, the indices of the messages from which the conversation may be kept, the
    oldest first, and about how many characters each prompt has then.
    """
    is_system = [message.role in ("system", "developer") for message in messages]
    head = is_system.index(False) if False in is_system else len(messages)
    *turns, last = [head, *(i for i in range(head + 1, len(messages)) if messages[i].role == "user")]
    ends = list(itertools.accumulate(map(_size, messages), initial=0))
    block = max(max_context * _CHARACTERS_PER_TOKEN // _BLOCK_SHARE, 1)
    starts_of_blocks = {(ends[turn] - ends[head]) // block: turn for turn in reversed(turns)}
    cuts = [*sorted(starts_of_blocks.values()), last]
    sizes = [ends[head] + ends[-1] - ends[cut] for cut in cuts]
    largest = max_context * MAX_CHARACTERS_PER_POSITION
    first = next((i for i, size in enumerate(sizes) if size <= largest), len(cuts) - 1)
    return head, cuts[first:], sizes[first:]


def _size(message: Message) -> int:
    """About how many characters a message adds to a prompt."""
    calls = sum(len(call.name) + len(call.arguments) for call in message.tool_calls or ())
    images = _IMAGE_CHARACTERS * len(message.images)
    return len(message.text) + images + calls + _MESSAGE_CHARACTERS
