"""Second derivatives in graphs, and jacobians whose size only the graph knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....core.tensor import Tensor
from ....eager.backward import backward
from ....eager.jacobians import OPEN_ROWS, jacobian
from ....ops.array.making import range_, zeros_like
from ....ops.convert import to_tensor
from ....ops.linalg.einsum import tensordot
from ...recording.gradients import calls_of, gradients, towards
from ..loops.functional import map_fn


def _open_rows(row: Callable[[Any], Sequence[Any]], count: object) -> list[Any]:
    """Rows by a loop. Which of them there are, a first row tells, which nobody needs."""
    first = row(0)
    there = [i for i, each in enumerate(first) if each is not None]

    def rows(i: object) -> list[Any]:
        made = row(i)
        return [to_tensor(made[place]) for place in there]

    signature = [to_tensor(first[place]).dtype for place in there]
    made = map_fn(rows, range_(count), fn_output_signature=signature) if there else []
    results: list[Any] = [None] * len(first)
    for place, stacked in zip(there, made, strict=True):
        results[place] = stacked
    return results


OPEN_ROWS.bind(_open_rows)


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: object = None,
    name: str = "hessians",
) -> list[Any]:
    """Records the second derivatives of the sum of `ys` for each of `xs` as operations of the graph
    (`tf.hessians`).

    Args:
        ys: a tensor or a list of tensors of a graph.
        xs: a tensor, a variable, or a list of those.
        gate_gradients: not needed: gradients run in the order of the program.
        aggregation_method: not used: sums are made at once.
        name: the name scope of the operations.

    Returns:
        A list with, per `xs`, a tensor of its shape twice.

    Raises:
        RuntimeError: in eager mode.
        ValueError: `ys` do not depend on one of `xs`.
    """
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    first_gradients = gradients(ys, sources, name=name)
    for source, first in zip(sources, first_gradients, strict=True):
        if first is None:
            raise ValueError(f"None values not supported: ys do not depend on {source!r}.")
    return [_second(to_tensor(first), x) for first, x in zip(first_gradients, sources, strict=True)]


def _second(first: Any, source: Tensor) -> Any:
    target: Any = first.graph.target
    place = target.source(getattr(source, "handle", source))

    def walk(seed: Any) -> list[Any]:
        begins = [(first, first, seed)]
        return backward(towards(calls_of(first.graph), begins), begins, [place])

    (found,) = jacobian(walk, first, [source])
    if found is None:  # the first derivative does not depend on it
        found = tensordot(zeros_like(first), zeros_like(first), 0)
    return found
