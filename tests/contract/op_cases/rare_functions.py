"""Cases of `ops/nn/isotonic.py`, `nn/fractional_pool.py`, `array/volume_patches.py` and
`image/frames.py`, and of WebP in `image/codecs.py`: lossless files that Pillow wrote.
"""

from . import Case, shape_only

_BOXES = "[[[0.1,0.2,0.8,0.9],[0.,0.,1.,1.],[.5,.5,.6,.6]]]"
_POOL = "tf.nn.fractional_{}_pool({}, {}, {})"

_RGB = (
    "UklGRkoAAABXRUJQVlA4TD0AAAAvAkAAAC9AFmDy7x9WyAkEEpOiBgSgGI4gwknuZQQBJAqFMfFIO0wz"
    "/9HxkJn50uAFBWkbsLh7yhbR/7hmAA=="
)
_RGBA = (
    "UklGRlYAAABXRUJQVlA4TEkAAAAvAkAAEC9AFmACsH8UKeSPkEY4BAEkJEFktecAwyygpm0Dhlvw9i26"
    "JTJpm68Gam/M1DxNVxyMH0k9dP6qgCDbNrTtbI/of6wLAA=="
)


def _file(text: str) -> str:
    return f"__import__('base64').b64decode('{text}')"


CASES: list[str | Case] = [
    *[
        f"tf.nn.isotonic_regression({call})"
        for call in (
            "[3., 1., 2., 0.]", "[1., 2., 3.]", "[3., 1., 2.], decreasing=False", "f32(2,5)",
            "f64(3,4), axis=0", "i32(5)", "i8(5)", "i64(5)", "f16(4)", "bf16(4)",
            "f32(2,5), decreasing=False", "[[1., 1., 1.]]", "f32(2,3,4), axis=1",
        )
    ],
    *[
        f"gradient(lambda x: tf.nn.isotonic_regression(x{how})[0] * [1., 2., 3., 4.], {x})"
        for how in ("", ", decreasing=False")
        for x in ("[[3., 1., 2., 0.]]", "[[4., 3., 5., 1.], [3., 4., 1., 2.]]")
    ],
    "tf.function(lambda x: tf.nn.isotonic_regression(x))(tf.constant([1., 3., 2.]))",
    *[
        f"tf.extract_volume_patches({call})"
        for call in (
            "f32(1,3,4,5,2), [1,2,2,2,1], [1,1,1,1,1], 'VALID'",
            "f32(2,3,4,5,1), [1,2,3,2,1], [1,2,1,2,1], 'SAME'",
            "i32(1,4,4,4,1), [1,3,3,3,1], [1,2,2,2,1], 'SAME'",
            "f64(1,2,2,2,3), [1,2,2,2,1], [1,3,3,3,1], padding='VALID'",
        )
    ],
    "gradient(lambda x: tf.extract_volume_patches(x, [1,2,2,2,1], [1,1,1,1,1], 'SAME') ** 2, "
    "f32(1,2,3,2,1))",
    *[
        f"tf.image.draw_bounding_boxes({call})"
        for call in (
            f"tf.zeros([1,10,12,3]), {_BOXES}, None", f"tf.zeros([1,10,12,1]), {_BOXES}, None",
            f"tf.zeros([1,10,12,4]), {_BOXES}, [[1.,0,0,1],[0,1,0,1]]",
            "tf.zeros([1,6,6,3]), [[[-.5,-.5,.5,.5],[.5,.5,1.5,1.5],[.9,.1,.2,.4]]], "
            "[[.5,.25,1,1]]",
            f"tf.zeros([1,10,12,3],tf.float16), {_BOXES}, None",
            f"f32(2,5,5,3), tf.tile({_BOXES}, [2,1,1]), [[1.,0,0]]",
        )
    ],
    f"tf.compat.v1.image.draw_bounding_boxes(tf.zeros([1,10,12,3]), {_BOXES})",
    *[
        # Ratios of which all windows have one size, so that nothing is random.
        _POOL.format(kind, value, ratio, how)
        for kind in ("max", "avg")
        for value in ("f32(1,6,9,2)", "f64(2,6,6,1)", "i32(1,6,6,1)")
        for ratio in ("[1., 3., 3., 1.]", "[1., 2., 3., 1.]")
        for how in ("seed=1", "overlapping=True, seed=1")
    ],
    *[
        f"gradient(lambda x: tf.nn.fractional_{kind}_pool(x, [1., 3., 3., 1.], {how})[0] ** 2, "
        "f32(1,6,9,2))"
        for kind in ("max", "avg")
        for how in ("seed=1", "overlapping=True, seed=1")
    ],
    *[
        shape_only(_POOL.format(kind, "f32(2,7,10,2)", ratio, how))
        for kind in ("max", "avg")
        for ratio in ("[1., 1.5, 1.5, 1.]", "[1., 1.44, 1.73, 1.]")
        for how in ("seed=0", "pseudo_random=True")
    ],
    *[
        _POOL.format(kind, value, ratio, how)
        for kind in ("max", "avg")
        for value in ("f32(2,7,10,2)", "f64(1,20,30,1)")
        for ratio in ("[1., 1.5, 1.5, 1.]", "[1., 1.44, 1.73, 1.]", "[1., 1., 1.6, 1.]")
        for how in ("seed=1", "overlapping=True, seed=5", "pseudo_random=True, seed=3")
    ],
    *[
        f"tf.compat.v1.nn.fractional_{kind}_pool(f32(1,11,13,1), [1., 1.4, 1.6, 1.], {how}, "
        f"deterministic=True, seed={seeds[0]}, seed2={seeds[1]})"
        for kind in ("max", "avg")
        for how in ("pseudo_random=True", "overlapping=True")
        for seeds in ((5, 0), (0, 3), (5, 6))
    ],
    "tf.nn.fractional_max_pool(f32(1,6,6,1), 0.5)",
    "tf.nn.fractional_max_pool(f32(1,6,6,1), 3., seed=1)",
    "tf.nn.fractional_max_pool(f32(1,6,6,1), (2., 3.))",
    "tf.nn.fractional_max_pool(f32(1,6,6,1), [1., 2., 2., 2.])",
    *[
        f"tf.image.decode_webp({_file(text)}{how})"
        for text in (_RGB, _RGBA)
        for how in ("", ", channels=3", ", channels=4", ", channels=1", ", dtype=tf.float32")
    ],
    "tf.fingerprint(i32(3, 4))",
    "tf.fingerprint(f64(2, 2, 2))",
    "tf.fingerprint(['a', 'bc'])",
    "tf.fingerprint([['a', ''], ['b', 'c' * 100]])",
    "tf.fingerprint(np.zeros([2, 0]))",
    "tf.fingerprint([1], 'md5')",
    "tf.fingerprint(1)",
    f"tf.io.decode_image({_file(_RGB)})",
    f"tf.io.decode_image({_file(_RGBA)}, expand_animations=False)",
    "tf.io.decode_webp(b'abc')",
    f"tf.io.decode_webp({_file(_RGB)}[:20])",
    shape_only("tf.compat.v1.nn.fractional_max_pool(f32(1,7,7,1), [1., 1.4, 1.4, 1.], seed=1)"),
    shape_only("tf.compat.v1.nn.fractional_avg_pool(f32(1,7,7,1), [1., 1.4, 1.4, 1.])"),
]  # fmt: skip
