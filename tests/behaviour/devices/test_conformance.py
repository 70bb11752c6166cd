"""The eager half of the conformance list, one short test per fact, on four virtual GPUs.

The files by subject beside this one go into each of them; here one sees that none is missing.
Where Emplace differs on purpose, the test says what holds here and docs/DIFFERENCES.md says why.
"""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.devices.memory import Usage

pytestmark = pytest.mark.gpus(4, memory="1GB")

FULL = "/job:localhost/replica:0/task:0/device:"
MIB = 1 << 20
Capture = pytest.CaptureFixture[str]


def gpus() -> list[tf.config.PhysicalDevice]:
    return tf.config.list_physical_devices("GPU")


def usage(index: int = 0) -> Usage:
    budget = find_devices(type="GPU", index=index)[0].budget
    assert budget is not None
    return budget.usage()


def on(device: str, value: object = ((1.0, 2.0), (3.0, 4.0))) -> tf.Tensor:
    with tf.device(device):
        return tf.constant(value)


def test_01_a_device_is_written_in_upper_case_and_needs_its_index_or_star() -> None:
    assert tf.DeviceSpec.from_string("/device:gpu:1").to_string() == "/device:GPU:1"
    with pytest.raises(ValueError):
        tf.DeviceSpec.from_string("/device:GPU")
    tf.DeviceSpec.from_string("/GPU")


def test_02_an_inner_scope_takes_the_index_of_the_outer_one() -> None:
    with tf.device("/cpu:2"), tf.device("/gpu"):
        assert tf.constant(1.0).device == FULL + "GPU:2"


def test_03_a_scope_of_a_wrong_type_is_refused_when_it_is_entered() -> None:
    scope = tf.device(3)
    with pytest.raises(ValueError) as raised, scope:
        pass
    assert "Expecting a string device name. Got <class 'int'>(3)" in str(raised.value)


def test_04_visible_devices_are_fixed_at_first_use() -> None:
    tf.config.set_visible_devices(gpus()[:2], "GPU")
    tf.constant(1.0)
    tf.config.set_visible_devices(gpus()[:2], "GPU")
    with pytest.raises(RuntimeError) as raised:
        tf.config.set_visible_devices(gpus()[:1], "GPU")
    assert str(raised.value) == "Visible devices cannot be modified after being initialized"
    unknown = tf.config.PhysicalDevice("/physical_device:GPU:9", "GPU")
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices(unknown, "GPU")


def test_05_growth_on_one_of_four_gpus_is_an_error_that_can_be_put_right() -> None:
    tf.config.experimental.set_memory_growth(gpus()[0], True)
    with pytest.raises(ValueError, match="Memory growth cannot differ between GPU devices"):
        tf.constant(1.0)
    for gpu in gpus():
        tf.config.experimental.set_memory_growth(gpu, True)
    assert tf.constant(1.0).device == FULL + "GPU:0"


def test_06_a_split_gpu_takes_no_growth() -> None:
    limit = tf.config.LogicalDeviceConfiguration(memory_limit=512)
    tf.config.experimental.set_memory_growth(gpus()[0], True)
    tf.config.set_logical_device_configuration(gpus()[0], [limit])
    with pytest.raises(ValueError) as raised:
        tf.config.experimental.set_memory_growth(gpus()[0], False)
    assert str(raised.value) == (
        "Cannot set memory growth on device when virtual devices configured"
    )


def test_07_one_gpu_of_four_in_two_makes_five_numbered_through() -> None:
    half = tf.config.LogicalDeviceConfiguration(memory_limit=512)
    tf.config.set_logical_device_configuration(gpus()[1], [half] * 2)
    names = [gpu.name for gpu in tf.config.list_logical_devices("GPU")]
    assert names == [f"/device:GPU:{index}" for index in range(5)]


def test_08_memory_info_counts_allocations_and_their_peak() -> None:
    info = tf.config.experimental.get_memory_info
    with tf.device("/CPU:0"):
        value = tf.random.normal([1000])
    with tf.device("/GPU:0"):
        on_gpu = tf.identity(value)
    assert info("GPU:0") == {"current": 4096, "peak": 4096}
    del on_gpu
    assert info("GPU:0") == {"current": 0, "peak": 4096}
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert info("GPU:0") == {"current": 0, "peak": 0}


