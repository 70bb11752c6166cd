"""Functions on bounded devices that are far from the limit run as if nobody counted, and what is
counted stays right.
"""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.devices.memory import Budget, OutOfBudget
from emplace.graph.codegen import calls
from emplace.ops.variables.resource import Storage

instrumented_on_strict_gpus = pytest.mark.not_strict(
    "plans on strict GPUs keep their instrumented form"
)
MB = 1 << 20
RUNS = 12


def budget(index=0):
    return find_devices(type="GPU", index=index)[0].budget


def plan_of(function):
    (plan,) = function.plans()
    return plan


def is_plain(function):
    reservation = plan_of(function).reservation
    return reservation is not None and reservation.is_plain


def long_step(x):
    y = tf.matmul(x, x)
    z = tf.tanh(y) + y
    return tf.reduce_sum(z * z), z


def tensor(size, index=0):
    with tf.device(f"GPU:{index}"):
        return tf.random.uniform([size, size])


@pytest.mark.gpus(1, memory="64MB")
@instrumented_on_strict_gpus
def test_after_some_runs_a_plan_counts_as_a_careful_one_does():
    function = tf.function(long_step)
    x = tensor(256)
    seen = []
    for _ in range(RUNS):
        gc.collect()
        before = budget().usage().in_use
        moment = budget().mark()
        result = function(x)
        seen.append((budget().usage().in_use - before, budget().peak_since(moment) - before))
        del result
    assert is_plain(function)
    assert set(seen) == {seen[0]}
    assert seen[0][0] == 256 * 256 * 4 + 256
    gc.collect()
    assert budget().usage().in_use == before


@pytest.mark.gpus(1, memory="64MB")
def test_what_a_plan_returns_is_told_with_the_op_that_made_it():
    function = tf.function(long_step)
    x = tensor(512)
    kept = [function(x) for _ in range(RUNS)]
    names = [charge.op_name for charge in budget().biggest(100)]
    assert names.count("AddV2") == RUNS
    assert np.allclose(kept[0][1], kept[-1][1])


@pytest.mark.gpus(1, memory="8MB")
@instrumented_on_strict_gpus
def test_without_room_a_plan_runs_carefully_and_refuses():
    function = tf.function(long_step)
    x = tensor(512)  # 1 MB; a run takes 3 MB at most
    for _ in range(RUNS):
        function(x)
    assert is_plain(function)
    held = [tensor(512) for _ in range(5)]
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"OOM when allocating tensor"):
        function(x)
    in_use = budget().usage().in_use
    del held
    function(x)
    gc.collect()
    assert budget().usage().in_use == in_use - 5 * MB
    assert budget().usage().peak <= 8 * MB


@pytest.mark.gpus(1, memory="16MB")
@instrumented_on_strict_gpus
def test_a_step_that_is_refused_changes_no_variable_however_often_it_ran():
    with tf.device("GPU:0"):
        v, w = tf.Variable(tf.zeros([512, 512])), tf.Variable(tf.zeros([512, 512]))

    @tf.function
    def step(x):
        v.assign_add(x)
        y = tf.matmul(x, x)
        w.assign_add(tf.tanh(y) + y)

    x = tensor(512)
    for _ in range(RUNS):
        step(x)
    assert is_plain(step)
    before = v.numpy()
    held = [tensor(512) for _ in range(11)]
    with pytest.raises(tf.errors.ResourceExhaustedError):
        step(x)
    assert np.array_equal(v.numpy(), before)
    del held


@pytest.mark.gpus(1, memory="64MB")
@instrumented_on_strict_gpus
def test_a_failing_operation_gives_back_what_was_set_aside():
    @tf.function
    def step(x, place):
        y = tf.tanh(x) * x + 1.0
        with tf.device("CPU:0"):
            picked = tf.gather(y, place)
        return picked * 2.0 + 1.0

    x, good, bad = tensor(256), tf.constant(0), tf.constant(999)
    for _ in range(RUNS):
        step(x, good)
    assert is_plain(step)
    gc.collect()
    before = budget().usage().in_use
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"999 is not in \[0, 256\)"):
        step(x, bad)
    gc.collect()
    assert budget().usage().in_use == before


@pytest.mark.gpus(1, memory="64MB")
@instrumented_on_strict_gpus
def test_variables_pay_for_themselves_once():
    with tf.device("GPU:0"):
        v = tf.Variable(tf.zeros([256, 256]))

    @tf.function
    def step(x):
        v.assign(tf.tanh(x) + x * x)

    x = tensor(256)
    peaks, levels = [], []
    for _ in range(RUNS):
        gc.collect()
        before = budget().usage().in_use
        moment = budget().mark()
        step(x)
        peaks.append(budget().peak_since(moment) - before)
        levels.append(budget().usage().in_use)
    assert is_plain(step)
    assert len(set(peaks)) == 1
    assert len(set(levels)) == 1


