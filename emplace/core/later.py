"""Host arguments that are known only when a graph runs: `tf.reshape(x, [tf.shape(x)[0], -1])`.

Ops take shapes, axes and counts as plain numbers. Where a program computes them in a graph, a
`Later` stands in the number's place; the plan puts the number there before it calls the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn


class NotYetKnown(TypeError):  # noqa: N818  # it is caught, not shown
    """A number was asked for that only running the graph will tell."""


class Later:
    """One number of a symbolic tensor, or all of them.

    `tensor` is an integer tensor of a graph; `place` the element of a vector, None for a scalar,
    "all" for a tuple of all elements, or "counter" for the two words, the
    lower one first, of a number of 128 bits.
    """

    __slots__ = ("place", "tensor")

    def __init__(self, tensor: Any, place: int | str | None = None) -> None:
        self.tensor = tensor
        self.place = place

    def value(self, numbers: Any) -> Any:
        """The number, or all numbers, out of the tensor's own value as nested lists."""
        if self.place is None:
            return numbers if not isinstance(numbers, list) else numbers[0]
        if self.place == "counter":
            return numbers[0] | numbers[1] << 64
        return tuple(numbers) if self.place == "all" else numbers[self.place]

    def _refuse(self, *others: Any) -> NoReturn:
        raise NotYetKnown(
            f"The value of {self.tensor!r} is known only when the graph runs, and this function "
            "needs it now. Give it a plain number, or compute it with ops on tensors."
        )

    __index__ = __int__ = __float__ = __bool__ = __iter__ = __len__ = __getitem__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = _refuse

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<Later {self.place} of {self.tensor!r}>"


def laters(value: Any) -> Iterator[Later]:
    """Every Later in an attribute, at any depth."""
    kind = type(value)
    if kind is Later:
        yield value
    elif kind is tuple or kind is list:
        for each in value:
            yield from laters(each)
    elif kind is dict:
        for each in value.values():
            yield from laters(each)


def filled_in(value: Any, fill: Callable[[Later], Any]) -> Any:
    """An attribute with `fill(later)` in the place of every Later."""
    kind = type(value)
    if kind is Later:
        return fill(value)
    if kind is tuple or kind is list:
        return kind(filled_in(each, fill) for each in value)
    if kind is dict:
        return {name: filled_in(each, fill) for name, each in value.items()}
    return value
