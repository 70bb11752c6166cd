"""The type that two types have in common where some of them are weak.

A *kind* is a dtype and whether it is weak: weak types, those of Python's numbers, give way to
others. What comes back says besides whether the promotion is safe, that is whether the common type
holds all values of both; only the mode "all" allows the others.
"""

from __future__ import annotations

from ...base import dtypes
from ...base.dtypes import DType

Kind = tuple[DType, bool]

#: The weak types, each of which gives way to those behind it.
WEAK_DTYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.complex128)

_UNSIGNED = (dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64)
_SIGNED = (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)
_FLOATS = (dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64)
_COMPLEX = (dtypes.complex64, dtypes.complex128)
_NUMBERS = (*_UNSIGNED, *_SIGNED, *_FLOATS, *_COMPLEX)


def common(a: Kind, b: Kind) -> tuple[Kind, bool] | None:
    """The kind of what is computed of two kinds, and whether the promotion is safe.

    None where there is no such kind: strings, handles, quantized numbers and their like.
    """
    if a[0] is b[0] and (a[0] in _NUMBERS or a[0] in (dtypes.bool_, dtypes.string)):
        return (a[0], a[1] and b[1]), True
    if a[0] not in (*_NUMBERS, dtypes.bool_) or b[0] not in (*_NUMBERS, dtypes.bool_):
        return None
    for one, other in ((a, b), (b, a)):
        if one[0] is dtypes.bool_:
            return other, True
    if a[1] and b[1]:
        return max(a, b, key=lambda each: WEAK_DTYPES.index(each[0])), True
    if a[1] or b[1]:
        weak, strong = (a[0], b[0]) if a[1] else (b[0], a[0])
        return _beside_weak(weak, strong)
    dtype, is_safe = _beside_strong(*sorted((a[0], b[0]), key=_NUMBERS.index))
    return dtype, is_safe


def _beside_weak(weak: DType, strong: DType) -> tuple[Kind, bool]:
    if weak.is_integer or strong.is_complex:
        return (strong, False), True
    if strong.is_integer:  # a float is wanted, and nobody has said of how many bits
        is_exact = weak is not dtypes.float32 and strong.size < 8
        return (weak if weak.is_complex else dtypes.float64, True), is_exact
    if not weak.is_complex:
        return (strong, False), True
    is_wide = strong is dtypes.float64
    return (dtypes.complex128 if is_wide else dtypes.complex64, False), is_wide


def _beside_strong(low: DType, high: DType) -> tuple[Kind, bool]:
    """Of two types in the order unsigned, signed, float, complex."""
    if high in _SIGNED and low in _UNSIGNED:
        return _mixed_signs(low, high)
    if low.is_integer and not high.is_integer:
        return (high, False), low.size * 2 <= _real(high).size
    if low is dtypes.bfloat16 and high is dtypes.float16:
        return (dtypes.float32, False), False
    if low is dtypes.float64 and high is dtypes.complex64:
        return (dtypes.complex128, False), False
    return (high, False), True


def _real(dtype: DType) -> DType:
    return dtype.real_dtype


def _mixed_signs(unsigned: DType, signed: DType) -> tuple[Kind, bool]:
    if signed.size > unsigned.size:
        return (signed, False), True
    if unsigned.size == 8:  # no integers are that wide
        return (dtypes.float64, True), False
    return (_SIGNED[_UNSIGNED.index(unsigned) + 1], False), False
