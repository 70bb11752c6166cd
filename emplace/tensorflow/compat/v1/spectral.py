"""`tf.compat.v1.spectral`."""

from ....ops.signal.cosine import dct, idct
from ....ops.signal.fourier import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)
