"""Convolutions by Winograd's algorithm: ops/nn/conv_winograd.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import code
from emplace.codegen.winograd import kernels, work
from emplace.codegen.winograd.schemes import SCHEMES, Key
from emplace.devices.meter import Meter
from emplace.ops.nn import conv_kernels, conv_plan, conv_winograd

pytestmark = pytest.mark.skipif(not code.lanes(), reason="this processor has none of these kernels")
PADDINGS = ("SAME", "VALID", [[0, 0], [2, 1], [0, 3], [0, 0]])
SIZES = [
    # batch, rows, columns, channels in, channels out
    (2, 8, 8, 16, 16), (1, 7, 9, 16, 48), (3, 3, 3, 32, 16), (1, 4, 5, 48, 80), (5, 12, 11, 16, 32),
    (2, 26, 25, 32, 32), (1, 3, 40, 64, 16),
]  # fmt: skip


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Convolutions of any size go by tiles; what was computed so is noted."""
    monkeypatch.setattr(conv_plan, "_LEAST_BY_TILES", 0)
    monkeypatch.setattr(conv_plan, "_MOST_BY_TILES", 1e9)
    conv_plan.plan_of.cache_clear()
    noted: list[str] = []

    def note(name: str, real: Callable) -> None:
        def noting(*given: object) -> torch.Tensor | None:
            made = real(*given)
            noted.append(name if made is not None else f"no {name}")
            return made

        monkeypatch.setattr(conv_winograd, name, noting)

    for name in ("convolution", "for_input", "for_filter"):
        note(name, getattr(conv_winograd, name))
    yield noted
    conv_plan.plan_of.cache_clear()


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Sets how many threads share convolutions of any size."""
    monkeypatch.setattr(work, "_LEAST_CONVOLUTION_TO_SHARE", 0)
    before = torch.get_num_threads()
    _forget_work()
    yield torch.set_num_threads
    torch.set_num_threads(before)
    _forget_work()


def _forget_work() -> None:
    work.work_of.cache_clear()
    work.gradient_work_of.cache_clear()


def _given(sizes: tuple[int, ...], window: int = 3) -> tuple[np.ndarray, np.ndarray]:
    batch, rows, columns, inner, outer = sizes
    rng = np.random.default_rng(5)
    return (
        rng.standard_normal((batch, rows, columns, inner)).astype(np.float32),
        rng.standard_normal((window, window, inner, outer)).astype(np.float32),
    )


def _all_three(x: np.ndarray, w: np.ndarray, padding: object, weights=None) -> list[np.ndarray]:
    with tf.GradientTape() as tape:
        x, w = tf.Variable(x), tf.Variable(w)
        y = tf.nn.conv2d(x, w, 1, padding)
        if weights is None:
            weights = np.random.default_rng(6).standard_normal(y.shape)
        weighed = tf.reduce_sum(y * tf.constant(weights, y.dtype))
    return [each.numpy() for each in (y, *tape.gradient(weighed, [x, w]))]


def _assert_near(ours: np.ndarray, exact: np.ndarray, key: Key = (4, 3)) -> None:
    """Rounding is a matter of the largest numbers that are added up."""
    assert ours.shape == exact.shape
    allowed = 3e-6 if key == (2, 3) else 1e-5
    np.testing.assert_allclose(ours, exact, rtol=0, atol=allowed * np.abs(exact).max())


@pytest.mark.parametrize("key", SCHEMES, ids=str)
@pytest.mark.parametrize("padding", PADDINGS, ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_convolution_and_its_gradients(
    sizes: tuple[int, ...], padding: object, key: Key, always: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(conv_plan, "SCHEMES", {key: SCHEMES[key]})
    window = key[1]
    if padding == "VALID" and min(sizes[1:3]) < window:
        sizes = (sizes[0], 6, 9, *sizes[3:])
    x, w = _given(sizes, window)
    ours = _all_three(x, w, padding)
    assert always == ["convolution", "for_input", "for_filter"]
    exact = _all_three(x.astype(np.float64), w.astype(np.float64), padding)
    for one, other in zip(ours, exact, strict=True):
        _assert_near(one, other, key)


@pytest.mark.parametrize("lanes", [8, 16])
def test_vectors_of_another_width(
    lanes: int, always: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if lanes > code.lanes():
        pytest.skip("this processor has no vectors of 16")
    monkeypatch.setattr(code, "lanes", lambda: lanes)
    made = (kernels.convolution, kernels.filter_gradient, kernels._result)
    for each in made:
        each.cache_clear()
    try:
        for sizes in ((2, 9, 8, lanes, 3 * lanes), (1, 31, 6, 5 * lanes, 2 * lanes)):
            x, w = _given(sizes)
            exact = _all_three(x.astype(np.float64), w.astype(np.float64), "SAME")
            always.clear()
            for one, other in zip(_all_three(x, w, "SAME"), exact, strict=True):
                _assert_near(one, other)
            assert always == ["convolution", "for_input", "for_filter"]
    finally:
        for each in made:
            each.cache_clear()


@pytest.mark.parametrize("least", [0, 1 << 40], ids=["large", "small"])
def test_threads_change_no_bit(
    least: int, always: list[str], threads: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "_LEAST_IN_MORE_PARTS", least)
    monkeypatch.setattr(work, "_LEAST_TO_SHARE", 0)
    for sizes, window in (*[(each, 3) for each in SIZES], ((2, 40, 40, 16, 16), 5)):
        x, w = _given(sizes, window)
        made = []
        for count in (1, 2, 3, 8):
            threads(count)
            made.append(_all_three(x, w, "SAME"))
        for each in made[1:]:
            for one, other in zip(made[0], each, strict=True):
                np.testing.assert_array_equal(one, other)
    assert not any(name.startswith("no") for name in always)


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
def test_what_is_not_finite_stays_where_it_is(value: float, always: list[str]) -> None:
    x, w = _given((1, 12, 12, 16, 16))
    x[0, 5, 5, 3] = value
    y, dx, dw = _all_three(x, w, "SAME", np.ones((1, 12, 12, 16)))
    assert always == ["no convolution", "for_input", "no for_filter"]
    outside = np.ones((12, 12), bool)
    outside[4:7, 4:7] = False
    assert np.isfinite(y[0][outside]).all()
    assert np.isfinite(dx).all()
    assert not np.isfinite(y[0, 5, 5]).any() or value == 3e38
    clean = x.copy()
    clean[0, 5, 5, 3] = 0
    expected = _all_three(clean, w, "SAME", np.ones((1, 12, 12, 16)))
    np.testing.assert_allclose(y[0][outside], expected[0][0][outside], rtol=1e-4, atol=1e-4)
    others = np.arange(16) != 3
    np.testing.assert_allclose(dw[:, :, others], expected[2][:, :, others], rtol=1e-4, atol=1e-4)


def test_a_bias_and_what_relu_leaves_come_with_it(always: list[str]) -> None:
    x, w = _given((2, 9, 9, 16, 32))
    bias = np.linspace(-2, 2, 32, dtype=np.float32)
    for activation, limits in ((tf.nn.relu, (0, np.inf)), (tf.nn.relu6, (0, 6))):

        @tf.function
        def layer(x, w, b, activation=activation):
            return activation(tf.nn.bias_add(tf.nn.conv2d(x, w, 1, "SAME"), b))

        always.clear()
        made = layer(x, w, bias).numpy()
        assert always == ["convolution"]
        exact = tf.nn.conv2d(x.astype(np.float64), w.astype(np.float64), 1, "SAME").numpy() + bias
        _assert_near(made, np.clip(exact, *limits))
        x[0, 0, 0, 0] = np.nan
        np.testing.assert_array_equal(np.isnan(layer(x, w, bias).numpy()[0, :2, :2]), True)
        x[0, 0, 0, 0] = 0


def test_images_that_are_views_of_others(always: list[str]) -> None:
    x, w = _given((2, 10, 10, 48, 16))
    part = tf.constant(x)[:, 1:9, :, 16:32]
    made = tf.nn.conv2d(part, w[:, :, 16:32], 1, "SAME")
    assert always == ["convolution"]
    wide = np.ascontiguousarray(x[:, 1:9, :, 16:32]).astype(np.float64)
    _assert_near(made.numpy(), tf.nn.conv2d(wide, w[:, :, 16:32], 1, "SAME").numpy())


def test_small_images_odd_channels_and_other_windows_are_left_to_others() -> None:
    plan_of, how = conv_plan.plan_of, conv_plan.Sliding
    plain = how((1, 1, 1, 1), "SAME", (), "NHWC", (1, 1, 1, 1))
    assert plan_of(False, plain, (8, 24, 24, 64), (3, 3, 64, 64)).scheme == (4, 3)
    assert plan_of(False, plain, (8, 6, 6, 256), (3, 3, 256, 256)).scheme == (2, 3)
    assert plan_of(False, plain, (8, 24, 24, 64), (5, 5, 64, 64)).scheme == (2, 5)
    assert plan_of(False, plain, (1, 8, 8, 16), (3, 3, 16, 16)).scheme is None
    assert plan_of(False, plain, (8, 3, 3, 512), (3, 3, 512, 512)).scheme is None
    assert plan_of(False, plain, (8, 24, 24, 64), (3, 5, 64, 64)).scheme is None
    assert plan_of(False, plain, (8, 24, 24, 64), (7, 7, 64, 64)).scheme is None
    assert plan_of(False, plain, (8, 24, 24, 64), (3, 3, 32, 64)).scheme is None
    assert plan_of(True, plain, (8, 24, 24, 64), (3, 3, 64, 1)).scheme is None
    for change in ({"strides": (1, 2, 2, 1)}, {"dilations": (1, 2, 2, 1)}):
        changed = plain._replace(**change)
        assert plan_of(False, changed, (8, 24, 24, 64), (3, 3, 64, 64)).scheme is None
    first = plan_of(False, plain, (8, 96, 96, 3), (3, 3, 3, 64))
    x, w = torch.zeros(8, 96, 96, 3), torch.zeros(3, 3, 3, 64)
    assert first.scheme == (4, 3)
    assert conv_winograd.convolution(first, x, w, None) is None
    assert conv_winograd.convolution(first, x.double(), w.double(), None) is None


def test_machine_code_can_be_turned_off(always: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    x, w = _given((1, 8, 8, 16, 16))
    _all_three(x, w, "SAME")
    assert always == ["no convolution", "no for_input", "no for_filter"]


@pytest.mark.parametrize("count", [1, 3])
def test_a_rehearsal_takes_the_memory_that_the_kernel_takes(
    count: int, always: list[str], threads: Callable[[int], None]
) -> None:
    """What a bounded device is asked for before a kernel runs."""
    threads(count)
    x, w = (torch.from_numpy(each) for each in _given((2, 64, 64, 16, 16)))
    how = conv_plan.Sliding((1, 1, 1, 1), "SAME", (), "NHWC", (1, 1, 1, 1))
    for run in (
        lambda x, w: conv_kernels._DENSE.forward(x, w, how),
        lambda x, w: conv_kernels._DENSE.input_gradient(w, x, tuple(x.shape), how),
        lambda x, w: conv_kernels._DENSE.filter_gradient(x, x, tuple(w.shape), how),
    ):
        with Meter([x, w]) as real:
            run(x, w)
        shapes = x.to("meta"), w.to("meta")
        with Meter(shapes) as rehearsed:
            assert run(*shapes).is_meta
        assert abs(real.peak - rehearsed.peak) < 2**14
