"""Where the windows of fractional pools begin: TensorFlow's own places for two seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import UnimplementedError, invalid_argument
from ...devices.constants import bring
from ...devices.device import Device
from ..infer import Spec
from ..op import op
from ..random.draws import order
from ..random.philox import BITS128, block
from ..random.seeds import Key
from ..random.stateful import fresh_key

_HIGH_BITS = (1 << 20) - 1  # of a double's fraction


def window_counts(dims: Sequence[int], ratios: Sequence[float], what: str) -> tuple[int, int]:
    """How many windows the rows and the columns of a value have.

    Args:
        dims: the value's shape.
        ratios: how much smaller the result is along each axis.
        what: the pool, in errors.

    Raises:
        InvalidArgumentError: the ratios do not fit, or the value has not four axes.
        UnimplementedError: one is not 1 along the batch or the channels.
    """
    if len(ratios) != 4:
        raise invalid_argument("pooling_ratio field must specify 4 dimensions")
    for ratio in ratios:
        if ratio < 1:
            raise invalid_argument(f"pooling_ratio cannot be smaller than 1, got: {ratio:g}")
    if ratios[0] != 1 or ratios[3] != 1:
        raise UnimplementedError(
            None, None,
            f"Fractional {what} pooling is not yet supported on the batch nor channel dimension.",
        )  # fmt: skip
    if len(dims) != 4:
        raise invalid_argument("tensor_in must be 4-dimensional")
    for axis, (size, ratio) in enumerate(zip(dims, ratios, strict=True)):
        if size < ratio:
            raise invalid_argument(
                f"Pooling ratio is higher than input dimension size for dimension {axis}. Input "
                f"dim size: {size} pooling ratio: {ratio:g}"
            )
    # TF: ratios are float32, whose quotients may be other ones.
    rows, columns = (int(np.float32(dims[axis]) / np.float32(ratios[axis])) for axis in (1, 2))
    return rows, columns


def _shuffled(size: int, count: int, seed: Key) -> list[int]:
    """Windows of two sizes that differ by one, in any order."""
    small, wide = divmod(size, count)
    widths = [small + 1] * wide + [small] * (count - wide)
    return [0, *itertools.accumulate(widths[place] for place in order(*seed, count))]


def _regular(size: int, count: int, seed: Key) -> list[int]:
    """ceil(a (i + u)): windows of two sizes, whose order one random number decides."""
    ratio, small = size / count, size // count
    most = min((small + 2) / ratio - 1, (size + 1 - small) / ratio - (count - 1))
    high, low, _, _ = block(*seed)
    u = ((high & _HIGH_BITS) << 32 | low) / (1 << 52) * most
    return [0, *(math.ceil(ratio * (i + u)) - 1 for i in range(1, count)), size]


def sequences_kernel(
    *, sizes: Sequence[int], counts: Sequence[int], pseudo_random: bool, seed: Key | None,
    device: Device,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """Where windows begin in rows and in columns, and where the last ones end."""
    key, counter = seed or fresh_key()
    draw = _regular if pseudo_random else _shuffled
    rows = draw(sizes[0], counts[0], (key, counter))
    taken = 1 if pseudo_random else -(-counts[0] // 4)  # of four numbers each
    columns = draw(sizes[1], counts[1], (key, counter + taken & BITS128))
    made = [bring(torch.tensor(each), device.torch_device) for each in (rows, columns)]
    return made[0], made[1]


def _sequences_spec(*, counts: Sequence[int], **attrs: object) -> tuple[Spec, Spec]:
    return Spec((counts[0] + 1,), dtypes.int64), Spec((counts[1] + 1,), dtypes.int64)


SEQUENCES = op(
    "_FractionalWindows", "-> rows: int64, cols: int64", sequences_kernel, _sequences_spec,
    is_factory=True, stateful=True,
)  # fmt: skip
