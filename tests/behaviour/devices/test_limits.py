"""`emplace.limit` and EMPLACE_LIMIT: what a GPU may hold, changed at any time and from outside."""

from __future__ import annotations

import programs
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices

MB = 1 << 20
KEPT = 256  # the constant that fills: each device keeps one

two = pytest.mark.gpus(2, memory="64MB")


def usage(index: int = 0) -> tuple[int, int | None]:
    """What a GPU holds, and its limit, in bytes."""
    budget = find_devices(type="GPU", index=index)[0].budget
    assert budget is not None
    found = budget.usage()
    return found.in_use, found.limit


def fill(megabytes: int) -> tf.Tensor:
    with tf.device("/GPU:0"):
        return tf.fill([megabytes, MB // 4], 1.0)


@two
def test_a_limit_holds_from_now_on_also_after_devices_are_in_use():
    kept = fill(8)
    emplace.limit("GPU:0", "16MB")
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"of 16.00 MiB are in use"):
        fill(9)
    assert usage() == (8 * MB + KEPT, 16 * MB)
    assert usage(1)[1] == 64 * MB
    assert kept.shape == (8, MB // 4)


@two
def test_a_limit_holds_for_a_block_and_what_was_before_comes_back():
    with emplace.limit("/device:GPU:0", 4 * MB) as bound:
        assert repr(bound) == "<limit of GPU:0: 4.00 MiB>"
        with pytest.raises(tf.errors.ResourceExhaustedError):
            fill(5)
        with emplace.limit("GPU:0", "2MB"), pytest.raises(tf.errors.ResourceExhaustedError):
            fill(3)
        fill(3)
    fill(60)
    assert usage()[1] == 64 * MB


@two
def test_less_than_is_in_use_refuses_everything_new_until_enough_has_died():
    kept = fill(10)
    with emplace.limit("GPU:0", "4MB"):
        with pytest.raises(tf.errors.ResourceExhaustedError):
            fill(1)
        with tf.device("/CPU:0"):
            assert float(tf.constant(1.0) + 1.0) == 2.0  # nothing of the host's is refused
        del kept
        fill(3)


@two
def test_none_goes_back_to_what_the_device_began_with():
    emplace.limit("GPU:0", "4MB")
    emplace.limit("GPU:0", None)
    assert usage()[1] == 64 * MB
    assert emplace.devices()[1].limit_bytes == 64 * MB


@two
@pytest.mark.parametrize("run", ["eager", "function", "session"])
def test_a_lower_limit_is_met_by_what_ran_before_it(run: str):
    def work() -> tf.Tensor:
        with tf.device("/GPU:0"):
            return tf.reduce_sum(tf.exp(tf.fill([4, MB], 0.0)) + 1.0)

    if run == "session":
        with tf.compat.v1.Graph().as_default(), tf.compat.v1.Session() as session:
            fetched = work()
            _meets_the_limit(lambda: session.run(fetched))
    else:
        _meets_the_limit(tf.function(work) if run == "function" else work)


def _meets_the_limit(call):
    for _ in range(8):  # long enough for a plan to set its memory aside at once
        assert float(call()) == 8 * MB
    with emplace.limit("GPU:0", "20MB"), pytest.raises(tf.errors.ResourceExhaustedError):
        call()
    assert float(call()) == 8 * MB


@two
def test_a_thousand_changes_leave_nothing_behind():
    kept = fill(4)
    for i in range(1000):
        with emplace.limit("GPU:0", (8 + i % 40) * MB):
            fill(3)
            if i % 3 == 0:
                with pytest.raises(tf.errors.ResourceExhaustedError):
                    fill(50)
    assert usage() == (4 * MB + KEPT, 64 * MB)
    assert kept.shape[0] == 4


@two
@pytest.mark.parametrize(
    ("device", "memory", "text"),
    [
        ("GPU:7", "1MB", r"\[emplace.limit\] 'GPU:7' is no GPU whose memory can be bounded. GPUs "
                         r"here: GPU:0, GPU:1\."),
        ("CPU:0", "1MB", "'CPU:0' is no GPU"),
        ("/job:worker/task:1/device:GPU:0", "1MB", "GPU:0' is no GPU whose memory"),
        ("GPU:0", "much", "'much' is not a memory size"),
        ("GPU:0", -1, "-1 is not a memory size"),
        ("GPU:0", "1GB", r"GPU:0 has 64.00 MiB and cannot hold 1.00 GiB"),
    ],
)  # fmt: skip
def test_what_is_no_limit_is_refused_and_changes_nothing(device: str, memory: object, text: str):
    with pytest.raises(ValueError, match=text):
        emplace.limit(device, memory)  # type: ignore[arg-type]
    assert usage()[1] == 64 * MB


def outside(limit: str, program: str) -> programs.Done:
    text = f"import emplace\nemplace.install()\n{program}"
    return programs.code(text, EMPLACE_LIMIT=limit, EMPLACE_GPUS="2x64MB")


def test_the_environment_bounds_gpus_from_outside():
    program = "print([row.limit_bytes for row in emplace.devices()])"
    assert f"[None, {3 * MB}, {64 * MB}]" in outside("gpu:0=3MB", program).stdout
    # The lower one of two limits holds.
    assert f"[None, {64 * MB}, {MB}]" in outside("GPU:0=1GB,GPU:1=1MB", program).stdout
    split = """
import tensorflow as tf
gpu = tf.config.list_physical_devices("GPU")[0]
L = tf.config.LogicalDeviceConfiguration
tf.config.set_logical_device_configuration(gpu, [L(memory_limit=8), L(memory_limit=16)])
"""
    assert f"[None, {8 * MB}, {4 * MB}, {64 * MB}]" in outside("GPU:1=4MB", split + program).stdout


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        ("GPU:5=1MB", "[EMPLACE_LIMIT='GPU:5=1MB'] GPU:5 is not there. GPUs of this program: "
                      "GPU:0, GPU:1."),
        ("CPU:0=1MB", "[EMPLACE_LIMIT='CPU:0=1MB'] 'CPU:0=1MB' sets no limit."),
        ("GPU:0", "'GPU:0' sets no limit. Write a GPU and a size"),
        ("GPU:0=lots", "'lots' is not a memory size"),
    ],
)  # fmt: skip
def test_an_environment_that_bounds_nothing_is_an_error(limit: str, text: str):
    done = outside(limit, "emplace.devices()")
    assert done.returncode == 1
    assert text in done.stderr


