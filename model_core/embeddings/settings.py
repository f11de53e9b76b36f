"""How a checkpoint wants its hidden states to become embeddings and scores.

Folders of sentence-transformers say it in `modules.json` and the folders that it names. Other models have
defaults: decoders take the last token, encoders the mean, and vectors are normalized.
"""

import os
import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..checks.file_values import Fields, expect, read_flag, read_json, read_size, shorten
from ..checks.known_fields import DENSE, LATE_INTERACTION, POOLING, SPARSE_POOLING, KnownFields
from ..errors import ModelError
from ..families.config import read_label_count
from ..files.checkpoint import Checkpoint
from ..files.model_files import ModelFiles
from ..tape.classifier import Dense
from ..text.special_tokens import read_tokenizer_config
from ..text.tokenizer import AnyTokenizer
from .conversations import ConversationForm, read_conversation_form
from .late_interaction import LateInteraction

# Fields of 1_Pooling/config.json -> a pooling.
_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_lasttoken": "last",
}
_NAMES = {"cls": "cls", "mean": "mean", "lasttoken": "last"}  # of newer files
# The last part of the names of PyTorch's modules -> names in dense.ACTIVATIONS.
_ACTIVATIONS = {
    "Identity": "identity",
    "Tanh": "tanh",
    "Sigmoid": "sigmoid",
    "ReLU": "relu",
    "GELU": "gelu",
    "SiLU": "silu",
}
_FOLDER = re.compile(r"[\w.-]*")  # of a module, inside the model's folder
_OWN_MODULES = "sentence_transformers."
# The lists of modules that are computed here. The first has vectors, the others scores.
_EMBEDDER = re.compile(r"Transformer, Pooling(, (Dense|Dropout))*(, Normalize)?")
_ASKED_DECODER = "Transformer, LogitScore"
_SPARSE = re.compile("(MLM)?Transformer, SpladePooling")
_LATE = re.compile(r"Transformer(, (Dense|pylate\.models\.Dense(\.Dense)?))+")
_CROSS_ENCODER = "Transformer"
# Fields of the folders of modules that say what they read and write: fields -> values of such an embedder.
_READS = {"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"}
_WORDS_READS = {"transformer_task": "fill-mask", "module_output_name": "token_embeddings"}
_TRANSFORMER_READS = {"transformer_task": "feature-extraction", "module_output_name": "token_embeddings"}


