"""Pipelines with threads: order, errors, ends; options; elements on devices; rows at once."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.data.elements.structure import Structure
from emplace.data.functions.rowwise import for_rows
from emplace.data.functions.traced import Traced, traced

D = tf.data.Dataset


def numbers(dataset):
    return [int(x) for x in dataset]


def test_parallel_calls_run_at_the_same_time():
    meeting = threading.Barrier(2, timeout=60)

    def meet(x):
        meeting.wait()
        return x

    dataset = D.range(4).map(lambda x: tf.py_function(meet, [x], tf.int64), num_parallel_calls=2)
    assert numbers(dataset) == [0, 1, 2, 3]


def test_parallel_calls_keep_the_order_and_name_the_element_that_fails():
    dataset = D.range(6).map(
        lambda x: tf.py_function(lambda v: 6 // (v - 2), [x], tf.int64), num_parallel_calls=3
    )
    iterator = iter(dataset)
    assert [int(next(iterator)) for _ in range(2)] == [-3, -6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at element 2"):
        next(iterator)
    assert [int(x) for x in iterator] == [6, 3, 2]


def test_a_prefetched_dataset_works_ahead():
    made = threading.Event()

    def generator():
        yield 0
        yield 1
        made.set()

    dataset = D.from_generator(generator, output_signature=tf.TensorSpec((), tf.int32))
    iterator = iter(dataset.prefetch(4))
    assert int(next(iterator)) == 0
    assert made.wait(60)


def test_a_prefetched_dataset_makes_no_more_than_it_may():
    made = []

    def generator():
        for i in range(50):
            made.append(i)
            yield i

    spec = tf.TensorSpec((), tf.int32)
    iterator = iter(D.from_generator(generator, output_signature=spec).prefetch(2))
    for expected in range(10):
        assert int(next(iterator)) == expected
        assert len(made) <= expected + 5


def test_a_buffer_is_filled_up_again_before_it_is_half_empty():
    made = []

    def noted(x):
        made.append(int(x))
        return x

    dataset = tf.data.Dataset.range(100).map(lambda x: tf.py_function(noted, [x], tf.int64))
    elements = iter(dataset.prefetch(42))
    for _ in range(10):
        next(elements)
    end = time.monotonic() + 5
    while len(made) < 52 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(made) == 52


def test_an_error_in_a_thread_comes_where_it_belongs():
    iterator = iter(D.range(3).map(lambda x: 4 // (x - 1)).batch(1).prefetch(2))
    assert int(next(iterator)[0]) == -4
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        next(iterator)
    assert int(next(iterator)[0]) == 4


def test_many_passes_leave_no_threads_behind():
    dataset = D.range(50).map(lambda x: x + 1, num_parallel_calls=2).batch(4).prefetch(2)
    for _ in range(20):
        for i, _ in enumerate(dataset):
            if i == 3:
                break
    for thread in threading.enumerate():
        if thread.name.startswith("tf_data"):
            thread.join(60)
    assert not [t for t in threading.enumerate() if t.name.startswith("tf_data")]


def test_a_hundred_passes_leave_nothing_behind():
    dataset = (
        D.from_tensor_slices((IMAGES, LABELS)).shuffle(4).map(lambda x, y: (x * 2, y))
        .filter(lambda x, y: y > 0).batch(2).prefetch(1)
    )  # fmt: skip

    @tf.function
    def total(batches):
        found = tf.constant(0, tf.int64)
        for _, labels in batches:
            found += tf.reduce_sum(labels)
        return found

    def passes(count):
        for _ in range(count):
            for _ in dataset:
                pass
            total(dataset)
            next(iter(dataset))
        gc.collect()
        return sys.getallocatedblocks()

    passes(5)
    before = passes(5)
    assert passes(100) - before < 3000


def test_several_threads_share_one_iterator():
    iterator = iter(D.range(400).map(lambda x: x * 2))
    found: list[int] = []

    def take():
        found.extend(int(x) for x in iterator)

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(0, 800, 2))


def scaled(image, label):
    return tf.cast(image, tf.float32)[..., tf.newaxis] / 255.0, tf.one_hot(label, 3)


IMAGES = np.arange(60, dtype=np.uint8).reshape(10, 2, 3)
LABELS = np.arange(10) % 3


def planned(function) -> Traced:
    """A function as a dataset of images and labels has it."""
    structure = Structure(D.from_tensor_slices((IMAGES, LABELS)).element_spec)
    return traced(function, [structure], "Map")


def test_a_map_that_treats_rows_alike_runs_on_batches():
    dataset = D.from_tensor_slices((IMAGES, LABELS)).map(scaled)
    assert for_rows(planned(scaled)) is not None
    whole = [(x.numpy(), y.numpy()) for x, y in dataset]
    images = np.stack([x for x, _ in whole])
    labels = np.stack([y for _, y in whole])
    for batched in (dataset.batch(4), dataset.shuffle(5).batch(3), dataset.skip(2).batch(4)):
        for x, y in batched:
            for image, label in zip(x.numpy(), y.numpy(), strict=True):
                places = [i for i in range(10) if np.array_equal(images[i], image)]
                assert any(np.array_equal(labels[i], label) for i in places)
    assert np.array_equal(np.concatenate([x.numpy() for x, _ in dataset.batch(4)]), images)
    assert np.array_equal(np.concatenate([y.numpy() for _, y in dataset.batch(4)]), labels)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x, tf.reduce_sum(y)),
        lambda x, y: (tf.exp(tf.cast(x, tf.float32)), y),
        lambda x, y: (tf.cast(tf.cast(x, tf.float32) * 1e10, tf.int32), y),
        lambda x, y: (tf.random.uniform([2, 3]), y),
        lambda x, y: tf.constant(1),
        lambda x, y: tf.py_function(lambda v: v, [y], tf.int64),
        lambda x, y: (tf.reverse(x, [0]), y),
    ],
)
def test_maps_that_are_not_provably_alike_run_on_elements(function):
    dataset = D.from_tensor_slices((IMAGES, LABELS)).map(function)
    assert for_rows(planned(function)) is None
    assert len(list(dataset.batch(4))) == 3


def test_broadcasts_within_rows_stay_within_rows():
    rows = np.arange(12.0).reshape(4, 3)
    dataset = D.from_tensor_slices((rows, np.arange(4.0))).map(lambda x, y: x * y + rows[0])
    expected = [(x.numpy()).tolist() for x in dataset]
    assert [x for batch in dataset.batch(3) for x in batch.numpy().tolist()] == expected


def test_options_are_merged():
    one, other = tf.data.Options(), tf.data.Options()
    one.deterministic = True
    one.threading.private_threadpool_size = 3
    other.deterministic = False
    dataset = D.range(3).with_options(one).map(lambda x: x).with_options(other)
    assert dataset.options().deterministic is False
    assert dataset.options().threading.private_threadpool_size == 3


def test_options_refuse_what_they_do_not_have():
    options = tf.data.Options()
    with pytest.raises(AttributeError, match="Cannot set the property foo on Options"):
        options.foo = 1
    with pytest.raises(TypeError, match='Property "deterministic" must be of type'):
        options.deterministic = 1


@pytest.mark.gpus(1, memory="64MB")
def test_elements_are_brought_to_a_device():
    dataset = D.from_tensor_slices([[1.0], [2.0]]).batch(2)
    moved = dataset.apply(tf.data.experimental.prefetch_to_device("/GPU:0"))
    (batch,) = list(moved)
    assert batch.device.endswith("GPU:0")
    assert batch.numpy().tolist() == [[1.0], [2.0]]


@pytest.mark.gpus(1, memory="64MB")
def test_functions_of_elements_run_on_the_host():
    factor = tf.Variable([2.0])
    assert factor.device.endswith("GPU:0")
    (element,) = list(D.from_tensors([3.0]).map(lambda x: x * factor))
    assert element.device.endswith("CPU:0")
    assert element.numpy().tolist() == [6.0]


def test_a_variable_is_not_made_in_a_map():
    with pytest.raises(ValueError, match=r"singleton tf.Variables"):
        D.range(3).map(lambda x: tf.Variable(1))


def test_draws_follow_their_weights():
    datasets = [D.from_tensors(i).repeat() for i in range(3)]
    mixed = D.sample_from_datasets(datasets, [0.6, 0.0, 0.4], seed=1)
    counts = np.bincount(numbers(mixed.take(2000)), minlength=3)
    assert counts[1] == 0
    assert 1050 < counts[0] < 1350


def test_resampling_gives_classes_their_shares():
    dataset = D.range(6000).map(lambda x: tf.cast(x % 10 == 0, tf.int32))
    balanced = dataset.rejection_resample(lambda x: x, [0.5, 0.5], seed=2)
    kinds = [int(kind) for kind, _ in balanced]
    assert 0.44 < np.mean(kinds) < 0.56


def test_threads_of_pipelines_leave_the_programs_threads_their_number():
    usual = torch.get_num_threads()
    torch.set_num_threads(3)
    seen = []

    def note(x):
        seen.append(torch.get_num_threads())
        return x

    dataset = D.range(3).map(lambda x: tf.py_function(note, [x], tf.int64))
    try:
        assert len(list(D.range(20).map(lambda x: x + 1).prefetch(2))) == 20
        assert len(list(dataset.prefetch(2))) == 3
        assert torch.get_num_threads() == 3
        later = []
        thread = threading.Thread(target=lambda: later.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        assert (seen, later) == ([1, 1, 1], [3])
    finally:
        torch.set_num_threads(usual)


SLEEPING = """
import time
import emplace.tensorflow as tf

