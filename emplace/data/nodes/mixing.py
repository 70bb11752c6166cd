"""Elements of several datasets, picked by another dataset or by chance; elements left out by
chance.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...base import dtypes, log
from ...base.errors import FailedPreconditionError, OpError, invalid_argument
from ...base.typing import IntLike, TensorLike
from ...core.tensor import Tensor
from ...core.tensor_spec import TensorSpec
from ..elements.structure import Element, Structure
from ..functions.traced import Traced
from ..iteration.node import INFINITE, UNKNOWN, Node, Numbers, Run, known
from ..iteration.position import Placed, restored, saved
from ..iteration.seeds import (
    Chances,
    fresh_seeds,
    generator,
    generator_at,
    needed_for,
    samples_at,
    samples_of_pass,
    seeds_of,
    state_of,
)
from .transforms import Kept, Mapped, common_spec


class Directed(Node):
    """Elements of several datasets in turns that another dataset tells.

    Args:
        choices: the numbers of the datasets.
        nodes: the datasets.
        stops: end with the first dataset that ends; else it is passed over.
    """

    label = "DirectedInterleaveDataset"

    def __init__(self, choices: Node, nodes: Sequence[Node], stops: bool) -> None:
        super().__init__(choices, *nodes)
        self.stops = stops
        spec = nodes[0].structure.spec
        for i, node in enumerate(nodes[1:], 1):
            try:
                spec = common_spec(spec, node.structure.spec)
            except TypeError:
                raise _unfit(i, nodes[0].structure.spec, node.structure.spec) from None
        self.structure = Structure(spec)
        is_infinite = any(node.cardinality == INFINITE for node in nodes)
        self.cardinality = INFINITE if is_infinite else UNKNOWN  # TF: whatever is chosen

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        choices, *nodes = self.inputs
        return _AsTold(choices.start(run), [node.start(run) for node in nodes], self.stops)


class _AsTold(Placed):
    """Items of several iterators, in turns that another one tells."""

    __slots__ = ("chosen", "open", "stops")
    position: ClassVar[tuple[str, ...]] = ("chosen", "open")

    def __init__(self, chosen: Iterator[Element], items: Sequence[Any], stops: bool) -> None:
        self.chosen, self.stops = chosen, stops
        self.open: list[Iterator[Element] | None] = list(items)

    def __next__(self) -> Element:
        while any(items is not None for items in self.open):
            place = int(next(self.chosen)[0])
            if not 0 <= place < len(self.open):
                raise invalid_argument(f"Selector index out of range: {place} >= {len(self.open)}")
            items = self.open[place]
            values = None if items is None else next(items, None)
            if values is not None:
                return values
            if items is not None and self.stops:
                self.open = [None] * len(self.open)  # and it stays ended
                break
            self.open[place] = None
        raise StopIteration


def _unfit(number: int, one: object, other: object) -> TypeError:
    return TypeError(
        "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
        f"element_spec={one}.\n Dataset {number} element_spec={other}."
    )


class Weighted(Node):
    """Numbers drawn by their weights, without an end."""

    def __init__(self, weights: Sequence[float] | Tensor, seeds: object, changes: bool) -> None:
        super().__init__()
        self.weights = weights
        self.seeds, self.changes = seeds, changes
        self.structure = Structure(TensorSpec((), dtypes.int64))
        self.cardinality = -1

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        given = self.weights
        return _Drawn(self, run, run.raw(given).numpy() if isinstance(given, Tensor) else given)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        weights = [self.weights] if isinstance(self.weights, Tensor) else []
        return [*weights, *needed_for(self.seeds)]

    def settle(self, run: Run) -> None:
        """Draws the seeds."""
        seeds_of(run, self)


class _Drawn(Placed):
    """Numbers drawn by their shares."""

    __slots__ = ("_chances", "_node", "_run", "_sums")

    def __init__(self, node: Weighted, run: Run, weights: object) -> None:
        self._node, self._run, self._sums = node, run, sums_of(weights)
        self._chances: Chances | None = None

    def __next__(self) -> Element:
        if self._chances is None:
            self._chances = _chances_of(self._run, self._node)
        return (drawn(self._sums, self._chances),)

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"random": None if self._chances is None else self._chances.save()}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self._chances = _chances_at(parts["random"])


def _chances_of(run: Run, node: Weighted | WeightedInTurn) -> Chances:
    return Chances(samples_of_pass(run, node, node.changes or not node.seeds))


def _chances_at(place: list[int] | None) -> Chances | None:
    return None if place is None else Chances(samples_at(place))


def sums_of(weights: object) -> list[float]:
    """How likely each number and those before it are, times a factor; all are alike where no weight
    is above 0. They are rounded as TensorFlow rounds them, which draws by logarithms.
    """
    numbers = np.asarray(weights, np.float32 if isinstance(weights, list) else None)
    found = np.clip(numbers.reshape(-1), 0, None)
    if not found.any():
        found = np.ones_like(found)
    with np.errstate(divide="ignore"):
        logits = np.log(found).astype(np.float64)
    sums: list[float] = np.exp(logits - logits.max()).cumsum().tolist()
    return sums


def drawn(sums: list[float], chances: Chances) -> int:
    """The number that the next chance draws."""
    return bisect.bisect_right(sums, chances.next() * sums[-1])


class WeightedInTurn(Node):
    """A number drawn by each of the weights that a dataset has.

    Args:
        weights: vectors.
        count: how many weights there must be.
        seeds: of the draws.
        changes: whether each pass has others.
    """

    def __init__(self, weights: Node, count: int, seeds: object, changes: bool) -> None:
        super().__init__(weights)
        self.count, self.seeds, self.changes = count, seeds, changes
        self.structure = Structure(TensorSpec((), dtypes.int64))
        self.cardinality = weights.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _DrawnInTurn(self, run)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return needed_for(self.seeds)

    def settle(self, run: Run) -> None:
        """Draws the seeds."""
        seeds_of(run, self)


class _DrawnInTurn(Placed):
    """A number for each vector of weights."""

    __slots__ = ("chances", "items", "node", "run")

    def __init__(self, node: WeightedInTurn, run: Run) -> None:
        self.node, self.run, self.items = node, run, node.input.start(run)
        self.chances: Chances | None = None

    def __next__(self) -> Element:
        (weights,) = next(self.items)
        if tuple(weights.shape) != (self.node.count,):
            raise invalid_argument(
                f"Weights of {self.node.count} datasets have the shape {list(weights.shape)}."
            )
        if self.chances is None:
            self.chances = _chances_of(self.run, self.node)
        return (drawn(sums_of(weights.numpy()), self.chances),)

    def save(self) -> dict[str, Any]:
        """Its position."""
        random = None if self.chances is None else self.chances.save()
        return {"items": saved(self.items), "random": random}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        self.items = restored(self.items, parts["items"])
        self.chances = _chances_at(parts["random"])


class Resample(Node):
    """Pairs of a class and an element, left out by chance so that classes have wanted shares.

    Args:
        node: the elements.
        function: tells the class of an element.
        shares: the wanted share of each class, and the shares that they have; None to count these
            on the way.
        seeds: of the chances.
    """

    label = "DirectedInterleaveDataset"

    def __init__(
        self, node: Node, function: Traced, shares: Sequence[Any], seeds: TensorLike
    ) -> None:
        super().__init__(node)
        self.function = function
        self.target, self.initial = shares
        self.seeds = seeds
        self.structure = Structure((function.structure.spec, node.structure.spec))
        self.cardinality = UNKNOWN

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [*self.function.captures, *needed_for(self.seeds)]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _Resampled(self, run)


class _Resampled(Placed):
    """Pairs of a class and an element, of which some are left out."""

    __slots__ = ("classes", "counts", "initial", "items", "random", "target")
    position: ClassVar[tuple[str, ...]] = ("classes", "counts")

    def __init__(self, node: Resample, run: Run) -> None:
        seeds: Any = seeds_of(run, node) if node.seeds else fresh_seeds()
        self.random: Any = generator(seeds, 0)
        self.target, self.initial = np.asarray(node.target, np.float64), node.initial
        self.counts = [1.0] * len(self.target)
        self.items = Kept(node.input.start(run))
        self.classes = Mapped(self.items, node.function, node.function.caller(run))

    def __next__(self) -> Element:
        while True:
            found = next(self.classes)
            if self._is_kept(int(found[0])):
                return [*found, *self.items.last]

    def _is_kept(self, kind: int) -> bool:
        if self.initial is None:
            self.counts[kind] += 1
            shares = np.asarray(self.counts) / sum(self.counts)
        else:
            shares = np.asarray(self.initial, np.float64)
        chances = np.divide(self.target, shares, out=np.zeros_like(self.target), where=shares > 0)
        return bool(self.random.random() * chances.max() < chances[kind])

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {**super().save(), "random": state_of(self.random)}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        super().restore(parts)
        self.random = generator_at(parts["random"])


class IgnoreErrors(Node):
    """The elements that do not fail."""

    label = "IgnoreErrorsDataset"
    has_symbolic_position = False

    def __init__(self, node: Node, tells: bool) -> None:
        super().__init__(node)
        self.tells = tells
        self.structure = node.structure
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _Unfailing(self.input.start(run), self.tells)


class _Unfailing(Placed):
    """The items that do not fail."""

    __slots__ = ("items", "tells")
    position: ClassVar[tuple[str, ...]] = ("items",)

    def __init__(self, items: Iterator[Element], tells: bool) -> None:
        self.items, self.tells = items, tells

    def __next__(self) -> Element:
        while True:
            try:
                return next(self.items)
            except OpError as error:
                if self.tells:
                    log.warning(f"Error raised with error message {error.message}")


class Counted(Node):
    """Elements whose number the program asserts."""

    label = "AssertCardinalityDataset"

    def __init__(self, node: Node, count: IntLike) -> None:
        super().__init__(node)
        self.structure = node.structure
        self.count = count
        self.cardinality = self.counted([node.cardinality], known)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many are asserted."""
        wanted = number(self.count)
        return UNKNOWN if wanted is None else wanted

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.count]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        return _Counted(self.input.start(run), run.number(self.count))


