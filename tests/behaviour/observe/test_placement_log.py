"""The placement log: the lines, the streams and the counts of TensorFlow's."""

from __future__ import annotations

import builtins
import contextlib
import io
import json
import re
import threading

import pytest
from placement_snippets import FULL, LOGS, SHORT, SNIPPETS, run

import emplace
import emplace.tensorflow as tf

RECORDED: dict[str, list[str]] = json.loads(LOGS.read_text())["logs"]
PREFIX = re.compile(r"I0000 00:00:\d+\.\d{6} +\d+ placement_log\.py:\d+\] ")
Capture = pytest.CaptureFixture[str]


def on_stderr(capfd: Capture) -> list[str]:
    """The lines on standard error without their prefixes, which all of them must have."""
    lines = capfd.readouterr().err.splitlines()
    assert all(PREFIX.match(line) for line in lines), lines
    return [PREFIX.sub("", line) for line in lines]


def executed(lines: list[str]) -> list[str]:
    """'AddV2 GPU:0' for each line about an executed op."""
    found = [re.fullmatch(r"Executing op (\w+) in device (\S+)", line) for line in lines]
    return [f"{match[1]} {match[2].removeprefix(FULL)}" for match in found if match]


def without_host_constant(lines: list[str]) -> list[str]:
    """TensorFlow's log without the constant it makes of a host argument (a shape, an axis).

    It is the one whose input is in host memory: three lines about the kernel, one about the op.
    """
    first = lines.index(f"input: (_Arg): {SHORT}CPU:0")
    return lines[:first] + lines[first + 4 :]


STRATEGIES = [name for name in SNIPPETS if name.endswith("(strategy)")]
# What TensorFlow executes on each device when a strategy is made.
MADE = [
    f"{op} GPU:{i}" for i in range(2) for op in ("_EagerConst", "VarHandleOp", "AssignVariableOp")
]