def slow(x):
    time.sleep(0 if x == 0 else 100)
    return x

def called(x):
    return tf.py_function(slow, [x], tf.int64)

numbers = tf.data.Dataset.range(9)
{dataset}
items = iter(dataset)
print(int(next(items)), flush=True)
"""


@pytest.mark.parametrize(
    "dataset",
    [
        "dataset = numbers.map(called, num_parallel_calls=3)",
        *[
            pytest.param(f"dataset = numbers.{mapped}.prefetch(2)", marks=pytest.mark.slow)
            for mapped in ("map(called, num_parallel_calls=3)", "map(called)")
        ],
        pytest.param(
            "dataset = numbers.interleave(\n"
            "    lambda x: tf.data.Dataset.from_tensors(x).map(called), 3, num_parallel_calls=3)",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_program_ends_although_functions_of_elements_sleep(dataset: str):
    program = [sys.executable, "-c", SLEEPING.format(dataset=dataset)]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=80, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0\n", "")


def test_calls_at_a_time_say_how_many_datasets_are_interleaved_by_default():
    def interleaved(calls: int) -> list[int]:
        return numbers(D.range(3).interleave(lambda x: D.from_tensors(x).repeat(2), None, 1, calls))

    assert interleaved(1) == [0, 0, 1, 1, 2, 2]
