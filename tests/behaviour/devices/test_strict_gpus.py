"""Strict virtual GPUs: what hardware refuses is refused, and what makes the host wait is told."""

from __future__ import annotations

import numpy as np
import programs
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.base.errors import InternalError
from emplace.base.sizes import parse_gpus
from emplace.devices.strict import WAITS, StrictBackend, StrictTensor, strict_kernel
from emplace.testing import assert_no_waits


def on_gpu(values: list[float], number: int = 0) -> StrictTensor:
    return StrictBackend([None, None]).copy(torch.tensor(values), number)


def test_memories_do_not_mix() -> None:
    with pytest.raises(InternalError, match=r"A kernel reads tensors of GPU:0 and of the host at"):
        on_gpu([1.0, 2.0]) + torch.tensor([1.0, 2.0])
    with pytest.raises(InternalError, match="A kernel reads tensors of GPU:0 and GPU:1 at once"):
        on_gpu([1.0, 2.0]) * on_gpu([1.0, 2.0], 1)


def test_a_number_of_the_host_is_handed_over_as_on_hardware() -> None:
    made = on_gpu([1.0, 2.0]) * torch.tensor(3.0)
    assert isinstance(made, StrictTensor)
    assert made.tolist() == [3.0, 6.0]


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x.numpy(), np.asarray, lambda x: x.data_ptr(), np.from_dlpack,
    ],
)  # fmt: skip
def test_the_host_cannot_look_into_the_memory_of_a_gpu(look) -> None:
    with pytest.raises(InternalError, match="which hardware cannot"):
        look(on_gpu([1.0, 2.0]))


def test_a_copy_goes_anywhere() -> None:
    there = StrictBackend([None, None]).copy(on_gpu([1.0, 2.0]), 1)
    assert str(there.device) == "lazy:1"
    assert type(there.cpu()) is torch.Tensor
    assert there.cpu().tolist() == [1.0, 2.0]


def test_what_changes_in_place_stays_the_same_tensor() -> None:
    x = on_gpu([1.0, 2.0])
    assert x.add_(1.0) is x
    assert x.tolist() == [2.0, 3.0]


def test_kernels_make_tensors_there() -> None:
    x = on_gpu([1.0, 2.0])
    made = strict_kernel(
        lambda x: (torch.zeros(2, device=x.device), torch.tensor([1.0, 1.0], device=x.device)), None
    )(x)
    assert all(isinstance(each, StrictTensor) for each in made)


@pytest.mark.gpus(2, memory="64MB", strict=True)
def test_programs_run_as_on_any_gpu() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.softmax(tf.matmul(v, x)))
    gradient = tape.gradient(loss, v)
    assert gradient.device.endswith("GPU:0")
    v.assign_sub(gradient)
    moved = tf.function(lambda y: tf.concat([y, y * v], 0))(x)
    with tf.device("/GPU:1"):
        there = moved + 1.0
    assert there.device.endswith("GPU:1")
    np.testing.assert_allclose(there.numpy()[:2], x.numpy() + 1.0)


@pytest.mark.gpus(1, memory="1MB", strict=True)
def test_memory_is_charged_and_given_back() -> None:
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    x = tf.zeros([1000])
    used = tf.config.experimental.get_memory_info("GPU:0")["current"] - before
    del x
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] == before + used - 4096
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.zeros([1 << 20])


@pytest.mark.gpus(1, strict=True)
def test_waits_stand_in_the_report_with_their_lines() -> None:
    x = tf.constant([3.0, 1.0, 3.0])

    @tf.function
    def places(x):
        return tf.where(x > 2.0)

    with emplace.watch() as seen:
        for _ in range(2):
            float(tf.reduce_sum(x))
        places(x)
    report = seen.report()
    told = {(wait["op"], wait["what"], wait["count"]) for wait in report.to_dict()["waits"]}
    assert told == {(None, "reads", 2), ("Where", "sizes depend on", 1)}
    assert all("test_strict_gpus.py" in wait["line"] for wait in report.to_dict()["waits"])
    assert "waits for a GPU: 3, by source line" in str(report)
    assert "2 x  GPU:0: the program reads 4 B" in str(report)
    assert "`Where` makes sizes that depend on 3 B" in str(report)


@pytest.mark.gpus(1, strict=True)
def test_only_places_given_as_a_mask_make_the_host_count_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x, places = on_gpu([1.0, 2.0]), on_gpu([1.0]).long()
    told: list[str] = []
    monkeypatch.setattr(WAITS, "listener", lambda wait: told.append(wait.what))
    assert x[places].numel() == 1
    assert torch.repeat_interleave(x, places.expand(2), output_size=2).numel() == 2
    flags = x > 1.0
    flags[places] = ~flags[places]
    assert told == []
    assert x[x > 1.0].numel() == 1
    assert torch.bincount(places).numel() == 2
    torch.linalg.inv(x.expand(2, 2) + x.diag())
    assert told == ["sizes depend on", "sizes depend on", "reads"]


@pytest.mark.gpus(1, strict=True)
def test_a_step_without_a_wait_passes_and_one_with_a_wait_fails() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, v)))
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    x = tf.ones([4, 2])
    with assert_no_waits():
        loss = step(x)
    text = (
        r"(?s)waited for a GPU, 1 time:.*test_strict_gpus.py:\d+: 1 x GPU:0: the program reads 4 B"
    )
    with pytest.raises(AssertionError, match=text), assert_no_waits():
        loss.numpy()


