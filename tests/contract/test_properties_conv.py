"""Convolutions and pooling against NumPy, over random sizes, strides, paddings and dilations.

The references here are the definitions: padded input, one window per place, a product or a
maximum. Gradients follow from linearity: <dy, conv(x, w)> = <dx, x> = <dw, w>.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from property_examples import share_of

import emplace.tensorflow as tf

RANDOM = np.random.default_rng(11)
LAYOUTS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
EXAMPLES = settings(max_examples=share_of(40), derandomize=True, deadline=None)
FEW = settings(EXAMPLES, max_examples=share_of(25))


def numbers(*shape: int) -> Any:
    return RANDOM.standard_normal(shape)


def paddings(
    sizes: Any, window: Any, strides: Any, dilations: Any, padding: Any
) -> list[tuple[int, int]]:
    """(before, after) of each dimension of space."""
    if not isinstance(padding, str):
        return list(padding)
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    found = []
    for size, taps, step, far in zip(sizes, window, strides, dilations, strict=True):
        total = max(0, (math.ceil(size / step) - 1) * step + (taps - 1) * far + 1 - size)
        found.append((total // 2, total - total // 2))
    return found


def windows(
    x: Any, window: Any, strides: Any, dilations: Any, ends: Any, fill: float
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """(place in the output, what the window sees there: (batch, *window, channels))."""
    padded = np.pad(x, [(0, 0), *ends, (0, 0)], constant_values=fill)
    counts = [
        (size - (taps - 1) * far - 1) // step + 1
        for size, taps, step, far in zip(
            padded.shape[1:-1], window, strides, dilations, strict=True
        )
    ]
    for place in itertools.product(*map(range, counts)):
        seen = tuple(
            slice(i * step, i * step + (taps - 1) * far + 1, far)
            for i, step, taps, far in zip(place, strides, window, dilations, strict=True)
        )
        yield place, padded[(slice(None), *seen)]


def assembled(parts: list[tuple[tuple[int, ...], Any]]) -> Any:
    """The values of places as one array (batch, *places, channels)."""
    last = parts[-1][0]
    out = np.zeros((parts[0][1].shape[0], *(i + 1 for i in last), parts[0][1].shape[-1]))
    for place, value in parts:
        out[(slice(None), *place)] = value
    return out


def convolved(x: Any, w: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    """The definition of a convolution, in groups as the filter's channels tell."""
    rank = w.ndim - 2
    taken, made = w.shape[-2:]
    groups = x.shape[-1] // taken
    ends = paddings(x.shape[1:-1], w.shape[:rank], strides, dilations, padding)
    parts = []
    for place, seen in windows(x, w.shape[:rank], strides, dilations, ends, 0.0):
        values = [
            np.tensordot(
                seen[..., g * taken : (g + 1) * taken],
                w[..., g * made // groups : (g + 1) * made // groups],
                rank + 1,
            )
            for g in range(groups)
        ]
        parts.append((place, np.concatenate(values, -1)))
    return assembled(parts)


def deep_convolved(x: Any, w: Any, strides: Any, dilations: Any, padding: Any) -> Any:
    """The definition of a depthwise convolution."""
    channels = [
        convolved(x[..., c : c + 1], w[:, :, c : c + 1], strides, dilations, padding)
        for c in range(x.shape[-1])
    ]
    return np.concatenate(channels, -1)


def pooled(kind: str, x: Any, window: Any, strides: Any, padding: str) -> Any:
    """The definition of pooling: what is padded does not count."""
    ones = (1,) * len(window)
    ends = paddings(x.shape[1:-1], window, strides, ones, padding)
    axes = tuple(range(1, len(window) + 1))
    reduce = np.nanmax if kind == "max" else np.nanmean
    return assembled(
        [
            (place, reduce(seen, axis=axes))
            for place, seen in windows(x, window, strides, ones, ends, np.nan)
        ]
    )


class Setting:
    """A random convolution or pooling over `rank` dimensions."""

    def __init__(self, draw: Any, rank: int) -> None:
        some = st.integers(1, 3)
        self.rank = rank
        self.window = tuple(draw(some) for _ in range(rank))
        self.strides = tuple(draw(some) for _ in range(rank))
        spread = draw(st.booleans())
        self.dilations = tuple(draw(some) if spread else 1 for _ in range(rank))
        if spread:
            self.strides = (1,) * rank
        extents = [(k - 1) * d + 1 for k, d in zip(self.window, self.dilations, strict=True)]
        self.sizes = tuple(draw(st.integers(extent, extent + 4)) for extent in extents)
        self.padding: Any = draw(st.sampled_from(["SAME", "VALID"]))
        self.batch, self.channels, self.made = draw(some), draw(st.integers(1, 4)), draw(some)
        self.first = draw(st.booleans())

    def explicit(self, draw: Any) -> None:
        ends = st.tuples(st.integers(0, 2), st.integers(0, 2))
        if draw(st.booleans()):
            self.padding = [draw(ends) for _ in range(self.rank)]

    @property
    def layout(self) -> str:
        return LAYOUTS[self.rank][self.first]

    def laid(self, x: Any) -> Any:
        """An array whose channels come last, in the layout of this setting."""
        return tf.constant(np.moveaxis(x, -1, 1) if self.first else x)

    def back(self, y: Any) -> Any:
        return np.moveaxis(y.numpy(), 1, -1) if self.first else y.numpy()

    def given_padding(self) -> Any:
        if isinstance(self.padding, str):
            return self.padding
        ends = [list(each) for each in self.padding]
        return [[0, 0], [0, 0], *ends] if self.first else [[0, 0], *ends, [0, 0]]


@st.composite
def convolutions(draw: Any, rank: int) -> Setting:
    setting = Setting(draw, rank)
    if rank < 3:
        setting.explicit(draw)
    return setting


@st.composite
def poolings(draw: Any, rank: int) -> Setting:
    setting = Setting(draw, rank)
    setting.dilations = (1,) * rank
    return setting


def check_convolution(one: Setting, groups: int = 1) -> None:
    channels, made = one.channels * groups, one.made * groups
    x = numbers(one.batch, *one.sizes, channels)
    w = numbers(*one.window, one.channels, made)
    call = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}[one.rank]
    expected = convolved(x, w, one.strides, one.dilations, one.padding)
    inputs = one.laid(x), tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = call(
            *inputs, one.strides, one.given_padding(), data_format=one.layout,
            dilations=one.dilations,
        )  # fmt: skip
    assert np.allclose(one.back(y), expected)
    dy = numbers(*y.shape.as_list())
    dx, dw = tape.gradient(y, inputs, tf.constant(dy))
    total = np.sum(dy * y.numpy())
    assert np.sum(dx.numpy() * inputs[0].numpy()) == pytest.approx(total, abs=1e-9)
    assert np.sum(dw.numpy() * w) == pytest.approx(total, abs=1e-9)


