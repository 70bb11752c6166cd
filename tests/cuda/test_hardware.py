"""Facts about real CUDA (or ROCm) hardware. Not collected where there is none."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.devices.device import Device
from emplace.devices.inventory import find_devices

pytestmark = pytest.mark.cuda

MB = 1 << 20
# What TensorFlow's rule leaves to the system at most, and what contexts and libraries take.
SYSTEM_BYTES = 1536 * MB + 1024 * MB


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    """Every test finds the card without anything of the test before."""
    emplace.release()
    torch.cuda.empty_cache()
    yield
    emplace.release()
    torch.cuda.empty_cache()


def gpu(index: int = 0) -> Device:
    return find_devices(type="GPU", index=index)[0]


def place(x: Any) -> str:
    return str(x.device).split("device:")[1]


def split(*limits_mb: int) -> None:
    """Makes logical devices of these sizes of the first card."""
    card = tf.config.list_physical_devices("GPU")[0]
    tf.config.set_logical_device_configuration(
        card, [tf.config.LogicalDeviceConfiguration(memory_limit=mb) for mb in limits_mb]
    )


def grow() -> None:
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)


def reserved() -> int:
    return torch.cuda.memory_reserved(0)


# Listing


def test_every_card_is_listed_with_its_name_and_capability() -> None:
    cards = tf.config.list_physical_devices("GPU")
    assert len(cards) == torch.cuda.device_count()
    for i, card in enumerate(cards):
        assert tf.config.experimental.get_device_details(card) == {
            "device_name": torch.cuda.get_device_name(i),
            "compute_capability": torch.cuda.get_device_capability(i),
        }


def test_the_table_of_devices_shows_the_cards_memory() -> None:
    grow()
    rows = [row for row in emplace.devices() if row.logical.startswith("GPU")]
    assert rows[0].memory_bytes == torch.cuda.get_device_properties(0).total_memory
    assert rows[0].backend in ("cuda", "rocm")


def test_ops_run_on_the_first_card_by_default() -> None:
    grow()
    x = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2]))
    assert place(x) == "GPU:0"
    assert x._value.device == torch.device("cuda", 0)
    assert x.numpy().tolist() == [[2, 2], [2, 2]]


# How much is taken


def test_nearly_all_memory_is_mapped_at_the_first_use_by_default() -> None:
    free, _ = torch.cuda.mem_get_info(0)
    tf.constant(1.0)
    assert reserved() > free * 0.85 - SYSTEM_BYTES
    assert torch.cuda.memory_allocated(0) < MB


def test_mapped_memory_serves_large_tensors() -> None:
    tf.constant(1.0)
    before = reserved()
    kept = tf.zeros([64 * MB])
    assert reserved() - before < 64 * MB
    assert kept.shape == [64 * MB]


def test_with_growth_only_what_is_needed_is_mapped() -> None:
    grow()
    kept = tf.ones([MB])
    assert reserved() <= 64 * MB
    assert kept is not None


def test_a_fresh_runtime_may_use_what_the_last_one_mapped() -> None:
    tf.constant(1.0)
    before = gpu().limit_bytes
    emplace.reset()
    after = gpu().limit_bytes
    assert before is not None
    assert after is not None
    assert abs(after - before) < 512 * MB


def test_a_fraction_is_one_of_the_whole_memory() -> None:
    tf.config.gpu.set_per_process_memory_fraction(0.25)
    total = torch.cuda.get_device_properties(0).total_memory
    assert gpu().limit_bytes == int(total * 0.25)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="GPU_0_budget"):
        tf.zeros([total // 4])


# Limits and running out


def test_a_limit_is_mapped_and_never_passed() -> None:
    split(256)
    kept = tf.ones([50 * MB])
    assert 256 * MB <= reserved() <= 320 * MB
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"of 256\.00 MiB are in use"):
        tf.ones([20 * MB])
    assert reserved() <= 320 * MB
    assert kept is not None


def test_memory_info_of_a_card_without_a_limit_is_that_of_torch() -> None:
    grow()
    kept = tf.ones([MB])
    info = tf.config.experimental.get_memory_info("GPU:0")
    assert info["current"] == torch.cuda.memory_allocated(0) >= 4 * MB
    del kept
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert tf.config.experimental.get_memory_info("GPU:0")["peak"] < 4 * MB


def test_a_full_card_raises_tensorflows_error_and_work_goes_on() -> None:
    grow()
    total = torch.cuda.get_device_properties(0).total_memory
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        tf.zeros([total])  # four times what there is
    assert caught.value.message.startswith(
        f"OOM when allocating tensor with shape[{total}] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_torch [Op:Fill]"
    )
    assert float(tf.reduce_sum(tf.ones([1024]))) == 1024.0


def test_copying_to_a_full_card_raises_the_same_error() -> None:
    split(64)
    with tf.device("/CPU:0"):
        host = tf.zeros([32 * MB])
    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating tensor"):
        tf.identity(host)


# Several logical devices on one card


def test_the_second_logical_device_has_a_stream_of_its_own() -> None:
    split(256, 256)
    assert gpu(0).stream is None
    stream = gpu(1).stream
    assert stream is not None
    with gpu(1).running():
        assert torch.cuda.current_stream(0) == stream
    assert torch.cuda.current_stream(0) == torch.cuda.default_stream(0)


def test_each_logical_device_maps_its_own_limit() -> None:
    split(256, 512)
    tf.constant(1.0)
    assert 768 * MB <= reserved() <= 832 * MB
    with tf.device("/GPU:1"):
        kept = tf.ones([100 * MB])
    assert reserved() <= 832 * MB
    assert place(kept) == "GPU:1"


def test_virtual_gpus_live_on_the_card() -> None:
    emplace.virtual_gpus(2, memory="256MB")
    with tf.device("/GPU:1"):
        x = tf.ones([4]) * 3.0
    assert x._value.is_cuda
    assert gpu(1).stream is not None
    assert x.numpy().tolist() == [3, 3, 3, 3]
    with tf.device("/GPU:1"), pytest.raises(tf.errors.ResourceExhaustedError, match="GPU_1_budget"):
        tf.zeros([128 * MB])


def slowly_made(value: float) -> Any:
    """A large matrix that the card needs a while to compute: all elements are `value`."""
    x = tf.ones([4096, 4096]) / 4096.0
    for _ in range(8):
        x = tf.matmul(x, x)  # averages of averages: it stays what it is
    return x * (4096.0 * value)


def ends(tensor: Any) -> tuple[float, float]:
    array = tensor.numpy()
    return float(array.min()), float(array.max())


@pytest.mark.parametrize("target", ["CPU:0", "GPU:0"])
def test_a_copy_waits_for_what_it_copies(target: str) -> None:
    split(2048, 2048)
    for value in range(1, 6):
        with tf.device("/GPU:1"):
            made = slowly_made(float(value))
        with tf.device(f"/{target}"):
            copied = tf.identity(made)
        assert np.allclose(copied.numpy(), value)


def test_numpy_waits_for_a_logical_devices_stream() -> None:
    split(2048, 2048)
    with tf.device("/GPU:1"):
        assert np.allclose(slowly_made(3.0).numpy(), 3.0)


@pytest.mark.parametrize(("holder", "reader"), [(0, 1), (1, 0)])
def test_a_variable_is_not_changed_while_another_stream_still_copies_it(
    holder: int, reader: int
) -> None:
    split(2048, 2048)
    with tf.device(f"/GPU:{holder}"):
        v = tf.Variable(tf.zeros([32 * MB]))
        one = tf.ones([32 * MB])
    for before in range(10):
        with tf.device(f"/GPU:{reader}"):
            slowly_made(1.0)  # keeps the reader's stream busy, so that its copy comes late
            seen = tf.identity(v)
        v.assign_add(one)
        assert ends(seen) == (before, before)


def test_freed_memory_is_not_reused_while_another_stream_still_reads_it() -> None:
    split(2048, 2048)
    for value in range(10):
        with tf.device("/GPU:1"):
            source = tf.fill([16 * MB], float(value))
        with tf.device("/GPU:0"):
            slowly_made(1.0)
            copied = tf.identity(source)
        del source
        with tf.device("/GPU:1"):
            tf.fill([16 * MB], -1.0)
        assert ends(copied) == (value, value)


def test_copies_go_between_all_cards() -> None:
    grow()
    count = torch.cuda.device_count()
    for i in range(count):
        with tf.device(f"/GPU:{i}"):
            x = tf.fill([1024], float(i + 1))
        for j in range(count):
            with tf.device(f"/GPU:{j}"):
                assert set((x + 0.0).numpy().tolist()) == {i + 1.0}


# Copies from the host


def test_a_copy_from_the_host_does_not_wait_for_the_card() -> None:
    grow()
    here = np.ones([16 * MB], np.float32)
    tf.constant(here)  # pinning memory takes a while, the first time
    for _ in range(3):
        slowly_made(1.0)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(20):
            slowly_made(1.0)
        copied = tf.constant(here)
        asked = time.perf_counter() - start
        torch.cuda.synchronize()
        if asked < (time.perf_counter() - start) / 2:
            break
    else:
        pytest.fail("the host waited for the copy")
    assert ends(copied) == (1.0, 1.0)


def test_values_that_change_after_the_copy_was_asked_for_arrive_as_they_were() -> None:
    grow()
    for value in range(10):
        here = np.full([16 * MB], value, np.float32)
        slowly_made(1.0)
        copied = tf.constant(here)
        here.fill(-1.0)
        assert ends(copied) == (value, value)


# Torch


def test_a_torch_tensor_on_the_card_is_adopted_there_without_a_copy() -> None:
    grow()
    source = torch.ones(4, device="cuda:0")
    tensor = tf.convert_to_tensor(source)
    source[0] = 50.0
    torch.cuda.synchronize()
    assert place(tensor) == "GPU:0"
    assert tensor.numpy().tolist() == [50, 1, 1, 1]


def test_dlpack_keeps_tensors_on_the_card() -> None:
    grow()
    dlpack = tf.experimental.dlpack
    tensor = tf.constant([1.0, 2.0])
    assert torch.from_dlpack(tensor).is_cuda
    back = dlpack.from_dlpack(dlpack.to_dlpack(tensor))
    assert (place(back), back.numpy().tolist()) == ("GPU:0", [1.0, 2.0])
