"""Image files written: PNG here, JPEG by Pillow, on the CPU."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..arguments import one_int
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..strings.basic import text_array
from .codecs import decode_jpeg, pillow
from .color import convert_image_dtype


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _filtered(rows: np.ndarray[Any, Any], width: int) -> Any:
    """Each row behind its filter's number: as it is, or what differs from the pixel (of `width`
    bytes) before or above, whichever has the smallest bytes, so that they compress well.
    """
    before, above = np.zeros_like(rows), np.zeros_like(rows)
    before[:, width:], above[1:] = rows[:, :-width], rows[:-1]
    ways = np.stack([rows, rows - before, rows - above])
    sizes = np.minimum(ways, np.uint8(0) - ways).sum(2, dtype=np.int64)
    chosen = sizes.argmin(0)
    best = np.take_along_axis(ways, chosen[None, :, None], 0)[0]
    return np.concatenate([chosen[:, None].astype(np.uint8), best], 1)


def _png(image: np.ndarray[Any, Any], compression: int) -> bytes:
    """One PNG file; written here because Pillow has no colours of 16 bits."""
    height, width, channels = image.shape
    depth = image.dtype.itemsize * 8
    colour = (0, 4, 2, 6)[channels - 1]
    rows = image.astype(image.dtype.newbyteorder(">")).reshape(height, -1).view(np.uint8)
    filtered = _filtered(rows, channels * image.dtype.itemsize).tobytes()
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(filtered, compression))
    return b"\x89PNG\r\n\x1a\n" + parts + _chunk(b"IEND", b"")


def encode_png_kernel(image: torch.Tensor, *, compression: int = -1) -> Any:
    """A PNG of every image of a batch."""
    if image.ndim < 3:
        raise invalid_argument(f"images must be at least rank 3{runtime_text(image.shape)}")
    if not 1 <= image.shape[-1] <= 4:
        raise invalid_argument(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    if not -1 <= compression <= 9:
        raise invalid_argument(f"compression should be between -1 and 9, got {compression}")
    array = np.ascontiguousarray(image.numpy())
    images = array.reshape(-1, *array.shape[-3:])
    return text_array([_png(each, compression) for each in images], array.shape[:-3])


def encode_jpeg_kernel(
    image: torch.Tensor, *, format: str = "", quality: int = 95, progressive: bool = False,
    optimize_size: bool = False, chroma_downsampling: bool = True, density_unit: str = "in",
    x_density: int = 300, y_density: int = 300, xmp_metadata: str = "",
) -> Any:  # fmt: skip
    """A JPEG of one image of 1 or 3 channels."""
    if image.ndim != 3:
        raise invalid_argument(f"image must be 3-dimensional{runtime_text(image.shape)}")
    if (
        image.shape[-1] not in (1, 3)
        or {"grayscale": 1, "rgb": 3}.get(format, image.shape[-1]) != image.shape[-1]
    ):
        raise invalid_argument(f"image must have 1 or 3 channels, got {runtime_text(image.shape)}")
    if not 0 <= quality <= 100:
        raise invalid_argument(f"quality must be in [0,100], got {quality}")
    scale = 2.54 if density_unit == "cm" else 1
    array = image.numpy()
    picture = pillow().fromarray(array[..., 0] if array.shape[-1] == 1 else array)
    file = io.BytesIO()
    picture.save(
        file, "JPEG", quality=quality, progressive=progressive, optimize=optimize_size,
        subsampling=2 if chroma_downsampling else 0, dpi=(x_density * scale, y_density * scale),
        xmp=xmp_metadata.encode() or None,
    )  # fmt: skip
    return text_array([file.getvalue()], ())


def _files_spec(image: Spec, **attrs: Any) -> Spec:
    return Spec(None if image.dims is None else image.dims[:-3], dtypes.string)


ENCODE_PNG = op(
    "EncodePng", "image: T -> contents: string", encode_png_kernel, _files_spec,
    device_types=CPU_ONLY,
    T=(dtypes.uint8, dtypes.uint16),
)  # fmt: skip


ENCODE_JPEG = op(
    "EncodeJpeg",
    "image: uint8 -> contents: string",
    encode_jpeg_kernel,
    _files_spec,
    device_types=CPU_ONLY,
)


def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """A PNG file of each uint8 or uint16 image (`tf.io.encode_png`, `tf.image.encode_png`).

    Raises:
        InvalidArgumentError: it has no 3 dimensions, or not 1 to 4 channels.

    >>> encode_png([[[1]]]).numpy()[1:4]
    b'PNG'
    """
    held = to_tensor(image, None if hasattr(image, "dtype") else dtypes.uint8)
    return apply(ENCODE_PNG, (held,), {"compression": compression})


def encode_jpeg(
    image: TensorLike, format: str = "", quality: int = 95, progressive: bool = False,
    optimize_size: bool = False, chroma_downsampling: bool = True, density_unit: str = "in",
    x_density: int = 300, y_density: int = 300, xmp_metadata: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns a JPEG file of one uint8 image (`tf.io.encode_jpeg`, `tf.image.encode_jpeg`).

    Args:
        image: shape (height, width, channels), uint8.
        format: "grayscale", "rgb", or "" for what the channels say.
        quality: 0 to 100.
        progressive: True writes a file that shows coarsely at first.
        optimize_size: True spends time on a smaller file.
        chroma_downsampling: True keeps colours at half the resolution.
        density_unit: "in" or "cm", the unit of the densities.
        x_density: pixels per unit from left to right.
        y_density: pixels per unit from top to bottom.
        xmp_metadata: what is written into the file beside.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the image has no 1 or 3 channels, or the quality is not in 0..100.

    >>> bool(tf.io.is_jpeg(encode_jpeg([[[1]]])))
    True
    """
    return apply(
        ENCODE_JPEG,
        (to_tensor(image, dtypes.uint8),),
        {
            "format": format,
            "quality": quality,
            "progressive": progressive,
            "optimize_size": optimize_size,
            "chroma_downsampling": chroma_downsampling,
            "density_unit": density_unit,
            "x_density": x_density,
            "y_density": y_density,
            "xmp_metadata": xmp_metadata,
        },
    )


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Any:
    """Returns the image as a JPEG of that quality would show it (`tf.image.adjust_jpeg_quality`).

    Args:
        image: an image of 1 or 3 channels.
        jpeg_quality: 0 to 100.
        dct_method: as of `decode_jpeg`.
        name: a name in graphs.
    """
    image = to_tensor(image)
    small = convert_image_dtype(image, dtypes.uint8, saturate=True)
    quality = one_int(jpeg_quality, "quality must be scalar: {shape}")
    coded = encode_jpeg(small, quality=quality)
    channels = image.shape[-1] if image.shape.rank else None
    shown = decode_jpeg(coded, channels=channels or 0, dct_method=dct_method)
    return convert_image_dtype(shown, image.dtype, saturate=True)
