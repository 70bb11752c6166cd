"""Replicas as threads of which one runs at a time.

A replica runs until it ends or waits for the others (`meet`), then the next one runs. When all of
them wait, the thread that started them does what they wait for and hands out its results. So the
order is always the same, and one that never comes is noticed.
"""

from __future__ import annotations

import contextvars
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from ...classic.scopes.variable_scope import get_variable_scope, scope_of_thread
from ...core.context import LOCAL, ThreadState, device
from ...core.summaries import STATE as SUMMARIES
from ...devices.phantom import STANDING
from ...eager.target import eager_target
from ...graph.autograph.settings import ControlStatusCtx, control_status_ctx
from ...graph.recording.scopes import current_graph, name_scope, open_scopes, reopen_scopes
from .contexts import StrategyContext, entered
from .values import of_replica, regroup

_NESTED = (
    "`merge_call` called while defining a new graph or a tf.function. This can often happen if the "
    "function `fn` passed to `strategy.run()` contains a nested `@tf.function`, and the nested "
    "`@tf.function` contains a synchronization point, such as aggregating gradients (e.g, "
    "optimizer.apply_gradients), or if the function `fn` uses a control flow statement which "
    "contains a synchronization point in the body. Such behaviors are not yet supported. Instead, "
    "please avoid nested `tf.function`s or control flow statements that may potentially cross a "
    "synchronization boundary, for example, wrap the `fn` passed to `strategy.run` or the entire "
    "`strategy.run` inside a `tf.function` or move the control flow out of `fn`. If you are "
    "subclassing a `tf.keras.Model`, please avoid decorating overridden methods `test_step` and "
    "`train_step` in `tf.function`."
)


class _Abandoned(BaseException):
    """Ends a replica that waits for others that will not come."""


class _Around:
    """What replicas take over from the thread that starts them."""

    def __init__(self) -> None:
        self.state = LOCAL.state
        self.stand_there = STANDING.hand()
        self.graph = current_graph()
        self.scopes = None if self.graph is None else open_scopes(self.graph)
        self.status = control_status_ctx()
        self.variables = get_variable_scope()
        self.summaries = SUMMARIES.said()

    def name_of(self, number: int) -> str:
        """The scope of names of a replica: in a graph the same whenever replicas run in it."""
        if self.graph is None:
            return f"replica_{number}"
        around = self.graph.get_name_scope()
        return f"{around}/replica_{number}/" if around else f"replica_{number}/"

    def hand_to(self, state: ThreadState, context: StrategyContext) -> None:
        """Gives a new thread the state that it begins with."""
        target = self.state.target
        self.stand_there()
        state.target = eager_target(is_within=True) if target.is_eager else target
        state.scope, state.names = self.state.scope, self.state.names
        state.policy, state.draws = self.state.policy, self.state.draws
        state.strategy = context
        SUMMARIES.repeat(self.summaries)


