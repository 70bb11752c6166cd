"""Pooling over windows of random sizes: `tf.nn.fractional_max_pool` and `fractional_avg_pool`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.context import PROCESS
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..deferred import deferrable
from ..infer import Spec, known_dims
from ..op import Op, apply, op
from ..random.philox import of_op_seeds
from ..random.stateful import get_seed
from .fractional_windows import SEQUENCES, window_counts

_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64)


class FractionalPool(NamedTuple):
    """What a fractional pool returns: the result, and where the windows begin and end."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


def _windows(
    sequence: torch.Tensor, size: int, overlapping: bool, is_regular: bool
) -> tuple[Any, Any]:
    """The places of each window, and which of them count: windows are of several sizes."""
    begin, end = sequence[:-1].clamp(min=0), sequence[1:] + int(overlapping)
    end = end.clamp(max=size)
    if is_regular:
        # Known from the sizes alone: to ask the sequence would make the host wait for a GPU.
        widest = size // (len(sequence) - 1) + 1 + int(overlapping)
    else:
        widest = max(1, *(end - begin).tolist())
    places = begin[:, None] + torch.arange(widest, device=sequence.device)
    counts = places < end[:, None]
    return torch.where(counts, places, begin[:, None].clamp(max=max(size - 1, 0))), counts


