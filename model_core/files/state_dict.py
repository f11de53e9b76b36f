"""Reads the pickle of a state dict as torch.save writes it, and runs nothing of what it names.

A pickle is a program for a machine with a stack, whose instructions can call any function of Python. Only
those instructions are followed that the dict of tensors of a module needs. Of functions only two of torch's
are known, and these are not called: what they would make is described. All others are refused by name.

Sources: the module pickletools of Python, whose `genops` splits the bytes; torch/_utils.py and
torch/serialization.py for what the functions are given.
"""

import math
import pickletools
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..checks.file_values import shorten
from ..errors import ModelError

# Class of a storage -> type as safetensors name it, and its bytes.
_STORAGES = {
    "torch DoubleStorage": ("F64", 8),
    "torch FloatStorage": ("F32", 4),
    "torch HalfStorage": ("F16", 2),
    "torch BFloat16Storage": ("BF16", 2),
    "torch LongStorage": ("I64", 8),
    "torch IntStorage": ("I32", 4),
    "torch ShortStorage": ("I16", 2),
    "torch CharStorage": ("I8", 1),
    "torch ByteStorage": ("U8", 1),
    "torch BoolStorage": ("BOOL", 1),
}
_DICT, _TENSOR = "collections OrderedDict", "torch._utils _rebuild_tensor_v2"
_PARAMETER = "torch._utils _rebuild_parameter"
_NAMES = {_DICT, _TENSOR, _PARAMETER, *_STORAGES}
_MAX_STEPS = 500_000  # a tensor takes about 30, so that 16,000 tensors of a file fit
_MAX_DEPTH = 20_000  # of the stack; dicts are filled 1,000 values at a time
_MAX_NUMBER = 2**63
_MAX_RANK = 64  # of a tensor of torch


@dataclass(frozen=True)
class Storage:
    """Numbers of one type in a record of the file, which tensors are views of.

    Attributes:
        key: the name of the record.
        dtype: the type of the numbers, as safetensors name it.
        item_size: bytes of a number.
        count: of numbers.
    """

    key: str
    dtype: str
    item_size: int
    count: int


@dataclass(frozen=True)
class StoredTensor:
    """A tensor whose numbers follow each other from the number `offset` of its storage on."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]


@dataclass(frozen=True)
class _Name:
    """A class or a function, "module name"."""

    text: str


@dataclass(frozen=True)
class _View:
    """What _rebuild_tensor_v2 would make."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def read_state_dict(data: bytes) -> dict[str, StoredTensor]:
    """The tensors that a pickle describes, by name.

    Raises ModelError with the part of a sentence that follows the name of the file: "is damaged: ..." or
    "names ..., which ...".
    """
    try:
        top = _Machine().run(data)
    except (ValueError, LookupError, OverflowError, struct.error) as error:
        raise ModelError("is damaged: its pickle is cut short or has errors; download it again.") from error
    if not isinstance(top, dict):
        raise ModelError(f"has {_kind(top)} instead of a dict of tensors (state_dict).")
    storages: dict[str, Storage] = {}
    tensors = {}
    for name, view in top.items():
        if not isinstance(view, _View):
            raise ModelError(
                f"has {_kind(view)} with the name {shorten(name)}, not a tensor; it may be a checkpoint of a "
                "training, of which only the dict of tensors (state_dict) can be read."
            )
        if storages.setdefault(view.storage.key, view.storage) != view.storage:
            raise ModelError(f"is damaged: its storage {shorten(view.storage.key)} has two descriptions.")
        tensors[name] = _check_view(name, view)
    return tensors


def _check_view(name: str, view: _View) -> StoredTensor:
    """A tensor whose rows follow each other inside its storage. Raises ModelError for another."""
    count = math.prod(view.shape)
    if count and view.offset + count > view.storage.count:
        raise ModelError(f"is damaged: {shorten(name)} is larger than its storage.")
    step = 1
    for size, stride in zip(reversed(view.shape), reversed(view.strides), strict=True):
        if count and size > 1 and stride != step:
            raise ModelError(
                f"has {shorten(name)} as a view (a transposed or overlapping one, strides "
                f"{shorten(view.strides)}), which is not supported; save it with .contiguous()."
            )
        step *= size
    return StoredTensor(view.storage, view.offset if count else 0, view.shape)


