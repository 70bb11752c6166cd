"""Compares outcomes: bit for bit, or by the noise that the program's own arithmetic shows.

Where bits differ the program is run again eagerly with a rounding error or two more in every float
that it makes. How far its results move is how far another order of sums may move them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import emplace.tensorflow as tf

from .world import Outcome

_FACTOR = 16.0
"""Several times what was seen in a few runs: kernels round more often than once per operation."""
_FLOOR = 2e-6
# What AutoGraph refuses of a loop, also in a branch that is traced, and not taken.
_BREAK = "break and return statements which depend on a TF condition"


def difference(one: Outcome, other: Outcome, noisy: Callable[[], list[Outcome]]) -> str | None:
    """What `other` has that `one` has not; None if they are the same.

    Args:
        one: the outcome that is right.
        other: the outcome of another way.
        noisy: makes outcomes of the program with noise in its arithmetic, if they are needed.
    """
    if any(isinstance(run, ValueError) and "may not be fed" in str(run) for run in other.runs):
        return None  # a known value that was needed as a plain number, which the session says
    if any("RandomGammaGrad" in str(run) for run in other.runs if isinstance(run, LookupError)):
        return None  # a graph needs second derivatives of branches that do not run, too
    if not other.is_traced and any(isinstance(run, NotImplementedError) for run in one.runs):
        return None  # AutoGraph refuses what Python alone may do, such as a break by a tensor
    if any(isinstance(run, NotImplementedError) and _BREAK in str(run) for run in other.runs):
        return None
    pairs = list(_pairs(one, other))
    if all(_is_same(a, b) for _, a, b in pairs):
        return None
    shaken = [{where: b for where, _, b in _pairs(one, each)} for each in noisy()]
    for where, a, b in pairs:
        moved = [each[where] for each in shaken if where in each]
        if not _is_same(a, b) and not _is_noise(a, b, moved):
            return f"{where}: {_text_of(b)} instead of {_text_of(a)}"
    return None


def _pairs(one: Outcome, other: Outcome) -> Iterator[tuple[str, Any, Any]]:
    for i, (a, b) in enumerate(zip(one.runs, other.runs, strict=True)):
        if isinstance(a, Exception) or isinstance(b, Exception):
            yield f"run {i}", a, b
            continue
        for j, (x, y) in enumerate(zip(a, b, strict=True)):
            yield f"run {i}, result {j}", x, y
    if any(type(run) is ValueError for run in other.runs) or not other.variables:
        return  # what comes before an operation that is refused while tracing does not run
    for name in one.variables:
        yield f"variable {name}", one.variables[name], other.variables.get(name)


def _is_same(a: Any, b: Any) -> bool:
    if isinstance(a, Exception) or isinstance(b, Exception) or b is None:
        return type(a) is type(b) or _is_refused(a, b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tobytes() == b.tobytes() if a.dtype != object else bool((a == b).all())


def _is_refused(a: Any, b: Any) -> bool:
    """Whether shapes that fail in one run are refused in tracing in the other, by a ValueError:
    tensors that a function takes from around it are constants of its trace.
    """
    return {type(a), type(b)} == {tf.errors.InvalidArgumentError, ValueError}


def _is_noise(a: Any, b: Any, moved: list[Any]) -> bool:
    """Whether two results differ by no more than noise moves one of them."""
    if isinstance(a, Exception) or isinstance(b, Exception) or b is None:
        return any(isinstance(a, Exception) != isinstance(each, Exception) for each in moved)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    moved = [each for each in moved if getattr(each, "shape", None) == a.shape]
    if a.dtype.kind not in "fc":
        return all((a == b) | np.any([a != each for each in moved], axis=0).ravel()) if (
            moved) else False  # fmt: skip
    with np.errstate(invalid="ignore"):
        most = np.max([np.abs(each - a) for each in moved] or [np.zeros(a.shape)], axis=0)
        scale = np.abs(a).max(initial=1.0)
        near = np.abs(a - b) <= _FACTOR * most.max(initial=0.0) + _FLOOR * scale
        return bool((near | (np.isnan(a) & np.isnan(b)) | (a == b)).all())


def _text_of(value: Any) -> str:
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {str(value)[:300]}"
    return np.array2string(value, precision=9) if hasattr(value, "shape") else repr(value)
