"""tokenizer.model: a model of SentencePiece, a message of Protocol Buffers.

The numbers of its fields are those of sentencepiece_model.proto (github.com/google/sentencepiece).
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

from ...errors import ModelError

_KINDS = {1: "t5", 2: "llama"}  # model_type -> tokenizer.ggml.model: unigram, BPE
# Message -> its fields: name -> number, type, default. Fields that do not matter here are skipped.
_FIELDS: dict[str, dict[str, tuple[int, str, str]]] = {
    "SentencePiece": {"piece": (1, "string", ""), "score": (2, "float", ""), "type": (3, "int32", "1")},
    "TrainerSpec": {
        "model_type": (3, "int32", "1"),
        "treat_whitespace_as_suffix": (24, "bool", "false"),
        "unk_id": (40, "int32", "0"),
        "bos_id": (41, "int32", "1"),
        "eos_id": (42, "int32", "2"),
        "pad_id": (43, "int32", "-1"),
    },
    "NormalizerSpec": {
        "precompiled_charsmap": (2, "bytes", ""),
        "add_dummy_prefix": (3, "bool", "true"),
        "remove_extra_whitespaces": (4, "bool", "true"),
        "escape_whitespaces": (5, "bool", "true"),
    },
}
_IDS = {"unknown": "unk_id", "bos": "bos_id", "eos": "eos_id", "padding": "pad_id"}


def read_sentencepiece(path: Path) -> dict[str, Any]:
    """The fields of a model of SentencePiece. Raises ModelError."""
    try:
        model: Any = _message_type()()
        model.ParseFromString(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    except (DecodeError, ValueError) as error:
        raise ModelError(f"{path} is not a model of SentencePiece.") from error
    trainer, normalizer, pieces = model.trainer_spec, model.normalizer_spec, model.pieces
    if not pieces:
        raise ModelError(f"{path} is not a model of SentencePiece: it has no tokens.")
    if trainer.model_type not in _KINDS:
        raise ModelError(f"{path} is a model of words or characters, which is not supported.")
    if trainer.treat_whitespace_as_suffix or not normalizer.escape_whitespaces:
        raise ModelError(f"{path} treats spaces in a way that is not supported.")
    fields: dict[str, Any] = {
        "model": _KINDS[trainer.model_type],
        "tokens": [piece.piece for piece in pieces],
        "scores": np.array([piece.score for piece in pieces], np.float32),
        "token_type": np.array([piece.type for piece in pieces], np.int32),
        "add_space_prefix": normalizer.add_dummy_prefix,
        "remove_extra_whitespaces": normalizer.remove_extra_whitespaces,
    }
    if normalizer.precompiled_charsmap:
        fields["precompiled_charsmap"] = np.frombuffer(normalizer.precompiled_charsmap, np.uint8)
    for name, field in _IDS.items():
        if (token_id := getattr(trainer, field)) >= 0:
            fields[f"{name}_token_id"] = token_id
    return {f"tokenizer.ggml.{name}": value for name, value in fields.items()}


@cache
def _message_type() -> type[Message]:
    """The type of the message, of the fields above."""
    file = descriptor_pb2.FileDescriptorProto(
        name="tritonchat/sentencepiece.proto", package="tritonchat", syntax="proto2"
    )
    types = descriptor_pb2.FieldDescriptorProto
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, (number, kind, default) in fields.items():
            message.field.add(
                name=field,
                number=number,
                label=types.LABEL_OPTIONAL,
                type=getattr(types, f"TYPE_{kind.upper()}"),
                default_value=default or None,
            )
    model = file.message_type.add(name="Model")
    for number, (field, kind) in enumerate(
        (("pieces", "SentencePiece"), ("trainer_spec", "TrainerSpec"), ("normalizer_spec", "NormalizerSpec")),
        1,
    ):
        model.field.add(
            name=field,
            number=number,
            label=types.LABEL_REPEATED if number == 1 else types.LABEL_OPTIONAL,
            type=types.TYPE_MESSAGE,
            type_name=f".tritonchat.{kind}",
        )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tritonchat.Model"))
