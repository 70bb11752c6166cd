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

_WHOLE, _OBJECT = "[[[0.0, 0.0, 1.0, 1.0]]]", "[[[0.1, 0.2, 0.6, 0.7]]]"
_SIDES = ("[40, 50, 3]", "[1024, 333, 3]", "[7, 7, 1]")
_STATELESS = "tf.image.stateless_sample_distorted_bounding_box"
_KEEPING = "min_object_covered=0.0, aspect_ratio_range=[0.5, 2.0], area_range=[0.05, 0.9]"
CASES += [
    *[f"{_STATELESS}({size}, {box}, {seed})"
      for size in _SIDES for box in (_WHOLE, _OBJECT) for seed in _SEEDS],
    *[f"{_STATELESS}({size}, {_OBJECT}, [{seed}, 7], {_KEEPING})"
      for size in _SIDES for seed in range(-3, 4)],
    *[f"{_STATELESS}({arguments})" for arguments in (
        f"[40, 50, 3], {_OBJECT}[0], [1, 2]", "[40, 50, 3], np.zeros((1, 0, 4)), [1, 2]",
        "[40, 50, 3], np.zeros((1, 0, 4)), [1, 2], use_image_if_no_bounding_boxes=True",
        "[40, 50, 3], np.zeros((1, 1, 3)), [1, 2]",
        "[40, 50, 3], [[[-0.1, 0.0, 1.0, 1.0]]], [1, 2]",
        "[40, 50, 3], [[[0.0, 0.0, 1.0, 1.1]]], [1, 2]",
        "[40, 50, 3], [[[0.5, 0.0, 0.1, 1.0]]], [1, 2]",
        f"tf.constant([40, 50, 3], tf.uint8), {_OBJECT}, [1, 2]",
        f"tf.constant([40, 50, 3], tf.int64), {_OBJECT}, tf.constant([1, 2], tf.int64)",
        f"tf.constant([40, 50, 3], tf.uint16), {_OBJECT}, [1, 2]",
        f"[40, 50], {_OBJECT}, [1, 2]", f"[[40, 50, 3]], {_OBJECT}, [1, 2]",
        f"[-5, 50, 3], {_OBJECT}, [1, 2]", f"[0, 50, 3], {_OBJECT}, [1, 2]",
        *(f"[40, 50, 3], {_OBJECT}, [1, 2], {more}" for more in (
            "-0.1", "2.0", "[0.1]", "tf.constant(0.1, tf.float64)", "'a'", "float('nan')", "None",
            "aspect_ratio_range=[1.0]", "aspect_ratio_range=[2.0, 1.0]",
            "aspect_ratio_range=[0.0, 1.0]", "aspect_ratio_range=[0.5, float('inf')]",
            "aspect_ratio_range=np.array([0.7, 1.3])", "aspect_ratio_range='ab'",
            "area_range=[0.9, 0.1]", "area_range=[0.0, 1.0]", "area_range=[0.5, 1.5]",
            "area_range=()", "area_range=(1, 1)", "max_attempts=0", "max_attempts=2.5",
            "max_attempts='a'", "use_image_if_no_bounding_boxes=1",
        )),
        f"[40, 50, 3], {_OBJECT}, [1]", f"[40, 50, 3], {_OBJECT}, 1",
        f"[40, 50, 3], {_OBJECT}, [1.0, 2.0]", f"[40, 50, 3], {_OBJECT}, None",
    )],
    "tf.image.sample_distorted_bounding_box([40, 50, 3], [[[0.0, 0.0, 1.0, 1.0]]], "
    "area_range=(1.0, 1.0))",
    "tf.compat.v1.image.sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.6, 0.7]]], 1, 2)",
    "tf.compat.v1.image.sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.6, 0.7]]], "
    "seed2=2)",
    shape_only("tf.image.sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.6, 0.7]]])"),
]  # fmt: skip
