"""How arguments become tensors: Python numbers, sequences, NumPy, torch, DLPack, variables.

Python numbers take the dtype of the tensor they meet where that loses nothing that TensorFlow
would not lose; NumPy values are cast to it; tensors are never cast. What cannot be converted
keeps its own dtype, and the op then says which dtype it expected.
"""

from __future__ import annotations

import array as arrays
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, runtime_text
from ..core.composite import CompositeTensor
from ..core.context import LOCAL
from ..core.tensor import EagerTensor, Tensor, make_tensor, mark_foreign, numpy_to_torch
from ..devices.inventory import INVENTORY
from .op import Op

Converter = Callable[[Any, DType | None], Any]

_CONVERTERS: list[tuple[type, Converter]] = []
_STACK: list[Callable[[list[Any]], Any]] = []


def register_converter(kind: type, converter: Converter) -> None:
    """Lets `converter(value, dtype)` make tensors of instances of `kind`.

    Later layers use it for variables, so that ops need not know them.
    """
    _CONVERTERS.append((kind, converter))


def register_stack(stack: Callable[[list[Any]], Any]) -> None:
    """Gives conversion the one op it needs: to stack tensors that stand in a list."""
    _STACK[:] = [stack]


# Which dtypes a Python number may become without being cast by the user.
_MAY_BECOME: dict[type, tuple[DType, ...]] = {
    bool: (dtypes.bool_, dtypes.int32, dtypes.int64, *dtypes.FLOATS),
    int: (*dtypes.NUMBERS, *dtypes.FLOATS8),
    float: (*dtypes.INEXACT, *dtypes.FLOATS8),
    complex: dtypes.COMPLEX,
    str: (dtypes.string,),
    bytes: (dtypes.string,),
}
_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


def binary(op: Op, x: Any, y: Any) -> Any:
    """Applies an op of two inputs: the second of the hot path's four functions."""
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        x, y = pair(x, y)
    state = LOCAL.state
    return state.target.apply(state, op, (x, y), None)


def matched(op: Op, x: Any, y: Any) -> Any:
    """As `binary`, but what is no tensor must be able to take the dtype of the other.

    TensorFlow is that strict where it has no Python function around an op.

    Raises:
        TypeError: it cannot.
    """
    if type(x) is not EagerTensor or type(y) is not EagerTensor:
        x, y = strict_pair(x, y)
    state = LOCAL.state
    return state.target.apply(state, op, (x, y), None)


def unary(op: Op, x: Any) -> Any:
    """Applies an op of one input and no attributes."""
    if type(x) is not EagerTensor:
        x = operand(x)
    state = LOCAL.state
    return state.target.apply(state, op, (x,), None)


def operand(x: Any) -> Any:
    """`x` as a tensor; what is made of tensors as it is, for ops that have a rule for it.

    Raises:
        ValueError: it is neither and cannot be a tensor.
    """
    try:
        return to_tensor(x)
    except ValueError:
        if isinstance(x, CompositeTensor):
            return x
        raise


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as tensors; what is no tensor takes the dtype of what is, where it can."""
    if isinstance(x, Tensor):
        return x, to_tensor(y, hint=x.dtype)
    if is_tensor_like(x) or not is_tensor_like(y):
        x = to_tensor(x)
        return x, to_tensor(y, hint=x.dtype)
    y = to_tensor(y)
    return to_tensor(x, hint=y.dtype), y


def strict_pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as tensors; what is no tensor takes the dtype of what is, or of x.

    Raises:
        TypeError: it cannot. What meets a ragged tensor keeps its own dtype, as in TensorFlow.
    """
    try:
        return _strict_pair(x, y)
    except TypeError:
        if isinstance(x, CompositeTensor) or isinstance(y, CompositeTensor):
            return pair(x, y)
        raise


def _strict_pair(x: Any, y: Any) -> tuple[Any, Any]:
    if is_tensor_like(y):
        y = to_tensor(y)
        return to_tensor(x) if is_tensor_like(x) else to_tensor(x, y.dtype), y
    x = to_tensor(x)
    return x, to_tensor(y, x.dtype)


