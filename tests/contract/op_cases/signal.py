"""Fourier and cosine transforms, frames, windows."""

from . import Case, loose

_ROUND = "TensorFlow's orthonormal factors have the digits of float32"


def _gradient(function: str, value: str) -> str:
    """The gradient of the sum of squares of a result."""
    return (
        f"(lambda x: (lambda t: (t.watch(x), (lambda y: t.gradient(y * tf.math.conj(y) "
        f"if y.dtype.is_complex else y * y, x))({function}))[1])(tf.GradientTape().__enter__()))"
        f"(tf.constant({value}))"
    )


FOURIER = [
    *[f"tf.signal.{inverse}fft({make}({shape}))" for inverse in ("", "i")
      for make in ("c64", "c128") for shape in ("4", "2, 5", "0, 3", "3, 0", "1")],
    *[f"tf.signal.{inverse}fft{axes}d({make}({shape}))" for inverse in ("", "i")
      for make in ("c64", "c128") for axes, shape in ((2, "3, 4"), (2, "2, 3, 2"), (3, "2, 3, 4"))],
    "tf.signal.fft([1, 2])", "tf.signal.fft([1.0, 2.0])", "tf.signal.fft(c64())",
    "tf.signal.fft2d(c64(3))", "tf.signal.fft3d(c64(3, 2))",
    *[f"tf.signal.rfft({make}({shape}){length})" for make in ("f32", "f64")
      for shape, length in (("4", ""), ("5", ""), ("2, 3", ""), ("4", ", [6]"), ("4", ", [3]"),
                            ("0, 4", ""), ("2, 4", ", [1]"))],
    *[f"tf.signal.rfft2d({make}(3, 4){length})" for make in ("f32", "f64")
      for length in ("", ", [2, 6]", ", [5, 3]")],
    "tf.signal.rfft3d(f32(2, 3, 4))", "tf.signal.rfft3d(f32(2, 3, 4), [3, 3, 3])",
    *[f"tf.signal.irfft({make}({shape}){length})" for make in ("c64", "c128")
      for shape, length in (("3", ""), ("2, 4", ""), ("3", ", [5]"), ("3", ", [3]"))],
    *[f"tf.signal.irfft2d({make}(3, 3){length})" for make in ("c64", "c128")
      for length in ("", ", [3, 5]", ", [2, 4]")],
    "tf.signal.irfft3d(c64(2, 3, 3))",
    "tf.signal.rfft([1, 2, 3])", "tf.signal.rfft(1.0)", "tf.signal.rfft(f32(3), [-1])",
    "tf.signal.rfft2d(f32(1, 3), [2])", "tf.signal.irfft([1.0, 2.0])",
    "tf.signal.rfft(tf.constant([1, 2]))", "tf.signal.irfft(tf.constant([1.0, 2.0]))",
    "tf.signal.rfft2d(f32(3))",
    *[f"tf.signal.{name}(i32({shape}){axes})" for name in ("fftshift", "ifftshift")
      for shape, axes in (("5", ""), ("2, 3", ""), ("2, 3", ", axes=1"), ("2, 4", ", axes=[0, 1]"),
                          ("3, 4", ", axes=-1"))],
    "tf.signal.fftshift(c64(4))", "tf.signal.fftshift([1, 2], axes=3)",
    _gradient("tf.signal.fft(x)", "c64(4)"), _gradient("tf.signal.ifft(x)", "c64(2, 3)"),
    _gradient("tf.signal.fft2d(x)", "c64(3, 2)"), _gradient("tf.signal.ifft2d(x)", "c64(3, 2)"),
    _gradient("tf.signal.fft3d(x)", "c64(3, 2, 2)"), _gradient("tf.signal.rfft(x)", "f32(5)"),
    _gradient("tf.signal.rfft(x, [6])", "f32(2, 4)"), _gradient("tf.signal.rfft2d(x)", "f32(3, 4)"),
    _gradient("tf.signal.irfft(x)", "c64(4)"), _gradient("tf.signal.irfft2d(x)", "c64(2, 3)"),
    _gradient("tf.signal.stft(x, 4, 2)", "f32(9)"),
]  # fmt: skip

COSINE = [
    *[f"tf.signal.{name}({make}({shape}), type={kind}, norm={norm})"
      for name in ("dct", "idct") for make in ("f32", "f64") for kind in (2, 3, 4)
      for norm in (None, "'ortho'") for shape in ("4", "2, 5")],
    *[f"tf.signal.{name}(f32({shape}), type=1)" for name in ("dct", "idct") for shape in ("4", "2, 3")],  # noqa: E501
    *[f"tf.signal.{name}(f32(2, 4), n={n})" for name in ("dct", "idct") for n in (1, 3, 6)],
    "tf.signal.dct(f32(4), n=0)", "tf.signal.dct(f32(4), type=5)", "tf.signal.dct(f32(4), axis=0)",
    "tf.signal.dct(f32(4), norm='foo')", "tf.signal.dct(f32(4), type=1, norm='ortho')",
    "tf.signal.dct(f32(1), type=1)", "tf.signal.idct(f32(4), type=7)",
    *[f"tf.signal.mdct(f32(9), 4{args})" for args in (
        "", ", window_fn=None", ", norm='ortho'", ", pad_end=True", ", norm='foo'")],
    "tf.signal.mdct(f32(9), 5)", "tf.signal.mdct(f64(2, 16), 8)",
    *[f"tf.signal.inverse_mdct(f32(3, 2){args})" for args in (
        "", ", window_fn=None", ", norm='ortho'")],
    "tf.signal.inverse_mdct(f32(2, 3, 4))",
    "tf.signal.mfccs_from_log_mel_spectrograms(f32(2, 4))",
    "tf.signal.mfccs_from_log_mel_spectrograms(f32(2, 0))",
    _gradient("tf.signal.dct(x)", "f32(4)"), _gradient("tf.signal.dct(x, type=3)", "f32(4)"),
]  # fmt: skip

