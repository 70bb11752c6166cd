"""What a replica knows of itself, and how it meets the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes, nest
from ...base.late_binding import LateBinding
from ...base.typing import TensorLike
from ...core.context import HOST_SCOPE, LOCAL
from ...core.tensor import Tensor
from ...graph.function.custom_gradients import custom_gradient
from ...graph.recording.gradients import Meeting
from ...graph.representation.graph import SymbolicTensor
from ...ops.array.gathering import gather
from ...ops.array.making import range_, zeros_like
from ...ops.array.shaping import reshape, shape
from ...ops.convert import to_tensor
from ...ops.math.reduction import reduce_sum
from ...ops.variables.indexed_slices import IndexedSlices
from .baton import running
from .contexts import StrategyContext, current, entered
from .values import DistributedValues, ReduceOp, as_reduce_op


class ReplicaContext:
    """The replica that runs (`tf.distribute.ReplicaContext`).

    Args:
        strategy: whose replica.
        replica_id_in_sync_group: its number among this worker's.
    """

    def __init__(self, strategy: Any, replica_id_in_sync_group: int = 0) -> None:
        self._strategy = strategy
        self._replica_id = replica_id_in_sync_group

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._strategy.num_replicas_in_sync  # type: ignore[no-any-return]

    @property
    def replica_id_in_sync_group(self) -> Tensor:
        """The number of this replica: an int32 tensor, on the host."""
        state = LOCAL.state
        scope, state.scope = state.scope, HOST_SCOPE
        try:
            return to_tensor(self._replica_id_in_sync_group, dtypes.int32)
        finally:
            state.scope = scope

    @property
    def _replica_id_in_sync_group(self) -> int:
        return self._strategy._first_replica + self._replica_id  # type: ignore[no-any-return]

    @property
    def devices(self) -> list[str]:
        """The replica's device."""
        return [self._strategy.replica_devices[self._replica_id]]

    def __enter__(self) -> None:
        raise RuntimeError(
            "A replica's context cannot be entered. Call strategy.run(fn): fn runs in it."
        )

    def merge_call(
        self,
        merge_fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Waits for all replicas, then calls `merge_fn(strategy, *args, **kwargs)` once, with the
        values of all replicas as distributed ones; each gets its part of the result.

        Args:
            merge_fn: takes the strategy and the arguments.
            args: its positional arguments.
            kwargs: its arguments by name.

        Raises:
            RuntimeError: a replica ends without coming, or a function is being traced in it.
        """
        context = current()
        thread = None if context is None else running(context)
        if self._strategy.num_replicas_in_sync > 1:
            if thread is not None:
                return thread.meet(merge_fn, tuple(args), dict(kwargs or {}))
            raise RuntimeError("Need to be inside `call_for_each_replica()`")
        with entered(self._strategy.cross_context):
            return merge_fn(self._strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op: ReduceOp | str, value: object, options: Any = None) -> Any:
        """Computes the sum or mean over all replicas, for each of them, with gradients.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: tensors, or a structure of them. A tensor that is the same object in all replicas
                is one value for all, and its own sum, as in TensorFlow.
            options: `tf.distribute.experimental.CommunicationOptions`.
        """
        kind = as_reduce_op(reduce_op)
        leaves = [_as_value(leaf) for leaf in nest.flatten(value)]
        if not leaves:
            return value
        if not LOCAL.state.tapes or any(isinstance(leaf, IndexedSlices) for leaf in leaves):
            made = self._together(kind, leaves, options)
            _meet(leaves, made, lambda *grads: self.all_reduce(kind, list(grads), options))
        else:
            made = _reduced(self, kind, leaves, options)
        return nest.pack_sequence_as(value, made)

    def _together(self, kind: ReduceOp, leaves: list[Any], options: Any = None) -> list[Any]:
        def reduce(strategy: Any, *values: Any) -> list[Any]:
            pairs = [(each, strategy._destinations) for each in values]
            return strategy.extended.batch_reduce_to(kind, pairs, options)  # type: ignore[no-any-return]

        return list(self.merge_call(reduce, args=tuple(leaves)))

    def all_gather(self, value: object, axis: int, options: object = None) -> Any:
        """Joins the values of all replicas along `axis`, for each of them, with gradients.

        Args:
            value: tensors of rank 1 or more, or a structure of them.
            axis: along which.
            options: not needed.

        Raises:
            NotImplementedError: there are IndexedSlices among the values.
        """
        refuse_slices("all_gather", value)
        leaves = [to_tensor(leaf) for leaf in nest.flatten(value)]
        if LOCAL.state.tapes:
            made = [_gathered(self, leaf, axis) for leaf in leaves]
        else:
            made = [self._join(leaf, axis) for leaf in leaves]
            for leaf, each in zip(leaves, made, strict=True):
                _meet([leaf], [each], _part_of_gathered(self, leaf, axis))
        return nest.pack_sequence_as(value, made)

    def _join(self, value: TensorLike, axis: int) -> Any:
        def join(strategy: Any, values: TensorLike) -> Any:
            return strategy.extended._gather_to(values, strategy._destinations, axis)

        return self.merge_call(join, args=(value,))


def refuse_slices(name: str, value: object) -> None:
    """Raises unless all of a value, or of several replicas' values, can be gathered."""
    for leaf in nest.flatten(value):
        parts = leaf.values if isinstance(leaf, DistributedValues) else (leaf,)
        if any(isinstance(part, IndexedSlices) for part in parts):
            raise NotImplementedError(f"{name} does not support IndexedSlices")


def _meet(given: Sequence[Any], made: Sequence[Any], gradient: Callable[..., Any]) -> None:
    """Tells a graph what `tf.gradients` finds in this replica, should it be asked later."""
    context = current()
    if LOCAL.state.target.is_eager or context is None or running(context) is None:
        return
    if not all(isinstance(each, SymbolicTensor) for each in made):
        return
    made[0].graph.meetings.append(
        Meeting(given, made, lambda grads: _all_of(gradient, grads, made),
                lambda: running(context) is not None)
    )  # fmt: skip


def _all_of(gradient: Callable[..., Any], grads: Sequence[Any], made: Sequence[Any]) -> list[Any]:
    """Gradients out of those of what was made: zeros where there is none."""
    whole = [zeros_like(y) if grad is None else grad for grad, y in zip(grads, made, strict=True)]
    found = gradient(*whole)
    return found if isinstance(found, list) else [found]


def _as_value(leaf: Any) -> Any:
    return leaf if isinstance(leaf, IndexedSlices) else to_tensor(leaf)


def _reduced(
    replica: ReplicaContext, kind: Any, leaves: list[Any], options: Any = None
) -> list[Any]:
    """Reduces tensors; the gradient of a reduction is that reduction of the gradients."""

    @custom_gradient
    def reduce(*values: Tensor) -> Any:
        made = replica._together(kind, list(values), options)

        def gradient(*grads: Tensor) -> list[Any]:
            return list(replica.all_reduce(kind, list(grads), options))

        return made, gradient

    return list(reduce(*leaves))


def _gathered(replica: ReplicaContext, value: TensorLike, axis: int) -> Any:
    @custom_gradient
    def joined(x: TensorLike) -> Any:
        return replica._join(x, axis), _part_of_gathered(replica, x, axis)

    return joined(value)


def _part_of_gathered(replica: ReplicaContext, x: TensorLike, axis: int) -> Callable[[Any], Any]:
    """The gradient of what was gathered, for this replica's part of it."""
    return lambda grad: _own_part(replica, x, replica.all_reduce("SUM", grad), axis)


def _own_part(replica: ReplicaContext, x: TensorLike, whole: Any, axis: int) -> Any:
    """What a replica put into a value that was gathered."""
    size = shape(x)[axis]
    sizes = replica.all_gather(reshape(size, [1]), 0)
    start = reduce_sum(sizes[: replica._replica_id_in_sync_group])
    return gather(whole, range_(start, start + size), axis=axis)


def get_replica_context() -> ReplicaContext | None:
    """The replica that runs (`tf.distribute.get_replica_context`); None where all are spoken of."""
    context: StrategyContext | None = current()
    if context is None:
        return DEFAULT_REPLICA.call()
    found: ReplicaContext | None = context.replica
    return found


#: The one replica outside of strategies.
DEFAULT_REPLICA: LateBinding[[], ReplicaContext] = LateBinding(
    "tell the replica outside of strategies", "distribute/strategies/strategy.py"
)
