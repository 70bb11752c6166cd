"""DTypes: TensorFlow's name, NumPy's type and torch's type of one kind of element, in one table.

`as_dtype` is the only door from outside (names, NumPy types, torch types, enum numbers).
Inside Emplace only `DType` objects travel, so they are compared with `is`.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import torch


class DType:
    """The type of a tensor's elements (`tf.DType`). Instances are unique per type."""

    __slots__ = ("_enum", "_name", "_numpy", "_raw", "_torch")

    def __init__(self, name: str, enum: int, numpy: Any, torch_dtype: torch.dtype | None) -> None:
        self._name = name
        self._enum = enum
        self._numpy = numpy
        self._torch = torch_dtype
        # What a raw value of this type answers to `.dtype`: a torch dtype; NumPy's type for what
        # lives in NumPy arrays, strings and quantized numbers. Others have no raw values.
        self._raw: Any = torch_dtype or (name if numpy is None else np.dtype(numpy))

    @property
    def name(self) -> str:
        """TensorFlow's name, for example 'float32'."""
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """The number TensorFlow gives this type in its protocol buffers."""
        return self._enum

    @property
    def as_numpy_dtype(self) -> Any:
        """NumPy's scalar type; `object` for strings."""
        if self._numpy is None:
            raise TypeError(f"{self!r} has no NumPy type: its values live inside the runtime.")
        return self._numpy

    @property
    def torch(self) -> torch.dtype | None:
        """Torch's type, or None where torch has none (strings, resources)."""
        return self._torch

    @property
    def raw(self) -> Any:
        """What a raw value of this type answers to `.dtype`."""
        return self._raw

    @property
    def size(self) -> int:
        """Bytes of one element; 0 for types without a fixed size."""
        if self.is_quantized:
            return int(self._numpy.itemsize)
        return 0 if self._torch is None else self._torch.itemsize

    @property
    def base_dtype(self) -> DType:
        """The same type without the reference mark of TF 1."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64, float64 for complex128."""
        return {complex64: float32, complex128: float64}.get(self, self)

    @property
    def is_bool(self) -> bool:
        """True for bool."""
        return self is bool_

    @property
    def is_numeric(self) -> bool:
        """True for types that one can compute with: neither bool nor strings."""
        return self._torch is not None and self is not bool_

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers that are not quantized."""
        return self in INTEGERS

    @property
    def is_floating(self) -> bool:
        """True for every floating-point type, bfloat16 and the 8-bit ones included."""
        return self._torch is not None and self._torch.is_floating_point

    @property
    def is_complex(self) -> bool:
        """True for complex64 and complex128."""
        return self._torch is not None and self._torch.is_complex

    @property
    def is_unsigned(self) -> bool:
        """True for unsigned integers."""
        return self in (uint8, uint16, uint32, uint64)

    @property
    def is_quantized(self) -> bool:
        """True for TensorFlow's quantized types."""
        return self._name.startswith(("qint", "quint"))

    @property
    def is_numpy_compatible(self) -> bool:
        """True where NumPy can hold values of this type."""
        return self._numpy is not None

    @property
    def min(self) -> Any:
        """The smallest finite value, as a NumPy scalar or Python number."""
        return self._range("minimum")[0]

    @property
    def max(self) -> Any:
        """The largest finite value, as a NumPy scalar or Python number."""
        return self._range("maximum")[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range image pixels of this type take: (0, 1) for floats, all values for integers."""
        return (0, 1) if self.is_floating else self._range("minimum")

    def _range(self, end: str) -> tuple[Any, Any]:
        if self.is_bool:
            return False, True
        if self.is_integer:
            whole = np.iinfo(self._numpy)
            return whole.min, whole.max
        if self.is_floating:
            real: Any = ml_dtypes.finfo(self._numpy)  # type: ignore[no-untyped-call]
            return real.min, real.max
        raise TypeError(f"Cannot find {end} value of {self} with type {self}.")

    def is_compatible_with(self, other: object) -> bool:
        """True if a tensor of `other` can be used where this type is asked for."""
        return self is as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return self._enum

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self._name,)

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"


float32 = DType("float32", 1, np.float32, torch.float32)
float64 = DType("float64", 2, np.float64, torch.float64)
int32 = DType("int32", 3, np.int32, torch.int32)
uint8 = DType("uint8", 4, np.uint8, torch.uint8)
int16 = DType("int16", 5, np.int16, torch.int16)
int8 = DType("int8", 6, np.int8, torch.int8)
string = DType("string", 7, np.object_, None)
complex64 = DType("complex64", 8, np.complex64, torch.complex64)
int64 = DType("int64", 9, np.int64, torch.int64)
bool_ = DType("bool", 10, np.bool_, torch.bool)
qint8 = DType("qint8", 11, np.dtype([("qint8", np.int8)]), None)
quint8 = DType("quint8", 12, np.dtype([("quint8", np.uint8)]), None)
qint32 = DType("qint32", 13, np.dtype([("qint32", np.int32)]), None)
bfloat16 = DType("bfloat16", 14, ml_dtypes.bfloat16, torch.bfloat16)
qint16 = DType("qint16", 15, np.dtype([("qint16", np.int16)]), None)
quint16 = DType("quint16", 16, np.dtype([("quint16", np.uint16)]), None)
uint16 = DType("uint16", 17, np.uint16, torch.uint16)
complex128 = DType("complex128", 18, np.complex128, torch.complex128)
float16 = DType("float16", 19, np.float16, torch.float16)
resource = DType("resource", 20, None, None)
variant = DType("variant", 21, None, None)
uint32 = DType("uint32", 22, np.uint32, torch.uint32)
uint64 = DType("uint64", 23, np.uint64, torch.uint64)
float8_e5m2 = DType("float8_e5m2", 24, ml_dtypes.float8_e5m2, torch.float8_e5m2)
float8_e4m3fn = DType("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn)

ALL: tuple[DType, ...] = (
    float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool_, bfloat16,
    uint16, complex128, float16, resource, variant, uint32, uint64, float8_e5m2, float8_e4m3fn,
    qint8, quint8, qint32, qint16, quint16,
)  # fmt: skip

HALVES = (bfloat16, float16)
WIDE = (float32, float64)
FLOATS = (*HALVES, *WIDE)
FLOATS8 = (float8_e5m2, float8_e4m3fn)
COMPLEX = (complex64, complex128)
SIGNED = (int8, int16, int32, int64)
INTEGERS = (uint8, uint16, uint32, uint64, *SIGNED)
INDICES = (int32, int64)
ANY_INDICES = (int16, *INDICES)
REALS = (*FLOATS, *INTEGERS)
NUMBERS = (*REALS, *COMPLEX)
INEXACT = (*FLOATS, *COMPLEX)
ANY_FIXED = (*NUMBERS, bool_, *FLOATS8)
ANY = (*ANY_FIXED, string)
# Numbers that stand for others on a scale that is told beside them. Few ops take them.
QUANTIZED = (qint8, quint8, qint32, qint16, quint16)
ANY_HELD = (*ANY, *QUANTIZED)
QUANTIZED_DTYPES = frozenset(QUANTIZED)

# TensorFlow's C++ names, which its error messages use.
_RUNTIME_NAMES = {float16: "half", float32: "float", float64: "double"}

_BY_KEY: dict[Any, DType] = {}


def _fill_table() -> None:
    for dtype in ALL:
        _BY_KEY[dtype._name] = dtype
        _BY_KEY[dtype._enum] = dtype
        _BY_KEY[f"<dtype: {dtype._name!r}>"] = dtype
        if dtype._torch is not None:
            _BY_KEY[dtype._torch] = dtype
        if dtype._numpy is not None:
            _BY_KEY[dtype._numpy] = dtype
            _BY_KEY[np.dtype(dtype._numpy)] = dtype
    _BY_KEY.update({"half": float16, "float": float32, "double": float64})
    _BY_KEY.update({float: float32, bool: bool_, object: string})
    _BY_KEY.update({np.bytes_: string, np.str_: string})


_fill_table()


def as_dtype(value: object) -> DType:
    """The DType that `value` names (`tf.as_dtype`).

    Args:
        value: a DType, a name ('float32', 'half'), a NumPy or torch type, a Python type, or
            TensorFlow's number of the type.

    Raises:
        TypeError: nothing here has that name.

    >>> as_dtype("half")
    tf.float16
    """
    if isinstance(value, DType):
        return value
    try:
        return _BY_KEY[value]
    except (KeyError, TypeError):
        pass
    if isinstance(value, np.dtype) and value.kind in "SU":
        return string
    raise TypeError(f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType.")


def runtime_name(dtype: DType) -> str:
    """The name TensorFlow's error messages use: 'float' for float32, 'half', 'double'."""
    return _RUNTIME_NAMES.get(dtype, dtype.name)
