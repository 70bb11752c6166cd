"""What an element is made of: leaves (tensors, ragged and sparse tensors, nothing, datasets), and
the raw values, its components, that travel through a pipeline.

A `LeafKind` knows one class of leaves. A `Structure` knows an `element_spec`: it takes elements
apart and puts them together. SymbolicValue files enter the kinds of their own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import nest
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, runtime_text
from ...base.typing import TensorLike
from ...core.context import HOST_SCOPE, LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import EagerTensor, Tensor, make_tensor
from ...core.tensor_spec import TensorSpec
from ...core.type_spec import TypeSpec
from ...devices.inventory import INVENTORY
from ...graph.session.values.composites import RaggedTensorValue
from ...ops.array.shaping import identity
from ...ops.convert import to_tensor
from ...ops.extension.batching import batched_spec, unbatched_spec
from ...ops.extension.types import ExtensionType, ExtensionTypeSpec, type_of as extension_spec
from ...ops.infer import Spec
from ...ops.ragged.making import from_nested_row_splits
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensor, SparseTensorSpec, SparseTensorValue
from .nesting import flatten, is_nested, map_leaves, pack_as

Raw = Any  # a torch tensor, a NumPy array of texts, or an object
Element = Sequence[Raw]


class NoneTensorSpec(TypeSpec):
    """The spec of nothing, where an element has a None."""

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """True for None."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


