"""Weights of losses and metrics: which shapes go with the values that they weigh."""

from __future__ import annotations

from typing import Any

from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ..array.making import ones_like
from ..array.shaping import expand_dims, identity, squeeze
from ..convert import to_tensor
from ..deferred import deferrable
from ..math.elementwise import multiply


def check_weights(weights: Any, values: Any) -> None:
    """Raises ValueError unless weights are a scalar, or have the values' rank and sizes or 1s."""
    have, wanted = weights.shape, values.shape
    if have.rank is None or wanted.rank is None or have.rank == 0:
        return
    sizes = list(zip(have.as_list(), wanted.as_list(), strict=False))
    if have.rank != wanted.rank or any(a not in (1, b, None) and b is not None for a, b in sizes):
        raise ValueError(
            "weights can not be broadcast to values. "
            f"values.rank={wanted.rank}. weights.rank={have.rank}. values.shape={wanted}. "
            f"weights.shape={have}."
        )


def fitting_weights(weights: Any, values: Any) -> Any:
    """The weights, after a look at their shape: now, or when the graph runs where it tells
    shapes."""
    check_weights(weights, values)
    known = (weights.shape, values.shape)
    if weights.shape.rank == 0 or all(shape.is_fully_defined() for shape in known):
        return weights
    return _checked_later(weights, values)


@deferrable
def _checked_later(weights: object, values: object) -> Any:
    try:
        check_weights(weights, values)
    except ValueError as error:
        raise invalid_argument(str(error)) from None
    return identity(weights)


def of_like_rank(weights: Any, values: Any) -> Any:
    """Weights with an axis less or more, where that gives them the rank of the values."""
    ranks = weights.shape.rank, values.shape.rank
    if ranks[0] == 0:
        return weights
    if None in ranks and not LOCAL.state.target.is_eager:
        return _of_like_rank_later(weights, values)
    if ranks[0] == ranks[1] + 1:
        return squeeze(weights, [-1])
    return expand_dims(weights, -1) if ranks[0] == ranks[1] - 1 else weights


@deferrable
def _of_like_rank_later(weights: Any, values: Any) -> Any:
    if None in (weights.shape.rank, values.shape.rank):
        return identity(weights)
    try:
        return identity(of_like_rank(weights, values))
    except ValueError as error:
        raise invalid_argument(str(error)) from None


def broadcast_weights(weights: TensorLike, values: TensorLike) -> Any:
    """Returns weights in the shape of the values that they weigh
    (`tf.__internal__.ops.broadcast_weights`).

    Args:
        weights: a scalar, or of the values' rank with their sizes or 1s.
        values: what they weigh.

    Raises:
        ValueError: they are of another shape. Keras 2 reduces the values then.
        InvalidArgumentError: so in a graph that tells shapes only when it runs.
    """
    of_values, given = to_tensor(values), to_tensor(weights)
    return multiply(fitting_weights(given, of_values), ones_like(of_values, given.dtype))