def test_09_growing_memory_comes_in_doubling_regions_that_stay() -> None:
    for gpu in gpus():
        tf.config.experimental.set_memory_growth(gpu, True)
    held, reserved = [], []
    for size in (1, 100, 1024, 3 * 1024, 1024, 8 * 1024, 15 * 1024, 20 * 1024):
        with tf.device("/GPU:0"):
            held.append(tf.zeros([size * 256]))
        reserved.append(usage().reserved // MIB)
    steps = [after - before for before, after in zip([0, *reserved], reserved, strict=False)]
    assert [step for step in steps if step] == [2, 4, 8, 16, 32]
    del held
    assert usage().in_use == 256  # the number 0.0, which is made once
    assert usage().reserved // MIB == 62


def test_09_without_growth_memory_is_one_region_of_the_whole_limit() -> None:
    tf.constant(1.0)
    assert usage().reserved == usage().limit == 1 << 30


def test_10_a_fraction_is_one_of_the_whole_memory() -> None:
    tf.config.gpu.set_per_process_memory_fraction(0.4)
    tf.constant(1.0)
    assert usage().limit == int(0.4 * (1 << 30))


def test_11_out_of_memory_names_shape_type_device_and_allocator_at_once() -> None:
    with pytest.raises(tf.errors.ResourceExhaustedError) as raised, tf.device("/GPU:0"):
        tf.zeros([1 << 29])
    assert (
        "OOM when allocating tensor with shape[536870912] and type float on "
        f"{FULL}GPU:0 by allocator GPU_0_budget" in str(raised.value)
    )


def test_11_a_copy_that_does_not_fit_is_the_same_error() -> None:
    tf.config.set_logical_device_configuration(
        gpus()[0], [tf.config.LogicalDeviceConfiguration(memory_limit=1)]
    )
    with tf.device("/CPU:0"):
        value = tf.zeros([MIB])
    with (
        pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"),
        tf.device("/GPU:0"),
    ):
        tf.identity(value)


def test_12_a_constant_goes_to_the_first_gpu_and_is_logged_there(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    assert tf.constant([1.0]).device == FULL + "GPU:0"
    assert f"Executing op _EagerConst in device {FULL}GPU:0" in capfd.readouterr().err
    on("/CPU:0")
    assert "_EagerConst" not in capfd.readouterr().err


def test_12_a_python_number_is_logged_once(capfd: Capture) -> None:
    tf.debugging.set_log_device_placement(True)
    x = on("/GPU:0")
    capfd.readouterr()
    x + 2.0
    first = capfd.readouterr().err
    x + 2.0
    again = capfd.readouterr().err
    assert ("_EagerConst" in first, "_EagerConst" in again) == (True, False)
    assert "Executing op AddV2" in again


def test_13_without_a_scope_an_op_is_on_the_first_gpu_wherever_its_inputs_are() -> None:
    assert tf.matmul(on("/CPU:0"), on("/CPU:0")).device == FULL + "GPU:0"
    assert tf.matmul(on("/GPU:1"), on("/GPU:2")).device == FULL + "GPU:0"


def test_14_an_assignment_runs_where_the_variable_is() -> None:
    with tf.device("/CPU:0"):
        v = tf.Variable(1.0)
    with tf.device("/GPU:1"):
        v.assign(2.0)
        assert v.device == FULL + "CPU:0"
        total = v + 1.0
    assert (total.device, total.numpy()) == (FULL + "GPU:1", 3.0)


def test_15_an_int32_tensor_really_is_where_it_says() -> None:
    x = on("/GPU:0", [1, 2])
    assert (x.dtype, x.device, x.backing_device) == (tf.int32, FULL + "GPU:0", FULL + "GPU:0")


def test_16_a_missing_device_is_refused_unless_placement_is_soft() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as raised, tf.device("/GPU:9"):
        tf.add([1.0], [2.0])
    listed = ", ".join(f"{FULL}{name}" for name in ("GPU:0", "GPU:1", "GPU:2", "GPU:3", "CPU:0"))
    assert (
        f"Could not satisfy device specification '{FULL}GPU:9'. enable_soft_placement=0. "
        f"Supported device types [GPU, CPU]. All available devices [{listed}]."
    ) in str(raised.value)
    tf.config.set_soft_device_placement(True)
    with tf.device("/GPU:9"):
        assert tf.add([1.0], [2.0]).device == FULL + "GPU:0"


def test_17_a_policy_warns_of_copies_or_refuses_them(capfd: Capture) -> None:
    x = on("/GPU:1")
    tf.config.experimental.set_device_policy("warn")
    tf.add(x, x)
    assert (
        f"before computing AddV2 input #0 was expected to be on {FULL}GPU:0 but is actually on "
        f"{FULL}GPU:1 (operation running on {FULL}GPU:0). This triggers a copy which can be a "
        "performance bottleneck."
    ) in capfd.readouterr().err
    tf.config.experimental.set_device_policy("explicit")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensors on conflicting devices"):
        tf.add(x, x)
    assert tf.identity(x).device == FULL + "GPU:0"


def test_22_the_placement_log_can_be_turned_on_after_the_first_op(capfd: Capture) -> None:
    tf.constant(1.0)
    tf.debugging.set_log_device_placement(True)
    assert tf.debugging.get_log_device_placement()
    tf.constant([1.0])
    assert "Executing op _EagerConst" in capfd.readouterr().err


def test_23_the_lines_of_a_wrapped_op_are_told_once_per_new_kernel(capfd: Capture) -> None:
    a = on("/GPU:0")
    tf.debugging.set_log_device_placement(True)
    for _ in range(2):
        tf.matmul(a, a)
    lines = [line for line in capfd.readouterr().out.splitlines() if ": (" in line]
    assert lines == [
        f"{line}: {FULL}GPU:0"
        for line in ("a: (_Arg)", "b: (_Arg)", "MatMul: (MatMul)", "product_RetVal: (_Retval)")
    ]
