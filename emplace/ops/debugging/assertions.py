"""`tf.debugging.assert_*`: raise where values, ranks, shapes or types are not as they should be.

In eager mode they return None. There they look at values at once, so on a device they wait for it.
In a graph they do not: what they find on a GPU is told when the host waits for that GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...base.dtypes import DType, as_dtype, float32
from ...base.errors import InvalidArgumentError
from ...base.typing import DTypeLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ..array.shaping import get_static_value
from ..convert import is_tensor_like, to_tensor
from ..math.elementwise import (
    abs,
    add,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    multiply,
    not_equal,
    subtract,
)
from ..math.reduction import reduce_all
from .checks import Assert, known_truth, nothing_to_check

_Compare = Callable[[Any, Any], Any]


def _holds(tensor: Tensor) -> bool | None:
    """Whether all of it is true; None if only running the graph will tell."""
    return known_truth(reduce_all(tensor))


def _compared(
    x: TensorLike,
    y: TensorLike,
    compare: _Compare,
    sign: str,
    message: str | None,
    summarize: int | None,
) -> Any:
    """Raises unless a comparison holds everywhere."""
    x, y = to_tensor(x), to_tensor(y)
    if x is y and sign in ("==", "<=", ">="):
        return nothing_to_check()
    holds = compare(x, y)
    if not LOCAL.state.target.is_eager:
        # Of ragged tensors the values are shown.
        data = {"x": getattr(x, "flat_values", x), "y": getattr(y, "flat_values", y)}
        return _later(holds, f"x {sign} y", data, message, summarize)
    if not _holds(holds):
        raise InvalidArgumentError(None, None, _difference(x, y, holds, sign, message, summarize))
    return None


def _later(
    holds: Tensor, text: str, data: dict[str, Any], message: str | None, summarize: int | None
) -> Any:
    """The assertion in a graph.

    Raises:
        InvalidArgumentError: it is known that it fails.
    """
    holds = reduce_all(holds)
    if known_truth(holds) is False:
        raise InvalidArgumentError(None, None, _static_failure(text, data, message))
    shown = [message or "", f"Condition {text} did not hold element-wise:"]
    for name, x in data.items():
        shown += [f"{name} ({_called(x)}) = ", x]
    return Assert(holds, shown, summarize)


def _static_failure(text: str, data: dict[str, Any], message: str | None) -> str:
    """TensorFlow's text for an assertion that fails whatever the graph does."""
    lines = [message or "", f"Condition {text} did not hold element-wise:"]
    for name, x in data.items():
        lines += [f"{name} ({_called(x)}) = ", str(get_static_value(x))]
    return "\n".join(lines)


def _called(x: Any) -> Any:
    """What an error of a graph calls a tensor; one of eager mode has no name."""
    return x.shape if isinstance(x, EagerTensor) else x.name


def _difference(
    x: Tensor, y: Tensor, holds: Tensor, sign: str, message: str | None, summarize: int | None
) -> str:
    """TensorFlow's text: where two tensors differ, and how."""
    count = 3 if summarize is None else summarize
    count = count if count >= 0 else int(1e9)
    fails = ~np.asarray(holds.numpy())
    a, b = np.asarray(x.numpy()), np.asarray(y.numpy())
    lines = [message or "", f"Condition x {sign} y did not hold."]
    if a.shape == b.shape and a.shape:
        where = np.argwhere(fails)
        lines += [
            f"Indices of first {min(count, len(where))} different values:",
            str(where[:count]),
            "Corresponding x values:", str(a[fails].reshape(-1)[:count]),
            "Corresponding y values:", str(b[fails].reshape(-1)[:count]),
        ]  # fmt: skip
    lines += [
        f"First {min(count, a.size)} elements of x:", str(a.reshape(-1)[:count]),
        f"First {min(count, b.size)} elements of y:", str(b.reshape(-1)[:count]),
    ]  # fmt: skip
    return "\n".join(lines)


