"""How far sequences are from each other: `tf.edit_distance`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import InternalError, InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ..arguments import told_here
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from .places import Place, as_sparse, strides
from .tensor import SparseTensor
from .turns import in_turns, stretches

Sequences = list[tuple[Place, list[Any]]]


def _distance(hypothesis: list[Any], truth: list[Any]) -> int:
    """The least number of items put in, left out or replaced that make one of the other."""
    codes = {value: i for i, value in enumerate({*hypothesis, *truth})}
    wanted = np.array([codes[value] for value in truth], np.int64)
    steps = np.arange(len(truth) + 1)
    row = steps
    for value in hypothesis:
        below = row + 1
        below[1:] = np.minimum(below[1:], row[:-1] + (wanted != codes[value]))
        row = np.minimum.accumulate(below - steps) + steps  # items put in, one after the other
    return int(row[-1])


def _sequences(indices: torch.Tensor, values: np.ndarray[Any, Any] | torch.Tensor) -> Sequences:
    """Sequences with their places; TF takes each stretch of a place for one."""
    items = values.tolist()
    found = stretches(indices[:, :-1].tolist())
    return [(place, items[begin:end]) for place, begin, end in found]


def edit_distance_kernel(
    hypothesis_indices: torch.Tensor,
    hypothesis_values: np.ndarray[Any, Any] | torch.Tensor,
    hypothesis_shape: torch.Tensor,
    truth_indices: torch.Tensor,
    truth_values: np.ndarray[Any, Any] | torch.Tensor,
    truth_shape: torch.Tensor,
    *,
    normalize: bool = True,
) -> torch.Tensor:
    """The distance of each sequence, as a part of the truth's length if `normalize`."""
    shapes = hypothesis_shape.tolist(), truth_shape.tolist()
    _check(*shapes)
    for indices, values in (
        (hypothesis_indices, hypothesis_values), (truth_indices, truth_values)
    ):  # fmt: skip
        _check_places(indices, len(values), len(shapes[0]))
    said = _sequences(hypothesis_indices, hypothesis_values)
    true = _sequences(truth_indices, truth_values)
    dims = [max(pair) for pair in zip(*(shape[:-1] for shape in shapes), strict=True)]
    if min(dims, default=0) < 0:
        raise invalid_argument(f"Dimension {min(dims)} must be >= 0")
    distances = np.zeros(dims, np.float32)
    for i, j in in_turns([place for place, _ in said], [place for place, _ in true]):
        place = said[i][0] if j < 0 else true[j][0]
        _check_inside(place, dims)
        hypothesis, truth = [] if i < 0 else said[i][1], [] if j < 0 else true[j][1]
        distance = _distance(hypothesis, truth)
        if normalize:
            distances[place] = distance / len(truth) if truth else np.inf
        else:
            distances[place] = distance
    return torch.from_numpy(distances)


def _check(hypothesis_shape: list[int], truth_shape: list[int]) -> None:
    for name, shape in (("hypothesis", hypothesis_shape), ("truth", truth_shape)):
        if len(shape) < 2:
            raise invalid_argument(
                f"Input SparseTensors must have rank at least 2, but {name}_shape rank is: "
                f"{len(shape)}"
            )
    if len(hypothesis_shape) != len(truth_shape):
        raise invalid_argument(
            "Expected truth and hypothesis to have matching ranks, but their shapes are: "
            f"{runtime_text((len(truth_shape),))} and {runtime_text((len(hypothesis_shape),))}"
        )


def _check_places(indices: torch.Tensor, count: int, rank: int) -> None:
    if tuple(indices.shape) != (count, rank):
        raise invalid_argument(
            f"Places of {count} values in a tensor of rank {rank} must have the shape "
            f"[{count},{rank}], but got {runtime_text(tuple(indices.shape))}"
        )


def _check_inside(place: tuple[int, ...], dims: Sequence[int]) -> None:
    """Raises unless a place is one of the result's: NumPy counts negative ones from the end."""
    if all(0 <= each < size for each, size in zip(place, dims, strict=True)):
        return
    inner = sum(each * step for each, step in zip(place, strides(tuple(dims)), strict=True))
    raise InternalError(
        None,
        None,
        f"Got an inner product {inner} which would require writing to outside of the buffer for "
        f"the output tensor (max elements {math.prod(dims)})",
    )


def _rule(*inputs: Spec, **attrs: Any) -> Spec:
    rank = inputs[2].dims[0] if inputs[2].dims else None
    return Spec(None if rank is None else (None,) * (rank - 1), dtypes.float32)


EDIT_DISTANCE = op(
    "EditDistance",
    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, "
    "truth_indices: int64, truth_values: T, truth_shape: int64 -> output: float32",
    edit_distance_kernel, _rule, device_types=CPU_ONLY, T=dtypes.ANY,
)  # fmt: skip


def edit_distance(
    hypothesis: TensorLike,
    truth: TensorLike,
    normalize: bool = True,
    name: str | None = "edit_distance",
) -> Tensor:
    """Returns how many items of sequences must be put in, left out or replaced
    (`tf.edit_distance`).

    Args:
        hypothesis: a sparse tensor whose last axis holds sequences.
        truth: another of the same dtype and rank.
        normalize: divide by the length of the truth; infinity where that is empty.
        name: a name in graphs.

    Returns:
        float32, of the shape without the last axis.

    Raises:
        TypeError: one is no sparse tensor.
        InvalidArgumentError: the dtypes or ranks differ, or a rank is below 2.
        InternalError: a place is outside of the shape.
        ValueError: a graph knows that ranks differ or are below 2.

    >>> said = SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> true = SparseTensor([[0, 0]], ["a"], [1, 1])
    >>> edit_distance(said, true, normalize=False).numpy().tolist()
    [1.0]
    """
    parts, shapes = [], []
    for label, argument in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(argument, SparseTensor) and not hasattr(argument, "dense_shape"):
            raise TypeError(f"{label} must be a SparseTensor.")
        sparse = as_sparse(argument)
        parts += [sparse.indices, sparse.values, sparse.dense_shape]
        shapes.append(sparse.shape)
    distances = apply(EDIT_DISTANCE, tuple(parts), {"normalize": bool(normalize)})
    if not LOCAL.state.target.is_eager and all(shape.is_fully_defined() for shape in shapes):
        sizes = [shape.as_list() for shape in shapes]
        _check_in_graph(*sizes)
        distances.set_shape([max(pair) for pair in zip(*(s[:-1] for s in sizes), strict=True)])
    return distances


def _check_in_graph(hypothesis_shape: list[int], truth_shape: list[int]) -> None:
    try:
        _check(hypothesis_shape, truth_shape)
    except InvalidArgumentError as error:
        raise told_here(error) from None
