"""Assertions as TF 1 calls them: with `data`, which their errors show instead of the values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base.errors import InvalidArgumentError
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import EagerTensor, Tensor
from ...graph.recording.grouping import group, no_op
from ...ops.convert import to_tensor
from ...ops.debugging import assertions as now, shape_assertions as of_shapes
from ...ops.debugging.shape_assertions import checks_of_shapes


def _with_data(check: Callable[[], Any], data: Any, message: str | None) -> Any:
    """What a check returns; what it raises shows `data`, if there is some."""
    try:
        return check()
    except InvalidArgumentError as error:
        if data is None:
            raise
        shown = [each.numpy() if isinstance(each, EagerTensor) else each for each in data]
        text = "\n".join(str(each) for each in [*([message] if message else []), *shown])
        raise InvalidArgumentError(error.node_def, error.op, text) from None


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Raises TypeError unless x has a type of integers (`tf.compat.v1.assert_integer`).

    Args:
        x: a tensor.
        message: what the error begins with.
        name: not used.

    Returns:
        An operation that does nothing, in a graph.
    """
    now.assert_integer(x, message)
    return no_op()


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raises TypeError unless a tensor has a dtype (`tf.compat.v1.assert_type`).

    Args:
        tensor: a tensor, or what becomes one.
        tf_type: the dtype.
        message: what the error begins with.
        name: not used.

    Returns:
        An operation that does nothing, in a graph.
    """
    now.assert_type(tensor, tf_type, message)
    return no_op()


def assert_equal(
    x: TensorLike,
    y: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless x == y everywhere (`tf.compat.v1.assert_equal`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        data: what an error in eager mode shows; x and y if None.
        summarize: how many elements of x and y it shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.

    Returns:
        The operation to wait for, in a graph.

    Raises:
        InvalidArgumentError: it does not hold.
    """
    return _with_data(lambda: now.assert_equal(x, y, message, summarize, name), data, message)


def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless x != y everywhere (`tf.compat.v1.assert_none_equal`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_none_equal(x, y, summarize, message, name), data, message)


def assert_less(
    x: TensorLike,
    y: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless x < y everywhere (`tf.compat.v1.assert_less`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_less(x, y, message, summarize, name), data, message)


def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless x <= y everywhere (`tf.compat.v1.assert_less_equal`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_less_equal(x, y, message, summarize, name), data, message)


def assert_greater(
    x: TensorLike,
    y: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless x > y everywhere (`tf.compat.v1.assert_greater`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_greater(x, y, message, summarize, name), data, message)


def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless x >= y everywhere (`tf.compat.v1.assert_greater_equal`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(
        lambda: now.assert_greater_equal(x, y, message, summarize, name), data, message
    )


def assert_near(
    x: TensorLike, y: TensorLike, rtol: Any = None, atol: Any = None, data: Any = None,
    summarize: int | None = None, message: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x and y are nearly equal (`tf.compat.v1.assert_near`).

    Args:
        x: a tensor.
        y: a tensor of the same dtype; shapes broadcast.
        rtol: how far apart they may be, relative to y.
        atol: how far apart they may be besides.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(
        lambda: now.assert_near(x, y, rtol, atol, message, summarize, name), data, message
    )


def assert_positive(
    x: TensorLike, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x > 0 everywhere (`tf.compat.v1.assert_positive`).

    Args:
        x: a tensor.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_positive(x, message, summarize, name), data, message)


def assert_negative(
    x: TensorLike, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x < 0 everywhere (`tf.compat.v1.assert_negative`).

    Args:
        x: a tensor.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_negative(x, message, summarize, name), data, message)


def assert_non_negative(
    x: TensorLike, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x >= 0 everywhere (`tf.compat.v1.assert_non_negative`).

    Args:
        x: a tensor.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_non_negative(x, message, summarize, name), data, message)


def assert_non_positive(
    x: TensorLike, data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Raises unless x <= 0 everywhere (`tf.compat.v1.assert_non_positive`).

    Args:
        x: a tensor.
        data: what an error in eager mode shows; the tensors if None.
        summarize: how many elements of a tensor the error shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return _with_data(lambda: now.assert_non_positive(x, message, summarize, name), data, message)


def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless a tensor has a rank (`tf.compat.v1.assert_rank`).

    Args:
        x: a tensor.
        rank: the rank, an integer.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return of_shapes.assert_rank(x, rank, message, name, data=data, summarize=summarize)


def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless a tensor has at least a rank (`tf.compat.v1.assert_rank_at_least`).

    Args:
        x: a tensor.
        rank: the rank, an integer.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return of_shapes.assert_rank_at_least(x, rank, message, name, data=data, summarize=summarize)


def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[Any],
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless a tensor has one of several ranks (`tf.compat.v1.assert_rank_in`).

    Args:
        x: a tensor.
        ranks: the ranks that are right, integers.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.
    """
    return of_shapes.assert_rank_in(x, ranks, message, name, data=data, summarize=summarize)


def assert_shapes(
    shapes: Any,
    data: Sequence[Any] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raises unless tensors have shapes that fit each other
    (`tf.compat.v1.debugging.assert_shapes`).

    Args:
        shapes: as `tf.debugging.assert_shapes` takes them.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
        message: what it starts with.
        name: a name in graphs.

    Returns:
        An operation that checks what is not known, in a graph.
    """
    return group(*checks_of_shapes(shapes, data, summarize, message))


def assert_scalar(
    tensor: TensorLike, name: str | None = None, message: str | None = None
) -> Tensor:
    """The tensor, if it has rank 0 (`tf.compat.v1.assert_scalar`)."""
    tensor = to_tensor(tensor)
    of_shapes.assert_scalar(tensor, message, name)
    return tensor
