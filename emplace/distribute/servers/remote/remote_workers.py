"""Workers in other processes: the coordinator's side, and theirs."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ....base import dtypes
from ....base.typing import TensorLike
from ....core.tensor import EagerTensor
from ....graph.function.calling import ConcreteFunction
from . import rpc
from .current import on_worker
from .remote_variables import RemoteAddress, RemoteStorage, handle_of, send_ops
from .serialisation import packed, packed_function, tensor_of, unpacked, unpacked_function

_MADE: dict[int, Any] = {}
_FUNCTIONS: dict[int, ConcreteFunction] = {}
_NUMBERS = itertools.count()


class RemoteResult(NamedTuple):
    """Something that a worker keeps.

    Fields:
        worker: its name.
        number: which of the things that it keeps.
    """

    worker: str
    number: int


class _ResultPart(NamedTuple):
    """A tensor that a thing on a worker is made of."""

    number: int
    place: int


class FunctionsSent:
    """The traced functions that workers may be asked to run, each with a number. They are kept, so
    that none gets the number of another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[int, int] = {}
        self._kept: list[tuple[ConcreteFunction, bytes]] = []

    def number(self, function: ConcreteFunction) -> int:
        """The number of a function."""
        with self._lock:
            key = id(function.graph)
            if key not in self._numbers:
                self._kept.append((function, packed_function(function, tell)))
                self._numbers[key] = len(self._kept) - 1
            return self._numbers[key]

    def data(self, number: int) -> bytes:
        """A function as bytes."""
        return self._kept[number][1]


def tell(handle: EagerTensor) -> RemoteAddress:
    """What is sent for a resource.

    Raises:
        TypeError: it is none of a parameter server.
    """
    storage = handle._value
    if isinstance(storage, RemoteStorage):
        return storage.place
    name = getattr(storage, "name", repr(storage))
    raise TypeError(
        f"{name} is a resource of the coordinator's process. Make variables in strategy.scope(), "
        "and give iterators of create_per_worker_dataset as arguments."
    )


class FarWorker:
    """A worker in another process.

    Args:
        number: which one.
        functions: those that all workers know.
    """

    def __init__(self, number: int, functions: FunctionsSent) -> None:
        self.number = number
        self.name = rpc.task_name("worker", number)
        self._functions = functions
        self._known: set[int] = set()

    def call(self, function: ConcreteFunction, tensors: Callable[[Any], Any]) -> Any:
        """Runs a traced function there; see `LocalWorker.call`.

        Raises:
            LostError: the process is lost.
        """
        parts: dict[int, _ResultPart] = {}

        def stand_in(each: Any) -> Any:
            whole = each.stand_in
            made = each._values[self.number].get()
            for i, component in enumerate(whole.components()):
                parts[id(component)] = _ResultPart(made.number, i)
            return whole

        sent = [parts.get(id(x)) or _sent(x) for x in tensors(stand_in)]
        number = self._functions.number(function)
        if number not in self._known:
            rpc.call(self.name, _learn, number, self._functions.data(number))
            self._known.add(number)
        found = rpc.call(self.name, _call, self.number, number, sent)
        values = [tensor_of(value, y.dtype.name) for value, y in
                  zip(found, function.outputs, strict=True)]  # fmt: skip
        return function.packed(values)

    def make(self, function: Callable[[], Any]) -> RemoteResult:
        """What `function` makes there, for later calls."""
        return RemoteResult(
            self.name, rpc.call(self.name, _make, self.number, packed(function, tell))
        )


def _sent(x: EagerTensor) -> Any:
    if x.dtype is dtypes.resource:
        return tell(x)
    return _raw(x._value), x.dtype.name


def _raw(value: TensorLike) -> Any:
    """A raw value in the host's memory."""
    return value.cpu() if hasattr(value, "cpu") else value


# -- the worker's side -----------------------------------------------------------------------------


def _learn(number: int, data: bytes) -> None:
    send_ops()
    _FUNCTIONS[number] = unpacked_function(data, handle_of)


def _call(worker: int, number: int, sent: list[Any]) -> list[Any]:
    with on_worker(worker):
        made = _FUNCTIONS[number].run([_received(each) for each in sent])
    for each in made:
        if each.dtype is dtypes.resource or each.dtype is dtypes.variant:
            raise TypeError(
                f"A worker cannot send a value of dtype {each.dtype.name} to the coordinator. "
                "Return tensors of numbers or strings from a scheduled function."
            )
    return [_raw(each._value) for each in made]


def _received(sent: Any) -> EagerTensor:
    if isinstance(sent, _ResultPart):
        found: EagerTensor = _MADE[sent.number].components()[sent.place]
        return found
    return handle_of(sent) if isinstance(sent, RemoteAddress) else tensor_of(*sent)


def _make(worker: int, data: bytes) -> int:
    send_ops()
    with on_worker(worker):
        made = unpacked(data, handle_of)()
    number = next(_NUMBERS)
    _MADE[number] = made
    return number
