"""`ShardedVariable` by itself: compared, indexed and waited for as TensorFlow's."""

import pytest

import emplace.tensorflow as tf

Sharded = tf.__internal__.distribute.ShardedVariable


def sharded(*numbers):
    return Sharded([tf.Variable([number]) for number in numbers])


def test_it_is_compared_element_by_element() -> None:
    one, other = sharded(1.0, 2.0), sharded(1.0, 3.0)
    assert (one == other).numpy().tolist() == [True, False]
    assert (one != other).numpy().tolist() == [False, True]
    assert (one == [1.0, 2.0]).numpy().tolist() == [True, True]
    assert {one: "there"}[one] == "there"


def test_a_row_that_is_not_there_is_an_index_error() -> None:
    for row in (2, -3):
        with pytest.raises(IndexError, match=r"slice index .* of dimension 0 out of bounds"):
            sharded(1.0, 2.0)[row]
    assert float(sharded(1.0, 2.0)[-2]) == 1.0


@pytest.mark.parametrize("wrong", [None, [], [1]])
def test_what_are_no_variables_is_refused(wrong) -> None:
    with pytest.raises(TypeError, match=r"should be a non-empty list of `variables.Variable`s"):
        Sharded(wrong)


def test_a_function_may_wait_for_it() -> None:
    there = sharded(1.0, 2.0)

    @tf.function
    def changed():
        assigned = there.assign([4.0, 5.0])
        with tf.control_dependencies([assigned]):
            return tf.identity(there[1])

    assert float(changed()) == 5.0
