"""What Keras is told of replicas so that a mean over a batch weighs examples.

Keras divides a replica's mean loss by the number of replicas, which weighs replicas: of a batch of
three examples on two of them one would count twice as much as the others. Here the mean is
multiplied by the replica's share of the batch instead. The import hook hands the modules in when
Keras loads them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from ...base import nest
from ...base.typing import TensorLike
from ...core.context import device
from ...core.tensor import Tensor
from ...graph.recording.scopes import current_graph
from ...ops.array.shaping import shape
from ...ops.math.elementwise import add, cast, multiply
from ...ops.math.guarded import divide_no_nan
from ...ops.math.reduction import reduce_sum
from ..reductions.cross_device import HOST
from ..replicas.baton import ReplicaThread, running
from ..replicas.contexts import current
from ..replicas.values import PerReplica, mapped, of_replica
from .strategy import Strategy, get_strategy


def _thread() -> ReplicaThread | None:
    context = current()
    return None if context is None or context.replica is None else running(context)


def share_of_batch() -> Any:
    """The part of the examples that this replica has, a number or a tensor; None where all replicas
    have as many, and where nobody can tell.
    """
    thread = _thread()
    if thread is None:
        return None
    batch = _batch(thread.given)
    if batch is None:
        return None
    number, strategy = thread.context.number or 0, get_strategy()
    rows = [x.shape[0] for x in batch.values]
    graph = current_graph()
    # Several workers have parts of one size only where a function knows that: eager ones differ.
    is_known = graph is not None or strategy.num_replicas_in_sync == len(rows)
    if None not in rows and is_known:
        return None if len(set(rows)) == 1 else rows[number] / sum(rows)
    if graph not in thread.notes:
        sizes = _sizes(batch.values, strategy.replica_devices)
        thread.notes[graph] = sizes, strategy._rows_in_sync(functools.reduce(add, sizes))
    sizes, total = thread.notes[graph]
    return divide_no_nan(sizes[number], total)


def _sizes(parts: Sequence[Any], devices: Sequence[str]) -> list[Any]:
    """The numbers of examples of this worker's replicas."""
    sizes = []
    for x, name in zip(parts, devices, strict=True):
        with device(name):
            sizes.append(cast(shape(x)[0], "float32"))
    return sizes


def _batch(given: object) -> PerReplica | None:
    """The first distributed value with rows among the arguments of replicas."""
    for leaf in nest.flatten(given):
        if isinstance(leaf, PerReplica) and all(
            isinstance(x, Tensor) and x.shape.rank for x in leaf.values
        ):
            return leaf
    return None


def adjust_losses(module: ModuleType) -> None:
    """Makes `keras.src.losses.loss` weigh the mean of a replica by its share of the batch, and find
    the loss of no examples to be zero.
    """
    reduce = module.reduce_values
    scale, unscale = module.scale_loss_for_distribution, module.unscale_loss_for_distribution

    @functools.wraps(scale)
    def scaled(value: Any) -> Any:
        share = share_of_batch()
        return scale(value) if share is None else multiply(value, cast(share, value.dtype))

    @functools.wraps(unscale)
    def unscaled(value: Any) -> Any:
        share = share_of_batch()
        return unscale(value) if share is None else divide_no_nan(value, cast(share, value.dtype))

    @functools.wraps(reduce)
    def reduced(
        values: TensorLike, sample_weight: object = None, reduction: object = "sum_over_batch_size"
    ) -> Any:
        found = reduce(values, sample_weight, reduction)
        if reduction in (None, "none") or tuple(found.shape) != (0,) or _thread() is None:
            return found
        return reduce_sum(found)

    module.reduce_values = reduced  # type: ignore[attr-defined]
    module.scale_loss_for_distribution = scaled  # type: ignore[attr-defined]
    module.unscale_loss_for_distribution = unscaled  # type: ignore[attr-defined]


def adjust_trainer(module: ModuleType) -> None:
    """Makes `keras.src.backend.tensorflow.trainer` look at the first replica's part of a batch when
    it builds a model, where it would take the mean of parts, which may differ in size; and lets the
    metrics that a step returns be those of all replicas, not the mean of what each has for itself,
    however many examples it has seen. What steps return on several workers is brought together
    all at once; it would ask for the mean of scalars along their first axis.
    """
    reduce = module.reduce_per_replica

    @functools.wraps(reduce)
    def reduced(values: TensorLike, strategy: Strategy, reduction: object) -> Any:
        is_one = reduction in ("auto", "mean", "sum")
        if not is_one or not strategy.extended._in_multi_worker_mode():
            return reduce(values, strategy, reduction)
        return _over_workers(values, strategy, "SUM" if reduction == "sum" else "MEAN")

    module.reduce_per_replica = reduced  # type: ignore[attr-defined]
    trainer: Any = module.TensorFlowTrainer
    build = trainer._maybe_symbolic_build

    @functools.wraps(build)
    def built(self: Any, iterator: object = None, data_batch: object = None) -> Any:
        parts = None if iterator is None else _first_parts(iterator)
        return build(self, iterator=parts, data_batch=data_batch)

    trainer._maybe_symbolic_build = built
    results = trainer.get_metrics_result

    @functools.wraps(results)
    def results_of_all(self: Any) -> Any:
        thread = _thread()
        if thread is None or not thread.can_meet:
            return results(self)
        return thread.context.replica.merge_call(lambda strategy: results(self))

    trainer.get_metrics_result = results_of_all


def _over_workers(values: TensorLike, strategy: Strategy, kind: str) -> Any:
    leaves: list[Any] = []
    mapped(leaves.append, values)
    made = iter(strategy.extended.batch_reduce_to(kind, [(each, HOST) for each in leaves]))
    return mapped(lambda _: next(made), values)


def _first_parts(iterator: Any) -> Iterator[Any]:
    for first, last, batches in iterator:
        yield first, last, iter([of_replica(0, next(batches))])


def adjust_numpy(module: ModuleType) -> None:
    """Makes `add` of `keras.src.backend.tensorflow.numpy` take two values of no examples: it takes
    the second one for a bias, for its other sizes are those of one, and fails.
    """
    add = module.add

    @functools.wraps(add)
    def added(x1: TensorLike, x2: TensorLike) -> Any:
        if isinstance(x2, Tensor) and 0 in (x2.shape.sizes or ()):
            return module.subtract(x1, x2)  # as empty, and of the same dtype
        return add(x1, x2)

    module.add = added  # type: ignore[attr-defined]


ADJUSTMENTS: dict[str, Callable[[ModuleType], None]] = {
    "keras.src.losses.loss": adjust_losses,
    "keras.src.backend.tensorflow.trainer": adjust_trainer,
    "keras.src.backend.tensorflow.numpy": adjust_numpy,
}
