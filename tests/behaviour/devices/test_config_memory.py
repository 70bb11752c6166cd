"""`tf.config` about memory: growth, and logical devices with limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.devices.table import devices

pytestmark = pytest.mark.gpus(4, memory="4GB")

experimental = tf.config.experimental
Limit = tf.config.LogicalDeviceConfiguration
STRANGER = tf.config.PhysicalDevice("/physical_device:GPU:9", "GPU")
MISMATCH = "^Memory growth cannot differ between GPU devices$"
GROWTH_TOO_LATE = "^Physical devices cannot be modified after being initialized$"
SPLIT_TOO_LATE = "^Virtual devices cannot be modified after being initialized$"


def gpu(number: int = 0) -> Any:
    return tf.config.list_physical_devices("GPU")[number]


def cpu() -> Any:
    return tf.config.list_physical_devices("CPU")[0]


def grow(*values: Any) -> None:
    for number, value in enumerate(values):
        experimental.set_memory_growth(gpu(number), value)


def limits(*sizes: Any) -> list[Any]:
    return [Limit(memory_limit=size) for size in sizes]


# Growth


def test_growth_is_unset_until_it_is_set() -> None:
    assert experimental.get_memory_growth(gpu()) is None
    grow(True)
    assert experimental.get_memory_growth(gpu()) is True
    grow(False)
    assert experimental.get_memory_growth(gpu()) is False
    grow(None)
    assert experimental.get_memory_growth(gpu()) is None


@pytest.mark.parametrize("value", [1, np.True_, np.int64(1)])
def test_growth_takes_what_is_plainly_true(value: Any) -> None:
    grow(value)
    assert experimental.get_memory_growth(gpu()) is True


@pytest.mark.parametrize("value", ["yes", "", [], 2.5, {}])
def test_growth_that_is_no_bool_is_refused_at_once(value: Any) -> None:
    with pytest.raises(TypeError, match=r"\[set_memory_growth\] expected True or False, got"):
        grow(value)
    assert experimental.get_memory_growth(gpu()) is None


@pytest.mark.parametrize(
    "device", ["GPU:0", STRANGER, None, 3, [("/physical_device:GPU:0", "GPU")]]
)
def test_growth_is_about_physical_devices(device: Any) -> None:
    for call in (
        lambda: experimental.get_memory_growth(device),
        lambda: experimental.set_memory_growth(device, True),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        assert str(raised.value) == f"Unrecognized device: {device!r}"


def test_the_cpu_has_no_growth() -> None:
    with pytest.raises(KeyError) as raised:
        experimental.get_memory_growth(cpu())
    assert raised.value.args == (cpu(),)
    with pytest.raises(
        ValueError, match=r"^Cannot set memory growth on non-GPU and non-Pluggable "
    ):
        experimental.set_memory_growth(cpu(), True)


@pytest.mark.parametrize("values", [[True], [None, True], [True, False, True, True], [False]])
def test_growth_that_differs_is_noticed_at_the_first_use_and_can_be_put_right(
    values: list[bool | None],
) -> None:
    grow(*values)
    for use in (tf.config.list_logical_devices, lambda: tf.constant(1.0), lambda: tf.device("")):
        with pytest.raises(ValueError, match=MISMATCH):
            use()
    grow(True, True, True, True)
    assert tf.add(tf.constant([1.0]), 1.0).device.endswith("GPU:0")


def test_growth_of_hidden_gpus_does_not_matter() -> None:
    grow(True)
    tf.config.set_visible_devices(gpu(0), "GPU")
    assert len(tf.config.list_logical_devices("GPU")) == 1


def test_growth_cannot_change_once_devices_are_in_use() -> None:
    grow(True, True, True, True)
    tf.constant(1.0)
    grow(True)
    for value in (False, None):
        with pytest.raises(RuntimeError, match=GROWTH_TOO_LATE):
            grow(value)
    assert experimental.get_memory_growth(gpu()) is True


def test_unset_growth_may_be_unset_again_once_devices_are_in_use() -> None:
    tf.constant(1.0)
    grow(None)
    with pytest.raises(RuntimeError, match=GROWTH_TOO_LATE):
        grow(False)


def test_growth_checks_the_device_before_the_time() -> None:
    tf.constant(1.0)
    with pytest.raises(ValueError, match="Unrecognized device"):
        experimental.set_memory_growth(STRANGER, True)
    with pytest.raises(ValueError, match="non-GPU"):
        experimental.set_memory_growth(cpu(), True)


def test_a_gpu_with_logical_devices_takes_no_growth() -> None:
    tf.config.set_logical_device_configuration(gpu(), limits(64))
    with pytest.raises(
        ValueError, match=r"^Cannot set memory growth on device when virtual devices configured$"
    ):
        grow(True)


def test_logical_devices_after_growth_are_allowed_and_lift_the_rule_of_equal_growth() -> None:
    grow(True)
    tf.config.set_logical_device_configuration(gpu(), limits(64, 64))
    assert len(tf.config.list_logical_devices("GPU")) == 5


# Logical devices


def test_a_configuration_is_a_named_tuple_with_everything_optional() -> None:
    assert repr(Limit(1024)) == (
        "LogicalDeviceConfiguration(memory_limit=1024, experimental_priority=None, "
        "experimental_device_ordinal=None)"
    )
    assert Limit() == (None, None, None)
    assert Limit(1, 2, 3).experimental_device_ordinal == 3


def test_logical_gpus_are_numbered_through() -> None:
    tf.config.set_logical_device_configuration(gpu(1), limits(1024, 512))
    names = [device.name for device in tf.config.list_logical_devices("GPU")]
    assert names == [f"/device:GPU:{i}" for i in range(5)]
    rows = [(row.logical, row.physical, row.limit_bytes) for row in devices()[1:]]
    assert rows == [
        ("GPU:0", "GPU:0", 4 << 30),
        ("GPU:1", "GPU:1", 1 << 30),
        ("GPU:2", "GPU:1", 512 << 20),
        ("GPU:3", "GPU:2", 4 << 30),
        ("GPU:4", "GPU:3", 4 << 30),
    ]


@pytest.mark.gpus(1, memory="4GB")
def test_the_guide_counts_one_physical_and_two_logical_gpus() -> None:
    tf.config.set_logical_device_configuration(gpu(), limits(1024, 1024))
    physical, logical = (
        tf.config.list_physical_devices("GPU"),
        tf.config.list_logical_devices("GPU"),
    )
    assert (len(physical), len(logical)) == (1, 2)


def test_a_cpu_can_be_several() -> None:
    tf.config.set_logical_device_configuration(cpu(), [Limit(), Limit()])
    names = [device.name for device in tf.config.list_logical_devices("CPU")]
    assert names == ["/device:CPU:0", "/device:CPU:1"]
    with tf.device("/cpu:1"):
        assert tf.constant(1.0).device.endswith("CPU:1")


def test_a_cpu_split_into_nothing_is_none() -> None:
    tf.config.set_logical_device_configuration(cpu(), [])
    with pytest.raises(tf.errors.NotFoundError, match="No CPU devices are available"):
        tf.constant(1.0)


CPU_REFUSES = "Setting {} on CPU virtual {}devices is currently not supported"


@pytest.mark.parametrize(
    ("configs", "text"),
    [
        (limits(64), CPU_REFUSES.format("memory limit", "")),
        ([Limit(None, 1)], CPU_REFUSES.format("experimental_priority", " ")),
        ([Limit(None, None, 1)], CPU_REFUSES.format("experimental_device_ordinal", " ")),
    ],
)
def test_a_logical_cpu_takes_no_settings(configs: list[Any], text: str) -> None:
    with pytest.raises(ValueError) as raised:
        tf.config.set_logical_device_configuration(cpu(), configs)
    assert str(raised.value) == text


@pytest.mark.parametrize("configs", [limits(None), limits(64, None), [Limit()]])
@pytest.mark.parametrize("is_started", [False, True])
def test_a_logical_gpu_needs_a_limit(configs: list[Any], is_started: bool) -> None:
    if is_started:
        tf.constant(1.0)
    with pytest.raises(
        ValueError, match=r"^Setting memory limit is required for GPU virtual device"
    ):
        tf.config.set_logical_device_configuration(gpu(), configs)


@pytest.mark.parametrize(
    ("configs", "error", "text"),
    [
        (None, TypeError, "'NoneType' object is not iterable"),
        (3, TypeError, "'int' object is not iterable"),
        ([64], AttributeError, "'int' object has no attribute 'memory_limit'"),
    ],
)
def test_a_list_of_configurations_is_needed(configs: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        tf.config.set_logical_device_configuration(gpu(), configs)


@pytest.mark.parametrize("device", ["x", STRANGER, None])
def test_logical_devices_are_made_of_physical_ones(device: Any) -> None:
    for call in (
        lambda: tf.config.set_logical_device_configuration(device, limits(64)),
        lambda: tf.config.get_logical_device_configuration(device),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        assert str(raised.value) == f"Unrecognized device: {device!r}"


def test_a_configuration_can_be_read_back() -> None:
    assert tf.config.get_logical_device_configuration(gpu()) is None
    tf.config.set_logical_device_configuration(gpu(), limits(64, 32))
    assert tf.config.get_logical_device_configuration(gpu()) == limits(64, 32)


def test_a_configuration_is_a_copy() -> None:
    mine = limits(64, 32)
    tf.config.set_logical_device_configuration(gpu(), mine)
    mine.append(Limit(16))
    tf.config.get_logical_device_configuration(gpu()).clear()
    assert tf.config.get_logical_device_configuration(gpu()) == limits(64, 32)


def test_configurations_cannot_change_once_devices_are_in_use() -> None:
    tf.config.set_logical_device_configuration(gpu(), limits(64))
    tf.constant(1.0)
    tf.config.set_logical_device_configuration(gpu(), limits(64))
    for device, configs in ((gpu(), limits(32)), (gpu(1), limits(64)), (cpu(), [Limit()])):
        with pytest.raises(RuntimeError, match=SPLIT_TOO_LATE):
            tf.config.set_logical_device_configuration(device, configs)


@pytest.mark.parametrize(
    ("limit", "error", "text"),
    [
        ("64", TypeError, "must be real number, not str"),
        ([], TypeError, "must be real number, not list"),
        (float("nan"), ValueError, "is a number of MiB, got nan"),
        (float("inf"), ValueError, "is a number of MiB, got inf"),
    ],
)
def test_a_limit_that_is_no_number_is_noticed_at_the_first_use(
    limit: Any, error: type[Exception], text: str
) -> None:
    tf.config.set_logical_device_configuration(gpu(), limits(limit))
    with pytest.raises(error, match=text):
        tf.constant(1.0)
    tf.config.set_logical_device_configuration(gpu(), limits(64))
    assert tf.constant([1.0]).device.endswith("GPU:0")


@pytest.mark.parametrize(("limit", "expected"), [(1.5, 1), (np.float32(2), 2), (0, 0), (-3, 0)])
def test_a_limit_is_a_whole_number_of_mib(limit: Any, expected: int) -> None:
    tf.config.set_logical_device_configuration(gpu(), limits(limit))
    assert devices()[1].limit_bytes == expected << 20


def test_a_device_with_a_limit_of_nothing_holds_nothing() -> None:
    tf.config.set_logical_device_configuration(gpu(), limits(0))
    with tf.device("/gpu:0"), pytest.raises(tf.errors.ResourceExhaustedError, match="GPU:0"):
        tf.constant([1.0])


@pytest.mark.parametrize(
    ("configs", "text"),
    [
        ([Limit(64, 1), Limit(64)], "priority must be specified for all virtual devices"),
        ([Limit(64, 1, 1), Limit(64, 1)], "device_ordinals must be specified for all virtual dev"),
    ],
)
def test_a_setting_given_for_one_logical_gpu_is_needed_for_all(
    configs: list[Any], text: str
) -> None:
    tf.config.set_logical_device_configuration(gpu(), configs)
    with pytest.raises(ValueError, match=text):
        tf.constant(1.0)


# Growth from the environment, and the alpha's names


@pytest.mark.parametrize(
    ("forced", "wished", "said"),
    [
        ("true", None, "Overriding allow_growth setting because the TF_FORCE_GPU_ALLOW_GROWTH "
                       "environment variable is set. Original config value was false."),
        ("false", True, "Overriding allow_growth setting because the TF_FORCE_GPU_ALLOW_GROWTH "
                        "environment variable is set. Original config value was true."),
        ("1", None, "The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but could not be "
                    'parsed: "1". Valid values are "true" or "false". Using original config value '
                    "of false."),
        ("true", True, ""),
        ("false", None, ""),
    ],
)  # fmt: skip
@pytest.mark.gpus(1, memory="64MB")
def test_the_environment_overrides_growth(
    forced: str,
    wished: bool | None,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TF_FORCE_GPU_ALLOW_GROWTH", forced)
    grow(wished)
    tf.constant([1.0])
    assert said in capfd.readouterr().err if said else capfd.readouterr().err == ""
    assert experimental.get_memory_growth(gpu()) is wished


def test_the_alphas_growth_is_for_all_gpus() -> None:
    assert tf.config.gpu.get_per_process_memory_growth() is False
    tf.config.gpu.set_per_process_memory_growth()
    assert tf.config.gpu.get_per_process_memory_growth() is True
    tf.config.gpu.set_per_process_memory_growth(enabled=False)
    assert tf.config.gpu.get_per_process_memory_growth() is False


def test_the_alphas_fraction_bounds_every_gpu() -> None:
    assert tf.config.gpu.get_per_process_memory_fraction() == 0.0
    tf.config.gpu.set_per_process_memory_fraction(0.25)
    assert tf.config.gpu.get_per_process_memory_fraction() == 0.25
    assert [row.limit_bytes for row in devices()[1:]] == [1 << 30] * 4


def test_the_alphas_settings_are_refused_once_devices_are_in_use() -> None:
    tf.config.gpu.set_per_process_memory_fraction(0.5)
    tf.config.gpu.set_per_process_memory_growth(True)
    tf.constant(1.0)
    for late in (
        lambda: tf.config.gpu.set_per_process_memory_fraction(0.5),
        lambda: tf.config.gpu.set_per_process_memory_growth(True),
    ):
        with pytest.raises(RuntimeError, match="must be set at program startup"):
            late()


@pytest.mark.parametrize("fraction", [-0.1, float("nan"), "x", None])
def test_a_fraction_must_be_one(fraction: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        tf.config.gpu.set_per_process_memory_fraction(fraction)


def test_a_fraction_above_one_is_refused_at_the_first_use() -> None:
    tf.config.gpu.set_per_process_memory_fraction(1.5)
    with pytest.raises(tf.errors.InternalError, match="Unified memory is not supported"):
        tf.constant(1.0)
    tf.config.gpu.set_per_process_memory_fraction(1.0)
    assert tf.constant([1.0]).device.endswith("GPU:0")


def test_a_fraction_does_not_go_with_logical_devices() -> None:
    tf.config.gpu.set_per_process_memory_fraction(0.5)
    tf.config.set_logical_device_configuration(gpu(), limits(64))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="invalid to set per_process_gpu_memor"
    ):
        tf.constant(1.0)


def test_the_guides_prose_name_is_the_same_function() -> None:
    alpha = tf.config.gpu.set_per_process_memory_fraction
    assert tf.gpu.set_per_process_memory_fraction is alpha
