"""The raw value of a variant tensor: a list of raw values.

Graphs keep in it what a TensorArray holds, and what a loop saves for its gradient. A list never
changes once it is a tensor's value: ops copy it first. None stands for an element that nobody
wrote; in the gradient of a list for zeros, of a shape that only the reader knows, and such a list
may be shorter than what it is the gradient of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..base.typing import DeviceLike
from ..devices.device import Device


class TensorList:
    """A list of raw values, all on one device.

    `shape` and `dtype` are those of the variant tensor. `only` is the place of the one element
    that is there, where that is known: sums need not look at the others then.
    """

    __slots__ = ("items", "only")

    shape = ()
    ndim = 0
    dtype = "variant"

    def __init__(self, items: list[Any], only: int | None = None) -> None:
        self.items = items
        self.only = only

    def __repr__(self) -> str:
        return "<TensorList>"

    def with_items(self, items: list[Any]) -> TensorList:
        """The same kind of list of other elements."""
        return TensorList(items)

    def changed(self, change: Callable[[Any], Any]) -> TensorList:
        """The same of other values, one for each of its own."""
        made = self.with_items([change(each) for each in self.items])
        made.only = self.only
        return made

    def plus(self, other: TensorList) -> TensorList | None:
        """The sum with another one, where a class adds up in its own way; None to add elements up.

        Raises:
            InvalidArgumentError: the other one does not fit.
        """
        return None


class StackedList(TensorList):
    """A list whose elements are the slices of one tensor along its first axis. They become tensors
    of their own when somebody asks for `items`.
    """

    __slots__ = ("_made", "tensor")

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.only = None
        self._made: list[Any] | None = None

    @property
    def items(self) -> list[Any]:  # type: ignore[override]
        """The elements."""
        if self._made is None:
            self._made = list(self.tensor.unbind(0))
        return self._made


def taken_list(value: TensorList, device: DeviceLike, source: Device) -> TensorList:
    """A list of copies on `device` of values that live on `source`, within its budget."""
    return value.changed(lambda each: _taken(each, device, source))


def _taken(value: object, device: Any, source: Any) -> Any:
    if value is None or isinstance(value, np.ndarray):
        return value
    if isinstance(value, TensorList):
        return taken_list(value, device, source)
    if device.budget is None:
        return device.take(value, source)
    return device.budget.allocate(value, lambda: device.take(value, source), "copy of a list")
