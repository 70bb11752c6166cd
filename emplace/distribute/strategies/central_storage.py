"""`tf.distribute.experimental.CentralStorageStrategy`: many replicas, one copy of variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...base.logger import get_logger
from ...base.typing import TensorLike
from ...core.aggregation import VariableSynchronization
from ...core.context import LOCAL, device
from ...devices.config import list_logical_devices
from ...graph.recording.scopes import name_scope
from ..reductions.cross_device import ReductionToOneDevice, full_name
from ..replicas.contexts import entered
from ..replicas.values import mapped, of_replica
from ..variables.aggregating import aggregating
from ..variables.making import checked_options, make, named
from ..variables.variables import DistributedVariable
from .extended import ManyExtended
from .mirrored import ReplicatedStrategy


class _CentralStorageExtended(ManyExtended):
    """What this strategy answers."""

    _reduces_parts = False  # as TensorFlow's

    @property
    def worker_devices(self) -> list[str]:  # type: ignore[override]
        """The devices of the replicas; TF: a list here, a tuple elsewhere."""
        return list(self._strategy.replica_devices)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The device that holds variables."""
        return (self._strategy._parameter_device,)

    def _made(self, kind: Any, args: Any, kwargs: Any) -> Any:
        given = named(args, kwargs)
        is_alone = given.get("synchronization") is VariableSynchronization.NONE
        if is_alone:  # which other strategies refuse; here there is nothing to be synchronised
            given["synchronization"] = VariableSynchronization.AUTO
        aggregation, synchronization = checked_options(given)
        synchronization = VariableSynchronization.NONE if is_alone else synchronization
        if synchronization is VariableSynchronization.ON_READ:
            return self._of_each(kind, args, kwargs)
        with device(self._strategy._parameter_device):
            inner = LOCAL.state.target.variable(kind, (), given)
        return aggregating(self._strategy, inner, aggregation, synchronization)

    def _of_each(self, kind: object, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A variable with a component for each replica, where variables are: what a replica adds to
        is its own, as in the counts of Keras's metrics.
        """
        places = [self._strategy._parameter_device] * self._strategy.num_replicas_in_sync
        return make(self._strategy, kind, args, kwargs, places)

    def variable_created_in_scope(self, v: TensorLike) -> bool:
        """Whether the strategy made a variable."""
        return getattr(v, "_strategy", None) is self._strategy

    def _update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any],
        kwargs: dict[str, Any],
        group: bool,
    ) -> Any:
        if isinstance(var, DistributedVariable):
            return super()._update(var, fn, args, kwargs, group)
        # TF: of values that differ by replica the first one's; sums come as the same for all.
        inner = getattr(var, "_inner", var)
        args, kwargs = of_replica(0, args), of_replica(0, kwargs)
        where = inner.device or None
        with entered(self._strategy.cross_context), device(where), name_scope("update"):
            made = fn(inner, *args, **(kwargs or {}))
        return made if group else mapped(lambda leaf: (leaf,), made)

    def non_slot_devices(self, var_list: Iterable[Any]) -> tuple[str, ...]:
        """Where an optimizer keeps what belongs to no variable."""
        return (self._strategy._parameter_device,)


class CentralStorageStrategy(ReplicatedStrategy):
    """Replicas on several devices that share variables on one
    (`tf.distribute.experimental.CentralStorageStrategy`).

    Args:
        compute_devices: where replicas run; all GPUs, or the CPU, if None.
        parameter_device: where variables are; the GPU if there is just one, else the CPU.
    """

    def __init__(self, compute_devices: Any = None, parameter_device: Any = None) -> None:
        gpus = [each.name for each in list_logical_devices("GPU")]
        given = [getattr(each, "name", each) for each in compute_devices or ()]
        names = [full_name(each) for each in given or gpus or ["CPU:0"]]
        if parameter_device is None:
            one = gpus if given or gpus else names  # TF: where there is one device, its full name
            parameter_device = one[0] if len(one) == 1 else "/device:CPU:0"
        self._parameter_device = str(parameter_device)
        super().__init__(names, ReductionToOneDevice())
        self.extended = _CentralStorageExtended(self, ReductionToOneDevice())
        get_logger().info(
            "ParameterServerStrategy (CentralStorageStrategy if you are using a single machine) "
            f"with compute_devices = {names!r}, variable_device = {self._parameter_device!r}"
        )