@dataclass(frozen=True)
class EmbeddingSettings:
    """How a model makes embeddings and scores.

    Attributes:
        pooling: one of pooling.POOLINGS or pooling.SPARSE_POOLINGS, or "none": a request must name one.
        twice: of the latter, see pooling.pool_words.
        normalizes: whether vectors are scaled to the length 1.
        dense: layers after pooling.
        prompts: texts to put before inputs, by name. default_prompt: the name of one, None for no prompt.
        max_tokens: of an input, None for as many as the model takes.
        lowers_case: whether texts are changed to lower case first.
        activation: of the score of a cross encoder, a key of dense.ACTIVATIONS.
        answers: of a decoder that scores by its next token, the ids of the tokens for no and yes. Without
            one for no, the logit of yes alone counts.
        late: how it scores by the vectors of all tokens; None: it does not.
        asks: whether the score of a decoder is that of the answer to a question, too.
        conversation: the form of texts that are conversations, too; None: texts are taken as they are.
    """

    pooling: str
    normalizes: bool = True
    dense: tuple[Dense, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    default_prompt: str | None = None
    max_tokens: int | None = None
    lowers_case: bool = False
    activation: str = "sigmoid"
    answers: tuple[int | None, int] | None = None
    twice: bool = False
    late: LateInteraction | None = None
    asks: bool = False
    conversation: ConversationForm | None = None


def read_embedding_settings(
    files: ModelFiles, tokenizer: AnyTokenizer | None, is_causal: bool, width: int
) -> EmbeddingSettings:
    """How the model in a folder makes embeddings. Raises ModelError if a file of it is damaged.

    width: of the hidden states.
    """
    folder, default_pooling = files.path, files.pooling or ("last" if is_causal else "mean")
    answers = _find_answers(files, tokenizer)
    if not os.path.isfile(folder / "modules.json"):
        dense_layers, activation = files.read_dense(), _read_score_activation(files, {})
        _check_dense(files, dense_layers, width)
        return EmbeddingSettings(
            default_pooling, dense=dense_layers, activation=activation, answers=answers, asks=files.asks
        )
    pooling, normalizes, twice = None, False, False
    dense: list[Dense] = []
    modules = _read_modules(folder)
    _check_modules(files, [kind for kind, _ in modules])
    for kind, path in modules:
        if kind == "Pooling":
            pooling = _read_pooling(path / "config.json")
            _expect(folder / "sentence_bert_config.json", _TRANSFORMER_READS)
        elif kind == "SpladePooling":
            pooling, twice = _read_sparse_pooling(path / "config.json")
            _expect(folder / "sentence_bert_config.json", _WORDS_READS)
        elif kind.endswith("Dense"):
            dense.append(_read_dense(path, dense[-1].weight.shape[0] if dense else width))
        elif kind == "Normalize":
            normalizes = True
            _expect(path / "config.json", _READS)
        elif kind == "LogitScore":
            answers = _read_logit_score(path / "config.json")
    path = folder / "config_sentence_transformers.json"
    raw = read_json(path) if os.path.isfile(path) else {}
    late = None
    if _LATE.fullmatch(", ".join(kind for kind, _ in modules)):
        if is_causal:
            raise ModelError(f"{path}: a decoder with a vector for each token (ColBERT) is not supported.")
        late = _read_late_interaction(path, raw, tokenizer)
    return EmbeddingSettings(
        pooling or default_pooling,
        normalizes if pooling else True,
        tuple(dense),
        **_read_prompts(path, raw),
        **_read_limits(folder) | ({} if late is None else {"max_tokens": late.document_length}),
        activation=_read_score_activation(files, raw),
        answers=answers,
        twice=twice,
        late=late,
        conversation=read_conversation_form(folder) if pooling else None,
    )


def _read_late_interaction(
    path: Path, raw: Mapping[str, Any], tokenizer: AnyTokenizer | None
) -> LateInteraction:
    """What config_sentence_transformers.json says of queries and documents, with PyLate's defaults."""
    if tokenizer is None:
        raise ModelError(f"{path.parent} has no tokenizer.json, which queries need.")
    fields = Fields(raw, LATE_INTERACTION)
    roles = read_tokenizer_config(path.parent)
    filler = next((t for name in ("mask_token", "eos_token") if (t := _text_of(roles.get(name)))), None)
    words = fields.get("skiplist_words")
    words = list(string.punctuation) if words is None else words
    prefixes = (fields.get("query_prefix", "[Q] "), fields.get("document_prefix", "[D] "))
    try:
        expect(fields, default_prompt_name=None)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in (*words, *prefixes)):
            raise ModelError("skiplist_words should be a list of texts, and prefixes should be texts.")
        is_filled = read_flag(fields, "do_query_expansion", True)
        query_prefix, document_prefix = (_find_token(tokenizer, p) if p else None for p in prefixes)
        late = LateInteraction(
            query_prefix,
            document_prefix,
            query_length=read_size(fields, "query_length", default=32),
            document_length=read_size(fields, "document_length", default=180),
            filler=_find_token(tokenizer, filler) if is_filled else None,
            sees_filler=read_flag(fields, "attend_to_expansion_tokens", False),
            skipped=frozenset(token for word in words if (token := tokenizer.token_id(word)) is not None),
        )
        fields.check_all_read()
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    return late


def _text_of(token: Any) -> Any:
    return token.get("content") if isinstance(token, dict) else token


def _find_token(tokenizer: AnyTokenizer, name: Any) -> int:
    token = tokenizer.token_id(name) if isinstance(name, str) else None
    if token is None:
        raise ModelError(f"the tokenizer has no token {shorten(name)}, which queries or documents need.")
    return token


def _check_dense(files: ModelFiles, layers: Sequence[Dense], width: int) -> None:
    """Raises ModelError if layers do not fit each other, or the hidden states."""
    for layer in layers:
        if layer.weight.ndim != 2 or layer.weight.shape[1] != width:
            shape = list(layer.weight.shape)
            raise ModelError(f"{files.path} has a dense layer {shape} behind {width} numbers.")
        width = len(layer.weight)


