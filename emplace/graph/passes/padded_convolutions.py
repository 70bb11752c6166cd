"""Zeros around images become part of the convolutions that take them, forward and backward: windows
that slide over a border cost less than an image with one, which is written and read.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..representation.graph import Operation, SymbolicTensor
from .replacing import Replacing, operation_like

_PAD, _SLICE = "Pad", "Slice"
_DEPTHWISE = "DepthwiseConv2dNative"
_FORWARD = frozenset({"Conv2D", _DEPTHWISE})
_OF_FILTER = frozenset({f"{name}BackpropFilter" for name in _FORWARD})
_OF_INPUT = frozenset({f"{name}BackpropInput" for name in _FORWARD})
# With fewer channels, as a network is given, oneDNN takes a third longer if it is to pad them.
_LEAST_CHANNELS = 8
_Frame = tuple[tuple[int, int], tuple[int, int]]


def may_pad_within(names: Collection[str]) -> bool:
    """Whether there is something to do among ops of these names."""
    return (_PAD in names and not _FORWARD.isdisjoint(names)) or (
        _SLICE in names and not _OF_INPUT.isdisjoint(names)
    )


def pad_within(block: Replacing) -> None:
    """Lets convolutions pad, and their gradients leave out what was padded."""
    for operation in block.operations():
        name = operation.record.name
        if name == _PAD:
            _pad_within(block, operation)
        elif name == _SLICE:
            _crop_within(block, operation)


def _pad_within(block: Replacing, pad: Operation) -> None:
    (x,), (padded,) = pad.inputs[:1], pad.outputs
    takers, frame = [*block.takers(padded)], _frame_of(pad.attrs.get("paddings"))
    if frame is None or len(pad.inputs) != 1 or not takers:
        return
    if not all(_takes_image(taker, padded) and _may_pad(taker, frame) for taker in takers):
        return
    if not all(block.is_beside(pad, taker) for taker in takers):
        return
    for i, taker in enumerate(takers):
        inputs = (x, *taker.inputs[1:])
        again = operation_like(taker.record, inputs, _padding(taker, frame), taker, taker.outputs)
        block.replace(taker, [pad] if i == len(takers) - 1 else [], again)


def _crop_within(block: Replacing, crop: Operation) -> None:
    (dx,) = crop.outputs
    made = block.only_maker(crop.inputs[0], crop)
    if made is None or len(crop.inputs) != 1 or made.record.name not in _OF_INPUT:
        return
    frame = _cropped(made.outputs[0].dims, crop.attrs.get("begin"), dx.dims)
    if frame is None or not _may_pad(made, frame):
        return
    attrs = {**_padding(made, frame), "input_sizes": dx.dims}
    block.replace(crop, [made], operation_like(made.record, made.inputs, attrs, made, [dx]))


def _takes_image(taker: Operation, image: SymbolicTensor) -> bool:
    """Whether an operation is a convolution of an image, or the gradient of one's filter."""
    if taker.record.name not in _FORWARD | _OF_FILTER:
        return False
    return taker.inputs[0] is image and all(x is not image for x in taker.inputs[1:])


def _may_pad(operation: Operation, frame: _Frame) -> bool:
    """Whether a convolution, which pads nothing by now, had better do it itself. Those of all
    channels pad by hand, too, where a frame is broader on one side.
    """
    attrs = operation.attrs
    if attrs.get("padding") != "VALID" or attrs.get("data_format", "NHWC") != "NHWC":
        return False
    if operation.record.name.startswith(_DEPTHWISE):
        return True
    return (
        all(before == after for before, after in frame) and _channels(operation) >= _LEAST_CHANNELS
    )


def _channels(operation: Operation) -> int:
    """How many channels a convolution, or the gradient of one, sees; 0 if that is not known."""
    sizes = operation.attrs.get("filter_sizes")
    if sizes is None:
        sizes = operation.inputs[1 if operation.record.name in _FORWARD else 0].dims
    channels = sizes[2] if isinstance(sizes, Sequence) and len(sizes) == 4 else None
    return channels if isinstance(channels, int) else 0


def _padding(operation: Operation, frame: _Frame) -> dict[str, Any]:
    """The attributes of a convolution that pads."""
    (top, bottom), (left, right) = frame
    explicit = (0, 0, top, bottom, left, right, 0, 0)
    return {**operation.attrs, "padding": "EXPLICIT", "explicit_paddings": explicit}


def _frame_of(paddings: object) -> _Frame | None:
    """What is around images; None if that is not known, or anything else is padded."""
    if not isinstance(paddings, Sequence) or len(paddings) != 4:
        return None
    if not all(_are_sizes(*pair) for pair in paddings):
        return None
    return _of_space([(int(before), int(after)) for before, after in paddings])


def _cropped(whole: Any, begin: Any, dims: Any) -> _Frame | None:
    """What is around the part of images that begins at a place; None as above."""
    if whole is None or dims is None or len(whole) != 4 or not isinstance(begin, Sequence):
        return None
    if len(begin) != 4 or not _are_sizes(*whole, *begin, *dims):
        return None
    pairs = [
        (start, all_of - start - part)
        for all_of, start, part in zip(whole, begin, dims, strict=True)
    ]
    return _of_space(pairs)


def _of_space(pairs: Sequence[tuple[int, int]]) -> _Frame | None:
    """What is around images, of what is around all axes; None if there are more of them then, or
    more channels.
    """
    images, rows, columns, channels = pairs
    return (rows, columns) if images == channels == (0, 0) else None


def _are_sizes(*numbers: object) -> bool:
    """Whether numbers are known and not negative."""
    return all(isinstance(number, int) and number >= 0 for number in numbers)
