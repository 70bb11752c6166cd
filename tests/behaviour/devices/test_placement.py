"""Where ops run: the rules in their order, missing devices, and inputs from other devices."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(4)

FULL = "/job:localhost/replica:0/task:0/device:"


def short(x: Any) -> str:
    """Where a tensor or variable is, such as "GPU:1"."""
    return str(x.device).removeprefix(FULL)


def on(device: str | None) -> Any:
    """A tensor on a device."""
    with tf.device(device):
        return tf.constant([1.0])


# Rule 1: an op on a variable runs where the variable is


def test_an_assignment_runs_on_the_variable_whatever_the_scope() -> None:
    with tf.device("/gpu:1"):
        v = tf.Variable([1.0])
    with tf.device("/gpu:3"):
        v.assign([2.0])
        v.assign_add([1.0])
        assert short(v.value()) == "GPU:1"
    assert short(v) == "GPU:1"
    assert v.numpy().tolist() == [3.0]


def test_a_variable_on_the_cpu_stays_there() -> None:
    with tf.device("/cpu:0"):
        v = tf.Variable([1.0])
    with tf.device("/gpu:1"):
        v.assign([2.0])
        total = v + 1.0
    assert short(v) == "CPU:0"
    assert (short(v.value()), short(total)) == ("CPU:0", "GPU:1")


def test_an_assignment_under_a_missing_or_malformed_device_runs_on_the_variable() -> None:
    v, new = tf.Variable([1.0]), tf.constant([5.0])
    for name in ("/gpu:9", "/job:worker", "/gpu:-1"):
        with tf.device(name):
            v.assign(new)
    assert v.numpy().tolist() == [5.0]


def test_read_value_is_on_the_current_device() -> None:
    with tf.device("/gpu:1"):
        v = tf.Variable([1.0])
    with tf.device("/gpu:2"):
        assert short(v.read_value()) == "GPU:2"


# Rule 2: the device asked for


@pytest.mark.parametrize("name", ["/gpu:2", "/device:GPU:2", "GPU:2", f"{FULL}GPU:2"])
def test_an_op_runs_on_the_device_asked_for(name: str) -> None:
    with tf.device(name):
        assert short(tf.add(on("/cpu:0"), on("/gpu:1"))) == "GPU:2"


def test_the_cpu_can_be_asked_for() -> None:
    with tf.device("/cpu:0"):
        assert short(tf.add(on("/gpu:0"), 1.0)) == "CPU:0"


# Rule 3: no kernel on the device asked for


def test_an_op_without_a_gpu_kernel_runs_on_the_cpu_though_a_gpu_was_asked_for() -> None:
    with tf.device("/gpu:1"):
        words = tf.strings.join(["a", "b"])
    assert short(words) == "CPU:0"
    assert "has no GPU kernel" in str(emplace.explain(words))


@pytest.mark.parametrize("soft", [False, True])
def test_a_restricted_op_runs_on_the_cpu_with_soft_placement_on_or_off(soft: bool) -> None:
    tf.config.set_soft_device_placement(soft)
    emplace.set_op_devices("Cast", ["CPU"])
    with tf.device("/gpu:1"):
        x = tf.cast([1.5], tf.int64)
        assert (short(x), short(x + x)) == ("CPU:0", "GPU:1")
    assert short(tf.cast([1.5], tf.int64)) == "CPU:0"


def test_lifting_a_restriction_takes_effect_at_once() -> None:
    emplace.set_op_devices("Cast", ["CPU"])
    assert short(tf.cast([1.5], tf.int64)) == "CPU:0"
    emplace.set_op_devices("Cast", None)
    assert short(tf.cast([1.5], tf.int64)) == "GPU:0"


def test_an_op_without_a_cpu_kernel_cannot_be_asked_for_on_the_cpu() -> None:
    emplace.set_op_devices("Cast", ["GPU"])
    with (
        tf.device("/cpu:0"),
        pytest.raises(tf.errors.InvalidArgumentError, match="Cast has no CPU kernel") as raised,
    ):
        tf.cast([1.5], tf.int64)
    assert "Supported device types [GPU]" in str(raised.value)
    tf.config.set_soft_device_placement(True)
    with tf.device("/cpu:0"):
        assert short(tf.cast([1.5], tf.int64)) == "GPU:0"


@pytest.mark.gpus(0)
def test_an_op_without_any_kernel_here_is_not_found() -> None:
    emplace.set_op_devices("Cast", ["GPU"])
    with pytest.raises(tf.errors.NotFoundError, match=r"Could not find device for node: .*Cast"):
        tf.cast([1.5], tf.int64)


@pytest.mark.parametrize(
    ("types", "text"),
    [
        (["TPU"], "Cast has kernels for GPU, CPU"),
        ([], "Cast has kernels"),
        ("CPU", "Cast has kern"),
    ],
)
def test_an_op_can_be_restricted_to_its_kernels_only(types: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        emplace.set_op_devices("Cast", types)


def test_an_op_that_is_none_cannot_be_restricted() -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"no op 'Mathmul'\. Did you mean MatMul"):
        emplace.set_op_devices("Mathmul", ["CPU"])


# Rule 4: a device that does not exist


AVAILABLE = ", ".join(f"{FULL}{name}" for name in ("GPU:0", "GPU:1", "GPU:2", "GPU:3", "CPU:0"))
UNSATISFIED = (
    "Could not satisfy device specification '{0}'. enable_soft_placement={1}. Supported device "
    "types [GPU, CPU]. All available devices [" + AVAILABLE + "]. {0} unknown device."
)


def test_a_missing_device_is_an_error_of_both_kinds_that_lists_those_that_exist() -> None:
    x = tf.constant([1.0])
    with tf.device("/gpu:9"), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.add(x, x)
    assert isinstance(raised.value, RuntimeError)
    message = str(raised.value)
    assert message.startswith(UNSATISFIED.format(f"{FULL}GPU:9", 0))
    assert "tf.config.set_soft_device_placement(True)" in message
    assert message.endswith(" [Op:AddV2] name: ")


def test_a_constant_for_a_missing_device_names_no_op() -> None:
    with tf.device("/gpu:9"), pytest.raises(RuntimeError) as raised:
        tf.constant([1.0])
    assert str(raised.value).startswith(UNSATISFIED.format(f"{FULL}GPU:9", 0))
    assert "[Op:" not in str(raised.value)


def test_a_variable_on_a_missing_device_is_refused() -> None:
    with tf.device("/gpu:9"), pytest.raises(RuntimeError, match="GPU:9 unknown device"):
        tf.Variable([1.0])


def test_the_guides_missing_device_is_caught_as_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        with tf.device("/device:GPU:7"):
            tf.matmul(tf.constant([[1.0]]), tf.constant([[2.0]]))
    except RuntimeError as e:
        print(e)
    assert "/job:localhost/replica:0/task:0/device:GPU:7 unknown device." in capsys.readouterr().out


@pytest.mark.gpus(12)
def test_available_devices_are_listed_gpus_first() -> None:
    with tf.device("/tpu:0"), pytest.raises(RuntimeError) as raised:
        tf.constant([1.0])
    listed = str(raised.value).split("All available devices [")[1].split("]")[0].split(", ")
    assert (listed[0], listed[-1], len(listed)) == (f"{FULL}GPU:0", f"{FULL}CPU:0", 13)


@pytest.mark.parametrize("name", ["/gpu:9", "/cpu:7", "/tpu:0", "/device:FOO:3"])
def test_soft_placement_puts_the_op_on_the_best_device_there_is(name: str) -> None:
    tf.config.set_soft_device_placement(True)
    x = on("/cpu:0")
    with tf.device(name):
        assert short(tf.add(x, x)) == "GPU:0"
        assert short(tf.constant([1.0])) == "GPU:0"
        assert short(tf.Variable([1.0])) == "GPU:0"
        assert short(tf.strings.join(["a"])) == "CPU:0"


@pytest.mark.gpus(0)
def test_soft_placement_without_gpus_is_on_the_cpu() -> None:
    tf.config.set_soft_device_placement(True)
    with tf.device("/gpu:0"):
        assert short(tf.constant([1.0])) == "CPU:0"


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("name", ["/job:worker", "/task:1", "/replica:2/gpu:0"])
def test_another_process_is_unknown_with_soft_placement_on_or_off(name: str, soft: bool) -> None:
    tf.config.set_soft_device_placement(soft)
    x = tf.constant([1.0])
    with tf.device(name), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.add(x, x)
    full = tf.DeviceSpec.from_string(f"{FULL}CPU:0")
    full = full.make_merged_spec(tf.DeviceSpec.from_string(name))
    assert str(raised.value).startswith(UNSATISFIED.format(full.to_string(), int(soft)))
    assert "job localhost, replica 0, task 0" in str(raised.value)


# TF 2.21: a call of a function is an op, which the device scope around it places.
@pytest.mark.parametrize("name", ["/gpu:9", "/job:worker", "/task:1"])
def test_a_function_cannot_be_called_on_a_missing_device(name: str) -> None:
    function, x = tf.function(lambda x: x + 1.0), tf.constant([1.0])
    with (
        tf.device(name),
        pytest.raises(tf.errors.InvalidArgumentError, match="Could not satisfy device") as raised,
    ):
        function(x)
    assert "enable_soft_placement=0. Supported device types [GPU, CPU]" in str(raised.value)
    tf.config.set_soft_device_placement(True)
    with tf.device("/gpu:9"):
        assert short(function(x)) == "GPU:0"


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("name", ["/job:worker", "/task:1", "/replica:2/gpu:0"])
def test_another_process_is_unknown_to_functions_too(name: str, soft: bool) -> None:
    tf.config.set_soft_device_placement(soft)

    @tf.function
    def there(x: Any) -> Any:
        with tf.device(name):
            return x + 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match="because no such device exists; this"):
        there(tf.constant([1.0]))


def test_the_old_copy_methods_know_which_gpus_exist() -> None:
    x = tf.constant([1.0])
    with pytest.warns(DeprecationWarning, match="deprecated"):
        assert (short(x.gpu()), short(x.gpu(2)), short(x.cpu())) == ("GPU:0", "GPU:2", "CPU:0")
    for soft in (False, True):
        tf.config.set_soft_device_placement(soft)
        for number in (9, -1):
            with (
                pytest.warns(DeprecationWarning, match="deprecated"),
                pytest.raises(RuntimeError, match=rf"^GPU:{number} unknown device\.$"),
            ):
                x.gpu(number)


# Rule 5: nothing was asked for


def test_without_a_scope_an_op_runs_on_the_first_gpu_wherever_its_inputs_are() -> None:
    assert short(tf.matmul([[1.0]], [[1.0]])) == "GPU:0"
    assert short(tf.add(on("/cpu:0"), on("/cpu:0"))) == "GPU:0"
    assert short(tf.add(on("/gpu:1"), on("/gpu:2"))) == "GPU:0"
    assert short(tf.identity(on("/gpu:3"))) == "GPU:0"


def test_without_a_scope_constants_and_variables_are_on_the_first_gpu() -> None:
    assert short(tf.constant([1.0])) == "GPU:0"
    assert short(tf.Variable([1.0])) == "GPU:0"


@pytest.mark.gpus(0)
def test_without_gpus_everything_is_on_the_cpu() -> None:
    assert short(tf.add(tf.constant([1.0]), 1.0)) == "CPU:0"


# Inputs on other devices, and the policy about them


def test_inputs_are_copied_silently_by_default(capfd: pytest.CaptureFixture[str]) -> None:
    total = tf.add(on("/gpu:1"), on("/cpu:0"))
    assert (short(total), total.numpy().tolist()) == ("GPU:0", [2.0])
    assert capfd.readouterr().err == ""


WHERE = (
    "input #{} was expected to be on " + FULL + "GPU:0 but is actually on " + FULL + "{} "
    "(operation running on " + FULL + "GPU:0)"
)


def test_the_policy_warn_tells_of_every_copy(capfd: pytest.CaptureFixture[str]) -> None:
    tf.config.experimental.set_device_policy("warn")
    tf.add(on("/gpu:1"), on("/cpu:0"))
    lines = [line.split("] ")[1] for line in capfd.readouterr().err.splitlines()]
    assert lines == [
        f"before computing AddV2 {WHERE.format(i, device)}. This triggers a copy which can be a "
        "performance bottleneck."
        for i, device in ((0, "GPU:1"), (1, "CPU:0"))
    ]


def test_the_policy_explicit_refuses_a_copy() -> None:
    tf.config.experimental.set_device_policy("explicit")
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.add(on("/gpu:1"), on("/gpu:0"))
    assert str(raised.value) == (
        "Tensors on conflicting devices: cannot compute AddV2 as "
        + WHERE.format(0, "GPU:1")
        + " Tensors can be copied explicitly using: `with tf.device(device_name): x = "
        "tf.identity(x)` or transparently copied by using "
        "tf.config.experimental.set_device_policy('silent'). Copying tensors between devices may "
        "slow down your model [Op:AddV2] name: "
    )


def test_the_policy_explicit_refuses_the_input_of_an_assignment() -> None:
    with tf.device("/cpu:0"):
        v = tf.Variable([1.0])
    tf.config.experimental.set_device_policy("explicit")
    with pytest.raises(tf.errors.InvalidArgumentError, match="AssignVariableOp as input #1"):
        v.assign(on("/gpu:1"))


def test_the_policy_explicit_lets_identity_and_constants_move() -> None:
    tf.config.experimental.set_device_policy("explicit")
    x = on("/gpu:1")
    with tf.device("/gpu:2"):
        assert short(tf.identity(x)) == "GPU:2"
        assert short(tf.constant([1.0]) + 1.0) == "GPU:2"


def test_the_policy_explicit_lets_values_be_read() -> None:
    tf.config.experimental.set_device_policy("explicit")
    assert on("/gpu:3").numpy().tolist() == [1.0]
    with tf.device("/gpu:3"):
        v = tf.Variable([2.0])
    assert v.numpy().tolist() == [2.0]
    with tf.device("/gpu:1"):
        assert short(v.read_value()) == "GPU:1"


def test_the_policy_silent_for_int32_copies_int32_only() -> None:
    tf.config.experimental.set_device_policy("silent_for_int32")
    with tf.device("/gpu:1"):
        whole, real = tf.constant([1]), tf.constant([1.0])
    assert tf.add(whole, whole).numpy().tolist() == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensors on conflicting devices"):
        tf.add(real, real)


def test_the_policy_explicit_also_refuses_int32_because_it_really_is_there() -> None:
    tf.config.experimental.set_device_policy("explicit")
    with tf.device("/gpu:1"):
        whole = tf.constant([1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensors on conflicting devices"):
        tf.add(whole, whole)


def test_a_policy_changes_at_once() -> None:
    x, y = on("/gpu:1"), on("/gpu:0")
    for policy, works in (("silent", True), ("explicit", False), ("silent", True)):
        tf.config.experimental.set_device_policy(policy)
        if works:
            tf.add(x, y)
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match="conflicting devices"):
                tf.add(x, y)


def test_a_policy_is_this_threads_own() -> None:
    x = on("/gpu:1")
    tf.config.experimental.set_device_policy("explicit")
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(tf.add(x, x)))
    thread.start()
    thread.join()
    assert short(results[0]) == "GPU:0"


# An op on several variables: they must be on one device


def apply_momentum(variable: Any, accumulator: Any) -> None:
    tf.raw_ops.ResourceApplyMomentum(
        var=variable.handle, accum=accumulator.handle, lr=1.0, grad=[1.0], momentum=0.5
    )


APART = "connects colocation groups with incompatible assigned devices: .* make them on one device"


def test_an_op_on_variables_of_two_devices_is_refused() -> None:
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0])
    with tf.device("/gpu:1"):
        other = tf.Variable([1.0])
    for run in (apply_momentum, tf.function(apply_momentum)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=APART):
            run(v, other)
    with pytest.raises(tf.errors.InvalidArgumentError, match=APART):
        tf.function(lambda: apply_momentum(other, v))()  # what a function finds around it
    assert (v.numpy(), other.numpy()) == ([1.0], [1.0])


def test_an_op_of_a_session_on_variables_of_two_devices_is_refused() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        with tf.device("/gpu:0"):
            v = v1.get_variable("v", [1], use_resource=True)
        with tf.device("/gpu:1"):
            other = v1.get_variable("other", [1], use_resource=True)
        session.run(v1.global_variables_initializer())
        update = tf.raw_ops.ResourceApplyMomentum(
            var=v.handle, accum=other.handle, lr=1.0, grad=[1.0], momentum=0.5
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=APART):
            session.run(update)
