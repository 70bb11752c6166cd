"""What Keras 2 (`tf_keras`) asks of graphs, variables, sessions and replicas."""

from __future__ import annotations

import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

READ_WHOLE = tf.__internal__.distribute.variable_sync_on_read_context


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_the_default_graph_as_default_keeps_tapes(wrap: Any) -> None:
    v = tf.Variable(3.0)

    @wrap
    def of_loss() -> Any:
        with tf.GradientTape() as tape:
            if tf.executing_eagerly():
                loss = v * v
            else:
                with tf.compat.v1.get_default_graph().as_default():
                    loss = v * v
        return tape.gradient(loss, v)

    assert float(of_loss()) == 6.0


def test_tapes_go_on_in_a_sessions_graph_that_is_the_default_one_again() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with graph.as_default():
                y = x * x
        assert session.run(tape.gradient(y, x)) == 6.0


def test_the_default_graph_as_default_keeps_the_device() -> None:
    @tf.function
    def f() -> Any:
        with tf.device("/cpu:0"), tf.compat.v1.get_default_graph().as_default():
            return tf.constant(1.0) + 1.0

    f()
    (made,) = [op for op in f.get_concrete_function().graph.get_operations() if op.type == "AddV2"]
    assert made.device == "/device:CPU:0"


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize(
    ("aggregation", "expected"), [("SUM", 3.0), ("MEAN", 1.5), ("ONLY_FIRST_REPLICA", 1.0)]
)
@pytest.mark.gpus(2, memory="64MB")
def test_replicas_read_whole_variables(wrap: Any, aggregation: str, expected: float) -> None:
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    with strategy.scope():
        v = tf.Variable(
            0.0,
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation[aggregation],
        )

    def step() -> Any:
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        v.assign(tf.cast(number, tf.float32) + 1.0)
        with READ_WHOLE():
            whole = v + 10.0
        return whole, v + 10.0

    whole, own = strategy.run(wrap(step))
    assert [float(each) for each in strategy.experimental_local_results(whole)] == [
        10.0 + expected
    ] * 2
    assert [float(each) for each in strategy.experimental_local_results(own)] == [11.0, 12.0]
    with READ_WHOLE():
        assert float(v + 0.0) == expected


@pytest.mark.gpus(2, memory="64MB")
def test_variables_tell_their_strategy_and_whether_graphs_have_them() -> None:
    plain = tf.Variable(1.0)
    one, two = tf.distribute.OneDeviceStrategy("GPU:0"), tf.distribute.MirroredStrategy()
    made = []
    for strategy in (one, two):
        with strategy.scope():
            made.append(tf.Variable(1.0))
    assert [each._distribute_strategy for each in (plain, *made)] == [None, one, two]
    assert [each._in_graph_mode for each in (plain, *made)] == [False] * 3
    default = tf.distribute.get_strategy().extended
    created = [default.variable_created_in_scope(each) for each in (plain, *made)]
    assert created == [True, False, False]
    with tf.Graph().as_default():
        assert tf.compat.v1.Variable(1.0)._in_graph_mode


def test_graphs_of_functions_tell_what_is_around_them() -> None:
    found = []

    @tf.function
    def f() -> Any:
        graph = tf.compat.v1.get_default_graph()
        found.extend([graph.outer_graph, graph._get_control_flow_context()])
        return tf.constant(1.0)

    around = tf.compat.v1.get_default_graph()
    f()
    assert found == [around, None]
    found.clear()
    with tf.Graph().as_default() as graph:
        f()
        assert found == [graph, None]
        assert not hasattr(graph, "outer_graph")


def test_operations_tell_what_waits_for_them_and_hold_what_libraries_note() -> None:
    with tf.Graph().as_default():
        first = tf.constant(1.0)
        with tf.control_dependencies([first]):
            second = tf.constant(2.0)
        third = first + second
        assert first.op._control_outputs == [second.op]
        assert third.op._control_outputs == []
        assert third.op._get_control_flow_context() is None
        third.op._unconditional_update = True
        assert third.op._unconditional_update


def test_composites_tell_their_spec() -> None:
    ragged = tf.ragged.constant([[1], []])
    assert ragged._type_spec == tf.RaggedTensorSpec([2, None], tf.int32)
    sparse = tf.sparse.from_dense([1, 0])
    assert sparse._type_spec == tf.SparseTensorSpec([2], tf.int32)


