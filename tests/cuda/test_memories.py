"""What strict virtual GPUs found: kernels that read a card by NumPy, and memories that mix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from op_cases.encode import encode
from op_cases.values import evaluate
from test_ops_oracle import Case, assert_same

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.cuda

_SPARSE = "tf.SparseTensor([[0, 1], [1, 0], [1, 2]], f32(3), [3, 3])"
_OTHER = "tf.SparseTensor([[0, 0], [0, 1], [1, 2]], f32(3), [3, 3])"

# One call of each op that once left the card, or mixed memories, unseen on virtual GPUs.
FOUND = (
    "tf.sparse.bincount([1, 1, 4, 2])",
    f"tf.sparse.reduce_sum({_SPARSE}, 0)",
    f"tf.sparse.reduce_max({_SPARSE}, 0, output_is_sparse=True)",
    f"tf.sparse.add({_SPARSE}, {_OTHER})",
    f"tf.sparse.concat(0, [{_SPARSE}, {_OTHER}])",
    f"tf.sparse.slice({_SPARSE}, [0, 0], [2, 3])",
    f"tf.sparse.softmax({_SPARSE})",
    f"tf.sparse.maximum({_SPARSE}, {_OTHER})",
    f"tf.sparse.sparse_dense_matmul({_SPARSE}, f32(3, 4))",
    "tf.quantization.fake_quant_with_min_max_args(f32(3, 4))",
    "tf.quantization.fake_quant_with_min_max_args_gradient(f32(3), f32(3))",
    "tf.math.special.expint(f32(3, low=1, high=2))",
    "tf.math.special.dawsn(f32(3))",
    "tf.math.special.fresnel_cos(f32(3))",
    "tf.math.special.fresnel_sin(f32(3))",
    "tf.math.special.spence(f32(3, low=1, high=2))",
    "tf.raw_ops.Bucketize(input=f32(5), boundaries=[-1.0, 0.0, 1.0])",
    "tf.scatter_nd([[0], [2]], c64(2), [4])",
    "tf.image.resize(f32(1, 4, 4, 2), [3, 5], 'bicubic')",
    "tf.image.resize(f32(1, 4, 4, 2), [3, 5], 'area')",
    "tf.pad(f32(3, 4), [[1, 1], [2, 1]], 'REFLECT')",
    "tf.linalg.diag(f32(3, 3), k=(-1, 1))",
    "tf.signal.overlap_and_add(f32(4, 6), 3)",
    "tf.unique([3, 1, 3])",
    "tf.gather(f32(4, 3), [3, 0, 1])",
    "tf.gather_nd(f32(4, 3), [[3, 0], [1, 1]])",
    "tf.math.segment_sum(f32(4, 2), [0, 0, 1, 3])",
    "tf.math.unsorted_segment_mean(f32(4, 2), [0, 2, 2, 0], 3)",
    "tf.tensor_scatter_nd_add(f32(4, 2), [[1], [3]], f32(2, 2))",
    "tf.reverse_sequence(f32(3, 4), [1, 2, 3], 1)",
    "tf.dynamic_stitch([[0, 2], [1]], [f32(2), f32(1)])",
    "tf.math.betainc(f32(3, low=1, high=2), f32(3, low=1, high=2), f32(3, low=0, high=1))",
    "tf.linalg.lu(f32(3, 3))",
    "tf.linalg.eigh(f32(3, 3))[0]",
)


@pytest.fixture(autouse=True)
def grown() -> None:
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)


@pytest.fixture(autouse=True)
def exact() -> Any:
    """Float32 products without TF32, as the host computes them."""
    tf.config.experimental.enable_tensor_float_32_execution(False)
    yield
    tf.config.experimental.enable_tensor_float_32_execution(True)


def answer(expression: str, device: str) -> Any:
    with tf.device(device):
        return encode(evaluate(expression, tf))


@pytest.mark.parametrize("expression", FOUND)
def test_an_op_answers_on_the_card_as_on_the_host(expression: str) -> None:
    on_card, on_host = answer(expression, "/GPU:0"), answer(expression, "/CPU:0")
    assert_same(on_card, on_host, Case(expression, rtol=1e-4))


@pytest.mark.parametrize("expression", FOUND)
def test_it_answers_so_in_a_function(expression: str) -> None:
    traced = tf.function(lambda: evaluate(expression, tf), autograph=False)
    with tf.device("/GPU:0"):
        on_card = encode(traced())
    assert_same(on_card, answer(expression, "/CPU:0"), Case(expression, rtol=1e-4))


def test_what_a_card_holds_is_copied_for_an_op_of_the_host() -> None:
    with tf.device("/GPU:0"):
        x = tf.ones([4])
    with tf.device("/CPU:0"):
        y = x + 1.0
        words = tf.strings.as_string(x)
    assert (y.numpy().tolist(), words.numpy().tolist()) == ([2.0] * 4, [b"1.000000"] * 4)


# Memory numbers against the driver's


def test_what_a_budget_counts_is_what_torch_holds() -> None:
    emplace.virtual_gpus(1, memory="1GB")
    tf.zeros([1])
    torch.cuda.synchronize()
    held, before = [], torch.cuda.memory_allocated(0)
    counted = int(tf.config.experimental.get_memory_info("GPU:0")["current"])
    for size in (1, 1000, 1 << 20, 3_000_001):
        held.append(tf.zeros([size]))
        taken = torch.cuda.memory_allocated(0) - before
        now = int(tf.config.experimental.get_memory_info("GPU:0")["current"]) - counted
        assert abs(now - taken) <= 512 * len(held), (size, now, taken)
    held.clear()
    assert torch.cuda.memory_allocated(0) == before


def test_the_driver_sees_at_least_what_is_in_use() -> None:
    tf.zeros([1])
    emplace.release()
    free, _ = torch.cuda.mem_get_info(0)
    kept = tf.zeros([64 << 20])
    after, _ = torch.cuda.mem_get_info(0)
    assert free - after >= kept.shape.num_elements() * 4 - (2 << 20)


def test_a_step_takes_on_the_card_what_its_plan_was_measured_to_take() -> None:
    emplace.virtual_gpus(1, memory="2GB")
    x = tf.ones([1 << 20])
    step = tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x * 2.0 + 1.0) - tf.nn.relu(x)))
    for _ in range(8):
        step(x)
    torch.cuda.reset_peak_memory_stats(0)
    before = torch.cuda.memory_allocated(0)
    np.testing.assert_allclose(float(step(x)), 2.0 * (1 << 20))
    assert torch.cuda.max_memory_allocated(0) - before <= 5 * 4 * (1 << 20)
