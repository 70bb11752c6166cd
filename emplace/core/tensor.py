"""Tensors: a raw value and its kind (device and dtype).

`Tensor` is what users test against (`tf.Tensor`); `EagerTensor` is one that has a value now.
The raw value is a torch tensor, a NumPy array of bytes objects for strings, or the storage of a
variable for resources. Tensors never change: only variables do, and they copy first where
somebody still looks (see `eager/variable.py`). Operators are bound in `ops/operators.py`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape, shape_of
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..devices.device import Kind
from ..devices.known import known
from ..devices.late import look
from .tensor_list import StackedList, TensorList


class Tensor:
    """A multi-dimensional array of one dtype (`tf.Tensor`), eager or symbolic."""

    __slots__ = ()
    __module__ = "tensorflow.python.framework.tensor"  # by which libraries tell it
    OVERLOADABLE_OPERATORS: frozenset[str] = frozenset()

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    @property
    def ndim(self) -> Any:
        """The number of dimensions."""
        return self.shape.rank

    def static_value(self) -> Any:
        """The value as a NumPy array, where it is known before a graph runs; else None."""
        raise NotImplementedError

    def partial_value(self) -> list[int | None] | None:
        """What is known of a vector of integers, None for each other element; None if nothing,
        not even how many there are, is known.
        """
        raise NotImplementedError

    def __bool__(self) -> bool:
        # For classes of libraries that borrow it: tensors with a value have their own.
        raise TypeError("Using a symbolic `tf.Tensor` as a Python `bool` is not allowed.")

    def __nonzero__(self) -> bool:
        return self.__bool__()

    if TYPE_CHECKING:  # what its two classes have, and what `ops/operators.py` binds

        @property
        def device(self) -> str: ...  # noqa: D102
        @property
        def name(self) -> str: ...  # noqa: D102
        @property
        def op(self) -> Any: ...  # noqa: D102
        @property
        def graph(self) -> Any: ...  # noqa: D102
        def set_shape(self, shape: ShapeLike | None) -> None: ...  # noqa: D102
        def ref(self) -> Reference: ...  # noqa: D102

        numpy: Callable[[], Any]  # only where there is a value
        consumers: Callable[[], list[Any]]  # only in a graph
        eval: Callable[..., Any]  # only in a graph

        def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Any: ...
        def __len__(self) -> int: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...
        def __index__(self) -> int: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __getitem__(self, key: object) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __add__(self, other: TensorLike) -> Tensor: ...
        def __radd__(self, other: TensorLike) -> Tensor: ...
        def __sub__(self, other: TensorLike) -> Tensor: ...
        def __rsub__(self, other: TensorLike) -> Tensor: ...
        def __mul__(self, other: TensorLike) -> Tensor: ...
        def __rmul__(self, other: TensorLike) -> Tensor: ...
        def __truediv__(self, other: TensorLike) -> Tensor: ...
        def __rtruediv__(self, other: TensorLike) -> Tensor: ...
        def __floordiv__(self, other: TensorLike) -> Tensor: ...
        def __rfloordiv__(self, other: TensorLike) -> Tensor: ...
        def __mod__(self, other: TensorLike) -> Tensor: ...
        def __rmod__(self, other: TensorLike) -> Tensor: ...
        def __pow__(self, other: TensorLike) -> Tensor: ...
        def __rpow__(self, other: TensorLike) -> Tensor: ...
        def __matmul__(self, other: TensorLike) -> Tensor: ...
        def __rmatmul__(self, other: TensorLike) -> Tensor: ...
        def __and__(self, other: TensorLike) -> Tensor: ...
        def __rand__(self, other: TensorLike) -> Tensor: ...
        def __or__(self, other: TensorLike) -> Tensor: ...
        def __ror__(self, other: TensorLike) -> Tensor: ...
        def __xor__(self, other: TensorLike) -> Tensor: ...
        def __rxor__(self, other: TensorLike) -> Tensor: ...
        def __lt__(self, other: TensorLike) -> Tensor: ...
        def __le__(self, other: TensorLike) -> Tensor: ...
        def __gt__(self, other: TensorLike) -> Tensor: ...
        def __ge__(self, other: TensorLike) -> Tensor: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...


class AnyTensor(ABC):  # noqa: B024  # classes are registered with it
    """What tensors and variables are instances of (`tf.__internal__.types.Tensor`)."""


AnyTensor.register(Tensor)


class Reference:
    """A tensor or variable as a dictionary key (`x.ref()`): equal if it is the same object."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __lt__(self, other: TensorLike) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return id(self._wrapped) < id(other._wrapped)

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


