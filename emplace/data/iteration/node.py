"""A pipeline as a chain of nodes, and one run through it.

A node says what its elements are and how to go through them: `start(run)` returns a Python iterator
of raw elements, which are sequences of components (torch tensors, arrays of texts). An error that
such an iterator raises is the error of one element: the next call goes on behind it.

What a node needs from outside may be tensors of a graph, when a pipeline is built in one: they are
known to a `Run` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch

from ...base.errors import invalid_argument
from ...core.symbolic_value import specialise_on
from ...core.tensor import EagerTensor, Tensor
from ...devices.inventory import INVENTORY
from ...graph.representation.graph import SymbolicTensor
from ...ops.convert import to_tensor
from ..elements.structure import Element, Structure
from .position import Calls

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


class Run:
    """One pass through a pipeline: the values of the graph's tensors that it needs, what nodes
    keep from pass to pass, None where they keep it themselves, and how far the random operations
    of its functions have come, which begin anew in each pass.
    """

    __slots__ = ("bindings", "draws", "kept")

    def __init__(
        self, bindings: Mapping[int, Any] | None = None, kept: dict[Any, Any] | None = None,
        draws: dict[Any, int] | None = None,
    ) -> None:  # fmt: skip
        self.bindings = bindings or {}
        self.kept = kept
        self.draws: dict[Any, int] = {} if draws is None else draws

    def raw(self, tensor: Any) -> Any:
        """The raw value of a tensor, on the host."""
        if isinstance(tensor, EagerTensor):
            device = tensor._kind.device
            return tensor._value if device.type == "CPU" else on_host((tensor._value,), device)[0]
        return self.bindings[id(tensor)]

    def number(self, value: Any) -> int:
        """A parameter that is an integer or a tensor of one."""
        return value if type(value) is int else int(self.raw(value))

    def memory(self, node: Node) -> dict[str, Any]:
        """What a node keeps from pass to pass."""
        return node.kept if self.kept is None else self.kept.setdefault(id(node), {})

    def within(self, bindings: Mapping[int, Any], kept: dict[Any, Any] | None) -> Run:
        """The run of a pipeline that a function of this one made."""
        kept = self.kept if kept is None else kept
        return Run({**self.bindings, **bindings}, kept, self.draws)


#: Tells the value of a parameter; None if it is not known yet.
Numbers = Callable[[Any], int | None]


class Node:
    """A source or a transformation. Classes below set `structure` and `cardinality`."""

    label: ClassVar[str] = "Dataset"
    follows: ClassVar[bool] = False  # whether its elements are where its input's are
    is_map: ClassVar[bool] = False  # whether it calls a function for each element
    has_symbolic_position: ClassVar[bool] = True  # whether TensorFlow's symbolic checkpoints do it

    structure: Structure
    cardinality: int

    def __init__(self, *inputs: Node) -> None:
        self.inputs = inputs if self.follows else tuple(map(_read_on_host, inputs))
        self.options: Any = None
        self.kept: dict[str, Any] = {}
        self.device: Any = None  # the device of its elements; None for the host

    @property
    def input(self) -> Node:
        """What it transforms."""
        return self.inputs[0]

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return []

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        raise NotImplementedError

    def number_in(self, run: Run) -> int:
        """How many elements a pass has, INFINITE or UNKNOWN: as `cardinality`, but what only a run
        knows counts, too.
        """
        if self.cardinality != UNKNOWN:
            return self.cardinality
        return self.counted([node.number_in(run) for node in self.inputs], run.number)

    def counted(self, there: Sequence[int], number: Numbers) -> int:
        """How many elements it has if its inputs have so many.

        Args:
            there: the numbers of its inputs; each may be INFINITE or UNKNOWN.
            number: tells a parameter's value, None where that is not known yet.
        """
        return UNKNOWN

    def rows(self, run: Run) -> Rows | None:
        """Its elements as numbers of rows of tensors, if that is what they are."""
        return None

    def within(self, run: Run) -> list[tuple[Node, Run]]:
        """The pipelines whose elements it has, with the pass through each."""
        return [(node, run) for node in self.inputs]

    def made_by_functions(self) -> Iterator[tuple[Node, Sequence[Any]]]:
        """The nodes that its functions make, with the graph's tensors that each needs."""
        for each in vars(self).values():
            tell = getattr(type(each), "made_nodes", None)
            for node, symbols in () if tell is None else tell(each):
                yield node, symbols
                waiting = [node]
                while waiting:
                    inner = waiting.pop()
                    waiting += inner.inputs
                    yield from inner.made_by_functions()

    def settle(self, run: Run) -> None:
        """Draws what later passes depend on, such as seeds, so that it can be saved."""

    def skip(self, run: Run) -> None:
        """Counts a pass that nobody goes through."""

    def outer_state(self) -> str | None:
        """The op of its function that reads or changes what no position holds, if there is one."""
        for each in vars(self).values():
            tell = getattr(type(each), "outer_state", None)
            found: str | None = None if tell is None else tell(each)
            if found is not None:
                return found
        return None


