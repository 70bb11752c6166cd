"""How arguments become tensors: Python numbers, sequences, NumPy, torch, DLPack, variables.

Python numbers take the dtype of the tensor they meet where that loses nothing that TensorFlow
would not lose; NumPy values are cast to it; tensors are never cast. What cannot be converted
keeps its own dtype, and the op then says which dtype it expected.
"""

from __future__ import annotations

import array as arrays
import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeGuard

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.late_binding import LateBinding
from ..base.shapes import TensorShape
from ..base.typing import DTypeLike, TensorLike
from ..core.composite import PLAIN_VALUES, CompositeTensor, composite_of
from ..core.context import LOCAL
from ..core.tensor import AnyTensor, EagerTensor, Tensor, make_tensor, mark_foreign
from ..devices.inventory import INVENTORY
from .host_values import (
    MAY_BECOME,
    cannot_become,
    natural_dtype,
    plain_number,
    raw_of,
    sizes_of,
    to_array,
    unsupported,
)
from .op import Op

Converter = Callable[..., Any]

_CONVERTERS: dict[type, Converter] = {}
_TAKE_HINTS: set[Callable[..., Any]] = set()
_TENSOR_LIKE: tuple[type, ...] = (Tensor,)
#: The ops that conversion needs for tensors that stand in a list.
STACKING: LateBinding[[list[Any]], Tensor] = LateBinding("stack tensors", "ops/array/joining.py")
CASTING: LateBinding[[Any, DType], Tensor] = LateBinding("cast a tensor", "ops/math/elementwise.py")


def register_converter(kind: type, converter: Converter, takes_hint: bool = False) -> None:
    """Lets `converter(value, dtype)` make tensors of instances of `kind`; with `takes_hint` it is
    called as `converter(value, dtype, hint)`.

    SymbolicValue layers use it for variables, so that ops need not know them.
    """
    global _TENSOR_LIKE
    _CONVERTERS[kind] = converter
    if takes_hint:
        _TAKE_HINTS.add(converter)
    if not issubclass(kind, _TENSOR_LIKE):  # each class more costs every conversion
        _TENSOR_LIKE = (*_TENSOR_LIKE, kind)


def binary(op: Op, x: TensorLike, y: TensorLike) -> Tensor:
    """Applies an op of two inputs."""
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        x, y = pair(x, y)
    state = LOCAL.state
    return state.target.apply_few(state, op, x, y)


def matched(op: Op, x: TensorLike, y: TensorLike) -> Tensor:
    """As `binary`, but what is no tensor must be able to take the dtype of the other.

    TensorFlow is that strict where it has no Python function around an op.

    Raises:
        TypeError: it cannot.
    """
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        x, y = strict_pair(x, y)
    state = LOCAL.state
    return state.target.apply_few(state, op, x, y)


def unary(op: Op, x: TensorLike) -> Tensor:
    """Applies an op of one input and no attributes."""
    if type(x) is not EagerTensor:
        x = operand(x)
    state = LOCAL.state
    return state.target.apply_few(state, op, x)


def operand(x: TensorLike) -> Tensor:
    """`x` as a tensor; what is made of tensors as it is, for ops that have a rule for it.

    Raises:
        ValueError: it is neither and cannot be a tensor; a TypeError where a graph is made.
    """
    try:
        return to_tensor(x)
    except (TypeError, ValueError):
        made = composite_of(x)
        if isinstance(made, CompositeTensor):
            return made  # type: ignore[return-value]  # see base/typing.py
        raise


