"""`tf.experimental.dispatch_for_api` and its like. Texts are those of TensorFlow 2.21."""

from __future__ import annotations

import contextlib
import typing

import pytest

import emplace.tensorflow as tf

experimental = tf.experimental


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


Either = typing.Union[Masked, tf.Tensor]  # noqa: UP007  # as programs write it
MaskedOrLike = typing.Union[Masked, tf.types.experimental.TensorLike]  # noqa: UP007


@contextlib.contextmanager
def registered(decorate, target):
    made = decorate(target)
    try:
        yield made
    finally:
        experimental.unregister_dispatch_for(made)


def stacked(values: typing.List[Masked], axis=0):  # noqa: UP006  # as programs write it
    return Masked(
        tf.stack([each.values for each in values], axis),
        tf.stack([each.mask for each in values], axis),
    )


def on_values(function, x):
    return Masked(function(x.values), x.mask)


def on_both(function, x, y):
    x, y = (each if isinstance(each, Masked) else Masked(each, True) for each in (x, y))
    return Masked(function(x.values, y.values), x.mask & y.mask)


def test_a_function_stands_in_for_a_public_one_where_its_annotations_fit():
    one, other = Masked([1, 2], [True, False]), Masked([3, 4], [True, True])
    with registered(experimental.dispatch_for_api(tf.stack), stacked):
        assert tf.stack([one, other]).values.numpy().tolist() == [[1, 2], [3, 4]]
        assert tf.stack(values=[one, other], axis=1, name="s").mask.shape == [2, 2]
        assert tf.stack([1, 2]).numpy().tolist() == [1, 2]
        assert tf.stack([]).shape == [0]
        inside = tf.function(lambda x: tf.stack([x, x]).values)
        assert inside(one).numpy().tolist() == [[1, 2], [1, 2]]
        with pytest.raises(ValueError, match="Attempt to convert a value"):
            tf.stack([one, 2])
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.stack([one, other])


def test_types_may_be_told_apart_from_the_function():
    with registered(
        experimental.dispatch_for_api(
            tf.reduce_sum, {"input_tensor": Masked}, {0: tf.RaggedTensor}
        ),
        lambda input_tensor, axis=None, keepdims=False: (type(input_tensor).__name__, axis),
    ):
        assert tf.reduce_sum(Masked([1], [True]), axis=0) == ("Masked", 0)
        assert tf.math.reduce_sum(tf.ragged.constant([[1]])) == ("RaggedTensor", None)
        assert tf.reduce_sum([1, 2]).numpy() == 3


def test_one_handler_serves_all_functions_of_elements():
    x = Masked([1.0, -2.0], [True, False])
    with registered(experimental.dispatch_for_unary_elementwise_apis(Masked), on_values):
        assert tf.abs(x).values.numpy().tolist() == [1, 2]
        assert tf.ones_like(x, dtype=tf.int64).values.dtype is tf.int64
        assert tf.cast(x, "int32").values.numpy().tolist() == [1, -2]
        assert tf.nn.relu(features=x).values.numpy().tolist() == [1, 0]
        assert tf.math.special.dawsn(x).values.shape == [2]
        assert tf.clip_by_value(x, 0.0, 0.5).values.numpy().tolist() == [0.5, 0]
        assert tf.compat.v1.zeros_like(x).values.numpy().tolist() == [0, 0]


def test_one_handler_serves_all_functions_of_two_tensors():
    x = Masked([1, 2], [True, False])
    with registered(experimental.dispatch_for_binary_elementwise_apis(Either, Either), on_both):
        assert tf.add(x, x).values.numpy().tolist() == [2, 4]
        assert tf.math.pow(tf.constant(2), x, name="p").values.numpy().tolist() == [2, 4]
        assert tf.add(tf.constant(1), tf.constant(2)).numpy() == 3  # none of our types: as ever
        with pytest.raises(ValueError, match="Attempt to convert a value"):
            tf.add(x, 2)  # no tensor yet: TensorFlow refuses it, too


def test_one_handler_serves_all_assertions():
    def same(function, x, y):
        return function(x.values, y.values)

    x, y = Masked([1], [True]), Masked([2], [True])
    decorate = experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    with registered(decorate, same):
        tf.debugging.assert_equal(x, x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.debugging.assert_equal(x, y)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: experimental.dispatch_for_api(len), ValueError,
         "<built-in function len> does not support dispatch."),
        (lambda: experimental.dispatch_for_api(tf.stack)(3), TypeError,
         "Expected dispatch_target to be callable; got 3"),
        (lambda: experimental.dispatch_for_api(tf.stack)(lambda values, axis=0: 1), ValueError,
         "must be called with at least one signature, or applied to a function"),
        (lambda: experimental.dispatch_for_api(tf.stack, {"values": Masked})(lambda v: 1),
         ValueError, r"does not match API's signature \(values"),
        (lambda: experimental.dispatch_for_api(tf.stack, {"bogus": Masked}), ValueError,
         "signature includes annotation for unknown parameter 'bogus'."),
        (lambda: experimental.dispatch_for_api(tf.stack, {"values": "Masked"}), ValueError,
         "Type annotation Masked is not currently supported by dispatch"),
        (lambda: experimental.unregister_dispatch_for(stacked), ValueError,
         "was not registered using a `@dispatch_for_"),
    ],
)  # fmt: skip
def test_mistakes_are_told(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_two_functions_for_the_same_arguments_are_refused():
    x = Masked([1], [True])
    decorate = experimental.dispatch_for_api(tf.stack)

    def other(values: typing.List[Masked], axis=0):  # noqa: UP006
        return None

    with registered(decorate, stacked), registered(decorate, other):  # noqa: SIM117
        with pytest.raises(ValueError, match="Multiple dispatch targets"):
            tf.stack([x, x])
    unary = experimental.dispatch_for_unary_elementwise_apis(Masked)
    with registered(unary, on_values), pytest.raises(ValueError, match="already been registered"):
        unary(lambda function, x: x)


def test_functions_that_nobody_registers_for_are_what_they_were():
    assert not hasattr(tf.linalg.det, "_type_based_dispatcher")


def test_names_of_nodes_stay_what_they_are():
    decorate = experimental.dispatch_for_binary_elementwise_apis(Either, Either)
    with registered(decorate, on_both), tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        assert tf.divide(x, 2.0).op.name == "truediv"
        assert tf.add(x, 1.0).op.name == "Add"


def test_annotations_may_name_all_that_ops_take_for_tensors():
    def added(x: MaskedOrLike, y: MaskedOrLike, name=None):
        return on_both(tf.add, x, y)

    with registered(experimental.dispatch_for_api(tf.add), added):
        masked = Masked([1, 2], [True, False])
        for other in (
            [10, 20],
            (10, 20),
            tf.constant([10, 20]),
            tf.Variable([10, 20]),
            Masked([10, 20], True),
        ):
            assert tf.add(masked, other).values.numpy().tolist() == [11, 22]
            assert tf.add(other, masked).values.numpy().tolist() == [11, 22]
        assert tf.add([1], [2]).numpy().tolist() == [3]