def _read_modules(folder: Path) -> list[tuple[str, Path]]:
    """The modules in their order: the type, of sentence-transformers' own its last part, and the folder."""
    path = folder / "modules.json"
    modules = read_json(path, list)
    result = []
    for module in modules:
        kind = module.get("type") if isinstance(module, dict) else None
        place = module.get("path", "") if isinstance(module, dict) else None
        if not isinstance(kind, str) or not isinstance(place, str) or place == "..":
            raise ModelError(f"{path} is damaged: a module should have a type and a path.")
        if not _FOLDER.fullmatch(place):
            raise ModelError(f"{path} names a module outside the model folder: {shorten(place)}.")
        kind = kind.rsplit(".", 1)[-1] if kind.startswith(_OWN_MODULES) else kind
        if kind in ("Transformer", "MLMTransformer") and place not in ("", "."):
            raise ModelError(
                f"{path} has its Transformer in {shorten(place)}; move its files into the model folder, and "
                "make its path empty."
            )
        result.append((kind, folder / place))
    return result


def _check_modules(files: ModelFiles, kinds: Sequence[str]) -> None:
    """Raises ModelError unless the modules are one of the lists that are computed here."""
    found = ", ".join(kinds)
    is_cross_encoder = found == _CROSS_ENCODER and read_label_count(files.config) > 0
    if is_cross_encoder or found == _ASKED_DECODER:
        return
    if any(kind.fullmatch(found) for kind in (_EMBEDDER, _SPARSE, _LATE)):
        return
    raise ModelError(
        f"{files.path / 'modules.json'} lists the modules {shorten(found)}, which are not supported, only "
        "sentence-transformers' Transformer and Pooling with Dense and Normalize after them, its "
        f"{_ASKED_DECODER}, the Transformer of a cross encoder, PyLate's Transformer and Dense, or "
        "Transformer and SpladePooling."
    )


def _expect(path: Path, fields: Mapping[str, Any]) -> None:
    """Raises ModelError if a file of a module has other values than these. Neither must be there."""
    try:
        expect(read_json(path) if os.path.isfile(path) else {}, **fields)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error


def _read_pooling(path: Path) -> str:
    raw = read_json(path)
    name = raw.get("pooling_mode")
    modes = [name] if name is not None else [mode for mode in raw if mode.startswith("pooling_mode_")]
    if name is None:
        modes = [mode for mode in modes if raw[mode]]
    known = _MODES if name is None else _NAMES
    if len(modes) != 1 or not isinstance(modes[0], str) or modes[0] not in known:
        found = " and ".join(map(shorten, modes)) or "none"
        raise ModelError(f"{path}: the pooling is {found}, but only one of {', '.join(known)} is supported.")
    if raw.get("include_prompt") is False:
        raise ModelError(f"{path}: include_prompt is False, but prompts are always part of the mean.")
    _check_known(path, raw, POOLING)
    return known[modes[0]]


def _read_sparse_pooling(path: Path) -> tuple[str, bool]:
    """A name of pooling.SPARSE_POOLINGS, and whether the logarithm is taken twice."""
    raw = read_json(path)
    strategy, activation = raw.get("pooling_strategy", "max"), raw.get("activation_function", "relu")
    if strategy not in ("max", "sum") or activation not in ("relu", "log1p_relu"):
        raise ModelError(f"{path}: {shorten(strategy)} with {shorten(activation)} is not supported.")
    _check_known(path, raw, SPARSE_POOLING)
    return "sum" if strategy == "sum" else "largest", activation == "log1p_relu"


