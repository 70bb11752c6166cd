"""What Larq, Sonnet, Trieste and Keras 2 ask of TensorFlow's insides."""

from __future__ import annotations

import importlib
from unittest import mock

import absl.logging
import numpy as np
import pytest

import emplace.tensorflow as tf

pytestmark = pytest.mark.usefixtures("installed")
Splits = tf.errors.InvalidArgumentError


def private(name):
    return importlib.import_module(f"tensorflow.python.{name}")


class Asked:
    """What Keras 2 hands to a graph to learn the device that is asked for."""

    device = None

    def _set_device_from_string(self, text):
        self.device = text


def asked(graph):
    found = Asked()
    graph._apply_device_functions(found)
    return found.device


def test_a_graph_tells_the_device_that_is_asked_for():
    graph = tf.Graph()
    assert asked(graph) is None
    with graph.device("/CPU:0"):
        assert asked(graph) == "/device:CPU:0"
        with graph.device(lambda op: "/device:GPU:1"):
            assert asked(graph) == "/device:GPU:1"
    with graph.as_default(), tf.device("/GPU:0"):
        assert asked(graph) == "/device:GPU:0"
    assert asked(graph) is None


def test_texts_of_elements():
    text = private("framework.ops").numpy_text
    assert text(tf.constant([1, 2])) == "[1 2]"
    assert text(tf.constant([1, 2]), is_repr=True) == "array([1, 2], dtype=int32)"
    assert text(tf.constant([[1.0], [2.0]])) == "\n[[1.]\n [2.]]"


def test_splits_that_have_to_match():
    check = private("ops.ragged.ragged_util").assert_splits_match
    rows = ([[1], [2, 3]], [[1, 2], [3]], [[[1]]])
    one, other, deep = (tf.ragged.constant(each).nested_row_splits for each in rows)
    assert check([one, one, one]) == [None, None]
    with pytest.raises(Splits, match="Inputs must have identical ragged splits"):
        check([one, other])
    with pytest.raises(ValueError, match=r"^Inputs must have identical ragged splits$"):
        check([one, deep])
    rows = [tf.RaggedTensor.from_row_splits([1, 2, 3], each) for each in ([0, 1, 3], [0, 2, 3])]

    @tf.function
    def checked(one, other):
        check([one.nested_row_splits, other.nested_row_splits])

    checked(rows[0], rows[0])
    with pytest.raises(Splits, match="Inputs must have identical ragged splits"):
        checked(*rows)


def test_several_cpus():
    several = private("distribute.strategy_combinations").set_virtual_cpus_to_at_least
    with pytest.raises(ValueError, match=r"^`num` must be at least 1 not 0$"):
        several(0)
    several(1)
    several(3)
    assert [each.name for each in tf.config.list_logical_devices("CPU")] == [
        "/device:CPU:0", "/device:CPU:1", "/device:CPU:2"
    ]  # fmt: skip
    with tf.device("/CPU:2"):
        assert tf.Variable(1.0).device.endswith("CPU:2")
    with pytest.raises(RuntimeError, match="cannot be modified after being initialized"):
        several(4)


def test_the_scope_of_names_in_eager_mode():
    context = private("eager.context").context()
    assert context.scope_name == ""
    with tf.name_scope("a"), tf.name_scope("b"):
        assert context.scope_name == "a/b/"


def test_a_graph_made_by_hand_takes_tensors_of_other_functions():
    made, kept = tf.__internal__.FuncGraph, []
    with made("one").as_default():
        zeros = tf.zeros([2, 3])
    other = made("other")
    with other.as_default():
        assert (zeros + 1.0).shape == [2, 3]
    assert len(other.captures) == 1
    with made("outer").as_default():
        with made("inner").as_default():
            ones = tf.ones([2])
        with pytest.raises(ValueError, match="is out of scope and cannot be used here"):
            ones + 1.0
    tf.function(lambda: kept.append(tf.ones([3])))()
    with pytest.raises(ValueError, match="is out of scope and cannot be used here"):
        tf.function(lambda: kept[0] * 2.0)()


@pytest.mark.parametrize("way", ["eager", "function", "session"])
def test_a_programs_own_seeds_count_for_all_random_ops(way):
    seeds = importlib.import_module(tf.compat.v1.get_seed.__module__)
    tf.random.set_seed(42)
    expected = tf.random.uniform([2], seed=7).numpy().tolist()
    asked_for = []

    def told(seed):
        asked_for.append(seed)
        return 42, 7

    tf.random.set_seed(42)
    with mock.patch.object(seeds, "get_seed", wraps=told):
        if way == "eager":
            got = tf.random.uniform([2], seed=3)
        elif way == "function":
            got = tf.function(lambda: tf.random.uniform([2], seed=3))()
        else:
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                got = session.run(tf.random.uniform([2], seed=3))
    assert asked_for == [3]
    assert np.asarray(got).tolist() == expected
    tf.random.set_seed(42)
    assert tf.random.uniform([2], seed=7).numpy().tolist() == expected


