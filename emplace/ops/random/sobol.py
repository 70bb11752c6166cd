"""Sobol sequences: points that fill a cube evenly, the same every time."""

from __future__ import annotations

import functools
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.typing import DTypeLike, IntLike
from ...core.tensor import Tensor
from ...devices.device import Device
from ..arguments import one_int, one_of
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

_BITS = 30  # of the direction numbers, and of the fractions that they make
_MOST_DIMENSIONS = 21200


@functools.lru_cache(maxsize=8)
def _directions(dim: int) -> torch.Tensor:
    """The direction numbers of Joe and Kuo: a row per dimension, a column per bit."""
    return torch.quasirandom.SobolEngine(dim).sobolstate  # type: ignore[no-untyped-call]


def sobol_kernel(
    *, dim: int, num_results: int, skip: int, dtype: DType, device: Device
) -> torch.Tensor:
    """Points of the sequence, a row each. The point before the first, all zeros, is left out."""
    _sobol_spec(dim=dim, num_results=num_results, skip=skip, dtype=dtype)
    numbers = torch.arange(skip + 1, skip + 1 + num_results)
    gray = (numbers ^ (numbers >> 1))[:, None]
    directions = _directions(dim)
    made = torch.zeros(num_results, dim, dtype=torch.int64)
    for bit in range((skip + num_results).bit_length()):
        made ^= (gray >> bit & 1) * directions[:, bit]
    return (made.to(torch.float64) * 2.0**-_BITS).to(dtype.torch)


def _sobol_spec(*, dim: int, num_results: int, skip: int, dtype: DType) -> Spec:
    if dim < 1:
        raise invalid_argument("dim must be at least one")
    if dim > _MOST_DIMENSIONS:
        raise invalid_argument(f"dim must be at most {_MOST_DIMENSIONS}")
    if num_results < 1:
        raise invalid_argument("num_results must be at least one")
    if skip < 0:
        raise invalid_argument("skip must be non-negative")
    if num_results + skip >= 2**_BITS:
        raise invalid_argument(
            f"num_results+skip must be less than {2**_BITS}: the sequence has no more points"
        )
    return Spec((num_results, dim), dtype)


SOBOL_SAMPLE = op(
    "SobolSample", "dim: host, num_results: host, skip: host -> samples: dtype",
    sobol_kernel, _sobol_spec, is_factory=True, is_listed=False,
    device_types=CPU_ONLY,
)  # fmt: skip


def sobol_sample(
    dim: IntLike,
    num_results: IntLike,
    skip: IntLike = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Returns points of the Sobol sequence in a cube of side 1 (`tf.math.sobol_sample`).

    Args:
        dim: how many dimensions the cube has, at least 1.
        num_results: how many points, at least 1.
        skip: how many points to leave out before.
        dtype: float32 or float64.
        name: a name in graphs.

    Returns:
        A tensor [num_results, dim] of that dtype, of numbers in [0, 1).

    Raises:
        InvalidArgumentError: a number is out of range, or another dtype is asked for.

    >>> sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    wanted = one_of("dtype", as_dtype(dtype), (dtypes.float32, dtypes.float64))
    given: dict[str, Any] = {"dim": dim, "num_results": num_results, "skip": skip}
    numbers = {key: one_int(value, f"{key} must be a scalar") for key, value in given.items()}
    return apply(SOBOL_SAMPLE, (), {**numbers, "dtype": wanted})