def _laid_out(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, overlapping: bool,
    is_regular: bool = True,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """All windows side by side, their elements along axis 3, and which of those count."""
    row_places, row_counts = _windows(rows, value.shape[1], overlapping, is_regular)
    col_places, col_counts = _windows(cols, value.shape[2], overlapping, is_regular)
    picked = value[:, row_places][:, :, :, col_places]  # batch, row, in row, col, in col, channel
    picked = picked.permute(0, 1, 3, 2, 4, 5).flatten(3, 4)
    counts = row_counts[:, None, :, None] & col_counts[None, :, None, :]
    return picked, counts.flatten(2, 3)[None, :, :, :, None]


def _largest(picked: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Where the largest element of each window is in it."""
    floats = picked.is_floating_point()
    least = float("-inf") if floats else torch.iinfo(picked.dtype).min
    return picked.detach().masked_fill(~counts, least).argmax(3, keepdim=True)


def max_pool_kernel(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, *, overlapping: bool
) -> torch.Tensor:
    """The largest element of each window; the first of equal ones gets the gradient."""
    picked, counts = _laid_out(value, rows, cols, overlapping)
    return picked.gather(3, _largest(picked, counts)).squeeze(3)


def largest_places(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, *, overlapping: bool
) -> torch.Tensor:
    """Where the largest element of each window is among all rows and columns, for any windows."""
    _, height, width, _ = value.shape
    number = torch.arange(height * width, device=value.device).reshape(1, height, width, 1)
    numbers, _ = _laid_out(number, rows, cols, overlapping, is_regular=False)
    picked, counts = _laid_out(value, rows, cols, overlapping, is_regular=False)
    return numbers.expand_as(picked).gather(3, _largest(picked, counts)).squeeze(3)


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


def means_of_any(
    value: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor, *, overlapping: bool
) -> torch.Tensor:
    """The mean of each window of floats, for any windows; 0 of none."""
    picked, counts = _laid_out(value, rows, cols, overlapping, is_regular=False)
    return (picked * counts).sum(3) / counts.sum(3).clamp(min=1)


def _pool_spec(value: Spec, rows: Spec, cols: Spec, *, overlapping: bool) -> Spec:
    batch, _, _, channels = known_dims(value)
    return Spec((batch, known_dims(rows)[0] - 1, known_dims(cols)[0] - 1, channels), value.dtype)


_WORDS = {"_FractionalMaxPool": "max", "_FractionalAvgPool": "average"}
_SIGNATURE = "value: T, rows: int64, cols: int64 -> output: T"
MAX_POOL = op("_FractionalMaxPool", _SIGNATURE, max_pool_kernel, _pool_spec, T=_TYPES)
AVG_POOL = op("_FractionalAvgPool", _SIGNATURE, avg_pool_kernel, _pool_spec, T=_TYPES)


@deferrable
def pooled(
    record: Op, value: Any, ratios: Sequence[float], pseudo_random: bool, overlapping: bool,
    seeds: tuple[int, int] | None,
) -> FractionalPool:  # fmt: skip
    """A fractional pool.

    Args:
        record: `MAX_POOL` or `AVG_POOL`.
        value: [batch, height, width, channels].
        ratios: how much smaller the result is along each axis.
        pseudo_random: whether windows of different sizes alternate more evenly.
        overlapping: whether a window has its last row and column in common with the next.
        seeds: two seeds; None for other windows at each run.

    Raises:
        InvalidArgumentError: the ratios do not fit the value.
        UnimplementedError: one is not 1 along the batch or the channels.
    """
    value = to_tensor(value)
    dims = value.shape.as_list()
    counts = window_counts(
        [1 if size is None else size for size in dims], ratios, _WORDS[record.name]
    )
    attrs = {
        "sizes": tuple(dims[1:3]), "counts": counts, "pseudo_random": bool(pseudo_random),
        "seed": None if seeds is None else of_op_seeds(*seeds),
    }  # fmt: skip
    rows, cols = apply(SEQUENCES, (), attrs)
    output = apply(record, (value, rows, cols), {"overlapping": bool(overlapping)})
    return FractionalPool(output, rows, cols)


def raw_seeds(deterministic: bool, seed: int, seed2: int) -> tuple[int, int] | None:
    """The two seeds of a pool; None for windows that nobody can repeat.

    Raises:
        InvalidArgumentError: there are some, and `deterministic` is False.
    """
    if not deterministic and (seed or seed2):
        raise invalid_argument("Both seed and seed2 should be 0 if deterministic is false.")
    return (seed, seed2) if seed or seed2 else None


def _ratios(pooling_ratio: Any, is_max: bool) -> list[float]:
    given = list(pooling_ratio) if isinstance(pooling_ratio, (list, tuple)) else [pooling_ratio]
    ratios = [1.0, *given * 2, 1.0] if len(given) == 1 else given
    if not is_max:
        return ratios
    if any(ratio < 1.0 for ratio in ratios):
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: {pooling_ratio=}")
    if len(ratios) != 4 or ratios[0] != 1.0 or ratios[3] != 1.0:
        raise ValueError(
            "`pooling_ratio` should have first and last elements with value 1.0. Received: "
            f"{pooling_ratio=}"
        )
    return ratios


def _functions(record: Op, what: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    name = f"fractional_{what}_pool"
    is_max = record is MAX_POOL

    def v2(
        value: TensorLike, pooling_ratio: object, pseudo_random: bool = False,
        overlapping: bool = False, seed: int = 0, name: str | None = None,
    ) -> FractionalPool:  # fmt: skip
        ratios = _ratios(pooling_ratio, is_max)
        if seed == 0:
            # TF: means of windows that nobody can repeat are let through.
            if is_max and PROCESS.deterministic:
                raise ValueError(
                    "tf.nn.fractional_max_pool requires a non-zero seed to be passed in when "
                    f"determinism is enabled, but got seed={seed}. Please pass in a non-zero seed, "
                    'e.g. by passing "seed=1".'
                )
            return pooled(record, value, ratios, pseudo_random, overlapping, None)
        first, second = get_seed(seed)
        seeds = None if first is None or second is None else (first, second)
        return pooled(record, value, ratios, pseudo_random, overlapping, seeds)

    def v1(
        value: TensorLike, pooling_ratio: object, pseudo_random: bool = False,
        overlapping: bool = False, deterministic: bool = False, seed: int = 0, seed2: int = 0,
        name: str | None = None,
    ) -> FractionalPool:  # fmt: skip
        if is_max and PROCESS.deterministic and not (seed and seed2 and deterministic):
            raise ValueError(
                'tf.compat.v1.nn.fractional_max_pool requires "seed" and "seed2" to be non-zero '
                'and "deterministic" to be true when op determinism is enabled. Please pass in '
                f'such values, e.g. by passing"seed=1, seed2=1, deterministic=True". Got: {seed=}, '
                f"{seed2=}, {deterministic=}"
            )
        seeds = raw_seeds(deterministic, seed, seed2)
        ratios = _ratios(pooling_ratio, is_max=False)
        return pooled(record, value, ratios, pseudo_random, overlapping, seeds)

    elements = "the largest elements" if is_max else "the means"
    doc = f"""Returns {elements} of windows of random sizes (`tf.{{}}nn.{name}`).

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


fractional_max_pool, fractional_max_pool_v1 = _functions(MAX_POOL, "max")
fractional_avg_pool, fractional_avg_pool_v1 = _functions(AVG_POOL, "avg")
