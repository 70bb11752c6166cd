"""Memory budgets of virtual GPUs: what is charged, what is refused and when, what is given back."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psutil
import pytest
import torch

import emplace.tensorflow as tf
from emplace.devices.device import Device
from emplace.devices.inventory import find_devices
from emplace.devices.memory import Usage
from emplace.ops.op import REGISTRY, Op, apply, op

KB, MB = 1 << 10, 1 << 20
FULL_NAME = "/job:localhost/replica:0/task:0/device:GPU:0"

small = pytest.mark.gpus(2, memory="64MB")


def gpu(index: int = 0) -> Device:
    return find_devices(type="GPU", index=index)[0]


def usage(index: int = 0) -> Usage:
    budget = gpu(index).budget
    assert budget is not None
    return budget.usage()


def in_use(index: int = 0) -> int:
    return usage(index).in_use


def made(nbytes: int, value: float = 1.0, index: int = 0) -> Any:
    """A float32 vector of that many bytes on a GPU; its scalar is made on the host, for nothing."""
    with tf.device("/CPU:0"):
        scalar = tf.constant(value)
    with tf.device(f"/GPU:{index}"):
        return tf.fill([nbytes // 4], scalar)


def grown(before: int) -> float:
    """MiB more in use than before, without the few bytes of scalars."""
    return round((in_use() - before) / MB, 1)


def settled(index: int = 0) -> int:
    """Bytes in use once Python scalars and other things made once are there."""
    made(4, index=index)
    return in_use(index)


@pytest.fixture
def little_garbage() -> Iterator[None]:
    """A refusal collects garbage, which would take long among all that pytest has made."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def own_op() -> Iterator[Callable[..., Op]]:
    """Declares an op for one test."""
    names = []

    def declare(name: str, *args: Any, **options: Any) -> Op:
        names.append(name)
        return op(name, *args, **options)

    yield declare
    for name in names:
        del REGISTRY[name]


# Refusing


@small
def test_an_allocation_that_would_pass_the_limit_is_refused_before_it_happens() -> None:
    settled()
    process = psutil.Process()
    for _ in range(2):  # the first error loads what it says
        before = process.memory_info().rss
        with tf.device("/GPU:0"), pytest.raises(tf.errors.ResourceExhaustedError):
            tf.zeros([64 << 30])  # 256 GB, which no machine that runs this test has
    assert process.memory_info().rss - before < MB


@small
def test_the_kernel_of_a_refused_op_is_not_called(own_op: Callable[..., Op]) -> None:
    calls = []

    def kernel(x: torch.Tensor) -> torch.Tensor:
        calls.append(x)
        return x + x

    twice = own_op("TestTwice", "x: float32 -> y: float32", kernel, lambda x: x)
    big = made(40 * MB)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        apply(twice, (big,))
    assert calls == []


@small
def test_a_copy_to_a_full_gpu_is_refused_before_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.device("/CPU:0"):
        host = tf.zeros([20 * MB])
    copies = []
    copy = type(gpu().backend).copy
    monkeypatch.setattr(
        type(gpu().backend), "copy", lambda *args: copies.append(args) or copy(*args)
    )
    with tf.device("/GPU:0"), pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when"):
        tf.identity(host)
    assert copies == []


@small
def test_the_error_names_the_op_the_line_the_numbers_and_the_holders() -> None:
    kept = made(40 * MB)
    more = made(10 * MB)
    del more
    with tf.device("/GPU:0"), pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        tf.fill([4, 2, MB], kept[0])
    assert re.sub(r"budgets.py:\d+", "budgets.py:7", caught.value.message) == (
        f"OOM when allocating tensor with shape[4,2,{MB}] and type float on {FULL_NAME} "
        "by allocator GPU_0_budget [Op:Fill]\n"
        "Fill (test_budgets.py:7) needs 32.00 MiB on GPU:0; 40.00 MiB of 64.00 MiB are in use, "
        "24.00 MiB are left (peak 50.00 MiB).\n"
        "other: 40.00 MiB in 1\n"
        f"   40.00 MiB  kept  Fill [{10 * MB}] float32, test_budgets.py:7\n"
        "What would help:\n"
        "  The name `kept` of test_the_error_names_the_op_the_line_the_numbers_and_the_holders "
        "(test_budgets.py:7) keeps 1 value, 40.00 MiB: let it go in time.\n"
        '  GPU:1 has 64.00 MiB left: `with tf.device("GPU:1"):`.\n'
        "  8.00 MiB more memory would do: a larger device."
    )
    assert caught.value.error_code == 8


