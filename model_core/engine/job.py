"""What the engine is asked for."""

from dataclasses import dataclass, field

from ..answers.plan import AnswerPlan
from ..families.vision.parts import ImageSpan
from ..requests.sampling import FilledParams


@dataclass(frozen=True)
class Job:
    """An answer to make. It can be submitted once: the budget of its plan counts the tokens of the answer.

    Attributes:
        prompt: token ids.
        params: with the defaults of the model.
        plan: how the answer to a conversation is made.
        adapter: the name of a loaded one. adapter_digest: the one it is to be; None: whichever has the name.
        cache_salt: the prefix cache is shared with requests of the same salt only.
        client: a slot that becomes free goes to the client with the fewest running requests.
        is_shared: everybody may use its pages, whatever their salt.
        images: in the order of the prompt, which has a token of its own for each of their rows.
    """

    prompt: list[int]
    params: FilledParams
    plan: AnswerPlan = field(default_factory=AnswerPlan)
    adapter: str | None = None
    cache_salt: str = ""
    client: str = ""
    is_shared: bool = False
    images: tuple[ImageSpan, ...] = ()
    adapter_digest: str | None = None
