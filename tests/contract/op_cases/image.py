"""Cases of `ops/image_*.py`."""

from __future__ import annotations

from . import loose

_HUE = "hue is ill-conditioned where colours are nearly grey"
_METHODS = ["bilinear", "nearest", "bicubic", "area", "gaussian", "lanczos3", "lanczos5",
            "mitchellcubic"]  # fmt: skip
_SMALL = "weights are computed in float64, TensorFlow's in float32"
_ANY_TYPE = [
    f"tf.cast(tf.constant(u8(2, 3, 3, low=0, high={most})), tf.{dtype})"
    for dtype, most in (
        ("uint8", 256), ("int8", 128), ("uint16", 256), ("int16", 256), ("int32", 256),
        ("int64", 256), ("float32", 2), ("float64", 2),
    )
]  # fmt: skip

CASES = [
    *[
        loose(f"tf.image.resize({x}, {size}, '{method}', antialias={smooth})", 1e-4, _SMALL)
        for method in _METHODS
        for smooth in (False, True)
        for x, size in (
            ("f32(2, 5, 7, 3)", [3, 4]),
            ("f32(4, 5, 2)", [9, 7]),
            ("u8(1, 6, 6, 1)", [4, 11]),
            ("f32(1, 1, 3, 1)", [3, 1]),
        )
    ],
    *[
        loose(f"tf.image.resize({x}(1, 4, 5, 2), [7, 3], '{method}')", 1e-4, _SMALL)
        for method in ("bilinear", "nearest", "bicubic", "area")
        for x in ("f16", "bf16", "f64", "i32", "i64", "u16", "i8", "i16")
    ],
    *[
        f"tf.image.resize(f32(4, 6, 1), {size}, preserve_aspect_ratio=True)"
        for size in ([2, 2], [8, 20], [5, 5], [4, 6])
    ],
    "tf.image.resize(f32(4, 6), [2, 2])",
    "tf.image.resize(f32(4, 6, 1), [2])",
    "tf.image.resize(f32(4, 6, 1), [2, 2], 'none')",
    "tf.image.resize(f32(4, 6, 1), [0, 2])",
    "tf.image.resize(u8(4, 6, 1), [4, 6])",
    "tf.image.resize(f32(0, 4, 6, 1), [2, 2])",
    *[
        loose(
            f"tf.raw_ops.Resize{name}(images=f32(1, 4, 5, 2), size={size}, "
            f"align_corners={align}, half_pixel_centers={half})",
            1e-4,
            _SMALL,
        )
        for name in ("Bilinear", "NearestNeighbor", "Bicubic")
        for align, half in ((False, False), (True, False), (False, True))
        for size in ([7, 3], [1, 4], [2, 9])
    ],
    *[
        f"tf.raw_ops.ResizeArea(images=f32(1, 4, 5, 2), size={size}, align_corners={align})"
        for align in (False, True)
        for size in ([7, 3], [2, 4])
    ],
    *[
        loose(
            "tf.raw_ops.ScaleAndTranslate(images=f32(1, 4, 5, 2), size=[6, 3], "
            f"scale=[1.5, 0.7], translation=[0.3, -0.4], kernel_type='{kind}', "
            f"antialias={smooth})",
            1e-4,
            _SMALL,
        )
        for kind in (
            "lanczos1",
            "lanczos3",
            "triangle",
            "gaussian",
            "box",
            "keyscubic",
            "mitchellcubic",
        )
        for smooth in (False, True)
    ],
    *[
        f"tf.image.{call}"
        for x in ("f32(2, 5, 6, 3)", "u8(5, 6, 1)", "i64(5, 6, 2)")
        for call in (
            f"resize_with_pad({x}, 4, 9)",
            f"resize_with_pad({x}, 10, 7, 'nearest')",
            f"resize_with_crop_or_pad({x}, 3, 9)",
            f"resize_with_crop_or_pad({x}, 8, 4)",
            f"resize_with_crop_or_pad({x}, 2, 3)",
            f"crop_to_bounding_box({x}, 1, 2, 3, 4)",
            f"pad_to_bounding_box({x}, 1, 2, 8, 9)",
            f"central_crop({x}, 0.5)",
            f"central_crop({x}, 1.0)",
            f"flip_left_right({x})",
            f"flip_up_down({x})",
            f"transpose({x})",
            *[f"rot90({x}, {k})" for k in (0, 1, 2, 3, 5, -1)],
        )
    ],
    *[
        f"tf.image.{call}"
        for call in (
            "crop_to_bounding_box(f32(5, 6, 1), 3, 2, 3, 4)",
            "crop_to_bounding_box(f32(5, 6, 1), -1, 2, 3, 4)",
            "crop_to_bounding_box(f32(5, 6, 1), 0, 0, 0, 4)",
            "crop_to_bounding_box(f32(5, 6), 0, 0, 1, 4)",
            "pad_to_bounding_box(f32(5, 6, 1), 1, 0, 5, 6)",
            "pad_to_bounding_box(f32(5, 6, 1), -1, 0, 9, 9)",
            "resize_with_crop_or_pad(f32(5, 6, 1), 0, 2)",
            "central_crop(f32(5, 6, 1), 0.0)",
            "central_crop(f32(5, 6, 1), 1.5)",
            "flip_left_right(f32(5, 6))",
            "transpose(f32(5))",
        )
    ],
    *[
        loose(f"tf.image.{name}({x}(2, 3, 3, low=0, high=1))", 1e-4, _HUE)
        for name in (
            "rgb_to_hsv",
            "hsv_to_rgb",
            "rgb_to_yiq",
            "yiq_to_rgb",
            "rgb_to_yuv",
            "yuv_to_rgb",
            "rgb_to_grayscale",
        )
        for x in ("f32", "f64")
    ],
    "tf.image.rgb_to_hsv(f32(2, 4))",
    "tf.image.hsv_to_rgb(f32(2, 4))",
    "tf.image.rgb_to_hsv(i32(2, 3))",
    "tf.image.rgb_to_hsv(np.float32([[1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1], [1, 1, 0]]))",
    "tf.image.rgb_to_hsv(f32(0, 3))",
    "tf.image.rgb_to_hsv(tf.constant(f64(2, 3)))",
    "tf.image.rgb_to_hsv(tf.constant(i32(2, 3)))",
    "tf.image.rgb_to_grayscale(u8(2, 3, 3, low=0, high=256))",
    "tf.image.rgb_to_grayscale(f32(2, 3, 4))",
    "tf.image.grayscale_to_rgb(tf.constant(u8(2, 3, 1)))",
    "tf.image.grayscale_to_rgb(tf.constant(u8(2, 3, 2)))",
    *[
        f"tf.image.convert_image_dtype({x}, tf.{to}, saturate={saturate})"
        for x in ("u8(2, 3, low=0, high=256)", "f32(2, 3, low=0, high=1)", "i16(2, 3)")
        for to in ("uint8", "float32", "uint16", "int16", "float16")
        for saturate in (False, True)
        if not (x.startswith("i16") and to in ("uint8", "uint16"))
    ],
    *[
        loose(f"tf.image.{call}", 1e-4, _HUE)
        for x in ("f32(2, 3, 3, low=0, high=1)", "f32(2, 4, 3, 3, low=0, high=1)")
        for call in (
            f"adjust_brightness({x}, 0.2)",
            f"adjust_contrast({x}, 1.7)",
            f"adjust_gamma({x}, 2.0, 0.5)",
            f"adjust_hue({x}, 0.3)",
            f"adjust_hue({x}, -0.6)",
            f"adjust_saturation({x}, 0.4)",
            f"adjust_saturation({x}, 3.0)",
            f"per_image_standardization({x})",
            f"total_variation(tf.constant({x}))",
            f"psnr({x}, {x} + 0.25, 1.0)",
        )
    ],
    *[
        loose(f"tf.image.{call}", 1e-4, _HUE)
        for x in _ANY_TYPE
        for call in (
            f"per_image_standardization({x})",
            f"per_image_standardization({x} // tf.constant(40, {x}.dtype))",
            f"psnr({x}, {x}[::-1], 200)",
            f"psnr({x}, {x}[::-1], 7.5)",
            f"adjust_hue({x}, 0.2)",
            f"adjust_saturation({x}, 1.5)",
            f"adjust_contrast({x}, 1.5)",
            f"adjust_brightness({x}, 0.2)",
            f"adjust_gamma({x}, 2.0)",
            f"rgb_to_grayscale({x})",
        )
        # Steps of 2**40 there: the last bit of a float32 shows.
        if not ("int64" in x and "saturation" in call)
    ],
    *[f"tf.image.sobel_edges(tf.constant({dtype}(1, 4, 5, 3)))" for dtype in ("f64", "i32")],
    "tf.image.per_image_standardization(np.uint8([1, 2, 3, 200]).reshape(2, 2, 1))",
    "tf.image.per_image_standardization(f16(2, 3, 3))",
    "tf.image.per_image_standardization(b(2, 3, 3))",
    "tf.image.per_image_standardization(f32(2, 0, 3))",
    "tf.image.per_image_standardization(f32(0, 2, 3, 3))",
    "tf.image.per_image_standardization(f32(2, 3))",
    "tf.image.psnr(b(2, 3, 3), b(2, 3, 3), 1.0)",
    "tf.image.adjust_brightness(u8(2, 3, 3, low=0, high=256), 0.2)",
    "tf.image.adjust_gamma(f32(2, 3, 3), -1)",
    "tf.image.per_image_standardization(u8(2, 3, 3, low=0, high=256))",
    "tf.image.per_image_standardization(np.ones((3, 3, 1), np.float32))",
    "tf.image.sobel_edges(tf.constant(f32(2, 4, 5, 3)))",
    "tf.image.image_gradients(tf.constant(f32(2, 4, 5, 3)))",
    "tf.image.image_gradients(tf.constant(f32(4, 5, 3)))",
    "tf.image.total_variation(tf.constant(f32(4, 5)))",
    *[
        f"tf.image.extract_patches({x}, [1, {k}, 2, 1], [1, {s}, 1, 1], [1, {r}, 1, 1], '{pad}')"
        for x in ("f32(2, 6, 5, 2)", "i32(1, 5, 4, 1)")
        for k in (1, 3)
        for s in (1, 2)
        for r in (1, 2)
        for pad in ("SAME", "VALID")
    ],
    "tf.image.extract_patches(f32(6, 5, 2), [1, 2, 2, 1], [1] * 4, [1] * 4, 'SAME')",
    "tf.image.extract_patches(f32(1, 6, 5, 2), [1, 2, 2, 1], [1] * 4, [1] * 4, 'FULL')",
    *[
        loose(
            f"tf.image.crop_and_resize({x}(2, 5, 6, 3), f32(3, 4, low=-0.2, high=1.2), "
            f"[0, 1, 0], {size}, '{method}', {fill})",
            1e-4,
            _SMALL,
        )
        for x in ("f32", "u8")
        for method in ("bilinear", "nearest")
        for size in ([2, 3], [1, 1], [7, 4])
        for fill in (0.0, -3.5)
    ],
    "tf.image.crop_and_resize(f32(2, 5, 6, 3), f32(3, 3), [0, 1, 0], [2, 2])",
    "tf.image.crop_and_resize(f32(2, 5, 6, 3), f32(3, 4), [0, 1], [2, 2])",
    "tf.image.crop_and_resize(f32(2, 5, 6, 3), f32(1, 4), [0], [0, 2])",
    *[
        loose(
            f"tf.raw_ops.ImageProjectiveTransformV3(images={x}(2, 5, 6, 2), transforms={maps}, "
            f"output_shape={size}, fill_value={fill}, interpolation='{how}', fill_mode='{mode}')",
            1e-4,
            _SMALL,
        )
        for x in ("f32", "i32")
        for how in ("BILINEAR", "NEAREST")
        for mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
        for maps, size, fill in (
            ("np.float32([[0.8, 0.3, -1.7, -0.2, 1.1, 0.6, 0, 0]])", [5, 6], 0.0),
            ("np.float32([[1, 0, 7.3, 0, 1, -9.2, 0.01, 0]] * 2)", [4, 3], 1.5),
        )
        if not (x == "i32" and how == "BILINEAR")
    ],
]
CASES += [
    "tf.image.adjust_contrast(tf.ones([2, 2, 3]), [2.0])",
    "tf.image.adjust_saturation(tf.ones([2, 2, 3]), [2.0])",
    "tf.image.grayscale_to_rgb(tf.ones([1]))",
]
_ONE_NAN = "tf.tensor_scatter_nd_update(f32(1, 6, 8, 1), [[0, 1, 1, 0]], [np.nan])"
_TWO_INF = (
    "tf.tensor_scatter_nd_update(f32(1, 6, 8, 1), [[0, 1, 1, 0], [0, 4, 5, 0]], [np.inf, -np.inf])"
)
CASES += [
    *[
        loose(f"tf.image.resize({x}(1, 4, 6, 1), [4, 6], '{method}')", 1e-4, _SMALL)
        for method in _METHODS
        for x in ("f32", "u8")
    ],
    *[
        loose(f"tf.image.resize({_ONE_NAN}, {size}, '{method}')", 1e-4, _SMALL)
        for method in ("bicubic", "area", "lanczos3", "mitchellcubic")
        for size in ([3, 4], [7, 5])
    ],
    f"tf.image.resize({_TWO_INF}, [3, 4], 'area')",
    *[
        f"tf.raw_ops.ResizeArea(images=f32(1, {size}, 2), size=[3, 5], align_corners=True)"
        for size in ("1, 4", "3, 1", "1, 1")
    ],
]
CASES += [
    f"gradient(lambda x: tf.image.rgb_to_hsv(x)[..., {channel}], [[1.0, 1.0, 0.2], "
    "[0.2, 1.0, 1.0], [1.0, 0.2, 1.0], [0.2, 0.2, 1.0], [0.2, 1.0, 0.2], [1.0, 0.2, 0.2], "
    "[0.5, 0.5, 0.5], [0.9, 0.5, 0.1]])"
    for channel in range(3)
]
# TF: a pixel and its neighbour are read as float32 and never multiplied by shares of other pixels.
CASES += [
    f"tf.raw_ops.ResizeBilinear(images={images}, size={size})"
    for images in (_TWO_INF, "f64(2, 3, 4, 2)", "i32(1, 3, 4, 1)", "f32(0, 3, 4, 1)")
    for size in ([3, 4], [6, 7], [2, 2], [1, 5])
]
CASES += [
    f"tf.raw_ops.Resize{method}(images=f32(1, 2, 3, 1), size=[3, 2], align_corners=True,"
    " half_pixel_centers=True)"
    for method in ("Bilinear", "Bicubic", "NearestNeighbor")
]
CASES += [
    f"tf.image.resize(f32(1, 2, 3, 0), [3, 2], '{method}')"
    for method in ("bilinear", "bicubic", "nearest", "area", "lanczos3")
]
CASES += [
    f"tf.image.extract_patches(f32(1, {rows}, 9, 2), [1, {k}, 1, 1], [1, {s}, 1, 1], "
    f"[1, {r}, 1, 1], 'VALID')"
    for rows, k, s, r in ((1, 5, 2, 1), (2, 5, 2, 1), (1, 3, 2, 1), (3, 3, 1, 2), (1, 3, 1, 1))
]
_PIXELS = "np.arange(30.0, dtype=np.float32).reshape(1, 5, 6, 1)"
CASES += [
    *[f"tf.raw_ops.ExtractGlimpse{version}(input={_PIXELS}, size=[3, 2], offsets=[[{at}]], "
      f"centered={centered}, normalized={normalized}, uniform_noise=False, noise='zero')"
      for version in ("", "V2") for at in ("0.3, -0.4", "-1.3, 2.7")
      for centered in (True, False) for normalized in (True, False)],
    *[f"tf.image.extract_glimpse({x})" for x in (
        f"{_PIXELS}, [3, 2], [[0.0, 0.0]]", "f32(2, 4, 4, 3), [2, 2], [[0.0, 0.0], [-0.2, 0.2]]",
        f"{_PIXELS}[0], [3, 2], [[0.0, 0.0]]", f"{_PIXELS}, [3], [[0.0, 0.0]]",
        f"{_PIXELS}, [3, 2], [0.0, 0.0]", f"{_PIXELS}, [3, 2], [[0.0, 0.0], [0.0, 0.0]]",
        f"{_PIXELS}, [3, 2], [[0.0]]", f"{_PIXELS}, [3, 2], [[0.0, 0.0]], noise='foo'",
        f"{_PIXELS}, [0, 2], [[0.0, 0.0]]", f"{_PIXELS}, [-1, 2], [[0.0, 0.0]]",
    )],
    f"tf.compat.v1.image.extract_glimpse({_PIXELS}, [2, 2], [[0.1, 0.0]])",
    f"tf.raw_ops.ExtractGlimpseV2(input={_PIXELS}, size=[3, 2], offsets=[[0.0, 0.0]], noise='zero')",  # noqa: E501
]  # fmt: skip
CASES += [
    f"tf.image.extract_patches(np.ones((1, 4, 4, 1), np.float32), {arguments}, 'SAME')"
    for arguments in (
        "[[1, 2], [2, 1]], [1] * 4, [1] * 4", "[1, 2, 2, 2], [1] * 4, [1] * 4",
        "[1, 2, 2, 1], [1, 0, 1, 1], [1] * 4", "[1, 2, 2, 1], [2, 1, 1, 1], [1] * 4",
        "[1, -2, 2, 1], [1] * 4, [1] * 4",
    )
]  # fmt: skip
