"""`tf.config` about devices: listing, hiding, and when it is too late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.table import devices

pytestmark = pytest.mark.gpus(4)

TOO_LATE = "^Visible devices cannot be modified after being initialized$"


def gpus() -> list[Any]:
    return tf.config.list_physical_devices("GPU")


def logical(device_type: str | None = None) -> list[str]:
    return [device.name for device in tf.config.list_logical_devices(device_type)]


def physical(*names: str) -> list[Any]:
    return [tf.config.PhysicalDevice(f"/physical_device:{name}", name[:3]) for name in names]


# Listing


def test_physical_devices_are_named_tuples() -> None:
    gpu = gpus()[1]
    assert repr(gpu) == "PhysicalDevice(name='/physical_device:GPU:1', device_type='GPU')"
    assert gpu == ("/physical_device:GPU:1", "GPU")
    assert {gpu: 1}["/physical_device:GPU:1", "GPU"] == 1


def test_logical_devices_are_named_tuples() -> None:
    device = tf.config.list_logical_devices("GPU")[0]
    assert repr(device) == "LogicalDevice(name='/device:GPU:0', device_type='GPU')"
    assert tuple(device) == ("/device:GPU:0", "GPU")


def test_physical_devices_are_listed_with_the_cpu_first() -> None:
    assert tf.config.list_physical_devices() == physical(
        "CPU:0", "GPU:0", "GPU:1", "GPU:2", "GPU:3"
    )
    assert tf.config.list_physical_devices("CPU") == physical("CPU:0")


@pytest.mark.parametrize("device_type", ["gpu", "TPU", "", 3, b"GPU"])
def test_a_type_that_is_not_one_lists_nothing(device_type: Any) -> None:
    assert tf.config.list_physical_devices(device_type) == []
    assert tf.config.get_visible_devices(device_type) == []
    assert tf.config.list_logical_devices(device_type) == []


def test_a_list_of_devices_is_the_callers_own() -> None:
    tf.config.list_physical_devices().clear()
    tf.config.get_visible_devices().clear()
    tf.config.list_logical_devices().clear()
    assert len(tf.config.list_physical_devices()) == 5
    assert len(tf.config.get_visible_devices()) == 5
    assert len(tf.config.list_logical_devices()) == 5


@pytest.mark.gpus(12)
def test_many_devices_are_listed_by_number_not_by_text() -> None:
    assert logical("GPU") == [f"/device:GPU:{i}" for i in range(12)]


def test_old_names_are_the_same_functions() -> None:
    config, experimental = tf.config, tf.config.experimental
    assert experimental.list_physical_devices is config.list_physical_devices
    assert experimental.list_logical_devices is config.list_logical_devices
    assert experimental.get_visible_devices is config.get_visible_devices
    assert experimental.set_visible_devices is config.set_visible_devices
    assert experimental.VirtualDeviceConfiguration is config.LogicalDeviceConfiguration
    assert experimental.set_virtual_device_configuration is config.set_logical_device_configuration
    assert experimental.get_virtual_device_configuration is config.get_logical_device_configuration


# What starts the devices


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.config.list_physical_devices(),
        lambda: tf.config.get_visible_devices(),
        lambda: tf.config.set_visible_devices(gpus()[:2], "GPU"),
        lambda: tf.config.experimental.get_memory_growth(gpus()[0]),
        lambda: [tf.config.experimental.set_memory_growth(gpu, True) for gpu in gpus()],
        lambda: tf.config.get_logical_device_configuration(gpus()[0]),
        lambda: tf.config.set_logical_device_configuration(
            gpus()[0], [tf.config.LogicalDeviceConfiguration(1)]
        ),
        lambda: tf.config.set_soft_device_placement(tf.config.get_soft_device_placement()),
        lambda: tf.debugging.set_log_device_placement(tf.debugging.get_log_device_placement()),
        lambda: tf.config.experimental.set_device_policy(
            tf.config.experimental.get_device_policy()
        ),
        lambda: tf.config.experimental.set_synchronous_execution(
            tf.config.experimental.get_synchronous_execution()
        ),
        lambda: tf.config.threading.set_intra_op_parallelism_threads(
            tf.config.threading.get_intra_op_parallelism_threads()
        ),
        lambda: tf.config.optimizer.set_jit(tf.config.optimizer.get_jit()),
        lambda: tf.config.experimental.enable_op_determinism(),
        lambda: tf.config.experimental.get_device_details(gpus()[0]),
        lambda: tf.DeviceSpec.from_string("/gpu:0"),
        lambda: tf.random.set_seed(1),
        lambda: tf.test.gpu_device_name(),
        lambda: tf.test.is_gpu_available(),
        lambda: tf.test.is_built_with_cuda(),
        lambda: tf.config.gpu.set_per_process_memory_growth(),
        lambda: emplace.doctor(),
    ],
)
def test_asking_and_configuring_does_not_start_the_devices(call: Callable[[], Any]) -> None:
    call()
    tf.config.set_visible_devices([], "GPU")
    assert logical() == ["/device:CPU:0"]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.constant(1.0),
        lambda: tf.Variable(1.0),
        lambda: tf.convert_to_tensor([1.0]),
        lambda: tf.zeros([2]),
        lambda: tf.random.uniform([2]),
        lambda: tf.device("/cpu:0"),
        lambda: tf.config.list_logical_devices(),
        lambda: tf.config.list_logical_devices("CPU"),
        lambda: tf.config.experimental.get_memory_info("GPU:0"),
        lambda: tf.config.experimental.reset_memory_stats("GPU:0"),
        lambda: devices(),
    ],
)
def test_using_a_device_starts_them_all(call: Callable[[], Any]) -> None:
    call()
    with pytest.raises(RuntimeError, match=TOO_LATE):
        tf.config.set_visible_devices([], "GPU")


# Hiding devices


def test_hidden_gpus_leave_the_others_numbered_from_zero() -> None:
    tf.config.set_visible_devices(gpus()[2:], "GPU")
    assert tf.config.get_visible_devices() == physical("CPU:0", "GPU:2", "GPU:3")
    assert logical() == ["/device:CPU:0", "/device:GPU:0", "/device:GPU:1"]
    with tf.device("/gpu:2"), pytest.raises(RuntimeError, match="unknown device"):
        tf.constant(1.0)


def test_hidden_gpus_are_still_physical_devices() -> None:
    tf.config.set_visible_devices([], "GPU")
    assert len(gpus()) == 4
    assert tf.test.gpu_device_name() == "/device:GPU:0"
    assert tf.constant([1.0]).device.endswith("CPU:0")


def test_a_single_device_may_stand_for_a_list() -> None:
    tf.config.set_visible_devices(gpus()[1], "GPU")
    assert tf.config.get_visible_devices("GPU") == physical("GPU:1")


def test_visible_devices_keep_their_order_and_repeats() -> None:
    tf.config.set_visible_devices([gpus()[3], gpus()[1], gpus()[3]], "GPU")
    assert tf.config.get_visible_devices() == physical("CPU:0", "GPU:3", "GPU:1", "GPU:3")
    assert logical("GPU") == ["/device:GPU:0", "/device:GPU:1"]


@pytest.mark.gpus(2, memory="64MB")
def test_logical_gpus_are_numbered_in_physical_order() -> None:
    first, second = gpus()
    tf.config.set_logical_device_configuration(
        second, [tf.config.LogicalDeviceConfiguration(memory_limit=8)]
    )
    tf.config.set_visible_devices([second, first], "GPU")
    limits = [row.limit_bytes for row in devices()[1:]]
    assert limits == [64 << 20, 8 << 20]


def test_without_a_type_the_list_replaces_every_device() -> None:
    tf.config.set_visible_devices([*physical("CPU:0"), gpus()[3]])
    assert logical() == ["/device:CPU:0", "/device:GPU:0"]


def test_a_program_without_a_cpu_cannot_start_and_can_be_put_right() -> None:
    tf.config.set_visible_devices(gpus())
    for use in (tf.config.list_logical_devices, lambda: tf.constant(1.0), lambda: tf.device("")):
        with pytest.raises(
            tf.errors.NotFoundError, match=r"^No CPU devices are available in this "
        ):
            use()
    tf.config.set_visible_devices(tf.config.list_physical_devices())
    assert len(logical()) == 5


STRANGER = tf.config.PhysicalDevice("/physical_device:GPU:9", "GPU")


@pytest.mark.parametrize(
    ("devices", "device_type", "named"),
    [
        ([STRANGER], "GPU", repr(STRANGER)),
        (STRANGER, None, repr(STRANGER)),
        ("GPU:0", "GPU", "'GPU:0'"),
        (None, None, "None"),
        (physical("GPU:0"), "CPU", repr(physical("GPU:0")[0])),
        (physical("GPU:0"), "gpu", repr(physical("GPU:0")[0])),
        (tuple(physical("GPU:0")), "GPU", repr(tuple(physical("GPU:0")))),
        ([physical("GPU:0")], "GPU", repr(physical("GPU:0"))),
    ],
)
@pytest.mark.parametrize("is_started", [False, True])
def test_only_devices_that_exist_can_be_made_visible(
    devices: Any, device_type: str | None, named: str, is_started: bool
) -> None:
    if is_started:
        tf.constant(1.0)
    with pytest.raises(ValueError) as raised:
        tf.config.set_visible_devices(devices, device_type)
    assert str(raised.value) == f"Unrecognized device: {named}"


def test_visible_devices_cannot_change_once_they_are_in_use() -> None:
    tf.config.set_visible_devices(gpus()[:2], "GPU")
    tf.constant(1.0)
    tf.config.set_visible_devices(gpus()[:2], "GPU")
    tf.config.set_visible_devices(tf.config.get_visible_devices())
    with pytest.raises(RuntimeError, match=TOO_LATE):
        tf.config.set_visible_devices(gpus()[:1], "GPU")
    with pytest.raises(RuntimeError, match=TOO_LATE):
        tf.config.set_visible_devices(gpus()[1::-1], "GPU")
    assert len(logical("GPU")) == 2


def test_a_plain_tuple_may_stand_for_a_physical_device() -> None:
    tf.config.set_visible_devices([tuple(gpus()[3])], "GPU")
    assert tf.config.get_visible_devices("GPU") == physical("GPU:3")
    tf.config.experimental.set_memory_growth(tuple(gpus()[3]), True)
    assert tf.config.experimental.get_memory_growth(tuple(gpus()[3])) is True


# Details


def test_a_gpu_has_details_and_the_cpu_has_none() -> None:
    assert "device_name" in tf.config.experimental.get_device_details(gpus()[0])
    assert tf.config.experimental.get_device_details(physical("CPU:0")[0]) == {}


@pytest.mark.parametrize(
    ("device", "text"),
    [
        ("GPU:0", "device must be a tf.config.PhysicalDevice, but got: GPU:0"),
        (
            STRANGER,
            "The PhysicalDevice must be one obtained from calling "
            f"`tf.config.list_physical_devices`, but got: {STRANGER}",
        ),
    ],
)
def test_details_are_known_of_physical_devices_only(device: Any, text: str) -> None:
    with pytest.raises(ValueError) as raised:
        tf.config.experimental.get_device_details(device)
    assert str(raised.value) == text
