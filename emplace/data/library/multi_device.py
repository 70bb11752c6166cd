"""Iterators whose elements go to several devices in turn: towers by hand take one each."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, Self

from ...base import dtypes
from ...base.errors import InvalidArgumentError, OutOfRangeError
from ...core.composite import CompositeTensor
from ...core.context import LOCAL, device
from ...core.tensor import Tensor
from ...core.type_spec import TypeSpec
from ...graph.recording.scopes import current_graph
from ...ops.array.shaping import identity
from ...ops.infer import Spec
from ...ops.op import CPU_ONLY, apply, op
from ..dataset.dataset import Dataset
from ..elements.optional import Optional
from ..elements.structure import Element, Structure
from ..iteration.bound import BoundDataset
from ..iteration.iterator import NEW_ITERATOR, Iterator, IteratorState, host_tensor
from .v1 import new_session_handle


class _Turns:
    """One pass through a dataset, whose elements several takers get in turn."""

    def __init__(self, dataset: BoundDataset, count: int) -> None:
        self._lock = threading.Lock()
        self._pass = IteratorState()
        self._pass.begin(dataset)
        self._waiting: list[deque[Element]] = [deque() for _ in range(count)]
        self._passed = 0

    def take(self, number: int) -> Element:
        """The next element of a taker; those of the others that come before it wait for them.

        Raises:
            StopIteration: there is none.
        """
        with self._lock:
            while not self._waiting[number]:
                element = self._pass.next()
                self._waiting[self._passed % len(self._waiting)].append(element)
                self._passed += 1
            return self._waiting[number].popleft()


class _Taker:
    """The elements of one taker."""

    def __init__(self, turns: _Turns, number: int) -> None:
        self._turns, self._number = turns, number

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Element:
        return self._turns.take(self._number)


def begin_kernel(dataset: BoundDataset, *iterators: IteratorState) -> None:
    """Starts iterators that take a dataset's elements in turn."""
    turns = _Turns(dataset, len(iterators))
    for number, each in enumerate(iterators):
        each.begin(dataset, _Taker(turns, number))


def _nothing(*inputs: Spec, **attrs: Any) -> None:
    return None


