"""Python numbers, sequences and NumPy arrays as arrays of types that tensors have.

What `convert.py` hands to the target: nothing here knows devices or tensors.
"""

from __future__ import annotations

import array as arrays
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dimensions import Dimension
from ..base.dtypes import DType, as_dtype, runtime_name
from ..base.shapes import TensorShape
from ..base.typing import TensorLike
from ..core.context import LOCAL
from ..core.symbolic_value import BackedInt, specialise_on
from ..core.tensor import numpy_to_torch

# Which dtypes a Python number may become without being cast by the user.
MAY_BECOME: dict[type, tuple[DType, ...]] = {
    bool: (dtypes.bool_, dtypes.int32, dtypes.int64, *dtypes.FLOATS),
    int: (*dtypes.NUMBERS, *dtypes.FLOATS8, *dtypes.QUANTIZED),
    float: (*dtypes.INEXACT, *dtypes.FLOATS8),
    complex: dtypes.COMPLEX,
    str: (dtypes.string,),
    bytes: (dtypes.string,),
}


_SCALARS = (int, float, complex, str, bytes)


def plain_number(value: TensorLike) -> Any:
    """A Python number or text as one of exactly Python's own type: a dimension of TF 1 is an int,
    and so is an element of an IntEnum. Whatever else it is stays as it is.
    """
    kind = type(value)
    if kind in MAY_BECOME or isinstance(value, np.generic) or not isinstance(value, _SCALARS):
        return value
    if isinstance(value, BackedInt):
        specialise_on(value.tensor)
    plain: Any = next(each for each in _SCALARS if issubclass(kind, each))
    # TF: an element of an enum is its value.
    return str.__str__(value) if isinstance(value, str) else plain(value)


_INT32 = range(-(2**31), 2**31)


_INT64 = range(-(2**63), 2**63)


_UINT64 = range(2**64)


def natural_dtype(value: TensorLike) -> DType:
    """The dtype of a Python scalar that meets no tensor."""
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


def scalar_array(value: TensorLike, dtype: DType) -> np.ndarray[Any, Any]:
    """A Python scalar as a NumPy array of shape (); integers of 64 bits wrap as in TensorFlow.

    Raises:
        ValueError: an integer has more bits; or it is negative, and the type is uint64.
    """
    if dtype is dtypes.string:
        return _bytes_array(value)
    if type(value) is int and dtype.is_integer:
        wide, fits = (np.uint64, _UINT64) if dtype is dtypes.uint64 else (np.int64, _INT64)
        if value not in fits:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        return np.array(value, wide).astype(dtype.as_numpy_dtype)
    if type(value) is int and value not in _INT64 and dtype.is_floating:
        value = _as_float(value)
    if type(value) is int and dtype in dtypes.COMPLEX and value not in _INT64:
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    with np.errstate(over="ignore"):
        return np.array(value).astype(dtype.as_numpy_dtype)


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        raise ValueError(
            "Can't convert Python sequence with out-of-range integer to Tensor."
        ) from None


def raw_of(array: np.ndarray[Any, Any]) -> Any:
    """A NumPy array as a raw value: strings and quantized numbers stay NumPy, the rest becomes a
    torch host tensor.
    """
    return array if as_dtype(array.dtype).torch is None else numpy_to_torch(array)


def full_of(dims: Sequence[int], item: Any) -> np.ndarray[Any, Any]:
    """An array of one object everywhere. NumPy's own makes NumPy texts of byte strings, which end
    before their last zeros.
    """
    made = np.empty(tuple(dims), object)
    made.fill(item)
    return made