def tensors(values: Iterable[Any], dtype: DType | None = None) -> list[Any]:
    """All as tensors; those that are none take the dtype of the first that is."""
    values = list(values)
    if dtype is None:
        dtype = next((v.dtype for v in values if is_tensor_like(v)), None)
    converted = []
    for value in values:
        converted.append(to_tensor(value, hint=dtype))
        dtype = dtype or converted[0].dtype
    return converted


def is_tensor_like(value: Any) -> bool:
    """True for tensors and for what stands for one (variables)."""
    return isinstance(value, Tensor) or any(isinstance(value, kind) for kind, _ in _CONVERTERS)


def to_tensor(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Any:
    """`value` as a tensor.

    Args:
        value: anything a tensor can be made of.
        dtype: the dtype it must have.
        hint: the dtype to try first; the value's own where that does not work.

    Raises:
        ValueError: `value` is no tensor and cannot be one, or is a tensor of another dtype.
        TypeError: a Python value cannot have `dtype`.
    """
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype is not dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    if type(value) in _MAY_BECOME:
        state = LOCAL.state
        return state.target.scalar(state, value, _scalar_dtype(value, dtype, hint))
    for kind, converter in _CONVERTERS:
        if isinstance(value, kind):
            return converter(value, dtype)
    if hasattr(value, "__tf_tensor__"):
        return value.__tf_tensor__(dtype, None)
    if isinstance(value, torch.Tensor):
        return _adopt(value, dtype or hint)
    state = LOCAL.state
    if isinstance(value, (list, tuple)):
        flat = _flat_numbers(value, dtype or hint)
        if flat is not None:
            return state.target.constant(state, *flat, False)
        if _holds_tensors(value):
            return _pack(value, dtype or hint)
    array, borrowed = to_array(value, dtype, hint)
    return state.target.constant(state, raw_of(array), as_dtype(array.dtype), borrowed)


# The most common constants, flat lists of numbers of one type: its dtype, torch's and C's.
_FLAT = {float: (dtypes.float32, torch.float32, "f"), int: (dtypes.int32, torch.int32, "i")}


def _flat_numbers(value: Sequence[Any], wanted: DType | None) -> tuple[torch.Tensor, DType] | None:
    """The raw value and dtype of a flat list of floats or of ints, at a third of NumPy's time;
    None for anything else.
    """
    kinds = set(map(type, value))
    found = _FLAT.get(kinds.pop()) if len(kinds) == 1 else None
    if found is None or (wanted is not None and wanted is not found[0]):
        return None
    dtype, torch_dtype, code = found
    try:
        return torch.frombuffer(arrays.array(code, value), dtype=torch_dtype), dtype
    except OverflowError:
        return None


def _scalar_dtype(value: Any, dtype: DType | None, hint: DType | None) -> DType:
    allowed = _MAY_BECOME[type(value)]
    if dtype is not None:
        if dtype not in allowed:
            raise TypeError(
                f"Cannot convert {value!r} to EagerTensor of dtype {runtime_name(dtype)}"
            )
        return dtype
    if hint is not None and hint in allowed:
        return hint
    return _natural_dtype(value)


def _natural_dtype(value: Any) -> DType:
    kind = type(value)
    if kind is int:
        if value in _INT32:
            return dtypes.int32
        if value in _INT64:
            return dtypes.int64
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    if kind is float:
        return dtypes.float32
    if kind is bool:
        return dtypes.bool_
    return dtypes.complex128 if kind is complex else dtypes.string


def scalar_array(value: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """A Python scalar as a NumPy array of shape (); integers wrap as in TensorFlow."""
    if dtype is dtypes.string:
        return _bytes_array(value)
    if type(value) is int and not dtype.is_floating:
        return np.array(value, np.int64 if value in _INT64 else None).astype(dtype.as_numpy_dtype)
    with np.errstate(over="ignore"):
        return np.array(value).astype(dtype.as_numpy_dtype)


def raw_of(array: np.ndarray[Any, Any]) -> Any:
    """A NumPy array as a raw value: strings stay NumPy, the rest becomes a torch host tensor."""
    return array if array.dtype == object else numpy_to_torch(array)


def to_array(
    value: Any, dtype: DType | None = None, hint: DType | None = None
) -> tuple[np.ndarray[Any, Any], bool]:
    """`value` as a NumPy array of a type that tensors have, and whether it shares its memory.

    Raises:
        ValueError, TypeError: as `to_tensor`.
    """
    if isinstance(value, (list, tuple, range, TensorShape)):
        return _from_sequence(value, dtype, hint), False
    if isinstance(value, arrays.array):  # TF: a sequence of Python numbers
        return _from_sequence(value.tolist(), dtype, hint), False
    if isinstance(value, (bytearray, memoryview)):
        value = np.array(value, np.int32)
    if not isinstance(value, (np.ndarray, np.generic)):
        value = _from_protocol(value)
    return _from_numpy(np.asarray(value), dtype, hint)


def _from_protocol(value: Any) -> np.ndarray[Any, Any]:
    array = None
    if hasattr(value, "__array__") and not isinstance(value, type):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    if array is None or array.dtype.kind == "O":
        raise _unsupported(value)
    return array


def _unsupported(value: Any) -> ValueError:
    return ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) "
        "to a Tensor."
    )


