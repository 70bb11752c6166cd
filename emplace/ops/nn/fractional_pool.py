"""Pooling over windows of random sizes: `tf.nn.fractional_max_pool` and `fractional_avg_pool`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..array.joining import concat
from ..convert import to_tensor
from ..deferred import deferrable
from ..infer import Spec, known_dims
from ..math.cumulative import cumsum
from ..math.elementwise import cast, ceil
from ..op import apply, op
from ..random.stateful import shuffle, uniform
from ..random.stateless import stateless_shuffle, stateless_uniform

_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


class FractionalPool(NamedTuple):
    """What a fractional pool returns: the result, and where the windows begin and end."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


def _windows(sequence: torch.Tensor, size: int, overlapping: bool) -> tuple[Any, Any]:
    """The places of each window, and which of them count: windows are of several sizes."""
    begin, end = sequence[:-1], sequence[1:] + int(overlapping)
    end = end.clamp(max=size)
    # Known from the sizes alone: to ask the sequence would make the host wait for a GPU.
    widest = size // (len(sequence) - 1) + 1 + int(overlapping)
    places = begin[:, None] + torch.arange(widest, device=sequence.device)
    counts = places < end[:, None]
    return torch.where(counts, places, begin[:, None]), counts


def _laid_out(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, overlapping: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """All windows side by side, their elements along axis 3, and which of those count."""
    row_places, row_counts = _windows(rows, value.shape[1], overlapping)
    col_places, col_counts = _windows(cols, value.shape[2], overlapping)
    picked = value[:, row_places][:, :, :, col_places]  # batch, row, in row, col, in col, channel
    picked = picked.permute(0, 1, 3, 2, 4, 5).flatten(3, 4)
    counts = row_counts[:, None, :, None] & col_counts[None, :, None, :]
    return picked, counts.flatten(2, 3)[None, :, :, :, None]


def max_pool_kernel(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, *, overlapping: bool
) -> torch.Tensor:
    """The largest element of each window; the first of equal ones gets the gradient."""
    picked, counts = _laid_out(value, rows, cols, overlapping)
    floats = value.is_floating_point()
    least = float("-inf") if floats else torch.iinfo(value.dtype).min
    place = picked.detach().masked_fill(~counts, least).argmax(3, keepdim=True)
    return picked.gather(3, place).squeeze(3)


def avg_pool_kernel(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, *, overlapping: bool
) -> torch.Tensor:
    """The mean of each window."""
    picked, counts = _laid_out(value, rows, cols, overlapping)
    total = (picked * counts.to(value.dtype)).sum(3, dtype=value.dtype)
    number = counts.sum(3).to(value.dtype)
    if value.is_floating_point():
        return total / number
    return torch.div(total, number, rounding_mode="trunc")


def _pool_spec(value: Spec, rows: Spec, cols: Spec, *, overlapping: bool) -> Spec:
    batch, _, _, channels = known_dims(value)
    return Spec((batch, known_dims(rows)[0] - 1, known_dims(cols)[0] - 1, channels), value.dtype)


_SIGNATURE = "value: T, rows: int64, cols: int64 -> output: T"
MAX_POOL = op("_FractionalMaxPool", _SIGNATURE, max_pool_kernel, _pool_spec, T=_TYPES)
AVG_POOL = op("_FractionalAvgPool", _SIGNATURE, avg_pool_kernel, _pool_spec, T=_TYPES)


def _sequence(size: int, ratio: float, pseudo_random: bool, seeds: Any) -> Tensor:
    """Where the windows of an axis begin, and where the last one ends."""
    count = int(size / ratio)
    if pseudo_random:
        return _regular(size, count, _one_number(seeds))
    small, wide = divmod(size, count)
    steps = to_tensor(np.array([small + 1] * wide + [small] * (count - wide), np.int64))
    mixed = shuffle(steps) if seeds is None else stateless_shuffle(steps, seeds)
    return concat([to_tensor(np.zeros(1, np.int64)), cumsum(mixed)], 0)


def _one_number(seeds: Any) -> Tensor:
    return uniform([]) if seeds is None else stateless_uniform([], seeds)


def _regular(size: int, count: int, chosen: Tensor) -> Tensor:
    """ceil(a (i + u)): windows of two sizes, whose order one random number decides."""
    ratio = size / count
    small = size // count
    most = min((small + 2) / ratio - 1, (size + 1 - small) / ratio - (count - 1))
    inner = ceil((cast(chosen, dtypes.float64) * most + np.arange(1.0, count)) * ratio)
    begin, end = (to_tensor(np.array([each], np.int64)) for each in (0, size))
    return concat([begin, cast(inner, dtypes.int64) - np.int64(1), end], 0)


@deferrable
def _pooled(
    record: Any, value: Any, ratios: Any, pseudo_random: bool, overlapping: bool, seeds: Any
) -> FractionalPool:
    value = to_tensor(value)
    _, height, width, _ = value.shape.as_list()
    rows = _sequence(height, ratios[1], pseudo_random, seeds)
    columns_seeds = None if seeds is None else [seeds[1], seeds[0] + 1]
    cols = _sequence(width, ratios[2], pseudo_random, columns_seeds)
    pooled = apply(record, (value, rows, cols), {"overlapping": bool(overlapping)})
    return FractionalPool(pooled, rows, cols)


def _ratios(pooling_ratio: Any) -> list[float]:
    given = list(pooling_ratio) if isinstance(pooling_ratio, (list, tuple)) else [pooling_ratio]
    made = [1.0, *given * 2, 1.0] if len(given) == 1 else given
    if any(each < 1.0 for each in made):
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: {pooling_ratio=}")
    if len(made) != 4 or made[0] != 1.0 or made[3] != 1.0:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. Received: "
            f"{pooling_ratio=}"
        )
    return made


