"""A limit holds for the process: what the budget counts while an op runs, its results and what its
kernel takes besides, is what the operating system says that the process has touched.

CI runs a few with small inputs; EMPLACE_WORKSPACES=16 runs all with inputs of 16 MB and allows the
process 5 % and 16 MB beyond the budget, which is what is promised.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from workspaces import WORKSPACES

import emplace.tensorflow as tf

PROGRAM = Path(__file__).with_name("workspaces.py")
SCALE = int(os.environ.get("EMPLACE_WORKSPACES", "2"))
ALLOWED_BYTES = (16 if SCALE >= 16 else 3) << 20
# NumPy computes them in the host's memory.
ON_THE_HOST = {"random gamma"}
FEW = (
    "gelu",
    "sort",
    "unique",
    "conv2d float64",
    "reduce_logsumexp",
    "dropout",
    "top_k of one row",
)
NAMES = [n for n in WORKSPACES if n not in ON_THE_HOST] if SCALE >= 16 else FEW


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts touched pages anew")
@pytest.mark.slow
def test_the_process_takes_what_the_budget_counts():
    # Freed memory goes back to the system at once, so that it is not counted twice.
    keeping = {
        "EMPLACE_GPUS": "1x8GB", "EMPLACE_KEEP_MEMORY": "0", "MALLOC_MMAP_THRESHOLD_": "65536",
        "MALLOC_TRIM_THRESHOLD_": "131072", "MALLOC_ARENA_MAX": "2", "THP_MEM_ALLOC_ENABLE": "0",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(SCALE), *NAMES],
        env={**os.environ, **keeping}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) == len(NAMES)
    past = [
        each for each in found
        if "error" in each
        or each["process"] - each["counted"] > 0.05 * each["budget"] + ALLOWED_BYTES
    ]  # fmt: skip
    assert not past
    assert sum(each["counted"] > 1.1 * each["kept"] for each in found) >= min(40, len(NAMES))


@pytest.mark.gpus(1, memory="20MB")
def test_a_refusal_says_how_much_is_scratch():
    with tf.device("/GPU:0"):
        x = tf.ones([1024, 1024])
        held = tf.zeros([2300, 1024])
        with pytest.raises(tf.errors.ResourceExhaustedError) as refusal:
            tf.nn.gelu(x)
        assert ") needs 8.00 MiB (of which 4.00 MiB scratch) on GPU:0" in refusal.value.message
        del held
        tf.nn.gelu(x)


@pytest.mark.gpus(1, memory="20MB")
def test_what_kernels_take_is_given_back():
    with tf.device("/GPU:0"):
        x = tf.random.normal([512, 512])
        before = tf.config.experimental.get_memory_info("GPU:0")["current"]
        for op in (tf.nn.gelu, tf.sort, lambda x: tf.unique(tf.reshape(x, [-1])), tf.where):
            for _ in range(3):
                op(x)
                assert tf.config.experimental.get_memory_info("GPU:0")["current"] == before
    assert tf.config.experimental.get_memory_info("GPU:0")["peak"] > before + (2 << 20)


@pytest.mark.gpus(1, memory="20MB")
@pytest.mark.parametrize("op", ["unique", "where", "random"])
def test_kernels_whose_values_decide_are_refused_while_they_allocate(op):
    with tf.device("/GPU:0"):
        x = tf.reshape(tf.range(1 << 19), [-1])
        mask = x > -1
        held = tf.zeros([3_600_000])
        run = {
            "unique": lambda: tf.unique(x), "where": lambda: tf.where(mask),
            "random": lambda: tf.random.normal([1 << 20]),
        }[op]  # fmt: skip
        before = tf.config.experimental.get_memory_info("GPU:0")["current"]
        with pytest.raises(tf.errors.ResourceExhaustedError):
            run()
        assert tf.config.experimental.get_memory_info("GPU:0")["current"] == before
        del held


@pytest.mark.gpus(1, memory="40MB")
def test_an_optimizer_that_has_no_room_for_its_scratch_changes_nothing():
    with tf.device("/GPU:0"):
        var, accum = tf.Variable(tf.ones([1 << 20])), tf.Variable(tf.ones([1 << 20]))
        gradient = tf.ones([1 << 20])
        held = tf.zeros([6 << 20])
        step = lambda: tf.raw_ops.ResourceApplyAdagradV2(  # noqa: E731
            var=var.handle, accum=accum.handle, lr=0.1, epsilon=1e-3, grad=gradient
        )
        with pytest.raises(tf.errors.ResourceExhaustedError, match="scratch"):
            step()
        assert float(var[0]) == float(accum[0]) == 1.0
        del held
        step()
        assert float(accum[0]) == 2.0
