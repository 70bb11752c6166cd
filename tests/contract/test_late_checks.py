"""Checks on GPUs that must not be waited for: what is wrong is told when the host waits anyway,
with the class and the words that a check at once has, the op and the line; nothing wrong is
returned before, no memory outside is reached, and the program may go on.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from late_programs import CASES, PROGRAMS, ROWS, Program, array

import emplace
import emplace.tensorflow as tf
from emplace.ops.op import find_op
from emplace.testing import assert_no_waits

pytestmark = pytest.mark.gpus(2, memory="256MB", strict=True)
v1 = tf.compat.v1
Run = Callable[[Any, Any], Any]


def eagerly(run: Run) -> Run:
    return run


def as_function(run: Run) -> Run:
    return tf.function(run)


def compiled(run: Run) -> Run:
    return tf.function(run, jit_compile=True)


def watched(run: Run) -> Run:
    function = tf.function(run)

    def call(p: Any, x: Any) -> Any:
        with emplace.watch():
            return function(p, x)

    return call


def differentiated(run: Run) -> Run:
    def call(p: Any, x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(p)
            y = run(p, x)
        return tape.gradient(y, p)

    return call


def differentiated_as_function(run: Run) -> Run:
    return tf.function(differentiated(run))


def in_a_loop(run: Run) -> Run:
    def call(p: Any, x: Any) -> Any:
        return tf.while_loop(
            lambda i, y: i < 2, lambda i, y: (i + 1, y + run(p, x)), (0, tf.zeros_like(run(p, x)))
        )[1]

    return tf.function(call)


WAYS = [eagerly, as_function, compiled, watched, in_a_loop]
GRADIENT_WAYS = [differentiated, differentiated_as_function]
RUNS = [(way, *case) for case in CASES for way in WAYS]
RUNS += [(way, *case) for case in CASES for way in GRADIENT_WAYS if case[0].has_gradient]


def named(value: Any) -> str | None:
    if isinstance(value, Program):
        return value.op
    return value.__name__ if callable(value) else str(value).replace(" ", "")


def at_once(program: Program, bad: Any) -> tf.errors.OpError:
    """The error of the check on the CPU."""
    with tf.device("CPU:0"), pytest.raises(tf.errors.OpError) as found:
        program.run(tf.constant(ROWS), tf.constant(array(program, bad)))
    return found.value


def on_the_host(run: Run, program: Program) -> np.ndarray:
    with tf.device("CPU:0"):
        return as_dense(run(tf.constant(ROWS), tf.constant(array(program, program.good))))


def as_dense(value: Any) -> np.ndarray:
    return tf.convert_to_tensor(value).numpy()


def check_words(found: tf.errors.OpError, program: Program, bad: Any) -> None:
    """The error says what that of the CPU says, which op it is of, and where that was called."""
    expected = at_once(program, bad)
    assert type(found) is type(expected)
    text = found.message
    assert expected.message.split(" [Op:")[0] in text
    assert program.op in text.replace(expected.message, "")
    assert "Found later" in text
    assert "late_programs.py" in text or "test_late_checks.py" in text


def on_the_gpu(program: Program, value: Any) -> Any:
    """A value that only the GPU knows: of integers that come from the host the host knows more."""
    made = tf.constant(array(program, value))
    return tf.cast(tf.cast(made, tf.float64) + 0.0, program.dtype)


def read(call: Run, p: Any, x: Any, called: list[bool]) -> np.ndarray:
    y = call(p, x)  # torch on the host would raise here if a kernel reached a place outside
    called.append(True)
    return as_dense(y)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("way", "program", "bad"), RUNS, ids=named)
def test_a_wrong_value_is_told_when_a_result_is_read(
    way: Callable[[Run], Run], program: Program, bad: Any
) -> None:
    call, p = way(program.run), tf.constant(ROWS)
    with tf.device("GPU:0"):
        good, wrong = (on_the_gpu(program, x) for x in (program.good, bad))
    called = []
    with pytest.raises(tf.errors.OpError) as found:
        read(call, p, wrong, called)
    check_words(found.value, program, bad)
    assert called or way is in_a_loop  # which reads its condition
    np.testing.assert_allclose(
        as_dense(call(p, good)), on_the_host(way(program.run), program), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize(("program", "bad"), CASES, ids=named)
def test_a_wrong_value_is_told_by_the_run_of_a_session(program: Program, bad: Any) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(program.dtype, np.shape(bad))
        good = v1.placeholder(program.dtype, np.shape(program.good))
        with tf.device("GPU:0"):
            unknown = (
                tf.cast(tf.cast(each, tf.float64) + 0.0, program.dtype) for each in (x, good)
            )
            y, right = (program.run(tf.constant(ROWS), each) for each in unknown)
        with v1.Session() as session:
            with pytest.raises(tf.errors.OpError) as found:
                session.run(y, {x: array(program, bad)})
            done = session.run(right, {good: array(program, program.good)})
    check_words(found.value, program, bad)
    np.testing.assert_allclose(done, on_the_host(program.run, program), rtol=1e-5, atol=1e-6)


# -- variables --------------------------------------------------------------------------------

SCATTERS = ("add", "sub", "mul", "div", "min", "max", "update")
ND_SCATTERS = ("add", "sub", "update")


def scattered(v: Any, how: str, places: Any) -> None:
    getattr(v, f"scatter_{how}")(tf.IndexedSlices(tf.fill([2, 2], 2.0), places))


def scattered_nd(v: Any, how: str, places: Any) -> None:
    getattr(v, f"scatter_nd_{how}")(tf.expand_dims(places, -1), tf.fill([2, 2], 2.0))


CHANGES = [(scattered, how, f"ResourceScatter{how.capitalize()}") for how in SCATTERS]
CHANGES += [(scattered_nd, how, f"ResourceScatterNd{how.capitalize()}") for how in ND_SCATTERS]


@pytest.mark.parametrize("places", [[0, 3], [-1, 2]], ids=str)
@pytest.mark.parametrize("is_function", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize(("change", "how", "op"), CHANGES, ids=named)
def test_a_variable_stays_as_it_is_where_a_place_is_wrong(
    change: Callable[..., None], how: str, op: str, is_function: bool, places: list[int]
) -> None:
    v = tf.Variable(ROWS)
    step = tf.function(lambda x: change(v, how, x)) if is_function else lambda x: change(v, how, x)
    right, wrong = tf.constant([0, 2]), tf.constant(places)
    step(right)
    before = v.numpy()
    with assert_no_waits():
        step(wrong)
    text = rf"(?s)(does not index|is not in \[0, 3\)).*Found later: {op} ran on GPU:0"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        v.numpy()
    np.testing.assert_array_equal(v.numpy(), before)
    step(right)
    with tf.device("CPU:0"):
        same = tf.Variable(ROWS)
        for _ in range(2):
            change(same, how, tf.constant([0, 2]))
    np.testing.assert_allclose(v.numpy(), same.numpy())


def test_a_lookup_in_a_variable_tells_later() -> None:
    v = tf.Variable(ROWS)
    with assert_no_waits():
        rows = tf.nn.embedding_lookup(v, [1, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 4 is not in"):
        rows.numpy()


# -- assertions -------------------------------------------------------------------------------


@pytest.mark.parametrize("is_session", [False, True], ids=["function", "session"])
def test_an_assertion_of_a_graph_tells_later_with_its_message_and_data(is_session: bool) -> None:
    def checked(x: Any) -> Any:
        with tf.control_dependencies([tf.debugging.assert_less(x, 10.0, message="too much")]):
            return x + 1.0

    text = r"(?s)assertion failed: \[too much\] \[Condition x < y did not.*\[1 12\].*Found later"
    if is_session:
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [2])
            y = checked(x)
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(y, {x: [1.0, 12.0]})
            assert session.run(y, {x: [1.0, 2.0]}).tolist() == [2.0, 3.0]
        return
    function, wrong = tf.function(checked), tf.constant([1.0, 12.0])
    with assert_no_waits():
        y = function(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        y.numpy()
    assert function(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]


def test_an_assertion_of_eager_mode_is_made_at_once() -> None:
    x = tf.constant([1.0, 12.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="too much"):
        tf.debugging.assert_less(x, 10.0, message="too much")


# -- when -------------------------------------------------------------------------------------


def wrong_lookup(place: int) -> Any:
    return tf.gather(tf.constant(ROWS), tf.constant([0, place]))


def test_of_several_errors_the_first_is_raised() -> None:
    wrong_lookup(5)
    y = wrong_lookup(7)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 5"):
        y.numpy()
    y.numpy()


def test_of_many_indices_the_first_wrong_one_is_named() -> None:
    places = np.zeros((3, 1 << 17), np.int32)
    places[1, 5], places[2, 0] = 4, 5
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1,5\] = 4 is not in"):
        tf.reduce_sum(tf.gather(tf.constant(ROWS), tf.constant(places))).numpy()


def test_any_value_that_is_read_tells() -> None:
    wrong_lookup(5)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 5"):
        bool(tf.constant(1.0) > 0.0)


def test_a_value_that_went_to_another_gpu_tells() -> None:
    y = wrong_lookup(5)
    with tf.device("GPU:1"):
        there = tf.identity(y) * 2.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"ran on GPU:0"):
        there.numpy()


def test_an_op_of_the_cpu_does_not_get_a_wrong_value() -> None:
    y = wrong_lookup(5)
    text = r"(?s)indices\[1\] = 5.*\[Op:GatherV2\].*Found later"
    with tf.device("CPU:0"), pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.identity(y)


def test_a_copy_in_a_function_names_the_op_that_was_wrong() -> None:
    @tf.function
    def mean(x: Any) -> Any:
        rows = tf.gather(tf.constant(ROWS), x)
        with tf.device("CPU:0"):
            return tf.reduce_mean(rows)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)Node: 'GatherV2'.*Found later"):
        mean(tf.constant([3])).numpy()


def test_the_program_may_ask_for_checks_at_once() -> None:
    emplace.immediate_checks()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 5") as found:
        wrong_lookup(5)
    assert "Found later" not in found.value.message
    emplace.immediate_checks(False)
    wrong_lookup(5)


def test_the_environment_may_ask_for_checks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPLACE_IMMEDIATE_CHECKS", "1")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)Detected at node.*= 5") as found:
        tf.function(wrong_lookup)(5)
    assert "Found later" not in found.value.message


def test_what_the_host_knows_of_integers_is_told_later_as_well_and_once() -> None:
    count = tf.constant([1, 0])
    tf.constant([3, 4]) // count
    text = "(?s)Integer division by zero.*Found later: FloorDiv"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.constant(1.0).numpy()
    assert (count + 1).numpy().tolist() == [2, 1]


def test_a_fresh_runtime_knows_of_no_error() -> None:
    wrong_lookup(5)
    emplace.reset()
    assert tf.constant(1.0).numpy() == 1.0


def test_threads_tell_each_other_s_errors_once() -> None:
    start = threading.Barrier(4)
    found = []

    def work(i: int) -> None:
        start.wait()
        for _ in range(20):
            try:
                wrong_lookup(10 + i).numpy()
            except tf.errors.InvalidArgumentError as error:
                found.append(error.message)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert 20 <= len(found) <= 80
    assert all("is not in [0, 3)" in text and "Found later: GatherV2" in text for text in found)
    assert tf.constant(1.0).numpy() == 1.0


@pytest.mark.slow
def test_what_nobody_reads_is_told_at_the_end_of_the_program() -> None:
    program = (
        "import emplace.tensorflow as tf\n"
        "tf.gather(tf.constant([1.0]), tf.constant([0, 5]))\n"
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"EMPLACE_GPUS": "1x64MB:strict", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "indices[1] = 5 is not in [0, 1) [Op:GatherV2]" in done.stderr


@pytest.mark.parametrize(("program", "bad"), [(p, p.bad[0]) for p in PROGRAMS], ids=named)
def test_every_op_that_checks_says_so_in_its_record(program: Program, bad: Any) -> None:
    assert find_op(program.op).checks