def assert_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x == y everywhere (`tf.debugging.assert_equal`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        message: what the error starts with.
        summarize: how many elements the error shows, 3 by default.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: it does not hold.

    >>> assert_equal([1, 2], [1, 2])
    """
    return _compared(x, y, equal, "==", message, summarize)


def assert_none_equal(
    x: TensorLike, y: TensorLike, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x != y everywhere (`tf.debugging.assert_none_equal`).

    Args:
        x: a tensor.
        y: a tensor that broadcasts with it.
        summarize: how many elements of each tensor the error shows.
        message: what the error begins with.
        name: a name in graphs.
    """
    return _compared(x, y, not_equal, "!=", message, summarize)


def assert_less(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x < y everywhere (`tf.debugging.assert_less`).

    Args:
        x: a tensor.
        y: a tensor that broadcasts with it.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _compared(x, y, less, "<", message, summarize)


def assert_less_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x <= y everywhere (`tf.debugging.assert_less_equal`).

    Args:
        x: a tensor.
        y: a tensor that broadcasts with it.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _compared(x, y, less_equal, "<=", message, summarize)


def assert_greater(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x > y everywhere (`tf.debugging.assert_greater`).

    Args:
        x: a tensor.
        y: a tensor that broadcasts with it.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _compared(x, y, greater, ">", message, summarize)


def assert_greater_equal(
    x: TensorLike, y: TensorLike, message: str | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x >= y everywhere (`tf.debugging.assert_greater_equal`).

    Args:
        x: a tensor.
        y: a tensor that broadcasts with it.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _compared(x, y, greater_equal, ">=", message, summarize)


def _against_zero(x: TensorLike, compare: _Compare, sign: str, message: str | None) -> Any:
    x = to_tensor(x)
    if not LOCAL.state.target.is_eager:
        return _later(compare(x, to_tensor(0, x.dtype)), f"x {sign} 0", {"x": x}, message, None)
    if not _holds(compare(x, to_tensor(0, x.dtype))):
        texts = [str(each) for each in np.asarray(x.numpy()).reshape(-1)[:3]]
        raise InvalidArgumentError(
            None,
            None,
            f"{message + '.  ' if message else ''}\nCondition x {sign} 0 did not hold "
            f"element-wise:\nx (shape={x.shape} dtype={x.dtype.name}) = \n{texts}",
        )
    return None


def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raises unless x < 0 everywhere (`tf.debugging.assert_negative`).

    Args:
        x: a tensor.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _against_zero(x, less, "<", message)


def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raises unless x > 0 everywhere (`tf.debugging.assert_positive`).

    Args:
        x: a tensor.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _against_zero(x, greater, ">", message)


def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raises unless x >= 0 everywhere (`tf.debugging.assert_non_negative`).

    Args:
        x: a tensor.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _against_zero(x, greater_equal, ">=", message)


def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raises unless x <= 0 everywhere (`tf.debugging.assert_non_positive`).

    Args:
        x: a tensor.
        message: what the error begins with.
        summarize: how many elements of each tensor the error shows.
        name: a name in graphs.
    """
    return _against_zero(x, less_equal, "<=", message)


def assert_near(
    x: TensorLike, y: TensorLike, rtol: Any = None, atol: Any = None, message: str | None = None,
    summarize: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless |x - y| <= atol + rtol * |y| everywhere (`tf.debugging.assert_near`).

    Args:
        x: a tensor of floats.
        y: a tensor of the same dtype; shapes broadcast.
        rtol: tolerance relative to y; 10 times the dtype's precision by default.
        atol: absolute tolerance; the same by default.
        message: what the error starts with.
        summarize: how many elements the error shows, 3 by default.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: they differ by more.
        ValueError: they are no floats.
    """
    x = to_tensor(x)
    y = to_tensor(y, x.dtype)
    precision = 10 * _precision(x.dtype)
    rtol = to_tensor(precision if rtol is None else rtol, hint=x.dtype.real_dtype)
    atol = to_tensor(precision if atol is None else atol, hint=x.dtype.real_dtype)
    allowed = add(atol, multiply(rtol, abs(y)))
    holds = reduce_all(less_equal(abs(subtract(x, y)), allowed))
    start = f"{message}.  " if message else ""
    return Assert(holds, [
        start, f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
        f"x (shape={x.shape} dtype={x.dtype.name}) = ", x,
        f"y (shape={y.shape} dtype={y.dtype.name}) = ", y,
    ], summarize=summarize)  # fmt: skip


def _precision(dtype: DType) -> float:
    kind = dtype.real_dtype
    if not kind.is_floating:
        raise ValueError(f"data type {dtype.as_numpy_dtype!r} not inexact")
    return 2.0 ** -(7 if kind.name == "bfloat16" else np.finfo(kind.as_numpy_dtype).nmant)


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raises unless x has a type of integers (`tf.debugging.assert_integer`).

    Raises:
        TypeError: it has another.
    """
    x = to_tensor(x)
    if not x.dtype.is_integer:
        raise TypeError(
            f'{_start(message)}Expected "x" to be integer type.  Found: tensor of dtype {x.dtype!r}'
        )


def _start(message: str | None) -> str:
    return f"{message}.  " if message else ""


def assert_type(
    tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None
) -> None:
    """Raises unless a tensor has a dtype (`tf.debugging.assert_type`).

    Args:
        tensor: a tensor, or what becomes one.
        tf_type: the dtype it must have.
        message: what the error begins with.
        name: a name in graphs.

    Raises:
        TypeError: it has another.
    """
    wanted = as_dtype(tf_type)
    found = tensor.dtype if isinstance(tensor, CompositeTensor) else to_tensor(tensor).dtype  # type: ignore[attr-defined]
    if found is not wanted:
        raise TypeError(f"{_start(message)}tensor must be of type {wanted!r}; got {found!r}")


def assert_same_float_dtype(tensors: Any = None, dtype: DTypeLike | None = None) -> DType:
    """The one float dtype of all tensors (`tf.debugging.assert_same_float_dtype`).

    Args:
        tensors: tensors, or None; some of them may be None.
        dtype: the dtype they must have; None for that of the first, float32 if there is none.

    Raises:
        ValueError: dtypes differ, or the dtype is none of floats.
    """
    found = None if dtype is None else as_dtype(dtype)
    first = None
    for each in tensors or ():
        if each is None:
            continue
        if found is not None and each.dtype is not found:
            same = f" as {first}" if first is not None else ""
            raise ValueError(
                f"{each}, type={each.dtype!r}, must be of the same type ({found!r}){same}."
            )
        first, found = each, each.dtype
    found = float32 if found is None else found
    if not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found!r}.")
    return found


def assert_proper_iterable(values: TensorLike) -> None:
    """Raises unless a value is an iterable other than a tensor or string
    (`tf.debugging.assert_proper_iterable`).

    Raises:
        TypeError: it is not.
    """
    improper = (Tensor, CompositeTensor, np.ndarray, str, bytes)
    if isinstance(values, improper) or is_tensor_like(values):
        raise TypeError(
            f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}'
        )
    if not isinstance(values, Iterable):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')