def test_methods_of_arrays_by_the_name_of_their_class():
    def both():
        array = tf.TensorArray("float32", 2)
        array = tf.TensorArray.write(array, 0, 1.0).write(1, 2.0)
        return tf.TensorArray.stack(array), tf.TensorArray.size(array)

    for run in (both, tf.function(both)):
        stacked, size = run()
        assert stacked.numpy().tolist() == [1.0, 2.0]
        assert int(size) == 2
    assert tf.TensorArray.write.__name__ == "write"


@pytest.mark.parametrize("like", [tf.zeros_like, tf.ones_like])
def test_a_first_value_that_needs_a_changed_variables_shape_alone(like):
    counted, made = tf.Variable([[1.0, 2.0]]), []

    @tf.function
    def run():
        counted.assign_add([[1.0, 1.0]])
        if not made:
            made.append(tf.Variable(like(counted)))
        return made[0] + counted

    kept = float(like(0.0))
    assert run().numpy().tolist() == [[kept + 2.0, kept + 3.0]]
    assert run().numpy().tolist() == [[kept + 3.0, kept + 4.0]]


LEVELS = [
    ("INFO", "info"), ("info", "info"), ("WARN", "warning"), ("warning", "warning"),
    ("warn", "warning"), ("ERROR", "error"), ("error", "error"),
]  # fmt: skip


@pytest.mark.parametrize("logging", ["TensorFlow's", "absl's"])
@pytest.mark.parametrize(("name", "log"), LEVELS)
def test_levels_and_functions_of_logs_are_streams(logging, name, log, monkeypatch):
    from emplace.ops.strings import printing

    said = []
    monkeypatch.setitem(printing._LOGS, f"log({log})", said.append)
    module = absl.logging if logging == "absl's" else tf.compat.v1.logging
    tf.print("told", output_stream=getattr(module, name))
    assert said == ["told"]


def test_other_levels_are_no_streams():
    with pytest.raises(ValueError, match="Unsupported output stream, logging level, or file"):
        tf.print("told", output_stream=tf.compat.v1.logging.FATAL)


# Shapes of arguments, what joins them, and the shape that TensorFlow knows of the result.
JOINED = {
    "concat": (((1, 3), (None, 1)), lambda a, b: tf.concat([a, b], -1), (1, 4)),
    "concat rows": (((None, 3), (2, None)), lambda a, b: tf.concat([a, b], 0), (None, 3)),
    "concat three": (
        ((None, 3, None), (2, None, None), (2, 2, 5)), lambda *all: tf.concat(all, 1), (2, None, 5),
    ),
    "concat any": (((2, 3), None), lambda a, b: tf.concat([a, b], 1), (2, None)),
    "add_n": (((1, 3), (None, None)), lambda a, b: tf.add_n([a, b]), (1, 3)),
    "stack": (((1, 3), (None, None)), lambda a, b: tf.stack([a, b]), (2, 1, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", JOINED)
def test_each_input_tells_what_it_knows_of_the_shape(name):
    shapes, join, expected = JOINED[name]
    specs = [tf.TensorSpec(shape, tf.float32) for shape in shapes]
    traced = tf.function(join, autograph=False).get_concrete_function(*specs)
    assert tuple(traced.output_shapes) == expected


@pytest.mark.parametrize(
    ("join", "axis"), [(lambda *all: tf.concat(all, 0), 0), (lambda *all: tf.add_n(all), 1)]
)
def test_shapes_that_cannot_be_joined_are_refused_in_graphs(join, axis):
    specs = [tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([None, 4], tf.float32)]
    with pytest.raises(
        ValueError, match=f"Dimension {axis} in both shapes must be equal, but are 3"
    ):
        tf.function(join, autograph=False).get_concrete_function(*specs)


def test_a_distributed_dataset_tells_its_options():
    options = tf.distribute.InputOptions(experimental_per_replica_buffer_size=2)
    made = tf.distribute.MirroredStrategy(["/CPU:0"]).distribute_datasets_from_function(
        lambda _: tf.data.Dataset.range(4).batch(2), options
    )
    assert made._options is options


def test_structures_of_other_lengths_are_compared_as_objects():
    case = tf.test.TestCase()
    case.assertAllEqual(((1, 2), {"b": (1, 2)}), ((1, 2), {"b": (1, 2)}))
    with pytest.raises(AssertionError):
        case.assertAllEqual(((1, 2), {"b": (1, 2)}), ((1, 2), {"b": (1, 3)}))


def test_a_test_begins_with_tensorflows_seed():
    case = tf.test.TestCase("setUp")
    case.setUp()
    assert np.random.randint(10**6) == np.random.RandomState(87654321).randint(10**6)


def test_modules_name_what_is_no_attribute_of_the_program():
    # GPflow makes paths of the attributes that are left.
    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(1.0)

    module = Scaled()
    ignored = module._TF_MODULE_IGNORED_PROPERTIES
    found = [name for name in vars(module) if name not in ignored]
    holders = [name for name in found if isinstance(vars(module)[name], dict)]
    assert "scale" in found
    assert not any(module.scale in vars(module)[name].values() for name in holders)
