"""Functions that change variables: `tf.assign`, `tf.scatter_update` and the like."""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...eager.variable import Variable
from ...ops.convert import to_tensor
from ...ops.variables.indexed_slices import IndexedSlices
from ...ops.variables.parts import InParts


def _variable(ref: TensorLike, function: str) -> Variable:
    if isinstance(ref, Variable):
        return ref
    raise TypeError(
        f"tf.{function} changes variables, and got {ref!r}. Give it what tf.Variable or "
        "tf.get_variable returned."
    )


def _whole(ref: Any, function: str) -> Any:
    """A variable, which may be in parts: all of them change then."""
    return ref if isinstance(ref, InParts) else _variable(ref, function)


def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """Replaces a variable's value (`tf.compat.v1.assign`).

    Args:
        ref: the variable, or a part of it: `v[1:3]`.
        value: the new value.
        validate_shape: not used: the shape is always checked.
        use_locking: not used.
        name: a name in graphs.

    Raises:
        TypeError: `ref` is no variable.
        ValueError: the shape does not fit.
    """
    if isinstance(ref, Tensor) and hasattr(ref, "assign"):
        return ref.assign(value, name=name)
    return _whole(ref, "assign").assign(value, name=name)


def assign_add(
    ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Adds to a variable's value (`tf.compat.v1.assign_add`); see `assign`.

    Args:
        ref: the variable.
        value: what is added.
        use_locking: not used.
        name: a name in graphs.
    """
    return _whole(ref, "assign_add").assign_add(value, name=name)


def assign_sub(
    ref: TensorLike, value: TensorLike, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Subtracts from a variable's value (`tf.compat.v1.assign_sub`); see `assign`.

    Args:
        ref: the variable.
        value: what is subtracted.
        use_locking: not used.
        name: a name in graphs.
    """
    return _whole(ref, "assign_sub").assign_sub(value, name=name)


def count_up_to(ref: TensorLike, limit: int, name: str | None = None) -> Any:
    """A variable's value, which then is one larger (`tf.compat.v1.count_up_to`).

    Raises:
        OutOfRangeError: the value has reached the limit.
    """
    return _variable(ref, "count_up_to").count_up_to(limit)


def _slices(ref: Variable, indices: TensorLike, updates: TensorLike) -> IndexedSlices:
    return IndexedSlices(to_tensor(updates, ref.dtype), to_tensor(indices))


def scatter_update(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replaces rows of a variable (`tf.compat.v1.scatter_update`).

    Args:
        ref: the variable.
        indices: which rows.
        updates: their new values.
        use_locking: not used.
        name: a name in graphs.

    Raises:
        TypeError: `ref` is no variable.
    """
    ref = _variable(ref, "scatter_update")
    return ref.scatter_update(_slices(ref, indices, updates))


def scatter_add(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Adds to rows of a variable (`tf.compat.v1.scatter_add`); see `scatter_update`.

    Args:
        ref: the variable.
        indices: which rows.
        updates: a row for each of them.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "scatter_add")
    return ref.scatter_add(_slices(ref, indices, updates))


def scatter_sub(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtracts from rows of a variable (`tf.compat.v1.scatter_sub`); see `scatter_update`.

    Args:
        ref: the variable.
        indices: which rows.
        updates: a row for each of them.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "scatter_sub")
    return ref.scatter_sub(_slices(ref, indices, updates))


def scatter_mul(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies rows of a variable (`tf.compat.v1.scatter_mul`); see `scatter_update`.

    Args:
        ref: the variable.
        indices: which rows.
        updates: a row for each of them.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "scatter_mul")
    return ref.scatter_mul(_slices(ref, indices, updates))


def scatter_div(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Divides rows of a variable (`tf.compat.v1.scatter_div`); see `scatter_update`.

    Args:
        ref: the variable.
        indices: which rows.
        updates: a row for each of them.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "scatter_div")
    return ref.scatter_div(_slices(ref, indices, updates))


def scatter_min(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Keeps the smaller values in rows of a variable (`tf.compat.v1.scatter_min`).

    Args:
        ref: the variable.
        indices: which rows.
        updates: a row for each of them.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "scatter_min")
    return ref.scatter_min(_slices(ref, indices, updates))


def scatter_max(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Keeps the larger values in rows of a variable (`tf.compat.v1.scatter_max`).

    Args:
        ref: the variable.
        indices: which rows.
        updates: a row for each of them.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "scatter_max")
    return ref.scatter_max(_slices(ref, indices, updates))


def batch_scatter_update(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replaces rows of each part of a batch (`tf.compat.v1.batch_scatter_update`).

    Args:
        ref: the variable.
        indices: which rows of each part.
        updates: their new values.
        use_locking: not used.
        name: a name in graphs.
    """
    ref = _variable(ref, "batch_scatter_update")
    return ref.batch_scatter_update(_slices(ref, indices, updates))


def scatter_nd_update(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replaces the parts that rows of indices name (`tf.compat.v1.scatter_nd_update`).

    Args:
        ref: the variable.
        indices: shape (..., depth): each row names a part along the first axes.
        updates: a value for each part.
        use_locking: not used.
        name: a name in graphs.
    """
    return _variable(ref, "scatter_nd_update").scatter_nd_update(indices, updates)


def scatter_nd_add(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Adds to the parts that rows of indices name (`tf.compat.v1.scatter_nd_add`).

    Args:
        ref: the variable.
        indices: shape (..., depth): each row names a part along the first axes.
        updates: a value for each part.
        use_locking: not used.
        name: a name in graphs.
    """
    return _variable(ref, "scatter_nd_add").scatter_nd_add(indices, updates)


def scatter_nd_sub(
    ref: TensorLike,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtracts from the parts that rows of indices name (`tf.compat.v1.scatter_nd_sub`).

    Args:
        ref: the variable.
        indices: shape (..., depth): each row names a part along the first axes.
        updates: a value for each part.
        use_locking: not used.
        name: a name in graphs.
    """
    return _variable(ref, "scatter_nd_sub").scatter_nd_sub(indices, updates)
