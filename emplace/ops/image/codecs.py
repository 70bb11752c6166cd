"""Image files read, by Pillow, on the CPU.

Pillow is imported only when a codec runs.
"""

from __future__ import annotations

import importlib
import io
import struct
import zlib
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..infer import Spec
from ..math.elementwise import equal
from ..op import CPU_ONLY, apply, op
from ..strings.basic import substr
from .bitmaps import bitmap
from .color import convert_image_dtype

_KINDS = {b"\xff\xd8\xff": "JPEG", b"\x89PNG": "PNG", b"GIF8": "GIF", b"BM": "BMP"}
_DEPTHS = {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}
_MODES = {1: "L", 3: "RGB", 4: "RGBA"}
_LUMA = (9798, 19235, 3735)  # libpng's weights of red, green and blue, of 32768
_DEEP_LUMA = (9797, 19234, 3737)  # for 16 bits, where it rounds


def pillow() -> Any:
    """Pillow, or the error that says that it is missing."""
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as problem:
        raise ImportError(
            "Emplace's image codecs need Pillow, which is not installed: run `pip install pillow`."
        ) from problem


def _text(contents: np.ndarray[Any, Any]) -> bytes:
    if contents.shape != ():
        raise invalid_argument(
            f"`contents` must be scalar but got shape{runtime_text(contents.shape)}"
        )
    return bytes(contents.item())


def _kind(data: bytes) -> str:
    kind = next((kind for start, kind in _KINDS.items() if data.startswith(start)), None)
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "WEBP"
    if kind is None:
        raise invalid_argument(
            "Unknown image file format. One of JPEG, JPEG XL, PNG, GIF, BMP, WebP required."
        )
    return kind


