"""The conversation that a tab shows, and what a person does with it.

The store has the conversations; a tab has its own place in one of them (`head`). So two tabs on one
conversation go on with branches of their own, and neither changes what the other shows.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from model_core.errors import TritonchatError
from model_core.llm.description import ModelDescription
from triton_server.client import ChatClient
from triton_server.client.conversations import Conversations
from triton_server.conversations import tree

from ..shared.conversation import Turn, limit_by_context
from ..shared.prompts import build_prompt, leave_out_images
from ..shared.settings import ChatSettings
from ..shared.temporary import PageConversations
from .keeping import attach_keeper, describe_calls, find_running, restore

_MAX_SEED = 2**31
# Of another answer to the same question, where the model's own 0 would repeat the first one.
OTHER_TEMPERATURE = 0.7


@dataclass
class ToolChoice:
    """What a person has chosen of the tools of MCP servers for a conversation.

    Attributes:
        servers: those that are on, by their labels.
        always, never: tools that run without being asked for, and those that never do, as "SERVER/TOOL".
        is_kept: whether the store has it.
    """

    servers: list[str] = field(default_factory=list)
    always: list[str] = field(default_factory=list)
    never: list[str] = field(default_factory=list)
    is_kept: bool = True


@dataclass(eq=False)
class Chat:
    """The conversation of a tab.

    Attributes:
        id: of the conversation in the store; None until its first question.
        head: the turn that is shown last, with those before it.
        stored: the conversation as the store had it last.
        pending: a question that is to be sent; after it failed, it waits for another attempt.
        waiting: questions that are to be sent after the running answer.
        resumed: a turn whose answer was cut, and is to go on.
        key: of the message line: another one for each conversation, so that a draft stays in its own. That of
            the first one of a tab is fixed, so that a page that was restarted gets what was written for it.
        retries: how often the last question was sent again by itself, without success.
        next_retry: when it may be sent again, as `time.monotonic` counts.
        running: answers of this process that run or ran, as this tab saw them last.
        arrivals: of those that have ended, when their texts arrived, see `Turn`.
        tools: what was chosen of the tools of servers; None: nobody has asked the store.
        is_temporary: whether it is only in the memory of the session.
        must_announce_end: whether a screen reader is to be told the end of the answer that runs. The run that
            waited for it may have been ended itself.
        is_line_sent: whether what the message line will give to a run is sent already.
        edit: the turn whose question is to be edited, and the number of this wish; the list of messages has
            the field.
        looks_at: the turn whose tokens are shown.
        shows_receipt: the turn whose receipt is shown.
    """

    id: str | None = None
    head: int | None = None
    stored: tree.Conversation | None = None
    pending: Turn | None = None
    waiting: list[Turn] = field(default_factory=list)
    resumed: int | None = None
    key: str = "0"
    retries: int = 0
    next_retry: float = 0.0
    running: dict[int, Turn] = field(default_factory=dict)
    arrivals: dict[int, list[tuple[int, float]]] = field(default_factory=dict)
    tools: ToolChoice | None = None
    is_temporary: bool = False
    must_announce_end: bool = False
    is_line_sent: bool = False
    edit: tuple[int, int] | None = None
    looks_at: int | None = None
    shows_receipt: int | None = None

    @property
    def is_new(self) -> bool:
        """Whether no question of it was sent yet."""
        has_sent = self.pending is not None and self.pending.is_started
        return self.id is None and not has_sent and not self.waiting

    @property
    def turns(self) -> list[Turn]:
        """The turns of the path that is shown, and the one that waits."""
        if self.pending is not None:
            return [*self.path(self.pending.parent), self.pending]
        return self.path(self.head)

    @property
    def last(self) -> Turn | None:
        """The last of `turns`, without the others; None: there is none."""
        if self.pending is not None or self.stored is None or self.head is None:
            return self.pending
        return self._view(self.stored.turn(self.head))

    @property
    def goes_on(self) -> int | None:
        """The newest turn that follows the last one that is shown: made before a step back, or elsewhere."""
        if self.stored is None or self.pending is not None:
            return None
        children = self.stored.children(self.head)
        return children[-1].id if children else None

    def path(self, head: int | None) -> list[Turn]:
        """The turns from the first one to `head`; none for None."""
        if self.stored is None or head is None:
            return []
        return [self._view(turn) for turn in self.stored.path(head)]

    def siblings(self, turn: Turn) -> list[int]:
        """The ids of the turns that stand in the place of this one, itself included, the oldest first."""
        if self.stored is None or turn.id is None:
            return []
        return [sibling.id for sibling in self.stored.siblings(turn.id)]

    # What a person does. A running answer is stopped by what takes its place.

    def ask(self, question: str, attachments: list[tree.Attachment] | None = None) -> Turn:
        """Ask a question after the last turn."""
        self.stop()
        parent = self.head if self.pending is None else self.pending.parent
        self.pending = Turn(question, attachments=attachments or [], parent=parent)
        return self.pending

    def ask_later(self, question: str) -> Turn:
        """Let a question wait for the end of the running answer."""
        turn = Turn(question)
        self.waiting.append(turn)
        return turn

    def ask_waiting(self) -> None:
        """Ask the first question that waits."""
        self.stop()
        turn = self.waiting.pop(0)
        turn.parent = self.head
        self.pending = turn

    def retry(self, turn: Turn) -> None:
        """Send what has failed again: in its place, from where its text has ended."""
        if turn is self.pending:
            turn.is_started, turn.error = False, None
            turn.finished.clear()
        else:
            self.resume(turn)

    def discard(self) -> None:
        """Forget a question that could not be sent."""
        self.pending = None

    def ask_instead(self, turn: Turn, question: str) -> None:
        """Ask a question in the place of another turn's, which stays as a branch; or the same one again."""
        self.stop()
        if turn is not self.pending:
            self._set_aside()
        files = turn.attachments
        if question != turn.question:  # other passages may fit it
            files = [file for file in files if file.place is None]
        self.pending = Turn(question, attachments=files, parent=turn.parent)

    def begin_edit(self, turn: Turn) -> None:
        """Let the list of messages show the question of a turn in a field."""
        if turn.id is not None:
            self.edit = turn.id, 1 if self.edit is None else self.edit[1] + 1

    def ask_from(self, turn: Turn, text: str) -> None:
        """Let the answer of a turn go on from another beginning. The turn stays as a branch."""
        self.ask_instead(turn, turn.question)
        assert self.pending is not None
        self.pending.text, self.pending.reasoning = text, turn.reasoning

    def resume(self, turn: Turn) -> None:
        """Go on with an answer that was cut."""
        self.stop()
        self.resumed = turn.id

    def go_back(self, turn: Turn) -> None:
        """Show the conversation as it was before a question. The turns from there on stay as a branch."""
        self.stop()
        self._set_aside()
        self.head = turn.parent

    def show_branch(self, turn_id: int) -> None:
        """Show the branch of a turn, to its newest end."""
        if self.stored is not None:
            self._set_aside()
            self.head = self.stored.leaf(turn_id)

    def _set_aside(self) -> None:
        """Let a question that could not be sent wait, if another turn takes its place."""
        if self.pending is not None:
            unsent = self.pending.question, self.pending.attachments
            self.waiting.insert(0, Turn(unsent[0], attachments=unsent[1]))
        self.pending = None

    def stop(self) -> None:
        """Stop the running answer; its text so far remains."""
        if self.last is not None:
            self.last.stop()

    def refresh(self, conversations: Conversations) -> None:
        """Ask the store for the conversation. Raises TritonchatError; what was known before stays."""
        if self.id is None:
            return
        running = find_running(self.id)  # before the store: what has left this list is in the store
        self.stored = conversations.get(self.id, self.stored)
        self.running |= running
        ended = [number for number, turn in self.running.items() if number not in running and not turn.error]
        for number in ended:
            self.arrivals[number] = self.running.pop(number).arrivals
        ids = {turn.id for turn in self.stored.turns}
        if self.head is not None and self.head not in ids:
            self.head = self.stored.head

    def _view(self, stored: tree.Turn) -> Turn:
        turn = self.running.get(stored.id)
        # An answer that has failed and was asked for again by another tab is in the store.
        if turn is None or (turn.error is not None and stored.finish_reason is not None):
            return restore(stored)
        return turn


