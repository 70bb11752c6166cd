"""Iterators: the state of one pass through a dataset, the ops on it, and what programs hold.

The raw value of an iterator's handle is an `IteratorState`. A program that iterates in eager mode
asks the state itself; in a graph there are ops.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator as PythonIterator, Sequence
from typing import Any, Self

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import FailedPreconditionError, OutOfRangeError
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor, kept, make_tensor
from ...core.tensor_list import TensorList
from ...core.tensor_spec import TensorSpec
from ...core.tracking import Trackable
from ...core.type_spec import TypeSpec
from ...devices.inventory import INVENTORY
from ...graph.function.calling import SHAPES_AHEAD
from ...ops.infer import Spec
from ...ops.io.tensor_proto import parse_tensor, serialize_tensor
from ...ops.op import CPU_ONLY, apply, op
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.basic import to_dense
from ...ops.sparse.tensor import SparseTensor, SparseTensorSpec
from ..elements.nesting import map_leaves
from ..elements.optional import Optional, something
from ..elements.structure import Element, NoneTensorSpec, Raw, Structure
from .bound import BoundDataset
from .memory import (
    NodeMemory,
    check_outer_state,
    check_symbolic,
    difference,
    inner_nodes,
    kinds_of,
    nodes_of,
    policy_of,
)
from .node import Node, on_host
from .position import changed, restored, saved
from .resuming import Failure
from .saved_files import decoded, encoded


class IteratorState:
    """One pass through a dataset; safe for threads."""

    __slots__ = ("__weakref__", "_ahead", "_dataset", "_is_unused", "_items", "_lock")

    shape = ()

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._items: PythonIterator[Element] | None = None
        self._dataset: BoundDataset | None = None
        self._ahead: Element | Exception | None = None
        self._is_unused = False

    @property
    def device(self) -> Any:
        """The device of the elements; None for the host."""
        return None if self._dataset is None else self._dataset.node.device

    @property
    def structure(self) -> Structure | None:
        """Of the elements; None before it has been started."""
        return None if self._dataset is None else self._dataset.node.structure

    @property
    def dataset(self) -> BoundDataset | None:
        """What it goes through; None before it has been started."""
        return self._dataset

    @property
    def has_begun(self) -> bool:
        """Whether somebody has started it."""
        return self._dataset is not None

    def begin(self, dataset: BoundDataset, items: PythonIterator[Element] | None = None) -> None:
        """Starts at the first element of a dataset, or of those `items` of it."""
        with self._lock:
            self._dataset, self._ahead = dataset, None
            self._items = dataset.start_on_device() if items is None else items
            self._is_unused = items is None

    def __del__(self) -> None:
        """A pass that nobody went through counts for orders too, as TensorFlow draws them when a
        pass is made. Keras begins one after each epoch.
        """
        if self._is_unused and self._dataset is not None and not sys.is_finalizing():
            for node, run in nodes_of(self._dataset.node, self._dataset.run_within()):
                node.skip(run)

    def save(self, policy: int) -> list[bytes]:
        """Where it is, as texts.

        Raises:
            FailedPreconditionError: nobody has started it; or functions of the dataset have a state
                that is elsewhere, and the policy is to fail.
            UnimplementedError: it cannot be told.
        """
        with self._lock:
            if self._dataset is None:
                raise FailedPreconditionError(
                    None, None,
                    "SaveInternal() failed because the iterator has not been initialized. Ensure "
                    "that you have run the initializer operation for this iterator before saving "
                    "it.",
                )  # fmt: skip
            run = self._dataset.run_within()
            check_outer_state(self._dataset.node, run, policy)
            if not self._is_unused:
                check_symbolic(self._dataset.node, run)
            position = {
                "kinds": kinds_of(self._dataset.node, run),
                "memory": saved(NodeMemory(self._dataset.node, run)),
                "items": saved(self._items),
                "ahead": Failure(self._ahead) if isinstance(self._ahead, Exception)
                else self._ahead,
            }  # fmt: skip
            return encoded(position, inner_nodes(self._dataset.node, run))

    def restore(self, texts: Sequence[bytes]) -> None:
        """Goes where `save` was called. If that fails it stays where it is.

        Raises:
            FailedPreconditionError: nobody has started it.
            NotFoundError: it was called for another dataset.
        """
        with self._lock:
            dataset = self._dataset
            if dataset is None:
                raise FailedPreconditionError(
                    None, None,
                    "RestoreInternal() failed because the iterator has not been initialized. "
                    "Ensure that you have run the initializer operation for this iterator before "
                    "restoring it.",
                )  # fmt: skip
            position = decoded(texts, inner_nodes(dataset.node, dataset.run_within()))
            self._items = _restored(dataset, position)
            ahead = position["ahead"]
            self._is_unused = False
            self._ahead = ahead.error if type(ahead) is Failure else ahead

    def next(self) -> Element:
        """The next element.

        Raises:
            StopIteration: there is none.
            FailedPreconditionError: nobody has started it.
        """
        with self._lock:
            self._is_unused = False
            if self._ahead is not None:
                ahead, self._ahead = self._ahead, None
                if isinstance(ahead, Exception):
                    raise ahead
                return ahead
            if self._items is None:
                raise FailedPreconditionError(
                    None, None,
                    "GetNext() failed because the iterator has not been initialized. Ensure that "
                    "you have run the initializer operation for this iterator before getting the "
                    "next element.",
                )  # fmt: skip
            return next(self._items)

    def ahead(self) -> Element | None:
        """The next element, which stays the next; None at the end."""
        with self._lock:
            if self._ahead is None:
                try:
                    self._ahead = self.next()
                except StopIteration:
                    return None
            if isinstance(self._ahead, Exception):
                return self.next()
            return self._ahead

    def shapes_ahead(self) -> tuple[Any, ...] | None:
        """The shapes of the next element, which stays the next; None where there is none, or where
        making it fails, which is told when it is asked for.
        """
        with self._lock:
            try:
                found = self.ahead()
            except Exception as error:
                self._ahead = error
                return None
        return None if found is None else tuple([tuple(x.shape) for x in found])

    def __repr__(self) -> str:
        return "<iterator over a dataset>"


def _restored(dataset: BoundDataset, position: dict[str, Any]) -> PythonIterator[Element]:
    """The elements of a dataset from a position on. What its nodes keep changes only if it fits."""
    run = dataset.run_within()
    kinds = kinds_of(dataset.node, run)
    if position["kinds"] != kinds:
        raise changed(difference(position["kinds"], kinds))
    memory = NodeMemory(dataset.node, run)
    before = memory.save()
    try:
        memory.restore(position["memory"].parts)
        items: PythonIterator[Element] = restored(dataset.start_on_device(), position["items"])
    except Exception:
        memory.restore(before)
        raise
    return items


# -- ops -------------------------------------------------------------------------------------------


def _variant(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.variant)


def _count(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.int64)


def _resource(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


def _nothing(*inputs: Spec, **attrs: Any) -> None:
    return None


def _truth(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.bool_)


def _components(*inputs: Spec, structure: Structure, incomplete: bool = False) -> tuple[Spec, ...]:
    return structure.components


def dataset_kernel(*values: Any, node: Node, symbols: Sequence[Any]) -> BoundDataset:
    """A dataset whose tensors have these values."""
    return BoundDataset(node, dict(zip(map(id, symbols), map(kept, values), strict=True)), {})


def cardinality_kernel(input_dataset: BoundDataset) -> torch.Tensor:
    """How many elements a dataset has."""
    return torch.tensor(input_dataset.number())


def new_iterator_kernel() -> IteratorState:
    """An iterator that has not been started."""
    return IteratorState()


def make_iterator_kernel(dataset: BoundDataset, iterator: IteratorState) -> None:
    """Starts an iterator."""
    iterator.begin(dataset)


class Incomplete(list[Raw]):
    """An element of which parts are missing: the end, but for who asks whether there is one."""


def get_next_kernel(
    iterator: IteratorState, *, structure: Structure, incomplete: bool = False
) -> Element:
    """The next element; an incomplete one if that is asked for."""
    try:
        values = _next_on_host(iterator)
    except StopIteration:
        raise end_of_sequence() from None
    if type(values) is Incomplete and not incomplete:
        raise end_of_sequence()
    return values


def _next_on_host(iterator: IteratorState) -> Element:
    values = iterator.next()
    return values if iterator.device is None else on_host(values, iterator.device)


def next_optional_kernel(iterator: IteratorState) -> TensorList:
    """The next element, if there is one."""
    try:
        return something(_next_on_host(iterator))
    except StopIteration:
        return TensorList([])


def has_next_kernel(iterator: IteratorState) -> Any:
    """Whether there is another element."""
    return torch.tensor(iterator.ahead() is not None)


def serialize_kernel(resource_handle: IteratorState, *, external_state_policy: int = 2) -> Any:
    """Where an iterator is, as a vector of texts."""
    texts = resource_handle.save(external_state_policy)
    return np.array(texts, object)


def deserialize_kernel(resource_handle: IteratorState, serialized: Any) -> None:
    """Lets an iterator go on where another one was."""
    resource_handle.restore(serialized.tolist())


def _texts(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((None,), dtypes.string)


def end_of_sequence() -> OutOfRangeError:
    """The error at the end of a dataset."""
    return OutOfRangeError(None, None, "End of sequence")


DATASET = op(
    "DatasetOf_", "tensors: N * any -> handle: variant", dataset_kernel, _variant,
    device_types=CPU_ONLY,
    is_listed=False,
)  # fmt: skip
CARDINALITY = op(
    "DatasetCardinality", "input_dataset: variant -> cardinality: int64", cardinality_kernel,
    _count, device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip
NEW_ITERATOR = op(
    "AnonymousIteratorV3", "-> handle: resource", new_iterator_kernel, _resource,
    device_types=CPU_ONLY,
    stateful=True, is_listed=False,
)  # fmt: skip
MAKE_ITERATOR = op(
    "MakeIterator", "dataset: variant, iterator: resource ->", make_iterator_kernel, _nothing,
    device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
GET_NEXT = op(
    "IteratorGetNext", "iterator: resource -> components: N * any", get_next_kernel, _components,
    device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
GET_NEXT_AS_OPTIONAL = op(
    "IteratorGetNextAsOptional", "iterator: resource -> optional: variant", next_optional_kernel,
    _variant, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
HAS_NEXT = op(
    "IteratorHasNext_", "iterator: resource -> has_next: bool", has_next_kernel, _truth,
    device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
SERIALIZE = op(
    "SerializeIterator", "resource_handle: resource -> serialized: string", serialize_kernel,
    _texts, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
DESERIALIZE = op(
    "DeserializeIterator", "resource_handle: resource, serialized: string ->", deserialize_kernel,
    _nothing, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


SHAPES_AHEAD["IteratorGetNext"] = IteratorState.shapes_ahead

# -- what programs hold ----------------------------------------------------------------------------


_MOST_ASKED = 10_000


class Iterator(CompositeTensor):
    """An iterator over a dataset (`tf.data.Iterator`); `iter(dataset)` makes one.

    >>> import emplace.tensorflow as tf
    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> int(next(iterator)), int(iterator.get_next())
    (0, 1)
    """

    def __init__(self, structure: Structure, handle: Tensor) -> None:
        self._structure = structure
        self._handle = handle
        self._asked = 0  # how often Python has asked for an element in a graph

    @property
    def element_spec(self) -> Any:
        """The specs of what an element is made of."""
        return self._structure.spec

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        self._asked += 1
        if self._asked > _MOST_ASKED:  # nothing in a graph ends a loop of Python's
            raise ValueError(
                "An unusually high number of `tf.data.Iterator.get_next()` calls was detected. "
                "This suggests that the `for elem in dataset: ...` idiom is used within "
                "tf.function with AutoGraph disabled. This idiom is only supported when AutoGraph "
                "is enabled."
            )
        return self.get_next()

    def next(self) -> Any:
        """The next element."""
        return self.__next__()

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        return self._structure.value(self._components())

    def _components(self, **attrs: Any) -> Sequence[Any]:
        made = apply(GET_NEXT, (self._handle,), {"structure": self._structure, **attrs})
        return made if isinstance(made, list) else [made]

    def get_next_as_optional(self) -> Optional:
        """The next element, if there is one (`tf.data.Iterator.get_next_as_optional`)."""
        return Optional(self.element_spec, apply(GET_NEXT_AS_OPTIONAL, (self._handle,)))

    def has_next(self) -> Any:
        """Whether there is another element: a tensor."""
        return apply(HAS_NEXT, (self._handle,))

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    # What makes it part of a function's arguments.

    @property
    def outline(self) -> str:
        """What a trace depends on besides the handle."""
        return f"iterator of {self.element_spec!r}"

    def components(self) -> tuple[Any, ...]:
        """Its handle."""
        return (self._handle,)

    def with_components(self, components: Sequence[Any]) -> Iterator:
        """An iterator of the same elements with another handle."""
        return Iterator(self._structure, components[0])


class SavedIterator(Iterator, Trackable):
    """An iterator that checkpoints hold: it goes on where it was saved."""

    def _policy(self) -> int:
        """What to do about state of functions that is elsewhere; an `ExternalStatePolicy`."""
        return _FAIL

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        attrs = {"external_state_policy": self._policy()}
        return {"ITERATOR_STATE": apply(SERIALIZE, (self._handle,), attrs)}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Goes where a checkpoint says."""
        return apply(DESERIALIZE, (self._handle, restored_tensors["ITERATOR_STATE"]))


