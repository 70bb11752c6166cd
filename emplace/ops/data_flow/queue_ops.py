"""The ops on queues, and `tf.queue`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...core.tensor import kept
from .. import infer
from ..infer import Spec
from ..op import CPU_ONLY, op
from .queues import HostQueue, PaddingQueue, ShuffleQueue, SortedQueue

Shapes = tuple[TensorShape, ...]


def _checked(types: Sequence[DType], shapes: Shapes) -> None:
    if shapes and len(shapes) != len(types):
        names = ", ".join(dtypes.runtime_name(each) for each in types)
        listed = ", ".join(str(shape.as_list()).replace(" ", "") for shape in shapes)
        raise invalid_argument(
            f"Different number of component types.  Types: {names}, Shapes: [{listed}]"
        )


def fifo_queue_kernel(
    *, component_types: tuple[DType, ...], shapes: Shapes = (), capacity: int = -1,
    container: str = "", shared_name: str = "",
) -> HostQueue:  # fmt: skip
    """A new queue."""
    _checked(component_types, shapes)
    return HostQueue(capacity, component_types, shapes, shared_name)


def padding_queue_kernel(
    *, component_types: tuple[DType, ...], shapes: Shapes = (), capacity: int = -1,
    container: str = "", shared_name: str = "",
) -> HostQueue:  # fmt: skip
    """A new queue that pads."""
    _checked(component_types, shapes)
    return PaddingQueue(capacity, component_types, shapes, shared_name)


def shuffle_queue_kernel(
    *, component_types: tuple[DType, ...], shapes: Shapes = (), capacity: int = -1,
    min_after_dequeue: int = 0, seed: int = 0, seed2: int = 0, container: str = "",
    shared_name: str = "",
) -> HostQueue:  # fmt: skip
    """A new queue that shuffles."""
    _checked(component_types, shapes)
    seeds = (seed, seed2) if seed or seed2 else None
    return ShuffleQueue(capacity, component_types, shapes, shared_name, min_after_dequeue, seeds)


def priority_queue_kernel(
    *, shapes: Shapes, component_types: tuple[DType, ...] = (), capacity: int = -1,
    container: str = "", shared_name: str = "",
) -> HostQueue:  # fmt: skip
    """A new queue that sorts by its first component, of type int64."""
    types = (dtypes.int64, *component_types)
    all_shapes = (TensorShape(()), *shapes) if shapes or not component_types else ()
    return SortedQueue(capacity, types, all_shapes, shared_name)


def _handle_spec(**attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


_MAKE = "-> handle: resource"
FIFO_QUEUE = op(
    "FIFOQueueV2",
    _MAKE,
    fifo_queue_kernel,
    _handle_spec,
    device_types=CPU_ONLY,
    stateful=True,
    is_session_resource=True,
)
PADDING_QUEUE = op(
    "PaddingFIFOQueueV2", _MAKE, padding_queue_kernel, _handle_spec, device_types=CPU_ONLY,
    stateful=True,
    is_session_resource=True,
)  # fmt: skip
SHUFFLE_QUEUE = op(
    "RandomShuffleQueueV2", _MAKE, shuffle_queue_kernel, _handle_spec, device_types=CPU_ONLY,
    stateful=True,
    is_session_resource=True,
)  # fmt: skip
PRIORITY_QUEUE = op(
    "PriorityQueueV2", _MAKE, priority_queue_kernel, _handle_spec, device_types=CPU_ONLY,
    stateful=True,
    is_session_resource=True,
)  # fmt: skip


def enqueue_kernel(handle: HostQueue, *components: Any, timeout_ms: int = -1) -> None:
    """Puts one element in."""
    handle.check(components)
    handle.put([tuple(map(kept, components))])


def enqueue_many_kernel(handle: HostQueue, *components: Any, timeout_ms: int = -1) -> None:
    """Puts the rows of tensors in."""
    handle.check(components, is_many=True)
    components = tuple(map(kept, components))
    handle.put([_row(components, i) for i in range(components[0].shape[0])])


def _row(components: Sequence[Any], i: int) -> tuple[Any, ...]:
    return tuple(
        np.asarray(value[i], object) if isinstance(value, np.ndarray) else value[i]
        for value in components
    )


def dequeue_kernel(
    handle: HostQueue, *, component_types: tuple[DType, ...], timeout_ms: int = -1
) -> Any:
    """Takes one element out."""
    return handle.take(1)[0]


def dequeue_many_kernel(
    handle: HostQueue, n: torch.Tensor, *, component_types: tuple[DType, ...], timeout_ms: int = -1
) -> Any:
    """Takes elements out."""
    return _several(handle, n, "DequeueManyOp", or_less=False)


def dequeue_up_to_kernel(
    handle: HostQueue, n: torch.Tensor, *, component_types: tuple[DType, ...], timeout_ms: int = -1
) -> Any:
    """Takes elements out, fewer at the end."""
    return _several(handle, n, "DequeueUpToOp", or_less=True)


def _several(handle: HostQueue, n: torch.Tensor, who: str, or_less: bool) -> Any:
    count = int(n)
    if count < 0:
        raise invalid_argument(f"{who} requested {count} < 0 elements")
    if not handle.shapes:
        raise invalid_argument(
            f"{handle.kind}'s DequeueMany and DequeueUpTo require the components to have specified "
            "shapes."
        )
    return handle.joined(handle.take(count, or_less))


def _taken_spec(
    handle: Spec, *counts: Spec, component_types: tuple[DType, ...], timeout_ms: int = -1
) -> tuple[Spec, ...]:
    return tuple(Spec(None, dtype) for dtype in component_types)


ENQUEUE = op(
    "QueueEnqueueV2", "handle: resource, components: N * any ->", enqueue_kernel, infer.nothing,
    device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip
ENQUEUE_MANY = op(
    "QueueEnqueueManyV2", "handle: resource, components: N * any ->", enqueue_many_kernel,
    infer.nothing, device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip
DEQUEUE = op(
    "QueueDequeueV2", "handle: resource -> components: N * any", dequeue_kernel, _taken_spec,
    device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip
DEQUEUE_MANY = op(
    "QueueDequeueManyV2", "handle: resource, n: int32 -> components: N * any",
    dequeue_many_kernel, _taken_spec, device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip
DEQUEUE_UP_TO = op(
    "QueueDequeueUpToV2", "handle: resource, n: int32 -> components: N * any",
    dequeue_up_to_kernel, _taken_spec, device_types=CPU_ONLY, stateful=True, is_blocking=True,
)  # fmt: skip


def close_kernel(handle: HostQueue, *, cancel_pending_enqueues: bool = False) -> None:
    """Closes a queue."""
    handle.close(cancel_pending_enqueues)


def size_kernel(handle: HostQueue) -> torch.Tensor:
    """How many elements a queue holds."""
    return torch.tensor(handle.size(), dtype=torch.int32)


def is_closed_kernel(handle: HostQueue) -> torch.Tensor:
    """Whether a queue is closed."""
    return torch.tensor(handle.is_closed)


def _scalar(dtype: DType) -> Any:
    def rule(handle: Spec) -> Spec:
        return Spec((), dtype)

    return rule


CLOSE = op(
    "QueueCloseV2",
    "handle: resource ->",
    close_kernel,
    infer.nothing,
    device_types=CPU_ONLY,
    stateful=True,
)
SIZE = op(
    "QueueSizeV2", "handle: resource -> size: int32", size_kernel, _scalar(dtypes.int32),
    device_types=CPU_ONLY, stateful=True,
)  # fmt: skip
IS_CLOSED = op(
    "QueueIsClosedV2", "handle: resource -> is_closed: bool", is_closed_kernel,
    _scalar(dtypes.bool_), device_types=CPU_ONLY, stateful=True,
)  # fmt: skip


def select_kernel(index: torch.Tensor, *queues: HostQueue) -> HostQueue:
    """One of several queues."""
    if not 0 <= int(index) < len(queues):
        raise invalid_argument(f"indices = {int(index)} is not in [0, {len(queues)})")
    return queues[int(index)]


SELECT = op(
    "_SelectQueue", "index: int32, queues: N * resource -> handle: resource", select_kernel,
    lambda *given: Spec((), dtypes.resource), device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
