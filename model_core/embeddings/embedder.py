"""Makes embeddings of texts and of conversations with images, and scores documents for a query."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..cache.memory import KVCache
from ..chat.chat_tokenizer import ChatTokenizer
from ..engine.request_images import RequestImages
from ..errors import InvalidRequest, ModelError, TritonchatError
from ..families.vision.parts import ImageSpan
from ..model.batch import Batch
from ..model.transformer import Transformer
from ..model.whole_texts import TextInput, compute_texts
from ..requests.embedding import EmbeddingParams, Embeddings, ScoreParams, Scores
from ..tape.classifier import ACTIVATIONS, Dense
from .conversations import ConversationEncoder, VisionInput
from .inputs import Input, InputEncoder, check_texts
from .late_interaction import LateInteraction, max_sim, token_vectors
from .pooling import POOLINGS, SPARSE_POOLINGS, normalize, pool, pool_words, rows_to_pool
from .reranker_prompt import encode_question
from .settings import EmbeddingSettings

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
        images: of the conversations, by the indices of their texts; a text is computed when they are encoded.
        image_tokens: of each text, how many tokens are rows of images; empty: of none.
    """

    texts: Sequence[TextInput]
    step: Step
    finish: Callable[[int, np.ndarray], np.ndarray]
    width: int
    images: Mapping[int, RequestImages] = field(default_factory=dict)
    image_tokens: Sequence[int] = ()

    @property
    def spans(self) -> list[ImageSpan]:
        """All images."""
        return [span for images in self.images.values() for span in images.spans]

    def release(self) -> None:
        """Forget the images, and that their rows were asked for."""
        for images in self.images.values():
            images.release()


class Embedder:
    """Makes embeddings and scores with a model. Any thread may call it; steps take turns with others."""

    def __init__(
        self,
        model: Transformer,
        chat_tokenizer: ChatTokenizer | None,
        settings: EmbeddingSettings,
        max_context: int,
        memory: int,
        vision: VisionInput | None = None,
    ) -> None:
        """`memory`: bytes that keys and values of a call may take. `vision`: of a model that takes images.

        Raises ModelError.
        """
        self.settings = settings
        self.max_tokens = min(settings.max_tokens or max_context, max_context)
        self.dimensions = settings.dense[-1].weight.shape[0] if settings.dense else model.hidden.width
        self._model, self._memory = model, memory
        self._answers, self.encoder = settings.answers, None if vision is None else vision.encoder
        conversations = ConversationEncoder(chat_tokenizer, settings.conversation, vision)
        self.inputs = InputEncoder(
            chat_tokenizer, settings, conversations, model.config.vocab_size, self.max_tokens
        )
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
        """The vectors of texts, of lists of token ids, or of conversations.

        Raises InvalidRequest, PromptTooLong or NoMemory. `param` names the input that is wrong.
        """
        prepared = self.prepare_inputs(inputs, params)
        tokens = [len(text.tokens) for text in prepared.texts]
        return Embeddings(self._compute(prepared), tokens, list(prepared.image_tokens))

    def score(self, query: str, documents: Sequence[str], params: ScoreParams) -> Scores:
        """How well each document answers a query: higher is better, and often from 0 to 1.

        Raises InvalidRequest, PromptTooLong or NoMemory. `param` names the document that is wrong.
        """
        prepared = self.prepare_documents([query] * len(documents), documents, params)
        return Scores(self._compute(prepared)[:, 0], [len(text.tokens) for text in prepared.texts])

    def prepare_inputs(
        self, inputs: Sequence[Input], params: EmbeddingParams, salt: str = ""
    ) -> PreparedTexts:
        """What makes the vectors of inputs. Raises as `embed`, but no NoMemory.

        `salt`: what is kept of their images is shared with those of the same salt only.
        """
        if not self.can_embed:
            raise InvalidRequest(
                "this model has a vector for each token, and makes none of a text; it scores documents."
            )
        prompt = self.inputs.choose_prompt(params)
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
        texts, images, image_tokens = list[TextInput](), dict[int, RequestImages](), list[int]()
        for index, item in enumerate(inputs):
            found = self.inputs.encode(item, prompt, params, f"input[{index}]", salt)
            rows = rows_to_pool(pooling, len(found.tokens))
            texts.append(TextInput(found.tokens, rows, images=found.images))
            image_tokens.append(found.image_tokens)
            if found.images is not None:
                images[index] = found.images

        def finish(index: int, rows: np.ndarray) -> np.ndarray:
            if self.is_sparse:
                vector = pool_words(rows, pooling, self.settings.twice)[:width]
            else:
                vector = _pool(rows, self.settings.dense)[:width]
            return _check_finite(normalize(vector) if normalizes else vector, f"input[{index}]")

        return PreparedTexts(texts, self._model.hidden_states, finish, width, images, image_tokens)

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
        plain = [index for index in range(len(prepared.texts)) if index not in prepared.images]
        rows_of_plain = self.compute_rows([prepared.texts[index] for index in plain], prepared.step)
        for index, rows in zip(plain, rows_of_plain, strict=True):
            results[index] = prepared.finish(index, rows)
        try:  # one after the other: the rows of an image take megabytes
            for index, images in prepared.images.items():
                images.wait()
                (rows,) = self.compute_rows([prepared.texts[index]], prepared.step)
                images.release()
                results[index] = prepared.finish(index, rows)
        finally:
            prepared.release()
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
            tokens, types = self.inputs.encode_pair(
                query, document, bool(params.truncate), f"documents[{index}]"
            )
            texts.append(TextInput(tokens, rows_to_pool(classifier.pooling, len(tokens)), types))
        return self._finish_by_classifier(texts)

    def _prepare_questions(
        self, queries: Sequence[str], documents: Sequence[str], params: ScoreParams
    ) -> PreparedTexts:
        """For a decoder that is asked for each document, and answers yes or no (Qwen3-Reranker,
        arXiv:2506.05176): how much likelier yes is than no."""
        tokenizer, texts = self.inputs.require_tokenizer(), []
        instruction, room = params.instruction, self.inputs.room(bool(params.truncate))
        if instruction is None and self.settings.default_prompt is not None:
            instruction = self.settings.prompts[self.settings.default_prompt]
        for index, (query, document) in enumerate(zip(queries, documents, strict=True)):
            name = f"documents[{index}]"
            check_texts(query, document, name)
            tokens = encode_question(tokenizer, query, document, instruction, room)
            self.inputs.check_tokens(tokens, name)
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
            check_texts(query, document, name)
            if query not in found:
                room = late.query_length - (late.query_prefix is not None)
                tokens, unseen = late.finish_query(self.inputs.encode_late(query, room, truncate, "query"))
                found[query] = TextInput(tokens, range(len(tokens)), unseen=unseen)
            room = self.max_tokens - (late.document_prefix is not None)
            tokens = late.finish_document(self.inputs.encode_late(document, room, truncate, name))
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


def _pool(rows: np.ndarray, layers: Sequence[Dense]) -> np.ndarray:
    """The pooled hidden states of a text behind the layers: float32 [width]."""
    with np.errstate(all="ignore"):  # what is not finite is reported
        vector = pool(rows)
        for layer in layers:
            vector = layer.apply(vector)
    return vector


def _check_finite(numbers: np.ndarray, name: str) -> np.ndarray:
    """The result of a text. Raises TritonchatError if it is infinite or not a number."""
    if not np.isfinite(numbers).all():
        raise TritonchatError(
            f"the model gives numbers that are not finite for {name}; its weights may be "
            "damaged, or too large for their type.",
            name,
        )
    return numbers
