"""`tf.distribute.ParameterServerStrategy`: variables on servers, work on workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ...base.logger import get_logger
from ...base.typing import TensorLike
from ...core.context import LOCAL, device
from ...eager.variable import Variable
from ...graph.recording.scopes import name_scope
from ..cluster.resolver import ClusterResolver
from ..cluster.spec import ClusterSpec
from ..replicas.contexts import check_same
from ..strategies.extended import Extended
from ..strategies.strategy import Strategy
from ..variables.making import checked_options, named
from .remote.links import Links
from .sharded import ShardedVariable
from .variables import Division, ServedVariable, ps_device

_JOBS = ("chief", "worker", "evaluator", "ps", None)


class _Extended(Extended):
    """What this strategy answers."""

    def __init__(self, strategy: ParameterServerStrategy, servers: int) -> None:
        super().__init__(strategy)
        self._servers = servers
        self._next = 0
        self._beside: int | None = None

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The servers' devices."""
        return tuple(ps_device(i) for i in range(self._servers))

    def _in_multi_worker_mode(self) -> bool:
        return False

    # -- variables ------------------------------------------------------------------------------

    def _create_variable(self, kind: object, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        check_same(self._strategy)
        given = named(args, kwargs)
        checked_options(dict(given))
        division = Division(given, self._strategy._partitioner)
        if not division.sizes:
            return self._one(kind, division.whole_arguments())
        return ShardedVariable([self._one(kind, each) for each in division.arguments()])

    def _one(self, kind: object, given: dict[str, Any]) -> Any:
        """A variable on the next server, or where another one is."""
        number = self._choose()
        with device("/device:CPU:0"):
            made = LOCAL.state.target.variable(kind, (), given)
        if type(made) is not Variable:  # a stand-in while a function is traced for the first time
            return made
        made.__class__ = ServedVariable
        vars(made).update(_server=number, _made_by=self._strategy)
        self._strategy._links.serve(made, number)
        return made

    def _choose(self) -> int:
        if self._beside is not None:
            return self._beside
        self._next += 1
        return (self._next - 1) % self._servers

    def variable_created_in_scope(self, v: TensorLike) -> bool:
        """Whether the strategy made a variable."""
        shards = getattr(v, "variables", ()) if isinstance(v, ShardedVariable) else (v,)
        return any(getattr(each, "_made_by", None) is self._strategy for each in shards)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """A scope whose variables are on the server of another variable."""
        return self._placed_with(colocate_with_variable)

    @contextmanager
    def _placed_with(self, variable: object) -> Iterator[None]:
        before = self._beside
        self._beside = getattr(variable, "_server", None)
        try:
            yield
        finally:
            self._beside = before

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)`; what it does to the variable is done by its server."""
        with name_scope("update"):
            made = fn(var, *args, **(kwargs or {}))
        return made if group else (made,)


class ParameterServerStrategy(Strategy):
    """Variables on the tasks of job "ps", in turns, changed by workers that do not wait for each
    other (`tf.distribute.ParameterServerStrategy`). Functions are given to workers by a
    `tf.distribute.coordinator.ClusterCoordinator`.

    Tasks are servers (`tf.distribute.Server`) of this process, or all of other processes; these
    are waited for.

    Args:
        cluster_resolver: tells the cluster, of jobs "worker" and "ps", and "chief" for this task.
        variable_partitioner: divides variables into shards, see
            `tf.distribute.experimental.partitioners`.

    Raises:
        ValueError: the cluster lacks one of the jobs, or has others.
        UnavailableError: a task does not answer in time.
    """

    _should_use_with_coordinator = True

    def __init__(
        self, cluster_resolver: ClusterResolver,
        variable_partitioner: Callable[..., Any] | None = None,
    ) -> None:  # fmt: skip
        cluster = cluster_resolver.cluster_spec()
        _check(cluster, cluster_resolver.task_type)
        log = get_logger()
        log.info(
            "`tf.distribute.experimental.ParameterServerStrategy` is initialized with "
            f"cluster_spec: {cluster}"
        )
        log.info(
            f"ParameterServerStrategyV2 is now connecting to cluster with cluster_spec: {cluster}"
        )
        self._links = Links(cluster)
        self._resolver = cluster_resolver
        self._partitioner = variable_partitioner
        self._coordinator: Any = None
        super().__init__(_Extended(self, cluster.num_tasks("ps")), ("/device:CPU:0",))

    def __reduce__(self) -> Any:
        """On a worker it is a strategy of one replica: its datasets and replicas are the same."""
        return _on_worker, ()

    @property
    def cluster_resolver(self) -> Any:
        """What told the cluster."""
        return self._resolver


_ON_WORKERS: list[Strategy] = []


def _on_worker() -> Strategy:
    if not _ON_WORKERS:
        _ON_WORKERS.append(Strategy())
    return _ON_WORKERS[0]


def _check(cluster: ClusterSpec, task_type: str | None) -> None:
    if not cluster:
        raise ValueError(
            "Cluster spec must be non-empty in `tf.distribute.cluster_resolver.ClusterResolver`."
        )
    if not set(cluster.jobs) <= set(_JOBS):
        raise ValueError(
            "Disallowed task type found in cluster spec. Allowed types are "
            f"{_JOBS} and the cluster spec is {cluster}."
        )
    for job in ("ps", "worker"):
        if job not in cluster.jobs or not cluster.num_tasks(job):
            raise ValueError(f"There must be at least one {job}.")
    if task_type is not None and task_type not in cluster.jobs:
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