@small
def test_the_biggest_holders_are_named_largest_first() -> None:
    kept = [made(size * MB) for size in (3, 9, 6, 12)]
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        made(60 * MB)
    rows = re.findall(r"([\d.]+ MiB)  (kept\[\d\])", caught.value.message)
    assert rows == [
        ("12.00 MiB", "kept[3]"), ("9.00 MiB", "kept[1]"), ("6.00 MiB", "kept[2]"),
        ("3.00 MiB", "kept[0]"),
    ]  # fmt: skip
    assert len(kept) == 4


@small
def test_work_goes_on_after_a_refusal_and_more_fits_when_tensors_are_freed() -> None:
    kept = made(40 * MB)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        made(40 * MB)
    assert float(tf.reduce_sum(made(4 * KB))) == 1024.0
    del kept
    assert made(40 * MB).shape == [10 * MB]


@small
def test_a_tensor_as_large_as_the_limit_fits_and_one_element_more_does_not() -> None:
    budget = gpu().budget
    assert budget is not None
    budget.reserve(64 * MB)
    budget.cancel(64 * MB)
    settled()
    room = 64 * MB - in_use()
    room -= 256  # the scalar that fill brings over
    assert made(room).shape == [room // 4]
    with pytest.raises(tf.errors.ResourceExhaustedError):
        made(room + 4)


@small
def test_one_gpu_being_full_leaves_the_others_alone() -> None:
    kept = made(60 * MB)
    assert made(60 * MB, index=1).device.endswith("GPU:1")
    assert kept is not None


@small
def test_observers_hear_of_a_refusal() -> None:
    import emplace

    with emplace.watch() as seen, pytest.raises(tf.errors.ResourceExhaustedError):
        made(80 * MB)
    assert seen.report().to_dict()["refused_allocations"] == {"GPU:0": 1}


@small
def test_an_op_whose_size_no_rule_tells_is_charged_and_dropped_if_too_large(
    own_op: Callable[..., Op],
) -> None:
    def grown(x: torch.Tensor) -> torch.Tensor:
        return torch.zeros(10 * MB, device=x.device)

    grow = own_op("TestGrow", "x: float32 -> y: float32", grown, None)
    one = made(4)
    before = in_use()
    kept = apply(grow, (one,))
    assert in_use() - before == 40 * MB
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[10485760\] and type float"):
        apply(grow, (one,))
    assert in_use() - before == 40 * MB
    del kept
    assert in_use() == before


@small
def test_an_op_that_makes_more_than_its_rule_told_is_charged_for_all_of_it(
    own_op: Callable[..., Op],
) -> None:
    def narrow(x: torch.Tensor) -> torch.Tensor:
        return torch.zeros(10 * MB, device=x.device)[: x.numel()]

    wasteful = own_op("TestWasteful", "x: float32 -> y: float32", narrow, lambda x: x)
    one = made(4)
    before = in_use()
    kept = apply(wasteful, (one,))
    assert in_use() - before == 40 * MB
    with pytest.raises(tf.errors.ResourceExhaustedError):
        apply(wasteful, (one,))
    assert in_use() - before == 40 * MB
    assert kept.shape == [1]


@small
def test_a_failing_kernel_gives_its_reservation_back(own_op: Callable[..., Op]) -> None:
    def kernel(x: torch.Tensor) -> torch.Tensor:
        raise ValueError("no luck")

    unlucky = own_op("TestUnlucky", "x: float32 -> y: float32", kernel, lambda x: x)
    one = made(MB)
    before = in_use()
    with pytest.raises(tf.errors.InvalidArgumentError, match="no luck"):
        apply(unlucky, (one,))
    assert in_use() == before


@small
def test_an_interrupted_kernel_gives_its_reservation_back(own_op: Callable[..., Op]) -> None:
    def kernel(x: torch.Tensor) -> torch.Tensor:
        raise KeyboardInterrupt

    endless = own_op("TestEndless", "x: float32 -> y: float32", kernel, lambda x: x)
    one = made(MB)
    before = in_use()
    with pytest.raises(KeyboardInterrupt):
        apply(endless, (one,))
    assert in_use() == before


@small
def test_a_failed_copy_gives_its_reservation_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = settled()

    def broken(self: Any, value: torch.Tensor, i: int) -> torch.Tensor:
        raise RuntimeError("the cable is broken")

    monkeypatch.setattr(type(gpu().backend), "copy", broken)
    with tf.device("/GPU:0"), pytest.raises(tf.errors.InvalidArgumentError, match="cable"):
        tf.constant([1.0, 2.0])
    assert in_use() == before


@small
def test_a_copy_that_comes_back_larger_than_its_source_is_refused_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = settled()
    wasteful = staticmethod(lambda value, i: torch.zeros(20 * MB)[: value.numel()])
    monkeypatch.setattr(type(gpu().backend), "copy", wasteful)
    with tf.device("/GPU:0"), pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[2\]"):
        tf.constant([1.0, 2.0])
    assert in_use() == before


@small
def test_shapes_that_do_not_fit_charge_nothing() -> None:
    a, b = made(4 * KB), made(8 * KB)
    before = in_use()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1024\] vs. \[2048\]"):
        tf.add(a, b)
    assert in_use() == before


