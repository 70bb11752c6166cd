"""NumPy's rules for types, as `tf.experimental.numpy` has them: results take the wider type.

Python numbers adapt to the arrays they meet; lists and NumPy values keep NumPy's types, so that
Python's ints and floats are int64 and float64 where nothing else says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..convert import is_tensor_like, to_tensor
from ..math.elementwise import cast

pi, e, inf = np.pi, np.e, np.inf
newaxis = None
ndarray = Tensor


def _as_numpy(dtype: DTypeLike) -> Any:
    return np.dtype(dtype.as_numpy_dtype) if isinstance(dtype, DType) else dtype


def finfo(dtype: DTypeLike) -> Any:
    """Limits of a float type (`tf.experimental.numpy.finfo`).

    >>> float(finfo("float32").eps) < 1e-6
    True
    """
    return ml_dtypes.finfo(_as_numpy(as_dtype(dtype)))  # type: ignore[no-untyped-call]


def iinfo(int_type: Any) -> Any:
    """Limits of an integer type (`tf.experimental.numpy.iinfo`).

    >>> iinfo("int8").max
    127
    """
    return np.iinfo(_as_numpy(as_dtype(int_type)))


def promote_types(type1: Any, type2: Any) -> Any:
    """The type that holds values of both (`tf.experimental.numpy.promote_types`).

    Raises:
        numpy.exceptions.DTypePromotionError: there is none.

    >>> promote_types("int32", "float32").name
    'float64'
    """
    return np.promote_types(_as_numpy(type1), _as_numpy(type2))


class Behavior:
    """What `experimental_enable_numpy_behavior` has set for the whole process."""

    prefer_float32 = False
    mode = ""
    #: Finds the common dtype of values where types are promoted with weak ones.
    common: Callable[..., DType] | None = None

    @property
    def is_on(self) -> bool:
        """Whether operators promote types, by whichever rules."""
        return self.mode in ("legacy", "safe", "all")

    @property
    def promotes(self) -> bool:
        """Whether types are promoted with weak ones, by which numbers have 32 bits."""
        return self.mode in ("safe", "all")

    def reset(self) -> None:
        """As if it had never been called."""
        self.prefer_float32, self.mode, self.common = False, "", None


BEHAVIOR = Behavior()


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The type of a result of these arrays and types (`tf.experimental.numpy.result_type`).

    >>> result_type(1, 2.0)
    tf.float64
    """
    if BEHAVIOR.common is not None:
        return BEHAVIOR.common(*arrays_and_dtypes)
    return type_by_numpy(*arrays_and_dtypes)


def type_by_numpy(*arrays_and_dtypes: TensorLike) -> DType:
    """The type that NumPy's rules find for these arrays and types."""
    found = [each for value in arrays_and_dtypes for each in _types_in(value)]
    return as_dtype(np.result_type(*(found or [np.float64])))


def _types_in(value: TensorLike) -> list[Any]:
    """The type of a value, or those of what a sequence holds, each once.

    Python's numbers in a sequence adapt to the others just as they do alone.
    """
    if not isinstance(value, (list, tuple)):
        return [_type_of(value)]
    found: dict[Any, Any] = {}
    for each in value:
        for kind in _types_in(each):
            key = (type(kind), kind) if isinstance(kind, np.dtype) else type(kind)
            found.setdefault(key, kind)
    return list(found.values())


def _type_of(value: TensorLike) -> Any:
    if is_tensor_like(value):
        return _as_numpy(value.dtype)
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return _of_number(value)
    if isinstance(value, (type, str, np.dtype, DType)):
        return _as_numpy(value)
    return np.asarray(value).dtype


def _of_number(value: complex) -> Any:
    if not BEHAVIOR.prefer_float32 or isinstance(value, int):
        return value
    return np.dtype(np.float32 if isinstance(value, float) else np.complex64)


def as_type(dtype: Any) -> DType:
    """The type that NumPy means: `float` has 64 bits. `is`, because `tf.float32 == float`."""
    is_python = any(dtype is each for each in (float, int, bool, complex))
    if is_python and BEHAVIOR.promotes:
        return as_dtype({float: np.float32, int: np.int32}.get(dtype, dtype))
    if isinstance(dtype, str) and dtype[:1] in "SU":  # TF: strings have no size
        return dtypes.string
    return as_dtype(np.dtype(dtype) if is_python else dtype)


def as_array(value: Any, dtype: Any = None) -> Any:
    """A tensor of anything, with NumPy's type unless another is asked for."""
    wanted = None if dtype is None else as_type(dtype)
    if is_tensor_like(value):
        tensor = to_tensor(value)
    elif isinstance(value, (list, tuple)) and _holds_tensors(value):
        common = result_type(value) if wanted is None else wanted
        tensor = to_tensor([as_array(each, common) for each in value])
    else:
        known = np.asarray(value)
        if wanted is None and known.dtype.kind in "biufc" and not hasattr(value, "dtype"):
            known = known.astype(result_type(value).as_numpy_dtype, copy=False)
        tensor = to_tensor(known)
    return tensor if wanted is None else cast(tensor, wanted)


def _holds_tensors(value: Any) -> bool:
    return any(
        _holds_tensors(each) if isinstance(each, (list, tuple)) else is_tensor_like(each)
        for each in value
    )


def promoted(*values: TensorLike) -> list[Any]:
    """All values as tensors of their common type."""
    common = result_type(*values)
    return [as_array(value, common) for value in values]


def one_by_one(*values: TensorLike) -> list[Any]:
    """All values as tensors of a common type, each of its own first: what is no tensor then counts
    as NumPy's, and only weak types remember what was a number of Python's.
    """
    if not BEHAVIOR.promotes:
        return promoted(*[as_array(each) for each in values])
    for each in values:
        result_type(each)  # refuses a sequence that has no type
    return promoted(*values)


def inexact(*values: TensorLike) -> list[Any]:
    """All values as tensors of their common type, float64 for integers and bools."""
    tensors = promoted(*values)
    dtype = tensors[0].dtype
    if BEHAVIOR.promotes and (dtype.is_integer or dtype in (dtypes.bool_, dtypes.bfloat16)):
        return [cast(each, dtypes.float32) for each in tensors]
    if dtype.is_floating or dtype.is_complex:
        return tensors
    return [cast(each, dtypes.float64) for each in tensors]
