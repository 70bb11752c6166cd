"""Dropout: some elements become 0, the others larger, so that the sum stays what it was."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..arguments import is_symbolic, static_ints
from ..array.select import where
from ..array.shaping import reshape, sizes_of
from ..convert import is_tensor_like, own_tensor, to_tensor
from ..math.elementwise import divide, greater_equal, multiply, subtract
from ..random import stateful
from ..random.stateless import stateless_uniform

Sampler = Callable[..., Any]


def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Returns elements set to 0 with a probability, the others scaled up (`tf.nn.dropout`).

    Args:
        x: a tensor of floats, which may be ragged.
        rate: the probability that an element is dropped, from 0 up to, not including, 1.
        noise_shape: the shape of the decisions, which broadcasts to x's; None for x's own.
        seed: an integer that makes this op repeatable.
        name: a name in graphs.

    Raises:
        ValueError: rate is out of range, or x holds no floats.

    >>> dropout([1.0, 2.0], rate=0).numpy().tolist()
    [1.0, 2.0]
    """

    def sampler(shape: ShapeLike, dtype: DTypeLike) -> Any:
        return stateful.uniform(shape, dtype=dtype, seed=seed)

    return _dropped(x, rate, sampler, noise_shape)


def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Sampler,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:
    """Does `dropout` with numbers from a function (`tf.nn.experimental.general_dropout`).

    Args:
        x: a tensor of floats.
        rate: the probability that an element is dropped.
        uniform_sampler: called with shape= and dtype=, returns numbers from 0 up to 1.
        noise_shape: the shape of the decisions; None for x's own.
        name: a name in graphs.
    """
    return _dropped(x, rate, uniform_sampler, noise_shape)


def _dropped(x: Any, rate: Any, sampler: Sampler, noise_shape: ShapeLike | None) -> Any:
    is_number = isinstance(rate, numbers.Real)
    if not is_number and not is_tensor_like(rate):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    tensor: Any = to_tensor(x)
    if isinstance(tensor, RaggedTensor):
        if noise_shape is not None:
            raise ValueError(
                "noise_shape is not supported yet for RaggedTensor x, whose rows have no common "
                "length. Leave it out, or pass x.to_tensor()."
            )
        return tensor.rewrap(_dropped(tensor.values, rate, sampler, None))
    if not tensor.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x.dtype={tensor.dtype}"
        )
    if is_number and rate == 0:
        return own_tensor(x, tensor)
    shape = _noise_shape(tensor, noise_shape)
    if is_number:
        scaled = multiply(tensor, 1 / (1 - rate))
    else:
        rate = _as_tensor_rate(rate, tensor)
        scaled = divide(tensor, subtract(1, rate))
    keep = greater_equal(sampler(shape=shape, dtype=tensor.dtype), rate)
    dropped = where(keep, scaled, to_tensor(0, tensor.dtype))
    if not LOCAL.state.target.is_eager:
        dropped.set_shape(tensor.shape)  # which a noise of unknown shape hides
    return dropped


def _as_tensor_rate(rate: TensorLike, tensor: Tensor) -> Tensor:
    rate = to_tensor(rate, hint=tensor.dtype)
    if rate.shape.rank is None:  # a placeholder that does not say
        rate = reshape(rate, [])
    if rate.shape.rank != 0:
        raise ValueError(f"`rate` must be a scalar tensor. Received: rate={rate}")
    if rate.dtype is not tensor.dtype:
        raise ValueError(
            "`x.dtype` must be compatible with `rate.dtype`. Received: "
            f"x.dtype={tensor.dtype!r} and rate.dtype={rate.dtype!r}"
        )
    return rate


def _noise_shape(x: Tensor, noise_shape: ShapeLike | None) -> Any:
    """The shape of the decisions; unknown sizes in it are x's."""
    if noise_shape is None:
        return sizes_of(x)
    if isinstance(noise_shape, (list, tuple, TensorShape)):
        sizes = list(noise_shape)
        if len(sizes) == x.shape.rank:
            own = static_ints(sizes_of(x), "a shape")
            return [mine if size is None else size for size, mine in zip(sizes, own, strict=True)]
    return noise_shape if is_symbolic(noise_shape) else static_ints(noise_shape, "noise_shape")


def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: Any = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Any:
    """Does `dropout` that depends on its seed alone (`tf.nn.experimental.stateless_dropout`).

    Args:
        x: a tensor of floats.
        rate: the probability that an element is dropped.
        seed: two integers.
        rng_alg: the algorithm: "philox" or "auto_select"; None for the latter.
        noise_shape: the shape of the decisions; None for x's own.
        name: a name in graphs.
    """

    def sampler(shape: ShapeLike, dtype: DTypeLike) -> Any:
        return stateless_uniform(shape, seed, dtype=dtype, alg=rng_alg or "auto_select")

    return _dropped(x, rate, sampler, noise_shape)
