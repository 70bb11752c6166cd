"""What a plan calls the values of tensors, and on which devices they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ....devices.device import Device
from ...representation.graph import SymbolicTensor


class Values:
    """Names and devices by the ids of tensors; `roots` are tensors whose values others have."""

    __slots__ = ("devices", "names", "roots")

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.devices: dict[int, Device] = {}
        self.roots: dict[int, SymbolicTensor] = {}

    def name(self, x: SymbolicTensor) -> str:
        """What a value is called."""
        return self.names[id(x)]

    def device(self, x: SymbolicTensor) -> Device:
        """The device that a value is on."""
        return self.devices[id(x)]

    def root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        return self.roots.get(id(x), x)

    def is_known(self, x: SymbolicTensor) -> bool:
        """Whether a value has a name by now."""
        return id(x) in self.names

    def enter(self, x: SymbolicTensor, name: str, device: Device) -> None:
        """A value gets a name."""
        self.names[id(x)], self.devices[id(x)] = name, device

    def shared(self, keys: Iterable[int]) -> dict[int, list[int]]:
        """The ids of tensors that have the values of others, by the ids of those others; where such
        a value has a name by now, they get it.
        """
        shared: dict[int, list[int]] = {}
        for key in keys:
            x = self.roots[key]
            if id(x) in self.names:
                self.share([key], x)
            else:
                shared.setdefault(id(x), []).append(key)
        return shared

    def share(self, keys: Sequence[int], x: SymbolicTensor) -> None:
        """The tensors with these ids get the value of `x`; unless that is gone, for then nobody
        needs them either.
        """
        if id(x) in self.names:
            name, device = self.names[id(x)], self.devices[id(x)]
            for key in keys:
                self.names[key], self.devices[key] = name, device

    def end(self, values: Iterable[SymbolicTensor]) -> list[str]:
        """The names of values that nobody needs any more, which have none from now on."""
        names = self.names
        return [names.pop(id(x)) for x in values]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope whose names end with it."""
        before = dict(self.names)
        try:
            yield
        finally:
            self.names = before
