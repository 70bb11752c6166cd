"""Lists and batches of datasets as elements; TensorFlow 2.21 answers the same."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1

D = tf.data.Dataset


def three() -> list[Any]:
    return [D.range(i, i + 2) for i in range(3)]


def numbers(datasets: Any) -> list[list[int]]:
    return [list(map(int, each)) for each in datasets]


IN_TURN = [[0, 1], [1, 2], [2, 3]]
ROWS = {
    "D.from_tensor_slices(three())": IN_TURN,
    "tf.data.experimental.from_list(three())": IN_TURN,
    "D.from_tensors(three()).unbatch()": IN_TURN,
    "D.from_tensor_slices([three(), three()]).unbatch()": IN_TURN * 2,
    "D.from_tensors(D.range(2)).repeat(4).batch(3).unbatch()": [[0, 1]] * 4,
    "D.from_tensor_slices(three()).batch(2).take(1).unbatch()": IN_TURN[:2],
    "D.range(5).window(2).batch(2).unbatch()": [[0, 1], [2, 3], [4]],
}


@pytest.mark.parametrize("case", ROWS)
def test_datasets_in_lists_and_batches_are_rows(case: str):
    assert numbers(eval(case)) == ROWS[case]


@pytest.mark.parametrize("case", ROWS)
def test_sessions_and_functions_have_the_same_rows(case: str):
    @tf.function
    def joined() -> Any:
        found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for x in eval(case, globals()).flat_map(lambda each: each):
            found = found.write(found.size(), x)
        return found.stack()

    expected = [x for row in ROWS[case] for x in row]
    assert joined().numpy().tolist() == expected
    with tf.Graph().as_default(), tf1.Session() as session:
        dataset = eval(case).flat_map(lambda each: each)
        following = tf1.data.make_one_shot_iterator(dataset).get_next()
        assert [int(session.run(following)) for _ in expected] == expected


def test_their_specs_tell_the_shape_of_the_tensor_that_they_are_in():
    number = tf.TensorSpec([], tf.int64)
    specs = {
        "D.from_tensor_slices(three())": [],
        "D.from_tensors(three())": [3],
        "D.from_tensor_slices([three(), three()])": [3],
        "D.from_tensors(D.range(2)).batch(2)": [None],
        "D.from_tensor_slices(three()).batch(2, drop_remainder=True)": [2],
    }
    for case, shape in specs.items():
        assert eval(case).element_spec == tf.data.DatasetSpec(number, shape), case
    assert tf.data.DatasetSpec(number, [5]) != tf.data.DatasetSpec(number, [4])
    assert int(D.from_tensor_slices(three()).cardinality()) == 3
    apart = D.from_tensor_slices([D.from_tensors([1]), D.from_tensors([1, 2])])
    assert apart.element_spec.element_spec == tf.TensorSpec([None], tf.int32)


def test_they_stand_beside_other_rows():
    pairs = [(list(map(int, a)), int(b)) for a, b in D.from_tensor_slices((three(), [7, 8, 9]))]
    assert pairs == [([0, 1], 7), ([1, 2], 8), ([2, 3], 9)]
    (one,) = D.from_tensor_slices({"a": three()}).take(1)
    assert list(map(int, one["a"])) == [0, 1]


def test_datasets_of_different_elements_make_no_list():
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        D.from_tensor_slices([D.range(2), D.from_tensors(1.0)])
    with pytest.raises(ValueError, match="Attempt to convert a value"):
        tf.constant(three())


def test_branches_return_datasets_that_are_made_of_tensors():
    def some(x: tf.Tensor) -> Any:
        if x == 0:
            return D.from_tensor_slices([0])
        elif x == 1:
            return D.from_tensor_slices([x + 10, x])
        else:
            return D.from_tensor_slices([2 * x])

    for length in (1, 2):
        elements = D.range(4).interleave(lambda x: some(tf.cast(x, tf.int32)), cycle_length=length)
        assert list(map(int, elements)) == [0, 11, 1, 4, 6]
    assert list(map(int, D.range(4).flat_map(lambda x: some(tf.cast(x, tf.int32))))) == [
        0, 11, 1, 4, 6
    ]  # fmt: skip


def test_a_dataset_of_a_branch_is_out_of_reach_elsewhere():
    held = []

    @tf.function
    def function(x):
        if x > 0:
            held.append(D.from_tensor_slices([x]))
            y = x
        else:
            y = -x
        return y + held[0].reduce(0, lambda a, b: a + b)

    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        function(tf.constant(3))