def _read_dense(folder: Path, inputs: int) -> Dense:
    path = folder / "config.json"
    raw = read_json(path)
    _expect(path, _READS)
    _check_known(path, raw, DENSE)
    try:
        shape = (read_size(raw, "out_features"), read_size(raw, "in_features"))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
    if shape[1] != inputs:
        raise ModelError(f"{path}: in_features is {shape[1]}, but its input has {inputs} numbers.")
    names = {"weight": "linear.weight"} | ({"bias": "linear.bias"} if raw.get("bias", True) else {})
    has_residual = bool(raw.get("use_residual", False))
    if has_residual and shape[0] != shape[1]:
        names["residual"] = "residual.weight"
    source, arrays = Checkpoint(folder), dict[str, np.ndarray]()
    for part, name in names.items():
        expected = shape[:1] if part == "bias" else shape
        if source.shape(name) != expected:
            raise ModelError(
                f"{source.path_of(name)} does not fit its configuration: {name} is "
                f"{list(source.shape(name))}, but should be {list(expected)}."
            )
        arrays[part] = source[name].astype(np.float32)
    activation = _activation(path, raw.get("activation_function", "torch.nn.modules.activation.Tanh"))
    return Dense(
        arrays["weight"],
        arrays.get("bias"),
        activation,
        residual=arrays.get("residual"),
        adds_input=has_residual and shape[0] == shape[1],
    )


def _read_prompts(path: Path, raw: Mapping[str, Any]) -> dict[str, Any]:
    prompts, default = raw.get("prompts") or {}, raw.get("default_prompt_name")
    if not isinstance(prompts, dict) or not all(isinstance(prompt, str) for prompt in prompts.values()):
        raise ModelError(f"{path}: prompts should be an object of texts.")
    if default is not None and (not isinstance(default, str) or default not in prompts):
        raise ModelError(f"{path}: default_prompt_name is {shorten(default)}, which is none of its prompts.")
    return {"prompts": prompts, "default_prompt": default}


def _read_limits(folder: Path) -> dict[str, Any]:
    path = folder / "sentence_bert_config.json"
    raw = read_json(path) if os.path.isfile(path) else {}
    if raw.get("max_seq_length") is None:  # in newer folders; other tokenizers have a number without meaning
        limit = read_tokenizer_config(folder).get("model_max_length")
        limit = limit if type(limit) is int and 0 < limit < 2**31 else None
    else:
        try:
            limit = read_size(raw, "max_seq_length")
        except ModelError as error:
            raise ModelError(f"{path}: {error}") from error
    return {"max_tokens": limit, "lowers_case": bool(raw.get("do_lower_case", False))}


def _read_score_activation(files: ModelFiles, settings: Mapping[str, Any]) -> str:
    """The activation of a reranker's score; sentence-transformers takes the sigmoid by default.

    settings: of config_sentence_transformers.json. Older models have it in config.json.
    """
    older = files.config.get("sentence_transformers")
    name = (
        settings.get("activation_fn")
        or (older.get("activation_fn") if isinstance(older, dict) else None)
        or files.config.get("sbert_ce_default_activation_function")
    )
    return "sigmoid" if name is None else _activation(files.named("config.json"), name)


def _find_answers(files: ModelFiles, tokenizer: AnyTokenizer | None) -> tuple[int | None, int] | None:
    """`classifier_from_token` of config.json, as vLLM reads it: the tokens for no and yes."""
    names = files.config.get("classifier_from_token")
    if names is None:
        return None
    if isinstance(names, list) and len(names) == 2 and all(isinstance(name, str) for name in names):
        ids = [
            [] if tokenizer is None else tokenizer.encode(name, add_special_tokens=False) for name in names
        ]
        if all(len(tokens) == 1 for tokens in ids):
            return ids[0][0], ids[1][0]
    raise ModelError(
        f"{files.named('config.json')}: classifier_from_token should be the tokens for no and yes, such as "
        f'["no", "yes"], not {shorten(names)}.'
    )


def _read_logit_score(path: Path) -> tuple[int | None, int]:
    raw = read_json(path)
    no, yes = raw.get("false_token_id"), raw.get("true_token_id")
    if type(yes) is not int or (no is not None and type(no) is not int):
        raise ModelError(f"{path}: true_token_id and false_token_id should be token ids.")
    return no, yes


def _activation(path: Path, name: Any) -> str:
    known = _ACTIVATIONS.get(name.rsplit(".", 1)[-1]) if isinstance(name, str) else None
    if known is None:
        raise ModelError(
            f"{path}: the activation {shorten(name)} is not supported; {', '.join(_ACTIVATIONS)} are."
        )
    return known


def _check_known(path: Path, raw: Mapping[str, Any], known: KnownFields) -> None:
    try:
        Fields(raw, known).check_all_read()
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from error
