"""The prompt for an answer, made of the turns of a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from model_core.errors import InvalidRequest
from model_core.requests.messages import PromptFields
from triton_server.contract.image_bytes import MAX_IMAGES_BYTES
from triton_server.contract.tensors import Prompt
from triton_server.conversations.tree import join_question, make_content

from .conversation import Turn

_ROOM_FOR_OTHERS = 2**20  # what looks like images in texts
_AROUND_IMAGE = 64  # bytes of JSON
# Those of an answer's request on which its prompt depends.
_PROMPT_FIELDS = {*PromptFields.model_fields, "tools", "tool_choice", "model"}


def build_prompt(turns: Sequence[Turn], system: str, is_chat_model: bool) -> Prompt:
    """The prompt for an answer to the last of `turns`, or for the rest of its answer if it has a text.

    For a chat model, it has all turns except those without an answer; the model's template decides whether
    their reasoning is repeated. For any other model, it is the last question as a text to continue. Raises
    InvalidRequest if that has images.
    """
    *earlier, last = turns
    if not is_chat_model:
        if any(file.image is not None for file in last.attachments):
            raise InvalidRequest(
                "this model continues texts, which have no images; choose one that answers conversations.",
                "files",
            )
        return join_question(last.question, last.attachments) + last.text
    messages = [{"role": "system", "content": system.strip()}] if system.strip() else []
    for turn in earlier:
        if turn.text or turn.results:
            messages += [*_question(turn), *_answer(turn)]
    return [*messages, *_question(last), *(_answer(last) if last.text else [])]


def build_prompt_of_text(earlier: Sequence[Turn], turn: Turn, system: str) -> tuple[Prompt, dict[str, Any]]:
    """The prompt that the text of a turn's answer follows, with its reasoning; and the fields of the request.

    `earlier` are the turns before it. Raises InvalidRequest as `build_prompt`.
    """
    fields = {name: value for name, value in turn.parameters.items() if name in _PROMPT_FIELDS}
    asked = Turn(turn.question, attachments=turn.attachments)
    prompt = build_prompt([*earlier, asked], system, not turn.is_continuation)
    if isinstance(prompt, str):
        return prompt, {"model": fields["model"]} if "model" in fields else {}
    fields["truncation"] = "auto"
    if turn.reasoning:
        thought = {"role": "assistant", "content": "", "reasoning": turn.reasoning}
        return [*prompt, thought], {**fields, "continue_final_message": True}
    return prompt, fields


def leave_out_images(turns: Sequence[Turn]) -> tuple[list[Turn], int]:
    """The last of `turns`, as many as have images within the limit of a request.

    Returns them, and how many messages were left out. The last turn always stays.
    """
    room = MAX_IMAGES_BYTES - _ROOM_FOR_OTHERS
    for number in range(len(turns) - 1, -1, -1):
        room -= sum(len(file.image or "") + _AROUND_IMAGE for file in turns[number].attachments)
        if room < 0 and number < len(turns) - 1:
            kept = list(turns[number + 1 :])
            return kept, len(build_prompt(turns, "", True)) - len(build_prompt(kept, "", True))
    return list(turns), 0


def _question(turn: Turn) -> list[dict[str, Any]]:
    """The message with the question; none if the turn goes on after results of tools."""
    content = make_content(turn.question, turn.attachments)
    return [{"role": "user", "content": content}] if content else []


def _answer(turn: Turn) -> list[dict[str, Any]]:
    """The messages with the answer, and the results of its calls. Calls without a result are left out."""
    answer: dict[str, Any] = {"role": "assistant"}
    calls = [call for call in turn.tool_calls if call.id in turn.results]
    if turn.text or not calls:
        answer["content"] = turn.text
    if turn.reasoning:
        answer["reasoning"] = turn.reasoning
    if calls:
        answer["tool_calls"] = [call.model_dump() for call in calls]
    return [
        answer,
        *({"role": "tool", "tool_call_id": call.id, "content": turn.results[call.id]} for call in calls),
    ]


def begin_answer(prompt: Prompt, text: str, parameters: dict[str, Any]) -> tuple[Prompt, dict[str, Any]]:
    """The prompt with an answer to it that begins with `text`, and the parameters of its request.

    `parameters` are those of `prompt`: a text has only the model's name.
    """
    if isinstance(prompt, str):
        return prompt + text, {name: parameters[name] for name in ("model",) if name in parameters}
    if not text:
        return prompt, parameters
    last: Any = prompt[-1] if parameters.get("continue_final_message") else {"role": "assistant"}
    earlier = prompt[:-1] if parameters.get("continue_final_message") else prompt
    begun = {**last, "content": f"{last.get('content', '')}{text}"}
    return [*earlier, begun], {**parameters, "continue_final_message": True}


@dataclass(frozen=True)
class Step:
    """A step that the page Explain is asked about: what the model had read, and what it wrote."""

    prompt: Prompt
    parameters: dict[str, Any]
    token: str


ASKED_STEP = "asked_step"  # in the session
