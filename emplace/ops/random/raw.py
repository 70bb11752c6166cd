"""How raw random ops get their keys: from tensors, from a seed of two numbers, from two seeds.

TensorFlow's raw ops take the state of the generator as tensors; kernels take plain numbers.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ..arguments import is_symbolic, known_int
from ..convert import tensors
from .philox import key_and_counter
from .stateful import counters_of, counters_of_classes, counters_of_shuffle, raw_key

REQUIRED = inspect.Parameter.empty
Given = dict[str, Any]
Prepare = Callable[[Sequence[Any], Given], Given]
Counters = Callable[[Sequence[Any], Given], tuple[Any, int | None]]


def seeded(name: str, counters: Counters) -> Prepare:
    """The key and counter of TensorFlow's two seeds, which goes on from call to call.

    Args:
        name: of the op.
        counters: what tells TensorFlow's generators of this op apart, and how many counters a draw
            sets aside.
    """

    def prepare(inputs: Sequence[Any], given: Given) -> Given:
        seeds = given.pop("seed"), given.pop("seed2")
        user, count = counters(inputs, given)
        return {**given, "seed": raw_key((name, *user), *seeds, count)}

    return prepare


def _numbers(inputs: Sequence[Any], given: Given) -> tuple[Any, int | None]:
    return (given["dtype"],), counters_of(given["shape"])


def _for_each(inputs: Sequence[Any], given: Given) -> tuple[Any, int | None]:
    """Numbers for each parameter, which is the only input."""
    (parameter,) = inputs
    return (given.get("dtype", parameter.dtype),), counters_of(given["shape"], parameter)


def _classes(inputs: Sequence[Any], given: Given) -> tuple[Any, int | None]:
    (logits,) = inputs
    return (logits.dtype, given["output_dtype"]), counters_of_classes(logits, given["num_samples"])


def _orders(inputs: Sequence[Any], given: Given) -> tuple[Any, int | None]:
    (value,) = inputs
    return (value.dtype,), counters_of_shuffle(value)


def _tries(inputs: Sequence[Any], given: Given) -> tuple[Any, int | None]:
    return (inputs[0].dtype, *given.values()), given["max_attempts"]


def _bounded(inputs: Sequence[Any], given: Given) -> Given:
    """Integers between two tensors, whose dtype is theirs."""
    return seeded("RandomUniformInt", _numbers)(inputs, _of_bounds(given))


def _of_bounds(given: Given) -> Given:
    low, high = tensors([given["minval"], given["maxval"]])
    numbers = (known_int(end) if is_symbolic(end) else int(end.numpy()) for end in (low, high))
    return {**given, **dict(zip(("minval", "maxval"), numbers, strict=True)), "dtype": low.dtype}


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
_BOXES = {
    "aspect_ratio_range": (0.75, 1.33), "area_range": (0.05, 1), "max_attempts": 100,
    "use_image_if_no_bounding_boxes": False,
}  # fmt: skip

# Those of two seeds: their other arguments, and what counts their draws.
_SEEDED: dict[str, tuple[Given, Counters]] = {
    "Multinomial": (_SAMPLES, _classes),
    "RandomGamma": (_SHAPE, _for_each),
    "RandomPoissonV2": ({**_SHAPE, **_INT64}, _for_each),
    "RandomShuffle": ({}, _orders),
    "RandomStandardNormal": ({**_SHAPE, "dtype": REQUIRED}, _numbers),
    "RandomUniform": ({**_SHAPE, "dtype": REQUIRED}, _numbers),
    "SampleDistortedBoundingBoxV2": ({**_SEEDS, **_BOXES}, _tries),
    "TruncatedNormal": ({**_SHAPE, "dtype": REQUIRED}, _numbers),
}

# The arguments of each op that are no tensors to its kernel, and how they become keywords.
RANDOM: dict[str, tuple[Given, Prepare]] = {
    **{
        name: ({**more, **_SEEDS}, seeded(name, counters))
        for name, (more, counters) in _SEEDED.items()
    },
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
}
