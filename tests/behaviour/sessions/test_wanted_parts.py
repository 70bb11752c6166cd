"""A session runs no more of branches and loops than its fetches need, as TensorFlow's does."""

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


@pytest.fixture
def count():
    """A variable that counts."""
    return v1.get_variable("count", initializer=0.0, use_resource=True)


def ran(fetch, *then, **options):
    """What a fetch gives in a new session, and what others give after it."""
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        found = session.run(fetch, **options)
        return found, *[session.run(each) for each in then]


def loop(body, *values):
    return tf.while_loop(lambda i, *_: i < 3, lambda i, *more: (i + 1, *body(*more)), (0, *values))


def test_a_variable_of_a_loop_that_nobody_fetches_is_not_computed(count):
    made = loop(lambda a, b: (a * 2, b + count.assign_add(1.0)), 1.0, 0.0)
    assert ran(made[1], count) == (8.0, 0.0)
    assert ran(made[2], count) == (6.0, 3.0)
    assert ran([made[1], made[2]], count) == ([8.0, 6.0], 3.0)


def test_the_condition_wants_what_it_reads(count):
    made = tf.while_loop(
        lambda i, a, b: (i < 3) & (b < 100.0),
        lambda i, a, b: (i + 1, a * 2, b + count.assign_add(1.0)),
        (0, 1.0, 0.0),
    )
    assert ran(made[1], count) == (8.0, 3.0)


def test_a_variable_that_is_fetched_wants_others(count):
    made = loop(lambda a, b, c: (a + b, b + count.assign_add(1.0), c * 2), 1.0, 0.0, 1.0)
    # The b of the iteration before: 1 + 0 + 1 + 3. TensorFlow gives 5 with TF 1's control flow.
    assert ran(made[1], count) == (5.0, 3.0)
    assert ran(made[3], count) == (8.0, 0.0)


def test_first_values_that_nobody_wants_are_not_computed(count):
    missing = v1.placeholder(tf.float32, [])
    made = loop(lambda a, b, c: (a * 2, b + 1, c + missing), 1.0, count.assign_add(5.0), missing)
    assert ran(made[1], count) == (8.0, 0.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed"):
        ran(made[3])
    assert ran(made[3], feed_dict={missing: 2.0}) == (8.0,)


def test_checks_of_what_nobody_wants_do_not_run():
    def checked(a, b):
        with tf.control_dependencies([tf.debugging.Assert(b < 0, [b])]):
            same = tf.identity(b)
        return a * 2, same

    made = loop(checked, 1.0, 0.0)
    assert ran(made[1]) == (8.0,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="assertion failed"):
        ran(made[2])


def test_what_waits_for_an_operation_lets_it_run(count):
    def waiting(a, b):
        with tf.control_dependencies([count.assign_add(1.0)]):
            return tf.identity(a * 2), b

    made = loop(waiting, 1.0, 0.0)
    assert ran(made[1], count) == (8.0, 3.0)
    assert ran(made[2], count) == (0.0, 0.0)


def test_of_a_branch_runs_what_is_fetched(count):
    missing = v1.placeholder(tf.float32, [])
    holds = v1.placeholder_with_default(True, [])
    made = tf.cond(holds, lambda: (1.0, missing, count.assign_add(1.0)), lambda: (2.0, 3.0, 4.0))
    assert ran(made[0], count) == (1.0, 0.0)
    assert ran(made[0], count, feed_dict={holds: False}) == (2.0, 0.0)
    assert ran([made[0], made[2]], count) == ([1.0, 1.0], 1.0)


def test_a_loop_in_a_branch_in_a_loop(count):
    def inner(a):
        both = loop(lambda x, y: (x + 1, y + count.assign_add(1.0)), a, a)
        return both[1], both[2]

    def outer(a, b):
        return tf.cond(a < 100.0, lambda: inner(a), lambda: (a, b))

    made = loop(outer, 0.0, 0.0)
    assert ran(made[1], count) == (9.0, 0.0)
    assert ran(made[2], count)[1] == 9.0


def test_an_operation_that_is_fetched_runs_the_whole(count):
    made = loop(lambda a, b: (a * 2, b + count.assign_add(1.0)), 1.0, 0.0)
    assert ran(made[1].op, count) == (None, 3.0)


def test_a_placeholder_that_is_fetched_as_an_operation(count):
    x = v1.placeholder_with_default(2.0, [])
    made = loop(lambda a, b: (a * x, b + count.assign_add(1.0)), 1.0, 0.0)
    assert ran([made[1], x.op], count) == ([8.0, None], 0.0)


def test_gradients_of_a_loop_of_which_a_part_is_fetched(count):
    x = v1.placeholder_with_default(2.0, [])
    made = loop(lambda a, b: (a * x, b * 2), 1.0, 1.0)
    slope = tf.gradients(made[1], x)[0]
    assert ran([made[1], slope]) == ([8.0, 12.0],)
    assert ran(slope, feed_dict={x: 3.0}) == (27.0,)


def test_values_of_variables_are_read_by_the_part(count):
    scale = v1.get_variable("scale", initializer=[1.0, 2.0], use_resource=True)
    made = loop(lambda a, b: (a + scale, b * 2), tf.zeros(2), 1.0)
    assert ran(made[1])[0].tolist() == [3.0, 6.0]
    assert ran(made[2]) == (8.0,)


def test_the_effects_of_a_function_in_a_session_happen(count):
    @tf.function
    def both(x):
        a, b = x, x
        for _ in tf.range(3):
            a, b = a * 2, b + count.assign_add(1.0)
        return a, b

    a, _ = both(tf.constant(1.0))
    assert ran(a, count) == (8.0, 3.0)


def test_an_error_names_the_operation_of_the_graph():
    def failing(a, b):
        return tf.debugging.check_numerics(a / 0.0, "broken", name="check"), b

    made = loop(failing, 1.0, 0.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="check"):
        ran(made[1])
