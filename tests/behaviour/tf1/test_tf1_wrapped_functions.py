"""What of a function of `tf.compat.v1.wrap_function` runs: what results need, as in a session."""

import emplace.tensorflow as tf

v1 = tf.compat.v1
NUMBER = [tf.TensorSpec([], tf.float32)]


def wrapped(body):
    return v1.wrap_function(body, NUMBER)


def test_effects_that_no_result_needs_do_not_happen(capfd) -> None:
    v = tf.Variable(0.0)

    @tf.function
    def called(x):
        v.assign_add(100.0)
        return x

    def body(x):
        v.assign_add(1.0)
        tf.print("not printed")
        tf.debugging.assert_positive(x)
        tf.cond(x > 0, lambda: v.assign_add(1.0) + 0.0, lambda: v.assign_sub(1.0) + 0.0)
        called(x)

        def step(i):
            v.assign_add(1.0)
            return (i + 1.0,)

        return tf.while_loop(lambda i: i < 3.0, step, [x])[0]

    whole = wrapped(body)
    assert float(whole(-1.0)) == 3.0
    assert float(tf.function(lambda: whole(-1.0))()) == 3.0
    assert float(v) == 0.0
    assert "not printed" not in capfd.readouterr().err


def test_what_a_result_waits_for_happens_once() -> None:
    v = tf.Variable(0.0)

    @tf.function
    def called(x):
        v.assign_add(100.0)
        return x

    def body(x):
        changed = v.assign_add(1.0)
        v.assign_add(10.0)
        with tf.control_dependencies([changed]):
            return v + 0.0, called(x)

    whole = wrapped(body)
    assert [float(each) for each in whole(2.0)] == [1.0, 2.0]
    assert float(v) == 101.0
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        y = whole(x)[1]
    assert float(tape.gradient(y, x)) == 1.0
    assert float(v) == 202.0
    assert float(tf.function(whole)(2.0)[0]) == 203.0
    assert float(whole.prune(whole.inputs, whole.outputs[1])(3.0)) == 3.0
    assert float(v) == 404.0  # the call waits for the change, too


def test_all_of_a_body_without_a_result_runs() -> None:
    v = tf.Variable(0.0)

    def body(x):
        v.assign_add(x)
        v.assign_add(10.0)

    assert wrapped(body)(1.0) is None
    assert float(v) == 11.0


def test_operations_that_a_part_is_asked_for_run() -> None:
    v = tf.Variable(0.0)

    def body():
        step = v1.placeholder(tf.float32, [], name="step")
        v.assign_add(step, name="more", read_value=False)
        return tf.constant(1.0, name="other")

    whole = v1.wrap_function(body, [])
    part = whole.prune("step:0", (whole.graph.get_operation_by_name("more"), "other:0"))
    assert [x.name for x in part.inputs] == ["step:0"]
    first, second = part(tf.constant(2.0))
    assert first is None
    assert float(second) == 1.0
    assert float(v) == 2.0
    assert float(whole.prune("step:0", "other:0")(tf.constant(3.0))) == 1.0
    assert float(v) == 2.0


def test_lists_of_the_graph_hold_its_variables() -> None:
    seen = []

    def body(x):
        q = v1.get_variable("q", [], initializer=v1.ones_initializer())
        tf.Variable(1.0, trainable=False)
        loss = (q * x - 3.0) ** 2
        step = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        seen.extend(v1.trainable_variables())
        with tf.control_dependencies([step]):
            return tf.identity(loss)

    whole = wrapped(body)
    assert [x.name for x in whole.graph.get_collection("trainable_variables")] == ["q:0"]
    assert len(whole.graph.get_collection("variables")) == 2
    assert [x.name for x in seen] == ["q:0"]
    losses = [float(whole(1.0)) for _ in range(3)]
    assert losses[0] == 4.0
    assert abs(losses[2] - 1.6384) < 1e-6
    assert not v1.get_default_graph().get_collection("trainable_variables")


def test_parts_of_a_ragged_tensor_are_arguments() -> None:
    inside = []

    def body(x, y):
        inside.extend([x, x * x])
        return inside[1], y

    spec = tf.RaggedTensorSpec([None, None], tf.float32)
    whole = v1.wrap_function(body, [spec, *NUMBER])
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    squares = whole.prune(inside[0], inside[1])(rows.values, rows.row_splits)
    assert squares.to_list() == [[1.0, 4.0], [9.0]]


def test_arguments_that_were_no_specs_may_be_left_out_of_a_call_and_numbers_become_tensors() -> (
    None
):
    def body(x, do_add):
        v = tf.Variable(5.0)
        changed = v.assign_add(x) if do_add else v.assign_sub(x)
        with tf.control_dependencies([changed]):
            return v.read_value()

    add = v1.wrap_function(body, [tf.TensorSpec([], tf.float32), True])
    subtract = v1.wrap_function(body, [tf.TensorSpec([], tf.float32), False])
    assert [float(add(1.0)), float(add(1)), float(add(tf.constant(1.0)))] == [6.0, 7.0, 8.0]
    assert float(subtract(1.0)) == 4.0
