"""Functions of libraries that handle what others refuse (`dispatch_for_types`)."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.interop.dispatch import dispatch_for_types

RAGGED = tf.ragged.constant([[1], [2, 3]])


@tf.__internal__.dispatch.add_dispatch_support
def doubled(x: Any) -> Any:
    return tf.convert_to_tensor(x) * 2


@dispatch_for_types(doubled, tf.RaggedTensor)
def _doubled_rows(x: Any) -> Any:
    return x.with_flat_values(doubled(x.flat_values))


def _converted(x: Any) -> Any:
    context = tf.__internal__.autograph.control_status_ctx()
    return tf.__internal__.autograph.tf_convert(doubled, context)(x)


@pytest.mark.parametrize("call", [doubled, _converted, tf.function(_converted)])
def test_arguments_of_a_type_go_to_its_function(call: Any) -> None:
    assert call(RAGGED).to_list() == [[2], [4, 6]]
    assert call([1, 2]).numpy().tolist() == [2, 4]


def test_parts_of_lists_count_and_others_are_refused_as_before() -> None:
    class Thing:
        pass

    @tf.__internal__.dispatch.add_dispatch_support
    def joined(xs: Any, axis: int = 0) -> Any:
        return tf.concat(xs, axis)

    @dispatch_for_types(joined, Thing)
    def _joined_things(xs: Any, axis: int = 0) -> Any:
        return len(xs), axis

    assert joined([Thing(), 1], axis=3) == (2, 3)
    with pytest.raises(ValueError, match="with an unsupported type"):
        joined([object()])


def test_the_parameters_must_be_those_of_the_other_function() -> None:
    with pytest.raises(AssertionError, match="signature must exactly match the signature of the o"):
        dispatch_for_types(doubled, tf.RaggedTensor)(lambda y: y)


def test_functions_that_ask_no_dispatchers_are_refused():
    def plain(x, y):
        return x + y

    with pytest.raises(AssertionError, match=r"Dispatching not enabled for .*add_dispatch_support"):
        dispatch_for_types(plain, tf.RaggedTensor)(lambda x, y: x)