@pytest.mark.gpus(2)
@pytest.mark.parametrize("name", STRATEGIES)
def test_variables_of_a_strategy_log_as_tensorflows(name: str, capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    run(tf, name)
    theirs = executed([line.replace(SHORT, FULL) for line in RECORDED[name]])
    assert theirs[: len(MADE)] == MADE
    ours = capfd.readouterr().err.splitlines()
    assert executed([PREFIX.sub("", line) for line in ours]) == theirs[len(MADE) :]


@pytest.mark.gpus(2)
@pytest.mark.parametrize("name", [each for each in SNIPPETS if each not in STRATEGIES])
def test_the_log_is_tensorflows(name: str, capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    run(tf, name)
    expected = RECORDED[name]
    if name.endswith("(host argument)"):
        expected = without_host_constant(expected)
    assert on_stderr(capfd) == [line.replace(SHORT, FULL) for line in expected]


@pytest.mark.gpus(2)
@pytest.mark.parametrize("name", SNIPPETS)
def test_file_descriptor_1_gets_the_kernels_lines_and_nothing_else(
    name: str, capfd: Capture
) -> None:
    tf.debugging.set_log_device_placement(True)
    run(tf, name)
    out, err = capfd.readouterr()
    placed = [PREFIX.sub("", line) for line in err.splitlines() if "Executing op" not in line]
    assert out.splitlines() == placed


@pytest.mark.gpus(1)
def test_a_line_has_the_prefix_of_tensorflows_logs(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    tf.constant([1.0])
    last = capfd.readouterr().err.splitlines()[-1]
    assert re.fullmatch(
        r"I0000 00:00:\d{10}\.\d{6} [ \d]{7} placement_log\.py:\d+\] "
        r"Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0",
        last,
    )


@pytest.mark.gpus(0)
def test_without_a_gpu_everything_runs_on_the_cpu(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    tf.constant([1, 2])
    host = f"{FULL}CPU:0"
    assert on_stderr(capfd) == [
        f"input: (_Arg): {host}",
        f"_EagerConst: (_EagerConst): {host}",
        f"output_RetVal: (_Retval): {host}",
        f"Executing op _EagerConst in device {host}",
    ]


@pytest.mark.gpus(2)
def test_in_a_notebook_ops_are_bare_lines_on_sys_stdout(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    tf.debugging.set_log_device_placement(True)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        run(tf, "a matrix product")
    assert executed(shown.getvalue().splitlines()) == [
        "_EagerConst GPU:0", "_EagerConst GPU:0", "MatMul GPU:0"
    ]  # fmt: skip
    out, err = capfd.readouterr()
    assert err == ""
    expected = [line for line in RECORDED["a matrix product"] if not line.startswith("Executing")]
    assert out.splitlines() == [line.replace(SHORT, FULL) for line in expected]


@pytest.mark.gpus(1)
def test_a_notebook_is_told_by_a_global_of_the_main_module_too(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("__main__.get_ipython", lambda: None, raising=False)
    tf.debugging.set_log_device_placement(True)
    tf.constant([1.0])
    out, err = capfd.readouterr()
    assert err == ""
    assert out.splitlines()[-1] == f"Executing op _EagerConst in device {FULL}GPU:0"


@pytest.mark.gpus(1)
def test_the_log_level_hides_lines_on_standard_error_only(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "1")
    tf.debugging.set_log_device_placement(True)
    tf.constant([1.0])
    out, err = capfd.readouterr()
    assert err == ""
    assert out.splitlines() == [
        f"input: (_Arg): {FULL}GPU:0",
        f"_EagerConst: (_EagerConst): {FULL}GPU:0",
        f"output_RetVal: (_Retval): {FULL}GPU:0",
    ]


@pytest.mark.gpus(1)
def test_the_log_level_hides_nothing_in_a_notebook(
    capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    tf.debugging.set_log_device_placement(True)
    tf.constant([1.0])
    assert executed(capfd.readouterr().out.splitlines()) == ["_EagerConst GPU:0"]


@pytest.mark.gpus(1)
def test_what_the_program_printed_before_comes_first(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    print("before", end=" ")
    tf.constant([1.0])
    print("after")
    out = capfd.readouterr().out
    assert out.startswith("before input: (_Arg)")
    assert out.endswith("after\n")


@pytest.mark.gpus(1)
def test_the_log_can_be_turned_on_after_the_first_op(capfd: Capture) -> None:
    x = tf.constant([1.0])
    assert tf.debugging.get_log_device_placement() is False
    tf.debugging.set_log_device_placement(True)
    assert tf.debugging.get_log_device_placement() is True
    x + x
    assert executed(on_stderr(capfd)) == ["AddV2 GPU:0"]


@pytest.mark.parametrize("kind", ["queue", "table", "mutable table"])
def test_resources_that_are_no_variables_leave_the_log_on(kind: str, capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    if kind == "queue":
        queue = tf.queue.FIFOQueue(3, tf.int32)
        queue.enqueue(1)
        queue.dequeue()
    elif kind == "table":
        start = tf.lookup.KeyValueTensorInitializer(["a"], [1])
        tf.lookup.StaticHashTable(start, 0).lookup(tf.constant(["a"]))
    else:
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        table.insert(["a"], [1])
        table.lookup(tf.constant(["a"]))
    tf.add([1.0], [2.0])
    lines = capfd.readouterr().err.splitlines()
    assert all(line.startswith("I0000") for line in lines), lines  # no error of an observer
    assert "Executing op AddV2" in lines[-1]


@pytest.mark.gpus(1)
def test_the_log_can_be_turned_off_and_on_again(capfd: Capture) -> None:
    x = tf.constant([1.0])
    tf.debugging.set_log_device_placement(True)
    x + x
    tf.debugging.set_log_device_placement(False)
    x - x
    tf.debugging.set_log_device_placement(True)
    x + x
    assert executed(on_stderr(capfd)) == ["AddV2 GPU:0", "AddV2 GPU:0"]


@pytest.mark.gpus(1)
def test_turning_it_on_twice_does_not_log_twice(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    tf.debugging.set_log_device_placement(True)
    tf.constant([1.0])
    assert executed(on_stderr(capfd)) == ["_EagerConst GPU:0"]


@pytest.mark.gpus(1)
def test_a_kernel_is_new_again_after_a_reset(capfd: Capture) -> None:
    for _ in range(2):
        tf.debugging.set_log_device_placement(True)
        tf.constant([1.0])
        emplace.reset()
    assert tf.debugging.get_log_device_placement() is False
    tf.constant([1.0])
    lines = on_stderr(capfd)
    assert executed(lines) == ["_EagerConst GPU:0"] * 2
    assert lines.count(f"_EagerConst: (_EagerConst): {FULL}GPU:0") == 2


@pytest.mark.gpus(2)
def test_copies_are_not_logged(capfd: Capture) -> None:
    x = tf.constant([1.0])
    with tf.device("/GPU:1"):
        y = tf.constant([1.0])
    tf.debugging.set_log_device_placement(True)
    x + y
    assert executed(on_stderr(capfd)) == ["AddV2 GPU:0"]


@pytest.mark.gpus(1)
def test_strings_are_logged_where_they_are(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    tf.strings.length(tf.constant(["a"]))
    assert executed(on_stderr(capfd)) == ["_EagerConst CPU:0", "StringLength CPU:0"]


@pytest.mark.gpus(1)
def test_integers_are_logged_where_they_are(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    v = tf.Variable([1, 2])
    v + v
    lines = on_stderr(capfd)
    assert executed(lines)[1:] == [
        "VarHandleOp GPU:0", "AssignVariableOp GPU:0", "ReadVariableOp GPU:0",
        "ReadVariableOp GPU:0", "AddV2 GPU:0",
    ]  # fmt: skip
    assert f"x: (_Arg): {FULL}GPU:0" in lines


@pytest.mark.gpus(1)
def test_to_look_at_a_variable_is_no_op(capfd: Capture) -> None:
    v = tf.Variable([1.0, 2.0])
    tf.debugging.set_log_device_placement(True)
    repr(v), str(v), v.numpy(), v.shape
    assert on_stderr(capfd) == []


@pytest.mark.gpus(1)
def test_the_shape_of_a_tensor_is_a_constant(capfd: Capture) -> None:
    x = tf.constant([1.0, 2.0])
    tf.debugging.set_log_device_placement(True)
    tf.shape(x)
    assert executed(on_stderr(capfd)) == ["_EagerConst GPU:0"]


@pytest.mark.gpus(1)
def test_a_variable_of_another_shape_is_a_new_kernel(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    tf.Variable([1.0, 2.0])
    tf.Variable([1.0])
    placed = [line for line in on_stderr(capfd) if line.startswith("VarHandleOp:")]
    assert placed == [f"VarHandleOp: (VarHandleOp): {FULL}GPU:0"] * 2


@pytest.mark.gpus(1)
def test_an_op_that_fails_is_logged_and_the_log_goes_on(capfd: Capture) -> None:
    x = tf.constant([[1.0, 2.0]])
    tf.debugging.set_log_device_placement(True)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.matmul(x, x)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.unstack(x, axis=5)
    x + x
    lines = on_stderr(capfd)
    assert executed(lines)[0] == "MatMul GPU:0"
    assert executed(lines)[-1] == "AddV2 GPU:0"


@pytest.mark.gpus(1)
def test_lines_of_several_threads_stay_whole(capfd: Capture) -> None:
    x = tf.constant([1.0])
    tf.debugging.set_log_device_placement(True)

    def work() -> None:
        for _ in range(50):
            tf.add(x, x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert executed(on_stderr(capfd)) == ["AddV2 GPU:0"] * 200


@pytest.mark.gpus(0)
def test_random_operations_are_logged_and_the_log_goes_on(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    tf.random.stateless_uniform([2], seed=[1, 2])
    tf.add(1, 2)
    lines = executed(on_stderr(capfd))
    assert "StatelessRandomUniformV2 CPU:0" in lines
    assert lines[-1] == "AddV2 CPU:0"