def to_array(
    value: Any, dtype: DType | None = None, hint: DType | None = None, in_graph: bool = False
) -> tuple[np.ndarray[Any, Any], bool]:
    """`value` as a NumPy array of a type that tensors have, and whether it shares its memory. Where
    numbers of NumPy and of Python are in a sequence, graphs have rules of their own.

    Raises:
        ValueError, TypeError: as `to_tensor`.
    """
    if isinstance(value, (list, tuple, range, TensorShape)):
        return _from_sequence(value, dtype, hint, in_graph), False
    if isinstance(value, arrays.array):  # TF: a sequence of Python numbers
        return _from_sequence(value.tolist(), dtype, hint, in_graph), False
    if isinstance(value, (bytearray, memoryview)):
        value = np.array(value, np.int32)
    if isinstance(value, Dimension):
        value = _size_of(value, dtype)
    elif _is_sequence(type(value)):
        return _from_sequence(list(value), dtype, hint, in_graph), False
    value = plain_number(value)
    if type(value) in MAY_BECOME:
        value = scalar_array(value, natural_dtype(value))
    if not isinstance(value, (np.ndarray, np.generic)):
        value = _from_protocol(value)
    return _from_numpy(np.asarray(value), dtype, hint)


def _is_sequence(kind: type) -> bool:
    """Whether objects of a class are sequences that are neither lists nor tuples: ranges, deques,
    and those of classes of the program. Arrays tell their elements otherwise.
    """
    return (
        hasattr(kind, "__getitem__")
        and hasattr(kind, "__len__")
        and hasattr(kind, "__iter__")
        and not issubclass(kind, (str, bytes, dict, np.ndarray, np.generic))
        and not any(hasattr(kind, each) for each in ("__array__", "__dlpack__", "dtype"))
    )


def _with_lists(value: Any) -> Any:
    """The same with lists in the place of other sequences."""
    kind = type(value)
    if not isinstance(value, (list, tuple)) and not _is_sequence(kind):
        return value
    return [_with_lists(each) for each in value]


def _from_protocol(value: object) -> np.ndarray[Any, Any]:
    array = None
    if hasattr(value, "__array__") and not isinstance(value, type):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    if array is None or (array.dtype.kind == "O" and not _holds_texts(array)):
        raise unsupported(value)
    return array


def _holds_texts(array: np.ndarray[Any, Any]) -> bool:
    """Whether objects are texts, as in a column of pandas."""
    return all(isinstance(each, (str, bytes)) for each in array.flat)


def unsupported(value: Any, whole: Any = None) -> ValueError | TypeError:
    """The error for something no tensor can be made of, which may stand in a list, `whole`. TF:
    another one where a graph is made, but for None.
    """
    text = (
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a "
        "Tensor."
    )
    if value is None and whole is None:
        return ValueError(text)
    return refused_in_graphs(text, value if whole is None else whole)


def refused_in_graphs(text: str, whole: Any) -> ValueError | TypeError:
    """A ValueError in eager mode, a TypeError that shows the value where a graph is made."""
    if LOCAL.state.target.is_eager:
        return ValueError(text)
    return TypeError(f"Failed to convert elements of {whole!r} to Tensor. {text}")


def cannot_become(value: Any, dtype: DType) -> TypeError:
    """The error for a value that cannot have a dtype; where a graph is made, another one, which
    names the first wrong element.
    """
    if LOCAL.state.target.is_eager:
        return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {runtime_name(dtype)}")
    leaf = value
    if isinstance(value, (list, tuple)):
        leaf = _first_leaf(value, lambda item: not _may_become(_type_of(item), dtype))
    kind = type(leaf).__name__
    return TypeError(f"Expected {dtype.name}, but got {leaf} of type '{kind}'.")


def _may_become(kind: type, dtype: DType) -> bool:
    return _all_may_become({kind}, dtype)


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
    if own.torch is None and own is not dtypes.string and not own.is_quantized:
        raise cannot_become(array, own)
    wanted = dtype or hint or own
    if wanted is not own and (dtypes.string in (wanted, own)):
        if dtype is not None:
            raise cannot_become(array, dtype)
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


def _bytes_array(value: TensorLike) -> np.ndarray[Any, Any]:
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


_KNOWN = frozenset(MAY_BECOME)


