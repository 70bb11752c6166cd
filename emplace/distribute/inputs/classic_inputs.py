"""Distributed datasets in the graph of a session: their iterators have initializers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.context import LOCAL, device
from ...core.tensor import Tensor
from ...data.dataset.dataset import Dataset
from ...data.elements.nesting import map_leaves
from ...data.iteration.iterator import MAKE_ITERATOR
from ...data.library.v1 import new_session_handle
from ...graph.recording.grouping import group
from ...ops.op import apply
from ..replicas.contexts import session_graph
from ..replicas.values import PerReplica, PerReplicaSpec, mapped
from .inputs import DistributedDataset, DistributedIterator, OwnedDistributedIterator


class _Classic(DistributedIterator):
    """What an iterator tells of its elements, as TF 1's do."""

    @property
    def output_types(self) -> Any:
        """The dtypes of the parts of a replica's elements."""
        return map_leaves(lambda spec: _of_first(spec).dtype, self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the parts of a replica's elements."""
        return map_leaves(lambda spec: _of_first(spec).shape, self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The classes of the parts of a replica's elements."""
        return map_leaves(
            lambda spec: getattr(_of_first(spec), "value_type", Tensor), self.element_spec
        )


def _of_first(spec: object) -> Any:
    return spec.value_specs[0] if isinstance(spec, PerReplicaSpec) else spec


class DistributedIteratorV1(_Classic):
    """An iterator over a distributed dataset in a graph; its initializer starts it."""

    def __init__(self, dataset: DistributedDataset) -> None:
        plain = dataset._dataset
        super().__init__(plain.node.structure, new_session_handle(), dataset._devices)
        self._initializer = apply(MAKE_ITERATOR, (plain.variant_tensor(), self._handle))

    @property
    def initializer(self) -> Any:
        """The operation that starts it."""
        return self._initializer

    def initialize(self) -> Any:
        """The operation that starts it."""
        return self._initializer


class _Restartable(OwnedDistributedIterator, _Classic):
    """The same in eager mode, where it has been started."""

    def __init__(self, dataset: DistributedDataset) -> None:
        self._dataset = dataset
        plain = dataset._dataset
        super().__init__(plain.node.structure, plain.bound_dataset(), dataset._devices)

    def initialize(self) -> list[Any]:
        """Starts again."""
        self._state.begin(self._dataset._dataset.bound_dataset())
        return []

    @property
    def initializer(self) -> list[Any]:
        """Starts again."""
        return self.initialize()


class CallableIterator:
    """An iterator over what a function returns, which is called for each replica.

    Args:
        function: returns tensors.
        strategy: whose replicas.
    """

    def __init__(self, function: Callable[[], Any], strategy: Any) -> None:
        self._function, self._strategy = function, strategy

    def get_next(self) -> Any:
        """What the function returns for each replica."""
        with device(self._strategy._host):
            made = [self._function() for _ in self._strategy.replica_devices]
        if len(made) == 1:
            return made[0]
        return mapped(lambda *parts: PerReplica(parts), made[0], *made[1:])

    def initialize(self) -> Any:
        """An operation that does nothing."""
        return [] if LOCAL.state.target.is_eager else group()

    initializer = property(initialize)


class DistributedDatasetV1(DistributedDataset):
    """A distributed dataset of a session's graph."""

    def make_initializable_iterator(self) -> Any:
        """An iterator that its `initializer` starts.

        Raises:
            ValueError: in eager mode.
        """
        return self._make_initializable_iterator()

    def _make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        if LOCAL.state.target.is_eager:
            raise ValueError(
                "Cannot create initializable iterator in Eager mode. Please use `iter()` instead."
            )
        return DistributedIteratorV1(self)

    def make_one_shot_iterator(self) -> Any:
        """In eager mode an iterator.

        Raises:
            ValueError: in a graph.
        """
        if not LOCAL.state.target.is_eager:
            raise ValueError(
                "Cannot create a one shot iterator. Please use `make_initializable_iterator()` "
                "instead."
            )
        return iter(self)


def in_graph(dataset: DistributedDataset) -> DistributedDataset:
    """A distributed dataset that makes iterators for sessions, where it is of a session's graph."""
    if session_graph() is None:
        return dataset
    return DistributedDatasetV1(dataset._dataset, dataset._devices)


def iterator_of(dataset: DistributedDataset) -> Any:
    """An iterator over a distributed dataset that can be initialized."""
    if LOCAL.state.target.is_eager:
        return _Restartable(dataset)
    return DistributedIteratorV1(dataset)


def checked(made: object) -> Sequence[Any]:
    """What an input function may return: (a dataset, None) or (None, a function).

    Raises:
        ValueError: it is something else.
    """
    if isinstance(made, Dataset):
        return made, None
    if callable(made):
        return None, made
    raise ValueError("input_fn must return a tf.data.Dataset or a callable.")