class _Machine:
    """The stack machine of pickles, without calls of functions."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._marked: list[list[Any]] = []  # the stacks below each mark
        self._memo: dict[int, Any] = {}

    def run(self, data: bytes) -> Any:
        """The object that a pickle describes.

        Raises ModelError for what is refused, and ValueError, LookupError, OverflowError or struct.error for
        a pickle that is none.
        """
        depth = 0  # as many as were pushed, at most
        for step, (opcode, value, _) in enumerate(pickletools.genops(data)):
            if opcode.name == "STOP":
                (top,) = self._stack
                return top
            follow = _FOLLOW.get(opcode.name)
            if follow is None:
                raise ModelError(
                    f"has the instruction {opcode.name} of pickles, which the weights of a model do not "
                    "need; it is refused, because it could run code."
                )
            if step >= _MAX_STEPS or depth > _MAX_DEPTH:
                raise ModelError("is damaged: its pickle is too long or too deep for a file of weights.")
            follow(self, value)
            depth = len(self._stack) + len(self._marked)
        raise ValueError("no STOP")

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _push_name(self, text: str) -> None:
        if text not in _NAMES:
            raise ModelError(
                f"names {shorten(text.replace(' ', '.'))}, which the weights of a model do not need; other "
                "names than theirs are refused, because they could run code."
            )
        self._stack.append(_Name(text))

    def _name_from_stack(self, _: None) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        self._push_name(f"{_expect(str, module)} {_expect(str, name)}")

    def _mark(self, _: None) -> None:
        self._marked.append(self._stack)
        self._stack = []

    def _pop_mark(self) -> list[Any]:
        values, self._stack = self._stack, self._marked.pop()
        return values

    def _tuple(self, _: None) -> None:
        values = self._pop_mark()
        self._stack.append(tuple(values))

    def _tuple_of(self, size: int) -> None:
        values = tuple(self._stack[-size:])
        if len(values) < size:
            raise IndexError("stack")
        self._stack[-size:] = [values]

    def _set_item(self, _: None) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        _expect(dict, self._stack[-1])[_expect(str, key)] = value

    def _set_items(self, _: None) -> None:
        values = self._pop_mark()
        target = _expect(dict, self._stack[-1])
        for key, value in zip(values[::2], values[1::2], strict=True):
            target[_expect(str, key)] = value

    def _build(self, _: None) -> None:
        self._stack.pop()  # attributes, such as the versions of modules in _metadata
        _expect(dict, self._stack[-1])

    def _put(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    def _get(self, index: int) -> None:
        self._stack.append(self._memo[index])

    def _memoize(self, _: None) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    def _reduce(self, _: None) -> None:
        """Describe what the function would make."""
        arguments, name = _expect(tuple, self._stack.pop()), _expect(_Name, self._stack.pop())
        if name.text == _DICT and not arguments:
            self._stack.append({})
        elif name.text == _TENSOR and len(arguments) in (6, 7):
            self._stack.append(_read_view(*arguments[:4]))
        elif name.text == _PARAMETER and len(arguments) == 3:
            self._stack.append(_expect(_View, arguments[0]))
        else:
            raise ModelError(
                f"calls {name.text.replace(' ', '.')} with {len(arguments)} values, which is refused."
            )

    def _storage(self, _: None) -> None:
        """Describe a storage, which pickles leave to the program to find."""
        kind, name, key, _place, count = _expect(tuple, self._stack.pop())
        dtype, size = _STORAGES[_expect(_Name, name).text]
        if _expect(str, kind) != "storage":
            raise ValueError(kind)
        self._stack.append(Storage(_expect(str, key), dtype, size, _expect_size(count)))


def _read_view(storage: Any, offset: Any, shape: Any, strides: Any) -> _View:
    shape, strides = _expect(tuple, shape), _expect(tuple, strides)
    if len(shape) != len(strides) or len(shape) > _MAX_RANK:
        raise ValueError("strides")
    sizes, steps = tuple(map(_expect_size, shape)), tuple(map(_expect_size, strides))
    return _View(_expect(Storage, storage), _expect_size(offset), sizes, steps)


def _expect(kind: type, value: Any) -> Any:
    """`value`, which should be of this type. Raises ValueError."""
    if type(value) is not kind:
        raise ValueError(f"{_kind(value)} instead of {kind.__name__}")
    return value


def _expect_size(value: Any) -> int:
    if not 0 <= _expect(int, value) < _MAX_NUMBER:
        raise ValueError("number")
    return value


def _kind(value: Any) -> str:
    """What a value is. It is not shown itself: one that names others twice is long without end."""
    names = {_View: "a tensor", Storage: "a storage", _Name: "a class", type(None): "nothing"}
    return names.get(type(value), f"a value of the type {type(value).__name__}")


def _ignore(machine: _Machine, value: Any) -> None:
    """Of instructions that only say how the pickle is written."""


# The names of pickletools -> what is done with the argument of the instruction.
_FOLLOW: dict[str, Callable[[_Machine, Any], None]] = {
    **dict.fromkeys(("PROTO", "FRAME"), _ignore),
    **dict.fromkeys(("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"), _Machine._push),
    **dict.fromkeys(("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"), _Machine._push),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT"), _Machine._put),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), _Machine._get),
    "NONE": lambda machine, _: machine._push(None),
    "NEWTRUE": lambda machine, _: machine._push(True),
    "NEWFALSE": lambda machine, _: machine._push(False),
    "EMPTY_DICT": lambda machine, _: machine._push({}),
    "EMPTY_TUPLE": lambda machine, _: machine._push(()),
    "TUPLE1": lambda machine, _: machine._tuple_of(1),
    "TUPLE2": lambda machine, _: machine._tuple_of(2),
    "TUPLE3": lambda machine, _: machine._tuple_of(3),
    "MARK": _Machine._mark,
    "TUPLE": _Machine._tuple,
    "SETITEM": _Machine._set_item,
    "SETITEMS": _Machine._set_items,
    "BUILD": _Machine._build,
    "MEMOIZE": _Machine._memoize,
    "GLOBAL": _Machine._push_name,
    "STACK_GLOBAL": _Machine._name_from_stack,
    "REDUCE": _Machine._reduce,
    "BINPERSID": _Machine._storage,
}
