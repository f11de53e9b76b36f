"""The client of the store of conversations, over gRPC: `ChatClient.conversations()`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..conversations.commands import MAX_KNOWN, STORE_COMMANDS
from ..conversations.exchange import to_json
from ..conversations.tree import Attachment, Conversation, Summary, conversation_from_json, summary_from_json

Summaries = list[Summary]
Votes = list[dict[str, Any]]
Counts = list[dict[str, Any]]


class Conversations:
    """The conversations of one owner, with the documents and votes of the page.

    Attributes:
        owner: "" is the person of this machine.

    The methods may be called from several threads. They raise a class of `contract.conversation_errors` or of
    `model_core.errors`, and ServerUnavailable if no server answers.
    """

    def __init__(self, ask: Callable[..., dict[str, Any]], owner: str) -> None:
        """`ask` is that of the client. `owner` "" is the person of this machine."""
        self._ask, self.owner = ask, owner

    def list_votes(self) -> Votes:
        """All votes, the oldest first, each with its time in `created`."""
        return self._run("list_votes")

    def add_vote(self, vote: Mapping[str, Any]) -> None:
        """Append a vote: any JSON object."""
        self._run("add_vote", vote=dict(vote))

    def list(self, search: str = "", limit: int = 50, before: Summary | None = None) -> Summaries:
        """At most `limit` conversations, pinned ones first, then those that were changed last.

        Each has all words of `search` in its title or its texts, whatever their case. `before` is the last
        one of the page before.
        """
        cursor = before and {"pinned": before.pinned, "updated": before.updated, "id": before.id}
        found = self._run("list", search=search, limit=limit, before=cursor)
        return [summary_from_json(summary) for summary in found]

    def get(self, conversation_id: str, known: Conversation | None = None) -> Conversation:
        """A conversation with all its turns. Raises ConversationNotFound.

        `known`: the same as it was before. Attachments that it has are not sent again: no turn changes them.
        """
        before = [] if known is None or known.id != conversation_id else known.turns
        files = {turn.id: turn.attachments for turn in [t for t in before if t.attachments][-MAX_KNOWN:]}
        found = conversation_from_json(self._run("get", id=conversation_id, known=list(files)))
        turns = [replace(turn, attachments=files.get(turn.id, turn.attachments)) for turn in found.turns]
        return replace(found, turns=turns)

    def create(
        self, title: str = "", system: str | None = None, parameters: Mapping[str, Any] | None = None
    ) -> Conversation:
        """Create a conversation. Without a title, it gets one from its first question.

        `parameters` are fields of `request_fields.Request`. Raises SessionsFull at the limits of the server.
        """
        kept = dict(parameters or {})
        return conversation_from_json(self._run("create", title=title, system=system, parameters=kept))

    def add(self, conversation: Conversation) -> Conversation:
        """Store a whole conversation, such as one of `exchange.read_file`, under a new id.

        Raises SessionsFull at the limits of the server.
        """
        return conversation_from_json(self._run("import", file=to_json(conversation)))

    def change(self, conversation_id: str, **changes: Any) -> Conversation:
        """Change `title`, `pinned`, `system`, `parameters` or `head`; return the changed conversation.

        `parameters` replace the old ones. `head` None shows no turn. Raises ConversationNotFound, and
        TurnNotFound for a head that the conversation does not have.
        """
        return conversation_from_json(self._run("change", id=conversation_id, **changes))

    def delete(self, conversation_id: str) -> None:
        """Delete a conversation. `restore` undoes it for some days. Raises ConversationNotFound."""
        self._run("delete", id=conversation_id)

    def restore(self, conversation_id: str) -> Conversation:
        """Undo `delete`. Raises ConversationNotFound if it was not deleted, or too long ago."""
        return conversation_from_json(self._run("restore", id=conversation_id))

    def add_turn(
        self,
        conversation_id: str,
        parent: int | None,
        question: str,
        parameters: Mapping[str, Any] | None = None,
        attachments: Sequence[Attachment] = (),
    ) -> int:
        """Add a turn whose answer runs, after `parent`; None: as a first turn. It becomes the head.

        Returns the id of the turn. Raises ConversationNotFound, TurnNotFound and SessionsFull.
        """
        return self._run(
            "add_turn",
            id=conversation_id,
            parent=parent,
            question=question,
            parameters=dict(parameters or {}),
            attachments=[file.to_json() for file in attachments],
        )

    def change_turn(self, conversation_id: str, turn: int, **changes: Any) -> None:
        """Change fields of a turn: `answer`, `reasoning`, `tool_calls`, `finish_reason`, `usage`, ...

        They replace the old values: `answer` is the whole text so far. `timings`, `rating` and `receipt` are
        the other ones. Call this now and then while an answer runs, and at its end with a `finish_reason`.
        Raises ConversationNotFound, TurnNotFound and SessionsFull.
        """
        self._run("change_turn", id=conversation_id, turn=turn, **changes)

    def usage(self, since: float = 0.0) -> Counts:
        """The tokens of answers since a time (seconds since 1970), by quarter of an hour and model.

        The oldest come first. Each has `time`, `model`, `answers`, `prompt_tokens`, `completion_tokens` and
        `cached_tokens`, which are a part of the prompts'.
        """
        return self._run("usage", since=since)

    def list_documents(self, kind: str) -> dict[str, Any]:
        """The values of all documents of a kind, by name."""
        return self._run("list_documents", kind=kind)

    def get_document(self, kind: str, name: str) -> Any:
        """The value of a document. Raises DocumentNotFound."""
        return self._run("get_document", kind=kind, name=name)

    def put_document(self, kind: str, name: str, value: Any) -> None:
        """Store a document: any JSON value. It replaces the one with its name."""
        self._run("put_document", kind=kind, name=name, value=value)

    def delete_document(self, kind: str, name: str) -> None:
        """Remove a document. Raises DocumentNotFound."""
        self._run("delete_document", kind=kind, name=name)

    def _run(self, command: str, **fields: Any) -> Any:
        result = self._ask("conversations", command, owner=self.owner, **fields)
        return STORE_COMMANDS[command].read_result(result)
