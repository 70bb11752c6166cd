"""Functions of the program's stand in for TensorFlow's where arguments are of its types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import emplace.tensorflow as tf

dispatch = tf.experimental


class Masked(tf.experimental.ExtensionType):
    """Values, and which of them count."""

    values: tf.Tensor
    mask: tf.Tensor


X = ([1.0, 4.0], [True, False])


@pytest.fixture
def registered() -> Iterator[list[Any]]:
    targets: list[Any] = []
    yield targets
    for target in targets:
        dispatch.unregister_dispatch_for(target)


def test_one_function_is_overridden_by_annotations(registered: list[Any]) -> None:
    def shape(input: Masked, out_type: Any = tf.int32) -> Any:
        return tf.constant(7)

    registered.append(dispatch.dispatch_for_api(tf.shape, {"input": Masked})(shape))
    assert tf.shape(Masked(*X)).numpy() == 7
    assert tf.shape([1, 2]).numpy().tolist() == [2]


def test_lists_and_unions_of_types_are_looked_into(registered: list[Any]) -> None:
    def joined(values: list[Masked | tf.Tensor], axis: Any, name: Any = None) -> Any:
        return len(values)

    target = dispatch.dispatch_for_api(tf.concat, {"values": list[Masked | tf.Tensor]})(joined)
    registered.append(target)
    assert tf.concat([Masked(*X), tf.constant([1.0])], 0) == 2


def test_functions_of_elements_are_overridden_at_once(registered: list[Any]) -> None:
    @dispatch.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api: Any, x: Masked) -> Masked:
        return Masked(api(x.values), x.mask)

    @dispatch.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def binary(api: Any, x: Masked, y: Masked) -> Masked:
        return Masked(api(x.values, y.values), x.mask & y.mask)

    registered += [unary, binary]
    x = Masked(*X)
    assert tf.sqrt(x).values.numpy().tolist() == [1.0, 2.0]
    assert tf.math.sqrt(x).values.numpy().tolist() == [1.0, 2.0]
    assert tf.add(x, x).values.numpy().tolist() == [2.0, 8.0]
    assert tf.clip_by_value(x, 2.0, 3.0).values.numpy().tolist() == [2.0, 3.0]
    traced = tf.function(lambda v: tf.sqrt(tf.add(v, v)))
    assert traced(Masked([2.0, 8.0], [True, True])).values.numpy().tolist() == [2.0, 4.0]


def test_a_target_that_declines_leaves_the_call_to_tensorflow(registered: list[Any]) -> None:
    def declined(x: tf.Tensor, name: Any = None) -> Any:
        return NotImplemented

    registered.append(dispatch.dispatch_for_api(tf.square, {"x": tf.Tensor})(declined))
    assert tf.square(tf.constant(3.0)).numpy() == 9.0


def test_what_is_unregistered_is_no_longer_called() -> None:
    def wrong(x: Masked, name: Any = None) -> Any:
        return "called"

    dispatch.dispatch_for_api(tf.exp, {"x": Masked})(wrong)
    assert tf.exp(Masked(*X)) == "called"
    dispatch.unregister_dispatch_for(wrong)
    with pytest.raises((TypeError, ValueError)):
        tf.exp(Masked(*X))
    with pytest.raises(ValueError, match="was not registered using a `@dispatch_for"):
        dispatch.unregister_dispatch_for(wrong)


def test_a_parameter_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="Dispatch signature does not match the signature of"):
        dispatch.dispatch_for_api(tf.exp, {"nonsense": Masked})(lambda x: x)
