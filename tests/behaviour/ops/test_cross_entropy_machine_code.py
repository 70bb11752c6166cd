"""Cross entropies of labels as machine code: codegen/cross_entropy.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import code, cross_entropy
from emplace.ops.nn import loss

pytestmark = pytest.mark.skipif(not code.lanes(), reason="this processor has none of these kernels")
SHAPES = [(1, 1), (9, 1), (5, 2), (128, 10), (33, 16), (7, 17), (3, 32), (20, 100), (70, 1000)]


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> dict:
    """Machine code from the first call on; holds what was made."""
    made: dict = {}
    monkeypatch.setattr(cross_entropy, "NUMBERS_BEFORE", 1)
    monkeypatch.setattr(cross_entropy, "_READY", made)
    return made


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def _numbers(shape: tuple[int, int], dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(shape[1])
    labels = torch.randint(0, shape[1], shape[:1], generator=random)
    return 5 * torch.randn(shape, generator=random), labels.to(dtype)


def _exact(scores: torch.Tensor, labels: torch.Tensor) -> tuple[np.ndarray, np.ndarray]:
    logs = torch.log_softmax(scores.double(), -1).numpy()
    rows, classes = scores.shape
    return -logs[range(rows), labels], np.exp(logs) - np.eye(classes)[labels.long()]


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("shape", SHAPES)
def test_losses_and_gradients(ready, shape, dtype):
    scores, labels = _numbers(shape, dtype)
    before = scores.clone()
    made = loss.sparse_softmax_xent_kernel(scores, labels)
    assert list(ready) == [(shape[1], dtype)]
    for ours, exact in zip(made, _exact(scores, labels), strict=True):
        assert ours.shape == exact.shape
        np.testing.assert_allclose(ours, exact, rtol=1e-5, atol=1e-6)
    assert torch.equal(scores, before)


def test_rows_that_lie_apart(ready):
    scores, labels = _numbers((12, 20), torch.int64)
    wide = torch.full((12, 30), 7.0)
    wide[:, 4:24] = scores
    two = torch.stack([labels, labels + 1], 1)
    wanted = loss.sparse_softmax_xent_kernel(scores, labels)
    for x in (wide[:, 4:24], scores.t().contiguous().t()):
        made = loss.sparse_softmax_xent_kernel(x, two[:, 0])
        assert all(map(torch.equal, made, wanted))
    assert len(ready) == 1


@pytest.mark.parametrize("classes", [3, 16, 17, 40])
def test_what_is_not_finite_stays_in_its_row(ready, classes):
    scores, labels = torch.zeros(6, classes), torch.zeros(6, dtype=torch.int64)
    scores[0, 0], scores[1, 1], scores[2, -1] = torch.inf, -torch.inf, torch.nan
    scores[3, 0], scores[4] = -torch.inf, -torch.inf
    made = loss.sparse_softmax_xent_kernel(scores, labels)
    logs = torch.log_softmax(scores, -1)
    np.testing.assert_allclose(made[0], -logs[:, 0], rtol=1e-6)
    assert torch.isinf(made[0][3])
    shares = logs.exp() - torch.eye(classes)[labels]
    np.testing.assert_allclose(made[1], shares, rtol=1e-6, atol=1e-7)
    assert len(ready) == 1


def test_scores_that_no_exponential_bears():
    scores = torch.tensor([[1e30, -1e30, 0.0], [3e38, 3e38, -3e38], [-200.0, 0.0, -50.0]])
    labels = torch.tensor([0, 1, 0])
    made = loss.sparse_softmax_xent_kernel(scores, labels)
    for ours, exact in zip(made, _exact(scores, labels), strict=True):
        np.testing.assert_allclose(ours, exact, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("label", [-1, 10, 1 << 31, -(1 << 40)])
def test_wrong_labels_are_told_of_as_by_torch(monkeypatch, ready, label):
    labels, texts = np.zeros(128, np.int64), []
    labels[100] = label
    for count in (1, 1 << 40):
        monkeypatch.setattr(cross_entropy, "NUMBERS_BEFORE", count)
        ready.clear()
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels, tf.zeros((128, 10)))
        texts.append(str(error.value))
        assert bool(ready) == (count == 1)
    assert texts[0] == texts[1]
    assert f"label value of {label} which is outside the valid range of [0, 10)" in texts[0]


def test_nothing_beside_the_gradient_is_written(monkeypatch):
    memory = []

    def within(size: tuple[int, ...], **given: object) -> torch.Tensor:
        whole = torch.full((int(np.prod(size)) + 64,), 7.0)
        memory.append(whole)
        return whole[32:-32].view(size)

    scores, labels = _numbers((3, 19), torch.int32)
    monkeypatch.setattr(cross_entropy.torch, "empty", within)
    made = cross_entropy.cross_entropy(scores, labels)
    assert made is not None
    for whole in memory:
        assert (whole[:32] == 7).all()
        assert (whole[-32:] == 7).all()


def test_bits_do_not_depend_on_threads(monkeypatch, threads):
    monkeypatch.setattr(cross_entropy, "LEAST_SHARED", 1)
    scores, labels = _numbers((1001, 37), torch.int64)
    made = []
    for count in (1, 2, 3):
        threads(count)
        made.append(loss.sparse_softmax_xent_kernel(scores, labels))
    for others in made[1:]:
        assert all(map(torch.equal, others, made[0]))
    labels[1000] = 37
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 37"):
        loss.sparse_softmax_xent_kernel(scores, labels)


def test_few_calls_are_not_compiled(monkeypatch, ready):
    monkeypatch.undo()
    ready.clear()
    monkeypatch.setattr(cross_entropy, "_READY", ready)
    monkeypatch.setattr(cross_entropy, "_DONE", cross_entropy.DoneOtherwise())
    scores, labels = _numbers((128, 10), torch.int64)
    for _ in range(20):
        loss.sparse_softmax_xent_kernel(scores, labels)
    assert not ready
    for _ in range(1000):
        loss.sparse_softmax_xent_kernel(scores, labels)
    assert ready


def test_other_tensors_are_left_to_torch(monkeypatch, ready):
    scores, labels = _numbers((8, 10), torch.int64)
    for x in (scores.double(), scores.bfloat16(), scores.clone().requires_grad_()):
        loss.sparse_softmax_xent_kernel(x, labels)
    loss.sparse_softmax_xent_kernel(scores[:0], labels[:0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the same first dimension"):
        loss.sparse_softmax_xent_kernel(scores, labels[1:])
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    loss.sparse_softmax_xent_kernel(scores, labels)
    assert not ready


@pytest.mark.parametrize("way", ["eager", "function"])
def test_programs_get_the_same_in_every_way(way):
    scores, labels = _numbers((64, 10), torch.int64)
    x, y = tf.constant(scores.numpy()), tf.constant(labels.numpy())

    def step() -> list:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                cost = tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)
            slope = inner.gradient(cost, x)
            squares = tf.reduce_sum(slope**2)
        return [cost, slope, tape.gradient(squares, x)]

    made = (step if way == "eager" else tf.function(step))()
    wide = scores.double().requires_grad_()
    cost = torch.nn.functional.cross_entropy(wide, labels, reduction="none")
    (slope,) = torch.autograd.grad(cost.sum(), wide, create_graph=True)
    (second,) = torch.autograd.grad((slope**2).sum(), wide)
    for ours, exact in zip(made, (cost, slope, second), strict=True):
        np.testing.assert_allclose(ours, exact.detach(), rtol=1e-5, atol=1e-6)
