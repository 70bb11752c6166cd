"""TF 1: estimators whose models are trained and evaluated on replicas of a strategy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.v1 import contrib

pytestmark = pytest.mark.gpus(2, memory="64MB")
estimator = tf1.estimator
ModeKeys = estimator.ModeKeys
STEPS, BATCH = 20, 8
random = np.random.default_rng(1)
X = random.normal(size=(STEPS * BATCH, 5)).astype(np.float32)
Y = (X @ random.normal(size=(5, 1)) + 1).astype(np.float32)


@pytest.fixture(autouse=True)
def writers() -> Iterator[None]:
    """No writer is left open."""
    yield
    tf1.summary.FileWriterCache.clear()


def model(features: Any, labels: Any, mode: str, params: Any) -> Any:
    """Two layers with normalised outputs between, weight decay, a metric and a summary."""
    x = tf1.layers.dense(
        features, 4, kernel_initializer=tf1.random_normal_initializer(seed=5),
        kernel_regularizer=lambda kernel: 0.01 * tf1.reduce_sum(kernel * kernel),
    )  # fmt: skip
    guess = tf1.layers.dense(tf1.nn.tanh(x), 1, kernel_initializer=tf1.ones_initializer())
    if mode == ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"y": guess})
    loss = tf1.losses.mean_squared_error(labels, guess, reduction=params["reduction"])
    loss = loss + tf1.losses.get_regularization_loss()
    metrics = {"error": tf1.metrics.mean_absolute_error(labels, guess)}
    tf1.summary.scalar("guess", tf1.reduce_mean(guess))
    train = tf1.train.AdamOptimizer(0.05).minimize(loss, global_step=tf1.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


def data(size: int, epochs: int = 1) -> Any:
    return lambda: tf1.data.Dataset.from_tensor_slices((X, Y)).repeat(epochs).batch(size)


def made(folder: Path, strategy: Any = None, evaluated_by: Any = None, **params: Any) -> Any:
    config = estimator.RunConfig(
        tf_random_seed=1, train_distribute=strategy, eval_distribute=evaluated_by,
        save_summary_steps=5,
    )  # fmt: skip
    params.setdefault("reduction", tf1.losses.Reduction.SUM_OVER_BATCH_SIZE)
    return estimator.Estimator(model, folder, config, params)


def values(found: Any) -> dict[str, Any]:
    return {name: found.get_variable_value(name) for name in found.get_variable_names()}


STRATEGIES = {
    "tf.distribute": lambda: tf1.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"]),
    "contrib": lambda: contrib.distribute.MirroredStrategy(num_gpus=2),
}


@pytest.mark.parametrize("kind", list(STRATEGIES))
def test_replicas_train_the_model_that_one_device_trains(tmp_path, kind):
    one, two = made(tmp_path / "1"), made(tmp_path / "2", STRATEGIES[kind]())
    one.train(data(BATCH))
    two.train(data(BATCH // 2))
    expected, found = values(one), values(two)
    assert list(found) == list(expected)
    assert found["global_step"] == STEPS
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-5, err_msg=name)
    guesses = [[each["y"] for each in m.predict(data(16))] for m in (one, two)]
    np.testing.assert_allclose(*guesses, rtol=1e-4, atol=1e-5)


def test_losses_that_are_sums_are_added_up(tmp_path):
    sums = {"reduction": tf1.losses.Reduction.SUM}
    one = made(tmp_path / "1", **sums)
    two = made(tmp_path / "2", tf1.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"]), **sums)
    one.train(data(BATCH), steps=1)
    two.train(data(BATCH // 2), steps=1)
    bias = "dense_1/bias"  # which no regularizer is of
    np.testing.assert_allclose(
        two.get_variable_value(bias), one.get_variable_value(bias), rtol=1e-5
    )


def test_replicas_evaluate_as_one_device_does(tmp_path):
    strategy = tf1.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    one = made(tmp_path)
    one.train(data(BATCH))
    two = made(tmp_path, None, strategy)
    expected, found = one.evaluate(data(BATCH)), two.evaluate(data(BATCH))
    assert found == pytest.approx(expected, rel=1e-5)
    assert expected["global_step"] == STEPS


def test_one_device_goes_on_where_replicas_stopped(tmp_path):
    strategy = tf1.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    alone, first, then = made(tmp_path / "1"), made(tmp_path / "2", strategy), made(tmp_path / "2")
    alone.train(data(BATCH, 2), steps=2 * STEPS)
    first.train(data(BATCH // 2))
    then.train(data(BATCH))
    for name, value in values(alone).items():
        np.testing.assert_allclose(
            then.get_variable_value(name), value, rtol=1e-3, atol=1e-4, err_msg=name
        )


def test_train_and_evaluate_takes_strategies(tmp_path):
    both = contrib.distribute.DistributeConfig(
        STRATEGIES["contrib"](), tf1.distribute.MirroredStrategy(["/gpu:0", "/gpu:1"])
    )
    config = estimator.RunConfig(tmp_path, tf_random_seed=1, experimental_distribute=both)
    params = {"reduction": tf1.losses.Reduction.SUM_OVER_BATCH_SIZE}
    used = estimator.Estimator(model, config=config, params=params)
    found, _ = estimator.train_and_evaluate(
        used, estimator.TrainSpec(data(4, 3), max_steps=30), estimator.EvalSpec(data(4), None)
    )
    assert found["global_step"] == 30
    assert found["loss"] < 5


def test_hooks_and_scaffolds_of_the_first_replica_are_used(tmp_path):
    seen = []

    class Hook(tf1.train.SessionRunHook):
        def after_run(self, run_context, run_values):
            seen.append("ran")

    def hooked(features, labels, mode, params):
        spec = model(features, labels, mode, {**params})
        scaffold = tf1.train.Scaffold(init_fn=lambda scaffold, session: seen.append("started"))
        return spec._replace(training_hooks=[Hook()], scaffold=scaffold)

    config = estimator.RunConfig(tmp_path, train_distribute=STRATEGIES["tf.distribute"]())
    params = {"reduction": tf1.losses.Reduction.SUM_OVER_BATCH_SIZE}
    estimator.Estimator(hooked, config=config, params=params).train(data(4), steps=2)
    assert seen == ["started", "ran", "ran"]


def test_an_input_function_may_ask_for_its_context(tmp_path):
    asked = []

    def inputs(input_context=None):
        asked.append(str(input_context))
        return data(4)()

    made(tmp_path, STRATEGIES["tf.distribute"]()).train(inputs, steps=1)
    assert asked == ["tf.distribute.InputContext(input pipeline id 0, total: 1)"]


def test_what_replicas_cannot_share_is_refused(tmp_path):
    batches = estimator.inputs.numpy_input_fn(X, Y, 4, 1, shuffle=False)
    text = r"input_fn must return a tf.data.Dataset or a callable"
    with pytest.raises(ValueError, match=text):
        made(tmp_path, STRATEGIES["tf.distribute"]()).train(batches)
    both = contrib.distribute.DistributeConfig(STRATEGIES["tf.distribute"]())
    with pytest.raises(ValueError, match=r"Give a strategy once"):
        estimator.RunConfig(train_distribute=both, experimental_distribute=both)


def test_an_estimator_takes_a_dataset_without_a_strategy(tmp_path):
    used = made(tmp_path)
    used.train(data(BATCH), steps=3)
    assert used.evaluate(data(BATCH))["global_step"] == 3
    assert len(list(used.predict(lambda: tf1.data.Dataset.from_tensor_slices(X[:6]).batch(4)))) == 6