def _read_on_host(node: Node) -> Node:
    return node if node.device is None else Returned(node)


def as_many(self: Node, there: Sequence[int], number: Numbers) -> int:
    """As many elements as its input has: `counted` of nodes that keep each."""
    return there[0]


class Returned(Node):
    """The elements of a node of another device, on the host again: all transformations but a few
    work there.
    """

    follows = True
    counted = as_many

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.structure, self.cardinality = node.structure, node.cardinality

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        device = self.input.device
        return Calls(partial(on_host, device=device), self.input.start(run))


def on_host(values: Element, device: Any) -> Element:
    """Raw values of a device on the host."""
    host = INVENTORY.devices()[0]
    return [host.take(x, device) if isinstance(x, torch.Tensor) else x for x in values]


class Rows:
    """Elements that are rows of tensors, or what functions make of such rows.

    Attributes:
        columns: the tensors, raw, one for each component.
        order: the numbers of the rows, in the order of the elements.
        whole: how many there are, if they are all rows in their order; else None.
        steps: functions of elements that treat every row alike; `one` takes elements, `many` takes
            columns.
    """

    __slots__ = ("columns", "order", "steps", "whole")

    def __init__(
        self, columns: list[Any], order: Iterator[int], whole: int | None = None,
        steps: tuple[RowwiseFunction, ...] = (),
    ) -> None:  # fmt: skip
        self.columns = columns
        self.order = order
        self.whole = whole
        self.steps = steps


class RowwiseFunction(NamedTuple):
    """A function of elements that treats every row alike."""

    one: Callable[[Iterator[Element]], Iterator[Element]]
    many: Callable[..., Element]


def symbols_of(node: Node) -> list[SymbolicTensor]:
    """The tensors of graphs that a pipeline needs, each once."""
    found: dict[int, SymbolicTensor] = {}
    waiting = [node]
    while waiting:
        each = waiting.pop()
        waiting += each.inputs
        found.update((id(x), x) for x in each.needs() if isinstance(x, SymbolicTensor))
    return list(found.values())


def parameter(value: Any, least: int | None = None, text: str = "") -> Any:
    """A parameter as a plain integer, or as the tensor of a graph that tells it later.

    Args:
        value: a number or a tensor.
        least: the least that it may be.
        text: what to say otherwise.

    Raises:
        InvalidArgumentError: it is less.
        TypeError: it is no integer.
    """
    if isinstance(value, Tensor) or hasattr(value, "handle"):
        value = to_tensor(value)
        known = value.static_value()
        if known is None:
            return value
        specialise_on(value)
        value = known
    if isinstance(value, (float, np.floating, str, bytes)):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int64")
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    if least is not None and number < least:
        raise invalid_argument(text)
    return number


def known(value: Any) -> int | None:
    """A parameter, if it is known by now."""
    return value if type(value) is int else None
