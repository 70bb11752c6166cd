"""The types of what programs hand to public functions: one name for each kind of argument.

They are wide on purpose: a tensor may be given as a number, a list, an array, a variable or an
object that knows how to become one, and the functions convert. What they return is narrow: a
`Tensor`. A function that is given a ragged or sparse tensor gives such a one back; its type says
`Tensor` all the same, which is what nearly every caller holds.

Nothing here is looked at when a program runs, so this file loads neither NumPy nor torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from .dtypes import DType
from .shapes import TensorShape

if TYPE_CHECKING:
    import os

    import numpy as np
    import torch

    from .dimensions import Dimension


class Shaped(Protocol):
    """A value with a dtype and a shape: tensors, variables, sparse and ragged tensors."""

    @property
    def dtype(self) -> DType:
        """The type of the elements."""

    @property
    def shape(self) -> TensorShape:
        """The static shape."""


class SupportsTensor(Protocol):
    """A class of the program's own that makes a tensor of itself."""

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        """The object as a tensor."""


class SupportsArray(Protocol):
    """What NumPy can make an array of: arrays and scalars of NumPy, torch, pandas and others."""

    def __array__(self) -> Any:
        """The object as an array."""


class Named(Protocol):
    """A device, which has a name."""

    @property
    def name(self) -> str:
        """The full name."""


class SupportsText(Protocol):
    """A spec of a device, which can be written as a name."""

    def to_string(self) -> str:
        """The name."""


#: Anything a tensor can be made of.
TensorLike: TypeAlias = (
    "Shaped | SupportsTensor | SupportsArray | complex | str | bytes | Sequence[TensorLike]"
)

#: One whole number, known now or as a tensor.
IntLike: TypeAlias = "int | np.integer[Any] | Shaped | SupportsArray"

#: Whole numbers: one, some, or a tensor of them; strides, sizes, paddings.
IntsLike: TypeAlias = "IntLike | Sequence[IntLike]"

#: A shape: sizes (None where unknown), one size, or a tensor of them.
ShapeLike: TypeAlias = "TensorShape | IntLike | Iterable[IntLike | Dimension | None]"

#: An axis, several, or a tensor of them.
Axis: TypeAlias = "IntLike | Sequence[IntLike]"

#: What `tf.as_dtype` takes: a DType, its name, its number, or a type of Python, NumPy or torch.
DTypeLike: TypeAlias = "DType | str | int | type[Any] | np.dtype[Any] | torch.dtype"

#: What `tf.device` takes, None for automatic placement.
DeviceLike: TypeAlias = "str | Named | SupportsText | None"

#: A file or a folder.
PathLike: TypeAlias = "str | bytes | os.PathLike[str]"

#: A name of an operation; None for one that the op gives.
Name: TypeAlias = "str | None"

#: A structure of lists, tuples, dictionaries and what stands in them; or one such thing alone.
Structure: TypeAlias = "object"

#: A function of the program's own.
Function: TypeAlias = "Callable[..., Any]"

#: What gives a variable its first value: a function of shape and dtype, or the value.
InitializerLike: TypeAlias = "Callable[..., Any] | TensorLike"
