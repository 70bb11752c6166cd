"""Elements of several datasets, picked by another dataset or by chance; elements left out by
chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...base import dtypes, log
from ...base.errors import FailedPreconditionError, OpError, invalid_argument
from ...base.typing import TensorLike
from ...core.tensor_spec import TensorSpec
from ..elements.structure import Element, Structure
from ..functions.traced import Traced
from ..iteration.node import UNKNOWN, Node, Run
from ..iteration.resuming import resumable
from .sources import fresh_seeds, next_pass
from .transforms import Kept, Mapped, common_spec

_LOW = (1 << 64) - 1
_DRAWS = 256


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
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        choices, *nodes = self.inputs
        open_: list[Iterator[Element] | None] = [node.start(run) for node in nodes]
        chosen = choices.start(run)

        def step() -> Element:
            while any(items is not None for items in open_):
                place = int(next(chosen)[0])
                if not 0 <= place < len(nodes):
                    raise invalid_argument(f"Selector index out of range: {place} >= {len(nodes)}")
                items = open_[place]
                values = None if items is None else next(items, None)
                if values is not None:
                    return values
                if items is not None and self.stops:
                    break
                open_[place] = None
            raise StopIteration

        return resumable(step)


def _unfit(number: int, one: object, other: object) -> TypeError:
    return TypeError(
        "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
        f"element_spec={one}.\n Dataset {number} element_spec={other}."
    )


class Chances(Node):
    """Numbers drawn by their weights, without an end."""

    def __init__(self, weights: Sequence[float], seeds: TensorLike, changes: bool) -> None:
        super().__init__()
        self.weights = np.clip(np.asarray(weights, np.float64), 0, None)
        self.seeds, self.changes = seeds, changes
        self.structure = Structure(TensorSpec((), dtypes.int64))
        self.cardinality = -1

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        random = generator(self.seeds, next_pass(run, self) if self.changes else 0)
        total = self.weights.sum()
        shares = self.weights / total if total > 0 else None
        while True:
            for place in random.choice(len(self.weights), _DRAWS, p=shares).tolist():
                yield (place,)


def generator(seeds: Any, number: int) -> np.random.Generator:
    """Random numbers for a pass, of seeds or of nothing."""
    key, counter = tuple(seeds) if seeds else fresh_seeds()
    return np.random.Generator(np.random.PCG64([key, counter >> 64, counter & _LOW, number]))


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
        return list(self.function.captures)

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        random, target = generator(self.seeds, 0), np.asarray(self.target, np.float64)
        counts = np.ones(len(target))
        items = Kept(self.input.start(run))
        classes = Mapped(items, self.function, self.function.caller(run))

        def is_kept(found: Element) -> bool:
            kind = int(found[0])
            if self.initial is None:
                counts[kind] += 1
                shares = counts / counts.sum()
            else:
                shares = np.asarray(self.initial, np.float64)
            chances = np.divide(target, shares, out=np.zeros_like(target), where=shares > 0)
            return bool(random.random() * chances.max() < chances[kind])

        def step() -> Element:
            while True:
                found = next(classes)
                if is_kept(found):
                    return [*found, *items.last]

        return resumable(step)


class IgnoreErrors(Node):
    """The elements that do not fail."""

    label = "IgnoreErrorsDataset"

    def __init__(self, node: Node, tells: bool) -> None:
        super().__init__(node)
        self.tells = tells
        self.structure = node.structure
        self.cardinality = UNKNOWN

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        items = self.input.start(run)

        def step() -> Element:
            while True:
                try:
                    return next(items)
                except OpError as error:
                    if self.tells:
                        log.warning(f"Error raised with error message {error.message}")

        return resumable(step)


class Counted(Node):
    """Elements whose number the program asserts."""

    label = "AssertCardinalityDataset"

    def __init__(self, node: Node, count: int) -> None:
        super().__init__(node)
        self.structure = node.structure
        self.cardinality = count

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        wanted, found, items = self.cardinality, 0, self.input.start(run)
        has_ended = False

        def step() -> Element:
            nonlocal found, has_ended
            values = None if has_ended else next(items, None)
            if values is None:
                if has_ended or wanted == found:
                    raise StopIteration
                has_ended = True
                raise _miscounted(wanted, f"only {_elements(found)}")
            found += 1
            if 0 <= wanted < found:
                has_ended = True
                raise _miscounted(wanted, f"at least {_elements(found)}")
            return values

        return resumable(step)


def _miscounted(wanted: int, found: str) -> FailedPreconditionError:
    expected = "an infinite number of elements" if wanted < 0 else _elements(wanted)
    return FailedPreconditionError(
        None, None, f"Input dataset was expected to contain {expected} but contained {found}."
    )


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"
