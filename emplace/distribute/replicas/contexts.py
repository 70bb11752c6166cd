"""What a thread speaks of under a strategy: one replica, or all of them at once.

`LOCAL.state.strategy` holds a `Context`, or None outside of strategies. There is one object per
strategy and replica, so that the traces of functions may be told apart by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...core.context import LOCAL
from ...eager.target import eager_target
from ...graph.recording.scopes import current_graph


class StrategyContext:
    """What a thread speaks of.

    Attributes:
        strategy: the current strategy.
        replica: the context of the replica that runs; None where all of them are spoken of.
        updates: the number of the component of a variable that is being updated; else None.
    """

    __slots__ = ("replica", "strategy", "updates")

    def __init__(self, strategy: Any, replica: Any = None, updates: int | None = None) -> None:
        self.strategy = strategy
        self.replica = replica
        self.updates = updates

    def variable(self, kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What `tf.Variable(...)` makes here."""
        return self.strategy.extended._create_variable(kind, args, kwargs)

    @property
    def number(self) -> int | None:
        """The number of the replica, or of the component that is being updated; None for all."""
        return self.updates if self.replica is None else self.replica._replica_id


class entered:  # noqa: N801  # reads as a word
    """A scope in which this thread speaks of something else."""

    __slots__ = ("_before", "_context")

    def __init__(self, context: StrategyContext | None) -> None:
        self._context = context

    def __enter__(self) -> None:
        state = LOCAL.state
        self._before = state.strategy, state.target
        state.strategy = self._context
        if state.target.is_eager:
            state.target = eager_target(self._context is not None)

    def __exit__(self, *exc: object) -> None:
        state = LOCAL.state
        state.strategy, target = self._before
        if target.is_eager and state.target.is_eager:
            state.target = target


def current() -> StrategyContext | None:
    """What this thread speaks of; None outside of strategies."""
    found: StrategyContext | None = LOCAL.state.strategy
    return found


def check_same(strategy: Any) -> None:
    """Raises RuntimeError if another strategy is the current one."""
    context = current()
    if context is not None and context.strategy is not strategy:
        raise RuntimeError(
            f"Mixing different tf.distribute.Strategy objects: {context.strategy} is not {strategy}"
        )


def require_scope(strategy: Any) -> None:
    """Raises RuntimeError outside of a strategy's scope, and in its replicas."""
    context = current()
    if context is None:
        raise RuntimeError(f'Need to be inside "with strategy.scope()" for {strategy}')
    check_same(strategy)
    if context.replica is not None:
        refuse_replica()


def require_all(strategy: Any) -> None:
    """Raises RuntimeError in a replica, and under another strategy."""
    context = current()
    if context is not None:
        check_same(strategy)
        if context.replica is not None:
            refuse_replica()


def refuse_replica() -> NoReturn:
    """Refuses what is for all replicas at once."""
    raise RuntimeError(
        "Method requires being in cross-replica context, use get_replica_context().merge_call()"
    )


def has_strategy() -> bool:
    """Whether a strategy's scope is open (`tf.distribute.has_strategy`)."""
    context = current()
    return context is not None and not context.strategy._is_default


def in_cross_replica_context() -> bool:
    """Whether all replicas are spoken of at once (`tf.distribute.in_cross_replica_context`)."""
    context = current()
    return context is not None and context.replica is None


def session_graph() -> Any:
    """The graph of a session that variables are made in now; None in eager mode, functions of it
    among it."""
    graph: Any = current_graph()
    while graph is not None and graph.is_function:
        graph = None if graph.make_variable_here is not None else graph.outer
    return graph