def _from_sequence(
    value: object, dtype: DType | None, hint: DType | None, in_graph: bool
) -> np.ndarray[Any, Any]:
    if isinstance(value, TensorShape):
        return _sizes_array(value, dtype, hint)
    value = list(value) if isinstance(value, range) else value
    leaves = _leaf_types(value)
    if not leaves <= _KNOWN and any(map(_is_sequence, leaves)):
        value = _with_lists(value)
        leaves = _leaf_types(value)
    if dtype is dtypes.complex128 and {_category(leaf) for leaf in leaves} <= _MAKE_COMPLEX:
        return _rectangular(value).astype(np.complex128, copy=False)  # TF: whatever comes first
    wide = _beyond_int64(value, leaves, dtype or hint)
    if wide is not None:
        return wide
    # TF: where a dtype is asked for, it does not matter which kind of numbers comes first.
    if dtype is not None and len(leaves) > 1 and _all_may_become(leaves, dtype):
        return _array_of(value, dtype)
    own = (_graph_dtype if in_graph else _sequence_dtype)(value, leaves)
    hinted = dtype or hint
    if hinted is not None and _all_may_become(leaves, hinted):
        return _array_of(value, hinted)
    if dtype is not None:
        raise cannot_become(value, dtype)
    return _array_of(value, own)


def _array_of(value: object, dtype: DType) -> np.ndarray[Any, Any]:
    if dtype is dtypes.string:
        return _bytes_array(_rectangular_texts(value))
    with np.errstate(over="ignore", invalid="ignore"):
        return _rectangular(value).astype(dtype.as_numpy_dtype, copy=False)


def _beyond_int64(
    value: object, leaves: set[type], dtype: DType | None
) -> np.ndarray[Any, Any] | None:
    """Integers of which some are too large for int64, if a dtype is asked for that holds them."""
    if dtype not in _HOLD_MORE or {_category(leaf) for leaf in leaves} != {"int"}:
        return None
    if _extent(value) in _INT64:
        return None
    _rectangular(value)
    array = np.array(value, object)  # NumPy makes fractions of a mixture, and rounds
    if dtype is dtypes.uint64 and not all(int(item) in _UINT64 for item in array.flat):
        return None
    if dtype.is_floating:
        array = np.vectorize(_as_float, otypes=[np.float64])(array)
    with np.errstate(over="ignore"):
        return array.astype(dtype.as_numpy_dtype)


_HOLD_MORE = (dtypes.uint64, *dtypes.FLOATS)


def _sizes_array(
    value: TensorShape, dtype: DType | None, hint: DType | None
) -> np.ndarray[Any, Any]:
    """The sizes of a shape: int32, or int64 where one needs it or that is asked for."""
    sizes, natural = sizes_of(value, dtype)
    wanted = dtypes.int64 if dtype is None and hint is dtypes.int64 else natural
    return np.array(sizes, wanted.as_numpy_dtype)


def sizes_of(shape: TensorShape, dtype: DType | None) -> tuple[list[int], DType]:
    """The sizes of a shape, and the dtype of the tensor that they become.

    Raises:
        TypeError: `dtype` is neither None nor int32 or int64.
        ValueError: a size is not known, or too large for `dtype`.
    """
    if not shape.is_fully_defined():
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a Tensor.")
    _check_size_dtype("TensorShape", shape, dtype)
    sizes = shape.as_list()
    is_wide = any(size >= 2**31 for size in sizes)
    if is_wide and dtype is dtypes.int32:
        raise ValueError(
            f"Cannot convert TensorShape {shape} to dtype int32; a dimension is too large. "
            "Consider using tf.int64."
        )
    return sizes, dtype or (dtypes.int64 if is_wide else dtypes.int32)


def _check_size_dtype(kind: str, value: object, dtype: DType | None) -> None:
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise TypeError(
            f"Cannot convert {kind} {value} to dtype {dtype}. Allowed dtypes are tf.int32 and "
            "tf.int64."
        )