class ReplicaThread(threading.Thread):
    """One replica: runs while it holds the baton."""

    def __init__(
        self, context: StrategyContext, device_name: str, around: _Around, work: Callable[[], Any],
        store: dict[str, list[Any]], notes: dict[Any, Any],
    ) -> None:  # fmt: skip
        super().__init__(name=f"replica {context.number}", daemon=True)
        self.context, self.device_name = context, device_name
        self.result: Any = None
        self.error: BaseException | None = None
        self.is_done = False
        self.given: Any = ()  # the arguments of all replicas
        self.request: Any = None  # what it waits for: a function, its arguments
        self.answer: Any = None
        self.scopes, self.variables = around.scopes, around.variables
        self.store = store
        self.notes = notes  # what replicas of one call tell each other
        self._taken: dict[str, int] = {}
        self._around, self._work = around, work
        self._values = contextvars.copy_context()
        self._turn, self._rest = threading.Lock(), threading.Lock()
        self._turn.acquire()
        self._rest.acquire()
        self._is_abandoned = False

    def run(self) -> None:
        """The thread: waits for its turn, does its work, gives the baton back."""
        self._turn.acquire()
        try:
            if not self._is_abandoned:
                self.result = self._values.run(self._do)
        except _Abandoned:
            pass
        except BaseException as error:
            self.error = error
        self.is_done = True
        self._rest.release()

    def _do(self) -> Any:
        around = self._around
        around.hand_to(LOCAL.state, self.context)
        if around.graph is not None and around.scopes is not None:
            reopen_scopes(around.graph, around.scopes)
        number = self.context.number or 0
        named = name_scope(around.name_of(number)) if number else _NOTHING
        status = ControlStatusCtx(around.status.status, around.status.options)
        # TF: variables that have a name are made by the first replica, and looked up by the others.
        variables = scope_of_thread(around.variables, reuse=number > 0)
        with status, device(self.device_name), named, variables:
            return self._work()

    def meet(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Waits for the others; returns its part of what `function` makes of all arguments.

        Raises:
            RuntimeError: a function is being traced in the replica.
        """
        graph = current_graph()
        if graph is not self._around.graph:
            raise RuntimeError(_NESTED)
        self.request = function, args, kwargs
        self.variables = get_variable_scope()
        if graph is not None:
            self.scopes = open_scopes(graph)
        self._rest.release()
        self._turn.acquire()
        if self._is_abandoned:
            raise _Abandoned
        if graph is not None and self.scopes is not None:
            reopen_scopes(graph, self.scopes)
        answer, self.answer = self.answer, None
        return answer

    @property
    def can_meet(self) -> bool:
        """Whether it may wait for the others here: not while another function is traced in it."""
        return current_graph() is self._around.graph

    def shared(self, name: str | None, make: Callable[[], Any]) -> Any:
        """A variable that all replicas have: the first one makes it, the others get it: of those
        that are called alike one after the other.

        Raises:
            RuntimeError: the first replica has made none.
        """
        name = _plain(name)
        made = self.store.setdefault(name, [])
        if self.context.number == 0:
            made.append(make())
            return made[-1]
        place = self._taken[name] = self._taken.get(name, -1) + 1
        if place >= len(made):
            raise RuntimeError(
                f"Tried to create variable {name} with mismatching name on device "
                f"{self.context.number}: replica 0 has made {_counted(self.store)}. Make the same "
                "variables in all replicas, or make them outside, in the strategy's scope."
            )
        return made[place]

    def go_on(self) -> None:
        """Hands it the baton and waits until it comes back."""
        self.request = None
        self._turn.release()
        self._rest.acquire()

    def abandon(self) -> None:
        """Ends it, wherever it waits."""
        self._is_abandoned = True
        while not self.is_done:
            self._turn.release()
            self._rest.acquire()
        self.join()


def _plain(name: str | None) -> str:
    """A variable's name without the numbers that make names differ, as in dense_1/kernel."""
    return "Variable" if name is None else re.sub(r"_\d+(?=/|$)", "", name)


def _counted(store: dict[str, list[Any]]) -> str:
    found = ", ".join(f"{len(made)} {name!r}" for name, made in store.items() if made)
    return found or "none"


class _Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None


_NOTHING: Any = _Nothing()


def on_replicas(
    strategy: Any, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]
) -> Any:
    """Calls `fn` on all replicas of a strategy; returns what they return, regrouped.

    Raises:
        RuntimeError: some of them wait for others that have ended.
    """
    around = _Around()
    contexts: Sequence[StrategyContext] = strategy._replicas
    store: dict[str, list[Any]] = {}
    notes: dict[Any, Any] = {}
    threads = [
        ReplicaThread(context, name, around, _work(fn, i, args, kwargs), store, notes)
        for i, (context, name) in enumerate(zip(contexts, strategy.replica_devices, strict=True))
    ]
    for thread in threads:
        thread.given = args, kwargs
    started: list[ReplicaThread] = []
    try:
        for thread in threads:
            thread.start()
            started.append(thread)
        while not _round(strategy, threads, around):
            _merge(strategy, threads, around)
        return regroup([thread.result for thread in threads])
    finally:
        for thread in started:
            thread.abandon()
        if around.graph is not None and around.scopes is not None:
            reopen_scopes(around.graph, around.scopes)


def _work(
    fn: Callable[..., Any], number: int, args: Sequence[Any], kwargs: dict[str, Any]
) -> Callable[[], Any]:
    return lambda: fn(*of_replica(number, args), **of_replica(number, kwargs))


def _round(strategy: object, threads: Sequence[ReplicaThread], around: _Around) -> bool:
    """Lets each replica run until it waits or ends; whether all have ended."""
    for thread in threads:
        thread.go_on()
        if thread.error is not None:
            _note(thread, len(threads))
            raise thread.error
    ended = [thread.context.number for thread in threads if thread.is_done]
    if not ended or len(ended) == len(threads):
        return bool(ended)
    error = RuntimeError(
        "Some replicas made a different number of replica_context().merge_call() calls."
    )
    waiting = [thread.context.number for thread in threads if not thread.is_done]
    error.add_note(f"Ended: {_listed(ended)}. Still waiting for them: {_listed(waiting)}.")
    raise error


def _listed(numbers: Sequence[int | None]) -> str:
    return "replica " + ", ".join(map(str, numbers))


def _note(thread: ReplicaThread, count: int) -> None:
    assert thread.error is not None
    thread.error.add_note(
        f"In replica {thread.context.number} of {count}, on {thread.device_name}."
    )


def _merge(strategy: Any, threads: Sequence[ReplicaThread], around: _Around) -> None:
    """Does what all replicas wait for."""
    function = threads[0].request[0]
    args = regroup([thread.request[1] for thread in threads])
    kwargs = regroup([thread.request[2] for thread in threads])
    if around.graph is not None:
        reopen_scopes(around.graph, _met(around, threads))
    with entered(strategy.cross_context), scope_of_thread(threads[0].variables):
        made = function(strategy, *args, **kwargs)
    for i, thread in enumerate(threads):
        thread.answer = of_replica(i, made)


def _met(around: _Around, threads: Sequence[ReplicaThread]) -> Any:
    """The scopes in which replicas meet: those of the first one, and what is awaited in any."""
    first, awaited = threads[0].scopes, [each.scopes[0] for each in threads if each.scopes]
    control = list(dict.fromkeys(operation for each in awaited for operation in each))
    assert first is not None
    assert around.scopes is not None
    return control, around.scopes[1], *first[2:]


def running(context: StrategyContext) -> ReplicaThread | None:
    """The thread of a replica, if this is it."""
    thread = threading.current_thread()
    is_it = isinstance(thread, ReplicaThread) and thread.context is context
    return thread if is_it else None  # type: ignore[return-value]
