"""How raw random ops get their keys: from tensors, from a seed of two numbers, from two seeds.

TensorFlow's raw ops take the state of the generator as tensors; kernels take plain numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.errors import invalid_argument
from ...core.context import PROCESS
from ..convert import tensors
from .philox import key_and_counter, of_op_seeds

REQUIRED = inspect.Parameter.empty
Given = dict[str, Any]
Prepare = Callable[[Sequence[Any], Given], Given]


def seeded(inputs: Sequence[Any], given: Given) -> Given:
    """The key and counter of TensorFlow's two seeds; zeros mean none.

    Raises:
        InvalidArgumentError: there is none, and determinism is wished for.
    """
    seeds = given.pop("seed"), given.pop("seed2")
    if PROCESS.deterministic and not any(seeds):
        raise invalid_argument(
            "When determinism is enabled, random ops must have a seed specified."
        )
    return {**given, "seed": of_op_seeds(*seeds) if any(seeds) else None}


def _bounded(inputs: Sequence[Any], given: Given) -> Given:
    """The same for integers between two tensors, whose dtype is theirs."""
    return seeded(inputs, _of_bounds(given))


def _of_bounds(given: Given) -> Given:
    low, high = tensors([given["minval"], given["maxval"]])
    return {**given, "minval": int(low.numpy()), "maxval": int(high.numpy()), "dtype": low.dtype}


def _of_state(inputs: Sequence[Any], given: Given) -> Given:
    """Keys are vectors of one number of 64 bits, counters of two, the lower one first."""
    (key,), (low, high) = given["key"], given["counter"]
    return {**given, "key": key, "counter": low | high << 64}


def _of_state_alone(inputs: Sequence[Any], given: Given) -> Given:
    """The same for kernels that know one algorithm."""
    given = _of_state(inputs, given)
    del given["alg"]
    return given


def _of_state_and_bounds(inputs: Sequence[Any], given: Given) -> Given:
    return _of_state(inputs, _of_bounds(given))


def _of_seed(inputs: Sequence[Any], given: Given) -> Given:
    """Seeds are vectors of two numbers, which are made a key and a counter."""
    key, counter = key_and_counter(*given.pop("seed"))
    return {**given, "key": key, "counter": counter}


_SEEDS = {"seed": 0, "seed2": 0}
_SHAPE = {"shape": REQUIRED}
_BOUNDS = {"minval": REQUIRED, "maxval": REQUIRED}
_STATE = {"key": REQUIRED, "counter": REQUIRED, "alg": REQUIRED}
_FLOAT, _INT64 = {"dtype": dtypes.float32}, {"dtype": dtypes.int64}
_SAMPLES = {"num_samples": REQUIRED, "output_dtype": dtypes.int64}
_SEED = {"seed": REQUIRED}

# The arguments of each op that are no tensors to its kernel, and how they become keywords.
RANDOM: dict[str, tuple[Given, Prepare]] = {
    "Multinomial": ({**_SAMPLES, **_SEEDS}, seeded),
    "RandomGamma": ({**_SHAPE, **_SEEDS}, seeded),
    "RandomPoissonV2": ({**_SHAPE, **_INT64, **_SEEDS}, seeded),
    "RandomShuffle": (_SEEDS, seeded),
    "RandomStandardNormal": ({**_SHAPE, "dtype": REQUIRED, **_SEEDS}, seeded),
    "RandomUniform": ({**_SHAPE, "dtype": REQUIRED, **_SEEDS}, seeded),
    "RandomUniformInt": ({**_SHAPE, **_BOUNDS, **_SEEDS}, _bounded),
    "StatelessMultinomial": ({**_SAMPLES, **_SEED}, _of_seed),
    "StatelessParameterizedTruncatedNormal": ({**_SHAPE, **_SEED}, _of_seed),
    "StatelessRandomBinomial": ({**_SHAPE, **_SEED, **_INT64}, _of_seed),
    "StatelessRandomGammaV3": ({**_SHAPE, **_STATE}, _of_state_alone),
    "StatelessRandomNormalV2": ({**_SHAPE, **_STATE, **_FLOAT}, _of_state),
    "StatelessRandomPoisson": ({**_SHAPE, **_SEED, "dtype": REQUIRED}, _of_seed),
    "StatelessRandomUniformFullIntV2": ({**_SHAPE, **_STATE, "dtype": dtypes.uint64}, _of_state),
    "StatelessRandomUniformIntV2": ({**_SHAPE, **_STATE, **_BOUNDS}, _of_state_and_bounds),
    "StatelessRandomUniformV2": ({**_SHAPE, **_STATE, **_FLOAT}, _of_state),
    "StatelessShuffle": (_STATE, _of_state_alone),
    "StatelessTruncatedNormalV2": ({**_SHAPE, **_STATE, **_FLOAT}, _of_state),
    "TruncatedNormal": ({**_SHAPE, "dtype": REQUIRED, **_SEEDS}, seeded),
}
