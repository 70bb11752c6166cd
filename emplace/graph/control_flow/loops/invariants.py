"""The shapes that hold in every iteration of a loop (`shape_invariants` of `tf.while_loop`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....base import nest
from ....base.shapes import Dims, TensorShape
from ....base.typing import Structure
from ....core.composite import CompositeTensor
from ....core.ragged import RaggedTensor
from ....core.tensor_spec import TensorSpec
from ....core.type_spec import TypeSpec
from ....ops.infer import Spec
from ....ops.ragged.spec import RaggedTensorSpec
from ....ops.sparse.tensor import SparseTensor, SparseTensorSpec
from ....ops.variables.indexed_slices import IndexedSlices
from ...recording.ragged_arguments import ragged_among


def invariant_specs(values: Sequence[Any], invariants: Any, structure: Structure) -> list[Spec]:
    """What holds of each loop variable, those that composites are made of one by one.

    Args:
        values: the symbolic tensors that enter the loop.
        invariants: a shape or a spec for each loop variable; None if no shape changes.
        structure: the loop variables as the program gave them.

    Raises:
        TypeError: an invariant is no shape, or a spec of something else.
        ValueError: a shape is not that of the loop variable, or is a list.
    """
    if invariants is None:
        specs = [x.spec for x in values]
        for place, parts in ragged_among(structure).items():
            specs[place : place + len(parts)] = [Spec(dims, dtype) for dtype, dims in parts]
        return specs
    is_nested = nest.is_nested(structure)
    leaves = nest.flatten(structure) if is_nested else [structure]
    wanted = nest.flatten_up_to(structure, invariants) if is_nested else [invariants]
    specs, remaining = [], iter(values)
    for leaf, invariant in zip(leaves, wanted, strict=True):
        parts = [next(remaining) for _ in nest.flatten(leaf, expand_composites=True)]
        specs += _specs(leaf, parts, invariant)
    return specs


def _specs(leaf: object, parts: list[Any], invariant: object) -> list[Spec]:
    is_spec = isinstance(invariant, TypeSpec)
    if invariant is None:  # the shape of the loop variable holds
        return [x.spec for x in parts]
    if isinstance(invariant, (tuple, list)):
        raise ValueError(
            "The two structures don't have the same nested structure. A shape invariant is a "
            f"TensorShape or a TypeSpec. Received: {invariant!r}"
        )
    if not is_spec and not isinstance(invariant, TensorShape):
        raise TypeError(
            f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(invariant)}"
        )
    if is_spec and not _is_of(invariant, leaf, parts):
        raise TypeError(
            f"TypeSpec {invariant} is not compatible with "
            f"{(parts[0] if len(parts) == 1 else leaf)!r}"
        )
    if not isinstance(leaf, CompositeTensor) or (not is_spec and len(parts) == 1):
        return [_spec(x, getattr(invariant, "shape", invariant)) for x in parts]
    dims = _component_dims(leaf, invariant)
    if dims is None:
        return [x.spec for x in parts]
    return [_spec(x, wanted) for x, wanted in zip(parts, dims, strict=True)]


def _is_of(spec: Any, leaf: Any, parts: list[Any]) -> bool:
    if isinstance(leaf, CompositeTensor):
        return bool(spec.is_compatible_with(leaf))
    x = parts[0]
    return (
        isinstance(spec, TensorSpec)
        and spec.dtype is x.dtype
        and spec.shape.is_compatible_with(x.shape)
    )


def _component_dims(leaf: Any, invariant: Any) -> list[Dims | None] | None:
    """The sizes of the tensors that a composite is made of; None where nobody can tell."""
    spec = invariant
    if not isinstance(invariant, TypeSpec):
        spec = _spec_of(leaf, TensorShape(invariant))
    if isinstance(spec, TensorShape):  # of slices
        dims = spec.sizes
        rows = None if dims is None else dims[:1]
        parts = [leaf.values, leaf.indices, leaf.dense_shape]
        sizes: list[Dims | None] = [dims, rows, None if dims is None else (len(dims),)]
        return [each for part, each in zip(parts, sizes, strict=True) if part is not None]
    if not hasattr(spec, "components"):
        return None
    return [each.shape.sizes for each in spec.components()]


def _spec_of(leaf: object, shape: TensorShape) -> Any:
    if isinstance(leaf, SparseTensor):
        if not shape.is_compatible_with(leaf.shape):
            raise ValueError(f"Shapes {leaf.shape} and {shape} are not compatible")
        return SparseTensorSpec(shape, leaf.dtype)
    if isinstance(leaf, RaggedTensor):
        if not shape.is_compatible_with(leaf.shape):
            raise ValueError(f"Shapes {leaf.shape} and {shape} are not compatible")
        return RaggedTensorSpec(shape, leaf.dtype, leaf.ragged_rank, leaf.row_splits.dtype)
    return shape if isinstance(leaf, IndexedSlices) else None


def _spec(x: Any, shape: Any) -> Spec:
    wanted = TensorShape(shape)
    if not wanted.is_compatible_with(x.shape):
        raise ValueError(
            f"The shape invariant specified for {x.name} is not compatible with the initial "
            f"shape of the loop variable. It enters the loop with shape {x.shape}, but the "
            f"specified shape invariant is {wanted}."
        )
    return Spec(wanted.sizes, x.dtype)
