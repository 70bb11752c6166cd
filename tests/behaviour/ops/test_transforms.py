"""Transforms over several axes that TensorFlow declares and cannot run on a CPU, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

RANDOM = np.random.default_rng(7)
REAL = RANDOM.normal(size=(3, 4, 6)).astype(np.float32)
COMPLEX = (REAL + 1j * RANDOM.normal(size=REAL.shape)).astype(np.complex64)
SIZES = {(0, 2): (3, 6), (1,): (4,), (0, 1, 2): (5, 4, 2)}


@pytest.mark.parametrize("axes", SIZES)
@pytest.mark.parametrize(
    ("name", "numpys", "given"),
    [
        ("FFTND", np.fft.fftn, COMPLEX),
        ("IFFTND", np.fft.ifftn, COMPLEX),
        ("RFFTND", np.fft.rfftn, REAL),
        ("IRFFTND", np.fft.irfftn, COMPLEX),
    ],
)
def test_a_transform_over_axes_is_numpys(name, numpys, given, axes) -> None:  # type: ignore[no-untyped-def]
    sizes = SIZES[axes]
    expected = numpys(given, sizes, axes)
    raw = getattr(tf.raw_ops, name)(input=given, fft_length=sizes, axes=axes)
    public = getattr(tf.signal, name.lower())(given, sizes, axes)
    for answer in (raw, public):
        np.testing.assert_allclose(answer.numpy(), expected, rtol=1e-5, atol=1e-5)
