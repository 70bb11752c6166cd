"""Ops on variables: make one, read it, change it. What they work on is a `Storage`.

Reading returns the stored tensor itself, without a copy; changing it in place is allowed only
while nobody else looks. So a value that was read stays what it was, and a training step that
keeps no old values copies nothing.
"""

from __future__ import annotations

import functools
import operator
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import FailedPreconditionError, invalid_argument
from ...base.shapes import TensorShape, runtime_text
from ...base.typing import TensorLike
from ...core.tensor import is_foreign
from ...devices.aside import set_aside
from ...devices.charges import PARAMETERS
from ...devices.device import Device
from ...devices.memory import Budget, OutOfBudget
from ...holders.walkers import Held, holds
from ..array.slicing import Key, write_slice
from ..infer import Spec
from ..math.unsigned import SIGNED, signed_bits
from ..op import op

# What is copied rather than charged anew.
_SMALL_BYTES = 1 << 12


class Storage:
    """The memory of one variable, on one device. `value` is a raw value, or None before the
    first assignment. `budget` pays for the copies that a change may need; `home` is where torch
    keeps the value. As a raw value, what a handle's tensor holds, it has no axes.
    """

    __slots__ = ("__weakref__", "budget", "dtype", "home", "lock", "name", "value", "value_shape")
    shape = torch.Size(())
    ndim = 0

    def __init__(
        self,
        name: str,
        dtype: DType,
        shape: TensorShape,
        budget: Budget | None = None,
        home: torch.device | str = "cpu",
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.value_shape = shape
        self.budget = budget
        self.home = home
        self.value: Any = None
        # A garbage collection inside may run a program's `__del__`, which may use the variable.
        self.lock = threading.RLock()

    def read(self) -> Any:
        """The value as it is now; it will not change under the reader."""
        with self.lock:
            if self.value is None:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"Could not find variable {self.name}. This could mean that the variable has "
                    "been deleted. In TF1, it can also mean the variable is uninitialized. "
                    f"Attempting to use uninitialized value {self.name}",
                )
            return self.value

    def write(self, value: TensorLike) -> None:
        """Replaces the value. Memory is shared with `value` where that is safe."""
        if isinstance(value, torch.Tensor):
            if self.budget is not None and value.nbytes <= _SMALL_BYTES and value.is_cpu:
                with self.lock:
                    if self._takes_in(value):  # which costs less than to charge other memory
                        return
            if _must_copy(value):
                value = self._pay(value, value.clone, "AssignVariableOp")
            elif self.budget is not None:
                self.budget.settle(0, (value,), "AssignVariableOp")
        with self.lock:
            self.value = value

    def update(self, op_name: str, change: str, value: torch.Tensor) -> None:
        """Adds ("add") to or subtracts from the value, in place if nobody else holds it."""
        with self.lock:
            if self.value is None or self.value.shape != value.shape:
                raise self._wrong_shape(value)
            if _is_held_elsewhere(self):
                make = functools.partial(_changed, change, self.value, value)
                self.value = self._pay(self.value, make, op_name)
            elif self.value.dtype in SIGNED:
                getattr(signed_bits(self.value), f"{change}_")(signed_bits(value))
            else:
                getattr(self.value, f"{change}_")(value)

    def write_slice(self, op_name: str, key: Key, value: torch.Tensor) -> None:
        """Replaces a part of the value, in place if nobody else holds it."""
        with self.lock:
            if self.value is None:
                raise self._wrong_shape(value)
            self._own(op_name)
            if self.value.dtype in SIGNED:
                write_slice(signed_bits(self.value), key, signed_bits(value))
            else:
                write_slice(self.value, key, value)

    def change(self, op_name: str, change: Callable[[torch.Tensor], Any]) -> None:
        """Lets `change` write into the value, in place if nobody else holds it."""
        with self.lock:
            if self.value is None:
                raise self._wrong_shape(None)
            self._own(op_name)
            change(self.value)

    def follow(self, value: torch.Tensor) -> None:
        """Takes a copy of another variable's value, in its own memory if nobody else holds that."""
        with self.lock:
            if not self._takes_in(value):
                self.value = self._pay(value, value.clone, "AssignVariableOp")

    def is_held(self, besides: int = 0) -> bool:
        """Whether somebody else holds the value, `besides` that many references of the caller's."""
        with self.lock:
            return self.value is not None and _is_held_elsewhere(self, besides)

    def own(self, op_name: str) -> None:
        """Makes the value the variable's alone: a copy, where somebody else holds it.

        Raises:
            OutOfBudget: there is no memory for a copy.
        """
        with self.lock:
            self._own(op_name)

    def kept(self) -> torch.Tensor:
        """The value in the host's memory, for `put_back`."""
        with self.lock:
            value = self.value
            return set_aside(value) if isinstance(value, torch.Tensor) else value

    def put_back(self, old: object) -> None:
        """Gives it the value again that was kept, in the memory that it has."""
        with self.lock:
            now = self.value
            if not isinstance(old, torch.Tensor) or not isinstance(now, torch.Tensor):
                self.value = old
                return
            is_like = now.shape == old.shape and now.dtype == old.dtype and now.is_contiguous()
            if is_like and are_same(now.to("cpu"), old):  # it was not changed yet
                return
            if is_like and not _is_held_elsewhere(self, 1):
                now.copy_(old)
                return
            self.value = None  # a reader keeps the new value, or it is of another size
            try:
                self.write(old.to(now.device))
            except OutOfBudget:
                self.value = now.copy_(old) if is_like else old.to(now.device)

    def _takes_in(self, value: torch.Tensor) -> bool:
        """Copies a value into the memory that it has, if it is like that and nobody else's."""
        now = self.value
        if (
            not isinstance(now, torch.Tensor) or now.shape != value.shape
            or now.dtype is not value.dtype or not now.is_contiguous()
            or _is_held_elsewhere(self, 1)
        ):  # fmt: skip
            return False
        now.copy_(value)
        return True

    def _own(self, op_name: str) -> None:
        """Makes the value one that may be written into."""
        if not self.value.is_contiguous() or _is_held_elsewhere(self):
            make = functools.partial(self.value.clone, memory_format=torch.contiguous_format)
            self.value = self._pay(self.value, make, op_name)

    def _pay(
        self, like: torch.Tensor, make: Callable[[], torch.Tensor], op_name: str
    ) -> torch.Tensor:
        """What `make` makes, as large as `like`, within the budget."""
        return make() if self.budget is None else self.budget.allocate(like, make, op_name)

    def _wrong_shape(self, value: Any) -> Exception:
        if self.value is None:
            return FailedPreconditionError(
                None, None, f"Attempting to use uninitialized value {self.name}"
            )
        return invalid_argument(
            f"Cannot update variable with shape {runtime_text(self.value.shape)} using a Tensor "
            f"with shape {runtime_text(value.shape)}, shapes must be equal."
        )

    def __repr__(self) -> str:
        return (
            f'<ResourceHandle(name="{self.name}", type="Var", dtype={self.dtype.name}, '
            f"shape={self.value_shape})>"
        )


