"""Functions of Python that see tensors: abs, len, range, int, float, print, sorted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...core.tensor import Tensor
from ...ops.array.making import range_ as tensor_range
from ...ops.array.shaping import shape
from ...ops.array.sorting import sort
from ...ops.array.tensor_array import TensorArray
from ...ops.convert import to_tensor
from ...ops.math.elementwise import abs as tensor_abs, cast
from ...ops.strings.numbers import to_number
from ..function.python_functions import py_function
from .settings import BUILTINS
from .symbols import in_graph, is_symbolic

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


def _dispatched(function: Callable[..., Any], first: int) -> Callable[..., Any]:
    """A function that asks `BUILTINS` for its arguments behind `first`."""

    def called(*args: Any, **kwargs: Any) -> Any:
        answer = _registered(function, *args[first:])
        return (answer or function)(*args, **kwargs)

    return called


def abs_(x: Any) -> Any:
    """`abs(x)`."""
    return tensor_abs(x) if is_symbolic(x) else abs(x)


def len_(s: Any) -> Any:
    """`len(s)`: of a tensor the size of its first axis.

    Raises:
        ValueError: it is a scalar.
    """
    if isinstance(s, TensorArray) and in_graph():
        return s.size()
    if not is_symbolic(s):
        return (_registered(len, s) or len)(s)
    tensor = to_tensor(s)
    if tensor.shape.rank == 0:
        raise ValueError(f"len requires a non-scalar tensor, got one of shape {shape(tensor)}")
    if tensor.shape.rank is not None and tensor.shape[0] is not None:
        return tensor.shape[0]
    return shape(tensor)[0]


def int_(x: Any = 0, base: Any = _MISSING) -> Any:
    """`int(x, base)`: a tensor of int32.

    Raises:
        NotImplementedError: a base other than ten for a tensor.
    """
    if not is_symbolic(x):
        return int(x) if base is _MISSING else int(x, base)
    if base not in (_MISSING, 10):
        raise NotImplementedError(f"base {base} not supported for int")
    return _number(to_tensor(x), dtypes.int32)


def float_(x: Any = 0) -> Any:
    """`float(x)`: a tensor of float32."""
    return _number(to_tensor(x), dtypes.float32) if is_symbolic(x) else float(x)


def _number(x: Any, dtype: Any) -> Any:
    return to_number(x, dtype) if x.dtype is dtypes.string else cast(x, dtype)


def range_(start_or_stop: Any, stop: Any = _MISSING, step: Any = _MISSING) -> Any:
    """`range(start, stop, step)`: a tensor, if one of them is."""
    given = [each for each in (start_or_stop, stop, step) if each is not _MISSING]
    if not any(isinstance(each, Tensor) or is_symbolic(each) for each in given):
        return range(*given)
    return tensor_range(*given)


def sorted_(iterable: Any, key: object = _MISSING, reverse: Any = _MISSING) -> Any:
    """`sorted(iterable)`.

    Raises:
        ValueError: it is a tensor of more than one axis.
    """
    options = {"key": key, "reverse": reverse}
    options = {name: value for name, value in options.items() if value is not _MISSING}
    if not is_symbolic(iterable):
        return sorted(iterable, **options)
    if key is not _MISSING:
        raise ValueError("sorted with a key is not supported for tensors.")
    tensor = to_tensor(iterable)
    if tensor.shape.rank is not None and tensor.shape.rank != 1:
        raise ValueError("sort only supports only 1D tensors")
    direction = "DESCENDING" if options.get("reverse") else "ASCENDING"
    return sort(tensor, direction=direction)


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
    enumerate: _dispatched(enumerate, 0), zip: _dispatched(zip, 0),
    map: _dispatched(map, 1), filter: _dispatched(filter, 1), any: _dispatched(any, 0),
    all: _dispatched(all, 0), next: _dispatched(next, 0),
}  # fmt: skip
