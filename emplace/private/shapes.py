"""What `tensorflow.python.framework.tensor_shape` and its neighbours have beside public names."""

from __future__ import annotations

from typing import Any

from ..base.dimensions import Dimension
from ..base.shapes import TensorShape as TensorShape
from ..base.typing import ShapeLike
from ..core.tensor import Tensor
from ..eager.variable import Variable
from ..ops.array.shaping import get_static_value


def as_shape(shape: ShapeLike | None) -> TensorShape:
    """Returns a shape."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def as_dimension(value: Any) -> Dimension:
    """Returns a dimension of TF 1."""
    return value if isinstance(value, Dimension) else Dimension(value)


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """Returns a shape whose sizes are not known."""
    ndims = kwargs.pop("ndims", rank)
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
    return TensorShape(None if ndims is None else [None] * ndims)


def scalar() -> TensorShape:
    """Returns the shape of a number."""
    return TensorShape([])


def vector(length: int) -> TensorShape:
    """Returns the shape of a vector."""
    return TensorShape([length])


def matrix(rows: int, cols: int) -> TensorShape:
    """Returns the shape of a matrix."""
    return TensorShape([rows, cols])


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Returns what is known of a tensor of sizes, as a shape."""
    if isinstance(tensor, Variable):  # which may change
        return TensorShape([None] * tensor.shape[0])
    if not isinstance(tensor, Tensor):
        return TensorShape([None if size < 0 else int(size) for size in tensor])
    value = get_static_value(tensor)
    if value is not None:
        if not value.ndim:
            return TensorShape(None)
        return TensorShape([None if size < 0 else int(size) for size in value])
    sizes = tensor.partial_value()
    if sizes is not None:
        return TensorShape(sizes)
    length = tensor.shape[0] if tensor.shape.rank else None
    return TensorShape(None if length is None else [None] * int(length))


def smart_constant_value(pred: Any) -> bool | None:
    """Returns a condition whose value is known as a bool, None for another one."""
    if isinstance(pred, Tensor):
        value = get_static_value(pred)
        return None if value is None else bool(value)
    if pred in (True, False):
        return bool(pred)
    raise TypeError(
        "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: "
        f"pred={pred} of type {type(pred).__name__}"
    )