BEGIN = op(
    "MultiDeviceIteratorInit_", "dataset: variant, iterators: N * resource ->", begin_kernel,
    _nothing, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


class _InTurn:
    """An iterator for each of some devices, which take elements in turn."""

    _devices: list[str]
    _iterators: list[Iterator]
    _structure: Structure

    @property
    def element_spec(self) -> Any:
        """The specs of what the element of a device is made of."""
        return self._structure.spec

    def get_next(self, device: Any = None) -> Any:
        """The next element of each device, on it; of one device only its own.

        Args:
            device: the name of a device, as it was given.

        Raises:
            OutOfRangeError: there is none.
            ValueError: no such device was given.
        """
        if device is not None:
            return self._on_device(self._devices.index(device))
        return [self._on_device(i) for i in range(len(self._devices))]

    def _on_device(self, number: int) -> Any:
        parts = self._iterators[number]._components()
        with device(self._devices[number]):
            return self._structure.value([identity(each) for each in parts])

    def get_next_as_optional(self) -> list[Optional]:
        """The next element of each device, if there is one."""
        return [each.get_next_as_optional() for each in self._iterators]


def _checked(dataset: object, devices: Sequence[str]) -> Dataset:
    if not isinstance(dataset, Dataset):
        raise AttributeError(f"{type(dataset).__name__!r} object has no attribute 'with_options'")
    if not devices:
        raise InvalidArgumentError(
            None, None, "Length for attr 'devices' of 0 must be at least minimum 1"
        )
    return dataset


class MultiDeviceIterator(_InTurn):
    """An iterator whose elements go to several devices in turn, of eager mode, functions and
    sessions (`tensorflow.python.data.ops.multi_device_iterator_ops`).

    Args:
        dataset: a dataset of elements for one device each.
        devices: the names of the devices.
        max_buffer_size: not needed: elements are made when they are asked for, or wait.
        prefetch_buffer_size: not needed.
        source_device: not needed: datasets run on the host.

    Raises:
        AttributeError: it is no dataset.
        InvalidArgumentError: there are no devices.
    """

    def __init__(
        self, dataset: Dataset, devices: Sequence[str], max_buffer_size: Any = 1,
        prefetch_buffer_size: Any = 1, source_device: str = "/cpu:0",
    ) -> None:  # fmt: skip
        self._dataset = _checked(dataset, devices)
        self._devices, self._structure = list(devices), dataset.node.structure
        self._handles = [_new_handle() for _ in devices]
        self._iterators = [Iterator(self._structure, each) for each in self._handles]
        self._initializer = self._begin()

    def _begin(self) -> Any:
        return apply(BEGIN, (self._dataset.variant_tensor(), *self._handles))

    @property
    def initializer(self) -> Any:
        """What starts it in a session; in eager mode it has been started, and this starts again."""
        return self._begin() if LOCAL.state.target.is_eager else self._initializer

    def _eager_reset(self) -> None:
        """Starts again.

        Raises:
            ValueError: in a graph.
        """
        if not LOCAL.state.target.is_eager:
            raise ValueError(
                "Resetting a multi-device iterator is only supported in the eager mode."
            )
        self._begin()


def _new_handle() -> Any:
    graph = current_graph()
    if graph is None:
        return host_tensor(IteratorState(), dtypes.resource)
    return apply(NEW_ITERATOR, ()) if graph.is_function else new_session_handle()


class OwnedMultiDeviceIterator(_InTurn, CompositeTensor):
    """The same without an initializer, for eager mode and functions, which may take it as an
    argument. As an iterator of Python it gives a list with the elements of all devices.

    Args:
        dataset: see `MultiDeviceIterator`.
        devices: the names of the devices.
        max_buffer_size: not needed.
        prefetch_buffer_size: not needed.
        source_device: not needed.
        components: handles of the iterators of the devices, in the place of a dataset.
        element_spec: of their elements.

    Raises:
        RuntimeError: a graph of a session takes ops.
        ValueError: there is a dataset and components, or there is none of the two.
    """

    def __init__(
        self, dataset: Dataset | None = None, devices: Any = None, max_buffer_size: Any = 1,
        prefetch_buffer_size: Any = 1, source_device: str = "/cpu:0", components: Any = None,
        element_spec: Any = None,
    ) -> None:  # fmt: skip
        graph = current_graph()
        if graph is not None and not graph.is_function:
            raise RuntimeError(
                "OwnedMultiDeviceIterator is only supported inside of tf.function or when eager "
                "execution is enabled."
            )
        if devices is None:
            raise ValueError("`devices` must be provided.")
        if dataset is None and (components is None or element_spec is None):
            raise ValueError(
                "When `dataset` is not provided, both `components` and `element_spec` must be "
                "specified."
            )
        if dataset is not None and not (components is None and element_spec is None):
            raise ValueError(
                "When `dataset` is provided, `element_spec` and `components` must not be specified."
            )
        if dataset is not None:
            made = MultiDeviceIterator(dataset, devices)
            components, element_spec = made._handles, made.element_spec
        self._devices, self._structure = list(devices), Structure(element_spec)
        self._handles: tuple[Tensor, ...] = tuple(components)
        self._iterators = [Iterator(self._structure, each) for each in self._handles]

    def __iter__(self) -> Self:
        return self

    def next(self) -> list[Any]:
        """The next elements of all devices."""
        return self.__next__()

    def __next__(self) -> list[Any]:
        try:
            found: list[Any] = self.get_next()
        except OutOfRangeError:
            raise StopIteration from None
        return found

    @property
    def _type_spec(self) -> MultiDeviceIteratorSpec:
        return MultiDeviceIteratorSpec(self._devices, "/cpu:0", self.element_spec)

    @property
    def outline(self) -> str:
        """What a trace depends on besides the handles."""
        return f"iterator of {self.element_spec!r} on {self._devices}"

    def components(self) -> tuple[Any, ...]:
        """Its handles."""
        return self._handles

    def with_components(self, components: Sequence[Any]) -> OwnedMultiDeviceIterator:
        """An iterator of the same elements with other handles."""
        return OwnedMultiDeviceIterator(
            devices=self._devices, components=components, element_spec=self.element_spec
        )


class MultiDeviceIteratorSpec(TypeSpec):
    """The type of iterators for several devices.

    Args:
        devices: the names of the devices.
        source_device: where elements come from.
        element_spec: of the element of a device.
    """

    value_type = OwnedMultiDeviceIterator

    def __init__(self, devices: Sequence[str], source_device: str, element_spec: Any) -> None:
        self._devices = tuple(devices)
        self._source_device, self._element_spec = source_device, element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self._devices, self._source_device, self._element_spec)
