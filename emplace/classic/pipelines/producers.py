"""Queues that give out the rows of a tensor again and again: names of files, numbers, slices."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.shapes import TensorShape
from ...base.typing import ShapeLike, TensorLike
from ...core.context import LOCAL
from ...eager.variable import Variable
from ...graph.recording.scopes import control_dependencies
from ...ops.array.gathering import gather
from ...ops.array.making import range_
from ...ops.array.shaping import identity, shape as shape_of, size as size_of
from ...ops.convert import to_tensor
from ...ops.data_flow.queue_classes import FIFOQueue, QueueBase
from ...ops.debugging.checks import Assert
from ...ops.io.files import matching_files
from ...ops.math.elementwise import cast, greater, maximum
from ...ops.random.stateful import shuffle as shuffled
from ...summary.ops import scalar
from ..scopes.collections import GraphKeys
from ..scopes.op_names import inside, named
from .queue_runner import QueueRunner, add_queue_runner

_NO_TEXTS = "string_input_producer requires a non-null input tensor"


def refuse_eager() -> None:
    """Raises RuntimeError in eager mode, where there are no queue runners."""
    if LOCAL.state.target.is_eager:
        raise RuntimeError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. "
            "Please use tf.data to ingest data into your model instead."
        )


def _local_variable(value: TensorLike, name: str, **options: Any) -> Any:
    options["collections"] = [GraphKeys.LOCAL_VARIABLES]
    return Variable(value, trainable=False, name=name, **options)


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Any:
    """A local variable with the names of the files that match
    (`tf.train.match_filenames_once`).

    Args:
        pattern: one pattern, or several, as a string tensor.
        name: the variable's name.
    """
    with inside(name or "matching_filenames") as scope:
        found = matching_files(pattern)
    return _local_variable(found, scope, validate_shape=False)


def limit_epochs(tensor: TensorLike, num_epochs: int | None = None, name: str | None = None) -> Any:
    """A tensor that can be had so many times (`tf.train.limit_epochs`); then OutOfRangeError.

    A local variable counts: run `local_variables_initializer` first.

    Args:
        tensor: any tensor.
        num_epochs: how often; None for no limit.
        name: a name for the operations.

    Raises:
        ValueError: `num_epochs` is not above 0.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with inside(name or "limit_epochs") as scope:
        epochs = _local_variable(to_tensor(0, dtypes.int64), "epochs")
        counter = epochs.count_up_to(num_epochs)
        with control_dependencies([counter]), named(scope):
            return identity(tensor)


def input_producer(
    input_tensor: TensorLike, element_shape: ShapeLike | None = None, num_epochs: int | None = None,
    shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, summary_name: str | None = None, name: str | None = None,
    cancel_op: Any = None,
) -> Any:  # fmt: skip
    """A queue of the rows of a tensor, with a runner that fills it (`tf.train.input_producer`).

    Args:
        input_tensor: the rows.
        element_shape: the shape of a row, where the tensor's is not known.
        num_epochs: how often each row is given out; None for no limit.
        shuffle: whether each epoch has an order of its own.
        seed: makes those orders repeatable.
        capacity: how many rows the queue holds.
        shared_name: under which sessions share it.
        summary_name: the name of a summary of how full it is.
        name: a name for the operations.
        cancel_op: the runner's; see `QueueRunner`.

    Returns:
        The queue.

    Raises:
        RuntimeError: eager mode.
        ValueError: the shape of a row is not known.
    """
    refuse_eager()
    with inside(name or "input_producer") as scope:
        rows = to_tensor(input_tensor)
        shape = rows.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            rows = shuffled(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        with named(scope):
            queue = FIFOQueue(capacity, [rows.dtype], [shape], shared_name=shared_name)
        with named(f"{queue.name.split('/')[-1]}_EnqueueMany"):
            put = queue.enqueue_many([rows])
        add_queue_runner(QueueRunner(queue, [put], cancel_op=cancel_op))
        if summary_name is not None:
            tell_fullness(queue, summary_name, capacity)
    return queue


def tell_fullness(queue: QueueBase, name: str, capacity: int, rest: int = 0) -> None:
    """A summary of which part of a queue's room, beyond `rest` elements, is taken."""
    with named(f"{queue.name.split('/')[-1]}_Size"):
        size = queue.size()
    if rest:
        size = maximum(size - rest, 0)
    scalar(name, cast(size, dtypes.float32) * (1.0 / (capacity - rest)))


def string_input_producer(
    string_tensor: TensorLike, num_epochs: int | None = None, shuffle: bool = True,
    seed: int | None = None, capacity: int = 32, shared_name: str | None = None,
    name: str | None = None, cancel_op: Any = None,
) -> Any:  # fmt: skip
    """A queue of texts, such as names of files (`tf.train.string_input_producer`).

    Args:
        string_tensor: the texts, a vector.
        num_epochs, shuffle, seed, capacity, shared_name, name, cancel_op: see `input_producer`.

    Returns:
        The queue.

    Raises:
        RuntimeError: eager mode.
        ValueError: there are no texts.
    """
    if isinstance(string_tensor, (list, tuple)) and not string_tensor:
        raise ValueError(_NO_TEXTS)
    refuse_eager()
    with inside(name or "input_producer") as scope:
        texts = to_tensor(string_tensor, dtypes.string)
        if texts.shape.rank is None:  # a variable of file names is a vector
            texts.set_shape([None])
        with control_dependencies([Assert(greater(size_of(texts), 0), [_NO_TEXTS])]):
            texts = identity(texts)
        return input_producer(
            texts, [], num_epochs, shuffle, seed, capacity, shared_name,
            f"fraction_of_{capacity}_full", scope, cancel_op,
        )  # fmt: skip


def range_input_producer(
    limit: TensorLike, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """A queue of the numbers from 0 to below `limit` (`tf.train.range_input_producer`).

    Args:
        limit: the first number that is not given out, int32.
        num_epochs, shuffle, seed, capacity, shared_name, name: see `input_producer`.

    Returns:
        The queue.

    Raises:
        RuntimeError: eager mode.
    """
    refuse_eager()
    with inside(name or "input_producer") as scope:
        return input_producer(
            range_(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
            f"fraction_of_{capacity}_full", scope,
        )  # fmt: skip


def slice_input_producer(
    tensor_list: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, name: str | None = None,
) -> list[Any]:  # fmt: skip
    """One row of each tensor, the same of all (`tf.train.slice_input_producer`).

    Args:
        tensor_list: tensors with the same number of rows.
        num_epochs, shuffle, seed, capacity, shared_name, name: see `input_producer`.

    Returns:
        A tensor for each of `tensor_list`: another row with every run.

    Raises:
        RuntimeError: eager mode.
        ValueError: there are no tensors.
    """
    refuse_eager()
    with inside(name or "input_producer"):
        if not tensor_list:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        tensors = [to_tensor(each) for each in tensor_list]
        queue = range_input_producer(
            _rows(tensors[0]), num_epochs, shuffle, seed, capacity, shared_name
        )
        with named(f"{queue.name.split('/')[-1]}_Dequeue"):
            index = queue.dequeue()
        return [gather(each, index) for each in tensors]


def _rows(tensor: Any) -> Any:
    shape: TensorShape = tensor.shape
    known = shape.as_list()[0] if shape.rank else None
    return shape_of(tensor)[0] if known is None else known
