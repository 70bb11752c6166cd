"""Raw ops refuse what their kernels would stretch, cut off or count around: as TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

raw = tf.raw_ops
X = tf.constant([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("ReluGrad", "features"), ("Relu6Grad", "features"), ("LeakyReluGrad", "features"),
        ("SoftplusGrad", "features"), ("SoftsignGrad", "features"), ("EluGrad", "outputs"),
        ("SeluGrad", "outputs"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("in_graph", [False, True])
def test_gradients_of_activations_have_their_shape(name: str, second: str, in_graph: bool) -> None:
    def call() -> Any:
        return getattr(raw, name)(gradients=X, **{second: tf.constant([1.0])})

    text = (
        rf"Inputs to operation {name} of type {name} must have the same size and shape.  Input 0: "
        rf"\[3\] != input 1: \[1\]"
    )
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=text):
        tf.function(call)() if in_graph else call()


@pytest.mark.parametrize("name", ["SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "InvGrad"])
def test_gradients_told_by_results_have_as_many_numbers(name: str) -> None:
    call = getattr(raw, name)
    text = "The two arguments to a cwise op must have same number of elements, got 3 and 1"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call(y=X, dy=tf.constant([1.0]))
    assert call(y=tf.constant(0.5), dy=tf.constant([0.5])).shape == ()
    assert call(y=tf.ones([2, 3]), dy=tf.ones([3, 2])).shape == (2, 3)


@pytest.mark.parametrize("dims", [None, [None, None]])
@pytest.mark.parametrize(
    ("name", "keys", "text"),
    [
        ("EluGrad", ("gradients", "outputs"), r"Input 0: \[2,3\] != input 1: \[1,3\]"),
        ("ReluGrad", ("gradients", "features"), r"Input 0: \[2,3\] != input 1: \[1,3\]"),
        ("TanhGrad", ("y", "dy"), "same number of elements, got 6 and 3"),
    ],
)
def test_what_a_graph_does_not_know_is_compared_when_it_runs(
    dims: Any, name: str, keys: tuple[str, str], text: str
) -> None:
    spec = tf.TensorSpec(dims, tf.float32)

    @tf.function(input_signature=[spec, spec])
    def call(a: Any, b: Any) -> Any:
        return getattr(raw, name)(**dict(zip(keys, (a, b), strict=True)))

    one, other = tf.random.normal([2, 3]), tf.random.normal([2, 3])
    wanted = getattr(raw, name)(**dict(zip(keys, (one, other), strict=True)))
    np.testing.assert_array_equal(call(one, other), wanted)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call(one, other[:1])
    if name == "TanhGrad":  # as many numbers are enough
        assert call(one, tf.reshape(other, [3, 2])).shape == (2, 3)


def test_no_number_of_a_list_is_lost_where_one_is_wanted() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"axis must be a scalar.*\[3\]"):
        raw.Cumsum(x=X, axis=[0, 3, 3])


def test_an_axis_that_there_is_not_is_no_other_axis() -> None:
    text = "Shape must be at least rank 4 but is rank 1"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        raw.GatherV2(params=X, indices=2, axis=3)
    assert float(raw.GatherV2(params=X, indices=2, axis=-1)) == 3.0


def test_a_negative_norm_is_none() -> None:
    assert tf.clip_by_norm(X, -1.0).numpy().tolist() == [0.0, 0.0, 0.0]


def test_what_is_clipped_has_no_gradient_where_it_is_not_a_number() -> None:
    x = tf.constant([np.nan, 0.5, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.clip_by_value(x, -1.0, 1.0)
    assert tape.gradient(y, x).numpy().tolist() == [0.0, 1.0, 0.0]
