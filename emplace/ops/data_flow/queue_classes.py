"""Queues as programs hold them: `tf.queue.FIFOQueue` and its kin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import md5
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...core.context import DeviceScope
from ...core.symbolic_value import specialise_on
from ...core.tensor import Tensor
from ..arguments import one_int
from ..convert import to_tensor
from ..op import Op, apply
from ..random.stateful import get_seed
from .queue_ops import (
    CLOSE,
    DEQUEUE,
    DEQUEUE_MANY,
    DEQUEUE_UP_TO,
    ENQUEUE,
    ENQUEUE_MANY,
    FIFO_QUEUE,
    IS_CLOSED,
    PADDING_QUEUE,
    PRIORITY_QUEUE,
    SELECT,
    SHUFFLE_QUEUE,
    SIZE,
    Shapes,
)


def _common(shapes: Sequence[TensorShape]) -> TensorShape:
    """What several shapes agree about."""
    found = shapes[0]
    for shape in shapes[1:]:
        found = found.most_specific_compatible_shape(shape)
    return found


class QueueBase:
    """What all queues of a program have in common (`tf.queue.QueueBase`).

    Args:
        dtypes: the type of each component of an element.
        shapes: their shapes, or () where they may differ between elements.
        names: a name for each component; elements are then dictionaries.
        queue_ref: the resource.
    """

    def __init__(
        self, dtypes: Sequence[DType], shapes: Shapes, names: Sequence[str] | None, queue_ref: Any,
        name: str = "",
    ) -> None:  # fmt: skip
        self._dtypes = list(dtypes)
        self._shapes = list(shapes) or [TensorShape(None)] * len(self._dtypes)
        self._names = None if names is None else list(names)
        self._queue_ref = queue_ref
        node = getattr(queue_ref, "op", None)
        self._full_name = name if node is None else str(node.name)
        self._name = self._full_name.split("/")[-1]

    @property
    def queue_ref(self) -> Any:
        """The resource that is the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of its operation, or the one it was made with in eager mode."""
        return self._full_name

    @property
    def dtypes(self) -> list[DType]:
        """The type of each component."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shape of each component."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The name of each component, or None."""
        return self._names

    @staticmethod
    def from_list(index: Any, queues: Sequence[Any]) -> Any:
        """One of several queues, of which is known what they have in common.

        Raises:
            TypeError: they are no queues, or have other types or names.
            InvalidArgumentError: there is no such queue.
        """
        if not queues or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        if any(queue.dtypes != queues[0].dtypes for queue in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != queues[0].names for queue in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [_common(column) for column in zip(*(q.shapes for q in queues), strict=True)]
        known = index.static_value() if hasattr(index, "static_value") else index
        if known is None:
            handles = [queue.queue_ref for queue in queues]
            handle = apply(SELECT, (to_tensor(index, dtypes.int32), *handles))
        else:
            specialise_on(index)
            place = one_int(known, "index must be a scalar, got shape {shape}")
            if not 0 <= place < len(queues):
                raise invalid_argument(f"indices = {place} is not in [0, {len(queues)})")
            handle = queues[place].queue_ref
        return QueueBase(queues[0].dtypes, tuple(shapes), queues[0].names, handle)

    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Puts one element in, and waits for room.

        Args:
            vals: a tensor, a list of them, or a dictionary where components have names.
            name: a name in graphs.

        Raises:
            ValueError: it does not fit the queue.
            CancelledError: the queue is closed.
        """
        name = name or f"{self._name}_enqueue"
        values = self._tensors(vals)
        for value, shape in zip(values, self._shapes, strict=False):
            value.shape.assert_is_compatible_with(shape)
        return apply(ENQUEUE, (self._queue_ref, *values))

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Puts the rows of tensors in, and waits for room.

        Raises:
            ValueError, CancelledError: as `enqueue`.
        """
        name = name or f"{self._name}_EnqueueMany"
        values = self._tensors(vals)
        rows: Any = None
        for value, shape in zip(values, self._shapes, strict=False):
            given = value.shape.with_rank_at_least(1)
            rows = given[:1] if rows is None else rows.merge_with(given[:1])
            given[1:].assert_is_compatible_with(shape)
        return apply(ENQUEUE_MANY, (self._queue_ref, *values))

    def _tensors(self, vals: object) -> list[Any]:
        values = self._listed(vals)
        if len(values) > len(self._dtypes):
            raise ValueError(
                f"Unable to enqueue: {len(values)} values for {len(self._dtypes)} components."
            )
        return [to_tensor(value, dtype) for value, dtype in zip(values, self._dtypes, strict=False)]

    def _listed(self, vals: object) -> list[Any]:
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  Dictionary: "
                    f"{sorted(vals)},Queue: {sorted(self._names)}"
                )
            return [vals[name] for name in self._names]
        if self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        return list(vals) if isinstance(vals, (list, tuple)) else [vals]

    def dequeue(self, name: str | None = None) -> Any:
        """Takes one element out, and waits for it.

        Returns:
            A tensor, a list of them, or a dictionary where components have names.

        Raises:
            OutOfRangeError: the queue is closed and empty.
        """
        name = name or f"{self._name}_Dequeue"
        return self._taken(apply(DEQUEUE, (self._queue_ref,), self._attrs()), ())

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Takes `n` elements out as tensors with one more dimension, and waits for them.

        Raises:
            OutOfRangeError: the queue is closed and has fewer.
            InvalidArgumentError: its components have no shapes, or `n` is below 0.
        """
        name = name or f"{self._name}_DequeueMany"
        count = to_tensor(n, dtypes.int32)
        outputs = apply(DEQUEUE_MANY, (self._queue_ref, count), self._attrs())
        known = count.static_value() if hasattr(count, "static_value") else n
        if known is not None:
            specialise_on(count)
        return self._taken(outputs, (None if known is None or known < 0 else int(known),))

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """As `dequeue_many`, but takes fewer where the queue is closed and has fewer.

        Raises:
            OutOfRangeError: the queue is closed and empty.
            InvalidArgumentError: its components have no shapes, or `n` is below 0.
        """
        name = name or f"{self._name}_DequeueUpTo"
        count = to_tensor(n, dtypes.int32)
        outputs = apply(DEQUEUE_UP_TO, (self._queue_ref, count), self._attrs())
        return self._taken(outputs, (None,))

    def _attrs(self) -> dict[str, Any]:
        return {"component_types": tuple(self._dtypes)}

    def _taken(self, outputs: Any, front: tuple[int | None, ...]) -> Any:
        values = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        for value, shape in zip(values, self._shapes, strict=True):
            value.set_shape(TensorShape(front).concatenate(shape))
        if self._names:
            return dict(zip(self._names, values, strict=True))
        return values[0] if len(values) == 1 else values

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Refuses more elements; those inside can still be taken.

        Args:
            cancel_pending_enqueues: also give up what waits to be put.
            name: a name in graphs.
        """
        name = name or f"{self._name}_Close"
        attrs = {"cancel_pending_enqueues": bool(cancel_pending_enqueues)}
        return apply(CLOSE, (self._queue_ref,), attrs)

    def size(self, name: str | None = None) -> Any:
        """How many elements it holds, as an int32 scalar."""
        name = name or f"{self._name}_Size"
        return apply(SIZE, (self._queue_ref,))

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether it is closed, as a bool scalar."""
        name = name or f"{self._name}_Is_Closed"
        return apply(IS_CLOSED, (self._queue_ref,))


