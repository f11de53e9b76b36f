"""Descriptions of answers and errors for a person."""

from model_core.errors import (
    ModelUnavailable,
    PromptTooLong,
    QueueFull,
    RequestTimeout,
    ShuttingDown,
    TritonchatError,
    capitalize_sentence,
)
from triton_server.contract.conversation_errors import ConversationNotFound
from triton_server.contract.wire import ServerUnavailable

from .conversation import Turn
from .markdown import escape

_MAX_SAID = 2000  # characters of an answer that a screen reader gets at its end
EMPTY_ANSWER = "The answer is empty: the model has ended it at once."
REPEATED_ANSWER = "It is the same answer as before: the temperature is 0, so nothing is left to chance."

_EXPLANATIONS: dict[type[TritonchatError], str] = {
    ConversationNotFound: "There is no conversation with this address.",
    ServerUnavailable: "The server does not answer. It may be starting, or it was stopped.",
    ModelUnavailable: "The model could not be loaded. A later message tries it again.",
    PromptTooLong: "This message is too long for the model.",
    QueueFull: "The server is busy with other requests.",
    ShuttingDown: "The server is stopping and accepts no more requests.",
    RequestTimeout: "The answer took too long and was cut off.",
}


def describe_progress(turn: Turn) -> str:
    """What a running answer is doing, as plain text."""
    if turn.progress is not None:
        return f"loading {turn.parameters['model']}, {turn.progress:.0%} …"
    if turn.has_answer:
        return "answering …"
    return "thinking …" if turn.reasoning else "waiting for the first word …"


def describe_reasoning(turn: Turn) -> str:
    """The heading of a turn's reasoning, with its time when it has ended."""
    if turn.is_running and not turn.has_answer:
        return "Thinking …"
    return "Reasoning" if turn.reasoning_s is None else f"Reasoning · {_format_duration(turn.reasoning_s)}"


def describe_context(turn: Turn | None, max_context: int | None) -> tuple[float | None, str]:
    """How full the context is after an answer: the share from 0 to 1 if its size is known; and in words."""
    usage = {} if turn is None or turn.answer is None else turn.answer.usage
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    whole = "" if max_context is None else f" of {max_context:,}"
    text = f"{tokens:,}{whole} tokens of context"
    if count := usage.get("truncated_messages", 0):
        text += f", without the first {count} messages"
    return None if max_context is None else min(tokens / max_context, 1.0), text


def format_statistics(turn: Turn) -> str:
    """The speed of an answer, its number of tokens, and why it ended; what is known of it."""
    parts = []
    if turn.answer is not None:
        usage, timings = turn.answer.usage, turn.answer.timings
        out, first, total = (
            usage.get("completion_tokens", 0),
            timings.get("first_token"),
            timings.get("total"),
        )
        if first is not None and total is not None and out > 1 and total > first:
            parts.append(f"{(out - 1) / (total - first):.0f} tokens/s")
        if first is not None:
            parts.append(f"first token after {_format_duration(first)}")
        if usage:
            parts.append(f"{usage.get('prompt_tokens', 0)} tokens in, {out} out")
        if turn.answer.seed is not None:
            parts.append(f"seed {turn.answer.seed}")
        temperature = turn.parameters.get("temperature")
        if isinstance(temperature, int | float):
            parts.append(f"temperature {temperature:g}")
    parts.append(_describe_end(turn))
    return " · ".join(parts)


def describe_truncation(turn: Turn) -> str:
    """A sentence about the messages that a long conversation has lost; empty if it has all."""
    count = 0 if turn.answer is None else turn.answer.usage.get("truncated_messages", 0)
    return f"The first {count} messages were left out: the conversation is too long." if count else ""


def _format_duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"


def _describe_end(turn: Turn) -> str:
    reason = "cancelled" if turn.answer is None else turn.answer.finish_reason
    if reason in ("stop", "tool_calls"):
        return "complete"
    if reason == "length" and turn.answer is not None:
        out = turn.answer.usage.get("completion_tokens", 0)
        limit = turn.parameters.get("max_tokens")
        if type(limit) is int and 0 < out < limit:
            return "cut: the context is full"
        return "cut at max tokens" if limit is not None else "cut"
    return "stopped by you" if turn.is_stopped else "cut off"


def explain_error(error: Exception) -> list[str]:
    """An error as plain texts: an explanation, if there is one, and the server's message."""
    explanation = next((text for kind, text in _EXPLANATIONS.items() if isinstance(error, kind)), None)
    details = capitalize_sentence(str(error)[:500])
    return [details] if explanation is None else [explanation, details]


def describe_for_screen_reader(turn: Turn) -> str:
    """What a screen reader says when an answer has ended."""
    names = dict.fromkeys(call.name for call in turn.tool_calls)
    calls = f"The model wants to call {', '.join(names)}." if names else ""
    if turn.error is not None:
        return str(turn.error)
    return " ".join(filter(None, (turn.shown_text[:_MAX_SAID], calls))) or EMPTY_ANSWER


def describe_error(error: Exception) -> str:
    """An error as Markdown: first an explanation, if there is one, then the server's message."""
    *explanation, details = explain_error(error)
    return f"{explanation[0]}\n\n:small[{escape(details)}]" if explanation else escape(details)