class _NumpyName:
    """A method of NumPy's arrays that tensors do not have, and how they come to have it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, tensor: object, kind: type) -> NoReturn:
        raise AttributeError(
            f"{kind.__name__} object has no attribute '{self._name}'. If you are looking for "
            "numpy-related methods, please run the following:\n"
            "tf.experimental.numpy.experimental_enable_numpy_behavior()"
        )


for _name in ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"):
    setattr(Tensor, _name, _NumpyName(_name))

_MOST_DIMENSIONS = 64  # of NumPy's arrays

# Dtypes of tensors that hold no numbers or texts.
_OBJECTS = (dtypes.resource, dtypes.variant)


class EagerTensor(Tensor):
    """A tensor with a value. Made by the runtime, never by calling this class.

    `_value` is the raw value, `_kind` its device and dtype, `_origin` what made it: a record
    with `op`, `device`, `reason`, `copies` and `line`, or None. `_dims` are its sizes where a
    bounded device has asked for them, else missing: torch takes long to tell them.
    """

    __slots__ = ("__dict__", "__weakref__", "_dims", "_kind", "_origin", "_value")
    __module__ = "tensorflow.python.framework.ops"  # by which libraries tell it

    _dims: Any
    _value: Any
    _kind: Kind
    _origin: Any

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._kind.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, always fully known."""
        return shape_of(self._value.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._value.ndim  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        """Full name of the device whose op made it."""
        return self._kind.device.name

    @property
    def backing_device(self) -> str:
        """Full name of the device whose memory holds it; in Emplace always `device`."""
        return self._kind.device.name

    @property
    def nbytes(self) -> int:
        """Bytes of the elements; 0 for strings and resources."""
        return raw_bytes(self._value)

    def static_value(self) -> Any:
        """The value as a NumPy array that may share the tensor's memory."""
        return to_numpy(self)

    def partial_value(self) -> list[int | None] | None:
        """The elements of a vector of integers."""
        return to_numpy(self).reshape(-1).tolist()

    @property
    def name(self) -> NoReturn:
        """Only tensors in graphs have names."""
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        """Only tensors in graphs have an operation."""
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        """Only tensors in graphs have a graph."""
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    @property
    def is_tensor_like(self) -> bool:
        """True."""
        return True

    def set_shape(self, shape: ShapeLike | None) -> None:
        """Checks that the tensor has this shape.

        Raises:
            ValueError: it has another one.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {shape}."
            )

    def _numpy(self) -> Any:
        """The same as `numpy`, which Keras 2 asks for by this name."""
        return self.numpy()

    def numpy(self) -> Any:
        """A NumPy copy: an array, or a NumPy scalar (bytes for a string) of shape ()."""
        array = to_numpy(self)
        if array.ndim == 0:
            return array[()]
        return array if array.flags.writeable else array.copy()

    def ref(self) -> Reference:
        """This tensor as a dictionary key."""
        return Reference(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = to_numpy(self)
        is_new = array.flags.writeable
        if dtype is not None and array.dtype != dtype:
            array, is_new = array.astype(dtype), True
        if copy is False and is_new:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return array.copy() if copy and not is_new else array

    def __dlpack__(self, **options: Any) -> Any:
        # A view: whoever imports it holds the storage, which variables respect, and the tensor,
        # which budgets respect. Without a version, because NumPy then makes its array read-only:
        # tensors never change.
        options.pop("max_version", None)
        device = self._kind.device
        if device.stream is not None:  # importers know only of torch's current stream
            device.backend.synchronize(device.ordinal)
        return self._torch_value("DLPack")[...].__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._torch_value("DLPack").__dlpack_device__()

    def _torch_value(self, who: str) -> torch.Tensor:
        if not isinstance(self._value, torch.Tensor):
            raise invalid_argument(f"{who} cannot hold a tensor of dtype {self.dtype.name}.")
        return self._value

    def __len__(self) -> int:
        if not self._value.shape:
            raise TypeError("Scalar tensor has no `len()`")
        return int(self._value.shape[0])

    def __bool__(self) -> bool:
        array = to_numpy(self)
        return bool(array) if array.size else False

    def __int__(self) -> int:
        return int(to_real(to_numpy(self)))

    def __float__(self) -> float:
        return float(to_real(to_numpy(self)))

    def __complex__(self) -> complex:
        return complex(to_numpy(self))

    def __index__(self) -> int:
        return self.numpy().__index__()  # type: ignore[no-any-return]

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.numpy(), digits) if digits is not None else round(self.numpy())

    def __format__(self, spec: str) -> str:
        if self.dtype in _OBJECTS:
            return format(repr(self._value), spec)
        return format(self.numpy(), spec)

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> EagerTensor:
        return self

    def __repr__(self) -> str:
        if self.dtype in _OBJECTS:
            value = f"value={self._value!r}"
        else:
            value = f"numpy={_lines(value_text(self, is_repr=True))}"
        return f"<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, {value}>"

    def __str__(self) -> str:
        text = repr(self._value) if self.dtype in _OBJECTS else value_text(self)
        return f"tf.Tensor({_lines(text)}, shape={self.shape}, dtype={self.dtype.name})"


def out_of_scope_text(tensor: Tensor) -> str:
    """TensorFlow's words for a tensor of a graph that is used where its graph is not."""
    return (
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python "
        "locals or TensorFlow collections to access it. Please see "
        "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values"
        " for more information."
    )


def make_tensor(value: object, kind: Kind, origin: Any = None) -> EagerTensor:
    """An EagerTensor around a raw value. The hot path does these lines itself."""
    tensor = EagerTensor()
    tensor._value = value
    tensor._kind = kind
    tensor._origin = origin
    return tensor


def raw_bytes(value: Any) -> int:
    """Bytes of a raw value's elements; 0 where that means nothing."""
    if isinstance(value, torch.Tensor):
        return value.numel() * value.element_size()
    if isinstance(value, StackedList):
        return raw_bytes(value.tensor)
    return sum(map(raw_bytes, value.items)) if isinstance(value, TensorList) else 0


def to_numpy(tensor: EagerTensor) -> np.ndarray[Any, Any]:
    """The elements as a NumPy array: read-only where it shares the tensor's memory, which it does
    on the CPU, writable where it is a copy.
    """
    value = tensor._value
    if isinstance(value, np.ndarray):
        value = value.view() if value.dtype.names is None else unquantized(value)
        value.flags.writeable = False
        return value
    if not isinstance(value, torch.Tensor):
        raise invalid_argument(
            f"Cannot convert a Tensor of dtype {tensor.dtype.name} to a NumPy array."
        )
    device = tensor._kind.device
    if value.ndim > _MOST_DIMENSIONS:
        raise invalid_argument(
            f"Cannot convert tensor with {value.ndim} dimensions to NumPy array. NumPy arrays can "
            f"have at most {_MOST_DIMENSIONS} dimensions"
        )
    if device.type != "CPU" or not value.is_cpu:
        elements = known(value)
        if elements is not None:
            return torch_to_numpy(elements.clone())
        device.backend.synchronize(device.ordinal)
        look(value.device)
        value = value.to("cpu", copy=True)
        return torch_to_numpy(value)
    array = torch_to_numpy(value)
    array.flags.writeable = False
    return array


def to_real(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The real parts of complex numbers, with NumPy's warning; other arrays as they are."""
    return array.astype(array.real.dtype) if array.dtype.kind == "c" else array


def unquantized(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Quantized numbers as plain ones: the only field of each element, in the same memory."""
    assert value.dtype.names is not None
    plain: np.ndarray[Any, Any] = value[value.dtype.names[0]]
    return plain


# Torch's types that NumPy takes from it as bits, by the type of those.
_BITS = {
    dtype.torch: (torch.int16 if dtype is dtypes.bfloat16 else torch.int8, dtype.as_numpy_dtype)
    for dtype in (dtypes.bfloat16, *dtypes.FLOATS8)
}


def torch_to_numpy(value: torch.Tensor) -> np.ndarray[Any, Any]:
    """A host tensor as NumPy, without a copy; 8- and 16-bit floats as ml_dtypes types."""
    if value.dtype in _BITS:
        bits, numpy_dtype = _BITS[value.dtype]
        return value.contiguous().view(bits).numpy().view(numpy_dtype)
    if value.is_conj() or value.is_neg():
        value = value.resolve_conj().resolve_neg()
    return value.numpy()


_TYPES_TORCH_DOES_NOT_TAKE = {t.as_numpy_dtype for t in (dtypes.bfloat16, *dtypes.FLOATS8)}


def numpy_to_torch(array: np.ndarray[Any, Any]) -> torch.Tensor:
    """A NumPy array as a host tensor that shares its memory; for writable arrays."""
    if array.dtype.type in _TYPES_TORCH_DOES_NOT_TAKE:
        dtype = dtypes.as_dtype(array.dtype)
        bits = np.int16 if dtype is dtypes.bfloat16 else np.int8
        return torch.from_numpy(array.view(bits)).view(dtype.torch or torch.bfloat16)
    return torch.from_numpy(array)


def mark_foreign(value: torch.Tensor) -> None:
    """Notes that somebody outside of Emplace may change the memory of `value`."""
    value.untyped_storage()._changed_elsewhere = True  # type: ignore[attr-defined]


def is_foreign(value: torch.Tensor) -> bool:
    """True if somebody else may change the memory of `value`: NumPy, DLPack, or torch code."""
    storage = value.untyped_storage()
    return not storage.resizable() or hasattr(storage, "_changed_elsewhere")


def kept(value: Any) -> Any:
    """A raw value as it can be kept beyond the run that gave it: a copy, where somebody else may
    change its memory, as who feeds a session may use an array again.
    """
    if isinstance(value, torch.Tensor):
        return value.clone() if is_foreign(value) else value
    return value.copy() if isinstance(value, np.ndarray) else value


def value_text(tensor: EagerTensor, is_repr: bool = False) -> str:
    """The elements as TensorFlow prints them: `repr` shows a scalar as the Python number it is."""
    array = to_numpy(tensor)
    if array.ndim == 0:
        scalar = array[()]
        if isinstance(scalar, bytes):
            return repr(scalar)
        return repr(scalar.item()) if is_repr else str(scalar)
    return repr(array) if is_repr else str(array)


def _lines(text: str) -> str:
    return f"\n{text}" if "\n" in text else text