@given(convolutions(1))
@EXAMPLES
def test_conv1d_is_its_definition(one: Setting) -> None:
    check_convolution(one)


@given(convolutions(2), st.integers(1, 3))
@EXAMPLES
def test_conv2d_is_its_definition(one: Setting, groups: int) -> None:
    check_convolution(one, groups)


@given(convolutions(3))
@EXAMPLES
def test_conv3d_is_its_definition(one: Setting) -> None:
    check_convolution(one)


@given(convolutions(2))
@EXAMPLES
def test_depthwise_conv2d_is_its_definition(one: Setting) -> None:
    x = numbers(one.batch, *one.sizes, one.channels)
    w = numbers(*one.window, one.channels, one.made)
    inputs = one.laid(x), tf.constant(w)
    strides = (1, 1, *one.strides) if one.first else (1, *one.strides, 1)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = tf.nn.depthwise_conv2d(
            *inputs, strides, one.given_padding(), one.layout, one.dilations
        )  # fmt: skip
    expected = deep_convolved(x, w, one.strides, one.dilations, one.padding)
    assert np.allclose(one.back(y), expected)
    dy = numbers(*y.shape.as_list())
    dx, dw = tape.gradient(y, inputs, tf.constant(dy))
    total = np.sum(dy * y.numpy())
    assert np.sum(dx.numpy() * inputs[0].numpy()) == pytest.approx(total, abs=1e-9)
    assert np.sum(dw.numpy() * w) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("rank", [1, 2, 3])
@given(data=st.data())
@FEW
def test_a_transposed_convolution_is_the_gradient_of_one(rank: int, data: Any) -> None:
    one = data.draw(convolutions(rank))
    one.padding = one.padding if isinstance(one.padding, str) else "SAME"
    w = numbers(*one.window, one.channels, one.made)
    x = numbers(one.batch, *one.sizes, one.channels)
    y = convolved(x, w, one.strides, one.dilations, one.padding)
    back = numbers(*y.shape)
    call = {1: tf.nn.conv1d_transpose, 2: tf.nn.conv2d_transpose, 3: tf.nn.conv3d_transpose}[rank]
    made = call(
        one.laid(back), tf.constant(w), one.laid(x).shape, one.strides, one.padding,
        data_format=one.layout, dilations=one.dilations,
    )  # fmt: skip
    assert np.sum(one.back(made) * x) == pytest.approx(np.sum(back * y), abs=1e-9)


