"""What functions and sessions leave out when the graph optimizer's `debug_stripper` is on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
INF = float("inf")
CHECKED = (tf.errors.InvalidArgumentError, r"Bad!|assertion failed|not equal")


def strip(**options: bool) -> None:
    tf.config.optimizer.set_experimental_options({"debug_stripper": True, **options})


def keep() -> None:
    tf.config.optimizer.set_experimental_options({"debug_stripper": False})


def numerics(x: Any) -> Any:
    return tf.debugging.check_numerics(x, "Bad!") + 1.0


def unused(x: Any) -> Any:
    tf.debugging.check_numerics(x, "Bad!")
    return x


def asserted(x: Any) -> Any:
    tf.debugging.Assert(x < 0.0, [x])
    return x


def equal(x: Any) -> Any:
    tf.debugging.assert_equal(x, 5.0)
    return x


def in_branch(x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: asserted(x) * 2.0, lambda: x)


def in_loop(x: Any) -> Any:
    return tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, asserted(y)), [0, x])[1]


def in_map(x: Any) -> Any:
    return tf.map_fn(numerics, tf.stack([x, x]))


def slope(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = numerics(x) * 2.0
    return tape.gradient(y, x)


def in_call(x: Any) -> Any:
    return tf.function(asserted)(x) * 2.0


CASES = [numerics, unused, asserted, equal, in_branch, in_loop, in_map, slope, in_call]


@pytest.mark.parametrize("case", CASES, ids=[each.__name__ for each in CASES])
def test_a_function_leaves_checks_out_as_long_as_that_is_wished(case: Callable[[Any], Any]) -> None:
    function, x = tf.function(case), tf.constant(INF)
    with pytest.raises(CHECKED[0], match=CHECKED[1]):
        function(x)
    strip()
    expected = 2.0 if case is slope else INF
    assert set(function(x).numpy().reshape(-1).tolist()) == {expected}
    keep()
    with pytest.raises(CHECKED[0], match=CHECKED[1]):
        function(x)


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize("case", CASES, ids=[each.__name__ for each in CASES])
def test_a_function_leaves_checks_out_on_a_bounded_gpu(case: Callable[[Any], Any]) -> None:
    function, x = tf.function(case), tf.constant(INF)
    strip()
    expected = 2.0 if case is slope else INF
    for _ in range(3):
        assert set(function(x).numpy().reshape(-1).tolist()) == {expected}


def test_a_function_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def prints(x: Any) -> Any:
        tf.print("two", x)
        return v1.Print(x, [x], "one")

    x = tf.constant(2.0)
    prints(x)
    assert capfd.readouterr().err == "two 2\none[2]\n"
    strip()
    assert float(prints(x)) == 2.0
    assert capfd.readouterr().err == ""


def test_what_an_assertion_waits_for_runs() -> None:
    v = tf.Variable(0.0)

    @tf.function
    def counts(x: Any) -> Any:
        with tf.control_dependencies([tf.debugging.Assert(x < 0.0, [v.assign_add(1.0)])]):
            return tf.identity(x)

    strip()
    counts(tf.constant(INF))
    assert float(v) == 1.0


def test_a_tape_goes_through_a_check_that_is_left_out() -> None:
    function, x = tf.function(numerics), tf.constant(INF)
    strip()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x) * 3.0
    assert float(tape.gradient(y, x)) == 3.0


def test_eager_mode_and_datasets_check() -> None:
    strip()
    with pytest.raises(CHECKED[0], match="Bad!"):
        numerics(tf.constant(INF))
    data = tf.data.Dataset.from_tensors(INF).map(tf.function(numerics))
    with pytest.raises(CHECKED[0], match="Bad!"):
        next(iter(data))


def test_checks_run_without_the_optimizer_and_the_second_kind_always_runs() -> None:
    second = tf.function(lambda x: tf.raw_ops.CheckNumericsV2(tensor=x, message="Bad!"))
    strip()
    with pytest.raises(CHECKED[0], match="Bad!"):
        second(tf.constant(INF))
    strip(disable_meta_optimizer=True)
    with pytest.raises(CHECKED[0], match="Bad!"):
        tf.function(numerics)(tf.constant(INF))


def test_a_session_asks_its_configuration_or_what_functions_ask_when_it_is_made() -> None:
    config = v1.ConfigProto()
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y, a = numerics(x), tf.debugging.Assert(x < 0.0, [x])
        with tf.control_dependencies([a]):
            z = tf.identity(x)
        feed = {x: INF}
        config.graph_options.rewrite_options.debug_stripper = 1
        with v1.Session(config=config) as session:
            assert session.run([y, a, z], feed) == [INF, None, INF]
        strip()
        with (
            v1.Session(config=v1.ConfigProto()) as session,
            pytest.raises(CHECKED[0], match="Bad!"),
        ):
            session.run(y, feed)
        with v1.Session() as session:
            keep()
            assert session.run(y, feed) == INF
        with v1.Session() as session, pytest.raises(CHECKED[0], match="Bad!"):
            session.run(y, feed)
