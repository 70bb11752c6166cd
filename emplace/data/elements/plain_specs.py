"""Specs of elements as plain values, for files."""

from __future__ import annotations

from typing import Any

from ...core.tensor_spec import TensorSpec
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensorSpec
from .structure import NoneTensorSpec


def spec_to(spec: Any) -> Any:
    """A spec as plain values.

    Raises:
        TypeError: files cannot hold such elements.
    """
    if isinstance(spec, dict):
        return {"dict": {name: spec_to(each) for name, each in spec.items()}}
    if isinstance(spec, tuple):
        return {"tuple": [spec_to(each) for each in spec]}
    if isinstance(spec, NoneTensorSpec):
        return {"none": True}
    shape = None if spec.shape.rank is None else spec.shape.as_list()
    if isinstance(spec, TensorSpec):
        return {"tensor": [shape, spec.dtype.name]}
    if isinstance(spec, SparseTensorSpec):
        return {"sparse": [shape, spec.dtype.name]}
    if isinstance(spec, RaggedTensorSpec):
        return {"ragged": [shape, spec.dtype.name, spec.ragged_rank, spec.row_splits_dtype.name]}
    raise TypeError(f"Elements of {spec!r} cannot be saved.")


def spec_from(plain: Any) -> Any:
    """A spec of plain values."""
    ((kind, value),) = plain.items()
    if kind == "dict":
        return {name: spec_from(each) for name, each in value.items()}
    if kind == "tuple":
        return tuple(spec_from(each) for each in value)
    if kind == "tensor":
        return TensorSpec(*value)
    if kind == "sparse":
        return SparseTensorSpec(*value)
    return RaggedTensorSpec(*value) if kind == "ragged" else NoneTensorSpec()
