"""`tf.compat.v1.data`: datasets and iterators of graphs that sessions run.

An iterator's state belongs to a session, as a variable's memory does. Its initializer binds the
values of the graph's tensors that the dataset needs, fed ones among them.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import runtime_name
from ...base.errors import invalid_argument
from ...base.nest import assert_same_structure
from ...base.shapes import TensorShape
from ...base.typing import IntLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...graph.representation.graph import SymbolicTensor
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.op import CPU_ONLY, apply, apply_any, op
from ...ops.strings.basic import text_array
from ..dataset.dataset import Dataset
from ..dataset.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from ..dataset.methods.sources import spec_of_parts
from ..elements import nesting
from ..elements.structure import Structure, is_compatible
from ..iteration.bound import BoundDataset
from ..iteration.iterator import (
    MAKE_ITERATOR,
    IteratorState,
    SavedIterator,
    new_iterator_kernel,
)
from ..iteration.node import symbols_of

_NUMBERS = itertools.count()


def _handle(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.resource)


def _text(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.string)


def session_iterator_kernel(*, shared_name: str = "") -> IteratorState:
    """An iterator that has not been started; a session keeps one."""
    return new_iterator_kernel()


def one_shot_kernel(iterator: IteratorState, dataset: BoundDataset) -> IteratorState:
    """An iterator that starts when it is first asked for."""
    if not iterator.has_begun:
        iterator.begin(dataset)
    return iterator


_KNOWN: weakref.WeakValueDictionary[bytes, IteratorState] = weakref.WeakValueDictionary()
_TEXTS: weakref.WeakKeyDictionary[IteratorState, bytes] = weakref.WeakKeyDictionary()


def to_string_kernel(iterator: IteratorState) -> Any:
    """A text that finds the iterator again."""
    text = _TEXTS.get(iterator)
    if text is None:
        text = f"/job:localhost/replica:0/task:0/device:CPU:0;iterator {next(_NUMBERS)}".encode()
        _TEXTS[iterator], _KNOWN[text] = text, iterator
    return text_array([text], ())


def from_string_kernel(string_handle: Any, *, structure: Structure) -> IteratorState:
    """The iterator that a text is for, if it has elements of a structure."""
    found = _KNOWN.get(bytes(string_handle[()]))
    if found is None:
        raise invalid_argument("Could not parse string_handle as a valid ResourceHandle")
    if found.structure is not None:
        _check_components(structure.components, found.structure.components)
    return found


def _check_components(wanted: Sequence[Spec], there: Sequence[Spec]) -> None:
    """Raises InvalidArgumentError unless elements have the components that are wanted."""
    if len(wanted) != len(there):
        raise invalid_argument(
            f"Number of components does not match: expected {len(wanted)} types but got "
            f"{len(there)}."
        )
    for i, (one, other) in enumerate(zip(wanted, there, strict=True)):
        if one.dtype is not other.dtype:
            raise invalid_argument(
                f"Data type mismatch at component {i}: expected {runtime_name(one.dtype)} but got "
                f"{runtime_name(other.dtype)}."
            )
        shape, found = TensorShape(one.dims), TensorShape(other.dims)
        if not shape.is_compatible_with(found):
            raise invalid_argument(
                f"Incompatible shapes at component {i}: expected {shape} but got {found}."
            )


SESSION_ITERATOR = op(
    "IteratorV2", "-> handle: resource", session_iterator_kernel, _handle, device_types=CPU_ONLY,
    stateful=True, is_session_resource=True, is_listed=False,
)  # fmt: skip
ONE_SHOT = op(
    "OneShotIterator", "iterator: resource, dataset: variant -> handle: resource", one_shot_kernel,
    _handle, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
TO_STRING = op(
    "IteratorToStringHandle", "iterator: resource -> string_handle: string", to_string_kernel,
    _text, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
FROM_STRING = op(
    "IteratorFromStringHandleV2", "string_handle: string -> iterator: resource",
    from_string_kernel, _handle, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


class ToldApart:
    """What is known of elements, told by dtypes, shapes and classes apart, as TF 1 told it."""

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements' parts."""
        return get_legacy_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements' parts."""
        return get_legacy_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of the elements' parts."""
        return get_legacy_output_classes(self)


