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


class Holder(tf.Module):
    def __init__(self, **attributes):
        super().__init__()
        for name, value in attributes.items():
            setattr(self, name, value)


def named(name):
    return tf.Variable(1.0, name=name)


def names(found):
    return " ".join(v.name[:-2] for v in found)


def test_variables_of_a_module_come_before_those_of_the_modules_in_it():
    module = Holder(
        a=Holder(x=named("ax"), a=Holder(z=named("aaz"))), b=named("b"),
        c=[named("c0"), Holder(y=named("cy")), named("c2")],
        d={"z": named("dz"), "a": Holder(q=named("da"))}, _e={10: named("e10"), 2: named("e2")},
    )  # fmt: skip
    assert names(module.variables) == "e2 e10 b c0 c2 dz ax aaz cy da"
    assert names(module.trainable_variables) == "e2 e10 b c0 c2 dz ax aaz cy da"
    deep = Holder(
        a=[[Holder(x=named("1"))], named("2")], c=Holder(d=Holder(x=named("5")), a=named("6"))
    )
    assert names(deep.variables) == "2 1 6 5"


def test_what_is_no_module_keeps_its_variables_to_itself():
    other = tf.__internal__.tracking.AutoTrackable()
    other.v = named("other")
    module = Holder(
        own=named("own"), other=other, checkpoint=tf.train.Checkpoint(v=named("kept")),
        generator=tf.random.Generator.from_seed(1), numbers=tf.data.Dataset.range(3),
    )  # fmt: skip
    assert names(module.variables) == "own"


def test_parts_of_a_module_are_found_with_their_paths():
    module = Holder(a=Holder(x=named("ax")), b=named("b"), c=[named("c0"), {"k": named("ck")}])
    module.again, module.itself = module.b, module

    def is_variable(value):
        return isinstance(value, tf.Variable)

    found = module._flatten(predicate=is_variable, with_path=True)
    assert [path for path, _ in found] == [
        ("again",), ("b",), ("c", 0), ("c", 1, "k"), ("a", "x"), ("itself", "again"),
        ("itself", "b"), ("itself", "c", 0), ("itself", "c", 1, "k"),
    ]  # fmt: skip
    assert names(module._flatten(recursive=False, predicate=is_variable)) == "b c0 ck"
    backwards = module._flatten(
        predicate=is_variable, attribute_traversal_key=lambda name: -ord(name[0])
    )
    assert names(backwards) == "c0 ck b ax"


def test_a_dictionary_without_an_order_is_refused():
    module = Holder(d={1: named("a"), "a": named("b")})
    with pytest.raises(ValueError, match=r"^Error processing property 'd' of "):
        list(module.variables)