def _made(record: Op, attrs: dict[str, Any]) -> Any:
    """A queue's handle; queues are on the host, whatever the device scope."""
    with DeviceScope("/device:CPU:0"):
        return apply(record, (), attrs)


def _as_types(value: object) -> tuple[DType, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(as_dtype(each) for each in value)
    return (as_dtype(value),)


def _as_shapes(shapes: Sequence[Any] | None, count: int) -> Shapes:
    if shapes is None:
        return ()
    if isinstance(shapes, TensorShape) or (count == 1 and _is_one_shape(shapes)):
        return (TensorShape(shapes),)
    return tuple(TensorShape(shape) for shape in shapes)


def _known_shapes(shapes: Sequence[Any] | None, count: int) -> Shapes:
    listed = _as_shapes(shapes, count)
    if not all(shape.is_fully_defined() for shape in listed):
        raise ValueError(f"All shapes must be fully defined: {list(listed)}")
    return listed


def _is_one_shape(shapes: Sequence[Any]) -> bool:
    return isinstance(shapes, (list, tuple)) and all(
        each is None or isinstance(each, int) for each in shapes
    )


def _as_names(names: str | Sequence[str] | None, types: Sequence[DType]) -> list[str] | None:
    if not names:
        return None
    listed = [names] if isinstance(names, str) else list(names)
    if len(listed) != len(types):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(listed)},len(dtypes)={len(types)}"
        )
    return listed


