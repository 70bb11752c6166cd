"""Learning rates that change with the step (`tf.compat.v1.train.exponential_decay` and its kin).

In a graph each returns a tensor. In eager mode it returns a function without arguments, which
optimizers call in every step.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from ..base.dtypes import DType, int32, int64
from ..base.typing import TensorLike
from ..classic.scopes.op_names import copied_as, inside
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..ops.array.select import where
from ..ops.convert import to_tensor
from ..ops.math.elementwise import (
    cast,
    ceil,
    exp,
    floor,
    less_equal,
    log,
    maximum,
    minimum,
    pow,
    sqrt,
)
from ..ops.math.trigonometry import cos
from ..ops.random.stateful import normal

_PI = math.pi
# What TensorFlow calls the rates.
_NAMES = {
    "exponential_decay": "ExponentialDecay", "natural_exp_decay": "ExponentialDecay",
    "inverse_time_decay": "InverseTimeDecay", "polynomial_decay": "PolynomialDecay",
    "_piece": "PiecewiseConstant", "cosine_decay": "CosineDecay",
    "cosine_decay_restarts": "SGDRDecay", "linear_cosine_decay": "LinearCosineDecay",
    "noisy_linear_cosine_decay": "NoisyLinearCosineDecay",
}  # fmt: skip


def _scheduled(schedule: Callable[..., Any]) -> Callable[..., Any]:
    """A schedule that is a tensor in a graph, and a function in eager mode."""

    @functools.wraps(schedule)
    def made(*args: Any, **kwargs: Any) -> Any:
        name = kwargs.pop("name", None)
        if LOCAL.state.target.is_eager:
            return functools.partial(schedule, *args, **kwargs)
        with inside(name or _NAMES[schedule.__name__]) as scope:
            return copied_as(schedule(*args, **kwargs), scope)

    return made


def _numbers(learning_rate: TensorLike, *others: Any) -> list[Any]:
    rate = to_tensor(learning_rate)
    return [rate, *[_as(rate.dtype, each) for each in others]]


def _as(dtype: DType, value: TensorLike) -> Tensor:
    tensor = to_tensor(value)
    return tensor if tensor.dtype is dtype else cast(tensor, dtype)


def _required(global_step: TensorLike | None, who: str) -> None:
    if global_step is None:
        raise ValueError(f"Argument `global_step` is required for {who}.")


@_scheduled
def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike | None,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Computes learning_rate * decay_rate ** (global_step / decay_steps).

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        decay_steps: in how many steps the rate falls by `decay_rate`.
        decay_rate: what is left of the rate after them.
        staircase: round the exponent down.
        name: a name in graphs.
    """
    _required(global_step, "exponential_decay")
    rate, step, steps, factor = _numbers(learning_rate, global_step, decay_steps, decay_rate)
    part = step / steps
    return rate * pow(factor, floor(part) if staircase else part)


@_scheduled
def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Computes learning_rate * exp(-decay_rate * global_step / decay_steps).

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        decay_steps: the unit of time, in steps.
        decay_rate: how much the exponent falls in it.
        staircase: round global_step / decay_steps down.
        name: a name in graphs.
    """
    _required(global_step, "natural_exp_decay")
    rate, step, steps, factor = _numbers(learning_rate, global_step, decay_steps, decay_rate)
    part = step / steps
    return rate * exp(-factor * (floor(part) if staircase else part))


@_scheduled
def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Computes learning_rate / (1 + decay_rate * global_step / decay_steps).

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        decay_steps: the unit of time, in steps.
        decay_rate: how much the divisor grows in it.
        staircase: round global_step / decay_steps down.
        name: a name in graphs.
    """
    _required(global_step, "inverse_time_decay")
    rate, step, steps, factor = _numbers(learning_rate, global_step, decay_steps, decay_rate)
    part = step / steps
    return rate / (1.0 + factor * (floor(part) if staircase else part))