class LeafKind:
    """One class of leaves. `spec` is always of the class that it is entered for."""

    def components(self, spec: Any) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values of a leaf."""
        raise NotImplementedError

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        raise NotImplementedError

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        raise NotImplementedError

    def batched(self, spec: Any, count: int | None) -> Any:
        """The spec of a batch of such leaves."""
        return batched_spec(spec, count)

    def unbatched(self, spec: Any) -> Any:
        """The spec of one of the rows of such a leaf."""
        return unbatched_spec(spec)

    def stack(self, spec: Any, leaves: Sequence[Element], place: int) -> list[Raw]:
        """The components of a batch; `place` is the number of the first component."""
        raise NotImplementedError

    def rows(self, spec: Any, raws: Element) -> list[Element]:
        """The components of each row."""
        raise NotImplementedError


class DenseLeaf(LeafKind):
    """Tensors."""

    def components(self, spec: TensorSpec) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return (Spec(spec.shape.sizes, spec.dtype),)

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        return tensors[0]

    def parts(self, value: object) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return (value,)

    def stack(self, spec: object, leaves: Sequence[Element], place: int) -> list[Raw]:
        """The components of a batch."""
        return [stacked([leaf[0] for leaf in leaves], place)]

    def rows(self, spec: Any, raws: Element) -> list[Element]:
        """The components of each row."""
        return [(row,) for row in rows_of(raws[0])]


def stacked(values: Sequence[Raw], place: int = 0) -> Raw:
    """Raw values of one shape as one.

    Raises:
        InvalidArgumentError: their shapes differ.
    """
    try:
        if isinstance(values[0], torch.Tensor):
            return torch.stack(values)  # type: ignore[arg-type]
        return np.stack(values)
    except (RuntimeError, ValueError):
        first = tuple(values[0].shape)
        for i, value in enumerate(values):
            if tuple(value.shape) != first:
                raise invalid_argument(
                    f"Cannot batch tensors with different shapes in component {place}. First "
                    f"element had shape {runtime_text(first)} and element {i} had shape "
                    f"{runtime_text(tuple(value.shape))}."
                ) from None
        raise


def rows_of(value: Raw) -> Sequence[Raw]:
    """The rows of a raw value."""
    if isinstance(value, torch.Tensor):
        return value.unbind(0)
    return [np.asarray(row, object) for row in value]


class RaggedLeaf(LeafKind):
    """Ragged tensors; without partitions they are tensors whose first size is not known."""

    def components(self, spec: Any) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return tuple(Spec(each.shape.sizes, each.dtype) for each in spec.components())

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        return spec.with_components(tensors)

    def parts(self, value: object) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return value.components() if isinstance(value, RaggedTensor) else (value,)

    def stack(self, spec: Any, leaves: Sequence[Element], place: int) -> list[Raw]:
        """The components of a batch."""
        splits_dtype = spec.row_splits_dtype.torch
        lengths = [len(leaf[0]) if len(leaf) == 1 else len(leaf[1]) - 1 for leaf in leaves]
        sizes = torch.tensor([0, *lengths], dtype=splits_dtype)
        outer = torch.cumsum(sizes, 0).to(splits_dtype)
        inner = []
        for level in range(1, spec.ragged_rank + 1):
            inner.append(_joined_splits([leaf[level] for leaf in leaves], splits_dtype))
        return [_joined([leaf[0] for leaf in leaves]), outer, *inner]

    def rows(self, spec: Any, raws: Element) -> list[Element]:
        """The components of each row."""
        if len(raws) == 1:
            return [(row,) for row in rows_of(raws[0])]
        flat, splits, *inner = raws
        bounds = splits.tolist()
        return [_part(flat, inner, a, b) for a, b in itertools.pairwise(bounds)]


def _part(flat: Raw, splits: Sequence[Raw], start: int, end: int) -> Element:
    """The rows from `start` to `end` of something ragged."""
    kept = []
    for each in splits:
        part = each[start : end + 1]
        start, end = int(part[0]), int(part[-1])
        kept.append(part - start)
    return (flat[start:end], *kept)


def _joined(values: Sequence[Raw]) -> Raw:
    if isinstance(values[0], torch.Tensor):
        return torch.cat(values)  # type: ignore[arg-type]
    return np.concatenate(values)


def _joined_splits(parts: Sequence[Raw], dtype: Any) -> Raw:
    found, end = [torch.zeros(1, dtype=dtype)], 0
    for part in parts:
        found.append(part[1:] + end)
        end += int(part[-1])
    return torch.cat(found)


def _ragged_spec(value: RaggedTensor) -> RaggedTensorSpec:
    if value.flat_values.shape.rank is not None:
        return RaggedTensorSpec.from_value(value)
    return RaggedTensorSpec(None, value.dtype, value.ragged_rank, value.row_splits.dtype)


class SparseLeaf(LeafKind):
    """Sparse tensors."""

    def components(self, spec: Any) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return tuple(Spec(each.shape.sizes, each.dtype) for each in spec.components())

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        made = SparseTensor(*tensors)
        if not isinstance(tensors[0], EagerTensor):
            made.set_shape(spec.shape)
        return made

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return (value.indices, value.values, value.dense_shape)

    def stack(self, spec: object, leaves: Sequence[Element], place: int) -> list[Raw]:
        """The components of a batch."""
        shapes = torch.stack([leaf[2] for leaf in leaves])
        indices = []
        for i, leaf in enumerate(leaves):
            first = torch.full((len(leaf[0]), 1), i, dtype=torch.int64)
            indices.append(torch.cat([first, leaf[0]], 1))
        count = torch.tensor([len(leaves)], dtype=torch.int64)
        dense_shape = torch.cat([count, shapes.amax(0)])
        return [torch.cat(indices), _joined([leaf[1] for leaf in leaves]), dense_shape]

    def rows(self, spec: Any, raws: Element) -> list[Element]:
        """The components of each row."""
        indices, values, shape = raws
        bounds = torch.searchsorted(
            indices[:, 0].contiguous(), torch.arange(int(shape[0]) + 1)
        ).tolist()
        return [(indices[a:b, 1:], values[a:b], shape[1:]) for a, b in itertools.pairwise(bounds)]


class Extension(LeafKind):
    """The program's own types."""

    def components(self, spec: Any) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        below = nest.flatten(spec, expand_composites=True)
        return tuple(Spec(each.shape.sizes, each.dtype) for each in below)

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        return nest.pack_sequence_as(spec, list(tensors), expand_composites=True)

    def parts(self, value: object) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return tuple(nest.flatten(value, expand_composites=True))


class Nothing(LeafKind):
    """None."""

    def components(self, spec: object) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return ()

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        return None

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return ()

    def batched(self, spec: Any, count: int | None) -> Any:
        """The spec of a batch."""
        return spec

    def unbatched(self, spec: Any) -> Any:
        """The spec of a row."""
        return spec

    def stack(self, spec: object, leaves: Sequence[Element], place: int) -> list[Raw]:
        """The components of a batch."""
        return []

    def rows(self, spec: Any, raws: Element) -> list[Element]:
        """The components of each row."""
        return []


