"""The pixels of BMP files. As in TensorFlow, palettes and compression are not looked at."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ...base.errors import invalid_argument

_HEAD = 32  # bytes up to the number of bits of a pixel
_MOST = 1 << 30


def bitmap(data: bytes, channels: int) -> np.ndarray[Any, Any]:
    """Height, width and channels, uint8.

    Args:
        data: a file.
        channels: 3 or 4; 0 for as many as a pixel of the file has bytes.

    Raises:
        InvalidArgumentError: it is not as long as it says, or has other pixels.
    """
    if len(data) < _HEAD:
        raise invalid_argument(
            f"Incomplete bmp content, requires at least {_HEAD} bytes to find the header size, "
            f"width, height, and bpp, got {len(data)} bytes"
        )
    (begin,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    (bits,) = struct.unpack_from("<H", data, 28)
    if begin < 0:
        raise invalid_argument("header size must be nonnegative")
    if width <= 0:
        raise invalid_argument("Width must be positive")
    if height == 0:
        raise invalid_argument("Height must be nonzero")
    depth, rows = bits // 8, abs(height)
    if depth not in (1, 3, 4):
        raise invalid_argument(
            f"Number of channels inherent in the image must be 1, 3 or 4, was {depth}"
        )
    if width * rows * depth >= _MOST:
        raise invalid_argument("Total possible pixel bytes must be less than 2^30")
    row = (width * depth + 3) // 4 * 4
    further = len(data) - begin - row * rows
    if further:
        raise invalid_argument(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{further}"
        )
    stored = np.frombuffer(data, np.uint8, row * rows, begin).reshape(rows, row)
    pixels = stored[:, : width * depth].reshape(rows, width, depth)
    if height > 0:  # from the bottom up
        pixels = pixels[::-1]
    return _with_channels(pixels, channels or depth)


def _with_channels(pixels: np.ndarray[Any, Any], channels: int) -> np.ndarray[Any, Any]:
    depth = pixels.shape[-1]
    if depth == 1:
        colours = np.repeat(pixels, min(channels, 3), -1)
    else:
        colours = pixels[..., 2::-1]  # blue, green, red
    if channels < 4:
        return colours
    alpha = pixels[..., 3:] if depth == 4 else np.full_like(colours[..., :1], 255)
    return np.concatenate([colours, alpha], -1)
