"""Variables whose memory another process holds, and that process's side of them.

A `RemoteStorage` stands in a variable's handle. An op that reads or changes it is sent, with its
other inputs, to the process that holds the memory, and runs there as a whole: changes by several
workers never mix. What an op is sent for is decided by its kernel, which is exchanged in
processes that are in a cluster, and in no other.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ....base.dtypes import DType, as_dtype
from ....base.errors import UnavailableError, UnimplementedError, invalid_argument
from ....base.shapes import TensorShape
from ....base.typing import ShapeLike, TensorLike
from ....core.context import forget_routes
from ....core.tensor import EagerTensor
from ....ops import op as ops
from ....ops.random.generator_state import READ_AND_SKIP
from ....ops.variables.resource import (
    ASSIGN_ADD,
    ASSIGN_SUB,
    ASSIGN_VARIABLE,
    READ_VARIABLE,
    Storage,
)
from ....ops.variables.training import FUSED_ADAM
from . import rpc
from .serialisation import op_of, packed, place_of, tensor_of, unpacked

_NUMBERS = itertools.count()
_STORAGES: dict[int, Storage] = {}
_LOCK = threading.Lock()


class RemoteAddress(NamedTuple):
    """Where a variable's memory is.

    Fields:
        owner: the process.
        number: which of its variables.
        name: of the variable.
        dtype: the name of its dtype.
        dims: its shape, None where it is not known.
    """

    owner: str
    number: int
    name: str
    dtype: str
    dims: Any


class _Input(NamedTuple):
    """A variable among the inputs of an op that is sent."""

    number: int


class RemoteStorage(Storage):
    """The memory of a variable in another process."""

    __slots__ = ("owner", "place")

    def __init__(self, place: RemoteAddress) -> None:
        self.name, self.budget = place.name, None
        self.dtype: DType = as_dtype(place.dtype)
        self.value_shape = TensorShape(place.dims)
        self.lock = threading.RLock()
        self.owner, self.place = place.owner, place

    def __reduce__(self) -> Any:
        """In another process it is the one that the variable's handle has there."""
        return _storage_at, (self.place,)

    @property
    def value(self) -> Any:
        """The value as it is now."""
        return self.read()

    def read(self) -> Any:
        """The value as it is now."""
        return self.run(READ_VARIABLE, (self,), {})

    def write(self, value: object) -> None:
        """Replaces the value."""
        self.run(ASSIGN_VARIABLE, (self, value), {})

    def update(self, op_name: str, change: str, value: TensorLike) -> None:
        """Adds to the value, or subtracts from it."""
        self.run(ASSIGN_ADD if change == "add" else ASSIGN_SUB, (self, value), {})

    def write_slice(self, op_name: str, key: Any, value: Any) -> None:
        """Refuses: only whole ops are sent."""
        raise self._not_sent(op_name)

    def change(self, op_name: str, change: Callable[[Any], Any]) -> None:
        """Refuses: only whole ops are sent."""
        raise self._not_sent(op_name)

    def kept(self) -> Any:
        """The value now, for `put_back`."""
        return self.read()

    def put_back(self, old: object) -> None:
        """Gives it the value again that was kept."""
        self.write(old)

    def _not_sent(self, op_name: str) -> Exception:
        return UnimplementedError(
            None, None, f"[{op_name}] cannot be sent to {rpc.label(self.owner)}, which holds the "
            f"variable {self.name}. Assign a whole value.",
        )  # fmt: skip

    def run(self, op: ops.Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Runs an op where the memory is.

        Raises:
            InvalidArgumentError: another variable among the inputs is somewhere else.
            UnavailableError: the process is lost.
        """
        sent = tuple(self._sent(op, each) for each in inputs)
        return _result_of(self.owner, _run, place_of(op), sent, packed(attrs, _no_resource))

    def _sent(self, op: ops.Op, given: object) -> Any:
        if not isinstance(given, Storage):
            return given
        if getattr(given, "owner", None) == self.owner:
            return _Input(given.place.number)  # type: ignore[attr-defined]
        raise invalid_argument(
            f"[{op.name}] works on several variables at once, of which {self.name} is on "
            f"{rpc.label(self.owner)} and {given.name} is not. Make what belongs to a variable in "
            "the scope strategy.extended.colocate_vars_with(variable)."
        )


def _no_resource(handle: EagerTensor) -> Any:
    raise TypeError(f"{handle!r} is a resource of this process.")


def hold(storage: Storage, owner: str) -> RemoteStorage:
    """Lets another process hold a variable's memory, with the value that it has.

    Raises:
        UnavailableError: the process is lost.
    """
    value = storage.read()
    shape = storage.value_shape
    dims = shape.as_list() if shape.rank is not None else None
    dtype = storage.dtype.name
    number = _result_of(owner, _hold, storage.name, dtype, dims, value)
    return RemoteStorage(RemoteAddress(owner, number, storage.name, dtype, dims))


def _result_of(owner: str, function: Callable[..., Any], *args: Any) -> Any:
    try:
        return rpc.call(owner, function, *args)
    except rpc.LostError as error:
        text = f"A parameter server has been lost: {error}. Start the job again from its last "
        raise UnavailableError(None, None, f"{text}checkpoint.") from None


def handle_of(place: RemoteAddress) -> EagerTensor:
    """The handle of a variable that another process holds, or this one."""
    with _LOCK:
        found = _HANDLES.get(place[:2])
        if found is None:
            made: Any = RemoteStorage(place)
            found = _HANDLES[place[:2]] = tensor_of(made, "resource")
    return found


_HANDLES: dict[tuple[str, int], EagerTensor] = {}


def _storage_at(place: RemoteAddress) -> Any:
    return handle_of(place)._value


def _hold(name: str, dtype: str, dims: ShapeLike, value: TensorLike) -> int:
    """Keeps a new variable; returns its number."""
    storage = Storage(name, as_dtype(dtype), TensorShape(dims))
    storage.write(value)
    number = next(_NUMBERS)
    _STORAGES[number] = storage
    return number


def _run(place: tuple[str, str], inputs: tuple[Any, ...], attrs: bytes) -> Any:
    """Runs an op on variables that this process keeps."""
    given = [_STORAGES[each.number] if isinstance(each, _Input) else each for each in inputs]
    kernel: Callable[..., Any] = op_of(*place).kernel
    return kernel(*given, **unpacked(attrs, _no_handle))


def _no_handle(sent: object) -> Any:
    raise TypeError(f"{sent!r} is no attribute.")


def send_ops() -> None:
    """From now on ops on variables that other processes hold are sent there."""
    with _LOCK:
        if _SENDING:
            return
        for op in (*ops.REGISTRY.values(), FUSED_ADAM, READ_AND_SKIP):
            if any(arg.type == "resource" for arg in op.inputs) and not op.is_session_resource:
                object.__setattr__(op, "kernel", _sending(op, op.kernel))
        _SENDING.append(True)
    forget_routes()


_SENDING: list[bool] = []


def _sending(op: ops.Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(kernel)
    def run(*inputs: Any, **attrs: Any) -> Any:
        if inputs and type(inputs[0]) is RemoteStorage:
            return inputs[0].run(op, inputs, attrs)
        return kernel(*inputs, **attrs)

    return run
