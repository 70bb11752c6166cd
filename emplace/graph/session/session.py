"""Sessions: they run parts of a graph, and hold the values of its variables.

`run` finds the plan for its fetches and feeds; the first time it makes it. A session owns no
device logic: the placer decides for the whole graph, and plans do the work.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...base import dtypes, log
from ...base.errors import CancelledError, OpError, invalid_argument
from ...base.late_binding import LateBinding
from ...base.typing import Structure
from ...core.composite import CompositeTensor
from ...core.context import LOCAL, PROCESS, is_soft
from ...core.events import observed_by
from ...core.missing_devices import tell_pending
from ...core.tensor import make_tensor
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.name import TASKS_HERE
from ...eager.place import Placement
from ..passes.feeding import feed_dependents
from ..placement.log_lines import tell_places
from ..placement.placer import place_graph
from ..plan.build import PlanOptions
from ..plan.failures import located
from ..plan.foresight import build_foreseen
from ..plan.plan import Plan
from ..recording.default import get_default_graph
from ..representation.default_graph import as_default
from ..representation.default_session import default_session_scope, default_sessions
from ..representation.graph import Graph, Operation, SymbolicTensor
from .callables import of_options
from .checks import check_arguments, check_dict, check_message, refuse_tasks
from .config import start, strips
from .partial import PartialRun, refused
from .resources import Resources, WaitingRuns
from .timeouts import within
from .traces import Tracer
from .values.arrays import as_arrays
from .values.composites import parts_of
from .values.feeds import fed_tensor, fed_value
from .values.fetches import Fetches

_MOST_SHAPES = 16


class _Ready:
    """The plans for one kind of call of `run`: one, or one per shapes that are fed where the graph
    leaves them open. Beyond `_MOST_SHAPES` a plan that knows no shapes serves all others.
    """

    __slots__ = ("is_open", "plans")

    def __init__(self, feeds: Sequence[SymbolicTensor]) -> None:
        self.is_open = any(not x.is_fully_known for x in feeds)
        self.plans: dict[Any, Plan] = {}

    def shapes(self, values: Sequence[Any]) -> Any:
        """What a plan depends on."""
        if not self.is_open:
            return None
        shapes = tuple([value.shape for value in values])
        return shapes if shapes in self.plans or len(self.plans) < _MOST_SHAPES else "any"


#: What sessions on a server share, by its target; a later layer says it.
RESOURCES_AT: LateBinding[[str], Any] = LateBinding(
    "find the resources of a server", "distribute/servers/remote/tasks.py"
)


class BaseSession:
    """What `Session` and `InteractiveSession` share."""

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        check_arguments(target, graph, config)
        self._graph = graph if graph is not None else get_default_graph()
        self._config = config
        self._closed = False
        self._target = target.encode() if isinstance(target, str) else target
        self._resources = RESOURCES_AT.call(self._target.decode()) if target else Resources()
        if getattr(config, "isolate_session_state", False):
            self._resources = Resources()
        self._waiting = WaitingRuns()
        self._draws: dict[Any, int] = {}
        self._ready: dict[Any, _Ready] = {}
        self._fetches: dict[Any, Fetches] = {}
        self._placed: dict[Operation, Placement] = {}
        self._placed_version: Any = None
        self._placed_for: Any = None
        self._logged_version: Any = None
        self._scopes: list[Any] = []
        self._lock = threading.RLock()
        self._partial: dict[str, PartialRun] = {}
        self._timeout: int = getattr(config, "operation_timeout_in_ms", 0)
        self._is_pruned = config is not None and config.graph_options.place_pruned_graph
        self._strips = strips(config)
        start(config, self.logs_placement)

    # -- what it is -----------------------------------------------------------------------------

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The graph as text for people."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """Where it runs: a server's address; "" for this process."""
        return self._target

    @property
    def soft(self) -> bool:
        """Whether missing devices may be replaced."""
        if getattr(self._config, "allow_soft_placement", False):
            return True
        if PROCESS.soft_placement is None and is_soft():  # the switch of whole programs
            tell_pending()
            return True
        return False

    @property
    def logs_placement(self) -> bool:
        """Whether it tells where operations are."""
        if self._config is None:
            return PROCESS.logs_placement
        return bool(self._config.log_device_placement)

    def list_devices(self) -> list[Any]:
        """The devices that it can use.

        Raises:
            CancelledError: it is closed.
        """
        if self._closed:
            raise CancelledError(None, None, "Session has been closed.")
        return [_DeviceAttributes(device) for device in INVENTORY.devices()]

    # -- running --------------------------------------------------------------------------------

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs what `fetches` need.

        Args:
            fetches: a tensor, an operation, a name, or a structure of those.
            feed_dict: values for tensors, by tensor or name.
            options: `tf.compat.v1.RunOptions`: a timeout, tracing.
            run_metadata: gets what was traced.

        Returns:
            The values as NumPy, in the structure of `fetches`; None for operations.

        Raises:
            RuntimeError: it is closed, or the graph is empty.
            TypeError, ValueError: a fetch or a feed means nothing, or does not fit.
            OpError: an operation failed.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if options is not None or run_metadata is not None or self._timeout:
            return self._run_with(fetches, feed_dict, options, run_metadata)
        return self._run(fetches, feed_dict)

    def _run_with(
        self, fetches: Structure, feed_dict: Mapping[Any, Any] | None, options: Any, metadata: Any
    ) -> Any:
        """Runs in time, and tells what ran."""
        timeout = self._timeout
        if options is not None:
            check_message(options, "SerializeToString")
            timeout = options.timeout_in_ms or timeout
        if metadata is not None:
            check_message(metadata, "ParseFromString")
            metadata.Clear()
        if metadata is None or options is None or not options.trace_level:
            return self._run_in_time(timeout, fetches, feed_dict)[0]
        tracer = Tracer()
        with observed_by(tracer):
            found, plan = self._run_in_time(timeout, fetches, feed_dict)
        tracer.fill(plan, metadata)
        return found

    def _run_in_time(
        self, timeout: int, fetches: Structure, feed_dict: Mapping[Any, Any] | None
    ) -> tuple[Any, Plan]:
        plan, values, parsed = self._planned(fetches, feed_dict)
        call = self._call
        found = within(timeout, lambda: call(plan, values)) if timeout > 0 else call(plan, values)
        return parsed.build(found), plan

    def plan(self, fetches: Structure, feed_dict: Mapping[Any, Any] | None = None) -> Plan:
        """The plan of a run."""
        return self._planned(fetches, feed_dict)[0]

    def planned(
        self, fetches: Structure, feed_dict: Mapping[Any, Any] | None = None
    ) -> tuple[Plan, list[Any]]:
        """The plan of a run, and the raw values that it is run on."""
        return self._planned(fetches, feed_dict)[:2]

    def _run(self, fetches: Structure, feed_dict: Mapping[Any, Any] | None) -> Any:
        plan, values, parsed = self._planned(fetches, feed_dict)
        return parsed.build(self._call(plan, values))

    def _planned(
        self, fetches: Structure, feed_dict: Mapping[Any, Any] | None
    ) -> tuple[Plan, list[Any], Fetches]:
        key, parsed = self._parsed(fetches)
        tensors, values = self._fed(feed_dict)
        plan_key = key, tuple(map(id, tensors))
        ready = self._ready.get(plan_key)
        if ready is None:
            ready = self._ready.setdefault(plan_key, _Ready(tensors))
        shapes = ready.shapes(values)
        plan = ready.plans.get(shapes)
        if plan is None or not self._is_good(plan):
            with self._lock:
                plan = ready.plans.get(shapes)
                if plan is None or not self._is_good(plan):
                    plan = self._prepare(ready, shapes, parsed, tensors)
        return plan, values, parsed

    def _parsed(self, fetches: Any) -> tuple[Any, Fetches]:
        kind = type(fetches)
        key: Any
        if kind is SymbolicTensor or kind is Operation:
            key = id(fetches)
        elif kind is list or kind is tuple:
            key = (kind, *map(id, fetches))
        else:
            key = None
        found = self._fetches.get(key) if key is not None else None
        if found is None:
            if not self._graph.operations:
                raise RuntimeError(
                    "The Session graph is empty. Add operations to the graph before calling run()."
                )
            found = Fetches(self._graph, fetches)
            simple = key is not None and (
                not isinstance(key, tuple)
                or all(type(each) in (SymbolicTensor, Operation) for each in fetches)
            )
            if simple:
                self._fetches[key] = found
                return key, found
        if key is not None and key in self._fetches:
            return key, found
        return (tuple(map(id, found.tensors)), tuple(map(id, found.operations))), found

    def _fed(self, feed_dict: Mapping[Any, Any] | None) -> tuple[list[SymbolicTensor], list[Any]]:
        if not feed_dict:  # TF: whatever is empty feeds nothing
            return [], []
        if type(feed_dict) is not dict:
            check_dict(feed_dict)
        graph, tensors, values = self._graph, [], []
        for key, value in feed_dict.items():
            if type(key) is SymbolicTensor and key._op.graph is graph and not graph._unfeedable:
                tensors.append(key)
                values.append(fed_value(key, value))
                continue
            for part, inner in _fed_parts(key, value):
                tensor = fed_tensor(graph, part)
                tensors.append(tensor)
                values.append(fed_value(tensor, inner))
        return tensors, values

    def _is_good(self, plan: Plan) -> bool:
        """Whether neither the graph nor the devices have changed since a plan was made."""
        epoch = PROCESS.epoch
        return (
            plan.epoch is epoch
            and self._placed_for is epoch
            and self._placed_version == self._graph.version
        )

    def _prepare(
        self, ready: _Ready, shapes: Any, parsed: Fetches, tensors: Sequence[SymbolicTensor]
    ) -> Plan:
        """Places the graph if it has changed, and makes a plan."""
        self._place()
        host = INVENTORY.devices()[0]
        dims = [None] * len(tensors) if shapes in (None, "any") else map(tuple, shapes)
        dependents = feed_dependents(tensors) if tensors else None
        options = PlanOptions(
            [host] * len(tensors), list(dims), None, self.soft, True, self._kept, self._placed,
            dependents=dependents, strips=self._strips,
        )  # fmt: skip
        plan = ready.plans[shapes] = build_foreseen(
            tensors, parsed.tensors, parsed.operations, options
        )
        return plan

    def _place(self) -> None:
        graph = self._graph
        if self._placed_version == graph.version and self._placed_for is PROCESS.epoch:
            return
        version, epoch = graph.version, PROCESS.epoch
        operations = list(graph.operations)
        if TASKS_HERE and not self._target:
            refuse_tasks(operations)
        if not self._is_pruned:  # else each plan places what it runs
            self._placed = place_graph(operations, INVENTORY.devices(), self.soft, strict=True)
        self._placed_version, self._placed_for = version, epoch
        for ready in list(self._ready.values()):
            ready.plans.clear()
        if self.logs_placement and self._logged_version != version:
            self._logged_version = version
            tell_places(operations, self._placed) if self._placed else None

    def _kept(self, operation: Operation, device: Device) -> Any:
        """What an operation makes that stays in this session: a variable's memory, a queue."""
        listed = self._graph._by_name.get(
            operation.name, operation
        )  # a plan's own copy has another device
        try:
            return self._resources.get(listed, device)
        except OpError as error:
            raise located(error, operation) from error

    def _call(self, plan: Plan, values: Sequence[Any]) -> list[Any]:
        """Runs a plan on raw values; returns NumPy values."""
        if plan.is_blocking:
            with self._waiting.entered():
                return self._call_now(plan, values)
        return self._call_now(plan, values)

    def _call_now(self, plan: Plan, values: Sequence[Any]) -> list[Any]:
        state = LOCAL.state
        around, state.draws = state.draws, self._draws
        try:
            if plan.is_instrumented:
                if plan.reservation is not None:
                    arrays = plan.reservation.run_for_host(values, as_arrays)
                    if arrays is not None:
                        return arrays
                kinds = INVENTORY.devices()[0].kinds
                given = [
                    make_tensor(v, kinds.get(v.dtype) or kinds[dtypes.as_dtype(v.dtype).raw])
                    for v in values
                ]
                # Where memory is set aside the plan runs itself; else its failures are told here.
                reserves = plan.reservation is not None
                return as_arrays(plan(given) if reserves else plan.run(*given))
            return as_arrays(plan.run(*values))
        except Exception as error:
            raise self._of_graph(plan.failure(error)) from error
        finally:
            state.draws = around

    def _of_graph(self, error: Exception) -> Exception:
        """An error that names the program's operation where a plan ran one recorded again."""
        if isinstance(error, OpError) and isinstance(error.op, Operation):
            error._op = self._graph._by_name.get(error.op.name, error.op)
        return error

    def make_callable(
        self, fetches: Structure, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Returns a function that runs `fetches` on values for the tensors of `feed_list`.

        Args:
            fetches: see `run`.
            feed_list: tensors; the function takes their values in this order, and what is wrong
                with them or the fetches it says when it is called.
            accept_options: whether the function takes `options` and `run_metadata` as well; with
                `feed_list` it does.

        Raises:
            TypeError: `feed_list` is no list.
            ValueError: a fetch means nothing.
            CancelledError: from the function, if the session is closed by then; a RuntimeError with
                `feed_list`, as `run` raises it.
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError(
                f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}"
            )
        if feed_list is not None:
            return self._fed_callable(fetches, feed_list)
        parsed = Fetches(self._graph, fetches)  # says at once what is wrong with them

        def call_with(options: object = None, run_metadata: object = None) -> Any:
            if self._closed:
                raise CancelledError(None, None, "Session has been closed.")
            if not parsed.tensors and not parsed.operations:
                raise invalid_argument(_NOTHING)
            return self.run(fetches, None, options, run_metadata)

        def call() -> Any:
            return call_with()

        return call_with if accept_options else call

    def _fed_callable(self, fetches: Structure, feed_list: Sequence[Any]) -> Callable[..., Any]:
        def call(*values: Any, **more: Any) -> Any:
            return self.run(fetches, dict(zip(feed_list, values, strict=False)), **more)

        return call

    def _make_callable_from_options(self, callable_options: Any) -> Callable[..., list[Any]]:
        """Returns a function that runs what a `CallableOptions` names, for Keras 2."""
        return of_options(self, callable_options)

    def partial_run_setup(self, fetches: Structure, feeds: Any = None) -> str:
        """Announces a run in several calls of `partial_run`.

        Args:
            fetches: everything that the calls will fetch.
            feeds: the tensors that they will feed.

        Returns:
            The handle for `partial_run`.

        Raises:
            RuntimeError: the session is closed.
            InvalidArgumentError: there are neither fetches nor operations.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        parsed = Fetches(self._graph, fetches)
        given = [fed_tensor(self._graph, each) for each in feeds or ()]
        if not parsed.tensors and not parsed.operations:
            raise refused(_NOTHING)
        handle = f"partial_run_{next(_HANDLES)}"
        self._partial[handle] = PartialRun(parsed.tensors, parsed.operations, given)
        return handle

    def partial_run(
        self, handle: str, fetches: Structure, feed_dict: Mapping[Any, Any] | None = None
    ) -> Any:
        """Goes on with a run: feeds some tensors, fetches others. Each operation runs once.

        Args:
            handle: what `partial_run_setup` returned.
            fetches: some of what was announced, each once.
            feed_dict: values for some of the tensors that were announced, each once.

        Returns:
            The values; see `run`.

        Raises:
            InvalidArgumentError: something was not announced, came before, or needs more feeds.
            RuntimeError: the session is closed.
        """
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        partial = self._partial.get(handle)
        if partial is None:
            raise refused("Must run 'setup' before performing partial runs!")
        parsed = Fetches(self._graph, fetches)
        announced = [*parsed.tensors, *parsed.operations]
        fed = {
            fed_tensor(self._graph, part): inner
            for key, value in (feed_dict or {}).items()
            for part, inner in _fed_parts(key, value)
        }
        partial.take(fed, announced)
        operations = partial.next_nodes(announced)
        tensors_to_keep = partial.kept(operations)
        effects = [
            operation
            for operation in operations
            if not operation.outputs or operation.record.stateful
        ]
        values = self.run([tensors_to_keep, effects], dict(partial.values))[0] if operations else []
        partial.values.update(zip(tensors_to_keep, values, strict=True))
        if partial.is_over:
            del self._partial[handle]
        return parsed.build([partial.values[x] for x in parsed.tensors])

    # -- lifetime -------------------------------------------------------------------------------

    def close(self) -> None:
        """Ends it: what waits is woken, the memory of variables is given back."""
        self._closed = True
        self._waiting.end()
        self._resources.clear()
        self._ready.clear()

    def as_default(self) -> Any:
        """A scope in which it is the default session; it is not closed at the end."""
        return default_session_scope(self)

    def __enter__(self) -> BaseSession:
        scopes = [as_default(self._graph), default_session_scope(self)]
        for scope in scopes:
            scope.__enter__()
        self._scopes.append(scopes)
        return self

    def __exit__(self, *exc: object) -> None:
        for scope in reversed(self._scopes.pop()):
            scope.__exit__(*exc)
        self.close()

    @property
    def placements(self) -> dict[str, str]:
        """The devices of the graph's operations in the last run, such as "GPU:0", by name."""
        return {node.name: at.device.short_name for node, at in self._placed.items()}

    @property
    def resources(self) -> Resources:
        """What it keeps between runs: variables' memory, queues, readers."""
        return self._resources

    def reset_resources(self) -> None:
        """Forgets the values of all variables."""
        self._resources.clear()
        self._ready.clear()


