"""`emplace.devices()`: every logical device, what is under it, and its memory."""

from __future__ import annotations

import psutil
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import INVENTORY


@pytest.mark.gpus(0)
def test_a_machine_without_gpus_has_one_row() -> None:
    (row,) = emplace.devices()
    assert (row.logical, row.physical, row.backend) == ("CPU:0", "CPU:0", "cpu")
    assert row.memory_bytes == psutil.virtual_memory().total
    assert (row.limit_bytes, row.in_use_bytes) == (None, None)


@pytest.mark.not_strict("names the backend of normal virtual GPUs")
def test_virtual_gpus_have_their_sizes_and_limits() -> None:
    emplace.virtual_gpus(2, memory="64MB")
    assert emplace.devices().to_dict()[1:] == [
        {
            "logical": f"GPU:{i}",
            "physical": f"GPU:{i}",
            "name": "Virtual GPU (host memory)",
            "backend": "virtual",
            "memory_bytes": 64 << 20,
            "limit_bytes": 64 << 20,
            "in_use_bytes": 0,
        }
        for i in range(2)
    ]


@pytest.mark.gpus(2)
def test_virtual_gpus_without_a_size_share_the_memory_of_the_host() -> None:
    total = psutil.virtual_memory().total
    assert [row.limit_bytes for row in emplace.devices()[1:]] == [total // 2, total // 2]


@pytest.mark.gpus(1, memory="1MB")
def test_memory_in_use_is_what_tensors_hold() -> None:
    with tf.device("/GPU:0"):
        kept = tf.fill([512], 1.0)
    assert emplace.devices()[1].in_use_bytes == 512 * 4 + 256  # the number 1.0 is kept too
    del kept
    assert emplace.devices()[1].in_use_bytes == 256


@pytest.mark.gpus(2, memory="1GB")
def test_logical_devices_name_the_physical_one_they_are_made_of() -> None:
    gpus = tf.config.list_physical_devices("GPU")
    limits = [tf.config.LogicalDeviceConfiguration(memory_limit=size) for size in (100, 200)]
    tf.config.set_logical_device_configuration(gpus[1], limits)
    rows = [(row.logical, row.physical, row.limit_bytes) for row in emplace.devices()]
    assert rows[1:] == [
        ("GPU:0", "GPU:0", 1 << 30),
        ("GPU:1", "GPU:1", 100 << 20),
        ("GPU:2", "GPU:1", 200 << 20),
    ]


@pytest.mark.gpus(3)
def test_hidden_gpus_are_not_listed_and_numbers_begin_at_zero() -> None:
    gpus = tf.config.list_physical_devices("GPU")
    tf.config.set_visible_devices(gpus[2], "GPU")
    rows = [(row.logical, row.physical) for row in emplace.devices()]
    assert rows == [("CPU:0", "CPU:0"), ("GPU:0", "GPU:2")]


@pytest.mark.not_strict("names the backend of normal virtual GPUs")
def test_the_table_is_printed_in_columns() -> None:
    emplace.virtual_gpus(11, memory="1.5MB")
    table = emplace.devices()
    lines = str(table).splitlines()
    assert repr(table) == str(table)
    assert lines[0].split() == [
        "logical", "physical", "backend", "name", "memory", "limit", "in", "use"
    ]  # fmt: skip
    assert lines[-1] == (
        "GPU:10   GPU:10    virtual  Virtual GPU (host memory)  1.50 MiB   1.50 MiB  0 B"
    )
    columns = [lines[0].index(title) for title in ("physical", "backend", "name", "limit")]
    for line in lines[1:]:
        assert all(line[column - 1] == " " != line[column] for column in columns)


def test_to_list_the_devices_starts_them() -> None:
    assert not INVENTORY.is_initialized
    emplace.devices()
    assert INVENTORY.is_initialized