class _Counted(Placed):
    """Items, and an error unless there are so many."""

    __slots__ = ("found", "has_ended", "items", "wanted")
    position: ClassVar[tuple[str, ...]] = ("found", "has_ended", "items")

    def __init__(self, items: Iterator[Element], wanted: int) -> None:
        self.items, self.wanted = items, wanted
        self.found, self.has_ended = 0, False

    def __next__(self) -> Element:
        values = None if self.has_ended else next(self.items, None)
        if values is None:
            if self.has_ended or self.wanted == self.found:
                raise StopIteration
            self.has_ended = True
            raise miscounted(self.wanted, f"only {elements_shown(self.found)}")
        self.found += 1
        if 0 <= self.wanted < self.found:
            self.has_ended = True
            raise miscounted(self.wanted, f"at least {elements_shown(self.found)}")
        return values


def miscounted(wanted: int, found: str) -> FailedPreconditionError:
    """The error for elements that are not as many as was asserted."""
    expected = "an infinite number of elements" if wanted < 0 else elements_shown(wanted)
    return FailedPreconditionError(
        None, None, f"Input dataset was expected to contain {expected} but contained {found}."
    )


def elements_shown(count: int) -> str:
    """How many elements, in words."""
    return f"{count} element{'' if count == 1 else 's'}"
