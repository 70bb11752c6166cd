"""Products of float32 matrices with few columns, or of few numbers each, as machine code
(codegen/products/narrow.py), on the host.

Libraries are made for blocks of both factors, and so large that a product between two others finds
no cache with their code. Whether machine code computes a product is a matter of its shapes, strides
and the processor, and of how many such products there were before: a few are not worth compiling.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import torch

from ...base import flags
from ...codegen.code import Loop, compiled_text, lanes
from ...codegen.products.narrow import (
    ACROSS,
    ALONG,
    DEEP,
    FEW,
    SHORT,
    NarrowForm,
    NarrowSizes,
    narrow_text,
)
from ...codegen.team import PartCall, packed, run_ranges
from ...codegen.worth import DoneOtherwise
from ...devices.cpu import is_of_intel
from ...devices.device import HOST

#: With fewer multiplications `mm` is as fast.
LEAST = 1 << 17
# To compile takes as long as `mm` needs for so many multiplications, and each call of it costs as
# much as some more.
BEFORE = 1 << 27
_OF_A_CALL = 1 << 17
_FEWEST_ROWS = 16
# So many multiplications are for several threads, in parts of so many rows at least: each copies
# the second factor. Where there are too few rows for that, `mm` shares the sums.
LEAST_SHARED = 1 << 21
_ROWS_OF_PART = 64
_PARTS_PER_THREAD = 4
_LARGE, _FEW_ROWS = 1 << 24, 256

# With so many columns `mm` is as fast, or faster, by how many numbers a vector has.
_FOR_MM = {8: range(12, 17), 16: range(0)}

_DONE = DoneOtherwise()
_MOST_READY = 4096


class _ReadyProduct(NamedTuple):
    """A product that machine code computes: its function and the sizes that it is told, also as
    numbers, for one that threads share.
    """

    loop: Loop
    shape: tuple[int, int]
    packed: bytes
    sizes: tuple[int, ...]
    is_shared: bool


# By shapes and strides. One lookup: what Python does between two large products is slow, for they
# have taken its code's place in the caches.
_READY: dict[Hashable, _ReadyProduct] = {}


def of_few(a: torch.Tensor, b: torch.Tensor, row: torch.Tensor | None) -> torch.Tensor | None:
    """a @ b + row, of a product with few columns or few numbers in each sum; None if others must
    compute it.

    Args:
        a: shape (rows, depth).
        b: shape (depth, columns), of the same dtype and on the same device, with `LEAST`
            multiplications or more.
        row: shape (columns,), likewise; or None.
    """
    key = a.shape, a.stride(), b.shape, b.stride(), row is None
    ready = _READY.get(key) or _prepared(key, a, b, row is not None)
    if ready is None or a.dtype is not torch.float32 or not a.is_cpu:
        return None
    if a.requires_grad or b.requires_grad or torch.compiler.is_compiling():
        return None
    if row is not None and (row.requires_grad or not row.is_contiguous()):
        return None
    # Torch's defaults may be others.
    made = torch.empty(ready.shape, dtype=torch.float32, device=HOST)
    place = made.data_ptr()
    fixed = a.data_ptr(), b.data_ptr(), place, place if row is None else row.data_ptr()
    if ready.is_shared:
        _share(ready, fixed)
    else:
        ready.loop(0, packed(fixed), ready.packed, 0)
    return made


def _prepared(
    key: Hashable, a: torch.Tensor, b: torch.Tensor, has_row: bool
) -> _ReadyProduct | None:
    """The machine code, once it pays to have made it."""
    if is_of_intel() or a.dtype is not torch.float32 or not lanes():
        return None
    form = _form(a, b)
    if form is None or not flags.MACHINE_CODE_SWITCH.is_on() or torch.compiler.is_compiling():
        return None
    (rows, depth), columns = a.shape, b.shape[1]
    work = rows * depth * columns
    if _DONE.add(work + _OF_A_CALL, form) < BEFORE:
        return None
    loop = _kernel(form)
    if loop is None:
        return None
    parts = max(1, (depth - lanes() - 1) // DEEP + 1)
    (a_row, a_column), (b_row, b_column) = a.stride(), b.stride()
    sizes = NarrowSizes(
        depth=depth, columns=columns, a_row=a_row, a_column=a_column, b_row=b_row,
        b_column=b_column, c_row=columns, parts=parts, has_row=int(has_row),
    )  # fmt: skip
    if len(_READY) > _MOST_READY:
        _READY.clear()
    _READY[key] = ready = _ReadyProduct(
        loop, (rows, columns), packed((rows, *sizes)), sizes, work >= LEAST_SHARED
    )
    return ready


def _form(a: torch.Tensor, b: torch.Tensor) -> NarrowForm | None:
    """Which machine code computes a product, if any."""
    (rows, depth), columns = a.shape, b.shape[1]
    (a_row, a_column), (b_row, b_column) = a.stride(), b.stride()
    if b.shape[0] != depth or rows < _FEWEST_ROWS or not (b_column == 1 or b_row == 1):
        return None
    if columns in _FOR_MM[lanes()]:
        return None
    if depth in FEW:
        return NarrowForm(SHORT, depth, b_column != 1, columns >= 2 * lanes())
    if columns not in FEW or (rows < _FEW_ROWS and rows * depth * columns >= _LARGE):
        return None
    if a_column == 1 and depth > lanes():
        return NarrowForm(ALONG, columns, b_column != 1)
    if a_row == 1 and rows >= _ROWS_OF_PART:
        return NarrowForm(ACROSS, columns, False)
    return None


def _share(ready: _ReadyProduct, fixed: Sequence[int]) -> None:
    rows, threads = ready.shape[0], torch.get_num_threads()
    count = 1 if threads == 1 else min(threads * _PARTS_PER_THREAD, max(1, rows // _ROWS_OF_PART))
    run_ranges(ready.loop, PartCall(0, fixed, ready.sizes), rows, count, threads)


@functools.cache
def _kernel(form: NarrowForm) -> Loop | None:
    return compiled_text(narrow_text(lanes(), form))