def open_chat(conversations: Conversations, conversation: str) -> Chat:
    """The chat of a conversation, at the head that the store has. Raises TritonchatError."""
    chat = Chat(conversation)
    chat.refresh(conversations)
    assert chat.stored is not None
    chat.head = chat.stored.head
    return chat


def start(
    chat: Chat,
    client: ChatClient,
    conversations: PageConversations,
    model: dict[str, Any],
    settings: ChatSettings,
) -> None:
    """Send the pending question, or go on with the answer that is to be resumed.

    `model` is its entry in the server's statistics. If the store cannot be reached, the question fails, and
    can be sent again.
    """
    chat.must_announce_end = True
    turn, parameters = chat.pending, {**settings.parameters(), "model": model["name"]}
    parameters |= limit_by_context(parameters, model["description"])
    if turn is not None and repeats(chat, turn, model, parameters):
        parameters["temperature"] = OTHER_TEMPERATURE
    sent: dict[str, Any] = {"truncation": "auto"}
    if parameters["seed"] is None:  # it is kept with the turn, so that the answer can be made again
        parameters["seed"] = secrets.randbelow(_MAX_SEED)
        sent["answer_cache"] = "greedy"  # nobody has chosen it
    try:
        if turn is not None:
            _store_question(chat, turn, conversations, model, settings, parameters)
        elif chat.resumed is not None and chat.stored is not None:
            known = chat._view(chat.stored.turn(chat.resumed))  # the store may not have its last words
            turn = restore(chat.stored.turn(chat.resumed))
            turn.text, turn.reasoning = known.text, known.reasoning
    except TritonchatError as error:
        if turn is not None:
            turn.fail(error)
        return
    chat.resumed = None
    if turn is None or turn.id is None or chat.id is None:
        return
    if conversations.owner or chat.is_temporary:  # these share no cached prefixes, images and answers
        sent["cache_salt"] = chat.id if chat.is_temporary else conversations.owner
    turns, turn.left_out = leave_out_images([*chat.path(turn.parent), turn])
    build = partial(build_prompt, turns, settings.system)
    attach_keeper(turn, conversations, chat.id)
    chat.running[turn.id] = turn
    turn.start(client, build, {**parameters, **sent}, model)


