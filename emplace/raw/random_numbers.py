"""Rows of raw ops that draw random numbers: by a seed, or by the state of a generator."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..ops.arguments import host_value, static_ints
from ..ops.array.making import constant
from ..ops.math.combine import linspace
from ..ops.op import apply_any
from ..ops.random.distributions import stateless_gamma
from ..ops.random.generator_state import READ_AND_SKIP
from ..ops.random.seeds import KEY_COUNTER
from ..ops.random.sobol import sobol_sample
from ..ops.random.stateless import (
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from ..ops.raw import raw_op
from ..ops.variables.resource import READ_VARIABLE
from .rows import Row, composed, kernel

_PHILOX = 1
_STATE_SIZE = 3


def _get_alg() -> Any:
    """The algorithm that stateless numbers are drawn by."""
    return constant(_PHILOX, dtypes.int32)


def _key_counter_alg(seed: Tensor) -> Any:
    return *apply_any(KEY_COUNTER, (seed,)), _get_alg()


def _one(value: Any, name: str = "", place: int = 0) -> int:
    """An integer, which is input `place` of op `name`.

    Raises:
        TypeError: it is a Python float.
        InvalidArgumentError: it has a shape.
    """
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int64")
    number = np.asarray(host_value(value) if hasattr(value, "numpy") else value)
    if number.ndim:
        raise invalid_argument(
            f"input {place} (0-based) must have shape [], not {runtime_text(number.shape)} "
            f"[Op:{name}]"
        )
    return int(number)


def _check(algorithm: Any, name: str) -> None:
    number = _one(algorithm, name, 1)
    if number not in (_PHILOX, 3):
        raise invalid_argument(f"Unsupported algorithm id: {number} [Op:{name}]")


def _check_state(resource: Tensor, name: str) -> None:
    """Raises InvalidArgumentError unless a variable can be the state of a generator."""
    state = apply_any(READ_VARIABLE, (resource,))
    if state.dtype is not dtypes.int64:
        raise invalid_argument(
            f"dtype of RNG state variable must be int64, not {runtime_name(state.dtype)} "
            f"[Op:{name}]"
        )
    if state.shape.rank != 1:
        raise invalid_argument(
            f"RNG state must have one and only one dimension, not {state.shape.rank} [Op:{name}]"
        )
    if state.shape[0] < _STATE_SIZE:
        raise invalid_argument(
            f"For the Philox algorithm, the size of state must be at least {_STATE_SIZE}; got "
            f"{state.shape[0]} [Op:{name}]"
        )


def _next(resource: Tensor, algorithm: Any, count: int, name: str) -> dict[str, Any]:
    """The key and counter of a generator, which goes on behind so many numbers."""
    _check(algorithm, name)
    if not LOCAL.state.target.is_eager:
        raise NotImplementedError(
            "Raw ops draw by the state of a generator in eager mode alone. Use the methods of "
            "tf.random.Generator, in graphs as well."
        )
    _check_state(resource, name)
    state = apply_any(READ_AND_SKIP, (resource,), {"delta": count})
    low, high, key = (int(each) & (1 << 64) - 1 for each in state.numpy())
    return {
        "key": np.array([key], np.uint64),
        "counter": np.array([low, high], np.uint64),
        "alg": _PHILOX,
    }


def _stateful(own: str, name: str) -> Callable[..., Any]:
    """Numbers of op `own` from the state of a generator, drawn as by a stateless op."""

    def run(resource: Tensor, algorithm: Any, shape: Any, dtype: DType) -> Any:
        sizes = static_ints(shape, "shape")
        where = _next(resource, algorithm, math.prod(sizes), own)
        return raw_op(name)(shape=sizes, **where, dtype=dtype)

    return run


def _stateful_int(
    resource: Tensor, algorithm: Any, shape: Any, minval: Tensor, maxval: Tensor
) -> Any:
    sizes = static_ints(shape, "shape")
    where = _next(resource, algorithm, math.prod(sizes), "StatefulUniformInt")
    return raw_op("StatelessRandomUniformIntV2")(shape=sizes, **where, minval=minval, maxval=maxval)


def _read_and_skip(resource: Tensor, alg: Any, delta: Any, name: str = "RngReadAndSkip") -> Any:
    _check(alg, name)
    number = _one(delta, name, 2)
    if LOCAL.state.target.is_eager:
        _check_state(resource, name)
    return apply_any(READ_AND_SKIP, (resource,), {"delta": number})


def _skip(resource: Tensor, algorithm: Any, delta: Any) -> None:
    _read_and_skip(resource, algorithm, delta, "RngSkip")


def _full_int(shape: Any, seed: Tensor, dtype: DType) -> Any:
    return stateless_uniform(shape, seed, None, None, dtype)


def _linspace(start: Tensor, stop: Tensor, num: Any) -> Any:
    if not hasattr(num, "graph") and _one(num) <= 0:
        raise invalid_argument(f"Requires num > 0: {_one(num)}")
    return linspace(start, stop, num)


def nondeterministic_kernel(*, shape: tuple[int, ...], dtype: DType) -> torch.Tensor:
    """Integers that nobody can repeat."""
    most = np.iinfo(dtype.as_numpy_dtype)
    generator = torch.Generator()
    generator.seed()
    return torch.randint(most.min, most.max, shape, dtype=dtype.torch, generator=generator)


ROWS: dict[str, Row] = {
    "LinSpace": composed(_linspace, host="num"),
    "RngReadAndSkip": composed(_read_and_skip, host="alg delta"),
    "RngSkip": composed(_skip, host="algorithm delta"),
    "SobolSample": composed(sobol_sample, host="dim num_results skip"),
    "StatefulStandardNormalV2": composed(
        _stateful("StatefulStandardNormalV2", "StatelessRandomNormalV2"), host="algorithm shape"
    ),
    "StatefulTruncatedNormal": composed(
        _stateful("StatefulTruncatedNormal", "StatelessTruncatedNormalV2"), host="algorithm shape"
    ),
    "StatefulUniform": composed(
        _stateful("StatefulUniform", "StatelessRandomUniformV2"), host="algorithm shape"
    ),
    "StatefulUniformFullInt": composed(
        _stateful("StatefulUniformFullInt", "StatelessRandomUniformFullIntV2"),
        host="algorithm shape",
    ),
    "StatefulUniformInt": composed(_stateful_int, host="algorithm shape"),
    "StatelessRandomGammaV2": composed(
        lambda shape, seed, alpha: stateless_gamma(shape, seed, alpha, dtype=alpha.dtype),
        host="shape",
    ),
    "StatelessRandomGetAlg": composed(_get_alg),
    "StatelessRandomGetKeyCounterAlg": composed(_key_counter_alg),
    "StatelessRandomNormal": composed(
        lambda shape, seed, dtype: stateless_normal(shape, seed, dtype=dtype), host="shape"
    ),
    "StatelessRandomUniform": composed(
        lambda shape, seed, dtype: stateless_uniform(shape, seed, dtype=dtype), host="shape"
    ),
    "StatelessRandomUniformFullInt": composed(_full_int, host="shape"),
    "StatelessRandomUniformInt": composed(
        lambda shape, seed, minval, maxval: stateless_uniform(
            shape, seed, minval, maxval, minval.dtype
        ),
        host="shape",
    ),
    "StatelessTruncatedNormal": composed(
        lambda shape, seed, dtype: stateless_truncated_normal(shape, seed, dtype=dtype),
        host="shape",
    ),
    "NonDeterministicInts": kernel(nondeterministic_kernel, None, ints="shape", on_host=True),
}