@small
@pytest.mark.usefixtures("little_garbage")
@pytest.mark.slow
def test_a_thousand_refusals_leak_nothing() -> None:
    kept = made(50 * MB)
    process = psutil.Process()

    def refused(times: int) -> None:
        for _ in range(times):
            with pytest.raises(tf.errors.ResourceExhaustedError):
                made(20 * MB)

    refused(100)
    rss, before = process.memory_info().rss, in_use()
    refused(1000)
    assert in_use() == before
    assert process.memory_info().rss - rss < 5 * MB
    assert kept is not None


# What is charged


@small
@pytest.mark.parametrize(("count", "charged"), [(1, 256), (64, 256), (65, 512), (1000, 4096)])
def test_every_storage_counts_as_a_multiple_of_256_bytes(count: int, charged: int) -> None:
    before = settled()
    kept = made(4 * count)
    assert in_use() - before == charged
    del kept
    assert in_use() == before


@small
def test_memory_info_of_a_thousand_floats_is_4096_bytes_as_in_tensorflow() -> None:
    info = tf.config.experimental.get_memory_info
    tf.config.experimental.reset_memory_stats("GPU:0")
    with tf.device("/CPU:0"):
        host = tf.ones([1000])
    with tf.device("/GPU:0"):
        there = tf.identity(host)
    assert info("GPU:0") == {"current": 4096, "peak": 4096}
    del there
    assert info("GPU:0") == {"current": 0, "peak": 4096}
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert info("GPU:0") == {"current": 0, "peak": 0}


@small
def test_the_peak_after_a_reset_starts_from_what_is_in_use() -> None:
    kept = made(MB)
    made(8 * MB)
    assert usage().peak >= 9 * MB
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert usage().peak == usage().in_use
    made(MB)
    assert usage().peak == usage().in_use + MB + 256  # with the scalar that fill brought over
    assert kept is not None


@small
def test_the_cpu_counts_nothing() -> None:
    with tf.device("/CPU:0"):
        kept = tf.zeros([MB])
    assert tf.config.experimental.get_memory_info("CPU:0") == {"current": 0, "peak": 0}
    assert kept is not None


@small
def test_empty_tensors_cost_nothing() -> None:
    before = settled()
    kept = [made(0), made(0)]
    assert in_use() == before
    assert len(kept) == 2


VIEWS: dict[str, Callable[[Any], Any]] = {
    "identity": tf.identity,
    "reshape": lambda x: tf.reshape(x, [-1]),
    "transpose": tf.transpose,
    "expand_dims": lambda x: tf.expand_dims(x, 0),
    "squeeze": lambda x: tf.squeeze(x[:, :1]),
    "unstack": tf.unstack,
    "a slice": lambda x: x[10:20, ::3],
    "a row": lambda x: x[3],
    "broadcast_to": lambda x: tf.broadcast_to(x, [50, 256, 1024]),
    "identity of a transposed one": lambda x: tf.identity(tf.transpose(x)),
}


@small
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS.keys())
def test_views_cost_nothing_even_on_a_full_gpu(view: Callable[[Any], Any]) -> None:
    x = tf.reshape(made(MB), [256, 1024])
    filler = made(64 * MB - in_use() - 256)
    before = in_use()
    seen = view(x)
    assert in_use() == before
    assert (seen is not None) is (filler is not None)


@small
def test_a_view_keeps_the_whole_storage_charged() -> None:
    before = settled()
    row = tf.reshape(made(MB), [256, 1024])[0]
    assert in_use() - before == MB
    del row
    assert in_use() == before


