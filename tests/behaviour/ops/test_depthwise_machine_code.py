"""Convolutions of each channel that are machine code: ops/nn/conv_depthwise.py."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen.code import lanes
from emplace.codegen.depthwise import kernels
from emplace.eager.scratch import rehearsed
from emplace.ops.nn import conv_depthwise, conv_plan
from emplace.ops.nn.conv_kernels import DEPTHWISE

pytestmark = [
    pytest.mark.gpus(0),
    pytest.mark.skipif(not lanes(), reason="this processor has none of these"),
]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many parts each convolution had that was machine code."""
    found: list[int] = []
    run = kernels.ChannelKernel.run

    def told(self: Any, *addresses: int) -> None:
        found.append(self.parts)
        run(self, *addresses)

    monkeypatch.setattr(kernels.ChannelKernel, "run", told)
    return found


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Small ones are machine code, too."""
    monkeypatch.setattr(conv_depthwise, "_LEAST", 0)
    conv_plan.plan_of.cache_clear()
    yield
    conv_plan.plan_of.cache_clear()


def _all_three(x: Any, w: Any, step: int = 1, padding: Any = "SAME") -> list[np.ndarray]:
    """The convolution and its gradients, of a sum with weights that differ."""
    with tf.GradientTape() as tape:
        x, w = tf.constant(x), tf.constant(w)
        tape.watch([x, w])
        y = tf.nn.depthwise_conv2d(x, w, [1, step, step, 1], padding)
    rng = np.random.default_rng(1)
    dy = tf.constant(rng.standard_normal(y.shape).astype(x.dtype.as_numpy_dtype))
    return [each.numpy() for each in (y, *tape.gradient(y, [x, w], output_gradients=dy))]


def _given(shape: tuple[int, ...], window: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    made = rng.standard_normal(shape), rng.standard_normal((*window, shape[-1], 1))
    return made[0].astype(np.float32), made[1].astype(np.float32)


def _assert_near(found: list[np.ndarray], exact: list[np.ndarray]) -> None:
    for one, other in zip(found, exact, strict=True):
        assert one.shape == other.shape
        assert np.abs(one - other).max() <= 2e-6 * np.abs(other).max()


_EXPLICIT = ([[0, 0], [1, 2], [0, 1], [0, 0]], [[0, 0], [4, 0], [3, 5], [0, 0]])
_SHAPES = [(2, 3, 3, 16), (3, 7, 9, 8), (1, 1, 1, 32), (1, 12, 13, 40)]
_MORE_SHAPES = [
    (1, 6, 6, 24), (2, 5, 2, 4), (2, 16, 17, 16), (1, 9, 23, 48), (1, 28, 28, 12), (1, 2, 31, 144),
]  # fmt: skip


@pytest.mark.one_of(2)
@pytest.mark.parametrize("padding", ["SAME", "VALID", *_EXPLICIT], ids=str)
@pytest.mark.parametrize(
    "shape",
    [*_SHAPES, *[pytest.param(shape, marks=pytest.mark.slow) for shape in _MORE_SHAPES]],
    ids=str,
)
def test_machine_code_is_the_convolution_and_its_gradients(
    shape: tuple[int, ...], padding: Any, ran: list[int], small: None
) -> None:
    for window, step in itertools.product(((3, 3), (5, 5), (2, 4), (7, 7)), (1, 2)):
        ends = np.sum(padding, 1)[1:3] if isinstance(padding, list) else (0, 0)
        if padding != "SAME" and np.any(np.add(shape[1:3], ends) < window):
            continue  # no window fits
        ran.clear()
        x, w = _given(shape, window)
        found = _all_three(x, w, step, padding)
        assert len(ran) == 3
        _assert_near(found, _all_three(x.astype(float), w.astype(float), step, padding))


@pytest.mark.parametrize(("shape", "step"), [((3, 20, 21, 32), 1), ((2, 25, 30, 16), 2)], ids=str)
def test_threads_do_not_change_bits(
    shape: tuple[int, ...], step: int, ran: list[int], small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_LEAST_SHARED", 0)
    monkeypatch.setattr(kernels, "_BAND_BYTES", 1 << 13)
    kernels.kernel_of.cache_clear()
    x, w = _given(shape, (3, 3))
    results = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(torch, "get_num_threads", lambda threads=threads: threads)
        results.append(_all_three(x, w, step))
    kernels.kernel_of.cache_clear()
    assert min(ran) > 3, "or there is nothing to share"
    for other in results[1:]:
        for one, same in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(one, same)
    _assert_near(results[0], _all_three(x.astype(float), w.astype(float), step))


def test_many_images_are_summed_in_a_few_parts(ran: list[int]) -> None:
    x, w = _given((40, 9, 9, 16), (3, 3))
    found = _all_three(x, w)
    assert ran == [40, 40, 14]  # three images per part
    _assert_near(found, _all_three(x.astype(float), w.astype(float)))


def test_a_step_without_gradients_of_the_image_has_one_gradient(ran: list[int]) -> None:
    x, w = _given((8, 16, 16, 16), (3, 3))
    w = tf.Variable(w)
    with tf.GradientTape() as tape:
        y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
    tape.gradient(y, w)
    assert len(ran) == 2


@pytest.mark.parametrize(("channels", "calls"), [(112, 0), (116, 3)])
def test_small_ones_stay_with_torch(channels: int, calls: int, ran: list[int]) -> None:
    """2**18 products are 113.8 channels of these images."""
    _all_three(*_given((1, 16, 16, channels), (3, 3)))
    assert len(ran) == calls


def test_machine_code_may_be_turned_off(
    ran: list[int], small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w = _given((2, 8, 8, 16), (3, 3))
    on = _all_three(x, w)
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    _assert_near(on, _all_three(x, w))
    assert len(ran) == 3


@pytest.mark.parametrize(
    ("shape", "window", "how"),
    [
        ((2, 9, 9, 16), (3, 3, 16, 2), {}),
        ((2, 9, 9, 16), (3, 3, 16, 1), {"dilations": [2, 2]}),
        ((2, 9, 9, 16), (3, 3, 16, 1), {"strides": [1, 3, 3, 1]}),
        ((2, 9, 9, 18), (3, 3, 18, 1), {}),
        ((2, 9, 9, 16), (9, 9, 16, 1), {}),
        ((2, 9, 9, 16), (1, 1, 16, 1), {}),
        ((2, 16, 9, 9), (3, 3, 16, 1), {"data_format": "NCHW"}),
    ],
    ids=str,
)
def test_what_machine_code_does_not_know_stays_with_torch(
    shape: tuple[int, ...], window: tuple[int, ...], how: Any, ran: list[int], small: None
) -> None:
    how = {"strides": [1, 1, 1, 1], "padding": "SAME", **how}
    with tf.GradientTape() as tape:
        x, w = tf.Variable(tf.ones(shape)), tf.Variable(tf.ones(window))
        y = tf.nn.depthwise_conv2d(x, w, **how)
    assert [each.shape for each in tape.gradient(y, [x, w])] == [x.shape, w.shape]
    assert not ran


def _direct(x: np.ndarray, w: np.ndarray, dy: np.ndarray) -> list[np.ndarray]:
    """The convolution of a square with a window of 3 x 3, one row and column of padding, and its
    gradients: what is outside of the image is left out.
    """
    size = x.shape[1]
    made = [np.zeros_like(x), np.zeros_like(x), np.zeros_like(w)]
    for i, j in itertools.product(range(3), repeat=2):
        (to_rows, rows), (to_columns, columns) = (
            (slice(max(0, 1 - k), size - max(0, k - 1)), slice(max(0, k - 1), size + min(0, k - 1)))
            for k in (i, j)
        )
        here, seen = (0, to_rows, to_columns), (0, rows, columns)
        made[0][here] += x[seen] * w[i, j, :, 0]
        made[1][seen] += dy[here] * w[i, j, :, 0]
        made[2][i, j, :, 0] += (x[seen] * dy[here]).sum((0, 1))
    return made


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("bad", [np.inf, np.nan])
@pytest.mark.parametrize("place", [(0, 0), (8, 4), (4, 8), (4, 4)], ids=str)
def test_what_is_not_finite_goes_where_it_is_seen(
    bad: float, place: tuple[int, int], ran: list[int], small: None
) -> None:
    """Beyond a border there are no zeros that an infinite factor would make NaN of."""
    x, w = _given((1, 9, 9, 16), (3, 3))
    dy = x[:, ::-1].copy()
    x[0, place[0], place[1], ::2] = bad
    w[place[0] // 4, place[1] // 4, 1::4] = bad
    dy[0, place[1], place[0], 3::4] = bad
    with tf.GradientTape() as tape:
        given = tf.constant(x), tf.constant(w)
        tape.watch(given)
        y = tf.nn.depthwise_conv2d(*given, [1, 1, 1, 1], "SAME")
    found = [y, *tape.gradient(y, given, output_gradients=tf.constant(dy))]
    assert len(ran) == 3
    for one, other in zip(found, _direct(x, w, dy), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_gradients_of_gradients(ran: list[int], small: None) -> None:
    def second(kind: type) -> list[np.ndarray]:
        x, w = (tf.constant(each.astype(kind)) for each in _given((2, 9, 8, 16), (3, 3)))
        with tf.GradientTape() as outer:
            outer.watch([x, w])
            with tf.GradientTape() as inner:
                inner.watch([x, w])
                y = tf.reduce_sum(tf.nn.depthwise_conv2d(x, w, [1, 2, 2, 1], "SAME") ** 3)
            total = sum(tf.reduce_sum(each**2) for each in inner.gradient(y, [x, w]))
        return [each.numpy() for each in outer.gradient(total, [x, w])]

    _assert_near(second(np.float32), second(np.float64))
    assert len(ran) > 3


def test_functions_have_the_bits_of_eager_mode(ran: list[int]) -> None:
    x, w = _given((2, 24, 24, 32), (3, 3))

    def step(x: Any, w: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")
        return y, tape.gradient(y, [x, w])

    given = tf.constant(x), tf.constant(w)
    eager, traced = step(*given), tf.function(step)(*given)
    assert len(ran) == 6
    for one, other in zip(tf.nest.flatten(eager), tf.nest.flatten(traced), strict=True):
        np.testing.assert_array_equal(one, other)


def test_images_may_lie_otherwise(ran: list[int]) -> None:
    x, w = _given((4, 16, 16, 32), (3, 3))
    dense, lies = torch.from_numpy(x), torch.from_numpy(x.transpose(3, 1, 2, 0).copy())
    how: dict[str, Any] = {"strides": (1, 1, 1, 1), "padding": "SAME"}
    filter = torch.from_numpy(w)
    one, other = (
        DEPTHWISE.forward.kernel(each, filter, **how) for each in (dense, lies.permute(3, 1, 2, 0))
    )
    assert torch.equal(one, other)
    assert other.is_contiguous()
    assert len(ran) == 2


def test_a_rehearsal_takes_what_the_kernel_takes(ran: list[int]) -> None:
    x, w = (torch.from_numpy(each) for each in _given((5, 16, 16, 64), (3, 3)))
    how = {"strides": (1, 1, 1, 1), "padding": "SAME"}
    assert rehearsed(DEPTHWISE.forward.kernel, [x, w], how) == 0
    image = {"input_sizes": tuple(x.shape), **how}
    assert rehearsed(DEPTHWISE.input_gradient.kernel, [w, x], image) == 0
    filter = {"filter_sizes": tuple(w.shape), **how}
    assert rehearsed(DEPTHWISE.filter_gradient.kernel, [x, x], filter) == 5 * 4 * w.numel()
    assert not ran
