"""Ops on variables: make one, read it, change it. What they work on is a `Storage`.

Reading returns the stored tensor itself, without a copy; changing it in place is allowed only
while nobody else looks. So a value that was read stays what it was, and a training step that
keeps no old values copies nothing.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import FailedPreconditionError, invalid_argument
from ..base.shapes import TensorShape, runtime_text
from .op import op
from .slicing import Key, write_slice

# References that mean "nobody else": the storage's slot and getrefcount's own argument.
_LONELY_REFERENCES = 2
# The tensor itself and the Python object that was made to ask.
_LONELY_STORAGE_USES = 2


class Storage:
    """The memory of one variable, on one device. `value` is a raw value, or None before the
    first assignment.
    """

    __slots__ = ("dtype", "lock", "name", "shape", "value")

    def __init__(self, name: str, dtype: DType, shape: TensorShape) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.value: Any = None
        self.lock = threading.Lock()

    def read(self) -> Any:
        """The value as it is now; it will not change under the reader."""
        with self.lock:
            if self.value is None:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"Could not find variable {self.name}. This could mean that the variable has "
                    "been deleted. In TF1, it can also mean the variable is uninitialized.",
                )
            return self.value

    def write(self, value: Any) -> None:
        """Replaces the value. Memory is shared with `value` where that is safe."""
        if isinstance(value, torch.Tensor) and _is_foreign(value):
            value = value.clone()
        with self.lock:
            self.value = value

    def update(self, name: str, value: torch.Tensor) -> None:
        """Adds to or subtracts from the value, in place if nobody else holds it."""
        with self.lock:
            if self.value is None or self.value.shape != value.shape:
                raise self._wrong_shape(value)
            if _is_held_elsewhere(self):
                self.value = getattr(torch, name)(self.value, value)
            else:
                getattr(self.value, f"{name}_")(value)

    def write_slice(self, key: Key, value: torch.Tensor) -> None:
        """Replaces a part of the value, in place if nobody else holds it."""
        with self.lock:
            fits = self.value is not None and self.value.is_contiguous()
            if not fits or _is_held_elsewhere(self):
                self.value = self.value.clone(memory_format=torch.contiguous_format)
            write_slice(self.value, key, value)

    def _wrong_shape(self, value: Any) -> Exception:
        if self.value is None:
            return FailedPreconditionError(
                None, None, f"Variable {self.name} is read before it has a value."
            )
        return invalid_argument(
            f"Cannot update variable with shape {runtime_text(self.value.shape)} using a Tensor "
            f"with shape {runtime_text(value.shape)}, shapes must be equal."
        )

    def __repr__(self) -> str:
        return (
            f'<ResourceHandle(name="{self.name}", type="Var", dtype={self.dtype.name}, '
            f"shape={self.shape})>"
        )


def _is_foreign(value: torch.Tensor) -> bool:
    """True for memory that torch does not own (NumPy's, DLPack's) or that is not just `value`."""
    storage = value.untyped_storage()
    return not storage.resizable() or storage.nbytes() != value.numel() * value.element_size()


def _is_held_elsewhere(holder: Storage) -> bool:
    # A tensor of ours or an array shares the Python object; a view shares the storage.
    if sys.getrefcount(holder.value) > _LONELY_REFERENCES:
        return True
    uses = torch._C._storage_Use_Count(holder.value.untyped_storage()._cdata)
    return uses > _LONELY_STORAGE_USES


def var_handle_kernel(
    *, dtype: DType, shape: TensorShape, shared_name: str, device: Any
) -> Storage:
    """A storage without a value."""
    return Storage(shared_name, dtype, shape)


def read_kernel(resource: Storage) -> Any:
    """The stored value."""
    return resource.read()


def assign_kernel(resource: Storage, value: Any) -> None:
    """Stores a value."""
    resource.write(value)


def assign_add_kernel(resource: Storage, value: torch.Tensor) -> None:
    """Adds to the stored value."""
    resource.update("add", value)


def assign_sub_kernel(resource: Storage, value: torch.Tensor) -> None:
    """Subtracts from the stored value."""
    resource.update("sub", value)


def assign_slice_kernel(ref: Storage, value: torch.Tensor, *, key: Key) -> None:
    """Stores a part of the value."""
    ref.write_slice(key, value)


VAR_HANDLE = op(
    "VarHandleOp", "-> resource: resource", var_handle_kernel, None, makes=True, stateful=True
)
READ_VARIABLE = op(
    "ReadVariableOp", "resource: resource -> value: dtype", read_kernel, None, stateful=True
)
ASSIGN_VARIABLE = op(
    "AssignVariableOp", "resource: resource, value: T ->", assign_kernel, None,
    stateful=True, T=dtypes.ANY,
)  # fmt: skip
ASSIGN_ADD = op(
    "AssignAddVariableOp", "resource: resource, value: T ->", assign_add_kernel, None,
    stateful=True, T=dtypes.NUMBERS,
)  # fmt: skip
ASSIGN_SUB = op(
    "AssignSubVariableOp", "resource: resource, value: T ->", assign_sub_kernel, None,
    stateful=True, T=dtypes.NUMBERS,
)  # fmt: skip

ASSIGN_SLICE = op(
    "ResourceStridedSliceAssign",
    "ref: resource, begin: host, end: host, strides: host, value: T ->",
    assign_slice_kernel, None, stateful=True, T=dtypes.ANY_FIXED,
)  # fmt: skip