def is_greedy(parameters: Mapping[str, Any], description: ModelDescription | None) -> bool:
    """Whether nobody has chosen a temperature, and the model's own is 0."""
    sampling = {} if description is None else description["sampling"] or {}
    return parameters.get("temperature") is None and sampling.get("temperature") == 0


def repeats(chat: Chat, turn: Turn, model: dict[str, Any], parameters: Mapping[str, Any]) -> bool:
    """Whether the model would answer a pending question as it has done before, word for word."""
    if turn.text or chat.stored is None or not is_greedy(parameters, model["description"]):
        return False
    return any(
        other.question == turn.question and other.answer and other.parameters.get("model") == model["name"]
        for other in chat.stored.children(turn.parent)
    )


def store_results(chat: Chat, turn: Turn, conversations: Conversations, results: dict[str, str]) -> None:
    """Give results of the tools that a turn has called, and let the model go on after all of them.

    Raises TritonchatError if they cannot be kept.
    """
    assert chat.id is not None and turn.id is not None
    turn.results |= results
    conversations.change_turn(chat.id, turn.id, tool_calls=describe_calls(turn))
    if all(call.id in turn.results for call in turn.tool_calls):
        chat.pending = Turn("", parent=turn.id)


def _store_question(
    chat: Chat,
    turn: Turn,
    conversations: PageConversations,
    model: dict[str, Any],
    settings: ChatSettings,
    parameters: dict[str, Any],
) -> None:
    """Add the pending question to the conversation, which the first question makes."""
    kept, system = settings.kept(model["name"]), settings.system or None
    if chat.id is None or chat.stored is None:
        title = "" if turn.question.strip() or not turn.attachments else turn.attachments[0].name
        create = conversations.create_temporary if chat.is_temporary else conversations.create
        chat.stored = create(title, system, kept)
        chat.id = chat.stored.id
    elif (chat.stored.system, chat.stored.parameters) != (system, kept):
        conversations.change(chat.id, system=system, parameters=kept)
    description = model["description"]
    if description is not None and not description["chat_template"]:
        parameters = {**parameters, "is_continuation": True}
    turn.id = conversations.add_turn(chat.id, turn.parent, turn.question, parameters, turn.attachments)
    stored = tree.Turn(
        turn.id, turn.parent, turn.question, parameters=parameters, attachments=turn.attachments
    )
    chat.stored = replace(chat.stored, head=turn.id, turns=[*chat.stored.turns, stored])
    chat.head, chat.pending = turn.id, None