class IteratorV1(ToldApart, SavedIterator):
    """An iterator of a graph (`tf.compat.v1.data.Iterator`)."""

    def __init__(
        self,
        iterator_resource: Any,
        initializer: object,
        output_types: Any,
        output_shapes: Any,
        output_classes: object,
    ) -> None:
        super().__init__(Structure(spec_of_parts(output_types, output_shapes)), iterator_resource)
        self._initializer = initializer
        self._text: Any = None

    @classmethod
    def over(cls, structure: Structure, handle: Tensor, initializer: object = None) -> IteratorV1:
        """Makes an iterator over elements of a structure.

        Args:
            structure: of the elements.
            handle: the tensor that an iterator is known by.
            initializer: the operation that starts it.
        """
        made = cls.__new__(cls)
        super(IteratorV1, made).__init__(structure, handle)
        made._initializer, made._text = initializer, None
        return made

    @property
    def initializer(self) -> Any:
        """The operation that starts it.

        Raises:
            ValueError: it has none.
        """
        if self._initializer is None:
            raise ValueError(
                "The iterator does not have an initializer. This means it was likely created using "
                "`tf.data.Dataset.make_one_shot_iterator()`. For an initializable iterator, use "
                "`tf.data.Dataset.make_initializable_iterator()` instead."
            )
        return self._initializer

    def make_initializer(self, dataset: Dataset, name: str | None = None) -> Any:
        """An operation that starts it with a dataset.

        Raises:
            TypeError: the dataset has other elements.
            ValueError: they have another structure.
        """
        mine, theirs = self._structure.spec, dataset.element_spec
        types, given = get_legacy_output_types(self), get_legacy_output_types(dataset)
        assert_same_structure(types, given)
        if types != given:
            raise TypeError(
                f"Expected output types {types!r} but got dataset with output types {given!r}."
            )
        if not is_compatible(mine, theirs):
            raise TypeError(
                "Expected output shapes compatible with "
                f"{get_legacy_output_shapes(self)!r} but got dataset with output shapes "
                f"{get_legacy_output_shapes(dataset)!r}."
            )
        return apply(MAKE_ITERATOR, (dataset.variant_tensor(), self._handle))

    def get_next(self, name: str | None = None) -> Any:
        """The next element, as tensors that each run of a session computes anew."""
        return super().get_next()

    def string_handle(self, name: str | None = None) -> Any:
        """A text that finds it again: the same tensor each time, or a new one of a name."""
        if name is not None:
            return apply(TO_STRING, (self._handle,))
        if self._text is None:
            self._text = apply(TO_STRING, (self._handle,))
        return self._text

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None,
        output_classes: object = None,
    ) -> IteratorV1:  # fmt: skip
        """An iterator over elements of some types, which datasets can start.

        Args:
            output_types: the dtypes of the elements' parts.
            output_shapes: their shapes; any, if None.
            shared_name: a name for it.
            output_classes: not used: parts are tensors.
        """
        structure = Structure(spec_of_parts(output_types, output_shapes))
        return IteratorV1.over(structure, new_session_handle())

    @staticmethod
    def from_string_handle(
        string_handle: Any,
        output_types: Any,
        output_shapes: Any = None,
        output_classes: object = None,
    ) -> IteratorV1:
        """The iterator that a text is for.

        Args:
            string_handle: the text, a tensor.
            output_types: the dtypes of the elements' parts.
            output_shapes: their shapes; any, if None.
            output_classes: not used: parts are tensors.
        """
        structure = Structure(spec_of_parts(output_types, output_shapes))
        text = to_tensor(string_handle, dtypes.string)
        return IteratorV1.over(structure, apply(FROM_STRING, (text,), {"structure": structure}))


def new_session_handle() -> Any:
    """The handle of an iterator that sessions keep."""
    return apply(SESSION_ITERATOR, (), {"shared_name": _name()})


def _name() -> str:
    return f"iterator_{next(_NUMBERS)}"