@pytest.mark.gpus(1, memory="64MB")
def test_who_listens_hears_of_every_operation_again():
    function = tf.function(long_step)
    x = tensor(64)
    for _ in range(RUNS):
        function(x)
    with emplace.watch() as seen:
        function(x)
    assert {"MatMul", "Tanh"} <= {row["op"] for row in seen.report().to_dict()["ops"]}


@pytest.mark.gpus(1, memory="64MB")
def test_loops_and_unknown_sizes_stay_careful():
    @tf.function
    def looped(x):
        for _ in tf.range(tf.cast(x[0, 0] * 0.0 + 3.0, tf.int32)):
            x = tf.tanh(x) + x
        return x

    @tf.function
    def masked(x):
        y = tf.tanh(x) + x
        return tf.boolean_mask(y, y > 0.5) * 2.0 + 1.0

    for function in (looped, masked):
        for _ in range(RUNS):
            function(tensor(16))
        assert plan_of(function).is_instrumented
        assert plan_of(function).reservation is None


@pytest.mark.gpus(1, memory="64MB")
@instrumented_on_strict_gpus
def test_a_counted_loop_takes_what_it_took_while_it_was_careful():
    """Also when it has become machine code, and where its counter and all iterations are kept."""
    weights = tf.Variable(tf.random.stateless_uniform([16, 16], [1, 2]))

    @tf.function
    def counted(x):
        return tf.while_loop(
            lambda i, y: i < 10, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, weights) + y)), [0, x]
        )

    def kept(x):
        with tf.GradientTape() as tape:
            i, y = counted(x)
        return i, y, tape.gradient(y, weights)

    def alone(x):
        return (*counted(x), tf.constant(0.0))

    x = tensor(16)
    for run in (alone, kept):
        seen, results = set(), []
        run(x)  # plans pay for their constants when they are made
        for _ in range(40):
            gc.collect()
            before, moment = budget().usage().in_use, budget().mark()
            i, y, gradient = run(x)
            seen.add((budget().usage().in_use - before, budget().peak_since(moment) - before))
            results.append((i.numpy(), y.numpy(), gradient.numpy()))
            del i, y, gradient
        assert len(seen) == 1, seen
        for result in results[1:]:
            for now, first in zip(result, results[0], strict=True):
                np.testing.assert_allclose(now, first, rtol=1e-5, atol=1e-6)
    forms = [plan.reservation and plan.reservation.is_plain for plan in counted.plans()]
    assert forms.count(True) == 2  # one that keeps its iterations, and one that does not
    one, other = counted(x), counted(x)
    before = budget().usage().in_use
    assert one[0]._value.data_ptr() != other[0]._value.data_ptr()
    del one, other
    assert budget().usage().in_use == before - 2 * (16 * 16 * 4 + 256)


@pytest.mark.gpus(1, memory="64MB")
def test_a_loop_in_which_values_decide_stays_careful():
    @tf.function
    def branching(x):
        for _ in tf.range(3):
            if tf.reduce_sum(x) > 0.0:
                x = tf.tanh(x) + tf.concat([x, x], 0)[:16]
        return x

    for _ in range(RUNS):
        branching(tensor(16))
    assert plan_of(branching).reservation is None


@pytest.mark.gpus(2, memory="64MB")
@instrumented_on_strict_gpus
def test_two_devices_are_each_charged_for_their_own():
    @tf.function
    def step(x, y):
        with tf.device("GPU:0"):
            a = tf.tanh(x) * x + 1.0
        with tf.device("GPU:1"):
            b = tf.tanh(y) * y + a
        return a, b

    x, y = tensor(256, 0), tensor(256, 1)
    step(x, y)  # which makes the constants
    for _ in range(RUNS):
        gc.collect()
        before = [budget(i).usage().in_use for i in (0, 1)]
        a, b = step(x, y)
        assert [budget(i).usage().in_use - before[i] for i in (0, 1)] == [256 * 1024] * 2
        assert b.device.endswith("GPU:1")
        del a, b
    assert is_plain(step)


