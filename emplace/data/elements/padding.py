"""What `padded_batch` is asked for: the shapes that elements are filled up to, and with what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType
from ...base.shapes import Dims, TensorShape
from ...base.typing import ShapeLike, TensorLike
from ...core.symbolic_value import specialise_on
from ...core.tensor import EagerTensor, Tensor
from ...core.tensor_spec import TensorSpec
from ...ops.array.shaping import reshape
from ...ops.convert import to_tensor
from . import nesting
from .structure import Structure, one_tensor, to_element


def filled_shapes(
    structure: Structure, shapes: Sequence[Any] | None
) -> tuple[list[Any], Structure]:
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
        if hasattr(spec, "element_spec"):
            raise TypeError("`padded_batch` is not supported for datasets of datasets")
        if not isinstance(spec, TensorSpec):
            raise TypeError(
                "`padded_batch` is only supported for datasets that produce tensor elements but "
                "type spec of elements in the input dataset is not a subclass of TensorSpec: "
                f"`{spec!r}`."
            )
    own = [component.dims for component in structure.components]
    padded_shapes = own if shapes is None else nesting.leaves_up_to(structure.spec, shapes)
    tensors, dims = [], []
    for i, (shape, mine) in enumerate(zip(padded_shapes, own, strict=True)):
        tensor, size = _shape(i, shape, mine)
        if mine is not None and not _may_hold(size, mine):
            raise ValueError(
                f"The padded shape {_tuple(size)} is not compatible with the shape {_tuple(mine)} "
                "of the corresponding input component."
            )
        tensors.append(tensor)
        dims.append(size)
    specs = [TensorSpec(d, c.dtype) for d, c in zip(dims, structure.components, strict=True)]
    return tensors, Structure(nesting.pack_as(structure.spec, specs))


def _shape(place: int, shape: Sequence[Any], own: Dims | None) -> tuple[Any, Dims]:
    """The shape that a component is filled up to, as a vector, and what is known of it."""
    if isinstance(shape, Tensor):
        return _of_tensor(shape, own)
    if shape is None or (isinstance(shape, TensorShape) and shape.rank is None):
        raise ValueError(
            f"You must provide `padded_shapes` argument because component {place} has unknown rank."
        )
    listed = shape.as_list() if isinstance(shape, TensorShape) else np.atleast_1d(shape).tolist()
    for size in listed:
        if not isinstance(size, int | None):
            _check_vector(shape, to_tensor(shape))
        if size is not None and size < -1:
            raise ValueError(f"Dimension {size} must be >= 0")
    dims = tuple(None if size is None or size < 0 else int(size) for size in listed)
    raw = np.array([-1 if size is None else size for size in dims], np.int64)
    return to_element(raw), dims


def _check_vector(shape: ShapeLike | None, tensor: Any) -> None:
    """Raises TensorFlow's error unless a tensor is a vector of integers."""
    shown = shape.numpy().tolist() if isinstance(shape, EagerTensor) else shape
    wanted = f"Padded shape {shown} must be a `tf.int64` vector tensor, but its"
    if tensor.dtype not in dtypes.INDICES:
        raise TypeError(f"{wanted} element type was {tensor.dtype.name}.")
    if tensor.shape.rank not in (None, 0, 1):
        raise ValueError(f"{wanted} shape was {tensor.shape}.")


def _of_tensor(shape: Any, own: Dims | None) -> tuple[Any, Dims]:
    _check_vector(shape, shape)
    if shape.shape.rank == 0:
        shape = reshape(shape, [1])
    value = shape.static_value()
    if value is None:
        rank = shape.shape[0] if shape.shape.rank else None
        return shape, (None,) * (len(own or ()) if rank is None else rank)
    specialise_on(shape)
    for size in value.tolist():
        if size < -1 and isinstance(shape, EagerTensor):  # a graph's is looked at when it runs
            raise ValueError(f"Dimension {size} must be >= 0")
    return shape, tuple(None if size < 0 else int(size) for size in value.tolist())


def _may_hold(dims: Dims, own: Dims) -> bool:
    return len(dims) == len(own) and all(
        size is None or mine is None or size >= mine for size, mine in zip(dims, own, strict=True)
    )


def _tuple(dims: Dims) -> str:
    return str(TensorShape(dims))


def fillers(structure: Structure, values: TensorLike | None) -> list[Any]:
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
    if nesting.is_nested(structure.spec) and not nesting.is_nested(values):
        given: Sequence[Any] = [values] * len(components)
    else:
        given = nesting.leaves_up_to(structure.spec, _spread(structure.spec, values))
    return [_filler(value, each.dtype) for value, each in zip(given, components, strict=True)]


def _spread(spec: Any, values: Any) -> Any:
    """The values, with a None for each leaf of what None stands for."""
    if values is None:
        return nesting.map_leaves(lambda leaf: None, spec)
    fits = nesting.is_nested(spec) and nesting.is_nested(values)
    theirs, mine = nesting.parts_of(values) if fits else [], nesting.parts_of(spec) if fits else []
    if not fits or len(mine) != len(theirs):
        return values
    parts = [_spread(each, value) for each, value in zip(mine, theirs, strict=True)]
    return nesting.rebuilt(values, parts)


def _filler(value: TensorLike | None, dtype: DType) -> Tensor:
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