def _corrupt(kind: str, data: bytes) -> Exception:
    if kind == "JPEG":
        return invalid_argument("jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    return invalid_argument(f"Invalid {kind} data, size {len(data)}")


def _mode(image: Any, channels: int) -> str:
    """The mode in which Pillow should give the pixels."""
    if channels:
        return _MODES[channels]
    if image.mode in _DEPTHS:
        return str(image.mode)
    if image.mode == "1" or image.mode.startswith("I"):
        return "L"
    return "RGBA" if "transparency" in image.info else "RGB"


def _gray(pixels: np.ndarray[Any, Any]) -> Any:
    """One channel of three, as libpng weighs them."""
    wide = pixels[..., :3].astype(np.int64)
    deep = pixels.dtype == np.uint16
    weighed = wide @ np.array(_DEEP_LUMA) + (1 << 14) if deep else wide @ np.array(_LUMA)
    return (weighed >> 15).astype(pixels.dtype)[..., None]


# How Pillow reads colours of 16 bits, whose low bytes it drops, and how it reads those low bytes:
# as the high ones of numbers that are stored the other way around.
_LOW_BYTES = {"RGB;16B": "RGB;16L", "RGBA;16B": "RGBA;16L"}


def _reread(data: bytes, raw: str) -> Any:
    """The pixels of a PNG as a raw mode of Pillow's understands the bytes in the file."""
    with pillow().open(io.BytesIO(data), formats=["PNG"]) as image:
        image.tile = [(*image.tile[0][:3], raw)]
        image.load()
        return np.asarray(image)


def _deep_colours(data: bytes, image: Any) -> Any:
    """The pixels of a PNG whose colours, or gray and alpha, have 16 bits; None for another file."""
    raw = str(image.tile[0][3]) if image.tile else ""
    if raw == "LA;16B":  # four bytes that belong together, as those of RGBA
        parts = _reread(data, "RGBA").astype(np.uint16)
        return parts[..., ::2] << 8 | parts[..., 1::2]
    if raw not in _LOW_BYTES:
        return None
    high, low = (_reread(data, each).astype(np.uint16) for each in (raw, _LOW_BYTES[raw]))
    return high << 8 | low


def _with_channels(deep: np.ndarray[Any, Any], channels: int) -> Any:
    """16-bit pixels with another number of channels; new alpha is opaque."""
    count = deep.shape[-1]
    if channels in (0, count):
        return deep
    colours = deep[..., : count - 1] if count in (2, 4) else deep
    if channels == 1:
        return colours if colours.shape[-1] == 1 else _gray(colours)
    colours = np.repeat(colours, 3, -1) if colours.shape[-1] == 1 else colours
    if channels == 3:
        return colours
    alpha = deep[..., -1:] if count in (2, 4) else np.full_like(deep[..., :1], 65535)
    return np.concatenate([colours, alpha], -1)


def _pixels(image: Any, kind: str, channels: int) -> Any:
    """Height, width and channels of one frame, uint8, or uint16 where the file has 16 bits."""
    if image.mode.startswith("I;16"):
        return _with_channels(np.asarray(image).astype(np.uint16)[..., None], channels)
    mode = _mode(image, channels)
    if mode == "L" and kind == "PNG" and image.mode in ("RGB", "RGBA", "P"):
        return _gray(np.asarray(image.convert("RGB")))
    pixels = np.asarray(image if image.mode == mode else image.convert(mode))
    return pixels.reshape(*pixels.shape[:2], _DEPTHS[mode])


def _extents(image: Any) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what a frame draws of the whole."""
    tiles = getattr(image, "tile", None) or [(None, (0, 0, *image.size))]
    left, top, right, bottom = tiles[0][1]
    return int(left), int(top), int(right), int(bottom)


def _frames(
    data: bytes, kind: str, channels: int, ratio: int = 1, every: bool = False
) -> list[Any]:
    """The frames of a file: the first one, or every one of them."""
    if kind == "BMP":
        return [bitmap(data, channels)]
    try:
        with pillow().open(io.BytesIO(data), formats=[kind]) as image:
            if kind == "JPEG":
                width, height = image.size
                image.draft(
                    _mode(image, channels), (max(1, width // ratio), max(1, height // ratio))
                )
            frames = []
            drawn = np.zeros((image.size[1], image.size[0]), bool)
            for index in range(getattr(image, "n_frames", 1) if every else 1):
                if index:
                    image.seek(index)
                left, top, right, bottom = _extents(image)
                drawn[top:bottom, left:right] = True
                deep = _deep_colours(data, image) if kind == "PNG" else None
                if deep is not None:
                    frames.append(_with_channels(deep, channels))
                    continue
                image.load()
                pixels = _pixels(image, kind, channels)
                if kind == "GIF" and not drawn.all():  # TF: black, not the background
                    pixels = np.where(drawn[..., None], pixels, np.zeros_like(pixels))
                frames.append(pixels)
            return frames
    except (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error):
        raise _corrupt(kind, data) from None


def _converted(pixels: np.ndarray[Any, Any], dtype: DType, kind: str) -> torch.Tensor:
    """The pixels in the wanted type, scaled as TensorFlow does."""
    deep = pixels.dtype == np.uint16
    if dtype == dtypes.uint16 and not deep:
        pixels = pixels.astype(np.uint16) * (257 if kind == "PNG" else 256)
    elif dtype == dtypes.uint8 and deep:
        pixels = (pixels >> 8).astype(np.uint8)
    elif dtype == dtypes.float32:
        if kind == "PNG" and not deep:  # TF reads those as 16 bits
            pixels, deep = pixels.astype(np.uint16) * 257, True
        pixels = pixels.astype(np.float32) * np.float32(1 / (65535 if deep else 255))
    return torch.from_numpy(np.ascontiguousarray(pixels).copy())


def _check_channels(channels: int) -> None:
    if channels not in (0, 1, 3, 4):
        raise invalid_argument(f"`channels` must be 0, 1, 3 or 4 but got {channels}")


def _check_channels_of(kind: str, channels: int) -> None:
    """Raises InvalidArgumentError if files of a kind are not read with so many channels."""
    if kind == "JPEG" and channels == 4:
        raise invalid_argument("JPEG does not support 4 channels")
    if kind == "GIF" and channels not in (0, 3):
        raise invalid_argument(f"channels must be 0 or 3 for GIF, got {channels}")
    if kind == "BMP" and channels == 1:
        raise invalid_argument("`channels` must be 0, 3 or 4 for BMP, but got 1")


def decode_image_kernel(
    contents: np.ndarray[Any, Any],
    *,
    channels: int = 0,
    dtype: DType = dtypes.uint8,
    expand_animations: bool = True,
) -> torch.Tensor:
    """Any file; that of a GIF has four dimensions."""
    _check_channels(channels)
    data = _text(contents)
    kind = _kind(data)
    if kind == "WEBP":
        moving = decode_webp_kernel(contents, channels=channels, dtype=dtype)
        return moving if expand_animations else moving[0]
    every = kind == "GIF" and expand_animations
    _check_channels_of(kind, channels)
    frames = _frames(data, kind, 3 if kind == "GIF" else channels, every=every)
    return _converted(np.stack(frames) if every else frames[0], dtype, kind)


def decode_png_kernel(
    contents: np.ndarray[Any, Any], *, channels: int = 0, dtype: DType = dtypes.uint8
) -> torch.Tensor:
    """One frame of any file but a BMP; all of a WebP."""
    _check_channels(channels)
    data = _text(contents)
    kind = _kind(data)
    if kind == "WEBP":
        return decode_webp_kernel(contents, channels=channels, dtype=dtype)
    _check_channels_of(kind, channels)
    if kind == "BMP":
        raise invalid_argument(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            "instead. Op used: DecodePng"
        )
    if kind == "GIF" and not channels:
        channels = 3  # TF: without the transparency
    return _converted(_frames(data, kind, channels)[0], dtype, kind)


def decode_webp_kernel(
    contents: np.ndarray[Any, Any], *, channels: int = 0, dtype: DType = dtypes.uint8
) -> torch.Tensor:
    """All frames of a WebP file, in four dimensions."""
    if channels not in (0, 3, 4):
        raise invalid_argument("WebP only supports 3 or 4 channels")
    if dtype != dtypes.uint8:
        raise invalid_argument("WebP only supports uint8 for dtype")
    data = _text(contents)
    if _kind(data) != "WEBP":
        raise invalid_argument("Failed to decode WebP header.")
    frames = np.stack(_frames(data, "WEBP", 0, every=True))
    if channels not in (0, frames.shape[-1]):
        raise invalid_argument("Number of channels requested does not match input")
    return _converted(frames, dtype, "WEBP")


def decode_jpeg_kernel(
    contents: np.ndarray[Any, Any],
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
) -> torch.Tensor:
    """One frame of any file but a BMP, JPEGs made smaller by `ratio`; Pillow decides the rest."""
    _check_channels(channels)
    if ratio not in (1, 2, 4, 8):
        raise invalid_argument(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    data = _text(contents)
    kind = _kind(data)
    if kind == "WEBP":
        return decode_webp_kernel(contents, channels=channels)
    _check_channels_of(kind, channels)
    if kind == "BMP":
        raise invalid_argument(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            "instead. Op used: DecodeJpeg"
        )
    if kind == "GIF" and not channels:
        channels = 3  # TF: without the transparency
    return _converted(_frames(data, kind, channels, ratio)[0], dtypes.uint8, kind)


def crop_jpeg_kernel(
    contents: np.ndarray[Any, Any],
    crop_window: torch.Tensor,
    *,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
) -> torch.Tensor:
    """The window (top, left, height, width) of a JPEG."""
    top, left, height, width = (int(each) for each in crop_window)
    kind = _kind(_text(contents))
    if kind != "JPEG":
        raise invalid_argument(
            f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind}."
        )
    whole = decode_jpeg_kernel(contents, channels=channels, ratio=ratio)
    fits = top >= 0 and left >= 0 and height > 0 and width > 0
    if not fits or top + height > whole.shape[0] or left + width > whole.shape[1]:
        raise _corrupt("JPEG", b"")
    return whole[top : top + height, left : left + width].clone()


def decode_bmp_kernel(contents: np.ndarray[Any, Any], *, channels: int = 0) -> torch.Tensor:
    """The pixels of a BMP, or all frames of a WebP."""
    _check_channels(channels)
    data = _text(contents)
    kind = _kind(data)
    if kind == "WEBP":
        return decode_webp_kernel(contents, channels=channels)
    _check_channels_of(kind, channels)
    if kind != "BMP":
        raise invalid_argument(
            f"Trying to decode {kind} format using DecodeBmp op. Use `decode_{kind.lower()}` or "
            "`decode_image` instead."
        )
    return _converted(_frames(data, kind, channels)[0], dtypes.uint8, kind)


def decode_gif_kernel(contents: np.ndarray[Any, Any]) -> torch.Tensor:
    """Every frame of a GIF, or the one of another file."""
    data = _text(contents)
    kind = _kind(data)
    if kind == "BMP":
        raise invalid_argument(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` "
            "instead. Op used: DecodeGif"
        )
    return _converted(np.stack(_frames(data, kind, 3, every=True)), dtypes.uint8, kind)


def jpeg_shape_kernel(
    contents: np.ndarray[Any, Any], *, output_type: DType = dtypes.int32
) -> torch.Tensor:
    """Height, width and channels, read from the head of a JPEG."""
    data = _text(contents)
    try:
        with pillow().open(io.BytesIO(data), formats=["JPEG"]) as image:
            numbers = [image.height, image.width, len(image.getbands())]
    except (OSError, SyntaxError, ValueError):
        raise invalid_argument(f"Invalid JPEG data, size {len(data)}") from None
    return torch.tensor(numbers, dtype=output_type.torch)


def _jpeg_shape_spec(contents: Spec, *, output_type: DType = dtypes.int32) -> Spec:
    return Spec((3,), output_type)


DECODE_IMAGE = op(
    "DecodeImage",
    "contents: string -> image: dtype",
    decode_image_kernel,
    None,
    device_types=CPU_ONLY,
)
DECODE_PNG = op(
    "DecodePng", "contents: string -> image: dtype", decode_png_kernel, None, device_types=CPU_ONLY
)
DECODE_JPEG = op(
    "DecodeJpeg",
    "contents: string -> image: uint8",
    decode_jpeg_kernel,
    None,
    device_types=CPU_ONLY,
)
DECODE_AND_CROP_JPEG = op(
    "DecodeAndCropJpeg", "contents: string, crop_window: int32 -> image: uint8",
    crop_jpeg_kernel, None, device_types=CPU_ONLY,
)  # fmt: skip
DECODE_BMP = op(
    "DecodeBmp", "contents: string -> image: uint8", decode_bmp_kernel, None, device_types=CPU_ONLY
)
DECODE_GIF = op(
    "DecodeGif", "contents: string -> image: uint8", decode_gif_kernel, None, device_types=CPU_ONLY
)
DECODE_WEBP = op(
    "DecodeWebP", "contents: string -> image: dtype", decode_webp_kernel, None,
    device_types=CPU_ONLY,
)  # fmt: skip
EXTRACT_JPEG_SHAPE = op(
    "ExtractJpegShape", "contents: string -> image_shape: output_type", jpeg_shape_kernel,
    _jpeg_shape_spec, device_types=CPU_ONLY,
)  # fmt: skip


def _file(contents: TensorLike) -> Tensor:
    return to_tensor(contents, dtypes.string)


def decode_image(
    contents: TensorLike, channels: int | None = None, dtype: DTypeLike = dtypes.uint8,
    name: str | None = None, expand_animations: bool = True,
) -> Tensor:  # fmt: skip
    """Returns the pixels of a JPEG, PNG, GIF or BMP file (`tf.io.decode_image`,
    `tf.image.decode_image`).

    Args:
        contents: the file's bytes, a scalar string.
        channels: 0 or None for the file's, 1, 3 or 4.
        dtype: the type of the result; uint8 values are scaled to its range.
        name: a name in graphs.
        expand_animations: True for all frames of a GIF, in four dimensions.

    Raises:
        InvalidArgumentError: it is no image file, or a damaged one.
        ImportError: Pillow is missing.

    >>> decode_image(tf.io.encode_png([[[1], [2]]])).numpy().tolist()
    [[[1], [2]]]
    """
    out_dtype = as_dtype(dtype)
    direct = out_dtype in (dtypes.uint8, dtypes.uint16, dtypes.float32)
    image = apply(
        DECODE_IMAGE,
        (_file(contents),),
        {
            "channels": int(channels or 0),
            "dtype": out_dtype if direct else dtypes.uint16,
            "expand_animations": bool(expand_animations),
        },
    )
    return image if direct else convert_image_dtype(image, out_dtype)


def decode_png(
    contents: TensorLike,
    channels: int = 0,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:
    """Returns the pixels of a PNG file, uint8 or uint16 (`tf.io.decode_png`,
    `tf.image.decode_png`).

    Args:
        contents: the bytes of a file.
        channels: 1 to 4; 0 for those of the file.
        dtype: uint8 or uint16.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: it is no image file, a damaged one, or the dtype is another one.

    >>> decode_png(tf.io.encode_png([[[1], [2]]]), channels=3).numpy().tolist()
    [[[1, 1, 1], [2, 2, 2]]]
    """
    wanted = as_dtype(dtype)
    if wanted not in (dtypes.uint8, dtypes.uint16):
        raise invalid_argument(
            f"Value for attr 'dtype' of {wanted.name} is not in the list of allowed values: "
            "uint8, uint16\n\t; NodeDef: {{node DecodePng}} [Op:DecodePng]"
        )
    return apply(DECODE_PNG, (_file(contents),), {"channels": channels, "dtype": wanted})


def decode_jpeg(
    contents: TensorLike, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the pixels of a JPEG file (`tf.io.decode_jpeg`, `tf.image.decode_jpeg`).

    Args:
        contents: the file's bytes, a scalar string.
        channels: 0 for the file's, 1 or 3.
        ratio: 1, 2, 4 or 8: how many times smaller.
        fancy_upscaling: accepted; Pillow always does.
        try_recover_truncated: accepted; truncated files are refused.
        acceptable_fraction: accepted, as above.
        dct_method: accepted; Pillow has one.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: it is no image file, or a damaged one.

    >>> decode_jpeg(tf.io.encode_jpeg([[[7]]])).shape
    TensorShape([1, 1, 1])
    """
    return apply(DECODE_JPEG, (_file(contents),), {"channels": channels, "ratio": ratio})


def decode_and_crop_jpeg(
    contents: TensorLike, crop_window: Any, channels: int = 0, ratio: int = 1,
    fancy_upscaling: bool = True, try_recover_truncated: bool = False,
    acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns a window (top, left, height, width) of a JPEG file (`tf.io.decode_and_crop_jpeg`).

    Args:
        contents: the bytes of a file.
        crop_window: four integers: top, left, height, width.
        channels: 1 or 3; 0 for those of the file.
        ratio: by how much the image shrinks: 1, 2, 4 or 8.
        fancy_upscaling: not used.
        try_recover_truncated: not used.
        acceptable_fraction: not used.
        dct_method: not used.
        name: a name in graphs.

    >>> decode_and_crop_jpeg(tf.io.encode_jpeg([[[7], [8]]]), [0, 1, 1, 1]).shape
    TensorShape([1, 1, 1])
    """
    inputs = (_file(contents), to_tensor(crop_window, dtypes.int32))
    return apply(DECODE_AND_CROP_JPEG, inputs, {"channels": channels, "ratio": ratio})


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file (`tf.io.decode_bmp`, `tf.image.decode_bmp`)."""
    return apply(DECODE_BMP, (_file(contents),), {"channels": channels})


def decode_webp(
    contents: TensorLike, channels: int = 0, dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns all frames of a WebP file, four dimensions (`tf.io.decode_webp`,
    `tf.image.decode_webp`).

    Args:
        contents: the bytes of a file.
        channels: 3 or 4, as many as the file has; 0 for those of the file.
        dtype: uint8.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: it is no WebP file, a damaged one, or has other channels.
        ImportError: Pillow is missing.
    """
    attrs = {"channels": channels, "dtype": as_dtype(dtype)}
    return apply(DECODE_WEBP, (_file(contents),), attrs)


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """All frames of a GIF file, four dimensions (`tf.io.decode_gif`, `tf.image.decode_gif`)."""
    return apply(DECODE_GIF, (_file(contents),))


def extract_jpeg_shape(
    contents: TensorLike, output_type: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:
    """Height, width and channels of a JPEG file, its pixels unread (`tf.io.extract_jpeg_shape`)."""
    return apply(EXTRACT_JPEG_SHAPE, (_file(contents),), {"output_type": as_dtype(output_type)})


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether the bytes begin as a JPEG file does (`tf.io.is_jpeg`, `tf.image.is_jpeg`).

    >>> bool(is_jpeg(b"GIF89a"))
    False
    """
    return equal(substr(_file(contents), 0, 3), b"\xff\xd8\xff")
