"""TF 1: estimators: training, evaluation and prediction around a model function."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import emplace.tensorflow.compat.v1 as tf1

estimator = tf1.estimator
ModeKeys = estimator.ModeKeys
X = np.linspace(-1, 1, 20, dtype=np.float32).reshape(20, 1)
Y = 3 * X[:, 0] + 1


@pytest.fixture(autouse=True)
def writers() -> Iterator[None]:
    """No writer is left open."""
    yield
    tf1.summary.FileWriterCache.clear()


def line(features: Any, labels: Any, mode: str, params: Any) -> Any:
    """A model of a line."""
    w = tf1.get_variable("w", [1, 1], initializer=tf1.zeros_initializer())
    b = tf1.get_variable("b", [1], initializer=tf1.zeros_initializer())
    guess = tf1.squeeze(tf1.matmul(features["x"], w) + b, 1)
    if mode == ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"y": guess, "twice": guess * 2.0})
    loss = tf1.reduce_mean(tf1.square(guess - labels))
    if mode == ModeKeys.EVAL:
        metrics = {"error": tf1.metrics.mean_absolute_error(labels, guess)}
        return estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf1.train.GradientDescentOptimizer(params["rate"])
    train = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def inputs(epochs: int | None = 1, shuffle: bool = False, size: int = 10) -> Any:
    return estimator.inputs.numpy_input_fn({"x": X}, Y, size, epochs, shuffle)


def made(folder: Path, **options: Any) -> Any:
    config = estimator.RunConfig(tf_random_seed=1, **options)
    return estimator.Estimator(line, folder, config, {"rate": 0.3})


def test_a_model_learns_and_is_used(tmp_path):
    model = made(tmp_path)
    before = model.evaluate(inputs())
    model.train(inputs(None, shuffle=True), steps=100)
    after = model.evaluate(inputs())
    assert before["global_step"] == 0
    assert before["loss"] > 1.0
    assert after["global_step"] == 100
    assert after["loss"] < 0.01
    assert set(after) == {"error", "loss", "global_step"}
    guesses = [each["y"] for each in model.predict(inputs())]
    np.testing.assert_allclose(guesses, Y, atol=0.2)
    assert model.get_variable_value("w").shape == (1, 1)
    assert set(model.get_variable_names()) == {"w", "b", "global_step"}


def test_training_goes_on_where_it_stopped(tmp_path):
    made(tmp_path).train(inputs(None), steps=3)
    model = made(tmp_path).train(inputs(None), steps=2)
    assert model.get_variable_value("global_step") == 5
    model.train(inputs(None), max_steps=4)
    assert model.get_variable_value("global_step") == 5
    assert model.latest_checkpoint() == str(tmp_path / "model.ckpt-5")


def test_training_ends_with_the_input(tmp_path):
    model = made(tmp_path).train(inputs(epochs=3))
    assert model.get_variable_value("global_step") == 6


def test_as_many_checkpoints_are_kept_as_asked_for(tmp_path):
    model = made(tmp_path, save_checkpoints_steps=1, keep_checkpoint_max=2)
    model.train(inputs(None), steps=4)
    names = sorted(each.stem for each in tmp_path.glob("*.safetensors"))
    assert names == ["model.ckpt-3", "model.ckpt-4"]


def test_losses_and_metrics_are_shown_by_tensorboard(tmp_path):
    model = made(tmp_path, save_summary_steps=1)
    model.train(inputs(None), steps=2)
    model.evaluate(inputs(), name="test")
    tf1.summary.FileWriterCache.clear()
    training = EventAccumulator(str(tmp_path)).Reload()
    assert [each.step for each in training.Scalars("loss")] == [1, 2]
    assert model.eval_dir("test") == os.path.join(tmp_path, "eval_test")
    evaluation = EventAccumulator(model.eval_dir("test")).Reload()
    assert [each.step for each in evaluation.Scalars("error")] == [2]


def test_training_and_evaluation_together(tmp_path):
    model = made(tmp_path, save_checkpoints_steps=2)
    steps: list[int] = []

    class Seen(tf1.train.SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            steps.append(int(session.run(tf1.train.get_global_step(session.graph))))

    found, exports = estimator.train_and_evaluate(
        model,
        estimator.TrainSpec(inputs(None), max_steps=5),
        estimator.EvalSpec(inputs(), hooks=[Seen()], throttle_secs=0),
    )
    assert found["global_step"] == 5
    assert exports == []
    assert steps == [2, 4, 5]


def test_predictions_may_be_chosen_and_come_in_batches(tmp_path):
    model = made(tmp_path).train(inputs(None), steps=1)
    (first, _) = model.predict(inputs(), "twice", yield_single_examples=False)
    assert list(first) == ["twice"]
    assert first["twice"].shape == (10,)
    with pytest.raises(ValueError, match="Expected to run at least one output"):
        next(model.predict(inputs(), ["other"]))


def test_a_prediction_leaves_the_programs_graph_alone(tmp_path):
    model = made(tmp_path).train(inputs(None), steps=1)
    with tf1.Graph().as_default() as graph:
        examples = model.predict(inputs())
        next(examples)
        assert tf1.get_default_graph() is graph
        examples.close()


def test_first_values_may_come_from_another_model(tmp_path):
    old = made(tmp_path / "old").train(inputs(None), steps=50)
    config = estimator.RunConfig()
    new = estimator.Estimator(
        line, tmp_path / "new", config, {"rate": 0.0}, warm_start_from=old.model_dir
    )
    new.train(inputs(None), steps=1)
    assert new.get_variable_value("w") == old.get_variable_value("w")
    assert new.get_variable_value("global_step") == 1


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda m: m.train(inputs(), steps=1, max_steps=1), ValueError, "both steps and max_steps"),
        (lambda m: m.train(inputs(), steps=0), ValueError, "Must specify steps > 0, given: 0"),
        (lambda m: m.evaluate(inputs(), steps=0), ValueError, "Must specify steps > 0, given: 0"),
        (lambda m: m.get_variable_names(), ValueError, "Estimator has not been trained yet"),
        (lambda m: m.export_saved_model("a", None), NotImplementedError, "writes no SavedModels"),
        (lambda m: estimator.EstimatorSpec(ModeKeys.TRAIN), ValueError, r"Missing train_op\."),
        (lambda m: estimator.EstimatorSpec(ModeKeys.EVAL), ValueError, r"Missing loss\."),
        (lambda m: estimator.EstimatorSpec("infer"), ValueError, r"Missing predictions\."),
        (lambda m: estimator.EstimatorSpec("eval", loss=[1.0, 2.0]), ValueError, "must be scalar"),
        (lambda m: estimator.Estimator(lambda x: x, "a"), ValueError, "must include features"),
        (lambda m: estimator.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1),
         ValueError, "cannot be both set"),
        (lambda m: estimator.RunConfig().replace(master="a"), ValueError, "Replacing master is"),
        (lambda m: estimator.train_and_evaluate(m, 1, 2), TypeError, "`train_spec` must have type"),
    ],
)  # fmt: skip
def test_wrong_calls_are_refused(tmp_path, make, error, text):
    with tf1.Graph().as_default(), pytest.raises(error, match=text):
        make(made(tmp_path))


# -- numpy_input_fn --------------------------------------------------------------------------------


def batches(function: Any) -> list[Any]:
    """All batches of an input function."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        tensors, found = function(), []
        while True:
            try:
                found.append(session.run(tensors))
            except tf1.errors.OutOfRangeError:
                return found


