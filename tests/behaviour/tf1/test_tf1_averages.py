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


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("float16", [1.029296875, 1.94140625]), ("bfloat16", [1.03125, 1.9375])],
)
def test_what_is_left_of_one_is_rounded_and_not_the_decay(dtype, expected):
    v = tf.Variable(tf.constant([1.0, 2.0], dtype))
    average = tf.train.ExponentialMovingAverage(0.99)
    average.apply([v])
    for _ in range(3):
        v.assign_add(tf.constant([0.5, -1.0], dtype))
        average.apply([v])
    # TensorFlow 2.21's: of a rounded decay much less, or more, would be left
    assert tf.cast(average.average(v), "float64").numpy().tolist() == expected


def test_averages_of_no_variables_are_those_of_none():
    with tf.Graph().as_default():
        v1.get_variable("count", initializer=[1, 2])
        average = tf.train.ExponentialMovingAverage(0.5)
        assert average.apply([]).type == "NoOp"
        with pytest.raises(TypeError, match="must be half, float, or double: count:0"):
            average.apply()


def test_eager_mode_has_no_averages_of_tensors():
    average = tf.train.ExponentialMovingAverage(0.5)
    for given in ([tf.constant(1.0)], tf.constant([1.0])):
        with pytest.raises(TypeError, match="does not support non-Variable tensors when eager"):
            average.apply(given)


def test_averages_of_eager_mode_tell_what_to_restore():
    v = tf.Variable(1.0, name="v")
    average = tf.train.ExponentialMovingAverage(0.5)
    average.apply([v])
    assert average.variables_to_restore()[average.average_name(v)] is v


def test_a_second_average_of_a_variable_has_another_name():
    with tf.Graph().as_default():
        v = v1.get_variable("v", [2])
        first, second = (tf.train.ExponentialMovingAverage(0.5) for _ in range(2))
        first.apply([v])
        assert second.average_name(v) == f"v/{TAIL}_1"
        names = {name: each.name for name, each in second.variables_to_restore().items()}
        assert names == {f"v/{TAIL}": f"v/{TAIL}:0", f"v/{TAIL}_1": "v:0"}
        second.apply([v])
        assert second.average_name(v) == f"v/{TAIL}_1"


@pytest.mark.parametrize("zero_debias", [False, True])
def test_a_tensor_whose_shape_only_the_run_knows_has_an_average(zero_debias):
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None])
        average = tf.train.ExponentialMovingAverage(0.5, zero_debias=zero_debias)
        step, first = average.apply([x]), {x: [0.0, 0.0, 0.0]}
        session.run(v1.global_variables_initializer(), first)
        session.run(step, {x: [1.0, 2.0, 3.0]})
        found = session.run(average.average(x))
    assert found.tolist() == pytest.approx([1.0, 2.0, 3.0] if zero_debias else [0.5, 1.0, 1.5])
