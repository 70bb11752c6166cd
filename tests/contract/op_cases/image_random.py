"""Cases of `ops/image/random.py`: stateless ones by value, the others by shape."""

from __future__ import annotations

from . import loose, shape_only

_HUE = "hue is ill-conditioned where colours are nearly grey"
_SEEDS = ([1, 2], [5, 0], [7, 9])
_IMAGES = ("f32(4, 5, 3, low=0.0, high=1.0)", "u8(4, 5, 3, high=256)")

CASES = [
    *[
        f"tf.image.stateless_random_flip_{way}({x}, {seed})"
        for way in ("left_right", "up_down")
        for x in ("f32(3, 4, 2)", "u8(6, 3, 4, 1)")
        for seed in _SEEDS
    ],
    *[
        loose(f"tf.image.stateless_random_{call.format(x=x, seed=seed)}", 1e-3, _HUE)
        for call in (
            "brightness({x}, 0.3, {seed})",
            "contrast({x}, 0.2, 1.5, {seed})",
            "hue({x}, 0.3, {seed})",
            "saturation({x}, 0.2, 1.5, {seed})",
        )
        for x in _IMAGES
        for seed in _SEEDS
    ],
    *[
        f"tf.image.stateless_random_crop({x}, {size}, {seed})"
        for x, size in (("f32(5, 6, 3)", [2, 3, 3]), ("i32(9)", [4]))
        for seed in _SEEDS
    ],
    "tf.image.random_contrast(f32(2, 2, 3), 2.0, 1.0)",
    "tf.image.random_contrast(f32(2, 2, 3), -1.0, 1.0)",
    "tf.image.random_hue(f32(2, 2, 3), 0.7)",
    "tf.image.random_hue(f32(2, 2, 3), -0.1)",
    "tf.image.random_brightness(f32(2, 2, 3), -0.1)",
    "tf.image.random_jpeg_quality(u8(8, 8, 3), 90, 200)",
    "tf.image.random_jpeg_quality(u8(8, 8, 3), 90, 80)",
    "tf.image.random_flip_left_right(f32(4, 3))",
    shape_only("tf.image.random_flip_left_right(f32(4, 3, 1))"),
    shape_only("tf.image.random_flip_up_down(u8(2, 4, 3, 1))"),
    shape_only("tf.image.random_brightness(f32(4, 3, 1), 0.2)"),
    shape_only("tf.image.random_contrast(f32(4, 3, 1), 0.2, 0.5)"),
    shape_only("tf.image.random_hue(f32(4, 3, 3), 0.2)"),
    shape_only("tf.image.random_saturation(f32(4, 3, 3), 0.2, 0.5)"),
    shape_only("tf.image.random_crop(f32(4, 3, 3), [2, 2, 3])"),
    shape_only("tf.image.random_jpeg_quality(u8(8, 8, 3), 50, 90)"),
    shape_only("tf.image.stateless_random_jpeg_quality(u8(8, 8, 3), 50, 90, [1, 2])"),
]
