"""`tf.signal`."""

from ..ops.signal.cosine import dct, idct
from ..ops.signal.fourier import (
    fft,
    fft2d,
    fft3d,
    fftnd,
    fftshift,
    ifft,
    ifft2d,
    ifft3d,
    ifftnd,
    ifftshift,
    irfft,
    irfft2d,
    irfft3d,
    irfftnd,
    rfft,
    rfft2d,
    rfft3d,
    rfftnd,
)
from ..ops.signal.frames import (
    frame,
    inverse_mdct,
    inverse_stft,
    inverse_stft_window_fn,
    mdct,
    mfccs_from_log_mel_spectrograms,
    overlap_and_add,
    stft,
)
from ..ops.signal.windows import (
    hamming_window,
    hann_window,
    kaiser_bessel_derived_window,
    kaiser_window,
    linear_to_mel_weight_matrix,
    vorbis_window,
)