KINDS: dict[type, LeafKind] = {
    TensorSpec: DenseLeaf(), RaggedTensorSpec: RaggedLeaf(), SparseTensorSpec: SparseLeaf(),
    NoneTensorSpec: Nothing(), ExtensionTypeSpec: Extension(),
}  # fmt: skip

#: The spec of a leaf, by its class; classes below a class are found too.
SPECS: dict[type, Callable[[Any], Any]] = {
    RaggedTensor: _ragged_spec,
    SparseTensor: lambda value: SparseTensorSpec(value.shape, value.dtype),
    ExtensionType: extension_spec,
    type(None): lambda value: NoneTensorSpec(),
    Tensor: lambda value: TensorSpec(value.shape, value.dtype),
}


#: What else makes one leaf of a list; each returns None for other lists.
LISTS: list[Callable[[list[Any]], Any]] = []


def leaf_spec(value: Tensor) -> Any:
    """The spec of a leaf.

    Raises:
        TypeError: elements have no such leaves.
    """
    for kind, make in SPECS.items():
        if isinstance(value, kind):
            return make(value)
    raise TypeError(f"Could not build a `TypeSpec` for {value!r} with type {type(value).__name__}")


def type_spec_from_value(value: TensorLike) -> Any:
    """The spec of a tensor, a composite, a dataset or an iterator, or of what becomes a tensor
    (`tf.type_spec_from_value`).

    Raises:
        TypeError: the value has no spec.

    >>> import emplace.tensorflow as tf
    >>> tf.type_spec_from_value([1, 2])
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    own = getattr(value, "_type_spec", None)
    if own is None and isinstance(value, (np.ndarray, np.generic)):  # no op of a graph for that
        return TensorSpec(value.shape, value.dtype)
    return leaf_spec(_as_leaf(value)) if own is None else own


def spec_of(value: object) -> Any:
    """The specs of the leaves of an element, in its structure."""
    return map_leaves(leaf_spec, value)


def to_element(value: object) -> Any:
    """A value of the program as an element: its leaves as tensors of the host."""
    return _on_host(lambda: map_leaves(_as_leaf, value))


def with_tensors(value: object) -> Any:
    """A value of the program with tensors as leaves: its own ones where they are."""
    return _on_host(lambda: map_leaves(_with_tensors, value))


def one_tensor(value: Any, dtype: Any = None) -> Any:
    """A value of the program as one tensor of the host.

    Raises:
        ValueError, TypeError: as `to_tensor`.
    """
    return _on_host(lambda: _as_leaf(to_tensor(value, dtype)))


def _on_host(make: Callable[[], Any]) -> Any:
    state = LOCAL.state
    scope = state.scope
    if state.target.is_eager:
        INVENTORY.devices()
        state.scope = HOST_SCOPE
    try:
        return make()
    finally:
        state.scope = scope


def _with_tensors(value: Any) -> Any:
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if isinstance(value, RaggedTensorValue):
        return from_nested_row_splits(value.flat_values, value.nested_row_splits)
    if any(isinstance(value, kind) for kind in SPECS if kind is not Tensor):
        return value
    if isinstance(value, list):
        found = next((made for make in LISTS if (made := make(value)) is not None), None)
        if found is not None:
            return found
    return to_tensor(value)


def _as_leaf(value: Any) -> Any:
    tensor = _with_tensors(value)
    if isinstance(tensor, EagerTensor) and tensor._kind.device.type != "CPU":
        tensor = identity(tensor)
    return tensor


class Structure:
    """How elements of one `element_spec` are made of components.

    `leaves` are pairs of a kind and a spec, `components` the shapes and dtypes of the raw values.
    """

    __slots__ = ("components", "counts", "leaves", "spec")

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        specs = flatten(spec)
        self.leaves = [(kind_of(each), each) for each in specs]
        parts = [kind.components(each) for kind, each in self.leaves]
        self.counts = [len(each) for each in parts]
        self.components: tuple[Spec, ...] = tuple(x for each in parts for x in each)

    @property
    def is_dense(self) -> bool:
        """Whether all leaves are tensors."""
        return all(isinstance(kind, DenseLeaf) for kind, _ in self.leaves)

    def split(self, parts: Sequence[Any]) -> list[Sequence[Any]]:
        """Components, sorted by the leaves that they belong to."""
        found, at = [], 0
        for count in self.counts:
            found.append(parts[at : at + count])
            at += count
        return found

    def value(self, tensors: Sequence[Any]) -> Any:
        """An element, made of tensors."""
        leaves = [
            kind.value(spec, part)
            for (kind, spec), part in zip(self.leaves, self.split(tensors), strict=True)
        ]
        return pack_as(self.spec, leaves)

    def tensors(self, element: Any) -> list[Any]:
        """The tensors that an element is made of."""
        leaves = flatten(element)
        return [
            part
            for (kind, _), leaf in zip(self.leaves, leaves, strict=True)
            for part in kind.parts(leaf)
        ]

    def packer(self, device: Any = None) -> Callable[[Element], Any]:
        """A function that makes elements of raw values of a device, or of the host."""
        host = INVENTORY.devices()[0]
        kinds = [
            (host if device is None or each.dtype.torch is None else device).kind(each.dtype)
            for each in self.components
        ]
        if self.spec.__class__ is TensorSpec:
            only = kinds[0]

            def one(raws: Element) -> Any:
                tensor = EagerTensor()
                tensor._value, tensor._kind = raws[0], only
                tensor._origin = tensor._dims = None
                return tensor

            return one
        if self.is_dense and type(self.spec) is tuple and not any(map(is_nested, self.spec)):
            return lambda raws: tuple(map(make_tensor, raws, kinds))
        return lambda raws: self.value(list(map(make_tensor, raws, kinds)))

    def batched(self, count: int | None) -> Structure:
        """Of batches of such elements."""
        return Structure(map_leaves(lambda spec: kind_of(spec).batched(spec, count), self.spec))

    def unbatched(self) -> Structure:
        """Of the rows of such elements."""
        return Structure(map_leaves(lambda spec: kind_of(spec).unbatched(spec), self.spec))

    def stacker(self) -> Callable[[Sequence[Element]], Element]:
        """A function that makes a batch of elements, all raw."""
        if self.is_dense:
            return self._stack_dense
        return self._stack

    def _stack_dense(self, elements: Sequence[Element]) -> Element:
        return [stacked(column, i) for i, column in enumerate(zip(*elements, strict=True))]

    def _stack(self, elements: Sequence[Element]) -> Element:
        found: list[Raw] = []
        divided = [self.split(element) for element in elements]
        for i, (kind, spec) in enumerate(self.leaves):
            found += kind.stack(spec, [each[i] for each in divided], len(found))
        return found

    def rows(self, raws: Element) -> list[Element]:
        """The components of each row of an element.

        Raises:
            InvalidArgumentError: leaves have different numbers of rows.
        """
        columns = [
            kind.rows(spec, part)
            for (kind, spec), part in zip(self.leaves, self.split(raws), strict=True)
            if not isinstance(kind, Nothing)
        ]
        sizes = sorted({len(column) for column in columns})
        if len(sizes) > 1:
            raise invalid_argument(
                "Input components must have the same number of rows, got components with "
                f"{' and '.join(map(str, sizes))} rows."
            )
        return [[raw for part in row for raw in part] for row in zip(*columns, strict=True)]


def kind_of(spec: TensorSpec | TypeSpec) -> LeafKind:
    """What knows the leaves of a spec.

    Raises:
        TypeError: elements have no such leaves.
    """
    found = next((KINDS[each] for each in type(spec).__mro__ if each in KINDS), None)
    if found is None:
        raise TypeError(f"{spec!r} is no spec of an element: use a tf.TensorSpec or another spec.")
    return found


def known_count(shapes: Sequence[TensorShape]) -> int | None:
    """The number of rows that some shapes say, if one of them does.

    Raises:
        ValueError: they say different ones.
    """
    found = None
    for shape in shapes:
        size = shape[0] if shape.rank else None
        if size is not None and found is not None and size != found:
            raise ValueError(f"Dimensions {found} and {size} are not compatible")
        found = size if found is None else found
    return found


def is_compatible(spec: object, other: object) -> bool:
    """Whether elements of `other` are elements of `spec`."""
    mine, theirs = flatten(spec), flatten(other)
    return len(mine) == len(theirs) and all(
        type(a) is type(b) and a.is_compatible_with(b) for a, b in zip(mine, theirs, strict=True)
    )