@pytest.mark.parametrize("kind", ["max", "avg"])
@pytest.mark.parametrize("rank", [1, 2, 3])
@given(data=st.data())
@FEW
def test_pooling_is_its_definition(kind: str, rank: int, data: Any) -> None:
    one = data.draw(poolings(rank))
    x = numbers(one.batch, *one.sizes, one.channels)
    given_x = one.laid(x)
    call = {"max": tf.nn.max_pool, "avg": tf.nn.avg_pool}[kind]
    with tf.GradientTape() as tape:
        tape.watch(given_x)
        y = call(given_x, one.window, one.strides, one.padding, data_format=one.layout)
    assert np.allclose(one.back(y), pooled(kind, x, one.window, one.strides, one.padding))
    dy = numbers(*y.shape.as_list())
    dx = tape.gradient(y, given_x, tf.constant(dy))
    assert np.sum(dx.numpy() * given_x.numpy()) == pytest.approx(np.sum(dy * y.numpy()), abs=1e-9)


@given(poolings(2))
@EXAMPLES
def test_places_of_maxima_are_where_they_are(one: Setting) -> None:
    x = numbers(one.batch, *one.sizes, one.channels)
    values, places = tf.nn.max_pool_with_argmax(x, one.window, one.strides, one.padding)
    flat = x.reshape(one.batch, -1)
    found = np.take_along_axis(flat, places.numpy().reshape(one.batch, -1), 1)
    assert np.array_equal(found.reshape(values.shape), values.numpy())


@given(poolings(2), st.tuples(st.integers(1, 3), st.integers(1, 3)))
@FEW
def test_dilated_pooling_sees_every_few_places(one: Setting, far: tuple[int, int]) -> None:
    extents = [(k - 1) * d + 1 for k, d in zip(one.window, far, strict=True)]
    sizes = [max(size, extent) for size, extent in zip(one.sizes, extents, strict=True)]
    x = numbers(one.batch, *sizes, one.channels)
    made = tf.nn.pool(x, one.window, "MAX", padding="VALID", dilations=far)
    seen = windows(x, one.window, (1, 1), far, [(0, 0), (0, 0)], 0.0)
    assert np.array_equal(made.numpy(), assembled([(at, v.max(axis=(1, 2))) for at, v in seen]))


# What TensorFlow's CPU kernels end the process for, or answer with memory nobody wrote

REFUSED = [
    lambda: tf.nn.conv2d(tf.ones([5, 5, 2]), tf.ones([3, 3, 2, 4]), 1, "SAME"),
    lambda: tf.nn.conv3d(tf.ones([4, 4, 4, 2]), tf.ones([2, 2, 2, 2, 3]), 1, "SAME"),
    lambda: tf.nn.depthwise_conv2d(tf.ones([5, 5, 2]), tf.ones([3, 3, 2, 1]), [1, 1, 1, 1], "SAME"),
    lambda: tf.nn.max_pool3d(tf.ones([4, 4, 4, 2]), 2, 2, "SAME"),
    lambda: tf.nn.conv2d_transpose(tf.ones([1, 3, 3, 2]), tf.ones([3, 3, 2, 2]), [1, 6, 6], 2),
    lambda: tf.nn.conv2d_transpose(tf.ones([1, 3, 3, 2]), tf.ones([3, 3, 2, 2]), [1, 9, 9, 2], 2),
    lambda: tf.nn.conv2d(
        tf.ones([2, 5, 5, 2]), tf.ones([3, 3, 2, 4]), 1, [[1, 0], [1, 1], [1, 1], [0, 0]]
    ),
    lambda: tf.nn.conv2d(
        tf.ones([2, 5, 5, 2]), tf.ones([3, 3, 2, 4]), 1, [[0, 0], [-1, 1], [1, 1], [0, 0]]
    ),
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_crashes_tensorflow_is_refused(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


def test_a_window_larger_than_its_input_gives_nothing_or_is_refused() -> None:
    one_missing = tf.nn.conv2d(tf.ones([1, 2, 2, 2]), tf.ones([3, 3, 2, 4]), 1, "VALID")
    assert one_missing.shape == [1, 0, 0, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="output size would be negative: -1"):
        tf.nn.conv2d(tf.ones([1, 2, 2, 2]), tf.ones([4, 4, 2, 4]), 1, "VALID")
