"""The seed of a graph, from which its random operations take theirs."""

from __future__ import annotations

from ...core.context import LOCAL
from ...graph.recording.default import get_default_graph
from ...ops.random.stateful import get_seed as get_seed, set_seed


def set_random_seed(seed: int) -> None:
    """Makes the random operations that follow repeatable: every session draws the same numbers,
    others in each run (`tf.compat.v1.set_random_seed`).
    """
    if LOCAL.state.target.is_eager:
        set_seed(seed)
    else:
        get_default_graph().seed = seed
