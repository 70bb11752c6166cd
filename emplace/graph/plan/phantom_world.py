"""The world of phantoms that a plan is run in: devices, and what stands in for values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ...core.context import LOCAL, is_soft
from ...core.tensor import EagerTensor, make_tensor
from ...core.tensor_list import TensorList
from ...devices.device import Device
from ...devices.inventory import INVENTORY
from ...devices.phantom import (
    MOST_REAL_BYTES,
    Moment,
    Unprojectable,
    is_phantom,
    like,
    phantoms_of,
)
from ...eager.place import place
from ...eager.target import PhantomTarget
from ...ops.op import kernel_types
from ...ops.variables.resource import Storage
from ..representation.graph import Operation


class World:
    """Phantoms of all devices, and what stands in for the values of a program.

    Args:
        devices: the devices to stand in for.
        most_kernels: how much may run.
        stops: at how many bytes each keeps a list of what it holds.
        kinds: what variables are, by the ids of their storages: "parameters", "slots".
        places_anew: whether the devices are others than the program has.
    """

    def __init__(
        self, devices: Sequence[Device], most_kernels: int, stops: Sequence[int | None] = (),
        kinds: Mapping[int, str] | None = None, places_anew: bool = False,
    ) -> None:  # fmt: skip
        self.kinds = kinds or {}
        self._places_anew = places_anew
        self.moment = Moment(most_kernels)
        self.devices = phantoms_of(devices, self.moment, stops)
        self._of = {id(real): phantom for real, phantom in zip(devices, self.devices, strict=True)}
        self._of |= {id(phantom): phantom for phantom in self.devices}
        self._tensors: dict[int, tuple[EagerTensor, EagerTensor]] = {}
        self._storages: dict[int, tuple[Storage, Storage]] = {}
        self._memories: dict[int, torch.Tensor] = {}
        self._homes: dict[int, str] = {}

    def of(self, device: Device) -> Device:
        """The phantom of a device."""
        found = self._of.get(id(device))
        if found is None:  # of before a reset, or one that this world lacks
            same = [each for each in self.devices if each.short_name == device.short_name]
            found = same[0] if same else self.devices[0]
        return found

    @contextmanager
    def standing(self) -> Iterator[None]:
        """A scope in which this thread is in this world, and ops of eager mode run there."""
        state = LOCAL.state
        target = PhantomTarget()
        before = state.target, state.tapes
        with INVENTORY.standing_in(self, target):
            state.target, state.tapes = target, ()
            try:
                yield
            finally:
                state.target, state.tapes = before

    # -- values ---------------------------------------------------------------------------------

    def tensor(self, eager: EagerTensor, name: str = "constants") -> EagerTensor:
        """What stands in for a tensor, or for a variable by its handle; `name` is what it is."""
        if any(eager._kind.device is each for each in self.devices):
            return eager
        found = self._tensors.get(id(eager))
        if found is None:
            device = self._device_for(eager)
            value = self.value(eager._value, device, name=name)
            made = make_tensor(value, device.kind(eager.dtype))
            found = self._tensors[id(eager)] = eager, made
        return found[1]

    def _device_for(self, eager: EagerTensor) -> Device:
        """Where a tensor is in this world: where the program's devices are others, there where it
        would have been made.
        """
        origin = eager._origin
        if not self._places_anew or origin is None:
            return self.of(eager._kind.device)
        route = origin.route
        types = [kind.dtype for kind in route.in_kinds]
        able = kernel_types(route.op, types)
        return place(route.op.name, able, types, None, route.scope, self.devices, is_soft()).device

    def value(self, raw: Any, device: Device, is_known: bool = True, name: str = "inputs") -> Any:
        """What stands in for a raw value on a phantom device, charged there."""
        if isinstance(raw, Storage):
            return self._storage(raw, device)
        if isinstance(raw, TensorList):
            return TensorList(
                [self.value(each, device, is_known, name) for each in raw.items], raw.only
            )
        if not isinstance(raw, torch.Tensor):
            return raw
        made = self._memory(raw, is_known)
        _charge(device, made, name)
        return made

    def unknown(self, spec: Any, device: Device) -> EagerTensor:
        """A tensor of a shape, nobody knows of which elements.

        Raises:
            Unprojectable: its shape is not known.
        """
        if spec.dtype.torch is None or spec.dims is None or None in spec.dims:
            raise Unprojectable(f"the shape of an argument is {spec.dims}")
        made = torch.empty(spec.dims, dtype=spec.dtype.torch, device="meta")
        _charge(device, made, "inputs")
        return make_tensor(made, device.kind(spec.dtype))

    def _memory(self, raw: torch.Tensor, is_known: bool) -> torch.Tensor:
        if is_phantom(raw):
            return raw
        nbytes = raw.numel() * raw.element_size()
        if is_known and type(raw) is torch.Tensor and raw.is_cpu and nbytes <= MOST_REAL_BYTES:
            return raw.clone()
        storage = raw.untyped_storage()
        found = self._memories.get(storage._cdata)
        if found is None:
            found = self._memories[storage._cdata] = like(raw)
            return found
        made = torch.empty(0, dtype=raw.dtype, device="meta")
        return made.set_(  # a view of what stands in for that memory
            found.untyped_storage(), raw.storage_offset(), raw.shape, raw.stride()
        )

    def _storage(self, real: Storage, device: Device) -> Storage:
        found = self._storages.get(id(real))
        if found is None:
            made = Storage(
                real.name, real.dtype, real.value_shape, device.budget, device.torch_device
            )
            if isinstance(real.value, torch.Tensor):
                made.value = like(real.value)
                _charge(device, made.value, self.kinds.get(id(real), "variables"))
            else:
                made.value = real.value
            found = self._storages[id(real)] = real, made
            self._homes[id(real)] = device.short_name
        return found[1]

    def variables(self) -> list[tuple[int, str, str]]:
        """What something stands in for: the id of a variable's memory, its name, and its device."""
        return [(number, real.name, self._homes[number]) for number, (real, _) in
                self._storages.items()]  # fmt: skip

    # -- what sessions keep ---------------------------------------------------------------------

    def resources(
        self, find: Callable[[Operation, Device], Any]
    ) -> Callable[[Operation, Device], Any]:
        """What stands in for what a session keeps, which `find` finds."""

        def found(operation: Operation, device: Device) -> Any:
            real = find(operation, device)
            if isinstance(real, Storage):
                return self._storage(real, device)
            return real

        return found


def _charge(device: Device, value: torch.Tensor, name: str) -> None:
    if device.budget is not None:
        device.budget.settle(0, (value,), name)
