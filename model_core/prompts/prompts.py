"""`LLM.prompts`: saves prompts as files, and loads them, so that they are not computed again."""

import json
import queue
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from ..cache.memory import PAGE, KVCache
from ..cache.page_tree import CacheRoot, shared_root
from ..cache.prefix_file import PromptFile, open_prompt_file, saved_length
from ..cache.prefix_io import PromptPages
from ..engine.engine import Engine
from ..engine.job import Job
from ..errors import InvalidRequest, NoMemory, ShuttingDown
from ..model.transformer import Transformer
from ..requests.results import Completion, Delta
from ..requests.sampling import GenerationDefaults, SamplingParams
from ..text.tokenizer import AnyTokenizer, encode_prompt
from .fingerprint import fingerprint


class Prompts:
    """Saves and loads prompts of a model, for everybody who asks it, and without an adapter.

    Its methods may be called from any thread.
    """

    def __init__(
        self,
        engine: Engine,
        model: Transformer,
        cache: KVCache,
        tokenizer: AnyTokenizer | None,
        defaults: GenerationDefaults,
    ) -> None:
        """`defaults`: of parameters that a request leaves open."""
        self._engine, self._model, self._cache = engine, model, cache
        self._tokenizer, self._defaults = tokenizer, defaults

    @cached_property
    def fingerprint(self) -> str:
        """That of the model. The first use takes about a second for each GiB of weights and core."""
        return fingerprint(self._model, self._cache)

    def add_recall(self, recall: Callable[[list[int], CacheRoot], None]) -> None:
        """Let requests first bring pages back that are on disk: `recall` gets their tokens and their root."""
        self._engine.recalls.append(recall)

    def wait_for_end(self, timeout_s: float) -> bool:
        """Wait until the engine has ended. False if it has not within the timeout."""
        return self._engine.wait_for_end(timeout_s)

    def encode(self, prompt: str | Sequence[int]) -> list[int]:
        """The token ids of a prompt. Raises InvalidRequest for text if there is no tokenizer."""
        return encode_prompt(self._tokenizer, prompt)

    @property
    def pages(self) -> PromptPages:
        """Moves pages between the prefix cache and files."""
        return self._engine.pages

    def save(self, path: str | Path, prompt: str | Sequence[int], source: str | None = None) -> PromptFile:
        """Compute a prompt, text or token ids, and write it to a file that only its owner may read.

        The file keeps `source`, JSON from which the prompt was made; by default that of the prompt itself. It
        has the whole pages of the prompt, so up to 16 tokens of it are computed again each time.

        Raises InvalidRequest for a prompt that is too short, StorageError if the file cannot be written, and
        what the engine raises.
        """
        tokens = self.encode(prompt)
        length = saved_length(len(tokens))
        if not length:
            raise InvalidRequest(
                f"the prompt has {len(tokens)} tokens; prompts of {PAGE + 1} and more can be saved."
            )
        self._compute(tokens[: length + 1])
        if source is None:
            source = json.dumps(prompt if isinstance(prompt, str) else tokens)
        root, facts = shared_root(), {"fingerprint": self.fingerprint, "source": source}
        return self.pages.write(Path(path), tokens, root, **facts)

    def load(self, path: str | Path) -> PromptFile:
        """Read a file into the prefix cache, for all requests that begin so. Its tokens are `tokens`.

        It stays there as long as running requests leave room for it.

        Raises PromptFileError if the file is damaged or of another model, and NoMemory.
        """
        file = open_prompt_file(Path(path))
        file.check(self.fingerprint, self.pages.layout)
        if not self.pages.read(file, shared_root(), pin=str(path)):
            raise NoMemory(
                f"{path} needs {file.size / 2**20:.3g} MiB of KV memory, which are not free; start with a "
                "larger --kv-cache-memory."
            )
        return file

    def _compute(self, tokens: list[int]) -> None:
        finished: queue.SimpleQueue[Completion] = queue.SimpleQueue()

        def on_delta(delta: Delta) -> None:
            if delta.completion is not None:
                finished.put(delta.completion)

        params = SamplingParams(max_tokens=1, temperature=0.0).with_defaults(self._defaults)
        request_id = self._engine.submit(Job(tokens, params, is_shared=True), on_delta)
        try:
            completion = finished.get()
        except BaseException:
            self._engine.cancel(request_id)
            raise
        if completion.error is not None:
            raise completion.error
        if completion.finish_reason == "cancelled":
            raise ShuttingDown("the server is stopping; the prompt is not saved.")
