"""Render answers in the form of OpenAI's Responses API: as one body, or as server-sent events."""

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

from model_core.requests.events import Done, Failed, Logprobs, Reasoning, Text, ToolCallDelta, Usage

from ..mcp_tools.calls import AnyEvent, ApprovalAsked, CallEnded, CallStarted, ToolEvent, ToolsListed
from ..openai.chat_answers import render_logprob
from ..stream_response import to_json
from .calls import CallForm, fill_item, start_item
from .citations import list_citations
from .items import item_id
from .schemas import ResponsesRequest
from .service_items import ServiceItems

StreamEvent = dict[str, Any]
_ERROR_CODES = {429: "rate_limit_exceeded"}  # OpenAI's, by HTTP status, where it is not the one of its kind
_EMPTY_PARTS: dict[str, dict[str, Any]] = {  # of output items with content
    "message": {"type": "output_text", "text": "", "annotations": [], "logprobs": []},
    "reasoning": {"type": "reasoning_text", "text": ""},
}


# What a call that is streamed is called in its events.
_CALL_EVENTS = {
    "function_call": "response.function_call_arguments",
    "custom_tool_call": "response.custom_tool_call_input",
}
_NO_FORMS: Mapping[str, CallForm] = MappingProxyType({})


def new_response(body: ResponsesRequest, response_id: str, model: str) -> dict[str, Any]:
    """The response to a request before its answer begins."""
    text, reasoning = body.text, body.reasoning
    text_format = text.format.model_dump(by_alias=True, exclude_none=True) if text and text.format else None
    choice = body.tool_choice or "auto"
    return {
        "id": response_id,
        "object": "response",
        "created_at": int(time.time()),
        "completed_at": None,
        "status": "queued" if body.background else "in_progress",
        "background": body.background is True,
        "conversation": None if body.conversation_id is None else {"id": body.conversation_id},
        "error": None,
        "incomplete_details": None,
        "instructions": body.instructions,
        "max_output_tokens": body.max_tokens,
        "metadata": body.metadata or {},
        "model": model,
        "output": [],
        "parallel_tool_calls": body.parallel_tool_calls is not False,
        "previous_response_id": body.previous_response_id,
        "reasoning": {"effort": reasoning.effort if reasoning else body.reasoning_effort, "summary": None},
        "store": body.store is not False,
        "temperature": body.temperature,
        "text": {
            "format": text_format or {"type": "text"},
            "verbosity": (text.verbosity if text else None) or "medium",
        },
        "tool_choice": choice if isinstance(choice, str) else choice.model_dump(exclude_unset=True),
        "tools": [tool.model_dump() for tool in body.tools or ()],
        "top_logprobs": body.top_logprobs or 0,
        "top_p": body.top_p,
        "truncation": body.truncation or "disabled",
        "usage": None,
        "user": body.user,
        "seed": None,
    }