_FAIL = 2


class OwnedIterator(SavedIterator):
    """An iterator of eager mode, with a state of its own."""

    is_handle = True

    def _policy(self) -> int:
        dataset = self._state.dataset
        found = None if dataset is None else policy_of(dataset.node, dataset.run_within())
        return _FAIL if found is None else found

    def __init__(self, structure: Structure, dataset: BoundDataset) -> None:
        self._state = state = IteratorState()
        state.begin(dataset)
        super().__init__(structure, host_tensor(state, dtypes.resource))
        self._pack = structure.packer(state.device)

    def __next__(self) -> Any:
        if not LOCAL.state.target.is_eager:
            return super().get_next()
        return self._pack(self._state.next())

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        if not LOCAL.state.target.is_eager:
            return super().get_next()
        try:
            return self._pack(self._state.next())
        except StopIteration:
            raise end_of_sequence() from None


def host_tensor(raw: Any, dtype: Any) -> EagerTensor:
    """An object as a tensor of the host."""
    return make_tensor(raw, INVENTORY.devices()[0].kind(dtype))


class NumpyIterator(Trackable):
    """An iterator over a dataset's elements as NumPy values (`tf.data.NumpyIterator`)."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        return {"_STATE": self._iterator._serialize_to_tensors()["ITERATOR_STATE"]}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Goes where a checkpoint says."""
        return self._iterator._restore_from_tensors({"ITERATOR_STATE": restored_tensors["_STATE"]})

    def __init__(self, dataset: Any) -> None:
        for _, spec in dataset.node.structure.leaves:
            if not isinstance(
                spec, (TensorSpec, SparseTensorSpec, RaggedTensorSpec, NoneTensorSpec)
            ):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that "
                    f"produce values of type {spec.value_type}"
                )
        self._iterator = iter(dataset)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        return map_leaves(_as_numpy, next(self._iterator))

    def next(self) -> Any:
        """The next element."""
        return self.__next__()

    def save(self) -> Any:
        """Where it is, as a string tensor for `restore`."""
        return serialize_tensor(self._serialize_to_tensors()["_STATE"])

    def restore(self, state: TensorLike) -> None:
        """Goes on where `save` was called, of this iterator or of another one over such a dataset.

        Args:
            state: what `save` returned.
        """
        self._restore_from_tensors({"_STATE": parse_tensor(state, dtypes.string)})

    def __repr__(self) -> str:
        return f"<NumpyIterator over {self._iterator!r}>"


def _as_numpy(value: TensorLike) -> Any:
    if value is None:
        return None
    if isinstance(value, SparseTensor):  # TF: so
        value = to_dense(value)
    numpy = getattr(value, "numpy", None)
    made = value if numpy is None else numpy()
    if isinstance(made, np.ndarray):  # TF: so, for the memory may be a tensor's
        made = made.view()
        made.setflags(write=False)
    return made


class IteratorSpec(TypeSpec):
    """The type of iterators over elements of one kind (`tf.data.IteratorSpec`)."""

    value_type = Iterator

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self.element_spec,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IteratorSpec) and self.element_spec == other.element_spec

    def __hash__(self) -> int:
        return hash(repr(self.element_spec))

    def __repr__(self) -> str:
        return f"IteratorSpec({self.element_spec!r})"
