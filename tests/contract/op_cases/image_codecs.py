"""Cases of `ops/image/codecs.py` and `encoding.py`; files are TensorFlow's where it wrote them."""

from __future__ import annotations

_GIF = (
    "b'GIF89a\\x01\\x00\\x01\\x00\\x80\\x00\\x00\\xff\\x00\\x00\\x00\\x00\\x00,\\x00\\x00\\x00\\x00"
    "\\x01\\x00\\x01\\x00\\x00\\x02\\x02D\\x01\\x00;'"
)
_BMP = (
    "b'BM:\\x00\\x00\\x00\\x00\\x00\\x00\\x006\\x00\\x00\\x00(\\x00\\x00\\x00\\x01\\x00\\x00\\x00"
    "\\x01\\x00\\x00\\x00\\x01\\x00\\x18\\x00\\x00\\x00\\x00\\x00\\x04' + b'\\x00' * 19 + "
    "b'\\x01\\x02\\x03\\x00'"
)
_PNG3 = "tf.image.encode_png(u8(3, 4, 3, high=256))"
_FLAT = "tf.image.encode_jpeg(np.full((8, 9, 3), 128, np.uint8))"

CASES = [
    *[
        f"tf.image.decode_png(tf.image.encode_png(u8(3, 4, {depth})), {channels}, tf.{dtype})"
        for dtype in ("uint8", "uint16")
        for depth in (1, 3, 4)
        for channels in (0, 3, 4)
    ],
    *[
        f"tf.image.decode_png(tf.image.encode_png(u16(3, 4, 1, high=65536)), dtype=tf.{dtype})"
        for dtype in ("uint8", "uint16")
    ],
    f"tf.image.decode_png({_PNG3}, channels=1)",
    f"tf.image.decode_png({_PNG3}, channels=2)",
    f"tf.image.decode_png({_PNG3}, dtype=tf.int32)",
    *[
        f"tf.image.decode_image({_PNG3}, channels={channels}, dtype=tf.{dtype})"
        for channels in (None, 0, 3, 4)
        for dtype in ("uint8", "uint16", "float32", "int32", "float64")
    ],
    *[f"tf.image.decode_{kind}(b'bad')" for kind in ("image", "png", "jpeg", "gif", "bmp")],
    *[f"tf.image.decode_{kind}({_PNG3})" for kind in ("jpeg", "gif", "bmp")],
    *[f"tf.image.decode_{kind}({_GIF})" for kind in ("image", "gif", "png")],
    f"tf.image.decode_image({_GIF}, expand_animations=False)",
    *[f"tf.image.decode_{kind}({_BMP})" for kind in ("image", "bmp")],
    *[f"tf.image.decode_jpeg({_FLAT}, ratio={ratio})" for ratio in (1, 2, 3, 4, 8)],
    f"tf.image.decode_jpeg({_FLAT}, channels=1)",
    f"tf.image.decode_and_crop_jpeg({_FLAT}, [1, 2, 3, 4])",
    f"tf.image.decode_and_crop_jpeg({_FLAT}, [1, 2, 30, 4])",
    f"tf.image.extract_jpeg_shape({_FLAT})",
    f"tf.image.extract_jpeg_shape({_FLAT}, tf.int64)",
    "tf.image.extract_jpeg_shape(b'bad')",
    f"tf.image.is_jpeg({_FLAT})",
    f"tf.image.is_jpeg({_PNG3})",
    *[f"tf.image.encode_png(u8{shape})" for shape in ((4, 4), (4, 4, 5))],
    "tf.image.encode_png(f32(2, 2, 3))",
    "tf.shape(tf.image.encode_png(u8(2, 4, 4, 3)))",
    *[f"tf.image.encode_jpeg(u8{shape})" for shape in ((4, 4), (4, 4, 4))],
    "tf.image.encode_jpeg(u8(4, 4, 3), quality=200)",
    *[
        f"tf.image.adjust_jpeg_quality(np.full((8, 8, 3), 128, np.uint8), {quality})"
        for quality in (50, 95)
    ],
]

CASES += [  # 16 bits, to the last one
    f"tf.image.decode_png(tf.image.encode_png(u16(3, 4, {there}, high=65536)), channels={wanted}, "
    f"dtype=tf.{dtype})"
    for there in (1, 2, 3, 4)
    for wanted in (0, 1, 3, 4)
    for dtype in ("uint8", "uint16")
]
# Floats to the last place: files of PNG go by 65535, others by 255.
CASES += [
    f"tf.bitcast(tf.image.decode_image({file}, dtype=tf.float32), tf.int32)"
    for file in (_PNG3, _GIF, _BMP, "tf.image.encode_png(u16(3, 4, 1, high=65536))")
]
CASES += [
    *[f"tf.image.decode_and_crop_jpeg({file}, [0, 0, 1, 1])" for file in (_PNG3, _GIF, _BMP)],
    f"tf.image.decode_jpeg({_GIF})",
    f"tf.image.decode_gif({_BMP})",
]
# Two frames, of which the first leaves three of the four places empty, on a blue background.
_FRAMES = (
    "b'\\x47\\x49\\x46\\x38\\x39\\x61\\x02\\x00\\x02\\x00\\x80\\x01\\x00\\xff\\x00\\x00\\x00"
    "\\x00\\xff\\x2c\\x00\\x00\\x00\\x00\\x01\\x00\\x01\\x00\\x00\\x02\\x02\\x44\\x01\\x00"
    "\\x2c\\x00\\x00\\x00\\x00\\x02\\x00\\x02\\x00\\x00\\x02\\x04\\x0c\\x41\\x30\\x05\\x00"
    "\\x3b'"
)
CASES += [f"tf.image.decode_{kind}({_FRAMES})" for kind in ("gif", "image")]


def bitmap(width: int, height: int, bits: int, pixels: int, begin: int = 54) -> str:
    """A BMP file whose bytes behind its head are 0, 1, 2 and so on, as an expression."""
    numbers = f"np.array([0, 0, {begin}, 40, {width}, {height}], '<i4').tobytes()"
    kind = f"np.array([1, {bits}], '<i2').tobytes()"
    return f"b'BM' + {numbers} + {kind} + bytes(24) + bytes(range({pixels}))"


CASES += [
    *[f"tf.io.decode_bmp({bitmap(2, 2, bits, count)}, channels={channels})"
      for bits, count in ((8, 8), (24, 16), (32, 16)) for channels in (0, 1, 3, 4)],
    *[f"tf.io.decode_bmp({bitmap(*sizes)})" for sizes in (
        (2, -2, 24, 16), (2, 2, 24, 20, 58), (2, 2, 24, 18), (2, 2, 24, 10), (0, 2, 24, 0),
        (-2, 2, 24, 16), (2, 0, 24, 0), (2, 1, 16, 4), (2, 2, 24, 16, -5), (1 << 30, 2, 24, 16),
    )],
    f"tf.io.decode_bmp(({bitmap(2, 2, 24, 16)})[:31])",
    *[f"tf.io.decode_image({bitmap(2, 2, bits, count)})" for bits, count in ((8, 8), (32, 16))],
    f"tf.io.decode_png({bitmap(2, 2, 24, 16)}, channels=1)",
    *[f"tf.io.decode_{kind}(tf.io.encode_jpeg(np.zeros((2, 2, 3), np.uint8)), channels=4)"
      for kind in ("png", "jpeg", "image", "bmp")],
    "tf.io.decode_jpeg(tf.io.encode_png(np.ones((1, 2, 1), np.uint8)), channels=4)",
]  # fmt: skip
