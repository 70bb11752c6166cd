"""Raw values on devices: what tells one storage from another, and what it is charged with."""

from __future__ import annotations

import weakref

import torch

from ..core.tensor import EagerTensor
from ..devices.charges import Charge
from ..devices.memory import round_up


def raw(value: object) -> torch.Tensor | None:
    """The raw value of a tensor, or itself; None for what holds no memory of a device."""
    if isinstance(value, EagerTensor):
        value = value._value
    return value if isinstance(value, torch.Tensor) else None


def address(value: torch.Tensor) -> int:
    """What tells the storage of a raw value from all others that live."""
    return int(value.untyped_storage()._cdata)


def charge_of(value: torch.Tensor) -> Charge | None:
    """What a raw value's storage is charged with; None where nobody counts."""
    references = weakref.getweakrefs(value.untyped_storage())
    return next((each for each in references if isinstance(each, Charge)), None)


def nbytes_of(value: torch.Tensor) -> int:
    """What a raw value keeps of a device's memory, in bytes, as budgets count it."""
    return round_up(value.untyped_storage().nbytes())
