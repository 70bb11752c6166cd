"""Functions of TF 1 take their arguments in TF 1's order; what they return TensorFlow 2.21 said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
PARTS = [[[0.0], [2.0], [4.0]], [[10.0], [30.0]]]


def parts() -> list[Any]:
    return [tf.constant(part) for part in PARTS]


def ids(*numbers: int) -> Any:
    places = [[0, i] for i in range(len(numbers))]
    return tf.SparseTensor(places, tf.constant(numbers, tf.int64), [1, len(numbers)])


@pytest.mark.parametrize(
    ("function", "options", "total"),
    [
        (v1.nn.embedding_lookup_sparse, {}, 16.0),
        (v1.nn.embedding_lookup_sparse, {"partition_strategy": "div"}, 36.0),
        (v1.nn.safe_embedding_lookup_sparse, {"partition_strategy": "mod"}, 16.0),
        (v1.nn.safe_embedding_lookup_sparse, {}, 36.0),
    ],
)
def test_rows_of_tables_in_parts_take_turns_or_follow_each_other(
    function: Any, options: dict[str, Any], total: float
) -> None:
    made = function(parts(), ids(1, 2, 4), None, combiner="sum", **options)
    np.testing.assert_array_equal(made, [[total]])


def test_negative_ids_are_left_out_and_missing_rows_refused_where_rows_take_turns() -> None:
    options = {"combiner": "sum", "partition_strategy": "mod"}
    made = v1.nn.safe_embedding_lookup_sparse(parts(), ids(1, -1), **options)
    np.testing.assert_array_equal(made, [[10.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="5"):  # part 1 has two rows
        v1.nn.embedding_lookup(parts(), tf.constant([5]))


def test_arguments_stand_where_tf_1_has_them() -> None:
    image, kernel, ones = tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1]), [1, 1, 1, 1]
    np.testing.assert_array_equal(
        v1.nn.erosion2d(image, kernel, ones, ones, "VALID"), np.zeros([1, 2, 2, 1])
    )
    np.testing.assert_array_equal(
        v1.nn.dilation2d(image, kernel, ones, ones, "VALID"), np.full([1, 2, 2, 1], 2)
    )
    argmax = v1.nn.max_pool_with_argmax(image, 2, 1, "VALID", "NHWC", tf.int32)[1]
    assert (argmax.dtype, argmax.numpy().ravel().tolist()) == (tf.int32, [0, 1, 3, 4])
    np.testing.assert_array_equal(v1.nn.crelu([1.0, -1.0], "n", 0), [1, 0, 0, 1])
    count, total, squares, _ = v1.nn.sufficient_statistics(tf.ones([2, 2]), [0], None, True)
    assert (float(count), total.shape, squares.shape) == (2.0, (1, 2), (1, 2))
    blocks = v1.nn.space_to_depth(tf.ones([1, 2, 2, 1]), 2, "name")
    assert v1.nn.depth_to_space(blocks, 2, "name").shape == (1, 2, 2, 1)
    padded = v1.nn.space_to_batch(tf.ones([1, 2, 2, 1]), [[0, 0], [0, 0]], 2)
    assert padded.shape == (4, 1, 1, 1)
    made = v1.nn.conv3d_transpose(tf.ones([1] * 5), tf.ones([1] * 5), [1] * 5, [1] * 5)
    assert made.shape == (1, 1, 1, 1, 1)
    apart = v1.nn.depthwise_conv2d_native(
        tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), ones, "VALID", dilations=[1, 2, 2, 1]
    )
    assert apart.shape == (1, 1, 1, 1)


def test_two_names_of_an_argument_are_one_too_many() -> None:
    image = tf.ones([1, 2, 2, 1])
    with pytest.raises(ValueError, match=r"^Cannot specify both 'value' and 'input'"):
        v1.nn.avg_pool2d(image, 2, 1, "VALID", input=image)
    with pytest.raises(ValueError, match=r"^Cannot specify both 'box_ind' and 'box_indices'"):
        v1.image.crop_and_resize(image, [[0.0, 0, 1, 1]], [0], [1, 1], box_indices=[0])
    with pytest.raises(ValueError, match=r"^Keyword arguments are required for this function"):
        v1.sparse_split(1)


def test_branches_are_functions() -> None:
    with pytest.raises(TypeError, match=r"^Argument `true_fn` must be callable\. Received None"):
        tf.__internal__.smart_cond.smart_cond(True)


def test_derivatives_by_rules_and_by_differences_in_a_session() -> None:
    with v1.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float32, [2])
        y = x * x * x
        at = np.array([1.0, 2.0], "f")
        rules, differences = v1.test.compute_gradient(x, [2], y, [2], x_init_value=at)
        np.testing.assert_array_equal(rules, [[3, 0], [0, 12]])
        np.testing.assert_allclose(differences, rules, atol=2e-4)
        assert rules.dtype == differences.dtype == np.float32
        error = v1.test.compute_gradient_error(x, [2], y, [2], x_init_value=at)
        assert 0 < error < 2e-4


def test_groups_and_second_derivatives_have_names_before_the_rest() -> None:
    with v1.Graph().as_default():
        x = v1.placeholder(tf.float32, [2])
        (made,) = v1.tuple([x], "gate", [])
        assert made.name == "gate/control_dependency:0"
        (second,) = v1.hessians(x * x, x, "second", False, True)
        assert second.shape == (2, 2)


def test_a_wrapped_function_keeps_its_variables_and_parts_of_it_run() -> None:
    def scaled(x: Any) -> Any:
        with v1.variable_scope("a"):
            v = v1.get_variable("v", shape=(), initializer=v1.ones_initializer())
        return x * v + 1

    wrapped = v1.wrap_function(scaled, [tf.TensorSpec([None], tf.float32)])
    np.testing.assert_array_equal(wrapped(tf.constant([1.0, 2.0])), [2, 3])
    (variable,) = wrapped.variables
    variable.assign(5.0)
    np.testing.assert_array_equal(wrapped(tf.constant([1.0, 2.0])), [6, 11])
    with pytest.raises(NotImplementedError, match=r"^Keyword arguments are not supported"):
        wrapped(x=tf.constant([1.0]))

    def steps() -> Any:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.identity(x * 2, name="y")
        return tf.identity(y + 3, name="z")

    whole = v1.wrap_function(steps, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeho"):
        whole()
    part = whole.prune("x:0", ["y:0", "z:0"])
    assert [float(each) for each in part(tf.constant(4.0))] == [8.0, 11.0]
    rest = whole.prune([whole.graph.get_tensor_by_name("y:0")], {"b": "z:0"})
    assert float(rest(tf.constant(4.0))["b"]) == 7.0
    with pytest.raises(KeyError, match="The name 'w:0' refers to a Tensor which does not exist"):
        whole.prune("w:0", "z:0")


def test_wrap_function_runs_a_body_once_though_it_makes_variables() -> None:
    seen: list[Any] = []

    def body(x: Any) -> Any:
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer())
        seen.append(x * v)
        return seen[-1] + tf.Variable(3.0)

    whole = v1.wrap_function(body, [tf.TensorSpec([], tf.float32)])
    assert whole(tf.constant(2.0)).numpy().tolist() == [5.0, 5.0]
    assert len(seen) == 1
    part = whole.prune(whole.inputs, seen[0])  # TF: what the program kept is of that graph
    assert part(tf.constant(2.0)).numpy().tolist() == [2.0, 2.0]

    def twice() -> None:
        v1.get_variable("v", [])
        v1.get_variable("v", [])

    with pytest.raises(ValueError, match="Variable v already exists, disallowed"):
        v1.wrap_function(twice, [])


def test_a_dataset_of_the_program_is_made_of_a_tensor() -> None:
    class Own(tf.data.Dataset):
        def __init__(self, inner: Any) -> None:
            self._inner = inner
            super().__init__(tf.data.experimental.to_variant(inner))

        @property
        def element_spec(self) -> Any:
            return self._inner.element_spec

    own = Own(tf.data.Dataset.range(3))
    assert [int(each) for each in own.map(lambda x: x + 1)] == [1, 2, 3]
    assert [int(each) for each in own] == [0, 1, 2]
