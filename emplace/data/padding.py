"""What `padded_batch` is asked for: the shapes that elements are filled up to, and with what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.dtypes import DType
from ..base.shapes import Dims, TensorShape
from ..core.later import used_up
from ..core.tensor import Tensor
from ..core.tensor_spec import TensorSpec
from ..ops.convert import to_tensor
from . import nesting
from .structure import Structure, one_tensor, to_element


def filled_shapes(structure: Structure, shapes: Any) -> tuple[list[Any], Structure]:
    """The shape that each component is filled up to, as tensors in which -1 is the longest, and
    the structure of elements of these shapes.

    Args:
        structure: of the elements.
        shapes: what the program gave: a structure of shapes, or None for the elements' own.

    Raises:
        TypeError: an element has parts that are no tensors.
        ValueError: a shape does not fit.
    """
    for _, spec in structure.leaves:
        if not isinstance(spec, TensorSpec):
            raise TypeError(f"`padded_batch` is only supported for tensors, got {spec!r}.")
    own = [each.dims for each in structure.components]
    given = own if shapes is None else nesting.leaves_up_to(structure.spec, shapes)
    tensors, dims = [], []
    for shape, mine in zip(given, own, strict=True):
        tensor, size = _shape(shape, mine)
        tensors.append(tensor)
        dims.append(size)
    specs = [TensorSpec(d, c.dtype) for d, c in zip(dims, structure.components, strict=True)]
    return tensors, Structure(nesting.pack_as(structure.spec, specs))


def _shape(shape: Any, own: Dims | None) -> tuple[Any, Dims]:
    if isinstance(shape, Tensor):
        return shape, _of_tensor(shape)
    if shape is None or (isinstance(shape, TensorShape) and shape.rank is None):
        raise ValueError(
            f"You must provide `padded_shapes` argument because component has unknown rank {shape}."
        )
    listed = shape.as_list() if isinstance(shape, TensorShape) else list(np.atleast_1d(shape))
    dims = tuple(None if size is None or int(size) < 0 else int(size) for size in listed)
    if own is not None and not _may_hold(dims, own):
        raise ValueError(
            f"The padded shape {_tuple(dims)} is not compatible with the shape {_tuple(own)} of "
            "the corresponding input component."
        )
    raw = np.array([-1 if size is None else size for size in dims], np.int64)
    return to_element(raw), dims


def _of_tensor(shape: Any) -> Dims:
    value = shape.static_value()
    if value is None:
        return (None,) * (shape.shape[0] or 0)
    used_up(shape)
    return tuple(None if size < 0 else int(size) for size in value.tolist())


def _may_hold(dims: Dims, own: Dims) -> bool:
    return len(dims) == len(own) and all(
        size is None or mine is None or size >= mine for size, mine in zip(dims, own, strict=True)
    )


def _tuple(dims: Dims) -> str:
    return str(TensorShape(dims))


def fillers(structure: Structure, values: Any) -> list[Any]:
    """What each component is filled with, as tensors.

    Args:
        structure: of the elements.
        values: what the program gave: one value for all, a structure of values, in which None is
            the usual one, or None: zeros and empty texts.

    Raises:
        TypeError: a value has another type than its component.
        ValueError: it is no scalar.
    """
    components = structure.components
    if values is None or (nesting.is_nested(structure.spec) and not nesting.is_nested(values)):
        given: Sequence[Any] = [values] * len(components)
    else:
        given = nesting.leaves_up_to(structure.spec, values)
    return [_filler(value, each.dtype) for value, each in zip(given, components, strict=True)]


def _filler(value: Any, dtype: DType) -> Any:
    if value is None:
        value = "" if dtype is dtypes.string else np.zeros((), dtype.as_numpy_dtype)
    tensor = one_tensor(value)
    if tensor.shape.rank not in (0, None):
        raise ValueError(
            "Invalid `padding_values`. `padding_values` values should be scalars, but got "
            f"{tensor.shape}."
        )
    if tensor.dtype is not dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match "
            f"type {dtype} of the corresponding input component."
        )
    return to_tensor(tensor)