# -- giving memory back ----------------------------------------------------------------------------


@two
def test_release_says_what_it_freed_and_what_holds_the_rest():
    kept = fill(8)
    circle = [fill(4)]
    circle.append(circle)
    del circle
    gone = emplace.release()
    first, second = gone
    assert (first.device, first.freed_bytes, first.in_use_bytes) == ("GPU:0", 4 * MB + KEPT, 8 * MB)
    assert first.holders == [{"op": "Fill", "shape": [8, MB // 4], "bytes": 8 * MB}]
    assert (second.freed_bytes, second.in_use_bytes, second.holders) == (0, 0, [])
    assert str(gone).splitlines() == [
        "GPU:0 freed 4.00 MiB, gave back 0 B, holds 8.00 MiB. Largest: 8.00 MiB from Fill [8, "
        "262144]",
        "GPU:1 freed 0 B, gave back 0 B, holds 0 B",
    ]
    assert gone.to_dict()[0]["in_use_bytes"] == 8 * MB
    assert kept.shape[0] == 8


@two
def test_release_gives_back_what_growth_has_mapped():
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    fill(10)
    assert emplace.release()[0].returned_bytes == (2 + 16) * MB  # as TensorFlow maps regions
    fill(1)
    assert emplace.release()[0].returned_bytes == 2 * MB


def test_release_of_no_gpu_says_so():
    assert str(emplace.release()) == "no GPU, nothing to give back"
