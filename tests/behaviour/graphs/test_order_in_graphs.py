"""What runs before what in graphs of sessions: changes of variables, and what branches wait for."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


@pytest.fixture
def session():
    """A session of a fresh graph, which is the default one."""
    with tf.Graph().as_default(), v1.Session() as session:
        yield session


def made(session, value=1.0):
    """A variable that has its first value."""
    v = v1.get_variable("v", initializer=value)
    session.run(v.initializer)
    return v


def test_a_change_of_a_changed_variable_comes_after_the_first_one(session):
    v = made(session)
    one = v1.assign_add(v, 1.0)
    two = v1.assign_add(one, 1.0)
    three = two.assign_sub(0.5)
    assert session.run(two) == 3
    assert session.run(v) == 3
    assert session.run(three) == 4.5
    assert session.run(v1.assign_add(v1.assign(v, 10.0), 1.0)) == 11


def test_rows_are_changed_one_after_the_other(session):
    v = made(session, [1.0, 2.0, 3.0])
    changed = v1.scatter_add(v1.scatter_add(v, [0], [5.0]), [1], [5.0])
    # As TensorFlow's reference variables do; its resource variables lose the first change.
    assert session.run(changed).tolist() == [6, 7, 3]
    assert session.run(v).tolist() == [6, 7, 3]


@pytest.mark.parametrize("taken", [False, True])
def test_what_a_branch_waits_for_runs_whether_it_is_taken_or_not(session, taken):
    v = made(session)
    change = v1.assign_add(v, 1.0)

    def waiting():
        with tf.control_dependencies([change]):
            return tf.constant(1.0)

    flag = v1.placeholder_with_default(False, [])
    nested = tf.cond(flag, lambda: tf.cond(flag, waiting, lambda: tf.constant(0.0)),
                     lambda: tf.constant(2.0))  # fmt: skip
    y = tf.cond(flag, waiting, lambda: tf.constant(2.0))
    assert session.run(y, {flag: taken}) == (1 if taken else 2)
    assert session.run(v) == 2
    session.run(nested, {flag: taken})
    assert session.run(v) == 3


@pytest.mark.parametrize("iterations", [0, 3])
def test_what_an_iteration_of_a_loop_waits_for_runs_once(session, iterations):
    v = made(session)
    change = v1.assign_add(v, 1.0).op

    def body(i):
        with tf.control_dependencies([change]):
            return i + 1

    loop = tf.while_loop(lambda i: i < iterations, body, [tf.constant(0)])
    assert session.run(loop) == [iterations]
    assert session.run(v) == 2


def test_what_a_function_waits_for_runs(session):
    v = made(session)
    change = v1.assign_add(v, 1.0).op

    @tf.function
    def f(x):
        with tf.control_dependencies([change]):
            return x + 1.0

    assert session.run(f(tf.constant(1.0))) == 2
    assert session.run(v) == 2


def test_a_function_runs_all_that_it_does_wherever_a_session_calls_it(session):
    v = made(session)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        if x > 0.0:
            v.assign_add(10.0)
        return x

    assert session.run(f(tf.constant(1.0))) == 1
    assert session.run(v) == 12
    flag = v1.placeholder_with_default(True, [])
    session.run(tf.cond(flag, lambda: f(tf.constant(1.0)), lambda: tf.constant(2.0)))
    assert session.run(v) == 23


def test_cases_are_checked_in_sessions(session):
    x = v1.placeholder_with_default(-1.0, [])
    none = tf.case([(x > 0.0, lambda: x + 1), (x > 1.0, lambda: x + 2)])
    alone = tf.case([(x > 0.0, lambda: x + 1)])
    both = tf.case([(x < 0.0, lambda: x + 1), (x < 1.0, lambda: x + 2)], exclusive=True)
    for y, text in ((none, "None of conditions"), (alone, "None of"), (both, "more than 1")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(y)
    assert session.run([none, alone], {x: 2.0}) == [3, 3]
    assert session.run(both, {x: 0.5}) == 2.5


# -- what the nodes of a graph tell of it: TensorFlow 2.21's answers -------------------------------


def _told(graph: Any) -> dict[str, tuple[str, list[str]]]:
    return {
        operation.name: (operation.type, sorted(each.name for each in operation.control_inputs))
        for operation in graph.get_operations()
    }


def test_a_function_tells_what_waits_for_what_on_variables() -> None:
    v = tf.Variable(1.0)

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        tf.cond(x > 0, lambda: x, lambda: x * 2, name="free")
        tf.cond(x > 0, lambda: v + 1, lambda: x, name="reads")
        tf.cond(x > 0, lambda: v.assign(2.0) + 1, lambda: x, name="writes")
        v.assign_add(1.0)
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name="counts")
        tf.while_loop(lambda i: i < 3, lambda i: (v.assign(3.0), i + 1)[1], [0], name="turns")
        return x

    told = _told(f.get_concrete_function(tf.TensorSpec([])).graph)
    assert told["free"] == ("StatelessIf", [])
    assert told["reads"] == ("If", [])
    assert told["writes"] == ("If", ["reads"])
    assert told["AssignAddVariableOp"] == ("AssignAddVariableOp", ["writes"])
    assert told["counts"] == ("StatelessWhile", [])
    assert told["turns"][0] == "While"
    assert "AssignAddVariableOp" in told["turns"][1]


def test_a_branch_of_a_sessions_graph_tells_whether_it_has_a_state() -> None:
    with tf.Graph().as_default() as graph:
        x, v = tf.constant(1.0), tf.Variable(1.0)
        tf.cond(x > 0, lambda: x, lambda: x * 2, name="free")
        tf.cond(x > 0, lambda: v.assign(x) * 1, lambda: x, name="writes")
        told = _told(graph)
    assert (told["free"], told["writes"]) == (("StatelessIf", []), ("If", []))


def test_what_an_input_waits_for_is_no_control_input_again() -> None:
    with tf.Graph().as_default():
        a, b = tf.constant(1.0), tf.constant(1.0)
        with tf.control_dependencies([a]):
            c = tf.constant(1.0)
            d, e, f = tf.identity(b), tf.identity(c), tf.identity(a)
        found = [x.op.control_inputs for x in (c, d, e, f)]
    assert found == [[a.op], [a.op], [], []]