COPIES: dict[str, Callable[[Any], Any]] = {
    "a reversed slice": lambda x: x[::-1],
    "reshape of a transposed one": lambda x: tf.reshape(tf.transpose(x), [-1]),
    "negative": tf.negative,
}


@small
@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES.keys())
def test_what_looks_like_a_view_and_is_a_copy_is_refused_on_a_full_gpu(
    copy: Callable[[Any], Any],
) -> None:
    x = tf.reshape(made(MB), [256, 1024])
    filler = made(64 * MB - in_use() - 256)
    before = in_use()
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"1\.00 MiB on GPU:0"):
        copy(x)
    assert in_use() == before
    del filler


@small
def test_several_outputs_of_one_op_are_all_charged() -> None:
    logits = tf.reshape(made(MB), [1024, 256])
    with tf.device("/GPU:0"):
        labels = tf.zeros([1024], tf.int64)
        before = in_use()
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    # The op makes a second output as large as the logits, which is dropped at once.
    assert in_use() - before == 4 * KB
    assert usage().peak - before >= MB + 4 * KB
    assert loss.shape == [1024]


@small
def test_constants_are_charged_and_given_back() -> None:
    before = settled()
    with tf.device("/GPU:0"):
        kept = tf.constant(np.zeros(MB // 4, np.float32))
    assert in_use() - before == MB
    del kept
    assert in_use() == before


@small
def test_copies_of_inputs_are_charged_while_the_op_runs_and_then_given_back() -> None:
    other = made(MB, index=1)
    x = made(MB)
    tf.config.experimental.reset_memory_stats("GPU:0")
    before = in_use()
    with tf.device("/GPU:0"):
        total = x + other
    assert in_use() - before == MB
    assert usage().peak - before == 2 * MB
    assert total is not None


@small
def test_a_variable_is_charged_once_and_shares_the_memory_of_its_initial_value() -> None:
    before = settled()
    first = made(MB)
    variable = tf.Variable(first)
    assert in_use() - before == MB
    del first
    assert in_use() - before == MB
    del variable
    assert in_use() == before


@small
def test_a_variable_changed_in_place_needs_no_memory() -> None:
    variable = tf.Variable(made(30 * MB))
    step = made(30 * MB)
    before = in_use()
    for _ in range(3):
        variable.assign_add(step)
        variable.assign_sub(step)
    variable[:4].assign([1.0, 1.0, 1.0, 1.0])
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert in_use() <= before + 2048  # scalars and indices
    assert float(variable[5]) == 1.0


CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "assign_add": lambda v, x: v.assign_add(x),
    "assign_sub": lambda v, x: v.assign_sub(x),
    "slice assign": lambda v, x: v[:4].assign(x[:4]),
}


@small
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_variable_that_must_be_copied_to_change_is_refused_unchanged(
    change: Callable[[Any, Any], Any],
) -> None:
    step = made(20 * MB, 5.0)
    variable = tf.Variable(made(20 * MB))
    held = variable.value()
    filler = made(64 * MB - in_use() - 256)
    before = in_use()
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[5242880\] and type float"):
        change(variable, step)
    assert in_use() == before
    assert float(tf.reduce_sum(variable[:100])) == 100.0
    del filler, held
    change(variable, step)
    assert float(variable[0]) != 1.0


@small
def test_what_a_copied_variable_held_before_stays_charged_only_while_it_is_held() -> None:
    variable = tf.Variable(made(MB))
    step = made(MB)
    before = in_use()
    held = variable.value()
    variable.assign_add(step)
    assert in_use() - before == MB
    del held
    assert in_use() == before


@small
def test_a_tape_holds_what_it_needs_and_gives_it_back() -> None:
    x = made(MB)
    before = in_use()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
        del y
    assert grown(before) == 2
    grad = tape.gradient(z, x)
    assert grown(before) == 2
    del z, grad
    assert grown(before) == 0


@small
def test_a_persistent_tape_holds_its_memory_until_it_is_deleted() -> None:
    x = made(MB)
    settled()
    before = in_use()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    del y
    gc.collect()
    assert grown(before) == 1
    del tape
    gc.collect()
    assert grown(before) == 0


@small
def test_tensors_in_a_dead_cycle_are_given_back_when_it_is_collected() -> None:
    before = settled()
    gc.disable()
    try:
        knot: list[Any] = [made(MB)]
        knot.append(knot)
        del knot
        assert in_use() - before == MB
    finally:
        gc.enable()
    gc.collect()
    assert in_use() == before


@small
def test_a_refusal_is_final_only_after_dead_cycles_were_collected() -> None:
    gc.disable()
    try:
        for _ in range(3):
            knot: list[Any] = [made(40 * MB)]
            knot.append(knot)
            del knot
    finally:
        gc.enable()


@small
@pytest.mark.not_strict("DLPack shares memory, which only host memory and hardware can")
def test_a_numpy_view_made_through_dlpack_keeps_the_charge_until_it_dies() -> None:
    before = settled()
    x = made(MB)
    view = np.from_dlpack(x)
    del x
    gc.collect()
    assert in_use() - before == MB
    part = view[:1]
    del view
    assert in_use() - before == MB
    del part
    assert in_use() == before


@small
@pytest.mark.not_strict("DLPack shares memory, which only host memory and hardware can")
def test_a_dlpack_capsule_and_a_torch_tensor_keep_the_charge_until_they_die() -> None:
    before = settled()
    x = made(MB)
    capsule = x.__dlpack__()
    del x
    assert in_use() - before == MB
    taken = torch.from_dlpack(capsule)
    del capsule
    assert in_use() - before == MB
    del taken
    assert in_use() == before


@small
def test_a_numpy_copy_keeps_nothing() -> None:
    before = settled()
    x = made(MB)
    copy = x.numpy()
    del x
    assert in_use() == before
    assert copy.shape == (MB // 4,)


@small
def test_tensors_of_an_earlier_runtime_burden_only_that_one() -> None:
    import emplace

    old = made(MB)
    emplace.reset()
    assert in_use() == 0
    with tf.device("/GPU:0"):
        there = tf.identity(old)
    assert in_use() == MB
    assert there.numpy()[0] == 1.0


# Limits, growth, fractions


@pytest.mark.gpus(1, memory="64MB")
def test_one_gpu_split_into_two_gives_each_its_own_limit() -> None:
    card = tf.config.list_physical_devices("GPU")[0]
    halves = [tf.config.LogicalDeviceConfiguration(memory_limit=16)] * 2
    tf.config.set_logical_device_configuration(card, halves)
    kept = [made(15 * MB), made(15 * MB, index=1)]
    for index in (0, 1):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"of 16\.00 MiB are in use"):
            made(2 * MB, index=index)
    assert len(kept) == 2


@pytest.mark.gpus(4, memory="4GB")
def test_splitting_one_of_four_gpus_makes_five_numbered_through() -> None:
    card = tf.config.list_physical_devices("GPU")[0]
    tf.config.set_logical_device_configuration(
        card, [tf.config.LogicalDeviceConfiguration(memory_limit=1024)] * 2
    )
    names = [device.name for device in tf.config.list_logical_devices("GPU")]
    assert names == [f"/device:GPU:{i}" for i in range(5)]
    assert [usage(i).limit for i in range(5)] == [1024 * MB] * 2 + [4096 * MB] * 3


@pytest.mark.gpus(1, memory="64MB")
def test_logical_gpus_together_hold_no_more_than_the_card_has() -> None:
    card = tf.config.list_physical_devices("GPU")[0]
    tf.config.set_logical_device_configuration(
        card, [tf.config.LogicalDeviceConfiguration(memory_limit=48)] * 2
    )
    first = made(40 * MB)
    with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
        made(40 * MB, index=1)
    assert "on the hardware that GPU:1 shares with others; 40.00 MiB of 64.00 MiB" in str(
        caught.value
    )
    assert re.search(r"  40.00 MiB  first +Fill ", str(caught.value))
    assert in_use(1) == 0 or in_use(1) == 256
    assert first is not None


@pytest.mark.gpus(1, memory="64MB")
def test_what_one_logical_gpu_frees_its_neighbour_may_have_at_once() -> None:
    card = tf.config.list_physical_devices("GPU")[0]
    tf.config.set_logical_device_configuration(
        card, [tf.config.LogicalDeviceConfiguration(memory_limit=48)] * 2
    )
    for _ in range(3):
        for index in (0, 1):
            assert made(40 * MB, index=index).shape == [10 * MB]


@pytest.mark.gpus(1, memory="64MB")
def test_without_growth_the_whole_limit_is_reserved_at_the_first_allocation() -> None:
    assert usage().reserved == 0
    kept = made(4)
    assert usage().reserved == 64 * MB
    assert kept is not None


def reserved_after(sizes: list[int]) -> list[int]:
    """MiB reserved after tensors of these sizes in MiB were made with memory growth, on a GPU
    whose scalar of 256 bytes is there first.
    """
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)
    with tf.device("/GPU:0"):
        scalar = tf.identity(tf.constant(1.0))
        kept, seen = [], []
        for size in sizes:
            kept.append(tf.fill([size * MB // 4], scalar))
            seen.append(usage().reserved // MB)
    return seen


@pytest.mark.gpus(1, memory="1GB")
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([1, 3, 8, 16], [2, 6, 14, 30]),  # regions of 2, 4, 8 and 16 MiB
        ([20, 12, 32], [34, 34, 66]),  # 2 and 32, and 32 once more as TensorFlow does
        ([64, 64, 64], [66, 130, 258]),
    ],
)
def test_growth_reserves_regions_as_tensorflow_does(sizes: list[int], expected: list[int]) -> None:
    assert reserved_after(sizes) == expected


@pytest.mark.gpus(1, memory="64MB")
def test_growth_never_reserves_more_than_the_limit_and_never_gives_back() -> None:
    assert reserved_after([30, 30]) == [34, 64]
    gc.collect()
    assert usage().reserved == 64 * MB
    assert in_use() < MB


@pytest.mark.gpus(1, memory="100MB")
def test_a_fraction_bounds_a_gpu_to_that_part_of_its_memory() -> None:
    tf.config.gpu.set_per_process_memory_fraction(0.4)
    assert usage().limit == 40 * MB
    kept = made(39 * MB)
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"of 40\.00 MiB are in use"):
        made(2 * MB)
    assert kept is not None


@small
def test_a_limit_can_be_lowered_while_a_gpu_holds_more() -> None:
    kept = made(40 * MB)
    budget = gpu().budget
    assert budget is not None
    budget.limit_bytes = 20 * MB
    with pytest.raises(tf.errors.ResourceExhaustedError):
        made(KB)
    del kept
    assert made(KB).shape == [256]


# Threads and other surprises


@small
@pytest.mark.usefixtures("little_garbage")
def test_threads_that_allocate_at_once_never_pass_the_limit() -> None:
    settled()
    refused, seen, errors = [], [], []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        for _ in range(60):
            try:
                kept = [made(5 * MB), made(6 * MB)]
                seen.append(in_use())
                del kept
            except tf.errors.ResourceExhaustedError as error:
                refused.append(error.message.split()[0])
            except Exception as error:
                errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert usage().peak <= 64 * MB
    assert max(seen) <= 64 * MB
    assert in_use() < 8 * KB


@small
def test_two_threads_that_settle_one_storage_charge_it_once() -> None:
    budget = gpu().budget
    assert budget is not None
    for _ in range(200):
        value = torch.zeros(1024)
        start = threading.Barrier(2)

        def settle(value: torch.Tensor = value, start: threading.Barrier = start) -> None:
            start.wait()
            budget.settle(0, (value,), "Test")

        threads = [threading.Thread(target=settle) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        del value, settle
    gc.collect()
    assert in_use() == 0


@small
def test_a_storage_that_dies_in_another_thread_is_given_back() -> None:
    before = settled()
    box = [made(MB)]
    thread = threading.Thread(target=box.clear)
    thread.start()
    thread.join()
    assert in_use() == before


@small
def test_a_finalizer_that_runs_ops_inside_the_accounting_does_not_hang() -> None:
    """A collection may start while the budget is locked, and a `__del__` may use the same GPU."""
    before = settled()
    budget = gpu().budget
    assert budget is not None
    ran = []

    class Noisy:
        def __del__(self) -> None:
            ran.append(float(tf.reduce_sum(made(4 * KB))))

    with budget._lock:
        knot: list[Any] = [Noisy()]
        knot.append(knot)
        del knot
        gc.collect()
    assert ran == [1024.0]
    assert in_use() == before


@small
def test_new_storages_with_the_address_of_dead_ones_are_charged() -> None:
    before = settled()
    for _ in range(2000):
        one = made(KB)
        two = tf.negative(one)
        del one
        three = tf.negative(two)
        assert in_use() - before == 2 * KB
        del two, three
    assert in_use() == before


@small
def test_sizes_that_are_numpys_numbers_leave_sums_to_python():
    tf.signal.dct(tf.random.normal([8]), n=np.int32(8))
    assert [type(number) for number in usage()] == [int] * 4