class DatasetV1(ToldApart, Dataset):
    """A dataset of TF 1 (`tf.compat.v1.data.Dataset`): one that makes iterators for sessions."""

    def make_one_shot_iterator(self) -> Any:
        """An iterator that needs no initializer; see `make_one_shot_iterator`."""
        return make_one_shot_iterator(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """An iterator with an initializer; see `make_initializable_iterator`."""
        return make_initializable_iterator(self, shared_name)

    def map_with_legacy_function(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
    ) -> Any:
        """As `map`."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate: Callable[..., Any]) -> Any:
        """As `filter`."""
        return self.filter(predicate)

    @classmethod
    def from_sparse_tensor_slices(cls, sparse_tensor: Any) -> Any:
        """A dataset of the rows of a sparse tensor."""
        return cls.from_tensor_slices(sparse_tensor)


DatasetV1._kind = DatasetV1


class TextLineDatasetV1(TextLineDataset, DatasetV1):
    """The lines of text files (`tf.compat.v1.data.TextLineDataset`)."""


class TFRecordDatasetV1(TFRecordDataset, DatasetV1):
    """The records of TFRecord files (`tf.compat.v1.data.TFRecordDataset`)."""


class FixedLengthRecordDatasetV1(FixedLengthRecordDataset, DatasetV1):
    """The records of files in which all have one length
    (`tf.compat.v1.data.FixedLengthRecordDataset`).
    """


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """An iterator that starts when it is first asked for
    (`tf.compat.v1.data.make_one_shot_iterator`); in eager mode `iter(dataset)`.

    Raises:
        ValueError: the dataset needs a placeholder or a variable of the graph.
    """
    if not isinstance(dataset, Dataset):  # one for the replicas of a strategy
        return dataset.make_one_shot_iterator()
    if LOCAL.state.target.is_eager:
        return iter(dataset)
    for x in symbols_of(dataset.node):
        _refuse_capture(x)
    handle = new_session_handle()
    started = apply(ONE_SHOT, (handle, dataset.variant_tensor()))
    return IteratorV1.over(dataset.node.structure, started)


def _refuse_capture(x: SymbolicTensor) -> None:
    """Raises ValueError if a tensor depends on a placeholder or a variable."""
    waiting, seen = [x.op], set()
    while waiting:
        node = waiting.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        waiting += [y.op for y in node.inputs]
        if node.type.startswith("Placeholder"):
            raise ValueError(
                f"Cannot capture a placeholder (name:{node.name}, type:{node.type}) by value."
            )
        if node.type == "VarHandleOp":
            raise ValueError(
                f"Cannot capture a stateful node (name:{node.name}, type:{node.type}) by value.: A "
                "likely cause of this error is that the dataset for which you are calling "
                "`make_one_shot_iterator()` captures a stateful object, such as a `tf.Variable` or "
                "`tf.lookup.StaticHashTable`, which is not supported. Use "
                "`make_initializable_iterator()` instead."
            )


def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Any:
    """An iterator that its `initializer` starts (`tf.compat.v1.data.make_initializable_iterator`).

    Raises:
        RuntimeError: in eager mode.
    """
    if not isinstance(dataset, Dataset):  # one for the replicas of a strategy
        return dataset._make_initializable_iterator(shared_name)
    if LOCAL.state.target.is_eager:
        raise RuntimeError(
            "`make_initializable_iterator()` is not supported in eager mode. Use Python-style "
            "iteration instead."
        )
    handle = apply(SESSION_ITERATOR, (), {"shared_name": shared_name or _name()})
    made = IteratorV1.over(dataset.node.structure, handle)
    made._initializer = apply_any(MAKE_ITERATOR, (dataset.variant_tensor(), handle))
    return made


def get_legacy_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of elements' parts (`tf.compat.v1.data.get_output_types`)."""
    return nesting.map_leaves(lambda spec: spec.dtype, dataset_or_iterator.element_spec)


def get_legacy_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of elements' parts (`tf.compat.v1.data.get_output_shapes`)."""
    return nesting.map_leaves(lambda spec: spec.shape, dataset_or_iterator.element_spec)


def get_legacy_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of elements' parts (`tf.compat.v1.data.get_output_classes`)."""
    return nesting.map_leaves(
        lambda spec: getattr(spec, "value_type", Tensor), dataset_or_iterator.element_spec
    )
