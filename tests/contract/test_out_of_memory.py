"""A refusal of memory leaves everything as it was: variables, the memory in use, the next step.

CI refuses a few steps of each kind; EMPLACE_REFUSALS=250 so many of each (2,000 in all).
"""

from __future__ import annotations

import gc
import os
import random

import psutil
import pytest
from oom_programs import LARGE, SCENES, Function, Scene, refused_steps

import emplace
import emplace.tensorflow as tf

COUNT = int(os.environ.get("EMPLACE_REFUSALS", "8"))
MB = 1 << 20
KINDS = (*SCENES, type("Compiled", (Function,), {"jit_compile": True}))


@pytest.mark.gpus(1, memory="1GB")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__.lower())
def test_a_refused_step_changes_nothing(kind: type[Scene]):
    emplace.limit("GPU:0", LARGE)
    refused_steps(kind(), random.Random(0), 1)
    gc.collect()
    gc.freeze()  # what that has imported, too
    scene = kind()
    random_ = random.Random(COUNT)
    first = max(1, COUNT // 5)  # of these the process's caches and the allocator's arenas come
    tried, levels = refused_steps(scene, random_, first)
    gc.collect()
    before = psutil.Process().memory_info().rss
    more, later = refused_steps(scene, random_, COUNT - first)
    gc.collect()
    grown = psutil.Process().memory_info().rss - before
    print(f"{COUNT} of {tried + more} steps refused; the process grew by {grown / MB:.2f} MiB")
    assert max(levels + later) - min(levels + later) < MB
    if COUNT >= 100:
        assert grown < 5 * MB
    scene.close()


@pytest.mark.gpus(1, memory="64MB")
def test_limits_that_change_again_and_again_leak_nothing():
    with tf.device("/GPU:0"):
        x = tf.ones([256, 256])
        tf.nn.gelu(x)
        gc.collect()
        objects, before = len(gc.get_objects()), psutil.Process().memory_info().rss
        for i in range(1000):
            emplace.limit("GPU:0", (16 + i % 32) * MB)
            if i % 50 == 0:
                tf.nn.gelu(x)
        gc.collect()
    assert len(gc.get_objects()) - objects < 200
    assert psutil.Process().memory_info().rss - before < 5 * MB


@pytest.mark.gpus(1, memory="1GB")
@pytest.mark.parametrize("way", ["eager", "function", "session"])
def test_the_largest_batch_that_fits_takes_all_but_a_hundredth_of_the_limit(way: str):
    from emplace.devices.inventory import find_devices

    budget = find_devices(type="GPU")[0].budget
    assert budget is not None
    limit = 8 * MB

    def work(x: object) -> object:
        return tf.reduce_sum(tf.nn.gelu(x * 2.0) + x)

    def fits(rows: int) -> bool:
        gc.collect()
        emplace.limit("GPU:0", limit)
        budget.reset_peak()
        try:
            with tf.device("/GPU:0"):
                if way == "eager":
                    work(tf.ones([rows, 256]))
                elif way == "function":
                    tf.function(lambda: work(tf.ones([rows, 256])))()
                else:
                    with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
                        with tf.device("/GPU:0"):
                            y = work(tf.fill([rows, 256], tf.constant(1.0)))
                        session.run(y)
        except tf.errors.ResourceExhaustedError:
            return False
        assert budget.usage().peak <= limit
        peaks.append(budget.usage().peak)
        return True

    peaks: list[int] = []
    low, high = 1, 1 << 14
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    assert max(peaks) >= 0.99 * limit
