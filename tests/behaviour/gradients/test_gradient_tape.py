"""GradientTape: what it records, what it returns, where gradients run, and its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.core.context import LOCAL
from emplace.ops.op import REGISTRY, apply, op
from emplace.testing import assert_no_copies

gpus = pytest.mark.gpus(4, memory="64MB")


def place(x: Any) -> str:
    return str(x.device).split("device:")[1]


def values(x: Any) -> Any:
    return tf.nest.map_structure(lambda each: None if each is None else each.numpy().tolist(), x)


def grad(f: Callable[..., Any], *xs: Any) -> Any:
    tensors = [tf.constant(x) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = f(*tensors)
    return values(tape.gradient(y, tensors))


# What it returns


def test_the_gradient_of_a_square() -> None:
    assert grad(lambda x: x * x, 3.0) == [6.0]


def test_the_gradient_of_several_elements_is_that_of_their_sum() -> None:
    assert grad(lambda x: x * x, [1.0, 2.0]) == [[2.0, 4.0]]


def test_something_on_the_way_is_a_source_too() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert values(tape.gradient(z, y)) == 18.0
    assert values(tape.gradient(z, [x, y])) == [108.0, 18.0]
    assert values(tape.gradient(y, [y, x])) == [1.0, 6.0]
    assert values(tape.gradient(x, x)) == 1.0


def test_the_gradients_of_several_targets_are_added() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert values(tape.gradient([y, z], [x, y])) == [114.0, 19.0]


def test_gradients_have_the_structure_of_their_sources() -> None:
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch({"a": a, "rest": (b, [c])})
        y = {"u": a * b * c, "v": [a * 2.0]}
    found = tape.gradient(y, {"b": b, "a": [a, (c,)]})
    assert values(found) == {"b": 3.0, "a": [8.0, (2.0,)]}


def test_a_source_that_is_named_twice_gets_its_gradient_twice() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert values(tape.gradient(y, [x, x])) == [6.0, 6.0]


def test_a_source_that_does_not_matter_gets_none_or_zeros() -> None:
    def found(**how: Any) -> Any:
        x, other = tf.constant(3.0), tf.constant([1.0, 2.0])
        v = tf.Variable([[1.0]])
        with tf.GradientTape() as tape:
            tape.watch([x, other])
            y = x * x
        return values(tape.gradient(y, [x, other, v], **how))

    assert found() == found(unconnected_gradients="none") == [6.0, None, None]
    zero = tf.UnconnectedGradients.ZERO
    assert found(unconnected_gradients=zero) == [6.0, [0.0, 0.0], [[0.0]]]
    assert found(unconnected_gradients="zero") == [6.0, [0.0, 0.0], [[0.0]]]


def test_output_gradients_weigh_the_elements_of_the_target() -> None:
    def found(weights: Any) -> Any:
        z = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = z * z
        return values(tape.gradient(y, z, output_gradients=weights))

    assert found(tf.constant([1.0, 10.0])) == [2.0, 40.0]
    assert found([tf.constant([1.0, 10.0])]) == [2.0, 40.0]
    assert found(np.array([1.0, 10.0], np.float32)) == [2.0, 40.0]
    assert found(tf.constant(2.0)) == [4.0, 8.0]


def test_output_gradients_belong_to_targets_in_order_and_may_end_early() -> None:
    z = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y, w = z * z, z * 3.0
    found = tape.gradient([y, w], z, output_gradients=[tf.constant([1.0, 1.0])])
    assert values(found) == [5.0, 7.0]


def test_output_gradients_of_another_shape_are_an_error() -> None:
    z = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = z * z
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] vs. \[2\]"):
        tape.gradient(y, z, output_gradients=tf.constant([1.0, 10.0, 3.0]))


def test_an_integer_has_no_gradient() -> None:
    assert grad(lambda i: i * i, 3) == [None]
    assert grad(lambda x: tf.cast(x, tf.int32), 3.0) == [None]


# What it records


def test_constants_are_recorded_only_when_watched() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        tape.watch(x)
        z = x * 2.0
    assert tape.gradient(y, x) is None
    assert values(tape.gradient(z, x)) == 2.0


@pytest.mark.parametrize(
    "make", [tf.constant, tf.convert_to_tensor, lambda x: tf.cast(x, "float32")]
)
def test_a_python_number_equal_to_a_watched_constant_is_another_tensor(make: Any) -> None:
    x = make(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 3.0
    assert values(tape.gradient(y, x)) == 3.0
    assert make(3.0).ref() != x.ref()


def test_trainable_variables_are_watched_when_they_are_read() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v * w
    assert [each is v for each in tape.watched_variables()] == [True]
    assert values(tape.gradient(y, [v, w])) == [12.0, None]


def test_every_way_to_read_a_variable_counts() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v.value() * v.read_value() * tf.identity(v) * v
    assert values(tape.gradient(y, v)) == 32.0


def test_watching_of_variables_can_be_turned_off() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        y = v * w
    assert [each is v for each in tape.watched_variables()] == [True]
    assert values(tape.gradient(y, [v, w])) == [3.0, None]


def test_a_variable_that_is_not_trainable_can_be_watched() -> None:
    w = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = w * w
    assert [each is w for each in tape.watched_variables()] == [True]
    assert values(tape.gradient(y, w)) == 6.0


def test_what_an_assignment_returns_stands_for_its_variable() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        u = v.assign_add(1.0)
        y = u * u
    assert [each is v for each in tape.watched_variables()] == [True]
    assert values(tape.gradient(y, [v, u])) == [6.0, 6.0]


def test_the_handle_of_a_variable_is_a_source_too() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    assert values(tape.gradient(y, v.handle)) == 4.0


def test_a_variable_is_a_target_too() -> None:
    v = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        v.value()
    assert values(tape.gradient(v, v)) == [1.0, 1.0]


def _in_a_function(f: Any) -> Any:
    return tf.function(f)()


@pytest.mark.parametrize("run", [lambda f: f(), _in_a_function])
def test_a_target_that_is_its_source_has_gradient_one_even_if_nobody_watched(run: Any) -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(3.0, trainable=False)
    c = tf.constant(5.0)

    def gradients() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = v
        return [
            tape.gradient(y, v),
            tape.gradient([v, w, v], [v, w]),
            tape.gradient(y, v, output_gradients=tf.constant([2.0, 3.0])),
            tape.gradient(c, [c, w]),
            tape.jacobian(y, v),
        ]

    expected = [[1.0, 1.0], [[2.0, 2.0], 1.0], [2.0, 3.0], [1.0, None], [[1.0, 0.0], [0.0, 1.0]]]
    assert values(run(gradients)) == expected


def test_a_source_that_is_no_number_begins_no_gradient() -> None:
    text = tf.constant("a")
    with tf.GradientTape() as tape:
        y = text
    assert tape.gradient(y, text) is None


@pytest.mark.parametrize("run", [lambda f: f(), _in_a_function])
def test_a_tape_tells_its_variables_from_the_oldest_also_after_a_gradient(run: Any) -> None:
    old, middle, new = (tf.Variable(float(i)) for i in range(3))
    names = {id(v): name for v, name in ((old, "old"), (middle, "middle"), (new, "new"))}
    found = []

    def gradients() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(middle)
            y = new * old * tf.constant(2.0)
        found.append([names[id(v)] for v in tape.watched_variables()])
        result = tape.gradient(y, [old])
        found.append([names[id(v)] for v in tape.watched_variables()])
        return result

    run(gradients)
    assert found == [["old", "middle", "new"]] * 2


def test_a_gradient_reads_its_target_without_other_tapes_watching_it() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = v
        assert float(tape.gradient(y, v)) == 1.0
    assert outer.watched_variables() == ()


def test_a_tape_that_was_used_begins_anew_when_it_is_entered_again() -> None:
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * w
    assert float(tape.gradient(y, v)) == 3.0
    with tape:
        z = w * w
    assert len(tape.watched_variables()) == 1
    assert float(tape.gradient(z, w)) == 6.0


def test_a_gradient_uses_the_values_of_when_it_was_recorded() -> None:
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(50.0)
        v.assign_add(1.0)
    assert values(tape.gradient(y, v)) == 4.0


def test_nothing_flows_through_an_assignment() -> None:
    v, x = tf.Variable(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        v.assign(x * 2.0)
        y = v * v
    assert values(tape.gradient(y, [x, v])) == [None, 12.0]


def test_recording_can_be_paused() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * y
        q = y * 2.0
    assert values(tape.gradient([z, q], x)) == 12.0


def test_a_gradient_taken_while_recording_is_paused_is_not_recorded() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            first = tape.gradient(y, x)
    assert values(first) == 6.0
    assert tape.gradient(first, x) is None


def test_a_reset_forgets_and_goes_on() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        z = x * 3.0
    assert tape.gradient(y, x) is None
    assert values(tape.gradient(z, x)) == 3.0


def test_a_tape_can_be_entered_again_after_it_was_left() -> None:
    x = tf.constant(3.0)
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = x * x
    with tape:
        z = y * y
    assert values(tape.gradient(z, x)) == 108.0


def test_an_error_inside_leaves_no_tape_behind() -> None:
    with pytest.raises(ZeroDivisionError), tf.GradientTape():
        raise ZeroDivisionError
    assert LOCAL.state.tapes == ()


def test_ops_after_the_scope_are_not_recorded() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    assert tape.gradient(z, x) is None


# Second and higher order


def test_gradients_of_gradients() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch(x)
                y = x * x * x
            d1 = first.gradient(y, x)
        d2 = second.gradient(d1, x)
    assert values([d1, d2, third.gradient(d2, x)]) == [27.0, 18.0, 6.0]


def test_a_persistent_tape_differentiates_its_own_gradients() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        d1 = tape.gradient(y, x)
        d2 = tape.gradient(d1, x)
    assert values([d1, d2]) == [27.0, 18.0]


def test_a_persistent_tape_warns_when_it_is_used_inside_itself(
    capfd: pytest.CaptureFixture[str],
) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        tape.gradient(x * x, x)
    assert "significantly less efficient than calling it outside the context" in (
        capfd.readouterr().err
    )


def test_a_tape_used_inside_its_scope_stops_recording() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        d1 = tape.gradient(x * x * x, x)
        assert LOCAL.state.tapes == ()
    assert values(d1) == 27.0


def test_second_derivatives_of_a_network() -> None:
    x, w = tf.constant([[1.0, -2.0]]), tf.Variable([[0.5], [0.25]])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.tanh(tf.matmul(x, w)))
        d1 = inner.gradient(y, w)
        norm = tf.reduce_sum(d1 * d1)
    found = outer.gradient(norm, w).numpy()[:, 0]
    t = np.tanh(0.5 - 0.5)
    expected = 2 * 5 * (1 - t * t) * (-2 * t) * (1 - t * t) * np.array([1.0, -2.0])
    assert np.allclose(found, expected)


# Errors


def test_a_tape_that_is_not_persistent_works_once() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError) as caught:
        tape.gradient(y, x)
    assert str(caught.value) == (
        "A non-persistent GradientTape can only be used to compute one set of gradients "
        "(or jacobians)"
    )


def test_a_tape_cannot_be_entered_twice_at_once() -> None:
    tape = tf.GradientTape()
    with tape, pytest.raises(ValueError, match="re-enter an already-active tape"), tape:
        pass


def test_a_tape_that_does_not_record_cannot_be_paused_or_reset() -> None:
    tape = tf.GradientTape()
    with pytest.raises(
        RuntimeError, match=r"Trying to stop recording a tape which is not recording\."
    ):
        tape.stop_recording()
    with pytest.raises(ValueError, match=r"Tape is not recording\."):
        tape.reset()
    not_recording = pytest.raises(ValueError, match=r"Tape is not recording\.")
    with tape, tape.stop_recording(), not_recording, tape.stop_recording():
        pass


@pytest.mark.parametrize(("what", "text"), [(3.0, "3.0 of type 'float'"), ("a", "a of type 'str'")])
def test_only_tensors_and_variables_can_be_watched(what: Any, text: str) -> None:
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="Passed in") as caught:
        tape.watch([tf.constant(1.0), what])
    assert str(caught.value) == (
        f"Passed in object {text}, not tf.Tensor or tf.Variable or ExtensionType."
    )


def test_watching_an_integer_warns(capfd: pytest.CaptureFixture[str]) -> None:
    with tf.GradientTape() as tape:
        tape.watch(tf.constant(3))
    assert "The dtype of the watched tensor must be floating (e.g. tf.float32), got tf.int32" in (
        capfd.readouterr().err
    )


def test_a_target_is_needed() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    with pytest.raises(TypeError) as caught:
        tape.gradient(None, x)
    assert str(caught.value) == (
        "Argument `target` should be a list or nested structure of Tensors, Variables or "
        "CompositeTensors to be differentiated, but received None."
    )


def test_targets_and_sources_must_be_tensors() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    with pytest.raises(TypeError, match=r"`sources` must hold tensors or variables, got 3.0 of"):
        tape.gradient(x, [x, 3.0])
    with pytest.raises(TypeError, match=r"`target` must hold tensors or variables, got 'a' of"):
        tape.gradient("a", x)


def test_unconnected_gradients_are_none_or_zero() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'x'"):
        tape.gradient(x, x, unconnected_gradients="x")


def test_shuffling_has_no_gradient() -> None:
    assert grad(tf.random.shuffle, [1.0, 2.0]) == [None]


def test_an_op_with_a_state_and_no_rule_is_a_lookup_error() -> None:
    op("TestDrawn", "x: float32 -> y: float32", lambda x: x + 1, lambda x: x, stateful=True)
    try:
        with pytest.raises(LookupError, match="gradient registry has no entry for: TestDrawn"):
            grad(lambda x: apply(REGISTRY["TestDrawn"], (x,)), 1.0)
    finally:
        del REGISTRY["TestDrawn"]


@pytest.mark.gpus(1, memory="64MB")
def test_a_gradient_that_ran_out_of_memory_can_be_taken_again() -> None:
    x = tf.ones([3 << 20])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x)
    filler = tf.ones([6 << 20])
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tape.gradient(y, x)
    del filler
    assert tape.gradient(y, x).shape == [3 << 20]


# Where gradients run


@gpus
def test_the_gradients_of_a_tower_run_on_its_gpu_without_any_scope() -> None:
    towers = []
    for gpu in range(4):
        with tf.device(f"/GPU:{gpu}"):
            w, x = tf.Variable(tf.ones([4, 4])), tf.ones([2, 4])
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.nn.relu(tf.matmul(x, w) + 1.0) ** 2.0)
        towers.append((tape, loss, w))
    with assert_no_copies():
        grads = [tape.gradient(loss, w) for tape, loss, w in towers]
    assert [place(each) for each in grads] == ["GPU:0", "GPU:1", "GPU:2", "GPU:3"]


@gpus
def test_explain_says_that_a_gradient_runs_where_its_op_ran() -> None:
    with tf.device("/GPU:2"):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v
    told = emplace.explain(tape.gradient(y, v))
    assert told.device == "GPU:2"
    assert told.reason == "it is part of a gradient, and a gradient runs where its op ran"


@gpus
def test_a_scope_around_the_gradient_wins() -> None:
    with tf.device("/GPU:2"):
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = v * v
    with tf.device("/GPU:3"):
        found = tape.gradient(y, v)
    assert place(found) == "GPU:3"
    assert emplace.explain(found).reason == "the program asked for this device"


@gpus
def test_ops_on_several_devices_are_differentiated_where_each_ran() -> None:
    with tf.GradientTape() as tape:
        with tf.device("/GPU:1"):
            x = tf.constant([1.0, 2.0])
            tape.watch(x)
            y = tf.tanh(x)
        with tf.device("/CPU:0"):
            z = tf.exp(y)
    with emplace.watch() as seen:
        found = tape.gradient(z, x)
    ran = {(each["op"], each["device"]) for each in seen.report().to_dict()["ops"]}
    assert place(found) == "GPU:1"
    assert {device for op, device in ran if op != "_EagerConst"} == {"CPU:0", "GPU:1"}
    assert ("Fill", "CPU:0") in ran
    assert not any(device == "GPU:0" for _, device in ran)


@gpus
def test_parts_of_a_gradient_on_one_gpu_are_added_there() -> None:
    with tf.device("/CPU:0"):
        v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape, tf.device("/GPU:3"):
        y = v * 2.0 + tf.exp(v)
    found = tape.gradient(y, v)
    assert (place(found), emplace.explain(found).op) == ("GPU:3", "AddN")


@gpus
def test_parts_of_a_gradient_on_several_gpus_are_added_where_the_variable_is() -> None:
    with tf.device("/CPU:0"):
        v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        towers = []
        for gpu in (1, 2):
            with tf.device(f"/GPU:{gpu}"):
                towers.append(tf.reduce_sum(v * v))
    found = tape.gradient(towers, v)
    assert (place(found), values(found)) == ("CPU:0", [4.0, 8.0])


@gpus
def test_zeros_for_a_source_that_does_not_matter_are_where_it_is() -> None:
    with tf.device("/GPU:2"):
        v = tf.Variable([1.0])
        x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    found = tape.gradient(y, [x, v], unconnected_gradients="zero")
    assert place(found[1]) == "GPU:2"


@gpus
def test_a_gradient_leaves_the_scope_as_it_was() -> None:
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    assert LOCAL.state.scope is None


def test_a_tape_of_one_thread_does_not_record_another() -> None:
    import threading

    x = tf.constant(3.0)
    made = []
    with tf.GradientTape() as tape:
        tape.watch(x)
        thread = threading.Thread(target=lambda: made.append(x * x))
        thread.start()
        thread.join()
    assert tape.gradient(made[0], x) is None


def test_references_are_keys_of_structures() -> None:
    a, b = tf.constant(1.0), tf.constant(2.0)
    flat = tf.nest.flatten({a.ref(): "a", b.ref(): "b"})
    assert sorted(flat) == ["a", "b"]
    assert flat == tf.nest.flatten({b.ref(): "b", a.ref(): "a"})


@pytest.mark.parametrize("dtype", ["float8_e5m2", "float8_e4m3fn"])
def test_no_gradient_passes_numbers_of_8_bits(dtype: str, capfd: pytest.CaptureFixture) -> None:
    x, narrow = tf.constant([1.0, 2.0]), getattr(tf.dtypes.experimental, dtype)

    def through(x):
        return tf.cast(tf.cast(x, narrow), tf.float32) * 3

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.cast(x, narrow)
        tape.watch(y)
        total, gathered = through(x), tf.gather(y, [0])
    assert tape.gradient(total, x) is None
    assert tape.gradient(gathered, y) is None
    assert tf.function(lambda x: tf.gradients(through(x), x))(x) == [None]
    assert "must be floating" not in capfd.readouterr().err
