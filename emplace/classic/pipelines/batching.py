"""Batches of single examples, by way of queues that threads fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, IntLike, TensorLike
from ...core.composite import CompositeTensor
from ...core.symbolic_value import specialise_on
from ...graph.control_flow.v1 import cond_v1
from ...graph.recording.scopes import control_dependencies
from ...ops.array.gathering import boolean_mask
from ...ops.convert import to_tensor
from ...ops.data_flow.queue_classes import (
    FIFOQueue,
    PaddingFIFOQueue,
    QueueBase,
    RandomShuffleQueue,
)
from ..scopes.op_names import inside, named
from .batching_sparse import ROW_SHAPE, SparseColumn, as_row, from_rows, joined_columns
from .producers import refuse_eager, tell_fullness
from .queue_runner import QueueRunner, add_queue_runner


def batch(
    tensors: TensorLike, batch_size: IntLike, num_threads: int = 1, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Examples in batches (`tf.train.batch`). Threads evaluate `tensors` and fill a queue.

    Args:
        tensors: one example: a list or a dictionary of tensors.
        batch_size: how many make a batch.
        num_threads: how many threads evaluate examples; with more than one their order is lost.
        capacity: how many examples wait at most.
        enqueue_many: whether `tensors` are many examples, along their first axis.
        shapes: the shape of each example; that of the tensors if None.
        dynamic_pad: whether examples are filled up to the longest of their batch.
        allow_smaller_final_batch: whether the last batch may be smaller.
        shared_name: under which sessions share the queue.
        name: a name for the operations.

    Returns:
        Tensors with one more axis in front, in the structure of `tensors`.

    Raises:
        RuntimeError: eager mode.
        ValueError: there are no tensors, or shapes are not known.
    """
    return _plan_batch(
        "batch", [tensors], batch_size, True, num_threads, _fifo(dynamic_pad, capacity),
        enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_batch(
    tensors: TensorLike,
    keep_input: Any,
    batch_size: IntLike,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of the examples for which `keep_input`, a bool tensor, is true
    (`tf.train.maybe_batch`). With `enqueue_many` it may be a vector.
    """
    return _plan_batch(
        "batch", [tensors], batch_size, keep_input, num_threads, _fifo(dynamic_pad, capacity),
        enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def batch_join(
    tensors_list: Any, batch_size: IntLike, capacity: int = 32, enqueue_many: bool = False,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """As `batch`, with a thread for each of `tensors_list` (`tf.train.batch_join`)."""
    return _plan_batch(
        "batch_join", tensors_list, batch_size, True, 1, _fifo(dynamic_pad, capacity),
        enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_batch_join(
    tensors_list: Any, keep_input: Any, batch_size: IntLike, capacity: int = 32,
    enqueue_many: bool = False, shapes: Any = None, dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """As `batch_join`, of the examples for which `keep_input` is true
    (`tf.train.maybe_batch_join`).
    """
    return _plan_batch(
        "batch_join", tensors_list, batch_size, keep_input, 1, _fifo(dynamic_pad, capacity),
        enqueue_many, shapes, allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def shuffle_batch(
    tensors: TensorLike,
    batch_size: IntLike,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of examples in a random order (`tf.train.shuffle_batch`).

    Args:
        tensors, batch_size, num_threads, enqueue_many, shapes: see `batch`.
        capacity: how many examples wait at most.
        min_after_dequeue: how many stay behind to be mixed.
        seed: makes the order repeatable, for the same order of examples.
        allow_smaller_final_batch, shared_name, name: see `batch`.

    Raises:
        RuntimeError: eager mode.
        ValueError: there are no tensors, or shapes are not known.
    """
    return _plan_batch(
        "shuffle_batch", [tensors], batch_size, True, num_threads,
        _shuffle(capacity, min_after_dequeue, seed), enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch(
    tensors: TensorLike,
    batch_size: IntLike,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of the examples for which `keep_input` is true
    (`tf.train.maybe_shuffle_batch`).
    """
    return _plan_batch(
        "shuffle_batch", [tensors], batch_size, keep_input, num_threads,
        _shuffle(capacity, min_after_dequeue, seed), enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def shuffle_batch_join(
    tensors_list: Any, batch_size: IntLike, capacity: int, min_after_dequeue: int,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """As `shuffle_batch`, with a thread for each of `tensors_list`
    (`tf.train.shuffle_batch_join`).
    """
    return _plan_batch(
        "shuffle_batch_join", tensors_list, batch_size, True, 1,
        _shuffle(capacity, min_after_dequeue, seed), enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch_join(
    tensors_list: Any, batch_size: IntLike, capacity: int, min_after_dequeue: int, keep_input: Any,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None,
    allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """As `shuffle_batch_join`, of the examples for which `keep_input` is true
    (`tf.train.maybe_shuffle_batch_join`).
    """
    return _plan_batch(
        "shuffle_batch_join", tensors_list, batch_size, keep_input, 1,
        _shuffle(capacity, min_after_dequeue, seed), enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def prefetch_queue(
    tensors: TensorLike, capacity: int = 8, num_threads: int = 1, dynamic_pad: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """A queue of batches, which threads fill (`tf.contrib.slim.prefetch_queue.prefetch_queue`).

    Args:
        tensors: what an element is made of: a list or a dictionary of tensors.
        capacity: how many batches it holds.
        num_threads: how many threads evaluate `tensors`.
        dynamic_pad: whether shapes may have unknown sizes.
        shared_name: under which sessions share the queue.
        name: a name for the operations.

    Returns:
        The queue; `dequeue` gives a batch.

    Raises:
        RuntimeError: eager mode.
        ValueError: there are no tensors, or shapes are not known.
    """
    refuse_eager()
    names = sorted(tensors) if isinstance(tensors, Mapping) else None
    (listed,) = _listed("prefetch_queue", [tensors])
    with inside(name or "prefetch_queue"):
        row = _tensors(listed)
        maker = _fifo(dynamic_pad, capacity, names)
        queue = maker.make([x.dtype for x in row], [x.shape for x in row], shared_name)
        with named(f"{queue.name.split('/')[-1]}_enqueue"):
            put = queue.enqueue(row if names is None else dict(zip(names, row, strict=True)))
        add_queue_runner(QueueRunner(queue, [put] * num_threads))
        tell_fullness(queue, maker.summary_name, capacity)
    return queue


# -- the parts ------------------------------------------------------------------------------------


class _QueueMaker(NamedTuple):
    """What kind of queue is wanted; `least` elements stay in it."""

    capacity: int
    least: int
    make: Callable[[Any, Any, str | None], Any]

    @property
    def summary_name(self) -> str:
        """How the summary of its fullness is called."""
        if not self.least:
            return f"fraction_of_{self.capacity}_full"
        return f"fraction_over_{self.least}_of_{self.capacity - self.least}_full"


def _fifo(pads: bool, capacity: int, names: str | Sequence[str] | None = None) -> _QueueMaker:
    def make(
        types: DTypeLike | Sequence[DTypeLike], shapes: Sequence[Any], shared_name: str | None
    ) -> Any:
        with named("padding_fifo_queue" if pads else "fifo_queue"):
            kind: Any = PaddingFIFOQueue if pads else FIFOQueue
            return kind(capacity, types, shapes, names, shared_name)

    return _QueueMaker(capacity, 0, make)


def _shuffle(capacity: int, least: int, seed: int | None) -> _QueueMaker:
    def make(
        types: DTypeLike | Sequence[DTypeLike], shapes: Sequence[Any], shared_name: str | None
    ) -> Any:
        with named("random_shuffle_queue"):
            return RandomShuffleQueue(
                capacity, least, types, shapes, seed=seed, shared_name=shared_name
            )

    return _QueueMaker(capacity, least, make)


def _plan_batch(
    kind: str,
    examples: Sequence[Any],
    size: TensorLike,
    keep: TensorLike,
    threads: int,
    make: _QueueMaker,
    many: bool,
    shapes: Sequence[Any],
    smaller: bool,
    shared_name: str | None,
    name: str | None,
) -> Any:
    """The operations of one of the functions above."""
    refuse_eager()
    listed = _listed(kind, examples)
    with inside(name or kind) as scope:
        chosen = _kept(keep, many)
        tensors = [_tensors(tensor_list) for tensor_list in listed]
        columns = joined_columns(tensors, many)
        rows = [[as_row(x, many) for x in row] for row in tensors]
        types = _types(rows)
        queue = make.make(types, _shapes(rows, shapes, many, columns), shared_name)
        own = queue.name.split("/")[-1]
        puts = [_put(queue, own, row, chosen, many) for row in rows]
        if len(puts) == 1:
            puts *= threads
        add_queue_runner(QueueRunner(queue, puts))
        tell_fullness(queue, make.summary_name, make.capacity, make.least)
        with named("n"):
            count = to_tensor(size, dtypes.int32)
        with named(scope):
            taken = queue.dequeue_up_to(count) if smaller else queue.dequeue_many(count)
        parts = list(taken) if isinstance(taken, (list, tuple)) else [taken]
        batches = [from_rows(x, column) for x, column in zip(parts, columns, strict=True)]
    return _as_given(examples[0], batches)


def _listed(kind: str, examples: Sequence[Any]) -> list[list[Any]]:
    if not examples:
        raise ValueError("Expected at least one set of tensors")
    dictionaries = [each for each in examples if isinstance(each, Mapping)]
    if any(set(each) != set(dictionaries[0]) for each in dictionaries):
        raise ValueError("All dictionaries in tensors_list must have the same keys")
    found = []
    for each in examples:
        parts = [each[key] for key in sorted(each)] if isinstance(each, Mapping) else each
        parts = list(parts) if isinstance(parts, (list, tuple)) else [parts]
        if not parts:
            raise ValueError(f"Expected at least one tensor in {kind}().")
        found.append(parts)
    return found


def _kept(keep: TensorLike, many: bool) -> Any:
    """Which examples are to be kept: a bool, or a tensor of known rank.

    Raises:
        ValueError: its rank is not known, or not what `many` allows.
    """
    if isinstance(keep, bool):
        return keep
    found = to_tensor(keep)
    rank = found.shape.rank
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    if rank and not many:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    return found


def _tensors(parts: Sequence[Any]) -> list[Any]:
    return [x if isinstance(x, CompositeTensor) else to_tensor(x) for x in parts]


def _types(rows: Sequence[Sequence[Any]]) -> list[Any]:
    for column in zip(*rows, strict=True):
        if any(each.dtype is not column[0].dtype for each in column):
            names = " vs. ".join(dict.fromkeys(each.dtype.name for each in column))
            raise TypeError(f"Expected types to be consistent: {names}.")
    return [each.dtype for each in rows[0]]


def _shapes(
    rows: Sequence[Sequence[Any]], given: Any, many: bool, columns: Sequence[SparseColumn | None]
) -> list[TensorShape]:
    if given is not None:
        return [TensorShape(each if column is None else ROW_SHAPE)
                for each, column in zip(given, columns, strict=True)]  # fmt: skip
    found = []
    for column in zip(*rows, strict=True):
        shape = column[0].shape
        if shape.rank is None:
            raise ValueError(f"Cannot infer Tensor's rank: {column[0]}")
        for each in column[1:]:
            shape = shape.most_specific_compatible_shape(each.shape)
        found.append(shape[1:] if many else shape)
    return found


def _put(queue: QueueBase, name: str, row: Sequence[Any], keep: Any, many: bool) -> Any:
    """The operation that puts one example, or many, in; only those to keep."""
    known = keep if isinstance(keep, bool) else keep.static_value()
    if known is not None:
        specialise_on(keep)
    if many and not isinstance(keep, bool) and keep.shape.rank:
        row, known = [boolean_mask(each, keep) for each in row], True

    def put() -> Any:
        with named(f"{name}_EnqueueMany" if many else f"{name}_enqueue"):
            return queue.enqueue_many(row) if many else queue.enqueue(row)

    if known is not None and bool(known):
        return put()

    def put_and_tell() -> Any:
        return _after(put())

    return cond_v1(keep, put_and_tell, lambda: to_tensor(False)).op


def _after(operation: Any) -> Any:
    with control_dependencies([operation]):
        return to_tensor(True)


def _as_given(example: object, values: Sequence[Any]) -> Any:
    """The batch in the structure of the examples."""
    if isinstance(example, Mapping):
        return dict(zip(sorted(example), values, strict=True))
    if isinstance(example, (list, tuple)) and len(values) > 1:
        return values
    return values[0]