@holds(Storage)
def held_by_variable(storage: Storage) -> Iterator[Held]:
    """What a variable holds."""
    yield Held(PARAMETERS, storage.name, storage.value)


def _changed(change: str, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """A new value."""
    made: torch.Tensor = getattr(torch, change)(signed_bits(x), signed_bits(y))
    return made.view(x.dtype) if x.dtype in SIGNED else made


def are_same(x: torch.Tensor, y: torch.Tensor) -> bool:
    """Whether all bits are the same."""
    bits = [each.reshape(-1).view(torch.uint8) for each in (x.contiguous(), y.contiguous())]
    return torch.equal(*bits)


def _must_copy(value: torch.Tensor) -> bool:
    """True for memory that is not ours, or that holds more than `value`."""
    nbytes = value.untyped_storage().nbytes()
    return is_foreign(value) or nbytes != value.numel() * value.element_size()


def _is_held_elsewhere(holder: Storage, besides: int = 0) -> bool:
    """Whether somebody else holds the value, `besides` that many references of the caller's."""
    # A tensor of ours or an array shares the Python object; a view shares the storage.
    if sys.getrefcount(holder.value) > _LONELY_REFERENCES + besides:
        return True
    uses = torch._C._storage_Use_Count(holder.value.untyped_storage()._cdata)
    return uses > _LONELY_USES


# What both say of a value that nobody else holds, which differs between versions of Python and
# torch.
_PROBE = Storage("", dtypes.float32, TensorShape(1))
_PROBE.value = torch.zeros(1)
_LONELY_REFERENCES = sys.getrefcount(_PROBE.value)
_LONELY_USES = torch._C._storage_Use_Count(_PROBE.value.untyped_storage()._cdata)


def owned_values(op_name: str, storages: Sequence[Storage]) -> list[torch.Tensor]:
    """The values of variables, to be written into: each is its variable's alone, a copy where
    somebody else holds it. The caller holds the locks of all of them.
    """
    values: list[torch.Tensor] = []
    uses = torch._C._storage_Use_Count
    for storage in storages:
        if type(storage) is not Storage or storage.value is None:
            storage.read()  # says that there is none
            storage.change(op_name, values.append)
            continue
        # As `_is_held_elsewhere`, without a call for each of a hundred variables.
        if (
            sys.getrefcount(storage.value) > _LONELY_REFERENCES
            or uses(storage.value.untyped_storage()._cdata) > _LONELY_USES
            or not storage.value.is_contiguous()
        ):
            storage.own(op_name)
        values.append(storage.value)
    return values


def var_handle_kernel(
    *, dtype: DType, shape: TensorShape, shared_name: str, device: Device
) -> Storage:
    """A storage without a value."""
    return Storage(shared_name, dtype, shape, device.budget, device.torch_device)


def is_initialized_kernel(resource: Storage) -> torch.Tensor:
    """Whether there is a value."""
    return torch.full((), resource.value is not None, device=resource.home)


#: The stored value. Plans read many variables, and a function of Python's around this is felt.
read_kernel: Callable[[Storage], Any] = operator.methodcaller("read")


def assign_kernel(resource: Storage, value: torch.Tensor) -> None:
    """Stores a value."""
    resource.write(value)


def assign_add_kernel(resource: Storage, value: torch.Tensor) -> None:
    """Adds to the stored value."""
    resource.update("AssignAddVariableOp", "add", value)


def assign_sub_kernel(resource: Storage, value: torch.Tensor) -> None:
    """Subtracts from the stored value."""
    resource.update("AssignSubVariableOp", "sub", value)


def assign_slice_kernel(ref: Storage, value: torch.Tensor, *, key: Key) -> None:
    """Stores a part of the value."""
    ref.write_slice("ResourceStridedSliceAssign", key, value)


VAR_HANDLE = op(
    "VarHandleOp", "-> resource: resource", var_handle_kernel, None, is_factory=True, stateful=True,
    is_session_resource=True,
)  # fmt: skip
READ_VARIABLE = op(
    "ReadVariableOp", "resource: resource -> value: dtype", read_kernel, None, stateful=True,
    aliases=True,
)  # fmt: skip
IS_INITIALIZED = op(
    "VarIsInitializedOp", "resource: resource -> is_initialized: bool", is_initialized_kernel,
    lambda resource: Spec((), dtypes.bool_), stateful=True,
)  # fmt: skip
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