class Session(BaseSession):
    """Runs a graph (`tf.compat.v1.Session`).

    Args:
        target: "" for a session of its own; or a server's `target`: then the session shares the
            variables and queues of the cluster's tasks with all sessions on them.
        graph: the graph; the default one if None.
        config: a `tf.compat.v1.ConfigProto`: soft placement, logging, devices, memory.

    Raises:
        TypeError: an argument has another type.
        NotFoundError: there is no such server in this process.

    >>> import emplace.tensorflow as tf
    >>> with tf.Graph().as_default(), Session() as session:
    ...     print(session.run(tf.constant(2.0) * 3.0))
    6.0
    """

    def __enter__(self) -> BaseSession:
        if self._scopes:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you "
                "want to enter a session multiple times."
            )
        return super().__enter__()


class InteractiveSession(BaseSession):
    """A session that is the default one from the start (`tf.compat.v1.InteractiveSession`)."""

    _active = 0

    def __init__(self, target: str = "", graph: Graph | None = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        if InteractiveSession._active:
            log.error(
                "An interactive session is already active. This can cause out-of-memory errors or "
                "some other unexpected errors (due to the unpredictable timing of garbage "
                "collection) in some cases. You must explicitly call "
                "`InteractiveSession.close()` to release resources held by the other session(s)."
            )
        InteractiveSession._active += 1
        self._scopes.append([as_default(self._graph) if graph is not None else None,
                             default_session_scope(self)])  # fmt: skip
        for scope in self._scopes[-1]:
            if scope is not None:
                scope.__enter__()

    def close(self) -> None:
        """Ends it; it is the default session no more."""
        if not self._closed and self._scopes:
            stack = default_sessions()
            if stack and stack[-1] is not self:
                raise AssertionError(f"Nesting violated for default stack of {type(self)} objects")
            for scope in reversed(self._scopes.pop()):
                if scope is not None:
                    scope.__exit__(None, None, None)
            InteractiveSession._active -= 1
        super().close()


def get_default_session() -> BaseSession | None:
    """The session of the innermost scope (`tf.compat.v1.get_default_session`); None if there is
    none.
    """
    stack = default_sessions()
    return stack[-1] if stack else None


class _DeviceAttributes:
    """What `list_devices` tells of a device."""

    def __init__(self, device: Device) -> None:
        self.name = device.name
        self.device_type = device.type
        self.memory_limit_bytes = device.limit_bytes or 268435456
        self.incarnation = id(device)

    def __repr__(self) -> str:
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation})"
        )


_NOTHING = "Must specify at least one target to fetch or execute."

_HANDLES = itertools.count(1)


def _fed_parts(key: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """A tuple of keys takes a tuple of values; a composite takes its parts' values."""
    if isinstance(key, (list, tuple)):
        for part, inner in zip(key, value, strict=True):
            yield from _fed_parts(part, inner)
    elif isinstance(key, CompositeTensor) and hasattr(key, "_as_graph_element"):
        yield key._as_graph_element(), value
    elif isinstance(key, CompositeTensor):
        yield from zip(key.components(), parts_of(key, value), strict=False)
    else:
        yield key, value