def _from_numpy(
    array: np.ndarray[Any, Any], dtype: DType | None, hint: DType | None
) -> tuple[np.ndarray[Any, Any], bool]:
    if array.dtype.kind in "SUO":
        array, shared = _bytes_array(array), False
    else:
        try:
            as_dtype(array.dtype)
        except TypeError:
            array = _native(array)
        shared = array.flags.writeable and array.flags.c_contiguous
    own = as_dtype(array.dtype)
    wanted = dtype or hint or own
    if wanted is not own and (dtypes.string in (wanted, own)):
        if dtype is not None:
            raise TypeError(
                f"Cannot convert {array!r} to EagerTensor of dtype {runtime_name(dtype)}"
            )
        wanted = own
    if wanted is not own:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(_cast(array, wanted), order="C"), False
    return (array, True) if shared else (array.copy(order="C"), False)


def _cast(array: np.ndarray[Any, Any], wanted: DType) -> np.ndarray[Any, Any]:
    if array.dtype.kind == "c" and not wanted.is_complex:
        array = array.real
    return array.astype(wanted.as_numpy_dtype)


def _native(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    native = array.astype(array.dtype.newbyteorder("="))
    try:
        as_dtype(native.dtype)
    except TypeError:
        raise ValueError(
            "Failed to convert a NumPy array to a Tensor "
            f"(Unsupported numpy type: {array.dtype.name})."
        ) from None
    return native


def _bytes_array(value: Any) -> np.ndarray[Any, Any]:
    source = np.asarray(value, dtype=object)
    result = np.empty(source.shape, dtype=object)
    for index, item in np.ndenumerate(source):
        if isinstance(item, str):
            item = item.encode()
        elif not isinstance(item, bytes):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor "
                f"(Unsupported object type {type(item).__name__})."
            )
        result[index] = bytes(item)
    return result


def _from_sequence(value: Any, dtype: DType | None, hint: DType | None) -> np.ndarray[Any, Any]:
    value = list(value) if isinstance(value, (range, TensorShape)) else value
    leaves = _leaf_types(value)
    natural = _sequence_dtype(value, leaves)
    wanted = natural
    if dtype is not None or hint is not None:
        asked = dtype or hint
        assert asked is not None
        if _all_may_become(leaves, asked):
            wanted = asked
        elif dtype is not None:
            raise TypeError(
                f"Cannot convert {value!r} to EagerTensor of dtype {runtime_name(dtype)}"
            )
    if wanted is dtypes.string:
        return _bytes_array(_rectangular_texts(value))
    with np.errstate(over="ignore", invalid="ignore"):
        return _rectangular(value).astype(wanted.as_numpy_dtype, copy=False)


def _leaf_types(value: Any) -> set[type]:
    """The types of the innermost elements, telling NumPy arrays by their scalar type."""
    if isinstance(value, np.ndarray):
        return {value.dtype.type}
    found: set[type] = set()
    for kind in set(map(type, value)):
        if issubclass(kind, (list, tuple, np.ndarray)):
            for item in value:
                if type(item) is kind:
                    found |= _leaf_types(item)
        else:
            found.add(kind)
    return found