def test_sessions_make_callables_of_options() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        source = tf.constant(4.0) * 1.0
        x, y = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
        total = tf.compat.v1.Variable(0.0)
        session.run(total.initializer)
        change = total.assign_add(x)
        result = x * 10.0 + y
        options = SimpleNamespace(
            feed=[x.name],
            fetch=[result.name, x.name],
            target=[change.op.name],
            run_options=None,
            tensor_connection=[SimpleNamespace(from_tensor=source.name, to_tensor=y.name)],
        )
        call = session._make_callable_from_options(options)
        assert call(2.0) == [24.0, 2.0]
        assert call(3.0) == [34.0, 3.0]
        assert session.run(total) == 5.0


def test_marks_for_profilers_do_nothing() -> None:
    with tf.profiler.experimental.Trace("step", step_num=1, _r=1) as trace:
        trace.set_metadata(batch_size=2)
    assert not isinstance(1, tf.experimental.dtensor.DVariable)
    with pytest.raises(NotImplementedError, match=r"Use tf.distribute, or devices by hand\."):
        tf.experimental.dtensor.DVariable(1.0)


def test_the_seed_of_the_process_is_told(installed: None) -> None:
    from tensorflow.python.eager import context

    assert context.global_seed() is None
    tf.random.set_seed(3)
    assert context.global_seed() == 3


def test_checkpoint_state_with_relative_paths(tmp_path: Any) -> None:
    prefix = str(tmp_path / "w")
    tf.train.Checkpoint(v=tf.Variable(np.float32(1))).write(prefix)
    tf.__internal__.train.update_checkpoint_state(
        save_dir=str(tmp_path), model_checkpoint_path=prefix, save_relative_paths=True,
        all_model_checkpoint_paths=[prefix],
    )  # fmt: skip
    assert 'model_checkpoint_path: "w"' in (tmp_path / "checkpoint").read_text()
    assert tf.train.latest_checkpoint(str(tmp_path)) == prefix


def test_specs_take_values_apart() -> None:
    sparse, ragged = tf.sparse.from_dense([0, 7]), tf.ragged.constant([[1], []])
    made = tf.type_spec_from_value(sparse)._to_components(sparse)
    assert [each.numpy().tolist() for each in made] == [[[1]], [7], [2]]
    assert len(tf.type_spec_from_value(ragged)._to_components(ragged)) == 2
    dataset, x = tf.data.Dataset.range(3), tf.constant(1)
    assert tf.type_spec_from_value(dataset)._to_components(dataset).dtype == tf.variant
    assert tf.TensorSpec([], tf.int32)._to_components(x) is x


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_constants_repeat_a_tensor_of_one_string(wrap: Any) -> None:
    text = tf.constant("a")
    assert wrap(lambda: tf.constant(text, shape=[2]))().numpy().tolist() == [b"a", b"a"]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_weights_have_the_rank_of_what_they_weigh(wrap: Any) -> None:
    broadcast = wrap(tf.__internal__.ops.broadcast_weights)
    values = tf.ones([1, 3, 2])
    assert broadcast([[[0.5]]], values).numpy().tolist() == [[[0.5] * 2] * 3]
    # Keras 2 reduces the values then; weights that were stretched gave other means.
    with pytest.raises(ValueError, match=r"values.rank=3. weights.rank=1. values.shape=\(1, 3, 2"):
        broadcast([0.5], values)


def test_weights_of_shapes_that_only_a_run_tells_are_looked_at_then() -> None:
    unknown = tf.TensorSpec(None)
    broadcast = tf.function(
        tf.__internal__.ops.broadcast_weights, input_signature=[unknown, unknown]
    )
    assert broadcast(tf.ones([2, 1]), tf.ones([2, 3])).shape == [2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="can not be broadcast to values"):
        broadcast(tf.constant([0.5]), tf.ones([1, 3, 2]))


