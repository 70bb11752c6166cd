"""Conditions whose shape only the run tells, of raw ops and of the public functions. Answers are
TensorFlow's: raw ops take numbers for true unless they are 0 and others if there are any.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

tf1 = tf.compat.v1
TRUE: list[object] = [True, [True], [False], [True, False], 2, [0, 0], 0.5, "a", [""]]
NONE = [np.zeros(0, bool), np.zeros(0, np.float32), np.zeros(0, object)]
FALSE = [False, 0, 0.0, "", *NONE]


def branch(add):
    return tf.function(lambda x: x + add).get_concrete_function(tf.TensorSpec([], tf.int32))


def in_function(call, value, shape=None):
    value = tf.convert_to_tensor(value, tf.string if np.array(value).dtype == object else None)
    spec = tf.TensorSpec(shape, value.dtype)
    return tf.function(call, input_signature=[spec])(value)


def in_session(call, value, shape=None):
    with tf.Graph().as_default(), tf1.Session() as session:
        dtype = np.array(value).dtype
        fed = tf1.placeholder(tf.string if dtype.kind in "OU" else dtype, shape)
        return session.run(call(fed), {fed: value})


WAYS = pytest.mark.parametrize("run", [in_function, in_session])


@WAYS
@pytest.mark.parametrize("name", ["If", "StatelessIf"])
def test_a_raw_branch_looks_at_the_shape_when_it_runs(run, name):
    def call(value):
        made = getattr(tf.raw_ops, name)(
            cond=value, input=[tf.constant(0)], Tout=[tf.int32], then_branch=branch(1),
            else_branch=branch(2),
        )  # fmt: skip
        return made[0]

    values = [*((each, 1) for each in TRUE), *((each, 2) for each in FALSE)]
    for value, expected in values:
        assert int(run(call, value)) == expected, value
    assert int(run(call, [True], [None])) == 1
    assert int(run(call, np.zeros(0, bool), [None])) == 2


@WAYS
def test_a_raw_loop_ends_when_nothing_is_left(run):
    test = tf.function(lambda i, rows: rows)
    step = tf.function(lambda i, rows: (i + 1, rows[1:]))

    def call(rows):
        specs = tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)
        made = tf.raw_ops.StatelessWhile(
            input=[0, rows], cond=test.get_concrete_function(*specs),
            body=step.get_concrete_function(*specs),
        )  # fmt: skip
        return made[0]

    assert int(run(call, np.zeros(3, np.int32), [None])) == 3


@pytest.mark.parametrize("dtype", ["complex64", "float16", "uint16", "uint64"])
def test_conditions_of_other_types_are_refused(dtype):
    with pytest.raises(InvalidArgumentError, match=" cannot be converted to a boolean"):
        tf.raw_ops.If(
            cond=tf.cast(1, dtype), input=[1], Tout=[tf.int32], then_branch=branch(1),
            else_branch=branch(2),
        )  # fmt: skip


def test_a_branch_index_is_a_scalar():
    def call(index):
        branches = [branch(i) for i in range(3)]
        return tf.raw_ops.Case(branch_index=index, input=[10], Tout=[tf.int32], branches=branches)

    with pytest.raises(InvalidArgumentError, match="branch_index must be scalar"):
        call([1])
    for index in ([1], [1, 0], np.zeros(0, np.int32)):
        with pytest.raises(InvalidArgumentError):
            in_function(call, index)


@WAYS
@pytest.mark.parametrize("value", [[True, False], np.zeros(0, bool), [[True, True]]])
@pytest.mark.parametrize(
    "call",
    [
        lambda test: tf.cond(test, lambda: tf.constant(1), lambda: tf.constant(2)),
        lambda test: tf.case([(test, lambda: tf.constant(1))], lambda: tf.constant(2)),
        lambda test: tf.while_loop(lambda i: test, lambda i: i + 1, (0,)),
    ],
)
def test_a_condition_is_one_bool(run, call, value):
    with pytest.raises(InvalidArgumentError, match="must be a scalar, but it has shape"):
        run(call, value)


@WAYS
def test_an_index_of_branches_is_one_number(run):
    def call(index):
        return tf.switch_case(index, [lambda: tf.constant(1), lambda: tf.constant(2)])

    for value in ([1, 0], np.zeros(0, np.int32)):
        with pytest.raises(InvalidArgumentError, match="must be a scalar, but it has shape"):
            run(call, value)
