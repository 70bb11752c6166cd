"""How far two sides of a comparison are apart, and how that is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...base.typing import TensorLike
from ...devices.name import LOCALHOST
from .variable_snapshots import Touched

_MOST_HINTS = 3


class Gap(NamedTuple):
    """How far replicas and one device are apart: the largest difference, what is allowed where one
    part of the larger numbers is, and both values if they are one number each.
    """

    size: float
    scale: float = 1.0
    many: float | None = None
    one: float | None = None


class Difference(NamedTuple):
    """What differs: the step, counted from 0, the name, the largest difference, what is allowed.

    `is_loss` says that the step returned it; `variable` is the distributed variable, or None;
    `is_split` says that its components differ from each other.
    """

    step: int
    name: str
    gap: Gap
    allowed: float
    is_loss: bool
    variable: Any
    is_split: bool

    def __str__(self) -> str:
        gap = self.gap
        values = "" if gap.many is None else f" ({gap.many:.7g} and {gap.one:.7g})"
        return f"{self.name} differs by {gap.size:.3g}{values}; {self.allowed:.3g} is allowed"


@dataclass
class Equivalence:
    """What a comparison of replicas and one device found. It is true if nothing differs.

    Attributes:
        devices: those of the replicas; the first one is the one that was compared with.
        tolerance: how far apart numbers may be, relative to numbers above 1.
        steps: how many steps were compared.
        differences: what differs after the first step after which something does, in the order in
            which the program met it, losses first.
        largest: the largest difference of all, allowed or not, and where it was.
        hints: what may be the cause.
    """

    devices: Sequence[str]
    tolerance: float
    steps: int = 0
    num_losses: int = 0
    num_variables: int = 0
    differences: list[Difference] = field(default_factory=list)
    largest: tuple[float, str, int] = (0.0, "", 0)
    hints: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.differences

    @property
    def first_variable(self) -> str | None:
        """The name of the first variable that differs; None if none does."""
        return next((each.name for each in self.differences if not each.is_loss), None)

    def note(
        self, step: int, name: str, gap: Gap, is_loss: bool = False, variable: Any = None,
        is_split: bool = False,
    ) -> None:  # fmt: skip
        """Notes how far both sides are apart in one thing."""
        allowed = self.tolerance * max(1.0, gap.scale)
        if gap.size > self.largest[0] or math.isnan(gap.size):
            self.largest = gap.size, name, step
        if not gap.size <= allowed:
            found = Difference(step, name, gap, allowed, is_loss, variable, is_split)
            self.differences.append(found)

    def __str__(self) -> str:
        return "\n".join(self._same() if self else self._different())

    __repr__ = __str__

    @property
    def _sides(self) -> str:
        return f"{len(self.devices)} replicas and on {_short(self.devices[0])} alone"

    def _same(self) -> list[str]:
        what = [_count(self.num_losses, "loss", "losses"), _count(self.num_variables, "variable")]
        compared = " and ".join(each for each in what if each) or "nothing"
        size, name, step = self.largest
        where = f" ({name}, step {step})" if size else ""
        return [
            f"equivalent: {_count(self.steps, 'step')} on {self._sides} agree in {compared}",
            f"the largest difference is {size:.3g}{where}",
        ]

    def _different(self) -> list[str]:
        lines = [f"not equivalent: step {self.steps - 1} on {self._sides} gives something else"]
        lines += [f"  {each}" for each in self.differences if each.is_loss]
        variables = [each for each in self.differences if not each.is_loss]
        of_all = f"of {_count(self.num_variables, 'variable') or 'no variables'}"
        if variables:
            lines.append(f"  the first variable: {variables[0]}")
        lines.append(f"  {of_all} {_differ(len(variables))}")
        return lines + [f"  perhaps: {each}" for each in self.hints]


def _count(number: int, what: str, many: str = "") -> str:
    return f"{number} {what if number == 1 else many or what + 's'}" if number else ""


def _differ(number: int) -> str:
    return f"{number or 'none'} {'differ' if number > 1 else 'differs'}"


def _short(name: str) -> str:
    return name.removeprefix(f"{LOCALHOST}/device:")


def gap(parts: Sequence[Any], one: Any) -> Gap:
    """How far the farthest of some arrays is from one."""
    gaps = [_apart(part, one) for part in parts]
    return max(gaps, key=lambda each: math.inf if math.isnan(each.size) else each.size)


def _apart(a: TensorLike, b: TensorLike) -> Gap:
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return Gap(math.inf)
    if a.dtype.kind not in "fiucV" and b.dtype.kind not in "fiucV":
        return Gap(0.0 if np.array_equal(a, b) else math.inf)
    if not a.size:
        return Gap(0.0)
    kind = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    a, b = a.astype(kind), b.astype(kind)
    size = float(np.abs(a - b).max()) if not np.array_equal(a, b) else 0.0
    if kind is np.complex128 or a.size > 1:
        return Gap(size, float(np.abs(b).max()))
    return Gap(size, float(np.abs(b).max()), float(a.reshape(())), float(b.reshape(())))


def loss_gap(many: Sequence[Any], one: Sequence[Any]) -> Gap:
    """How far what replicas returned is from what one device did: their scalars add up or are all
    that of the whole, their rows are put together.
    """
    expected = one[0]
    ways = [many[0]] if len(many) == 1 else _ways(many, expected)
    gaps = [_apart(each, expected) for each in ways]
    return min(gaps, key=lambda each: math.inf if math.isnan(each.size) else each.size)


def _ways(many: Sequence[Any], expected: Any) -> list[Any]:
    shapes = {part.shape for part in many}
    if all(part.ndim for part in many) and sum(len(part) for part in many) == len(
        np.atleast_1d(expected)
    ):
        return [np.concatenate(many)]
    if len(shapes) > 1:
        return [many[0]]
    total = sum(np.asarray(part, np.float64) for part in many)
    is_whole = all(np.array_equal(part, many[0]) for part in many)
    return [total, many[0]] if is_whole else [total]


def hints(found: Equivalence, touched: Touched) -> list[str]:
    """What may be the cause of a difference."""
    if found:
        return []
    made = [
        _of_loss(found), _of_draws(touched), *map(_of_variable, found.differences),
        _of_rounding(found),
    ]  # fmt: skip
    return list(dict.fromkeys(each for each in made if each))[:_MOST_HINTS]


def _of_loss(found: Equivalence) -> str:
    count = len(found.devices)
    for each in found.differences:
        many, one = each.gap.many, each.gap.one
        if each.is_loss and many is not None and one and math.isfinite(many):
            if abs(many / one - count) < 0.35 * count:
                return (
                    f"the loss is about {count} times that of one device: divide by the size of "
                    "the whole batch (tf.nn.compute_average_loss), not by that of a replica's part"
                )
            return ""
    return ""


def _of_variable(each: Difference) -> str:
    variable = each.variable
    if variable is None:
        return ""
    if "moving_" in each.name:
        return (
            f"{each.name.rsplit('/', 1)[0]} is a batch norm with each replica's own moments: "
            "use BatchNormalization(synchronized=True)"
        )
    kind = variable.aggregation.name
    if kind == "ONLY_FIRST_REPLICA":
        return (
            f"{each.name} has the aggregation ONLY_FIRST_REPLICA: what the other replicas assign "
            "is left out"
        )
    if kind == "NONE" and each.is_split:
        return (
            f"{each.name} has no aggregation: each replica's component is its own, so give it one "
            "(tf.VariableAggregation.SUM or MEAN)"
        )
    return ""


def _of_rounding(found: Equivalence) -> str:
    if any(each.is_loss or each.gap.size > 1000 * each.allowed for each in found.differences):
        return ""
    return (
        "rounding: a gradient that is 0 but for rounding (of a bias before a batch norm, say) is a "
        "whole step for optimizers that divide by its size, such as Adam"
    )


def _of_draws(touched: Touched) -> str:
    if not touched.draws:
        return ""
    name, line = next(iter(touched.draws))
    where = "" if line is None else f", {line}"
    return (
        f"the step draws random numbers ({name}{where}), and each replica draws others: dropout "
        "and noise cannot be compared, turn them off for the comparison"
    )
