"""`tf.raw_ops`: how ops by their own names are called; test_registry.py compares arguments."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import op_cases
import pytest

import emplace.tensorflow as tf
from emplace.raw.calls import missing_arguments
from emplace.raw.definitions import definition, names
from emplace.raw.lookup import refused_names
from emplace.raw.rows import Composed
from emplace.raw.table import ROWS

# TensorFlow cannot be asked about these without a card.
ON_GPUS_ALONE = {"MaxPoolGradGradWithArgmax"}
REFUSED = Path(__file__).resolve().parents[1] / "data" / "raw_ops_refused.json"


def test_every_raw_op_shows_its_signature() -> None:
    for name in dir(tf.raw_ops):
        shown = inspect.signature(getattr(tf.raw_ops, name))
        assert list(shown.parameters)[-1] == "name"


def test_a_raw_op_that_does_not_exist_is_named() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'MatMull'.*Did you mean MatMul"):
        _ = tf.raw_ops.MatMull


def test_raw_ops_refuse_positional_arguments() -> None:
    with pytest.raises(TypeError, match=r"mat_mul only takes keyword args \(possible keys: \['a',"):
        tf.raw_ops.MatMul([[1.0]], [[1.0]])


def test_raw_ops_name_what_is_missing_or_unknown() -> None:
    with pytest.raises(TypeError, match=r"mat_mul\(\) missing 1 required .* argument: 'b'"):
        tf.raw_ops.MatMul(a=[[1.0]])
    with pytest.raises(TypeError, match=r"mat_mul\(\) got an unexpected keyword argument 'c'"):
        tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]], c=1)


def test_several_outputs_are_a_named_tuple() -> None:
    answer = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=[[1.0, 1.0]], labels=[0])
    assert type(answer).__name__ == "SparseSoftmaxCrossEntropyWithLogits"
    assert answer.loss.numpy().tolist() == pytest.approx([0.6931472])
    assert answer.backprop.shape == [1, 2]


def test_raw_ops_have_gradients() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Mul(x=x, y=3.0)
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (lambda: tf.raw_ops.Elu(features=np.array([1], np.complex64)), "complex64"),
        (lambda: tf.raw_ops.Elu(features=[1, 2]), "int32"),
        (lambda: tf.raw_ops.Softmax(logits=np.array([1, 2])), "int64"),
        (lambda: tf.raw_ops.Sigmoid(x=np.array([True])), "bool"),
        (lambda: tf.raw_ops.MatMul(a=np.ones([2, 2], np.int8), b=np.ones([2, 2], np.int8)), "int8"),
        (lambda: tf.raw_ops.Relu(features=[True]), "bool"),
        (lambda: tf.raw_ops.GatherV2(params=[1.0], indices=np.array([0.0]), axis=0), "double"),
    ],
)
def test_a_value_of_a_type_that_the_op_does_not_take_is_refused_not_cast(call, given) -> None:
    # TensorFlow 2.21's words.
    text = rf"Value for attr '\w+' of {given} is not in the list of allowed values: "
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()


def test_the_list_of_raw_ops_that_refuse_may_only_become_shorter() -> None:
    known = json.loads(REFUSED.read_text())
    found = refused_names()
    assert sorted(set(found) - set(known)) == [], "these computed something before"
    assert not set(known) - set(found), "take those that compute now out of the list"


def test_every_raw_op_of_tensorflow_is_there_or_refuses_by_its_name() -> None:
    for name in names():
        assert callable(getattr(tf.raw_ops, name)), name
        assert list(inspect.signature(getattr(tf.raw_ops, name)).parameters)[-1] == "name"


def test_a_raw_op_that_is_not_served_says_what_to_use() -> None:
    with pytest.raises(
        NotImplementedError, match=r"no tf\.raw_ops\.QuantizedConv2D\. Emplace calcu"
    ):
        tf.raw_ops.QuantizedConv2D(input=1)
    with pytest.raises(
        NotImplementedError, match=r"no tf\.raw_ops\.CollectiveReduce\. Use tf\.dis"
    ):
        tf.raw_ops.CollectiveReduce(input=1)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_row_takes_or_names_every_argument(name: str) -> None:
    assert not missing_arguments(definition(name), ROWS[name])


def test_every_row_has_a_case_that_tensorflow_answered() -> None:
    families = [each for each in op_cases.families() if each.startswith("raw")]
    texts = [case.expression for each in families for case in op_cases.cases_of(each)]
    together = "\n".join(texts)
    asked = set(ROWS) - ON_GPUS_ALONE
    assert not [name for name in sorted(asked) if f"tf.raw_ops.{name}(" not in together]


@pytest.mark.parametrize("over_all", [False, True])
def test_gradients_of_a_pool_s_gradient_are_found_by_its_places(over_all: bool) -> None:
    """TensorFlow has this op on GPUs, and on the host the one that it is compared with."""
    x = np.random.default_rng(0).permutation(64).reshape(2, 4, 4, 2).astype("f4")
    how = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    y, places = tf.nn.max_pool_with_argmax(x, 2, 2, "VALID", include_batch_in_index=over_all)
    expected = tf.raw_ops.MaxPoolGradGrad(orig_input=x, orig_output=y, grad=-x, **how)

    def found(grad, places):
        return tf.raw_ops.MaxPoolGradGradWithArgmax(
            input=x, grad=grad, argmax=places, include_batch_in_index=over_all, **how
        )

    for run in (found, tf.function(found)):
        np.testing.assert_array_equal(run(-x, places), expected)
        with pytest.raises(tf.errors.InvalidArgumentError, match="argmax has a place outside of"):
            run(-x, places - 64)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected grad shape to be"):
            run(-x[:1], places)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Expected argmax shape to be"):
            run(-x, tf.concat([places, places], 0))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("SigmoidGrad", {"y": [0.5], "dy": [1.0]}),
        ("Inv", {"x": [0.5]}),
        ("MatrixDiag", {"diagonal": [0.5]}),
        ("BroadcastGradientArgs", {"s0": [2], "s1": [1]}),
        ("ResizeBilinearGrad", {"grads": np.ones((1, 2, 2, 1), "f"),
                                "original_image": np.ones((1, 4, 4, 1), "f")}),
    ],
)  # fmt: skip
def test_a_row_with_a_kernel_is_a_node_of_its_own_name(name, arguments) -> None:
    assert not isinstance(ROWS[name], Composed)
    traced = tf.function(lambda: getattr(tf.raw_ops, name)(**arguments)).get_concrete_function()
    assert name in [node.type for node in traced.graph.get_operations()]


def test_rows_run_in_functions_with_unknown_shapes_and_in_sessions() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def slope(x):
        y = tf.sigmoid(x)
        return tf.raw_ops.SigmoidGrad(y=y, dy=tf.ones_like(y))

    assert slope(tf.zeros([2])).numpy().tolist() == [0.25, 0.25]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.placeholder(tf.float32, [None])
        made = tf.raw_ops.Div(x=fed, y=tf.constant([2.0]))
        assert session.run(made, {fed: [3.0]}).tolist() == [1.5]


def test_a_raw_op_of_a_graph_refuses_types_as_graphs_do() -> None:
    # TensorFlow 2.21's words.
    text = r"Value passed to parameter 'y' has DataType int32 not in list of allowed values: bfl"

    @tf.function
    def wrong():
        return tf.raw_ops.SigmoidGrad(y=[1], dy=[1])

    with pytest.raises(TypeError, match=text):
        wrong()


def test_both_facades_have_the_same_raw_ops() -> None:
    assert tf.compat.v1.raw_ops.MaxPoolV2 is tf.raw_ops.MaxPoolV2


def test_an_attribute_with_one_value_here_refuses_others() -> None:
    with pytest.raises(NotImplementedError, match="Emplace has groups=1 alone, got 2"):
        tf.raw_ops.Conv(input=1, filter=1, strides=[1], padding="SAME", groups=2)


def test_the_table_of_raw_ops_is_loaded_when_one_is_asked_for() -> None:
    program = (
        "import sys, emplace.tensorflow as tf\n"
        "assert 'emplace.raw.table' not in sys.modules\n"
        "tf.raw_ops.Fact()\n"
        "assert 'emplace.raw.table' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
