"""Makes embeddings of texts, and scores documents for a query."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..cache.memory import KVCache
from ..chat.chat_tokenizer import ChatTokenizer
from ..checks.request_values import shorten
from ..errors import InvalidRequest, ModelError, PromptTooLong, TritonchatError
from ..model.batch import Batch
from ..model.transformer import Transformer
from ..model.whole_texts import TextInput, compute_texts
from ..requests.embedding import EmbeddingParams, Embeddings, ScoreParams, Scores
from ..tape.classifier import ACTIVATIONS, Dense
from .late_interaction import LateInteraction, max_sim, token_vectors
from .pooling import POOLINGS, SPARSE_POOLINGS, normalize, pool, pool_words, rows_to_pool
from .reranker_prompt import encode_question
from .settings import EmbeddingSettings

Input = str | Sequence[int]
_NO_INSTRUCTION = "this model takes no instruction, only queries and documents."
Step = Callable[[Batch, KVCache], np.ndarray]


@dataclass(frozen=True)
class PreparedTexts:
    """Texts as tokens, and how their results are made.

    Attributes:
        texts: their tokens, and the rows that are wanted of each.
        step: what computes rows, see `compute_texts`.
        finish: gives the result of a text, float32 [width], from its index and its rows. Raises
            TritonchatError for numbers that are not finite.
        width: of a result.
    """

    texts: Sequence[TextInput]
    step: Step
    finish: Callable[[int, np.ndarray], np.ndarray]
    width: int


class Embedder:
    """Makes embeddings and scores with a model. Any thread may call it; steps take turns with others."""

    def __init__(
        self,
        model: Transformer,
        chat_tokenizer: ChatTokenizer | None,
        settings: EmbeddingSettings,
        max_context: int,
        memory: int,
    ) -> None:
        """`memory`: bytes that the keys and values of a call may take. Raises ModelError."""
        self.settings = settings
        self.max_tokens = min(settings.max_tokens or max_context, max_context)
        self.dimensions = settings.dense[-1].weight.shape[0] if settings.dense else model.hidden.width
        self._model, self._chat_tokenizer, self._memory = model, chat_tokenizer, memory
        self._answers = settings.answers
        if settings.answers and not all(0 <= t < model.config.vocab_size for t in settings.answers if t):
            raise ModelError("the tokens of the reranker's answers are outside the model's vocabulary.")
        if settings.late is not None and settings.late.query_length > model.config.max_context:
            raise ModelError(f"queries have {settings.late.query_length} tokens, but the model takes fewer.")
        if settings.answers and not model.has_head:
            raise ModelError("a reranker that answers yes or no needs a model that makes text.")

    @property
    def can_embed(self) -> bool:
        """Whether the model makes a vector of a text."""
        return self.settings.late is None

    @property
    def is_sparse(self) -> bool:
        """Whether vectors have a number for each word, most of which are 0."""
        return self.settings.pooling in SPARSE_POOLINGS

    @property
    def can_score(self) -> bool:
        """Whether the model scores documents."""
        return (
            self.settings.late is not None
            or self._model.weights.classifier is not None
            or self._answers is not None
        )

    def describe(self) -> dict[str, Any]:
        """The dimensions of vectors, the pooling, the most tokens of an input, and the names of prompts."""
        settings = self.settings
        return {
            "dimensions": self.dimensions,
            "pooling": settings.pooling,
            "normalize": settings.normalizes,
            "max_tokens": self.max_tokens,
            "prompts": list(settings.prompts),
        }

    def embed(self, inputs: Sequence[Input], params: EmbeddingParams) -> Embeddings:
        """The vectors of texts or of lists of token ids.

        Raises InvalidRequest, PromptTooLong or NoMemory. `param` names the input that is wrong.
        """
        prepared = self.prepare_inputs(inputs, params)
        return Embeddings(self._compute(prepared), [len(text.tokens) for text in prepared.texts])

    def score(self, query: str, documents: Sequence[str], params: ScoreParams) -> Scores:
        """How well each document answers a query: higher is better, and often from 0 to 1.

        Raises InvalidRequest, PromptTooLong or NoMemory. `param` names the document that is wrong.
        """
        prepared = self.prepare_documents([query] * len(documents), documents, params)
        return Scores(self._compute(prepared)[:, 0], [len(text.tokens) for text in prepared.texts])

    def prepare_inputs(self, inputs: Sequence[Input], params: EmbeddingParams) -> PreparedTexts:
        """What makes the vectors of texts or of lists of token ids. Raises as `embed`, but no NoMemory."""
        if not self.can_embed:
            raise InvalidRequest(
                "this model has a vector for each token, and makes none of a text; it scores documents."
            )
        prompt = self._choose_prompt(params)
        width = params.dimensions or self.dimensions
        if width > self.dimensions:
            raise InvalidRequest(
                f"dimensions is {width}, but the model's vectors have {self.dimensions}.", "dimensions"
            )
        if self.is_sparse and params.pooling is not None:
            raise InvalidRequest(
                "this model's vectors have a number for each word, and one pooling.", "pooling"
            )
        pooling = params.pooling or self.settings.pooling
        if pooling == "none":
            raise InvalidRequest(f"the model's file names no pooling; send {', '.join(POOLINGS)}.", "pooling")
        normalizes = self.settings.normalizes if params.normalize is None else params.normalize
        texts = []
        for index, item in enumerate(inputs):
            tokens = self._encode(item, prompt, bool(params.truncate), f"input[{index}]")
            texts.append(TextInput(tokens, rows_to_pool(pooling, len(tokens))))

        def finish(index: int, rows: np.ndarray) -> np.ndarray:
            if self.is_sparse:
                vector = pool_words(rows, pooling, self.settings.twice)[:width]
            else:
                vector = _pool(rows, self.settings.dense)[:width]
            return _check_finite(normalize(vector) if normalizes else vector, f"input[{index}]")

        return PreparedTexts(texts, self._model.hidden_states, finish, width)

    def prepare_documents(
        self, queries: Sequence[str], documents: Sequence[str], params: ScoreParams
    ) -> PreparedTexts:
        """What makes the score of each document for its query: float32 [1]. Raises as `prepare_inputs`."""
        if not self.can_score:
            raise InvalidRequest(
                "this model does not score documents; load a reranker, or compare embeddings instead."
            )
        if self.settings.late is not None:
            return self._prepare_late(self.settings.late, queries, documents, params)
        is_asked = self._answers is not None or self.settings.asks
        prepare = self._prepare_questions if is_asked else self._prepare_pairs
        return prepare(queries, documents, params)

    def compute_rows(self, texts: Sequence[TextInput], step: Step) -> Iterator[np.ndarray]:
        """The rows of each text, see `compute_texts`. Texts of several `PreparedTexts` may share a call if
        their `step` is the same. Raises NoMemory."""
        return (rows for _, rows in compute_texts(self._model, texts, step, self._memory))

    def _compute(self, prepared: PreparedTexts) -> np.ndarray:
        """The results of all texts: float32 [texts, width]."""
        results = np.empty((len(prepared.texts), prepared.width), np.float32)
        for index, rows in enumerate(self.compute_rows(prepared.texts, prepared.step)):
            results[index] = prepared.finish(index, rows)
        return results

    def _prepare_pairs(
        self, queries: Sequence[str], documents: Sequence[str], params: ScoreParams
    ) -> PreparedTexts:
        """For a cross encoder (Nogueira and Cho, 2019, arXiv:1901.04085)."""
        if params.instruction is not None:
            raise InvalidRequest(_NO_INSTRUCTION, "instruction")
        classifier, texts = self._model.weights.classifier, []
        assert classifier is not None  # see `can_score`
        for index, (query, document) in enumerate(zip(queries, documents, strict=True)):
            tokens, types = self._encode_pair(query, document, bool(params.truncate), f"documents[{index}]")
            texts.append(TextInput(tokens, rows_to_pool(classifier.pooling, len(tokens)), types))
        return self._finish_by_classifier(texts)

    def _prepare_questions(
        self, queries: Sequence[str], documents: Sequence[str], params: ScoreParams
    ) -> PreparedTexts:
        """For a decoder that is asked for each document, and answers yes or no (Qwen3-Reranker,
        arXiv:2506.05176): how much likelier yes is than no."""
        tokenizer, texts = self._require_tokenizer(), []
        instruction, room = params.instruction, self._room(bool(params.truncate))
        if instruction is None and self.settings.default_prompt is not None:
            instruction = self.settings.prompts[self.settings.default_prompt]
        for index, (query, document) in enumerate(zip(queries, documents, strict=True)):
            name = f"documents[{index}]"
            _check_texts(query, document, name)
            tokens = encode_question(tokenizer, query, document, instruction, room)
            self._check_tokens(tokens, name)
            texts.append(TextInput(tokens, rows_to_pool("last", len(tokens))))
        if self._answers is None:
            return self._finish_by_classifier(texts)
        (no, yes), activation = self._answers, ACTIVATIONS[self.settings.activation]

        def finish(index: int, logits: np.ndarray) -> np.ndarray:
            logit = np.float64(logits[0, yes]) - (0 if no is None else np.float64(logits[0, no]))
            return _check_finite(activation(np.array([logit])).astype(np.float32), f"documents[{index}]")

        return PreparedTexts(texts, self._model.forward, finish, 1)

    def _finish_by_classifier(self, texts: Sequence[TextInput]) -> PreparedTexts:
        """The scores that the model's classifier gives to texts."""
        classifier, activation = self._model.weights.classifier, ACTIVATIONS[self.settings.activation]
        assert classifier is not None  # see `can_score`

        def finish(index: int, rows: np.ndarray) -> np.ndarray:
            score = activation(_pool(rows, classifier.layers).astype(np.float64))[:1]
            return _check_finite(score.astype(np.float32), f"documents[{index}]")

        return PreparedTexts(texts, self._model.hidden_states, finish, 1)

    def _prepare_late(
        self, late: LateInteraction, queries: Sequence[str], documents: Sequence[str], params: ScoreParams
    ) -> PreparedTexts:
        """For a model whose tokens meet at last. The vectors of a query are computed with the first document
        that needs them."""
        if params.instruction is not None:
            raise InvalidRequest(_NO_INSTRUCTION, "instruction")
        truncate, texts, found = bool(params.truncate), list[TextInput](), dict[str, TextInput]()
        for index, (query, document) in enumerate(zip(queries, documents, strict=True)):
            name = f"documents[{index}]"
            _check_texts(query, document, name)
            if query not in found:
                room = late.query_length - (late.query_prefix is not None)
                tokens, unseen = late.finish_query(self._encode_late(query, room, truncate, "query"))
                found[query] = TextInput(tokens, range(len(tokens)), unseen=unseen)
            room = self.max_tokens - (late.document_prefix is not None)
            tokens = late.finish_document(self._encode_late(document, room, truncate, name))
            texts.append(TextInput(tokens, range(len(tokens))))
        vectors: dict[str, np.ndarray] = {}

        def finish(index: int, rows: np.ndarray) -> np.ndarray:
            query, dense = queries[index], self.settings.dense
            if query not in vectors:
                (of_query,) = self.compute_rows([found[query]], self._model.hidden_states)
                vectors[query] = _check_finite(token_vectors(of_query, dense), "query")
            document = token_vectors(rows, dense)[late.counts(texts[index].tokens)]
            return _check_finite(
                np.array([max_sim(vectors[query], document)], np.float32), f"documents[{index}]"
            )

        return PreparedTexts(texts, self._model.hidden_states, finish, 1)

    def _encode_late(self, text: str, room: int, truncate: bool, name: str) -> list[int]:
        """The tokens of a query or a document, at most `room`."""
        tokenizer = self._require_tokenizer().tokenizer
        tokens, _ = tokenizer.encode_text(self._prepare(text), None, room if truncate else None)
        self._check_tokens(tokens, name, room)
        return tokens

    def _choose_prompt(self, params: EmbeddingParams) -> str:
        """The text to put before inputs. Raises InvalidRequest for an unknown name."""
        prompts = self.settings.prompts
        if params.prompt is not None:
            if params.prompt_name is not None:
                raise InvalidRequest("prompt and prompt_name exclude each other; send one of them.", "prompt")
            return params.prompt
        name = self.settings.default_prompt if params.prompt_name is None else params.prompt_name
        if name is None:
            return ""
        if name not in prompts:
            known = f"it has {', '.join(prompts)}" if prompts else "it has none"
            raise InvalidRequest(f"the model has no prompt {shorten(name)}; {known}.", "prompt_name")
        return prompts[name]

    def _encode(self, item: Input, prompt: str, truncate: bool, name: str) -> list[int]:
        """The tokens of an input, special ones included."""
        if isinstance(item, str):
            if not item:
                raise InvalidRequest(f"{name} is an empty text.", name)
            text = self._prepare(prompt + item)
            tokens, _ = self._require_tokenizer().tokenizer.encode_text(text, None, self._room(truncate))
        else:
            if not isinstance(item, Sequence | np.ndarray):
                raise InvalidRequest(f"{name} should be a text or a list of token ids.", name)
            tokens = list(item[: self.max_tokens] if truncate else item)  # type: ignore[arg-type]  # no str
            if not all(isinstance(token, int | np.integer) for token in tokens):
                raise InvalidRequest(f"{name} should be a text or a list of token ids.", name)
        self._check_tokens(tokens, name)
        return tokens

    def _encode_pair(
        self, query: str, document: str, truncate: bool, name: str
    ) -> tuple[list[int], list[int]]:
        """The tokens of a query with a document, and the types of the tokens."""
        _check_texts(query, document, name)
        tokenizer = self._require_tokenizer().tokenizer
        texts = self._prepare(query), self._prepare(document)
        tokens, types = tokenizer.encode_text(*texts, self._room(truncate))
        self._check_tokens(tokens, name)
        return tokens, types

    def _prepare(self, text: str) -> str:
        """A text as sentence-transformers gives it to the tokenizer."""
        return text.lower() if self.settings.lowers_case else text

    def _room(self, truncate: bool) -> int | None:
        return self.max_tokens if truncate else None

    def _check_tokens(self, tokens: Sequence[int], name: str, limit: int | None = None) -> None:
        """limit: of tokens; None: that of the model."""
        vocab_size, limit = self._model.config.vocab_size, limit or self.max_tokens
        if not tokens:
            raise InvalidRequest(f"{name} has no tokens.", name)
        if len(tokens) > limit:
            raise PromptTooLong(
                f"{name} has {len(tokens)} tokens, but the model takes at most {limit}; "
                "shorten it, or send truncate.",
                name,
            )
        if not all(0 <= token < vocab_size for token in tokens):
            raise InvalidRequest(f"{name} has a token outside the model's vocabulary of {vocab_size}.", name)

    def _require_tokenizer(self) -> ChatTokenizer:
        if self._chat_tokenizer is None:
            raise InvalidRequest("this model has no tokenizer; send token ids.")
        return self._chat_tokenizer


def _pool(rows: np.ndarray, layers: Sequence[Dense]) -> np.ndarray:
    """The pooled hidden states of a text behind the layers: float32 [width]."""
    with np.errstate(all="ignore"):  # what is not finite is reported
        vector = pool(rows)
        for layer in layers:
            vector = layer.apply(vector)
    return vector


def _check_texts(query: str, document: str, name: str) -> None:
    if not isinstance(query, str) or not query:
        raise InvalidRequest("the query should be a text, and not empty.", "query")
    if not isinstance(document, str) or not document:
        raise InvalidRequest(f"{name} should be a text, and not empty.", name)


def _check_finite(numbers: np.ndarray, name: str) -> np.ndarray:
    """The result of a text. Raises TritonchatError if it is infinite or not a number."""
    if not np.isfinite(numbers).all():
        raise TritonchatError(
            f"the model gives numbers that are not finite for {name}; its weights may be "
            "damaged, or too large for their type.",
            name,
        )
    return numbers
