"""The state of a `tf.random.Generator`: for Philox the counter in two words, and the key."""

from __future__ import annotations

import threading

import torch

from ...base import dtypes
from ..infer import Spec
from ..op import CPU_ONLY, op
from ..variables.resource import Storage
from .philox import block

_LOCK = threading.Lock()
_RESERVED = 256  # counters that TensorFlow sets aside for each number
_BITS64 = (1 << 64) - 1


def signed(number: int) -> int:
    """A word of 64 bits as an int64."""
    number &= _BITS64
    return number - (1 << 64) if number >> 63 else number


def skipped(state: list[int], delta: int) -> list[int]:
    """The state after so many numbers."""
    counter = (state[0] & _BITS64 | (state[1] & _BITS64) << 64) + delta * _RESERVED
    return [signed(counter), signed(counter >> 64), state[2]]


def read_and_skip_kernel(resource: Storage, *, delta: int) -> torch.Tensor:
    """The state, which then is that after so many numbers."""
    with _LOCK:
        value: torch.Tensor = resource.read()
        before = value.clone()
        after = torch.tensor(skipped(before.tolist(), delta))
        if value.is_cpu:
            resource.write(after)
        else:  # a replica's, on its GPU
            resource.put_back(after)
        return before


READ_AND_SKIP = op(
    "RngReadAndSkip", "resource: resource, delta: host -> value: int64", read_and_skip_kernel,
    lambda resource, *, delta: Spec((3,), dtypes.int64), device_types=CPU_ONLY, stateful=True,
    is_listed=False,
)  # fmt: skip


def of_replica(key: int, number: int) -> int:
    """The key of a replica, where all replicas have the same state."""
    low, high, *_ = block(key & _BITS64, number)
    return low | high << 32


def replica_state_kernel(state: torch.Tensor, *, number: int) -> torch.Tensor:
    """The state with the key of a replica."""
    low, high, key = state.tolist()
    return torch.tensor([low, high, signed(of_replica(key, number))])


REPLICA_STATE = op(
    "_RngReplicaState", "state: int64, number: host -> value: int64", replica_state_kernel,
    lambda state, *, number: Spec((3,), dtypes.int64), device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip
