"""Random numbers: uniform, normal, shuffle; and seeds.

TensorFlow's rules for seeds hold (a global seed, a seed per op, both or neither), its numbers do
not: the generators are torch's, one per device. After `set_seed` a program gets the same numbers
in every run on the same devices.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType, as_dtype
from ..base.errors import invalid_argument
from ..core.context import PROCESS, at_reset
from ..devices.device import Device
from . import infer
from .convert import static_ints, to_tensor
from .elementwise import add, multiply, subtract
from .op import apply, op

_LOCK = threading.Lock()
_DEFAULT_GRAPH_SEED = 87654321


class _Seeds:
    """The global seed and how many unseeded ops have drawn since it was set."""

    def __init__(self) -> None:
        self.value: int | None = None
        self.drawn = 0
        self.per_op: dict[int, int] = {}

    def next(self, seed: int | None) -> int | None:
        """The seed of the next draw; None for one nobody can repeat."""
        with _LOCK:
            if self.value is None and seed is None:
                if PROCESS.deterministic:
                    raise RuntimeError(
                        "Random ops require a seed to be set when determinism is enabled. Please "
                        "set a seed before running the op, e.g. by calling tf.random.set_seed(1)."
                    )
                return None
            if seed is None:
                self.drawn += 1
                return _mix(self.value or 0, self.drawn, 0)
            times = self.per_op[seed] = self.per_op.get(seed, 0) + 1
            return _mix(_DEFAULT_GRAPH_SEED if self.value is None else self.value, seed, times)


def _mix(*numbers: int) -> int:
    """One 63-bit number that depends on all of these (splitmix64's finalizer, chained)."""
    state = 0
    for number in numbers:
        state = (state + number * 0x9E3779B97F4A7C15 + 0xD1B54A32D192ED03) % 2**64
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) % 2**64
        state ^= state >> 31
    return state % 2**63


_SEEDS = _Seeds()


@at_reset
def _forget_seeds() -> None:
    _SEEDS.__init__()  # type: ignore[misc]


def _generator(device: Device, seed: int | None) -> torch.Generator:
    if seed is not None:
        return torch.Generator(device.torch_device).manual_seed(seed)
    if device.generator is None:
        device.generator = torch.Generator(device.torch_device)
        device.generator.seed()
    return device.generator


def uniform_kernel(
    *, shape: Sequence[int], dtype: DType, seed: int | None, device: Device
) -> torch.Tensor:
    """Floats from 0 up to, not including, 1."""
    return torch.rand(
        shape,
        dtype=dtype.torch,
        device=device.torch_device,
        generator=_generator(device, seed),
    )


def normal_kernel(
    *, shape: Sequence[int], dtype: DType, seed: int | None, device: Device
) -> torch.Tensor:
    """Floats with mean 0 and deviation 1."""
    return torch.randn(
        shape,
        dtype=dtype.torch,
        device=device.torch_device,
        generator=_generator(device, seed),
    )


def uniform_int_kernel(
    *,
    shape: Sequence[int],
    minval: int,
    maxval: int,
    dtype: DType,
    seed: int | None,
    device: Device,
) -> torch.Tensor:
    """Integers from minval up to, not including, maxval."""
    return torch.randint(
        minval, maxval, tuple(shape),
        dtype=dtype.torch, device=device.torch_device, generator=_generator(device, seed),
    )  # fmt: skip


def shuffle_kernel(value: Any, *, seed: int | None) -> Any:
    """The rows in another order."""
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    order = torch.randperm(value.shape[0], generator=generator)
    return value[order.to(value.device)] if torch.is_tensor(value) else value[order.numpy()]


def _made(*, shape: Sequence[int], dtype: DType, **attrs: Any) -> infer.Spec:
    return infer.Spec(tuple(shape), dtype)


_MADE = "shape: host -> output: dtype"
RANDOM_UNIFORM = op("RandomUniform", _MADE, uniform_kernel, _made, makes=True, stateful=True)
RANDOM_NORMAL = op("RandomStandardNormal", _MADE, normal_kernel, _made, makes=True, stateful=True)
RANDOM_UNIFORM_INT = op(
    "RandomUniformInt", "shape: host, minval: host, maxval: host -> output: dtype",
    uniform_int_kernel, _made, makes=True, stateful=True,
)  # fmt: skip
RANDOM_SHUFFLE = op(
    "RandomShuffle", "value: T -> output: T", shuffle_kernel, infer.same, stateful=True,
    T=dtypes.ANY,
)  # fmt: skip


def set_seed(seed: int) -> None:
    """Makes the random ops that follow repeatable (`tf.random.set_seed`).

    Raises:
        TypeError: `seed` is no integer.
    """
    with _LOCK:
        _SEEDS.__init__()  # type: ignore[misc]
        _SEEDS.value = int(seed)


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Numbers spread evenly from minval up to, not including, maxval (`tf.random.uniform`).

    Args:
        shape: the shape.
        minval: the smallest number.
        maxval: the end; 1 for floats, required for integers.
        dtype: the dtype.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.

    Raises:
        ValueError: integers without maxval, or another kind of dtype.
        InvalidArgumentError: minval is not below maxval.
    """
    wanted, sizes = as_dtype(dtype), static_ints(shape, "a shape")
    drawn = _SEEDS.next(seed)
    if wanted.is_integer:
        if maxval is None:
            raise ValueError("Must specify maxval for integer dtype tf." + wanted.name)
        low, high = int(minval), int(maxval)
        if low >= high:
            raise invalid_argument(
                f"Need minval < maxval, got {low} >= {high} [Op:RandomUniformInt]"
            )
        attrs = {"shape": sizes, "minval": low, "maxval": high, "dtype": wanted, "seed": drawn}
        return apply(RANDOM_UNIFORM_INT, (), attrs)
    if not wanted.is_floating:
        raise ValueError(f"Argument `dtype` got invalid value {wanted}: use a float or an integer.")
    result = apply(RANDOM_UNIFORM, (), {"shape": sizes, "dtype": wanted, "seed": drawn})
    if maxval is None and isinstance(minval, (int, float)) and minval == 0:
        return result
    low = to_tensor(minval, hint=wanted)
    width = subtract(to_tensor(1 if maxval is None else maxval, hint=wanted), low)
    return add(multiply(result, width), low)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Numbers with a mean and a standard deviation (`tf.random.normal`).

    Args:
        shape: the shape.
        mean: the mean, a number or tensor that broadcasts.
        stddev: the standard deviation, likewise.
        dtype: a floating dtype.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.
    """
    wanted = as_dtype(dtype)
    attrs = {
        "shape": static_ints(shape, "a shape"), "dtype": wanted, "seed": _SEEDS.next(seed),
    }  # fmt: skip
    result = apply(RANDOM_NORMAL, (), attrs)
    scaled = multiply(result, to_tensor(stddev, hint=wanted))
    return add(scaled, to_tensor(mean, hint=wanted))


def shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Any:
    """The rows of a tensor in a random order (`tf.random.shuffle`)."""
    return apply(RANDOM_SHUFFLE, (to_tensor(value),), {"seed": _SEEDS.next(seed)})
