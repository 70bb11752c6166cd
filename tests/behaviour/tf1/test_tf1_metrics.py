"""`tf.compat.v1.metrics` against TensorFlow: values over updates, names, variables, refusals."""

import gzip
import json
import math
from pathlib import Path

import metric_cases
import numpy as np
import pytest
from tf1_cases import in_a_graph

import emplace.tensorflow as tf

tf1 = tf.compat.v1
RECORDED = Path(__file__).parents[2] / "oracle" / "metrics.json.gz"
WANTED = json.loads(gzip.decompress(RECORDED.read_bytes()))
METRICS = sorted({name.split(":")[0] for name in WANTED})


@pytest.fixture(autouse=True)
def tf1_behavior():
    tf1.disable_v2_behavior()
    tf1.enable_resource_variables()
    yield
    tf1.enable_v2_behavior()


def is_same(wanted, got):
    """Whether answers are the same but for the last digits of floats."""
    if isinstance(wanted, list):
        same_size = isinstance(got, list) and len(got) == len(wanted)
        return same_size and all(is_same(a, b) for a, b in zip(wanted, got, strict=True))
    if isinstance(wanted, float):
        return not isinstance(got, str) and math.isclose(wanted, got, rel_tol=2e-5, abs_tol=2e-5)
    return wanted == got


def comparable(answer, metric):
    """An answer without texts of errors, and without names that tell of TensorFlow's ops."""
    if answer[0] == "refused":
        return answer[:2]
    runs, (value, update), *rest = answer
    has_no_name = metric == "mean_iou" or (
        "/" in update and metric.split("_")[0] in ("true", "false")
    )
    return [runs, [] if has_no_name else [value, update], *rest]


def test_all_of_the_recorded_cases_are_there():
    assert set(WANTED) == set(metric_cases.CASES)
    there = {name for name in dir(tf1.metrics) if name[0].isalpha()}
    assert set(METRICS) == there


@pytest.mark.one_of(3)
@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_does_what_tensorflow_does(metric):
    wrong = []
    for name in WANTED:
        if name.split(":")[0] == metric:
            got = json.loads(json.dumps(in_a_graph(tf1, metric_cases.CASES[name])))
            if not is_same(comparable(WANTED[name], metric), comparable(got, metric)):
                wrong.append((name, WANTED[name], got))
    assert not wrong


def one_update(make):
    with tf.Graph().as_default(), tf1.Session() as session:
        value, update = make()
        session.run(tf1.local_variables_initializer())
        session.run(update)
        return session.run(value).tolist()


def test_classes_that_are_absent_count_in_the_mean_accuracy_of_classes():
    metric = tf1.metrics.mean_per_class_accuracy
    assert one_update(lambda: metric([0, 1, 2, 2], [0, 1, 2, 1], 5)) == pytest.approx(0.5)


def test_predictions_take_the_type_of_labels_before_they_are_compared():
    assert one_update(lambda: tf1.metrics.accuracy([1, 2], [1.5, 2.0])) == 1.0


@pytest.mark.parametrize("shapes", [([None, 1], [None]), (None, None), ([None], None)])
def test_axes_of_size_1_of_labels_and_weights_go_when_shapes_are_told(shapes):
    labels, weights = (tf1.placeholder_with_default(np.float32(each), shape) for each, shape in zip(
        ([[1], [1], [0]] if shapes[0] != [None] else [1, 1, 0], [3, 1, 0]), shapes, strict=True
    ))  # fmt: skip
    predictions = np.float32([[1], [0], [0]])
    value, update = tf1.metrics.accuracy(labels, predictions, weights)
    with tf1.Session() as session:
        session.run(tf1.local_variables_initializer())
        assert [session.run(update), session.run(value)] == [0.75, 0.75]


@pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k", "average_precision_at_k"])
@pytest.mark.parametrize("weights", [[1.0, 2.0], [[1.0], [2.0], [3.0]]])
def test_weights_of_the_best_k_are_one_for_all_or_one_for_each(name, weights):
    scores = np.random.RandomState(1).rand(3, 4).astype(np.float32)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="can not be broadcast"):
        one_update(
            lambda: getattr(tf1.metrics, name)(np.int64([0, 1, 2]), scores, 2, weights=weights)
        )


def test_labels_of_the_best_k_may_be_a_sparse_value_of_arrays():
    labels = tf1.SparseTensorValue(np.int64([[0, 0], [1, 0]]), np.int64([2, 0]), np.int64([2, 1]))
    scores = np.float32([[1, 2, 3], [3, 2, 1]])
    assert one_update(lambda: tf1.metrics.recall_at_k(labels, scores, 1)) == 1.0
    assert one_update(lambda: tf1.metrics.precision_at_k(labels, scores, 2)) == 0.5


def test_labels_of_the_best_k_are_int64():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="cast them to int64"):
        tf1.metrics.recall_at_k(tf.constant([[1]]), np.float32([[1, 2]]), 1)


@pytest.mark.parametrize("name", ["precision_at_top_k", "recall_at_top_k", "mean_cosine_distance"])
def test_eager_mode_has_no_metrics_of_this_kind(name):
    tf1.enable_v2_behavior()
    given = [[1]], [[1]], 1
    with tf1.init_scope(), pytest.raises(RuntimeError, match=f"tf.metrics.{name} is not supported"):
        getattr(tf1.metrics, name)(*given)
