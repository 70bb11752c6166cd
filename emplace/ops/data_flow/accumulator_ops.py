"""The ops on accumulators of gradients. Each runs on the host, and those that take may wait."""

from __future__ import annotations

from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from .. import infer
from ..infer import Spec
from ..op import CPU_ONLY, op
from .accumulators import Accumulator, DenseAccumulator, SparseAccumulator

_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64)


def _check(dtype: DType, reduction_type: str) -> bool:
    """Whether it is a mean; raises InvalidArgumentError for what TensorFlow has no kernel for."""
    if dtype not in _TYPES:
        raise invalid_argument(
            "No OpKernel was registered: accumulators add up half, float and double, got "
            f"{runtime_name(dtype)}."
        )
    if reduction_type not in ("MEAN", "SUM"):
        raise invalid_argument(
            f'Attr reduction_type must be "MEAN" or "SUM", got {reduction_type!r}.'
        )
    return reduction_type == "MEAN"


def dense_kernel(
    *, dtype: DType, shape: TensorShape, container: str = "", shared_name: str = "",
    reduction_type: str = "MEAN",
) -> DenseAccumulator:  # fmt: skip
    """A new accumulator of tensors."""
    return DenseAccumulator(dtype, shape, _check(dtype, reduction_type))


def sparse_kernel(
    *, dtype: DType, shape: TensorShape, container: str = "", shared_name: str = "",
    reduction_type: str = "MEAN",
) -> SparseAccumulator:  # fmt: skip
    """A new accumulator of rows."""
    return SparseAccumulator(dtype, shape, _check(dtype, reduction_type))


def apply_kernel(handle: DenseAccumulator, local_step: torch.Tensor, gradient: Any) -> None:
    """Adds a gradient."""
    handle.add(int(local_step), gradient)


def apply_sparse_kernel(
    handle: SparseAccumulator, local_step: torch.Tensor, gradient_indices: torch.Tensor,
    gradient_values: torch.Tensor, gradient_shape: torch.Tensor, *, has_known_shape: bool,
) -> None:  # fmt: skip
    """Adds rows."""
    dims = tuple(gradient_shape.tolist()) if has_known_shape else None
    handle.add(int(local_step), gradient_indices, gradient_values, dims)


def count_kernel(handle: Accumulator) -> torch.Tensor:
    """How many gradients are in it."""
    return torch.tensor(handle.count, dtype=torch.int32)


def set_step_kernel(handle: Accumulator, new_global_step: torch.Tensor) -> None:
    """Sets the time step."""
    handle.set_step(int(new_global_step))


def take_kernel(handle: Accumulator, num_required: torch.Tensor, *, dtype: DType) -> Any:
    """Waits for gradients, and takes their sum or mean."""
    return handle.take(int(num_required))


def _handle(**attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


def _taken(handle: Spec, num_required: Spec, dtype: DType) -> Spec:
    return Spec(None, dtype)


def _taken_rows(handle: Spec, num_required: Spec, dtype: DType) -> tuple[Spec, ...]:
    return Spec((None,), dtypes.int64), Spec(None, dtype), Spec((None,), dtypes.int64)


_OPTIONS: dict[str, Any] = {"device_types": CPU_ONLY, "stateful": True}
_KEPT = {**_OPTIONS, "is_session_resource": True}
_OURS = {**_OPTIONS, "is_listed": False}  # TF: their handles are references

DENSE = op("ResourceConditionalAccumulator", "-> handle: resource", dense_kernel, _handle, **_KEPT)
SPARSE = op(
    "SparseConditionalAccumulator", "-> handle: resource", sparse_kernel, _handle,
    is_listed=False, **_KEPT,
)  # fmt: skip
APPLY = op(
    "ResourceAccumulatorApplyGradient", "handle: resource, local_step: int64, gradient: dtype ->",
    apply_kernel, infer.nothing, dtype=dtypes.FLOATS, **_OPTIONS,
)  # fmt: skip
APPLY_SPARSE = op(
    "SparseAccumulatorApplyGradient",
    "handle: resource, local_step: int64, gradient_indices: int64, gradient_values: dtype, "
    "gradient_shape: int64 ->",
    apply_sparse_kernel, infer.nothing, dtype=dtypes.FLOATS, **_OURS,
)  # fmt: skip
COUNT = op(
    "ResourceAccumulatorNumAccumulated", "handle: resource -> num_accumulated: int32",
    count_kernel, lambda handle: Spec((), dtypes.int32), **_OPTIONS,
)  # fmt: skip
SET_STEP = op(
    "ResourceAccumulatorSetGlobalStep", "handle: resource, new_global_step: int64 ->",
    set_step_kernel, infer.nothing, **_OPTIONS,
)  # fmt: skip
TAKE = op(
    "ResourceAccumulatorTakeGradient", "handle: resource, num_required: int32 -> average: dtype",
    take_kernel, _taken, is_blocking=True, **_OPTIONS,
)  # fmt: skip
TAKE_SPARSE = op(
    "SparseAccumulatorTakeGradient",
    "handle: resource, num_required: int32 -> indices: int64, values: dtype, shape: int64",
    take_kernel, _taken_rows, is_blocking=True, **_OURS,
)  # fmt: skip