def test_layers_in_containers_are_tracked_also_when_they_come_later() -> None:
    tracking = tf.__internal__.tracking

    class Layer(tracking.AutoTrackable):
        def _flatten_layers(self) -> Any:  # by which it is a layer of Keras 2
            for part in vars(self).get("_self_tracked_trackables", ()):
                if isinstance(part, tracking.TrackableDataStructure):
                    yield from part._values

        def __setattr__(self, name: str, value: Any) -> None:
            value = tracking.sticky_attribute_assignment(trackable=self, name=name, value=value)
            super().__setattr__(name, value)

    layer, parts = Layer(), [tf.Module() for _ in range(4)]
    layer.layers = []
    layer.layers.append(parts[0])
    layer.more = {"a": (parts[1], [parts[2]]), "b": 3}
    assert list(layer._flatten_layers()) == parts[:3]
    layer.layers = [parts[3]]
    del layer.more
    assert list(layer._flatten_layers()) == parts[3:]
    layer.layers[:] = [tf.Variable(1.0), [tf.Variable(2.0, trainable=False)]]
    (part,) = [each for each in vars(layer)["_self_tracked_trackables"] if each.name == "layers"]
    assert [float(each) for each in part.trainable_variables] == [1.0]
    assert [float(each) for each in part.variables] == [1.0, 2.0]


def test_what_an_assignment_returns_tells_its_operation() -> None:
    v, rows = tf.Variable(1.0), tf.Variable([[1.0], [2.0]])
    seen = []

    @tf.function
    def changed() -> Any:
        first, second = v.assign(3.0), v.assign_add(1.0)
        third = rows.scatter_update(tf.IndexedSlices(tf.ones([1, 1]), [0]))
        seen.extend(each.op.type for each in (first, second, third))
        with tf.control_dependencies([tf.group(first.op, second.op)]):
            return tf.identity(v)

    assert float(changed()) == 4.0
    assert seen == ["AssignVariableOp", "AssignAddVariableOp", "ResourceScatterUpdate"]
    assert v.assign(5.0).op is None


def test_the_default_strategys_scope_leaves_no_mark_on_variables() -> None:
    default = tf.distribute.get_strategy()
    with default.scope():
        v = tf.Variable(1.0)
    assert v._distribute_strategy is None
    assert default.extended.variable_created_in_scope(v)
    with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        assert not default.extended.variable_created_in_scope(tf.Variable(1.0))


def test_distributed_variables_tell_their_devices(virtual_gpus: Any) -> None:
    virtual_gpus(2)
    names = tuple(f"/job:localhost/replica:0/task:0/device:GPU:{i}" for i in range(2))
    with tf.distribute.MirroredStrategy().scope():
        mirrored = tf.Variable(1.0)
        on_read = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )  # fmt: skip
    assert mirrored._devices == on_read._devices == names


def test_small_things_that_keras_two_and_its_tests_ask_for(installed: Any) -> None:
    test_util = importlib.import_module("tensorflow.python.framework.test_util")
    assert not test_util.is_xla_enabled()
    assert tf.config.experimental.disable_mlir_bridge() is None
    one, other = tf.Graph(), tf.Graph()
    key = one._graph_key
    with one.as_default():
        tf.constant(1.0)
    assert one._graph_key == key != other._graph_key
    assert tf.constant([1.0, 2.0])._numpy().tolist() == [1.0, 2.0]
    assert tf.distribute.get_strategy().extended._global_batch_size
    assert tf.distribute.MirroredStrategy(["/cpu:0"]).extended._global_batch_size


def test_a_class_that_stands_for_a_variable_has_its_strategy() -> None:
    class Standing(tf.Variable):  # as Keras 2's AutoCastVariable
        def __init__(self, variable: Any) -> None:
            self._variable = variable

        def __getattr__(self, name: str) -> Any:
            return getattr(self._variable, name)

    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        standing = Standing(tf.Variable(1.0))
    assert standing._distribute_strategy is strategy
    assert strategy.extended.variable_created_in_scope(standing)
    with tf.Graph().as_default():
        assert tf.Variable(1.0)._distribute_strategy is None
        assert tf.compat.v1.get_variable("y", [])._distribute_strategy is None


@pytest.mark.usefixtures("installed")
def test_a_model_that_is_to_be_a_saved_model_is_told_what_to_be() -> None:
    save = importlib.import_module("tensorflow.python.saved_model.save")
    with pytest.raises(NotImplementedError, match=r"no tf\.saved_model\.save\. Save a model with"):
        save.save_and_return_nodes(tf.Module(), "model")


def test_an_attribute_can_be_no_child_any_more() -> None:
    module = tf.Module()
    module.v, module.w = tf.Variable(1.0), tf.Variable(2.0)
    module._delete_tracking("v")
    module._delete_tracking("x")
    assert list(module._trackable_children()) == ["w"]
    assert module.v.numpy() == 1.0
