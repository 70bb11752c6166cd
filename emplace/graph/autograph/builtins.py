"""Functions of Python that see tensors: abs, len, range, int, float, print, sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...core.composite import CompositeTensor
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...ops.array.gathering import gather
from ...ops.array.making import range_ as tensor_range
from ...ops.array.shaping import shape
from ...ops.array.sorting import argsort, sort
from ...ops.array.tensor_array import TensorArray
from ...ops.convert import to_tensor
from ...ops.math.elementwise import abs as tensor_abs, cast
from ...ops.ragged.methods import nrows
from ...ops.strings.numbers import to_number
from ..control_flow.loops.vectorized import vectorized_map
from ..function.python_functions import py_function
from .settings import BUILTINS
from .symbols import in_graph, is_symbolic, is_tensor

_MISSING = object()


def overload_of(function: Callable[..., Any]) -> Any:
    """What stands for a built-in function in converted code."""
    try:
        return _OVERLOADS.get(function, function)
    except TypeError:  # not hashable
        return function


def _registered(function: Callable[..., Any], *values: Any) -> Any:
    """The answer that all of these values have in common for a function; None if there is none."""
    known = BUILTINS.get(function)
    if not known or not values:
        return None
    found = {next((known[k] for k in known if isinstance(v, k)), None) for v in values}
    return found.pop() if len(found) == 1 else None


def _dispatched(
    function: Callable[..., Any], first: int, last: int | None = None
) -> Callable[..., Any]:
    """A function that asks `BUILTINS` for its arguments from `first` until before `last`."""

    def called(*args: Any, **kwargs: Any) -> Any:
        answer = _registered(function, *args[first:last])
        return (answer or function)(*args, **kwargs)

    return called


def abs_(x: Any) -> Any:
    """`abs(x)`."""
    if is_tensor(x):
        return tensor_abs(x)
    return (_registered(abs, x) or abs)(x)


def len_(s: Any) -> Any:
    """`len(s)`: of a tensor the size of its first axis.

    Raises:
        ValueError: it is a scalar.
    """
    if isinstance(s, TensorArray) and in_graph():
        return s.size()
    if not is_tensor(s):
        return (_registered(len, s) or len)(s)
    tensor = _as_tensor(s)
    if tensor.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {shape(tensor)}")
    if tensor.shape.rank is not None and tensor.shape[0] is not None:
        return tensor.shape[0]
    rows = nrows(tensor) if isinstance(tensor, RaggedTensor) else shape(tensor)[0]
    return cast(rows, dtypes.int32)


def int_(x: Any = 0, base: Any = _MISSING) -> Any:
    """`int(x, base)`: a tensor of int32.

    Raises:
        NotImplementedError: a base other than ten for a tensor.
    """
    if not is_tensor(x):
        return int(x) if base is _MISSING else int(x, base)
    if base not in (_MISSING, 10):
        raise NotImplementedError(f"base {base} not supported for int")
    return _number(_as_tensor(x), dtypes.int32)


def float_(x: Any = 0) -> Any:
    """`float(x)`: a tensor of float32."""
    return _number(_as_tensor(x), dtypes.float32) if is_tensor(x) else float(x)


def _as_tensor(x: Any) -> Any:
    return x if isinstance(x, CompositeTensor) else to_tensor(x)


def _number(x: Any, dtype: Any) -> Any:
    return to_number(x, dtype) if x.dtype is dtypes.string else cast(x, dtype)


def range_(start_or_stop: Any, stop: Any = _MISSING, step: Any = _MISSING) -> Any:
    """`range(start, stop, step)`: a tensor, if one of them is."""
    given = [each for each in (start_or_stop, stop, step) if each is not _MISSING]
    if not any(isinstance(each, Tensor) or is_tensor(each) for each in given):
        return range(*given)
    return tensor_range(*given)


def sorted_(iterable: Any, key: Any = _MISSING, reverse: Any = _MISSING) -> Any:
    """`sorted(iterable)`.

    Raises:
        ValueError: it is a tensor of more than one axis.
    """
    options = {"key": key, "reverse": reverse}
    options = {name: value for name, value in options.items() if value is not _MISSING}
    if not is_tensor(iterable):
        return sorted(iterable, **options)
    tensor = to_tensor(iterable)
    if tensor.shape.rank is not None and tensor.shape.rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    direction = "DESCENDING" if options.get("reverse") else "ASCENDING"
    if key is _MISSING:
        return sort(tensor, direction=direction)
    return gather(tensor, argsort(vectorized_map(key, tensor), direction=direction))


def print_(*objects: Any, **kwargs: Any) -> Any:
    """`print(...)`, where code is converted with `Feature.BUILTIN_FUNCTIONS`: prints the values of
    tensors each time the graph runs.
    """
    tensors = [each for each in objects if is_symbolic(each)]
    if not tensors:
        return print(*objects, **kwargs)

    def print_values(*values: Any) -> None:
        remaining = iter(values)
        shown = [_printed(next(remaining)) if is_symbolic(x) else x for x in objects]
        print(*shown, **{"flush": True, **kwargs})

    return py_function(print_values, tensors, [])


def _printed(value: Any) -> Any:
    array = value.numpy()
    return array.decode() if isinstance(array, bytes) else array


_OVERLOADS: dict[Any, Callable[..., Any]] = {
    abs: abs_, len: len_, print: print_, int: int_, float: float_, range: range_, sorted: sorted_,
    enumerate: _dispatched(enumerate, 0, 1), zip: _dispatched(zip, 0),
    map: _dispatched(map, 1), filter: _dispatched(filter, 1), any: _dispatched(any, 0),
    all: _dispatched(all, 0), next: _dispatched(next, 0, 1),
}  # fmt: skip