FRAMES = [
    *[f"tf.signal.frame({value}, {args})" for value, args in (
        ("i32(5)", "3, 2"), ("i32(5)", "3, 2, pad_end=True"), ("i32(5)", "3, 1"),
        ("i32(5)", "3, 2, pad_end=True, pad_value=9"), ("i32(2)", "3, 2"), ("i32(5)", "2, 3"),
        ("f32(2, 6)", "3, 2"), ("f32(4, 2, 3)", "2, 1, axis=0"), ("f32(2, 4, 3)", "3, 2, axis=1"),
        ("f32(2, 4, 3)", "3, 2, pad_end=True, axis=-2"), ("i32(2, 2)", "1, 1, axis=5"),
        ("i32(3)", "0, 1"), ("i32(3)", "1, 0"), ("5", "1, 1"), ("[]", "3, 2, pad_end=True"),
        ("c64(6)", "3, 2"), ("bf16(6)", "3, 2"), ("i32(5)", "9, 2, pad_end=True"),
        ("i32(0)", "3, 2"), ("f64(5)", "5, 5"), ("f32(2, 5)", "2, 2, pad_end=True, pad_value=1.5"),
        ("i32(2, 2)", "1, 1, axis=[0]"),
    )],
    *[f"tf.signal.overlap_and_add({value}, {step})" for value, step in (
        ("i32(2, 3)", 1), ("i32(2, 3)", 3), ("i32(2, 3)", 5), ("f32(2, 4, 3)", 2), ("i32(3)", 1),
        ("f32(1, 3)", 2), ("c64(3, 2)", 1), ("f64(3, 4)", 2),
    )],
    *[f"tf.signal.stft({args})" for args in (
        "f32(8), 4, 2", "f32(8), 4, 2, fft_length=8", "f32(8), 4, 2, window_fn=None, pad_end=True",
        "f32(8), 3, 2", "i32(8), 4, 2", "f32(2, 9), 5, 3", "f64(9), 4, 4", "f32(2), 4, 2",
        "f32(9), 4, 3, window_fn=tf.signal.hamming_window",
    )],
    *[f"tf.signal.inverse_stft({args})" for args in (
        "c64(3, 3), 4, 2", "c64(3, 5), 4, 2, fft_length=8", "c64(3, 3), 3, 2", "f32(3, 3), 4, 2",
        "c64(2, 3, 3), 4, 2, window_fn=tf.signal.inverse_stft_window_fn(2)", "c128(3, 3), 4, 4",
        "c64(3, 3), 6, 2, fft_length=4", "c64(3, 3), 4, 2, window_fn=None",
    )],
    *[f"tf.signal.inverse_stft_window_fn({step})({length}, tf.{dtype})" for step, length, dtype in (
        (2, 4, "float32"), (3, 5, "float32"), (3, 8, "float64"))],
    _gradient("tf.signal.frame(x, 3, 2)", "f32(7)"),
    _gradient("tf.signal.overlap_and_add(x, 2)", "f32(3, 4)"),
]  # fmt: skip

_LENGTHS = (1, 2, 4, 5, 16)
WINDOWS = [
    *[f"tf.signal.{name}_window({n}, periodic={periodic})" for name in ("hann", "hamming")
      for n in _LENGTHS for periodic in (True, False)],
    *[f"tf.signal.{name}_window({n})" for name in ("kaiser", "kaiser_bessel_derived", "vorbis")
      for n in _LENGTHS],
    *[f"tf.signal.{name}_window(6, dtype=tf.{dtype})" for name in (
        "hann", "hamming", "kaiser", "kaiser_bessel_derived", "vorbis")
      for dtype in ("float64", "int32")],
    "tf.signal.hann_window(0)", "tf.signal.hann_window([4])", "tf.signal.kaiser_window(0)",
    "tf.signal.kaiser_window(5, beta=3.0)", "tf.signal.hann_window(tf.constant(4))",
    *[f"tf.signal.linear_to_mel_weight_matrix({args})" for args in (
        "3, 5", "3, 5, dtype=tf.float64", "-3, 5", "3, 5, lower_edge_hertz=-1.0", "",
        "3, 5, lower_edge_hertz=5000.0", "3, 5, upper_edge_hertz=5000.0", "3, 5, sample_rate=-1",
        "3, 5, dtype=tf.int32", "4, 9, 16000, 20.0, 8000.0",
    )],
]  # fmt: skip


def _is_coarse(expression: str) -> bool:
    """True for what TensorFlow computes in float64 with float32's factors."""
    return "dct(f64(" in expression and "'ortho'" in expression and "type=4" not in expression


CASES: list[str | Case] = [
    loose(each, 4e-8, _ROUND) if _is_coarse(each) else each
    for each in dict.fromkeys([*FOURIER, *COSINE, *FRAMES, *WINDOWS])
]