def _category(kind: type) -> str:
    if issubclass(kind, (bool, np.bool_)):
        return "bool"
    if issubclass(kind, (int, np.integer)):
        return "int"
    if issubclass(kind, (float, np.floating)):
        return "float"
    if issubclass(kind, (complex, np.complexfloating)):
        return "complex"
    if issubclass(kind, (str, bytes)):
        return "string"
    return "float" if kind in _EXTRA_FLOATS else ""


_EXTRA_FLOATS = {t.as_numpy_dtype for t in (dtypes.bfloat16, *dtypes.FLOATS8)}


def _sequence_dtype(value: Any, leaves: set[type]) -> DType:
    kinds = {_category(leaf) for leaf in leaves}
    if "" in kinds:
        leaf = _first_leaf(value, lambda item: _category(type(item)) == "")
        raise _unsupported(leaf)
    if not kinds:
        return dtypes.float32
    if len(kinds) > 1:
        kinds = _mixed(kinds, _category(type(_first_leaf(value, lambda item: True))))
    if kinds == {"int"}:
        largest = _extent(value)
        if largest not in _INT64:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        return dtypes.int32 if largest in _INT32 else dtypes.int64
    if kinds <= {"int", "float"}:
        exact = next((leaf for leaf in leaves if leaf in _NUMPY_FLOATS), None)
        return as_dtype(exact) if exact is not None else dtypes.float32
    return {
        "bool": dtypes.bool_, "complex": dtypes.complex128, "string": dtypes.string,
    }[kinds.pop()]  # fmt: skip


def _mixed(kinds: set[str], first: str) -> set[str]:
    """The kinds that count: the first element's takes simpler ones in, and floats take ints.

    Raises:
        ValueError: the first element is too simple for those after it, or some are texts.
    """
    if "string" not in kinds and first == "complex":
        return {"complex"}
    numbers = kinds - {"bool"}
    if first != "bool" and numbers <= {"int", "float"}:
        return numbers
    raise ValueError("Can't convert Python sequence with mixed types to Tensor.")


_NUMPY_FLOATS = {t.as_numpy_dtype for t in (*dtypes.FLOATS, *dtypes.FLOATS8)}


def _first_leaf(value: Any, wanted: Callable[[Any], bool]) -> Any:
    for item in value:
        if isinstance(item, (list, tuple)):
            found = _first_leaf(item, wanted)
            if found is not None:
                return found
        elif wanted(item):
            return item
    return None


def _extent(value: Any) -> int:
    """The integer of the sequence that is farthest from zero."""
    if isinstance(value, np.ndarray):
        return max(int(value.max()), int(value.min()), key=_distance) if value.size else 0
    inner = (
        _extent(item) if isinstance(item, (list, tuple, np.ndarray)) else int(item)
        for item in value
    )
    return max(inner, key=_distance, default=0)


def _distance(number: int) -> int:
    return number if number >= 0 else -number - 1


def _all_may_become(leaves: set[type], dtype: DType) -> bool:
    names = {"bool": bool, "int": int, "float": float, "complex": complex, "string": str}
    return all(dtype in _MAY_BECOME[names[_category(leaf)]] for leaf in leaves if _category(leaf))


def _rectangular(value: Any) -> np.ndarray[Any, Any]:
    try:
        array = np.array(value)
    except (ValueError, OverflowError):
        array = None
    if array is None or (array.dtype == object and not _is_wide_int(array)):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return array


def _rectangular_texts(value: Any) -> np.ndarray[Any, Any]:
    """Strings as they are: NumPy's own string types lose zeros at their end."""
    array = np.array(value, dtype=object)
    if not all(isinstance(item, (str, bytes)) for item in array.flat):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return array


def _is_wide_int(array: np.ndarray[Any, Any]) -> bool:
    return all(isinstance(item, int) for item in array.flat)


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
    known = (Tensor, torch.Tensor, *(each for each, _ in _CONVERTERS))
    return issubclass(kind, known) or hasattr(kind, "__tf_tensor__")