class FIFOQueue(QueueBase):
    """A queue that gives back what came first (`tf.queue.FIFOQueue`).

    Args:
        capacity: how many elements it holds; below 0 for any number.
        dtypes: the type of each component of an element.
        shapes: their shapes; None where they may differ between elements.
        names: a name for each component; elements are then dictionaries.
        shared_name: its name in errors.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: there are not as many shapes as types.
        ValueError: there are not as many names as types.

    >>> queue = FIFOQueue(2, dtypes.int32, shapes=[[]])
    >>> queue.enqueue(7)
    >>> int(queue.dequeue())
    7
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: str | Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        types = _as_types(dtypes)
        listed = _known_shapes(shapes, len(types))
        named = _as_names(names, types)
        attrs = _make_attrs(types, listed, capacity, shared_name)
        super().__init__(types, listed, named, _made(FIFO_QUEUE, attrs), name)


class PaddingFIFOQueue(QueueBase):
    """As `FIFOQueue`, but shapes may have unknown sizes, and elements taken together are filled up
    to the longest (`tf.queue.PaddingFIFOQueue`).

    Raises:
        ValueError: there are no shapes.
    """

    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any, names: str | Sequence[str] | None = None,
        shared_name: str | None = None, name: str = "padding_fifo_queue",
    ) -> None:  # fmt: skip
        types = _as_types(dtypes)
        if shapes is None:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        listed = _as_shapes(shapes, len(types))
        named = _as_names(names, types)
        attrs = _make_attrs(types, listed, capacity, shared_name)
        super().__init__(types, listed, named, _made(PADDING_QUEUE, attrs), name)


def _shuffle_seeds(seed: int | None, shared_name: str | None) -> tuple[int, int]:
    """The two seeds of a queue that shuffles, 0 for none. TF: those of a shared queue depend on
    its name, not on what was made before.
    """
    first, second = get_seed(seed)
    if first is None or second is None:
        return 0, 0
    if seed is None and shared_name is not None:
        digest = md5(f"{first}{shared_name}".encode(), usedforsecurity=False).hexdigest()
        second = int(digest[:8], 16) & 0x7FFFFFFF
    return first, second


class RandomShuffleQueue(QueueBase):
    """A queue that gives back any of its elements (`tf.queue.RandomShuffleQueue`).

    Args:
        capacity: how many elements it holds; below 0 for any number.
        min_after_dequeue: how many stay in it, to be mixed, until it is closed.
        dtypes: the type of each component of an element.
        shapes: their shapes; None where they may differ between elements.
        names: a name for each component; elements are then dictionaries.
        seed: makes the order repeatable, as a seed of the program or graph does.
        shared_name: its name in errors.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: `min_after_dequeue` is not below `capacity`.
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: str | Sequence[str] | None = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        types = _as_types(dtypes)
        listed = _known_shapes(shapes, len(types))
        named = _as_names(names, types)
        attrs = _make_attrs(types, listed, capacity, shared_name)
        first, second = _shuffle_seeds(seed, shared_name)
        attrs |= {"min_after_dequeue": min_after_dequeue, "seed": first, "seed2": second}
        super().__init__(types, listed, named, _made(SHUFFLE_QUEUE, attrs), name)


class PriorityQueue(QueueBase):
    """A queue that gives back the element with the least priority, the int64 in front of its
    components (`tf.queue.PriorityQueue`).

    Args:
        capacity: how many elements it holds; below 0 for any number.
        types: the type of each component behind the priority.
        shapes: their shapes; None where they may differ between elements.
        names: a name for each component, the priority first; elements are then dictionaries.
        shared_name: its name in errors.
        name: a name in graphs.
    """

    def __init__(
        self,
        capacity: int,
        types: DTypeLike | Sequence[DTypeLike],
        shapes: Any = None,
        names: str | Sequence[str] | None = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        own = _as_types(types)
        listed = _as_shapes(shapes, len(own))
        named = _as_names(names, own)
        attrs = _make_attrs(own, listed, capacity, shared_name)
        handle = _made(PRIORITY_QUEUE, attrs)
        whole = (TensorShape(()), *listed) if listed or not own else ()
        super().__init__((dtypes.int64, *own), whole, named, handle, name)


def _make_attrs(
    types: tuple[DType, ...], shapes: Shapes, capacity: int, shared_name: str | None
) -> dict[str, Any]:
    return {
        "component_types": types, "shapes": shapes, "capacity": capacity,
        "shared_name": shared_name or "",
    }  # fmt: skip
