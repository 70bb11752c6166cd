"""A strategy as if it had its first device only: what a program does then is what one device does.

It stays the same object, for steps and models hold it. Its contexts are others meanwhile, so that
functions are traced anew and keep the traces that they have.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..replicas.contexts import StrategyContext, entered
from ..replicas.replica_context import ReplicaContext


@contextmanager
def first_device_only(strategy: Any, contexts: dict[str, Any]) -> Iterator[None]:
    """A block in which a strategy has one replica, and its variables their first component.

    Args:
        strategy: one of several replicas.
        contexts: keeps what the block speaks of, for blocks that go on with the same traces.
    """
    if not contexts:
        contexts.update(
            replica_devices=strategy.replica_devices[:1],
            cross_context=StrategyContext(strategy),
            _replicas=[StrategyContext(strategy, ReplicaContext(strategy, 0))],
            _updates=[StrategyContext(strategy, None, 0)],
            _lifted=weakref.WeakKeyDictionary(),
        )
    variables = list(strategy._variables.values())
    values = [each._values for each in variables]
    before = {name: getattr(strategy, name) for name in contexts}
    try:
        strategy.__dict__.update(contexts)
        for each in variables:
            each._values = each._values[:1]
        with entered(strategy.cross_context):
            yield
    finally:
        strategy.__dict__.update(before)
        for each, held in zip(variables, values, strict=True):
            each._values = held
