"""Cases of `ops/image_quality.py`: how alike two images are."""

from __future__ import annotations

from . import loose

_SUMS = "differences of sums of squares, rounded in another order"
_PAIR = "tf.constant({0}(2, {1}, {2}, {3}, low=0, high=1)), " * 2
_GREY = "tf.constant(u8(2, 13, 12, 1, low=0, high=256)), tf.constant(u8(2, 13, 12, 1, low=0, "
_GREY += "high=256))"

CASES = [
    *[
        loose(f"tf.image.ssim({_PAIR.format(x, *size)}1.0{more})", 1e-4, _SUMS)
        for x in ("f32", "f64", "f16")
        for size in ((12, 11, 3), (16, 13, 1))
        for more in ("", ", filter_size=4", ", 7, 0.8, 0.02, 0.05", ", return_index_map=True")
    ],
    loose(f"tf.image.ssim({_GREY}, 255)", 1e-4, _SUMS),
    loose("tf.image.ssim(tf.constant(f32(12, 11, 2)), tf.constant(f32(12, 11, 2)), 4.0)", 1e-4,
          _SUMS),
    loose("tf.image.ssim(f32(12, 11, 2), f32(12, 11, 2), 4.0)", 1e-4, _SUMS),
    loose("tf.image.ssim(tf.constant(f32(1, 12, 12, 2)), tf.constant(f32(3, 12, 12, 2)), 4.0)",
          1e-4, _SUMS),
    "tf.image.ssim(tf.constant(f32(1, 12, 12, 2)), tf.constant(f32(1, 12, 11, 2)), 4.0)",
    "tf.image.ssim(tf.constant(f32(1, 9, 12, 2)), tf.constant(f32(1, 9, 12, 2)), 4.0)",
    "tf.image.ssim(tf.constant(f32(12, 12)), tf.constant(f32(12, 12)), 4.0)",
    *[
        loose(
            f"tf.image.ssim_multiscale({_PAIR.format('f32', *size)}1.0, {factors}, "
            "filter_size=3)",
            1e-4,
            _SUMS,
        )
        for size in ((16, 12, 3), (17, 15, 1))
        for factors in ("(0.3, 0.7)", "[0.2, 0.3, 0.5]", "(1.0,)")
    ],
    loose(f"tf.image.ssim_multiscale({_GREY}, 255, (0.5, 0.5), 4)", 1e-4, _SUMS),
    "tf.image.ssim_multiscale(tf.constant(f32(1, 20, 20, 1)), tf.constant(f32(1, 20, 20, 1)), 1.0)",
    loose("grad(lambda x, y: tf.image.ssim(x, y, 1.0, 5), f32(1, 8, 8, 2, low=0, high=1), "
          "f32(1, 8, 8, 2, low=0, high=1))", 1e-3, _SUMS),
]  # fmt: skip