def _functions(
    name: str, record: object, what: str
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    def v2(
        value: TensorLike, pooling_ratio: object, pseudo_random: bool = False,
        overlapping: bool = False, seed: int = 0, name: str | None = None,
    ) -> FractionalPool:  # fmt: skip
        seeds = [seed, 0] if seed else None
        return _pooled(record, value, _ratios(pooling_ratio), pseudo_random, overlapping, seeds)

    def v1(
        value: TensorLike, pooling_ratio: object, pseudo_random: bool = False,
        overlapping: bool = False, deterministic: bool = False, seed: int = 0, seed2: int = 0,
        name: str | None = None,
    ) -> FractionalPool:  # fmt: skip
        if (seed or seed2) and not deterministic:
            raise invalid_argument("Both seed and seed2 should be 0 if deterministic is false.")
        seeds = [seed, seed2] if deterministic else None
        return _pooled(record, value, _ratios(pooling_ratio), pseudo_random, overlapping, seeds)

    doc = f"""Returns {what} of windows of random sizes (`tf.{{}}nn.{name}`).

    Args:
        value: [batch, height, width, channels].
        pooling_ratio: how much smaller the result is, at least 1: a number for both axes, or
            four for all, of which the first and the last are 1.
        pseudo_random: whether windows of different sizes alternate more evenly.
        overlapping: whether a window has its last row and column in common with the next.
        {{}}seed: not 0: the windows are the same in every call.
        {{}}name: a name in graphs.

    Returns:
        A named tuple: `output`, and where windows begin in rows and columns, int64, with the end
        of the last one behind.
    """
    v2.__doc__ = doc.format("", "", "")
    v1.__doc__ = doc.format(
        "compat.v1.", "deterministic: whether seeds of 0 count too.\n        ",
        "seed2: a second seed.\n        ",
    )  # fmt: skip
    v1.__name__ = v2.__name__ = v1.__qualname__ = v2.__qualname__ = name
    return v2, v1


fractional_max_pool, fractional_max_pool_v1 = _functions(
    "fractional_max_pool", MAX_POOL, "the largest elements"
)
fractional_avg_pool, fractional_avg_pool_v1 = _functions(
    "fractional_avg_pool", AVG_POOL, "the means"
)
