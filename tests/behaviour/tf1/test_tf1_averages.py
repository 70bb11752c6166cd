"""Names and first values that variables of TF 1's graphs get; all as TensorFlow 2.21 gives them."""

import contextlib

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def names(scope):
    """Names of averages and of all variables, where both are made in a scope."""
    with tf.Graph().as_default():
        with v1.variable_scope("s1"):
            v = v1.get_variable("v", [2])
        other = tf.identity(v, name="t")
        with scope():
            v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v * v))
            average = tf.train.ExponentialMovingAverage(0.5, zero_debias=True)
            before = average.average_name(v)
            average.apply([v, other])
            restored = sorted(average.variables_to_restore())
        made = sorted(each.name.removesuffix(":0") for each in v1.global_variables())
        return before, restored, made


TAIL = "ExponentialMovingAverage"


@pytest.mark.parametrize(
    ("scope", "before", "slots", "own", "tensors"),
    [
        (contextlib.nullcontext, "", "", "", ""),
        (lambda: v1.name_scope("sc"), "sc/", "", "sc/", ""),
        (lambda: v1.variable_scope("sc"), "sc/", "sc/", "sc/", "sc/"),
    ],
)
def test_names_follow_scopes(scope, before, slots, own, tensors):
    found, restored, made = names(scope)
    assert found == f"{before}s1/v/{TAIL}"
    expected = [
        f"{own}beta1_power", f"{own}beta2_power", f"{slots}s1/v/Adam", f"{slots}s1/v/Adam_1",
        f"{slots}s1/v/{TAIL}", f"{tensors}t/{TAIL}", f"{tensors}{tensors}t/{TAIL}/biased",
        f"{tensors}{tensors}t/{TAIL}/local_step",
    ]  # fmt: skip
    assert restored == sorted(expected)
    assert made == sorted([*expected, "s1/v"])


@pytest.mark.parametrize(
    ("counted", "expected"),
    [
        (False, [1.0, 1.52632, 2.80812, 4.89939, 7.85429]),
        (True, [1.0, 1.86154, 4.26667, 8.28969, 13.94366]),
    ],
)
def test_averages_of_tensors_owe_nothing_to_their_zero(counted, expected):
    with tf.Graph().as_default(), v1.Session() as session:
        count, x = v1.Variable(0.0), v1.placeholder(tf.float32, [])
        average = tf.train.ExponentialMovingAverage(
            0.9, zero_debias=True, num_updates=count if counted else None
        )
        step = average.apply([x])
        session.run(v1.global_variables_initializer())
        found = []
        for i in range(5):
            session.run(step, {x: i * i + 1.0})
            session.run(count.assign_add(1.0))
            found.append(float(session.run(average.average(x))))
    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("make", [
    lambda v: v1.Variable(v, name="w"), lambda v: v1.get_variable("w", initializer=v),
    lambda v: v1.Variable(v.initialized_value(), name="w"),
])  # fmt: skip
def test_a_variable_of_a_variable_begins_with_its_value(make):
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=2)
        w = make(v)
        with v1.Session() as session:
            session.run(v.initializer)
            session.run(v.assign(10))
            session.run(w.initializer)
            assert session.run(w) == 10
        with v1.Session() as session:
            session.run(w.initializer)
            assert session.run(w) == 2  # TF 1: the first value of one that has none yet
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run([v, w]) == [2, 2]


@pytest.mark.gpus(2, memory="64MB")
def test_an_average_is_where_its_variable_is():
    with tf.Graph().as_default():
        made = []
        for name in ("/cpu:0", "/gpu:1"):
            with tf.device(name):
                made.append(tf.compat.v1.get_variable(f"v{name[1:4]}", initializer=[1.0]))
        averages = tf.compat.v1.train.ExponentialMovingAverage(0.9)
        with tf.device("/gpu:0"):
            averages.apply(made)
        found = [averages.average(v) for v in made]
        assert [v.device for v in found] == ["/device:CPU:0", "/device:GPU:1"]
        assert [v.op.colocation_groups() for v in found] == [[b"loc:@vcpu"], [b"loc:@vgpu"]]