def test_batches_go_on_over_the_end_of_an_epoch():
    function = estimator.inputs.numpy_input_fn(np.arange(3), None, 2, 2, False)
    assert [each.tolist() for each in batches(function)] == [[0, 1], [2, 0], [1, 2]]


def test_the_last_batch_may_be_small():
    function = estimator.inputs.numpy_input_fn({"a": np.arange(3)}, np.arange(3), 2, 1, True)
    found = batches(function)
    assert [len(labels) for _, labels in found] == [2, 1]
    assert sorted(x for features, _ in found for x in features["a"].tolist()) == [0, 1, 2]
    assert all((features["a"] == labels).all() for features, labels in found)


def test_the_shapes_of_examples_are_known():
    with tf1.Graph().as_default():
        features, labels = estimator.inputs.numpy_input_fn(X, Y, 2, shuffle=False)()
        assert features.shape.as_list() == [None, 1]
        assert labels.shape.as_list() == [None]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda f: f(X), ValueError, "shuffle must be provided and explicitly set as boolean"),
        (lambda f: f([1], shuffle=False), TypeError, "x must be a dict or array; got list"),
        (lambda f: f({}, shuffle=False), ValueError, "x cannot be an empty dict"),
        (lambda f: f(X, Y[:3], shuffle=False), ValueError, "Length of tensors in x and y is mis"),
    ],
)
def test_wrong_arrays_are_refused(make, error, text):
    with pytest.raises(error, match=text):
        make(estimator.inputs.numpy_input_fn)
