"""What a step will hold is known before it runs: of ten models, and how many examples would fit."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable
from typing import Any

import memory_models
import numpy as np
import pytest
from memory_models import MODELS, Training, each_of

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.devices.memory import Budget

COUNT = 64
# An eager step holds what its Python does: an estimate is that of the function.
# Estimated when their slots are there, too.
AGAIN = (memory_models.mlp, memory_models.session, memory_models.towers, memory_models.mirrored)
PLANNED = [model for model in MODELS if model is not memory_models.eager_loop]
PLANNED += [memory_models.mirrored]


def budgets() -> dict[str, Budget]:
    found = {device.short_name: device.budget for device in find_devices(type="GPU")}
    return {name: budget for name, budget in found.items() if budget is not None}


@pytest.mark.gpus(2, memory="1GB")
@pytest.mark.parametrize("model", each_of(PLANNED))
def test_a_step_holds_what_was_estimated(model: Callable[[], Training]) -> None:
    gc.collect()
    before = {name: budget.usage().in_use for name, budget in budgets().items()}
    training = model()
    estimate = training.estimate(COUNT)
    gc.collect()
    others = {name: budget.usage().in_use for name, budget in budgets().items()}
    marks = {name: budget.mark() for name, budget in budgets().items()}
    for _ in range(2):
        training.step(COUNT)
    found = [estimate, training.estimate(COUNT)] if model in AGAIN else [estimate]
    used = 0
    for name, budget in budgets().items():
        measured = budget.peak_since(marks[name]) - before[name]
        if not measured:
            continue
        used += 1
        for each in found:
            told = each.devices[name]
            assert abs(told.peak_bytes - measured) <= 0.02 * measured, (name, measured, str(each))
            assert sum(told.parts.values()) == told.peak_bytes
            assert told.line is not None
        held = estimate.devices[name].parts  # slots are supposed, not made
        grown = others[name] - before[name] - held["parameters"] - held["variables"]
        assert grown <= held["slots"] // 8 + 4096
    assert used == (2 if model.__name__ in ("towers", "replicas", "mirrored") else 1)
    assert not estimate.notes


# -- how many would fit ----------------------------------------------------------------------------


def advised(step: Callable[[int], Any], count: int) -> int | None:
    """The batch that the refusal of a step names; None if it names none."""
    try:
        step(count)
    except tf.errors.ResourceExhaustedError as error:
        text = error.message
    else:
        pytest.fail("it fits")
    lines = text[text.index("OOM when") :].splitlines()
    assert len([line for line in lines if "[[{{node" not in line]) <= 22
    found = re.search(
        r"^  A batch of (\d+) fits by projection \(this one is (\d+)\)\.$", text, re.M
    )
    if found is None:
        assert "fits by" not in text
        return None
    assert int(found[2]) == count
    return int(found[1])


def is_the_most(step: Callable[[int], Any], count: int) -> None:
    """That so many examples run, and a fiftieth more than one more do not."""
    gc.collect()
    step(count)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        step((count + 1) * 51 // 50 + 1)


def dense() -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([layers.Input((64,)), layers.Dense(256, "relu"), layers.Dense(8)])
    model.compile("adam", "mse")
    return model


def arrays(count: int) -> tuple[Any, Any]:
    return np.ones([count, 64], np.float32), np.ones([count, 8], np.float32)


def by_fit() -> Callable[[int], Any]:
    model = dense()

    def step(count: int) -> None:
        x, y = arrays(count)
        model.fit(x, y, batch_size=count, verbose=0)

    return step


def by_fit_on_a_dataset() -> Callable[[int], Any]:
    model = dense()

    def step(count: int) -> None:
        data = tf.data.Dataset.from_tensor_slices(arrays(count)).batch(count)
        model.fit(data, verbose=0, shuffle=False)

    return step


def by_train_on_batch() -> Callable[[int], Any]:
    model = dense()
    return lambda count: model.train_on_batch(*arrays(count))


def by_predict() -> Callable[[int], Any]:
    model = dense()
    return lambda count: model.predict(arrays(count)[0], batch_size=count, verbose=0)


def by_function() -> Callable[[int], Any]:
    v = tf.Variable(tf.ones([64, 64]))

    @tf.function(input_signature=[tf.TensorSpec([None, 64])])
    def train(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.tanh(x @ v) @ v)
        v.assign_sub(0.01 * tape.gradient(loss, v))

    return lambda count: train(tf.ones([count, 64]))


WAYS = [by_fit, by_fit_on_a_dataset, by_train_on_batch, by_predict, by_function]


@pytest.mark.gpus(1, memory="1GB")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_error_says_which_batch_would_fit(way: Callable[[], Any]) -> None:
    (budget,) = budgets().values()
    step = way()
    step(40)  # what comes with the first step is there
    gc.collect()
    with emplace.limit("GPU:0", budget.usage().in_use + (2 << 20)):
        count = advised(step, 4000)
        assert count is not None
        is_the_most(step, count)


@pytest.mark.gpus(1, memory="1GB")
def test_the_error_of_a_session_says_which_batch_would_fit() -> None:
    (budget,) = budgets().values()
    training = memory_models.session()
    training.step(8)
    with emplace.limit("GPU:0", budget.usage().in_use + (2 << 20)):
        count = advised(training.step, 4000)
        assert count is not None
        is_the_most(training.step, count)


@pytest.mark.gpus(1, memory="4MB")
def test_where_nobody_knows_the_error_says_nothing_of_batches() -> None:
    v = tf.Variable(tf.ones([64, 64]))

    @tf.function
    def of_one_size(x: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x @ v) @ v)

    assert advised(lambda count: of_one_size(tf.ones([count, 64])), 8000) is None

    @tf.function(input_signature=[tf.TensorSpec([None, 64]), tf.TensorSpec([None, 64])])
    def of_two_sizes(x: Any, y: Any) -> Any:
        return tf.reduce_sum(tf.tanh(x @ v)) + tf.reduce_sum(tf.tanh(y @ v))

    few = tf.ones([8, 64])
    assert advised(lambda count: of_two_sizes(tf.ones([count, 64]), few), 8000) is None


@pytest.mark.gpus(1, memory="1GB")
def test_to_say_it_allocates_nothing_and_runs_no_step() -> None:
    (budget,) = budgets().values()
    model = dense()
    model.fit(*arrays(40), batch_size=40, verbose=0)
    weights, steps = model.get_weights(), int(model.optimizer.iterations.numpy())
    gc.collect()
    before = budget.usage().in_use
    with emplace.limit("GPU:0", before + (2 << 20)):
        budget.reset_peak()
        x, y = arrays(4000)
        assert advised(lambda count: model.fit(x, y, batch_size=count, verbose=0), 4000)
        assert budget.usage().peak - before < 64 << 10  # constants of the plan
    assert int(model.optimizer.iterations.numpy()) == steps
    for one, other in zip(weights, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


# -- the largest batch -----------------------------------------------------------------------------


@pytest.mark.gpus(2, memory="64MB")
def test_the_largest_batch_fits_and_one_more_does_not() -> None:
    model = dense()
    limit = 1 << 20
    count = emplace.largest_batch(model, limit)
    held = [
        emplace.estimate(model, batch_size=n).devices["GPU:0"].peak_bytes
        for n in (count, count + 1)
    ]
    assert count > 16
    assert held[0] <= limit < held[1]


@pytest.mark.gpus(2, memory="2MB")
@pytest.mark.slow
def test_the_largest_batch_fits_on_each_gpu_of_a_strategy() -> None:
    with tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"]).scope():
        model = dense()
    with tf.device("GPU:1"):
        held = tf.ones([1 << 18])
    count = emplace.largest_batch(model)
    peaks = [
        emplace.estimate(model, batch_size=n).devices["GPU:1"].peak_bytes
        for n in (count, count + 2)
    ]
    room = (2 << 20) - (4 * held.shape[0])
    assert peaks[0] <= room < peaks[1] + 4096  # of constants
