"""Rows of raw ops on variables, on queues and on accumulators of gradients."""

from __future__ import annotations

from typing import Any

from ..base.dtypes import DType, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape
from ..core.tensor import EagerTensor, Tensor
from ..ops.array.gathering import gather
from ..ops.array.shaping import shape as shape_of
from ..ops.array.slicing import key_of
from ..ops.infer import nothing
from ..ops.op import Op, apply_any
from ..ops.variables.resource import (
    ASSIGN_ADD,
    ASSIGN_SLICE,
    ASSIGN_SUB,
    ASSIGN_VARIABLE,
    READ_VARIABLE,
    VAR_HANDLE,
    Storage,
)
from ..ops.variables.resource_slices import RESOURCE_GATHER
from .arrays import slice_key
from .rows import Row, composed, kernel, version


def _handle(dtype: DType, shape: TensorShape, shared_name: str, debug_name: str) -> Any:
    """A variable without a value."""
    attrs = {"dtype": dtype, "shape": shape, "shared_name": shared_name or debug_name or "variable"}
    return apply_any(VAR_HANDLE, (), attrs)


def _gathered(resource: Tensor, indices: Tensor, batch_dims: int, dtype: DType) -> Any:
    """Rows of a variable."""
    if batch_dims:
        value = apply_any(READ_VARIABLE, (resource,))
        return gather(value, indices, batch_dims=batch_dims)
    return apply_any(RESOURCE_GATHER, (resource, indices))


def _of_dtype(change: Op) -> Any:
    """An op that replaces or changes a variable's value, by one of the variable's own dtype.
    Graphs look at it themselves, for other ways to them too.
    """

    def changed(resource: Tensor, value: Tensor) -> Any:
        storage = resource._value if type(resource) is EagerTensor else None
        if isinstance(storage, Storage) and storage.dtype is not value.dtype:
            raise invalid_argument(
                "Trying to assign variable with wrong dtype. Expected "
                f"{runtime_name(storage.dtype)} got {runtime_name(value.dtype)} [Op:{change.name}]"
            )
        return apply_any(change, (resource, value))

    return changed


def _read(resource: Tensor, dtype: DType) -> Any:
    """The value of a variable, whose dtype the caller knows."""
    value = apply_any(READ_VARIABLE, (resource,))
    if value.dtype is not dtype:
        raise invalid_argument(
            f"Trying to read variable with wrong dtype. Expected {runtime_name(dtype)} got "
            f"{runtime_name(value.dtype)} [Op:ReadVariableOp] name: "
        )
    return value


def _written(ref: Tensor, value: Tensor, **bounds: Any) -> Any:
    return apply_any(ASSIGN_SLICE, (ref, value), {"key": key_of(slice_key(bounds))})


def _no_more_kernel(resource: Storage) -> None:
    """Forgets the value."""
    with resource.lock:
        resource.value = None


def _shape(input: Tensor, out_type: DType) -> Any:
    return shape_of(apply_any(READ_VARIABLE, (input,)), out_type)


_OWN = "container shared_name"


def _scatter(name: str) -> Row:
    return version(name, ignored="use_locking", fixed="bad_indices_policy")


ROWS: dict[str, Row] = {
    "AssignAddVariableOp": composed(_of_dtype(ASSIGN_ADD)),
    "AssignSubVariableOp": composed(_of_dtype(ASSIGN_SUB)),
    "AssignVariableOp": composed(_of_dtype(ASSIGN_VARIABLE), ignored="validate_shape"),
    "DestroyResourceOp": kernel(_no_more_kernel, nothing, ignored="ignore_lookup_error"),
    "DisableCopyOnRead": kernel(lambda resource: None, nothing),
    "FIFOQueueV2": version("FIFOQueueV2", ignored=_OWN),
    "PaddingFIFOQueueV2": version("PaddingFIFOQueueV2", ignored=_OWN),
    "PriorityQueueV2": version("PriorityQueueV2", ignored=_OWN),
    "QueueCloseV2": version("QueueCloseV2"),
    "QueueDequeueManyV2": version("QueueDequeueManyV2", fixed="timeout_ms"),
    "QueueDequeueUpToV2": version("QueueDequeueUpToV2", fixed="timeout_ms"),
    "QueueDequeueV2": version("QueueDequeueV2", fixed="timeout_ms"),
    "QueueEnqueueManyV2": version("QueueEnqueueManyV2", fixed="timeout_ms"),
    "QueueEnqueueV2": version("QueueEnqueueV2", fixed="timeout_ms"),
    "QueueIsClosedV2": version("QueueIsClosedV2"),
    "QueueSizeV2": version("QueueSizeV2"),
    "RandomShuffleQueueV2": version("RandomShuffleQueueV2", ignored=_OWN),
    "ReadVariableOp": composed(_read),
    "ResourceAccumulatorApplyGradient": version("ResourceAccumulatorApplyGradient"),
    "ResourceAccumulatorNumAccumulated": version("ResourceAccumulatorNumAccumulated"),
    "ResourceAccumulatorSetGlobalStep": version("ResourceAccumulatorSetGlobalStep"),
    "ResourceAccumulatorTakeGradient": version("ResourceAccumulatorTakeGradient"),
    "ResourceConditionalAccumulator": version("ResourceConditionalAccumulator", ignored=_OWN),
    "ResourceCountUpTo": version("ResourceCountUpTo"),
    "ResourceGather": composed(_gathered, ignored="validate_indices"),
    "ResourceScatterNdAdd": _scatter("ResourceScatterNdAdd"),
    "ResourceScatterNdMax": _scatter("ResourceScatterNdMax"),
    "ResourceScatterNdMin": _scatter("ResourceScatterNdMin"),
    "ResourceScatterNdSub": _scatter("ResourceScatterNdSub"),
    "ResourceScatterNdUpdate": _scatter("ResourceScatterNdUpdate"),
    "ResourceStridedSliceAssign": composed(_written, host="begin end strides"),
    "VarHandleOp": composed(_handle, ignored="allowed_devices container"),
    "VariableShape": composed(_shape),
}
