"""What a step of the engine computes for each sequence."""

from dataclasses import dataclass, field

from .sequence import Sequence


@dataclass(slots=True)
class WorkItem:
    """What a step computes for one sequence: its next tokens, and drafts of those that may follow."""

    sequence: Sequence
    end: int  # the step computes the sequence's tokens from `computed_tokens` up to here
    logit_count: int  # how many of the last computed tokens, drafts included, need logits to go on
    drafts: list[int] | tuple[()] = ()
    is_prompt_chunk: bool = False  # a chunk of a prompt or of a preempted request, not one token of an answer
    draft_slots: range = range(0)  # of the recurrent states after each draft, if the model has some
    is_single: bool = field(init=False)  # the last token of a sequence, with its logits alone

    def __post_init__(self) -> None:
        self.is_single = self.logit_count == 1 and not self.is_prompt_chunk and not self.drafts
