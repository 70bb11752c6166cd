"""What a strategy of several workers answers."""

from __future__ import annotations

from typing import Any

from ..reductions.cross_device import as_per_replica, destinations_of
from ..replicas.contexts import require_all
from ..replicas.values import Mirrored, PerReplica, ReduceOp, as_reduce_op
from ..strategies.extended import ManyExtended
from ..strategies.strategy import Strategy
from ..variables.making import named
from ..variables.variables import SyncOnReadVariable
from .ops import from_first
from .reductions import WorkersOps


class WorkersExtended(ManyExtended):
    """What a strategy of several workers answers.

    Args:
        strategy: whose.
        ops: how values of all workers are reduced.
        is_chief: whether this worker is the one that writes.
    """

    experimental_between_graph = True

    def __init__(self, strategy: Strategy, ops: WorkersOps, is_chief: bool) -> None:
        super().__init__(strategy, ops)
        self.should_checkpoint = self.should_save_summary = is_chief

    def _in_multi_worker_mode(self) -> bool:
        return True

    def _made(self, kind: Any, args: Any, kwargs: Any) -> Any:
        given = named(args, kwargs)
        value = given.get("initial_value")
        if value is not None:
            dtype = given.get("dtype")
            given["initial_value"] = lambda: from_first(
                value() if callable(value) else value, dtype
            )
        return super()._made(kind, (), given)

    def _reduced(self, kind: ReduceOp, value: object, destinations: Any, options: Any) -> Any:
        """A value that is not distributed counts once for each worker."""
        if isinstance(value, Mirrored) and not isinstance(value, SyncOnReadVariable):
            return self._of_same(kind, value)
        wanted = destinations_of(destinations)
        return self._cross_device_ops.reduce(kind, as_per_replica(value), wanted, options)

    def batch_reduce_to(
        self, reduce_op: ReduceOp | str, pairs: Any, options: Any = None
    ) -> list[Any]:
        """`reduce_to` of several (value, destinations) at once.

        Raises:
            RuntimeError: in a replica.
            UnavailableError: a worker is gone.
        """
        require_all(self._strategy)
        given = [(as_per_replica(value), to) for value, to in pairs]
        return self._cross_device_ops.batch_reduce(as_reduce_op(reduce_op), given, options)

    def _gather_to(self, value: object, destinations: object, axis: int) -> Any:
        if not isinstance(value, PerReplica):
            value = PerReplica([value])
        return self._cross_device_ops.gather(value, destinations, axis)
