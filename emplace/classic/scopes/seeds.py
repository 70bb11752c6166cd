"""The seed of a graph, from which its random operations take theirs."""

from __future__ import annotations

from typing import Any

from ...core.context import LOCAL
from ...graph.recording.default import get_default_graph
from ...ops.random.stateful import next_seeds, set_seed

_DEFAULT = 87654321
_MOST = 2**31 - 1


def set_random_seed(seed: int) -> None:
    """Makes the random operations that follow repeatable: every session draws the same numbers,
    others in each run (`tf.compat.v1.set_random_seed`).
    """
    if LOCAL.state.target.is_eager:
        set_seed(seed)
    else:
        get_default_graph().seed = seed


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds that an operation would get (`tf.compat.v1.get_seed`)."""
    if LOCAL.state.target.is_eager:
        return next_seeds(op_seed)
    graph: Any = get_default_graph()
    if graph.seed is None and op_seed is None:
        return None, None
    first = _DEFAULT if graph.seed is None else graph.seed
    second = len(graph.operations) if op_seed is None else op_seed
    first, second = first % _MOST, second % _MOST
    return (0, _MOST) if (first, second) == (0, 0) else (first, second)