def _size_of(dimension: Dimension, dtype: DType | None) -> int:
    """The number that a dimension of TF 1 is."""
    if dimension.value is None:
        raise ValueError(f"Cannot convert unknown Dimension {dimension} to a Tensor.")
    _check_size_dtype("Dimension", dimension, dtype)
    return dimension.value


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


def _type_of(leaf: Any) -> type:
    """The type of a number, or of those in an array."""
    return leaf.dtype.type if isinstance(leaf, np.ndarray) else type(leaf)


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


_MAKE_COMPLEX = {"bool", "int", "float", "complex"}
_EXTRA_FLOATS = {t.as_numpy_dtype for t in (dtypes.bfloat16, *dtypes.FLOATS8)}


def _graph_dtype(value: object, leaves: set[type]) -> DType:
    """The dtype of a sequence in a graph. TF: what NumPy makes of numbers of several kinds, with
    fractions of 64 bits in 32, and integers too where they fit.
    """
    kinds = {_category(leaf) for leaf in leaves}
    is_plain = len(kinds) == 1 and all(leaf in _PLAIN for leaf in leaves)
    if is_plain or not kinds or kinds & {"", "string"}:
        return _sequence_dtype(value, leaves)
    array = _rectangular(value)
    if array.dtype == np.float64:
        return dtypes.float32
    if array.dtype == np.int64 and _extent(array) in _INT32:
        return dtypes.int32
    return as_dtype(array.dtype)


_PLAIN = {bool, int, float, complex}


def _sequence_dtype(value: object, leaves: set[type]) -> DType:
    kinds = {_category(leaf) for leaf in leaves}
    if "" in kinds:
        leaf = _first_leaf(value, lambda item: _category(type(item)) == "")
        raise unsupported(leaf, value)
    if not kinds:
        return dtypes.float32
    first = _type_of(_first_leaf(value, lambda item: True))
    if len(kinds) > 1:
        if np.bool_ in leaves:
            raise refused_in_graphs(
                "Can't convert Python sequence with mixed types to Tensor.", value
            )
        kinds = _mixed(kinds, _category(first), value)
    if kinds == {"int"}:
        largest = _extent(value)
        if largest not in _INT64:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        return dtypes.int32 if largest in _INT32 else dtypes.int64
    if kinds <= {"int", "float"}:  # TF: the first number tells how many bits
        return as_dtype(first) if first in _NUMPY_FLOATS else dtypes.float32
    return {
        "bool": dtypes.bool_, "complex": dtypes.complex128, "string": dtypes.string,
    }[kinds.pop()]  # fmt: skip


def _mixed(kinds: set[str], first: str, value: object) -> set[str]:
    """The kinds that count: the first element's takes simpler ones in, and floats take ints.

    Raises:
        ValueError, TypeError: the first element is too simple for those after it, or some are
            texts.
    """
    if "string" not in kinds and first == "complex":
        return {"complex"}
    numbers = kinds - {"bool"}
    if first != "bool" and numbers <= {"int", "float"}:
        return numbers
    raise refused_in_graphs("Can't convert Python sequence with mixed types to Tensor.", value)


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
    return all(dtype in MAY_BECOME[names[_category(leaf)]] for leaf in leaves if _category(leaf))


def _rectangular(value: object) -> np.ndarray[Any, Any]:
    told = ""
    try:
        array = np.array(value)
    except (ValueError, OverflowError) as error:
        array, told = None, str(error)
    if array is None or (array.dtype == object and not _is_wide_int(array)):
        text = "Can't convert non-rectangular Python sequence to Tensor."
        if told and not LOCAL.state.target.is_eager:  # TF: there NumPy says so
            text = f"{text} {told}"
        raise ValueError(text)
    return array


def _rectangular_texts(value: object) -> np.ndarray[Any, Any]:
    """Strings as they are: NumPy's own string types lose zeros at their end."""
    array = np.array(value, dtype=object)
    if not all(isinstance(item, (str, bytes)) for item in array.flat):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return array


def _is_wide_int(array: np.ndarray[Any, Any]) -> bool:
    return all(isinstance(item, int) for item in array.flat)
