"""What libraries built on TensorFlow hook into. Values and texts are TensorFlow 2.21's."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


class Wrapped:
    def __init__(self, value):
        self.value = value


def wrapped_tensor(value, dtype=None, name=None, as_ref=False):
    return tf.constant(value.value, dtype)


tf.register_tensor_conversion_function(Wrapped, wrapped_tensor)


def test_every_op_takes_objects_of_a_registered_type():
    assert tf.convert_to_tensor(Wrapped(2)).dtype == tf.int32
    assert tf.add(Wrapped(1.0), 2.0).numpy() == 3.0
    assert (tf.constant(1.0) + Wrapped(3)).numpy() == 4.0
    assert tf.function(lambda x: tf.square(Wrapped(3.0)) + x)(1.0).numpy() == 10.0


def test_a_conversion_must_return_a_tensor_of_the_wanted_dtype():
    class Wrong:
        pass

    class Narrow:
        pass

    tf.register_tensor_conversion_function(Wrong, lambda v, **kwargs: 5)
    tf.register_tensor_conversion_function(Narrow, lambda v, **kwargs: tf.constant(5.0))
    with pytest.raises(RuntimeError, match="returned non-Tensor: 5"):
        tf.convert_to_tensor(Wrong())
    with pytest.raises(RuntimeError, match="requested = int32, actual = float32"):
        tf.convert_to_tensor(Narrow(), tf.int32)


def test_a_conversion_that_does_not_know_how_lets_the_next_one_try():
    class Shy:
        pass

    tf.register_tensor_conversion_function(Shy, lambda v, **kwargs: NotImplemented)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(Shy())
    tf.register_tensor_conversion_function(Shy, lambda v, **kwargs: tf.constant(7), priority=50)
    assert tf.convert_to_tensor(Shy()).numpy() == 7


def test_conversions_are_for_types_that_have_none():
    with pytest.raises(TypeError, match=r"must be a type or a tuple of types. Obtained: 1"):
        tf.register_tensor_conversion_function(1, wrapped_tensor)
    with pytest.raises(TypeError, match=r"must be callable. Received 3"):
        tf.register_tensor_conversion_function(Wrapped, 3)
    with pytest.raises(TypeError, match="Cannot register conversions for Python numeric types"):
        tf.register_tensor_conversion_function(int, wrapped_tensor)


TOLD = {
    "initial_value", "trainable", "validate_shape", "caching_device", "name", "variable_def",
    "dtype", "import_scope", "constraint", "synchronization", "aggregation", "shape",
    "experimental_enable_variable_lifting",
}  # fmt: skip


def test_creators_are_asked_from_the_inside_out():
    seen = []

    def note(next_creator, **kwargs):
        seen.append(kwargs)
        return next_creator(**kwargs)

    def frozen(next_creator, **kwargs):
        return next_creator(**{**kwargs, "trainable": False})

    with tf.variable_creator_scope(frozen), tf.variable_creator_scope(note):
        v = tf.Variable(1.0, name="a")
    assert not v.trainable
    assert seen[0].keys() == TOLD
    assert seen[0]["initial_value"] == 1.0
    assert seen[0]["name"] == "a"
    assert seen[0]["trainable"] is None
    assert seen[0]["synchronization"] == tf.VariableSynchronization.AUTO
    assert tf.Variable(1.0).trainable


def test_creators_make_the_variables_of_functions_and_graphs():
    names = []

    def note(next_creator, **kwargs):
        names.append((kwargs["name"], "collections" in kwargs))
        return next_creator(**kwargs)

    made = []

    @tf.function
    def f():
        with tf.variable_creator_scope(note):
            if not made:
                made.append(tf.Variable(2.0))
        return made[0] + 1.0

    assert f().numpy() == 3.0
    assert names == [(None, False)]
    with tf.Graph().as_default(), v1.variable_creator_scope(note):
        v1.get_variable("q", [2])
        v1.Variable(1.0)
    assert [name for name, _ in names[1:]] == ["q", None]


def test_a_creator_may_return_something_else():
    with tf.variable_creator_scope(lambda next_creator, **kwargs: "mine"):
        assert tf.Variable(1.0) == "mine"


@tf.RegisterGradient("SevenTimes")
def seven_times(op, dy):
    assert op.type == "Square"
    assert len(op.inputs) == len(op.outputs) == 1
    return dy * 7.0


def test_a_registered_gradient_replaces_that_of_ops_in_its_scope():
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        with graph.gradient_override_map({"Square": "SevenTimes"}):
            y = tf.square(x)
        z = tf.square(x)
        with v1.Session() as session:
            assert session.run(tf.gradients(y, x) + tf.gradients(z, x)) == [7.0, 4.0]


def test_a_name_has_one_gradient():
    with pytest.raises(KeyError, match="Registering two gradient with name 'SevenTimes'!"):
        tf.RegisterGradient("SevenTimes")(seven_times)
    with pytest.raises(KeyError, match="Registering two gradient with name 'Square'!"):
        tf.no_gradient("Square")
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(3)


def test_programs_ask_where_they_are():
    assert not tf.inside_function()
    assert not tf.is_symbolic_tensor(tf.constant(1))
    assert tf.get_current_name_scope() == ""

    @tf.function
    def f(x):
        with tf.name_scope("a"), tf.name_scope("b"):
            said.append((tf.inside_function(), tf.is_symbolic_tensor(x),
                         tf.get_current_name_scope()))  # fmt: skip
        return x

    said = []
    f(tf.constant(1.0))
    assert said == [(True, True, "a/b")]


def test_types_are_there_to_test_against():
    types = tf.types.experimental
    f = tf.function(lambda x: x)
    assert isinstance(f, types.GenericFunction)
    assert isinstance(f, types.Callable)
    assert isinstance(f.get_concrete_function(tf.constant(1)), types.ConcreteFunction)
    assert isinstance(tf.TensorSpec([2]), types.TraceType)
    assert isinstance(tf.data.Dataset.range(2), tf.__internal__.types.data.Dataset)
    assert tf.types.experimental.GenericFunction is types.PolymorphicFunction


def test_operators_are_functions_too():
    x = tf.constant([1, 2, 3])
    assert tf.__operators__.add(tf.constant(1), 2).numpy() == 3
    assert tf.__operators__.getitem(x, 1).numpy() == 2
    assert tf.__operators__.eq(x, [1, 0, 3]).numpy().tolist() == [True, False, True]
    assert tf.__operators__.ne(tf.constant(1), 2).numpy()


def test_structures_of_one_level_are_rebuilt():
    inner = tf.__internal__.nest
    assert inner.sequence_like((1, 2), [3, 4]) == (3, 4)
    assert inner.sequence_like({"b": 1, "a": 2}, [3, 4]) == {"b": 4, "a": 3}
    deep = [1, (2, 3), {"a": [4]}]
    into = inner.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), deep)
    assert into == [True, False, {"a": [True]}]
    with pytest.raises(TypeError, match="non-bool scalar: 3 for input"):
        inner.get_traverse_shallow_structure(lambda s: 3, [1, (2, 3)])


def test_decorators_remember_what_they_decorate():
    def plain(x, y=2):
        """Adds."""

    def outer(*args, **kwargs):
        return plain(*args, **kwargs)

    made = tf.__internal__.decorator.make_decorator(plain, outer, "outer")
    assert made.__name__ == "plain"
    assert made.__doc__ == "Adds."
    decorations, inner = tf.__internal__.decorator.unwrap(made)
    assert [each.decorator_name for each in decorations] == ["outer"]
    assert inner is plain


def test_numbers_have_kinds():
    assert isinstance(np.int32(1), tf.compat.integral_types)
    assert isinstance(np.float32(1), tf.compat.real_types)
    assert isinstance(1j, tf.compat.complex_types)
    assert tf.compat.forward_compatible(2019, 1, 1)
    assert not tf.compat.forward_compatible(2130, 1, 1)
    with tf.compat.forward_compatibility_horizon(2131, 1, 1):
        assert tf.compat.forward_compatible(2130, 1, 1)


def test_indexed_slices_have_a_spec():
    spec = tf.IndexedSlicesSpec([2, 3], tf.float32)
    text = "IndexedSlicesSpec(TensorShape([2, 3]), tf.float32, tf.int64, None, TensorShape([None]))"
    assert repr(spec) == text
    assert spec == tf.IndexedSlicesSpec([2, 3], tf.float32)
    assert spec.value_type is tf.IndexedSlices
    of_value = tf.type_spec_from_value(
        tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3]))
    )
    assert of_value == tf.IndexedSlicesSpec([4, 3], tf.float32, tf.int32, tf.int32, [2])


def test_slices_of_some_places_are_left_out():
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([4, 5, 6]))
    masked = tf.sparse.mask(slices, tf.constant([5]))
    assert masked.indices.numpy().tolist() == [4, 6]
    assert masked.values.numpy().tolist() == [[1.0], [3.0]]
    assert v1.convert_to_tensor_or_indexed_slices(slices) is slices
    assert v1.convert_to_tensor_or_sparse_tensor([1, 2]).numpy().tolist() == [1, 2]
    value = v1.SparseTensorValue([[0]], [1], [2])
    assert v1.convert_to_tensor_or_sparse_tensor(value).values.numpy().tolist() == [1]
    with pytest.raises(RuntimeError, match="Requested: float32,  Actual: int32"):
        v1.convert_to_tensor_or_sparse_tensor(tf.sparse.from_dense([1, 0]), dtype=tf.float32)


@pytest.mark.parametrize(
    ("partitioner", "shape", "dtype", "parts"),
    [
        (lambda: v1.fixed_size_partitioner(3, axis=1), [4, 7], tf.float32, [1, 3]),
        (lambda: v1.fixed_size_partitioner(3), [2, 7], tf.float32, [2, 1]),
        (lambda: v1.variable_axis_size_partitioner(64), [40, 7], tf.float32, [20, 1]),
        (lambda: v1.variable_axis_size_partitioner(64, axis=1), [4, 100], tf.float32, [1, 25]),
        (lambda: v1.variable_axis_size_partitioner(64, max_shards=3), [40, 100], tf.float32,
         [3, 1]),
        (lambda: v1.variable_axis_size_partitioner(64), [40], tf.string, [10]),
        (lambda: v1.variable_axis_size_partitioner(4), [3, 100], tf.float32, [3, 1]),
        (lambda: v1.min_max_variable_partitioner(), [40, 7], tf.float32, [1, 1]),
        (lambda: v1.min_max_variable_partitioner(4, min_slice_size=64), [40, 7], tf.float32,
         [4, 1]),
        (lambda: v1.min_max_variable_partitioner(10, 1, 8), [40, 7], tf.float32, [1, 7]),
        (lambda: v1.min_max_variable_partitioner(5, 0, 32, 4), [40, 7], tf.string, [5, 1]),
    ],
)  # fmt: skip
def test_partitioners_tell_parts_per_axis(partitioner, shape, dtype, parts):
    assert partitioner()(shape=tf.TensorShape(shape), dtype=dtype) == parts


def test_partitioners_refuse_shapes_that_are_not_known():
    with pytest.raises(ValueError, match=r"shape is not fully defined: \(None, 3\)"):
        v1.variable_axis_size_partitioner(64)(tf.TensorShape([None, 3]), tf.float32)
    with pytest.raises(ValueError, match=r"shape is not a TensorShape: \[3\]"):
        v1.variable_axis_size_partitioner(64)([3], tf.float32)


def test_ragged_values_are_made_of_lists():
    value = v1.ragged.constant_value([[1], [2, 3]])
    assert value.to_list() == [[1], [2, 3]]
    assert value.values.tolist() == [1, 2, 3]
    assert value.row_splits.tolist() == [0, 1, 3]
    assert v1.ragged.constant_value([1, 2]).tolist() == [1, 2]


def test_compat_v2_is_the_facade_itself():
    assert tf.compat.v2 is tf
    assert v1.saved_model.tag_constants.SERVING == tf.saved_model.SERVING == "serve"


def test_what_is_made_of_the_type_of_tensors_is_a_tensor():
    class Mine(tf.__internal__.types.Tensor):
        pass

    assert tf.is_tensor(Mine())
    assert isinstance(Mine(), tf.__internal__.types.Tensor)
    assert not tf.is_tensor(3.0)


def test_a_partitioner_of_an_axis_that_a_variable_lacks_says_so() -> None:
    partitioner = v1.min_max_variable_partitioner(4, axis=1)
    with pytest.raises(ValueError, match=r"Cannot partition .* axis 1 when shape is only \(7,\)"):
        partitioner(shape=tf.TensorShape([7]), dtype=tf.float32)
