"""A loop over a dataset may change the shapes of its variables, as in TensorFlow, where it is a
reduction; one over an iterator may not. Values and shapes are those of TensorFlow 2.21.
"""

import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset


def of_unknown_shapes(*elements):
    return D.from_generator(lambda: iter(elements), tf.int32)


def numbers(count):
    return D.range(count).map(lambda x: tf.cast(x, tf.int32))


@tf.function
def total(dataset):
    result = tf.constant(0)
    for x in dataset:
        result += x
    return result


@tf.function
def joined(dataset):
    result, count = tf.constant([0]), 0
    for x in dataset:
        result = tf.concat([result, [x]], 0)
        count += 1
    return result, count


@tf.function
def joined_until_2(dataset):
    result = tf.constant([0])
    for x in dataset:
        result = tf.concat([result, [x]], 0)
        if x > 1:
            break
    return result


@tf.function
def joined_twice(dataset):
    result = tf.constant([0])
    for _ in dataset:
        for y in dataset:
            result = tf.concat([result, [y]], 0)
    return result


@tf.function
def exchanged(dataset):
    one, other = tf.constant(0), tf.constant([1, 2])
    for _ in dataset:
        one, other = other, one
    return one


def shape_of(function, dataset):
    found = tf.nest.flatten(function.get_concrete_function(dataset).structured_outputs)
    return found[0].shape


def test_a_sum_takes_the_shape_of_its_elements():
    assert total(of_unknown_shapes(1, 2, 3)).numpy() == 6
    assert total(of_unknown_shapes()).numpy() == 0
    assert total(of_unknown_shapes([1, 2], [3, 4])).numpy().tolist() == [4, 6]
    assert shape_of(total, of_unknown_shapes(1)).rank is None


def test_variables_grow_and_others_keep_their_shapes():
    result, count = joined(numbers(4))
    assert result.numpy().tolist() == [0, 0, 1, 2, 3]
    assert count.numpy() == 4
    assert count.shape == []
    assert shape_of(joined, numbers(4)).as_list() == [None]


def test_loops_that_break_and_loops_in_loops_grow():
    assert joined_until_2(numbers(4)).numpy().tolist() == [0, 0, 1, 2]
    assert joined_twice(numbers(2)).numpy().tolist() == [0, 0, 1, 0, 1]


def test_ranks_may_change():
    assert exchanged(numbers(2)).numpy() == 0
    assert exchanged(numbers(3)).numpy().tolist() == [1, 2]
    assert shape_of(exchanged, numbers(2)).rank is None


def test_a_loop_over_an_iterator_keeps_its_shapes():
    with pytest.raises(
        ValueError, match=r"'result' has shape \(\) before the loop, but shape <unk"
    ):
        total(iter(of_unknown_shapes(1, 2)))


def test_a_changed_dtype_is_an_error():
    @tf.function
    def other(dataset):
        result = tf.constant(0)
        for _ in dataset:
            result = tf.cast(result, tf.float32)
        return result

    with pytest.raises(TypeError, match="'result' has dtype int32 before the loop, but dtype floa"):
        other(numbers(2))
