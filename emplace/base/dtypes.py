"""DTypes: TensorFlow's name, NumPy's type and torch's type of one kind of element, in one table.

`as_dtype` is the only door from outside (names, NumPy types, torch types, enum numbers).
Inside Emplace only `DType` objects travel, so they are compared with `is`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import torch

from .board_protos import board_proto

_REF = 100  # what TensorFlow adds to a type's number for the type of TF 1's reference to it


class DType:
    """The type of a tensor's elements (`tf.DType`). Instances are unique per type.

    Args:
        type_enum: TensorFlow's number of the type.

    Raises:
        TypeError: no type has that number.
    """

    __slots__ = ("_enum", "_name", "_numpy", "_raw", "_torch")

    _enum: int
    _name: str
    _numpy: Any
    _raw: Any
    _torch: torch.dtype | None

    def __new__(cls, type_enum: int, handle_data: object = None) -> DType:  # noqa: D102
        found = _BY_KEY.get(int(type_enum))
        if found is None:
            raise TypeError(f"{type_enum} does not correspond to a valid tensorflow::DataType")
        return found

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
        if self._numpy in (None, np.object_):
            return 0
        return int(np.dtype(self._numpy).itemsize)

    @property
    def base_dtype(self) -> DType:
        """The same type without the reference mark of TF 1."""
        return _BY_KEY[self._enum - _REF] if self._enum > _REF else self

    @property
    def real_dtype(self) -> DType:
        """The type of the real part: float32 for complex64, float64 for complex128."""
        return {complex64: float32, complex128: float64}.get(self.base_dtype, self)

    @property
    def is_bool(self) -> bool:
        """True for bool."""
        return self.base_dtype is bool_

    @property
    def is_numeric(self) -> bool:
        """True for types that ops compute with: neither bool nor strings, nor those that are only
        kept (of 8 bits and less, but for integers).
        """
        base = self.base_dtype
        return base in NUMBERS or base in QUANTIZED

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers that are not quantized."""
        return self._enum % _REF in _NUMBERS_OF_INTEGERS

    @property
    def is_floating(self) -> bool:
        """True for every floating-point type, bfloat16 and the small ones included."""
        return self._name.startswith(("float", "bfloat"))

    @property
    def is_complex(self) -> bool:
        """True for complex64 and complex128."""
        return self.base_dtype in COMPLEX

    @property
    def is_unsigned(self) -> bool:
        """True for unsigned integers."""
        return self._name.startswith("uint")

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
        """The smallest finite value, as a NumPy scalar or Python number.

        Raises:
            TypeError: the type has none: it is no number, complex or quantized.
        """
        return self._range("minimum")[0]

    @property
    def max(self) -> Any:
        """The largest finite value, as a NumPy scalar or Python number.

        Raises:
            TypeError: the type has none: it is no number, complex or quantized.
        """
        return self._range("maximum")[1]

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range that pixels of an image of this type take: 0 to 1 for float32, float64 and
        bool, 0 to the largest value for integers.

        Raises:
            ValueError: TensorFlow says of no other type what pixels of it are.
        """
        base = self.base_dtype
        if base in WIDE:
            return 0, 1
        if base is bool_:
            return 0, True
        if base in INTEGERS:
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def _range(self, end: str) -> tuple[Any, Any]:
        if self.is_integer:
            whole: Any = ml_dtypes.iinfo(self._numpy)  # type: ignore[no-untyped-call]
            return whole.min, whole.max
        if self.is_floating:
            real: Any = ml_dtypes.finfo(self._numpy)  # type: ignore[no-untyped-call]
            return real.min, real.max
        kind = "quantized type" if self.is_quantized else "type"
        raise TypeError(f"Cannot find {end} value of {self} with {kind} {self}.")

    def is_compatible_with(self, other: object) -> bool:
        """True if a tensor of `other` can be used where this type is asked for. A reference of
        TF 1 can be used where its type is asked for, not the other way round.
        """
        theirs = as_dtype(other)
        return self is theirs or self is theirs.base_dtype

    def is_subtype_of(self, other: object) -> bool:
        """True if `other` is this type: none is a part of another."""
        return self is other

    def most_specific_common_supertype(self, others: Sequence[object]) -> DType | None:
        """This type if all of `others` are, else None."""
        return self if all(self is other for other in others) else None

    def experimental_as_proto(self) -> Any:
        """This type as the protocol buffer that keeps it in files."""
        return self.experimental_type_proto()(datatype=self._enum)

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> DType:
        """The type that `experimental_as_proto` made a protocol buffer of."""
        return cls(proto.datatype)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of protocol buffers that types are kept in."""
        return board_proto("types_pb2", "SerializedDType")

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


def _dtype(name: str, enum: int, numpy: Any, torch_dtype: torch.dtype | None) -> DType:
    made = object.__new__(DType)
    made._name = name
    made._enum = enum
    made._numpy = numpy
    made._torch = torch_dtype
    # What a raw value of this type answers to `.dtype`: a torch dtype; NumPy's type for what
    # lives in NumPy arrays, strings and quantized numbers. Others have no raw values.
    made._raw = torch_dtype or (name if numpy is None else np.dtype(numpy))
    return made


