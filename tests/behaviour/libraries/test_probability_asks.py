"""What TensorFlow Probability, Sonnet and Keras 2 ask of TensorFlow besides computing."""

from __future__ import annotations

import functools
import importlib
import weakref

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.core.tracking import AutoTrackable
from emplace.private import type_spec_registry as registry
from emplace.private.device_lib import list_pluggable_physical_devices
from emplace.private.eager_context import eager_mode, graph_mode
from emplace.private.flow import case_helper
from emplace.private.shapes import constant_value_as_shape
from emplace.private.tf_inspect import getfullargspec


def test_parameters_of_our_functions_have_no_annotations():
    def rank(input, name=None):
        pass

    def annotated(input: int):
        pass

    assert getfullargspec(tf.rank) == getfullargspec(rank)
    assert getfullargspec(annotated).annotations == {"input": "int"}


def test_wrappers_of_others_are_inspected_themselves():
    def inner(a, b):
        pass

    @functools.wraps(inner)
    def outer(*args, **kwargs):
        pass

    assert getfullargspec(outer).varargs == "args"
    assert getfullargspec(tf.function(inner)).args == ["a", "b"]


def test_modes_are_scopes():
    with graph_mode():
        assert not tf.executing_eagerly()
        assert tf.constant(1).graph is tf.compat.v1.get_default_graph()
    with tf.Graph().as_default() as graph, graph_mode():
        assert tf.constant(1).graph is graph
        with eager_mode():
            assert int(tf.constant(2) + 1) == 3
        assert tf.constant(1).graph is graph
    assert tf.executing_eagerly()


def test_specs_are_registered_again_as_probability_does():
    @registry.register("test_probability_asks.Spec")
    class Spec(tf.TypeSpec):
        pass

    name = registry._TYPE_SPEC_TO_NAME.pop(
        registry._NAME_TO_TYPE_SPEC.pop("test_probability_asks.Spec")
    )
    assert registry.register(name)(Spec) is Spec
    assert registry.get_name(Spec) == name


def test_a_case_goes_by_the_callers_branches():
    asked = []

    def branch(pred, true_fn, false_fn):
        asked.append(pred)
        return true_fn() if pred else false_fn()

    pairs = [(False, lambda: 1), (True, lambda: 2), (True, lambda: 3)]
    assert case_helper(branch, pairs, None, False, "case", allow_python_preds=True) == 2
    assert asked == [False, True]
    rest = case_helper(branch, pairs[:1], lambda: 4, False, "case", allow_python_preds=True)
    assert rest == 4


def test_a_concrete_function_needs_no_graph_told():
    concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.constant(1))
    concrete.add_to_graph()
    concrete.add_gradient_functions_to_graph()
    assert int(concrete(tf.constant(1))) == 2


def test_the_class_of_tensors_has_what_classes_like_it_borrow():
    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        tf.Tensor.__bool__(object.__new__(tf.Tensor))
    assert callable(tf.Tensor.__nonzero__)


def test_what_says_that_it_is_like_a_tensor_has_no_static_value():
    class Like:
        is_tensor_like = True

    assert tf.is_tensor(Like())
    assert tf.get_static_value(Like()) is None


def test_a_variable_has_no_static_value():
    v = tf.Variable([1, 2])
    assert tf.get_static_value(v) is None
    assert constant_value_as_shape(v).as_list() == [None, None]
    with tf.Graph().as_default():
        assert tf.get_static_value(tf.Variable([1, 2])) is None
    assert tf.get_static_value([1, 2]) == [1, 2]


def test_a_static_value_is_the_callers_own():
    value = tf.get_static_value(tf.constant(1))
    value += 1
    assert value == 2
    array = tf.get_static_value(tf.constant([1]))
    array += 1
    assert array.tolist() == [2]


def test_keras_2_makes_weights():
    class Layer(AutoTrackable):
        pass

    layer = Layer()
    kernel = layer._add_variable_with_custom_getter(
        "kernel", [2], tf.float32, None,
        lambda name, shape, dtype, initializer, trainable: tf.compat.v1.Variable(
            tf.zeros(shape, dtype), name=name, trainable=trainable, use_resource=True,
            collections=None,
        ),
        trainable=False,
    )  # fmt: skip
    assert kernel._shared_name == "kernel"
    assert layer._trackable_children() == {"kernel": kernel}
    assign = tf.__internal__.tracking.sticky_attribute_assignment
    assert assign(trackable=layer, name="again", value=kernel) is kernel
    assert layer._trackable_children()["again"] is kernel
    plain = layer._no_dependency(kernel)
    assert assign(trackable=layer, name="third", value=plain) is kernel
    assert "third" not in layer._trackable_children()


def test_a_checkpoint_takes_a_weak_reference_to_its_root(tmp_path):
    root = tf.Module(name="root")
    root.v = tf.Variable(1.0)
    path = tf.train.Checkpoint(root=weakref.ref(root)).save(str(tmp_path / "ckpt"))
    root.v.assign(5.0)
    tf.train.Checkpoint(root=weakref.ref(root)).restore(path).assert_consumed()
    assert float(root.v) == 1.0


def test_no_devices_are_plugged_in():
    assert list_pluggable_physical_devices() == []
    assert tf.distribute.MirroredStrategy._collective_key_base == 0
    assert tf.Graph()._control_flow_context is None
    with tf.Graph().as_default():
        assert tf.constant(1).op._original_op is None


def test_sessions_of_test_cases_evaluate_in_eager_mode():
    case = tf.test.TestCase()
    with case.cached_session() as session:
        assert session.run({"a": tf.constant(1)}) == {"a": 1}
        with pytest.raises(RuntimeError, match="feed_dict is not supported when eager"):
            session.run(tf.constant(1), feed_dict={})
        with pytest.raises(RuntimeError, match="Optional args are not supported"):
            session.run(tf.constant(1), None)
    with case.session() as session, pytest.raises(AttributeError, match="adapt the test"):
        session.run(tf.constant(1))


def test_private_names_are_served(installed):
    def name(module, name):
        return getattr(importlib.import_module(f"tensorflow.python.{module}"), name)

    assert name("eager.context", "eager_mode") is eager_mode
    assert name("ops.control_flow_case", "_case_helper") is case_helper
    assert name("trackable.data_structures", "NoDependency")(np.pi).value == np.pi
    assert name("pywrap_tfe", "TF_ListPluggablePhysicalDevices")() == []