class ResponseWriter:
    """Makes the events of OpenAI's stream from those of an answer, and the response that they add up to.

    `response` is complete after Done or Failed; then `end` makes the last event.
    """

    def __init__(
        self,
        response: dict[str, Any],
        input_count: int,
        forms: Mapping[str, CallForm] = _NO_FORMS,
    ) -> None:
        """`response` is that of `new_response`. `input_count` is the number of its input items.

        `forms`: how the client knows calls, by the name of the function; calls of others are function_call.
        """
        self.response, self._forms = response, forms
        self._input_count = input_count
        self._events: list[StreamEvent] = []  # since the last call
        self._event_count = 0
        self._item: dict[str, Any] | None = None  # the output item that is being written
        self._text: list[str] = []  # its text or arguments
        self._item_logprobs: list[dict[str, Any]] = []
        self._logprobs: list[dict[str, Any]] = []  # of tokens whose text has not come
        self._cuts: list[list[int]] = [[], []]  # of the item
        self._record: dict[str, Any] = {"cuts": []}
        self._service_items = ServiceItems(response, input_count)

    @property
    def record(self) -> dict[str, Any]:
        """How the answer came in events, for replay.py.

        `cuts` has for each item of the model the lengths of its pieces, and if it has log probabilities, how
        many of them came with each piece; and between them, for each event of a call that the service makes,
        its kind and the index of its item. `error` has the fields of the event of that name. `was_refused`
        says that the answer was never in progress.
        """
        return self._record

    def start(self) -> list[StreamEvent]:
        """The events before it is known that the engine accepts the request."""
        self._emit_response("response.created")
        if self.response["status"] == "queued":
            self._emit_response("response.queued")
        return self._take_events()

    def accept(self) -> list[StreamEvent]:
        """The event that says that the answer is in progress."""
        self.response["status"] = "in_progress"
        self._emit_response("response.in_progress")
        return self._take_events()

    def write(self, event: AnyEvent) -> list[StreamEvent]:
        """The events for the next event of the answer."""
        if isinstance(event, Text):
            if event.text:
                self._write_text(event.text)
        elif isinstance(event, Reasoning):
            self._write_reasoning(event.text)
        elif isinstance(event, ToolCallDelta):
            self._write_call(event)
        elif isinstance(event, Logprobs):
            self._logprobs += map(render_logprob, event.entries)
        elif isinstance(event, ToolsListed | CallStarted | CallEnded | ApprovalAsked):
            self._close("completed")
            self._write_service_item(event)
        elif isinstance(event, Failed):
            self._fail(event)
        elif isinstance(event, Done):
            self._finish(event)
        return self._take_events()

    def cancel(self) -> list[StreamEvent]:
        """The events for an answer that its client does not want any more."""
        self._close("incomplete")
        self.response["status"] = "cancelled"
        return self._take_events()

    def end(self) -> StreamEvent:
        """The last event: response.completed, response.incomplete or response.failed.

        OpenAI has no event for a response that was cancelled; it is incomplete, and its status says why.
        """
        status = self.response["status"]
        self._emit(f"response.{'incomplete' if status == 'cancelled' else status}", response=self.response)
        return self._take_events()[0]

    def snapshot(self) -> dict[str, Any]:
        """The response as far as it has come."""
        output = list(self.response["output"])
        if self._item is not None:
            output.append(self._fill("".join(self._text)))
        return {**self.response, "output": output}

    def _write_text(self, text: str) -> None:
        place = self._open("message", role="assistant", content=[])
        self._text.append(text)
        self._item_logprobs += self._logprobs
        self._cut(text, len(self._logprobs))
        self._emit(
            "response.output_text.delta", **place, content_index=0, delta=text, logprobs=self._logprobs
        )
        self._logprobs = []

    def _write_reasoning(self, text: str) -> None:
        place = self._open("reasoning", summary=[], content=[])
        self._text.append(text)
        self._cut(text)
        self._emit("response.reasoning_text.delta", **place, content_index=0, delta=text)
        self._logprobs = []

    def _write_call(self, delta: ToolCallDelta) -> None:
        if delta.id is not None:
            self._close("completed")
            name = delta.name or ""
            form = self._forms.get(name, CallForm("function_call", name))
            self._open(form.kind, **start_item(form, delta.id))
        self._logprobs = []
        if delta.arguments and self._item is not None:
            self._text.append(delta.arguments)
            if event := _CALL_EVENTS.get(self._item["type"]):
                self._cut(delta.arguments)
                self._emit(f"{event}.delta", **self._place(), delta=delta.arguments)

    def _write_service_item(self, event: ToolEvent) -> None:
        index, events = self._service_items.write(event)
        self._record["cuts"].append({"event": type(event).__name__, "index": index})
        for kind, fields in events:
            self._emit(kind, **fields)

    def _open(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Begin an output item of the type `kind`, unless there is one. Returns the fields that locate it.

        What the client learns of a call as a whole is announced when it ends.
        """
        if self._item is not None and self._item["type"] != kind:
            self._close("completed")
        if self._item is None:
            index = len(self.response["output"])
            name = item_id(kind, self.response["id"], self._input_count + index)
            self._item = {"id": name, "type": kind, "status": "in_progress", **fields}
            if kind in _EMPTY_PARTS or kind in _CALL_EVENTS:
                self._emit("response.output_item.added", output_index=index, item=self._item)
            if kind in _EMPTY_PARTS:
                self._emit(
                    "response.content_part.added",
                    **self._place(),
                    content_index=0,
                    part=_EMPTY_PARTS[kind],
                )
        return self._place()

    def _place(self) -> dict[str, Any]:
        """The fields that locate the output item that is being written."""
        assert self._item is not None
        return {"item_id": self._item["id"], "output_index": len(self.response["output"])}

    def _close(self, status: Literal["completed", "incomplete"]) -> None:
        """End the output item, if there is one."""
        if self._item is None:
            return
        place, kind, text = self._place(), self._item["type"], "".join(self._text)
        item = {**self._fill(text), "status": status}
        if kind in _EMPTY_PARTS:
            (part,) = item["content"]
            place["content_index"] = 0
            if kind == "message":
                for number, annotation in enumerate(part["annotations"]):
                    fields = {"annotation_index": number, "annotation": annotation}
                    self._emit("response.output_text.annotation.added", **place, **fields)
                self._emit("response.output_text.done", **place, text=text, logprobs=part["logprobs"])
            else:
                self._emit("response.reasoning_text.done", **place, text=text)
            self._emit("response.content_part.done", **place, part=part)
        elif event := _CALL_EVENTS.get(kind):
            names = {"name": item["name"]} if kind == "function_call" else {}
            self._emit(f"{event}.done", **place, **fill_item(kind, text), **names)
        else:
            begun = {**item, "status": "in_progress"}
            self._emit("response.output_item.added", output_index=place["output_index"], item=begun)
            if kind == "apply_patch_call" and status == "incomplete":
                item["status"] = "in_progress"  # it has no other word for it
        self._emit("response.output_item.done", output_index=place["output_index"], item=item)
        self.response["output"].append(item)
        lengths, counts = self._cuts
        self._record["cuts"].append([lengths, counts] if any(counts) else [lengths])
        self._item, self._text, self._item_logprobs, self._cuts = None, [], [], [[], []]

    def _fill(self, text: str) -> dict[str, Any]:
        """The output item that is being written, with its text or arguments so far."""
        assert self._item is not None
        kind = self._item["type"]
        if kind not in _EMPTY_PARTS:
            return {**self._item, **fill_item(kind, text)}
        part = {**_EMPTY_PARTS[kind], "text": text}
        if kind == "message":
            part |= {"logprobs": self._item_logprobs, "annotations": self._cite(text)}
        return {**self._item, "content": [part]}

    def _cite(self, text: str) -> list[dict[str, Any]]:
        """The annotations of the text of a message."""
        return list_citations(text, self._service_items.findings)

    def _cut(self, text: str, logprob_count: int = 0) -> None:
        """Note where a piece of the item ends."""
        self._cuts[0].append(len(text))
        self._cuts[1].append(logprob_count)

    def _fail(self, failed: Failed) -> None:
        self._close("incomplete")
        if self.response["status"] == "queued":
            self._record["was_refused"] = True
        code = _ERROR_CODES.get(failed.status, "server_error" if failed.status >= 500 else "invalid_prompt")
        self.response |= {"status": "failed", "error": {"code": code, "message": failed.message}}
        self._record["error"] = {
            "code": failed.type or None,
            "message": failed.message,
            "param": failed.param,
        }
        self._emit("error", **self._record["error"])

    def _finish(self, done: Done) -> None:
        if self._item is None and not self.response["output"]:
            self._open("message", role="assistant", content=[])
        if self._logprobs and self._item is not None and self._item["type"] == "message":
            self._write_text("")
        is_cut = done.finish_reason == "length"
        status: Literal["completed", "incomplete"] = "incomplete" if is_cut else "completed"
        self._close(status)
        self.response |= {
            "status": status,
            "completed_at": None if is_cut else int(time.time()),
            "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
            "usage": render_usage(done.usage),
            "seed": done.seed,
            **({} if done.receipt is None else {"receipt": done.receipt}),
        }

    def _emit(self, kind: str, **fields: Any) -> None:
        self._events.append({"type": kind, "sequence_number": self._event_count, **fields})
        self._event_count += 1

    def _emit_response(self, kind: str) -> None:
        self._emit(kind, response={**self.response, "output": []})

    def _take_events(self) -> list[StreamEvent]:
        events, self._events = self._events, []
        return events


def render_event(event: StreamEvent) -> bytes:
    """A server-sent event."""
    return f"event: {event['type']}\ndata: {to_json(event)}\n\n".encode()


def render_usage(usage: Usage) -> dict[str, Any]:
    """The tokens of an answer."""
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cached_tokens,
            "cache_write_tokens": 0,
            **({"image_tokens": usage.image_tokens} if usage.image_tokens else {}),
        },
        "output_tokens": usage.completion_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        **usage.remarks,
    }