float32 = _dtype("float32", 1, np.float32, torch.float32)
float64 = _dtype("float64", 2, np.float64, torch.float64)
int32 = _dtype("int32", 3, np.int32, torch.int32)
uint8 = _dtype("uint8", 4, np.uint8, torch.uint8)
int16 = _dtype("int16", 5, np.int16, torch.int16)
int8 = _dtype("int8", 6, np.int8, torch.int8)
string = _dtype("string", 7, np.object_, None)
complex64 = _dtype("complex64", 8, np.complex64, torch.complex64)
int64 = _dtype("int64", 9, np.int64, torch.int64)
bool_ = _dtype("bool", 10, np.bool_, torch.bool)
qint8 = _dtype("qint8", 11, np.dtype([("qint8", np.int8)]), None)
quint8 = _dtype("quint8", 12, np.dtype([("quint8", np.uint8)]), None)
qint32 = _dtype("qint32", 13, np.dtype([("qint32", np.int32)]), None)
bfloat16 = _dtype("bfloat16", 14, ml_dtypes.bfloat16, torch.bfloat16)
qint16 = _dtype("qint16", 15, np.dtype([("qint16", np.int16)]), None)
quint16 = _dtype("quint16", 16, np.dtype([("quint16", np.uint16)]), None)
uint16 = _dtype("uint16", 17, np.uint16, torch.uint16)
complex128 = _dtype("complex128", 18, np.complex128, torch.complex128)
float16 = _dtype("float16", 19, np.float16, torch.float16)
resource = _dtype("resource", 20, None, None)
variant = _dtype("variant", 21, None, None)
uint32 = _dtype("uint32", 22, np.uint32, torch.uint32)
uint64 = _dtype("uint64", 23, np.uint64, torch.uint64)
float8_e5m2 = _dtype("float8_e5m2", 24, ml_dtypes.float8_e5m2, torch.float8_e5m2)
float8_e4m3fn = _dtype("float8_e4m3fn", 25, ml_dtypes.float8_e4m3fn, torch.float8_e4m3fn)

float8_e4m3fnuz = _dtype("float8_e4m3fnuz", 26, ml_dtypes.float8_e4m3fnuz, None)
float8_e4m3b11fnuz = _dtype("float8_e4m3b11fnuz", 27, ml_dtypes.float8_e4m3b11fnuz, None)
float8_e5m2fnuz = _dtype("float8_e5m2fnuz", 28, ml_dtypes.float8_e5m2fnuz, None)
int4 = _dtype("int4", 29, ml_dtypes.int4, None)
uint4 = _dtype("uint4", 30, ml_dtypes.uint4, None)
int2 = _dtype("int2", 31, ml_dtypes.int2, None)
uint2 = _dtype("uint2", 32, ml_dtypes.uint2, None)
float4_e2m1fn = _dtype("float4_e2m1fn", 33, ml_dtypes.float4_e2m1fn, None)

ALL: tuple[DType, ...] = (
    float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool_, bfloat16,
    uint16, complex128, float16, resource, variant, uint32, uint64, float8_e5m2, float8_e4m3fn,
    qint8, quint8, qint32, qint16, quint16,
)  # fmt: skip
# Types that have a name and facts, and no tensors here: no kernel takes them.
SMALL_INTEGERS = (int4, uint4, int2, uint2)
NAMED = (
    float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn, *SMALL_INTEGERS,
)  # fmt: skip

HALVES = (bfloat16, float16)
WIDE = (float32, float64)
FLOATS = (*HALVES, *WIDE)
FLOATS8 = (float8_e5m2, float8_e4m3fn)
COMPLEX = (complex64, complex128)
SIGNED = (int8, int16, int32, int64)
INTEGERS = (uint8, uint16, uint32, uint64, *SIGNED)
_NUMBERS_OF_INTEGERS = frozenset(each._enum for each in (*INTEGERS, *SMALL_INTEGERS))
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
    for dtype in (*ALL, *NAMED):
        ref = _dtype(f"{dtype._name}_ref", dtype._enum + _REF, dtype._numpy, dtype._torch)
        _BY_KEY[ref._name] = _BY_KEY[ref._enum] = ref
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


def as_dtype(type_value: object) -> DType:
    """The DType that `type_value` names (`tf.as_dtype`).

    Args:
        type_value: a DType, a name ('float32', 'half'), a NumPy or torch type, a Python type, or
            TensorFlow's number of the type.

    Raises:
        TypeError: nothing here has that name.

    >>> as_dtype("half")
    tf.float16
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        return _BY_KEY[type_value]
    except (KeyError, TypeError):
        pass
    if isinstance(type_value, np.dtype) and type_value.kind in "SU":
        return string
    raise TypeError(
        f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
    )


def runtime_name(dtype: DType) -> str:
    """The name TensorFlow's error messages use: 'float' for float32, 'half', 'double'."""
    return _RUNTIME_NAMES.get(dtype, dtype.name)