def pair(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Both as tensors; what is no tensor takes the dtype of what is, where it can."""
    if isinstance(x, Tensor):
        return x, to_tensor(y, hint=x.dtype)
    if isinstance(x, _TENSOR_LIKE) or not isinstance(y, _TENSOR_LIKE):
        x = to_tensor(x)
        return x, to_tensor(y, hint=x.dtype)
    y = to_tensor(y)
    return to_tensor(x, hint=y.dtype), y


def pair_apart(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """As `pair`, but arrays keep their dtypes, as where TensorFlow works on them one by one before
    an op gets them: the op then refuses what differs.
    """
    one, other = (to_tensor(each) if isinstance(each, np.ndarray) else each for each in (x, y))
    return pair(one, other)


def strict_pair(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Both as tensors; what is no tensor takes the dtype of what is, or of x.

    Raises:
        TypeError: it cannot. What meets a ragged tensor keeps its own dtype, as in TensorFlow.
    """
    try:
        if type(y) not in MAY_BECOME and isinstance(y, _TENSOR_LIKE):
            y = to_tensor(y)
            return to_tensor(x) if is_tensor_like(x) else to_tensor(x, y.dtype), y
        x = to_tensor(x)
        return x, to_tensor(y, x.dtype)
    except TypeError:
        if isinstance(x, CompositeTensor) or isinstance(y, CompositeTensor):
            return pair(x, y)
        raise


def tensors(values: Iterable[Any], dtype: DType | None = None, alike: bool = False) -> list[Tensor]:
    """All as tensors; those that are none take the dtype of the first that is.

    With `alike`, tensors inside of lists are not cast to it.
    """
    values = list(values)
    if dtype is None:
        dtype = next((v.dtype for v in values if is_tensor_like(v)), None)
    converted = []
    for value in values:
        if isinstance(value, Tensor):
            converted.append(value)
        elif alike and isinstance(value, (list, tuple)) and _holds_tensors(value):
            converted.append(_pack_alike(value, dtype))
        else:
            converted.append(to_tensor(value, hint=dtype))
        dtype = dtype or converted[0].dtype
    return converted


def is_tensor_like(value: object) -> TypeGuard[Tensor]:
    """True for tensors and for what stands for one (variables)."""
    return isinstance(value, _TENSOR_LIKE)


def to_tensor(value: TensorLike, dtype: DType | None = None, hint: DType | None = None) -> Tensor:
    """`value` as a tensor.

    Args:
        value: anything a tensor can be made of.
        dtype: the dtype it must have.
        hint: the dtype to try first; the value's own where that does not work.

    Raises:
        ValueError: `value` is no tensor and cannot be one, or is a tensor of another dtype.
        TypeError: a Python value cannot have `dtype`; in a graph, `value` cannot be a tensor.
    """
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    if type(value) in MAY_BECOME:
        state = LOCAL.state
        return state.target.scalar(state, value, scalar_dtype(value, dtype, hint))
    if type(value) is not list:  # the most common of all, and a long way to the end of this list
        if isinstance(value, _TENSOR_LIKE):
            make: Callable[..., Tensor] = _converter(type(value))
            return make(value, dtype, hint) if make in _TAKE_HINTS else make(value, dtype)
        if hasattr(value, "__tf_tensor__"):
            own: Tensor = value.__tf_tensor__(dtype, None)
            return own
        if isinstance(value, torch.Tensor):
            return _adopt(value, dtype or hint)
        if isinstance(value, TensorShape):
            value, dtype = sizes_of(value, dtype)
    state = LOCAL.state
    if isinstance(value, (list, tuple)):
        numbers = _plain_numbers(value, dtype or hint)
        if numbers is not None:
            return state.target.constant(state, *numbers, False)
        if _holds_tensors(value):
            return _pack(value, dtype, hint)
    elif type(value) in PLAIN_VALUES:
        return to_tensor(composite_of(value), dtype, hint)
    elif (plain := plain_number(value)) is not value:
        return to_tensor(plain, dtype, hint)
    array, borrowed = to_array(value, dtype, hint, not state.target.is_eager)
    return state.target.constant(state, raw_of(array), as_dtype(array.dtype), borrowed)


def own_or_default(value: TensorLike, allowed: Sequence[DType], default: DType) -> Tensor:
    """A tensor of `value`, which keeps its dtype where that is one of the `allowed` ones."""
    own = to_tensor(value)
    if own.dtype in allowed or isinstance(value, Tensor):
        return own
    return to_tensor(value, hint=default)


def by_default(value: TensorLike, allowed: Sequence[DType], default: DType) -> Tensor:
    """The same in graphs; in eager mode all but tensors get the default dtype, as from some ops of
    TensorFlow that have one.
    """
    if LOCAL.state.target.is_eager:
        return to_tensor(value, hint=default)
    return own_or_default(value, allowed, default)


def _converter(kind: type) -> Converter:
    """Of a registered type or of one below it."""
    found = _CONVERTERS.get(kind)
    if found is None:
        found = next(make for each, make in _CONVERTERS.items() if issubclass(kind, each))
        _CONVERTERS[kind] = found
    return found


# The most common constants, lists of numbers of one type: its dtype, torch's and C's.
_MOST_AXES = 8
_PLAIN = {float: (dtypes.float32, torch.float32, "f"), int: (dtypes.int32, torch.int32, "i")}


def _plain_numbers(value: Sequence[Any], wanted: DType | None) -> tuple[torch.Tensor, DType] | None:
    """The raw value and dtype of a list of floats or of ints, or of equally long such lists, and so
    on, at a third of NumPy's time; None for anything else.
    """
    kinds = set(map(type, value))
    sizes: tuple[int, ...] = ()
    while len(kinds) == 1 and (list in kinds or tuple in kinds) and len(sizes) < _MOST_AXES:
        lengths = set(map(len, value))
        if len(lengths) > 1:
            return None
        sizes = (*(sizes or (len(value),)), *lengths)
        value = [*itertools.chain.from_iterable(value)]
        kinds = set(map(type, value))
    found = _PLAIN.get(kinds.pop()) if len(kinds) == 1 else None
    if found is None or (wanted is not None and wanted is not found[0]):
        return None
    dtype, torch_dtype, code = found
    try:
        # C sees nothing in a list that stands for another one.
        plain = value if type(value) in (list, tuple) else list(value)
        raw = torch.frombuffer(arrays.array(code, plain), dtype=torch_dtype)
    except OverflowError:
        return None
    return (raw.resize_(sizes) if sizes else raw), dtype  # a view would keep another tensor


def scalar_dtype(value: TensorLike, dtype: DType | None, hint: DType | None = None) -> DType:
    """The dtype of the tensor of a Python number or text; see `to_tensor`."""
    allowed = MAY_BECOME[type(value)]
    if dtype is not None:
        if dtype not in allowed:
            raise cannot_become(value, dtype)
        return dtype
    if hint is not None and hint in allowed:
        return hint
    return natural_dtype(value)


def _holds_tensors(value: Sequence[Any]) -> bool:
    """True if a tensor or variable is among the elements, at any depth."""
    plain = (int, float, bool, complex, str, bytes, np.ndarray, np.generic)
    for kind in set(map(type, value)):
        if issubclass(kind, plain):
            continue
        if issubclass(kind, (list, tuple)):
            if any(type(item) is kind and _holds_tensors(item) for item in value):
                return True
        elif _stands_for_a_tensor(kind):
            return True
    return False


def _stands_for_a_tensor(kind: type) -> bool:
    known = (torch.Tensor, *_TENSOR_LIKE)
    return issubclass(kind, known) or hasattr(kind, "__tf_tensor__")


def _pack(value: Sequence[Any], dtype: DType | None, hint: DType | None) -> Tensor:
    """A sequence with tensors in it: its elements converted and stacked; tensors in it are cast
    to a dtype that is asked for or preferred, as TensorFlow does."""
    wanted = dtype or hint
    if wanted is not None:
        return STACKING.call([CASTING.call(_part(item, wanted), wanted) for item in value])
    return _pack_alike(value, _tensor_dtype(value))


def _pack_alike(value: Sequence[Any], found: DType | None) -> Tensor:
    """As `_pack`, where nobody asks for a dtype: tensors in it must have the same one."""
    return STACKING.call(
        [
            _pack_alike(item, found)
            if isinstance(item, (list, tuple)) and _holds_tensors(item)
            else to_tensor(item, hint=found)
            for item in value
        ]
    )


def _part(item: TensorLike, dtype: DType) -> Tensor:
    if isinstance(item, (list, tuple)) and _holds_tensors(item):
        return _pack(item, dtype, None)
    return to_tensor(item) if _stands_for_a_tensor(type(item)) else to_tensor(item, dtype)


def _tensor_dtype(value: Sequence[Any]) -> DType | None:
    for item in value:
        if isinstance(item, (list, tuple)):
            found = _tensor_dtype(item)
            if found is not None:
                return found
        elif is_tensor_like(item):
            return item.dtype
    return None


def _adopt(value: torch.Tensor, dtype: DType | None) -> Tensor:
    """A torch tensor, sharing its memory on whatever device it is."""
    if value.layout is not torch.strided or value.is_meta or value.is_quantized:
        raise unsupported(value)
    own = as_dtype(value.dtype)
    if dtype is not None and dtype is not own:
        value = value.to(dtype.torch)
    value = value.detach()
    mark_foreign(value)
    devices = INVENTORY.devices()
    device = next((d for d in devices if d.torch_device == value.device), None)
    if device is None:
        device, value = devices[0], value.cpu()
    return make_tensor(value, device.kind(as_dtype(value.dtype)))


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns `value` as a tensor (`tf.convert_to_tensor`).

    Args:
        value: a number, string, nested sequence, NumPy array, torch or DLPack tensor, variable.
            Torch tensors share their memory; everything else is copied.
        dtype: the dtype of the result; None takes the value's: float32 and int32 for Python
            numbers, the array's own for NumPy.
        dtype_hint: a dtype to prefer where it fits.
        name: a name in graphs.

    Returns:
        A tensor of the value's shape.

    Raises:
        ValueError: the value cannot be a tensor, or is one of another dtype.
        TypeError: a Python value cannot have that dtype.

    >>> convert_to_tensor([1, 2]).dtype
    tf.int32
    """
    wanted = None if dtype is None else as_dtype(dtype)
    hint = None if dtype_hint is None else as_dtype(dtype_hint)
    return own_tensor(value, dense_tensor(value, wanted, hint))


def dense_tensor(
    value: TensorLike, dtype: DType | None = None, hint: DType | None = None
) -> Tensor:
    """As `to_tensor`, but ragged tensors are refused: users ask for one block of values.

    Raises:
        ValueError, TypeError: as `to_tensor`.
    """
    tensor = to_tensor(value, dtype, hint)
    if type(tensor) is not EagerTensor and isinstance(tensor, CompositeTensor):
        raise ValueError(
            f"A {type(value).__name__} cannot be a tensor: its rows may differ in length. Pad "
            "them with `to_tensor()`, or take its `flat_values`."
        )
    return tensor


def own_tensor(value: TensorLike, tensor: Tensor) -> Tensor:
    """`tensor`, made of `value`, as an object of the caller's own: tensors of Python numbers are
    kept for all who use the same number, but users watch them, mark them and use them as keys.
    """
    if type(value) in MAY_BECOME and type(tensor) is EagerTensor:
        return make_tensor(tensor._value, tensor._kind, tensor._origin)
    return tensor


def is_tensor(x: object) -> bool:
    """True for tensors, variables, and sparse and ragged tensors (`tf.is_tensor`).

    >>> is_tensor(3.0)
    False
    """
    if isinstance(x, CompositeTensor):
        return x.is_tensor
    if is_tensor_like(x) or isinstance(x, AnyTensor):
        return bool(getattr(type(x), "is_tensor", True))  # a variable in parts is none
    return bool(getattr(type(x), "is_tensor_like", False))  # a library's class may say so