@pytest.mark.gpus(1, memory="64MB")
@instrumented_on_strict_gpus
def test_threads_share_a_plan_and_nothing_is_left_behind():
    function = tf.function(long_step)
    x = tensor(128)
    function(x)
    gc.collect()
    before = budget().usage().in_use
    wanted = float(function(x)[0])
    found = []

    def work():
        found.extend(float(function(x)[0]) for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 200
    assert np.allclose(found, wanted)
    gc.collect()
    assert budget().usage().in_use == before
    assert is_plain(function)


@pytest.mark.gpus(1, memory="64MB")
def test_a_tape_gets_its_gradient_however_often_a_function_ran():
    with tf.device("GPU:0"):
        v = tf.Variable(2.0)
    function = tf.function(lambda x: tf.tanh(x * v) * v + x * x + v)
    found = []
    for _ in range(RUNS):
        with tf.GradientTape() as tape:
            y = function(tf.constant(1.5))
        found.append(float(tape.gradient(y, v)))
    assert np.allclose(found, found[0])


@pytest.mark.gpus(1, memory="1MB")
def test_a_plan_whose_constants_fill_the_device_makes_no_second_copy():
    table = np.arange(100_000, dtype=np.float32)

    @tf.function
    def step(x):
        with tf.device("GPU:0"):
            y = tf.tanh(x) + x * 2.0
            return tf.reduce_sum(y * tf.constant(table))

    with tf.device("GPU:0"):
        x = tf.constant(1.0)
    found = [float(step(x)) for _ in range(RUNS)]
    assert len(set(found)) == 1


def fill(held):
    """Takes all memory of a GPU that there is to be had."""
    size = 512
    while size >= 8:
        try:
            held.append(tensor(size))
        except tf.errors.ResourceExhaustedError:
            size //= 2


@pytest.mark.gpus(1, memory="16MB")
@instrumented_on_strict_gpus
def test_a_thread_that_takes_all_memory_meanwhile_does_not_end_a_step_half_way(monkeypatch):
    with tf.device("GPU:0"):
        v, w = tf.Variable(tf.zeros([256, 256])), tf.Variable(tf.zeros([256, 256]))

    @tf.function
    def step(x):
        y = tf.tanh(x) * x + 1.0
        v.assign_add(y)
        w.assign_add(y)

    x = tensor(256)
    for _ in range(RUNS):
        tensors = v.value(), w.value()  # so that changes are copies, which take memory
        step(x)
    assert is_plain(step)
    gc.collect()
    before, others, held, update = v.numpy(), [], [], Storage.update

    def meanwhile(storage, *change):
        if storage is w.handle._value and not others:
            others.append(threading.Thread(target=fill, args=(held,)))
            others[0].start()
            others[0].join()
        update(storage, *change)

    monkeypatch.setattr(Storage, "update", meanwhile)
    tensors = v.value(), w.value()
    step(x)
    assert others
    assert budget().usage().in_use > 14 * MB
    assert np.array_equal(v.numpy(), w.numpy())
    assert not np.array_equal(v.numpy(), before)
    fill(held)  # what was tensors free for the step is there for everybody again
    assert budget().usage().in_use > 16 * MB - 4096
    held.clear()
    del tensors


def test_memory_that_is_promised_to_a_thread_is_free_for_it_alone():
    parent = Budget(1000 * 256)
    one, other = Budget(800 * 256, parent=parent), Budget(800 * 256, parent=parent)
    assert one.reserve_easily(100 * 256, 0, 500 * 256) is False  # a spare of a megabyte is wanted
    one.promise(500 * 256)
    refused = []

    def take(budget, count):
        try:
            budget.reserve(count * 256)
        except OutOfBudget:
            refused.append((budget, count))

    for given in ((one, 301), (one, 300), (other, 201), (other, 200)):
        thread = threading.Thread(target=take, args=given)
        thread.start()
        thread.join()
    assert refused == [(one, 301), (other, 201)]
    one.reserve(500 * 256)
    one.cancel(500 * 256)
    one.promise(-500 * 256)
    thread = threading.Thread(target=take, args=(one, 500))
    thread.start()
    thread.join()
    assert len(refused) == 2


@pytest.mark.gpus(1, memory="64MB")
def test_a_value_is_not_kept_for_its_shape_which_is_known():
    """Keras's losses ask for the shape of what they add up: it stayed until the function's end."""

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def sized(x):
        y = x * 2.0
        size = tf.cast(tf.reduce_prod(tf.shape(y)), tf.float32)
        total = tf.reduce_sum(y) / size
        return tf.exp(x + total)

    x = tensor(1024)
    sized(x)
    gc.collect()
    before, moment = budget().usage().in_use, budget().mark()
    result = sized(x)
    assert budget().peak_since(moment) - before < 2.1 * 4 * MB
    assert result.shape == [1024, 1024]


@pytest.mark.gpus(1, memory="64MB")
@instrumented_on_strict_gpus
@pytest.mark.parametrize(("size", "runs"), [(8, True), (136, False)])
def test_machine_code_within_a_budget_needs_little_for_itself(size, runs, monkeypatch):
    """A loop whose code would hold more than 64 KiB that nobody counts runs as written."""
    ran = []
    run = calls.LoopRun.run
    monkeypatch.setattr(calls.LoopRun, "run", lambda loop: (ran.append(loop), run(loop))[1])

    @tf.function
    def counted(x):
        return tf.while_loop(
            lambda i, y: i < 50, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, y) + y)), [0, x]
        )

    x = tensor(size)
    expected = counted(x)[1].numpy()
    for _ in range(RUNS):
        np.testing.assert_allclose(counted(x)[1], expected, rtol=1e-5, atol=1e-6)
    assert bool(ran) is runs
