"""`tf.Module`: names, variables, modules inside of modules."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


class Dense(tf.Module):
    def __init__(self, size, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.ones([size, size]), name="w")
        self.steps = tf.Variable(0, trainable=False, name="steps")


class TwoLayers(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(2), Dense(3)]
        self.parts = {"b": Dense(4)}


def test_a_module_is_named_after_its_class():
    assert TwoLayers().name == "two_layers"


def test_a_name_must_be_an_identifier():
    with pytest.raises(ValueError, match=r"'no name' is not a valid module name"):
        Dense(1, name="no name")


def test_variables_are_found_in_lists_and_dictionaries_by_the_attributes_names():
    shapes = [tuple(v.shape) for v in TwoLayers().trainable_variables]
    assert shapes == [(2, 2), (3, 3), (4, 4)]
    assert len(TwoLayers().variables) == 6
    assert len(TwoLayers().non_trainable_variables) == 3


def test_a_variable_that_is_shared_is_found_once():
    module = Dense(2)
    module.again = module.w
    assert len(module.trainable_variables) == 1


def test_submodules_are_found():
    assert [type(each) for each in TwoLayers().submodules] == [Dense] * 3


def test_ops_of_a_method_stand_below_the_modules_name():
    class Net(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self, x):
            return tf.identity(x, name="out")

    net = Net()
    graph = tf.function(lambda x: net(x)).get_concrete_function(tf.constant(1.0)).graph
    assert any(node.name.startswith("net/") for node in graph.get_operations())


def test_the_children_of_a_trackable_are_where_keras_leaves_them_out():
    root = tf.__internal__.tracking.AutoTrackable()
    root.child = tf.__internal__.tracking.AutoTrackable()
    assert root._self_unconditional_dependency_names == {"child": root.child}
    assert set(vars(root)) == {"child", "_self_unconditional_dependency_names"}
