"""The results of a session as NumPy arrays that belong to the caller."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ....core.tensor import EagerTensor, to_numpy, torch_to_numpy
from ....devices.late import fetched


def _uses(values: Sequence[Any], i: int) -> tuple[int, int, int]:
    """How many hold a value, and its memory, and how many budgets count that."""
    value = values[i]
    storage = value.untyped_storage()
    uses = torch._C._storage_Use_Count(storage._cdata)
    return sys.getrefcount(value), uses, weakref.getweakrefcount(storage)


# What is told of a value that nobody else holds, which differs between versions.
_ALONE = _uses([torch.zeros(1)], 0)


# So much is copied sooner than it is known who else has it.
_SMALL_BYTES = 4096


def _is_held(uses: tuple[int, int, int]) -> bool:
    """Whether somebody besides a list and an array has a value, or its memory."""
    is_shared = uses[0] > _ALONE[0] or uses[1] > _ALONE[1] + 1  # the array is one use
    return is_shared or uses[2] > 0  # what is charged is the device's until it dies


def as_arrays(values: list[Any]) -> list[Any]:
    """Results as NumPy that belongs to the caller: scalars, and arrays that nobody else has."""
    arrays = []
    for i, value in enumerate(values):
        array, is_shared = value, True
        if isinstance(value, torch.Tensor):
            if not value.is_cpu:
                value = values[i] = fetched(value)
            array = torch_to_numpy(value)
            del value
            is_shared = array.nbytes <= _SMALL_BYTES or _is_held(_uses(values, i))
        elif isinstance(value, EagerTensor):
            array = to_numpy(value)
        if isinstance(array, np.ndarray):
            array = array[()] if not array.ndim else array.copy() if is_shared else array
        arrays.append(array)
    return arrays
