"""A call that cannot work fails with TensorFlow's class of error, and leaves no memory behind.

Calls whose class is known to differ stand in tests/data/registry_gaps.json; test_registry.py
sees to it that they are no more and no fewer.
"""

from __future__ import annotations

import resource
import sys
from typing import Any

import pytest
from bad_facts import error_of, tensorflows
from registry_facts import known_gaps

import emplace.tensorflow as tf

CALLS = [each for each in tensorflows() if each not in known_gaps()["other error"]]

LOSS = "tf.nn.sparse_softmax_cross_entropy_with_logits"
NAN_ON_GPUS = {f"{LOSS}([3], f32(1, 3))", f"{LOSS}([-1], f32(1, 3))"}


def megabytes() -> float:
    """The most memory this process ever had."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10


def _marked(call: str) -> Any:
    nan = pytest.mark.not_strict("a label that is no class makes the loss nan on hardware")
    return pytest.param(call, marks=nan if call in NAN_ON_GPUS else ())


@pytest.mark.parametrize("call", list(map(_marked, CALLS)))
@pytest.mark.gpus(1, memory="64MB")
def test_a_call_that_cannot_work_is_refused_without_taking_memory(call: str) -> None:
    in_use = tf.config.experimental.get_memory_info
    with tf.device("/GPU:0"):
        assert error_of(call) == tensorflows()[call]  # constants of numbers are kept from here on
        before = in_use("GPU:0")["current"]
        error_of(call)
    assert in_use("GPU:0")["current"] == before


@pytest.mark.gpus(0)
def test_refused_calls_do_not_make_the_process_grow() -> None:
    for call in CALLS:
        error_of(call)
    before = megabytes()
    for call in CALLS:
        assert error_of(call) == tensorflows()[call], call
    assert megabytes() - before < 64


def test_there_are_enough_calls_to_mean_something() -> None:
    assert len(CALLS) >= 100