@_scheduled
def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: Any = 0.0001,
    power: TensorLike | None = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Lowers `learning_rate` to `end_learning_rate` in `decay_steps`, along a power.

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        decay_steps: how many steps it takes.
        end_learning_rate: the rate at the end.
        power: of the curve; 1 is a line.
        cycle: begin anew after `decay_steps`, for ever longer ones, instead of staying at the end.
        name: a name in graphs.
    """
    _required(global_step, "polynomial_decay")
    rate, step, steps, end, exponent = _numbers(
        learning_rate, global_step, decay_steps, end_learning_rate, power
    )
    if cycle:
        steps = steps * maximum(1.0, ceil(step / steps))
    else:
        step = minimum(step, steps)
    return (rate - end) * pow(1.0 - step / steps, exponent) + end


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """Chooses values[i] up to boundaries[i], the last value behind the last of them.

    Args:
        x: a number: the step.
        boundaries: numbers that rise.
        values: one more than there are boundaries, of one dtype.
        name: a name in graphs.

    Raises:
        ValueError: numbers or dtypes do not fit.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    counted = to_tensor(x).dtype
    for boundary in boundaries:
        found = to_tensor(boundary).dtype
        if found is not counted and (found, counted) != (int32, int64):
            raise ValueError(f"Boundaries ({found!s}) must have the same dtype as x ({counted!s}).")
    first, *others = [to_tensor(value).dtype for value in values]
    for other in others:
        if other is not first:
            raise ValueError(
                f"Values must have elements all with the same dtype ({first!s} vs {other!s})."
            )
    return _piece(x, boundaries, values, name=name)


@_scheduled
def _piece(x: Any, boundaries: Any, values: Any) -> Any:
    step, result = to_tensor(x), to_tensor(values[-1])
    pairs = list(zip(boundaries, values, strict=False))
    for boundary, value in reversed(pairs):
        here = less_equal(step, _as(step.dtype, boundary))
        result = where(here, _as(result.dtype, value), result)
    return result


@_scheduled
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Down to alpha * learning_rate along half a cosine."""
    _required(global_step, "cosine decay")
    rate, step, steps = _numbers(learning_rate, global_step, decay_steps)
    decayed = 0.5 * (1.0 + cos(_PI * minimum(step, steps) / steps))
    return rate * ((1 - alpha) * decayed + alpha)


@_scheduled
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Computes half cosines one after the other, each `t_mul` times as long and `m_mul` times as
    high.

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        first_decay_steps: how many steps the first one takes.
        t_mul: how much longer the next one is.
        m_mul: how much higher it begins.
        alpha: the least rate, as a part of `learning_rate`.
        name: a name in graphs.
    """
    _required(global_step, "cosine decay restarts")
    rate, step, first = _numbers(learning_rate, global_step, first_decay_steps)
    done = step / first
    if t_mul == 1.0:
        count = floor(done)
        part = done - count
    else:
        count = floor(log(1.0 - done * (1.0 - t_mul)) / math.log(t_mul))
        before = (1.0 - pow(_as(rate.dtype, t_mul), count)) / (1.0 - t_mul)
        part = (done - before) / pow(_as(rate.dtype, t_mul), count)
    height = pow(_as(rate.dtype, m_mul), count)
    decayed = 0.5 * height * (1.0 + cos(_PI * part))
    return rate * ((1 - alpha) * decayed + alpha)


@_scheduled
def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: Any = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Any:
    """Computes a line downwards times cosines.

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        decay_steps: after how many steps the line is at its end.
        num_periods: how many cosines there are until then.
        alpha: what is added to the line.
        beta: what is added to the product.
        name: a name in graphs.
    """
    _required(global_step, "linear cosine decay")
    rate, step, steps = _numbers(learning_rate, global_step, decay_steps)
    step = minimum(step, steps)
    line = (steps - step) / steps
    wave = 0.5 * (1.0 + cos(_PI * 2.0 * num_periods * step / steps))
    return rate * ((alpha + line) * wave + beta)


@_scheduled
def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Any:
    """Computes a line downwards with noise on it, times cosines.

    Args:
        learning_rate: the rate at first.
        global_step: how many steps have been done, a number or a tensor.
        decay_steps: after how many steps the line is at its end.
        initial_variance: the variance of the noise at first.
        variance_decay: the variance is divided by 1 + global_step to this power.
        num_periods: how many cosines there are until then.
        alpha: what is added to the line.
        beta: what is added to the product.
        name: a name in graphs.
    """
    _required(global_step, "noisy linear cosine decay")
    rate, step, steps, variance, power, periods, more, least = _numbers(
        learning_rate, global_step, decay_steps, initial_variance, variance_decay, num_periods,
        alpha, beta,
    )  # fmt: skip
    step = minimum(step, steps)
    deviation = sqrt(variance / pow(1.0 + step, power))
    line = (steps - step) / steps + normal(step.shape, stddev=deviation, dtype=rate.dtype)
    wave = 0.5 * (1.0 + cos(_PI * 2.0 * periods * (step / steps)))
    return rate * ((more + line) * wave + least)
