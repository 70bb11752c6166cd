"""Penalties on weights, of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

from ...base.typing import TensorLike
from ...ops.array.making import constant
from ...ops.convert import to_tensor
from ...ops.math.elementwise import abs as absolute, multiply
from ...ops.math.reduction import add_n, reduce_sum
from ...ops.nn.loss import l2_loss
from ..scopes.collections import GraphKeys, add_to_collection, get_collection

Regularizer = Callable[[Any], Any]


def _check(scale: TensorLike) -> None:
    if isinstance(scale, Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, Real) and float(scale) < 0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {float(scale):g}")


def _nothing(weights: object) -> None:
    """No penalty."""


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """scale * sum(|weights|), or None if the scale is 0 (`tf.contrib.layers.l1_regularizer`).

    Raises:
        ValueError: the scale is an integer, or negative.
    """
    _check(scale)
    if scale == 0.0:
        return _nothing
    return lambda weights: multiply(reduce_sum(absolute(to_tensor(weights))), scale)


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """scale * sum(weights squared) / 2, or None if the scale is 0
    (`tf.contrib.layers.l2_regularizer`).

    Raises:
        ValueError: the scale is an integer, or negative.
    """
    _check(scale)
    if scale == 0.0:
        return _nothing
    return lambda weights: multiply(l2_loss(to_tensor(weights)), scale)


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """The sum of several penalties; None if there are none
    (`tf.contrib.layers.sum_regularizer`).
    """
    regularizers = [each for each in regularizer_list if each is not None]
    if not regularizers:
        return None

    def summed(weights: TensorLike) -> Any:
        found = [each(weights) for each in regularizers]
        terms = [each for each in found if each is not None]
        return add_n(terms) if terms else None

    return summed


def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Regularizer | None:
    """The sum of both penalties (`tf.contrib.layers.l1_l2_regularizer`).

    Raises:
        ValueError: a scale is an integer, or negative.
    """
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)])


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Any:
    """The sum of the penalties on weights, which the graph then has among its regularization
    losses (`tf.contrib.layers.apply_regularization`).

    Args:
        regularizer: takes weights, returns a scalar or None.
        weights_list: the weights; those in the collection of weights if there are none.

    Raises:
        ValueError: there are no weights, or a penalty is no scalar.
    """
    weights = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights:
        raise ValueError("No weights to regularize.")
    found = [regularizer(each) for each in weights]
    penalties = [constant(0.0) if each is None else each for each in found]
    for each in penalties:
        if each.shape.rank != 0:
            raise ValueError(
                "regularizer must return a scalar Tensor instead of a Tensor with rank "
                f"{each.shape.rank}."
            )
    total = add_n(penalties)
    add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