@pytest.mark.gpus(1, strict=True)
def test_the_host_waits_for_a_copy_from_pageable_memory_and_not_for_a_staged_one() -> None:
    backend, value = StrictBackend([None]), torch.ones(4)
    with assert_no_waits():
        backend.copy(backend.staged(value), 0)
    with pytest.raises(AssertionError, match="copies 16 B from the host"), assert_no_waits():
        backend.copy(value, 0)


@pytest.mark.gpus(1, strict=True)
def test_values_of_the_host_come_without_a_wait() -> None:
    rows = tf.data.Dataset.from_tensor_slices(np.ones([8, 2], np.float32)).batch(4)
    there = rows.apply(tf.data.experimental.prefetch_to_device("/GPU:0"))
    double = tf.function(lambda x: x * [2.0, 3.0])
    with tf.device("/CPU:0"):
        here = tf.random.uniform([4, 2])
    with assert_no_waits():
        made = [tf.constant([1.0, 2.0]), tf.convert_to_tensor(np.ones(3)), double(np.ones([4, 2]))]
        made += [double(batch) for batch in rows] + [double(batch) for batch in there]
        made += [tf.identity(here), tf.Variable(np.ones(5)) + 1.0]
    assert all(each.device.endswith("GPU:0") for each in made)


@pytest.mark.gpus(1)
@pytest.mark.not_strict("is about normal virtual GPUs")
def test_only_strict_gpus_know_when_they_would_wait() -> None:
    text = r"mark the test gpus\(1, strict=True\)"
    with pytest.raises(RuntimeError, match=text), assert_no_waits():
        pass
    with emplace.watch() as seen:
        tf.constant([1.0]).numpy()
    assert "wait" not in str(seen.report())


SMALL = """
import sys
import emplace.tensorflow as tf

image, v = tf.ones([1, 32, 32, 3]), tf.Variable(tf.ones([5, 5, 3, 8]))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.nn.conv2d(image, v, 1, "SAME"))
v.assign_sub(tf.function(lambda x: tf.tanh(x) + 1.0)(tape.gradient(y, v)))
print(v.device[-5:], float(v[0, 0, 0, 0]), sorted(
    {"torch._dynamo", "torch.distributed.tensor", "sympy"} & sys.modules.keys()))
"""


def test_a_program_loads_neither_torchs_compiler_nor_its_distributed_tensors() -> None:
    done = programs.code(SMALL, EMPLACE_GPUS="1x64MB:strict")  # each takes a second
    assert done.stdout == "GPU:0 -1.0 []\n", done.stderr


def test_the_environment_asks_for_them() -> None:
    program = (
        "import emplace.tensorflow as tf\n"
        "x = tf.constant([1.0])\n"
        "print(len(tf.config.list_logical_devices('GPU')), type(x._value).__name__)"
    )
    done = programs.code(program, EMPLACE_GPUS="2x64MB:strict")
    assert done.stdout.split() == ["2", "StrictTensor"], done.stderr


def test_another_word_behind_the_colon_is_refused() -> None:
    with pytest.raises(ValueError, match="after the colon stands 'strict' or nothing, got 'loose'"):
        parse_gpus("2x1GB:loose")


def test_places_along_axes_stay_there() -> None:
    places = StrictBackend([None]).copy(torch.tensor([0, 4]), 0)
    made = strict_kernel(lambda x: torch.unravel_index(x, (2, 3)), None)(places)
    assert [each.tolist() for each in made] == [[0, 1], [0, 1]]


# What a function captured of a GPU is known while it is traced, as anywhere.
TRACED = {
    "a place": lambda x, n: x[n % 3],
    "a size": lambda x, n: tf.reshape(x, [n - 2, 1]),
    "a begin": lambda x, n: tf.slice(x, [n - 4], [2]),
    "a count": lambda x, n: tf.tile(x, [n - 3]),
    "an axis": lambda x, n: tf.concat([x, x], n - 5),
    "a part of a shape": lambda x, n: tf.zeros(tf.stack([n, tf.shape(x)[0]])),
}


@pytest.mark.gpus(2, memory="64MB", strict=True)
@pytest.mark.parametrize("use", TRACED.values(), ids=TRACED.keys())
def test_a_number_that_a_function_captured_of_a_gpu_is_known_while_it_is_traced(use) -> None:
    x, n = tf.constant([1.0, 2.0, 3.0]), tf.constant(5)
    assert n.device.endswith("GPU:0")
    expected = use(x.numpy(), 5).numpy() if use is not TRACED["a place"] else np.float32(3.0)
    np.testing.assert_array_equal(tf.function(lambda: use(x, n))().numpy(), expected)


@pytest.mark.gpus(1, memory="64MB", strict=True)
def test_the_gradient_of_what_runs_on_the_host_is_back_on_the_gpu() -> None:
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda x: tf.square(x), [x], tf.float32) + 2.0 * x
        return tape.gradient(y, x)

    found = gradient(tf.constant([1.0, 2.0]))
    assert found.device.endswith("GPU:0")
    assert found.numpy().tolist() == [4.0, 6.0]


@pytest.mark.gpus(1, memory="64MB", strict=True)
def test_a_list_that_a_loop_keeps_for_its_gradient_says_where_its_elements_are() -> None:
    @tf.function
    def powers(x, n):
        y = tf.identity(x)
        for _ in tf.range(n):
            y = tf.sin(y)
            with tf.device("CPU:0"):
                y = y * x
        return y

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = powers(x, tf.constant(3))
    found = tape.gradient(y, x)
    with tf.GradientTape() as eager:
        eager.watch(x)
        z = tf.sin(tf.sin(tf.sin(x) * x) * x) * x
    np.testing.assert_allclose(found, eager.gradient(z, x), rtol=1e-5)
