"""What graphs know of results whose sizes depend on values: strings taken apart, images decoded,
different numbers found, segments joined. Their ranks are known, and some of their sizes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...base.shapes import Dims
from ...core.symbolic_value import SymbolicValue
from ...ops.infer import Spec

Known = tuple[Dims | None, ...]

_ANY: Dims = (None,)


def _always(*dims: Dims) -> Callable[..., Known]:
    return lambda specs, attrs: dims


def _size(spec: Spec, axis: int = 0) -> int | None:
    return None if spec.dims is None else spec.dims[axis]


def _one_more(count: int | None) -> Dims:
    return (None if count is None else count + 1,)


def _bins(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    dims = specs[0].dims
    return (None if dims is None else (*dims[:-1], None) if len(dims) == 2 else _ANY,)


def _image(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    return ((None, None, attrs.get("channels") or None),)


def _words(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    dims = specs[0].dims
    return (None if dims is None else (*dims, None),)


def _ranges(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    if any(spec.dims is not None and len(spec.dims) > 1 for spec in specs):
        raise ValueError("Shape must be at most rank 1 but is rank 2: the bounds of ranges.")
    counts = {spec.dims[0] for spec in specs if spec.dims} - {None}
    if len(counts) > 1:
        raise ValueError("starts, limits, and deltas must have the same shape")
    if not counts and all(spec.dims == () for spec in specs):
        return _one_more(1), _ANY
    return _one_more(next(iter(counts), None)), _ANY


def _characters(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    sizes = [size for size in specs[0].dims or (None,) if size is not None]
    is_known = specs[0].dims is not None and len(sizes) == len(specs[0].dims)
    return _one_more(math.prod(sizes) if is_known else None), _ANY, _ANY


def _bytes(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    return _ANY, _one_more(_size(specs[0]))


def _decoded(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    paths = attrs.get("top_paths", 1)
    batch = _size(specs[0], 1)
    places: Dims = (None, 2)
    return (*[places] * paths, *[_ANY] * paths, *[(2,)] * paths, (batch, paths))


def _stitched(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    """The sizes of what is stitched, behind those of the numbers that say where it goes."""
    count = len(specs) // 2
    for places, parts in zip(specs[:count], specs[count:], strict=True):
        if places.dims is not None and parts.dims is not None:
            return ((None, *parts.dims[len(places.dims) :]),)
    return (None,)


def _filled(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    """Rows filled up: sizes that were asked for, and those of the values at the end."""
    inner, levels = specs[0].dims, len(specs) - 2
    if inner is None:
        return (None,)
    dims: list[int | None] = [*[None] * (levels + 1), *inner[1:]]
    shape = attrs.get("shape")
    if not isinstance(shape, SymbolicValue) and shape is not None and len(shape) == len(dims):
        for axis, size in enumerate(shape):
            if isinstance(size, int) and size >= 0:
                dims[axis] = size
    return (tuple(dims),)


def _any_image(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    return (None,) if attrs.get("expand_animations", True) else _image(specs, attrs)


def _collapsed(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    batch = _size(specs[0])
    return (batch, None), (batch,)


def _split_at_bytes(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known:
    for spec, rank in zip(specs, (1, 0), strict=True):
        if spec.dims is not None and len(spec.dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(spec.dims)}")
    return (None, 2), _ANY, (2,)


_VECTOR = _always(_ANY)
_VECTORS = _always(_ANY, _ANY)
_DRAWN_BOX = _always((3,), (3,), (1, 1, 4))


def _unpacked(specs: Sequence[Spec], attrs: dict[str, Any]) -> Known | None:
    """As many as are told, of the sizes without that axis."""
    dims, axis = specs[0].dims, int(attrs["axis"])
    num: int | None = attrs.get("num")
    if num is None:
        return None
    if dims is None:
        return (None,) * num
    axis %= len(dims)
    return ((*dims[:axis], *dims[axis + 1 :]),) * num


#: Of each op: the sizes of its outputs, from what is known of its inputs; None where nothing tells.
COUNTED: dict[str, Callable[[Sequence[Spec], dict[str, Any]], Known | None]] = {
    "Unpack": _unpacked, "Bincount": _VECTOR, "DenseBincount": _bins, "ListDiff": _VECTORS,
    "MatchingFiles": _VECTOR, "DynamicStitch": _stitched, "RaggedRange": _ranges,
    "RaggedTensorToTensor": _filled,
    "DecodeImage": _any_image, "DecodeJpeg": _image, "DecodePng": _image,
    "DecodeAndCropJpeg": _image, "DecodeBmp": _image,
    "DecodeGif": _always((None, None, None, 3)), "DecodeRaw": _words,
    "NonMaxSuppression": _VECTOR, "NonMaxSuppressionV2": _VECTOR, "NonMaxSuppressionV3": _VECTOR,
    "NonMaxSuppressionV4": _always(_ANY, ()), "NonMaxSuppressionV5": _always(_ANY, _ANY, ()),
    "NonMaxSuppressionWithOverlaps": _VECTOR, "StringSplitV2": _always((None, 2), _ANY, (2,)),
    "StringSplit": _split_at_bytes,
    "StringNGrams": lambda specs, attrs: (_ANY, specs[1].dims), "_StringBytes": _bytes,
    "UnicodeDecode": _characters, "UnicodeDecodeWithOffsets": _characters,
    "CTCGreedyDecoder": _decoded, "CTCBeamSearchDecoder": _decoded,
    "_CollapseRepeated": _collapsed,
    "SampleDistortedBoundingBoxV2": _DRAWN_BOX, "StatelessSampleDistortedBoundingBox": _DRAWN_BOX,
}  # fmt: skip