def _pack(value: Sequence[Any], dtype: DType | None) -> Any:
    """A sequence with tensors in it: its elements converted and stacked."""
    if dtype is None:
        dtype = _tensor_dtype(value)
    return _STACK[0]([to_tensor(item, hint=dtype) for item in value])


def _tensor_dtype(value: Sequence[Any]) -> DType | None:
    for item in value:
        if isinstance(item, (list, tuple)):
            found = _tensor_dtype(item)
            if found is not None:
                return found
        elif is_tensor_like(item):
            return item.dtype  # type: ignore[no-any-return]
    return None


def _adopt(value: torch.Tensor, dtype: DType | None) -> Any:
    """A torch tensor, sharing its memory on whatever device it is."""
    if value.layout is not torch.strided or value.is_meta or value.is_quantized:
        raise _unsupported(value)
    own = as_dtype(value.dtype)
    if dtype is not None and dtype is not own:
        value = value.to(dtype.torch)
    value = value.detach()
    mark_foreign(value)
    devices = INVENTORY.devices()
    home = next((d for d in devices if d.torch_device == value.device), None)
    if home is None:
        home, value = devices[0], value.cpu()
    return make_tensor(value, home.kind(as_dtype(value.dtype)))


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """`value` as a tensor (`tf.convert_to_tensor`).

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


def dense_tensor(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Any:
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


def own_tensor(value: Any, tensor: Any) -> Any:
    """`tensor`, made of `value`, as an object of the caller's own: tensors of Python numbers are
    kept for all who use the same number, but users watch them, mark them and use them as keys.
    """
    if type(value) in _MAY_BECOME and type(tensor) is EagerTensor:
        return make_tensor(tensor._value, tensor._kind, tensor._origin)
    return tensor


def is_tensor(x: Any) -> bool:
    """True for tensors, variables, and sparse and ragged tensors (`tf.is_tensor`).

    >>> is_tensor(3.0)
    False
    """
    return is_tensor_like(x) or isinstance(x, CompositeTensor)


def static_ints(value: Any, what: str) -> tuple[int, ...]:
    """A shape or a list of axes as a tuple of ints, from ints, sequences, arrays or tensors.

    Raises:
        InvalidArgumentError: `value` holds other numbers, or is no vector.
        TypeError: it is a Python float.
        ValueError: it cannot be a tensor.
    """
    if isinstance(value, TensorShape):
        return tuple(value.as_list())  # type: ignore[arg-type]  # eager shapes are known
    if isinstance(value, (int, np.integer)):
        return (int(value),)
    if isinstance(value, (list, tuple)):
        try:
            return tuple(map(operator.index, value))
        except TypeError:  # something in it is no integer
            pass
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    array = static_array(value, what)
    if array.ndim > 1:
        raise invalid_argument(f"{what} must be a vector, got shape {runtime_text(array.shape)}")
    return tuple(array.reshape(-1).tolist())


def static_axes(axis: Any) -> tuple[int, ...] | None:
    """The axes that an op reduces as a tuple of ints; None for all of them.

    Raises:
        InvalidArgumentError, TypeError, ValueError: as `static_ints`.
    """
    return None if axis is None else static_ints(axis, "axis")


def static_array(value: Any, what: str) -> np.ndarray[Any, Any]:
    """Host integers as a NumPy array, from whatever a tensor of integers can be made of.

    Raises:
        InvalidArgumentError: they are no integers.
        ValueError: they cannot be a tensor.
    """
    if isinstance(value, (list, tuple)):
        value = [_plain(each) for each in value]
    array = value.numpy() if hasattr(value, "numpy") else value
    if not isinstance(array, (np.ndarray, np.generic, int, float, str, bytes)):
        array, _ = to_array(array)
    array = np.asarray(array)
    if array.dtype.kind not in "iub" and array.size:
        dtype = runtime_name(as_dtype(array.dtype))
        raise invalid_argument(
            f"Value for attr 'Tidx' of {dtype} is not in the list of allowed values: int32, int64"
            f" ({what})"
        )
    return array.astype(np.int64)


def _plain(value: Any) -> Any:
    """A scalar that stands in a list, as a Python number where it is a tensor or an array."""
    if hasattr(value, "numpy"):
        return value.numpy().tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
