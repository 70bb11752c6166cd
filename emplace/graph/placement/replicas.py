"""Where the variables and the rest of a graph go that several processes share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...devices.name import DeviceSpec
from ..representation.graph import Operation

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp", "MutableHashTableV2")


class _InTurns:
    """One parameter server after the other."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._next = 0

    def __call__(self, op: Operation) -> int:
        self._next += 1
        return (self._next - 1) % self._count


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """Makes a function for `tf.compat.v1.device`: variables on parameter servers in turns, all else
    on a worker (`tf.compat.v1.train.replica_device_setter`).

    Args:
        ps_tasks: how many parameter servers there are.
        ps_device: their job.
        worker_device: where the rest goes.
        merge_devices: whether what an operation asks for itself is kept besides.
        cluster: the tasks of each job, by name, instead of `ps_tasks`.
        ps_ops: the types of operations that count as variables.
        ps_strategy: the number of the parameter server for an operation.

    Returns:
        The function; None if there is no parameter server.

    Raises:
        TypeError: `ps_strategy` cannot be called.
    """
    if cluster is not None:
        jobs = _jobs_of(cluster)
        ps_tasks = len(jobs.get(DeviceSpec.from_string(ps_device).job or "ps", ()))
    if not ps_tasks:
        return None
    choose = _InTurns(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(choose):
        raise TypeError("ps_strategy must be callable")
    kinds = frozenset(_VARIABLES if ps_ops is None else ps_ops)

    def place(op: Operation) -> str:
        if not merge_devices and op.device:
            return op.device
        spec = DeviceSpec.from_string(worker_device)
        if op.type in kinds:
            spec = DeviceSpec.from_string(ps_device)
            own = DeviceSpec.from_string(op.device).job
            if spec.job and spec.task is None and own in (None, spec.job):
                spec = spec.replace(task=choose(op))
        return str(spec.make_merged_spec(DeviceSpec.from_string(op.device)).to_string())

    return place


def _jobs_of(cluster: Any) -> dict[str, Any]:
    """The tasks of each job: of a `ClusterSpec`, a `ClusterDef`, or a dictionary."""
    if hasattr(cluster, "as_dict"):
        return cluster.as_dict()  # type: ignore[no-any-return]
    return {each.name: each.tasks for each in cluster.job} if hasattr(cluster, "job") else cluster
