"""What every dataset is: a node, which may be a tensor; datasets as elements and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from ...base import dtypes
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor
from ...core.type_spec import BatchableTypeSpec
from ...graph.representation.elsewhere import InaccessibleTensorError
from ...ops.infer import Spec
from ...ops.op import CPU_ONLY, apply, op
from ..elements.structure import KINDS, LISTS, SPECS, LeafKind, Structure
from ..iteration.bound import BoundDataset
from ..iteration.iterator import DATASET, host_tensor
from ..iteration.node import UNKNOWN, Node, Run, symbols_of
from ..nodes.transforms import common_spec
from .options import Options

if TYPE_CHECKING:
    from .dataset import Dataset


class DatasetBase(CompositeTensor):
    """A node. `_kind` is the class of what methods return: `Dataset`, made in `dataset.py` of the
    mixins beside this file, each of which holds the methods of one subject.
    """

    _kind: ClassVar[type[Dataset]]
    #: What TensorFlow shows of a dataset that a class of its own makes; "" for the node's label.
    _shown: ClassVar[str] = ""
    node: Node
    # As a tensor of the graph where somebody has asked for that.
    _recorded: Any = None

    def __init__(self, variant_tensor: Any) -> None:
        """Takes a dataset that is in a tensor (`to_variant` makes one); what its elements are made
        of, classes of a program say by `element_spec`.
        """
        self.node = FromVariant(variant_tensor, Structure(self.element_spec))

    @classmethod
    def of_node(cls, node: Node) -> Dataset:
        """A dataset of a node."""
        made = cls._kind.__new__(cls._kind)
        made.node = node
        return made

    @property
    def element_spec(self) -> Any:
        """The specs of what an element is made of, in its structure."""
        return self.node.structure.spec

    def __repr__(self) -> str:
        label = self.node.label
        shown = self._shown or (label if label == "CacheDataset" else f"_{label}")
        return f"<{shown} element_spec={self.element_spec}>"

    # What makes it an element of another dataset, and an argument of functions.

    def bound_dataset(self) -> BoundDataset:
        """The dataset with what its graph's values are, ready to start."""
        node = self.node
        if isinstance(node, FromVariant):
            return node.bound(Run())
        symbols = symbols_of(node)
        if symbols:  # of a graph, and none takes ops: the target says so
            self.variant_tensor()
        return BoundDataset(node, {})

    def variant_tensor(self) -> Any:
        """The dataset as a tensor."""
        node = self.node
        if isinstance(node, FromVariant):
            return node.tensor
        symbols = tuple(symbols_of(node))
        if LOCAL.state.target.is_eager and not symbols:
            return host_tensor(BoundDataset(node, {}), dtypes.variant)
        try:
            self._recorded = apply(DATASET, symbols, {"node": node, "symbols": symbols})
        except InaccessibleTensorError:
            # A dataset of a branch, at which another one looks: who takes this is told.
            if self._recorded is None:
                raise
        return self._recorded

    @property
    def _variant_tensor(self) -> Any:
        return self.variant_tensor()

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    @property
    def outline(self) -> str:
        """What a trace depends on besides the tensor."""
        return f"dataset of {self.element_spec!r}"

    def components(self) -> tuple[Any, ...]:
        """The dataset as a tensor."""
        return (self.variant_tensor(),)

    def with_components(self, components: Sequence[Any]) -> Self:
        """A dataset of such elements that is in a tensor."""
        return cast(Self, self.of_node(FromVariant(components[0], self.node.structure)))


# Libraries tell a dataset by TensorFlow's name for its class, Keras for one.
DatasetBase.__name__ = DatasetBase.__qualname__ = "DatasetV2"
DatasetBase.__module__ = "tensorflow.python.data.ops.dataset_ops"


def options_of(node: Node) -> Options:
    """What has been asked of a pipeline; what was asked last counts."""
    found = Options()
    for each in node.inputs:
        found = found.merge(options_of(each))
    return found if node.options is None else found.merge(node.options)


class FromVariant(Node):
    """A dataset that is in a tensor."""

    label = "VariantDataset"

    def __init__(self, tensor: TensorLike, structure: Structure) -> None:
        super().__init__()
        self.tensor = tensor
        self.structure = structure
        raw = getattr(tensor, "_value", None)
        self.cardinality = raw.number() if isinstance(raw, BoundDataset) else UNKNOWN

    def number_in(self, run: Run) -> int:
        """How many elements the dataset has."""
        return self.bound(run).number(run)

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return [self.tensor]

    def bound(self, run: Run) -> BoundDataset:
        """The dataset."""
        found: BoundDataset = run.raw(self.tensor)
        return found

    def within(self, run: Run) -> list[tuple[Node, Run]]:
        """The pipeline that it stands for."""
        bound = self.bound(run)
        return [(bound.node, bound.run_within(run))]

    def start(self, run: Run) -> Any:
        """Its elements, from the first one."""
        return self.bound(run).start(run)


class DatasetSpec(BatchableTypeSpec):
    """The type of datasets with elements of one kind (`tf.data.DatasetSpec`).

    >>> import emplace.tensorflow as tf
    >>> tf.data.DatasetSpec(tf.TensorSpec([], tf.int64)).is_compatible_with(
    ...     tf.data.Dataset.range(2))
    True
    """

    value_type = DatasetBase

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def shape(self) -> TensorShape:
        """The shape of the tensor that a dataset is in."""
        return self._dataset_shape

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The type of a dataset."""
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return self.element_spec, self._dataset_shape

    def _batch(self, batch_size: int | None) -> DatasetSpec:
        outer = TensorShape([batch_size])
        return DatasetSpec(self.element_spec, outer.concatenate(self._dataset_shape))

    def _unbatch(self) -> DatasetSpec:
        if self._dataset_shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self.element_spec, self._dataset_shape[1:])

    def _to_components(self, value: Any) -> Any:
        """The tensor that a dataset is in."""
        return value.variant_tensor()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DatasetSpec) or self.element_spec != other.element_spec:
            return False
        return self._dataset_shape.sizes == other._dataset_shape.sizes

    def __hash__(self) -> int:
        return hash(repr(self.element_spec))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, {self._dataset_shape!r})"


class NestedVariant:
    """Several datasets of one kind, in a tensor of variants: what batches of datasets are.

    Args:
        tensor: of datasets.
        spec: a `DatasetSpec` with the tensor's shape.
    """

    def __init__(self, tensor: TensorLike, spec: DatasetSpec) -> None:
        self.tensor, self.spec = tensor, spec

    @property
    def element_spec(self) -> Any:
        """What the elements of each dataset are made of."""
        return self.spec.element_spec


def _many_kernel(*datasets: Any) -> Any:
    """Datasets, or arrays of datasets, as one array."""
    found = np.empty((len(datasets), *datasets[0].shape), object)
    for i, each in enumerate(datasets):
        found[i] = each
    return found


def _many_spec(*inputs: Spec) -> Spec:
    dims = inputs[0].dims
    return Spec(None if dims is None else (len(inputs), *dims), dtypes.variant)


MANY = op(
    "DatasetsOf_", "datasets: N * variant -> handle: variant", _many_kernel, _many_spec,
    device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip


def _as_many(values: list[Any]) -> NestedVariant | None:
    """A list of datasets, or of such lists, as one leaf; None for other lists and for datasets of
    different kinds.
    """
    leaves: list[Any] = [_as_many(x) if isinstance(x, list) else x for x in values]
    if not leaves or not all(isinstance(each, (DatasetBase, NestedVariant)) for each in leaves):
        return None
    specs = [each.spec if isinstance(each, NestedVariant) else each._type_spec for each in leaves]
    spec, shape = specs[0].element_spec, specs[0].shape
    for each in specs[1:]:
        if each.shape != shape:
            return None
        try:
            spec = common_spec(spec, each.element_spec)
        except TypeError:
            return None
    tensors = [part for each in leaves for part in KINDS[DatasetSpec].parts(each)]
    if all(isinstance(each, EagerTensor) for each in tensors):
        made: Any = host_tensor(_many_kernel(*[each._value for each in tensors]), dtypes.variant)
    else:
        made = apply(MANY, tuple(tensors), {})
    return NestedVariant(made, DatasetSpec(spec, [len(leaves), *shape]))


class Datasets(LeafKind):
    """Datasets as elements, and tensors of datasets."""

    def components(self, spec: DatasetSpec) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return (Spec(spec.shape.sizes, dtypes.variant),)

    def value(self, spec: DatasetSpec, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        if spec.shape.rank:
            return NestedVariant(tensors[0], spec)
        return DatasetBase._kind.of_node(FromVariant(tensors[0], Structure(spec.element_spec)))

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return (value.tensor if isinstance(value, NestedVariant) else value.variant_tensor(),)

    def batched(self, spec: DatasetSpec, count: int | None) -> Any:
        """The spec of a batch."""
        return DatasetSpec(spec.element_spec, [count, *spec.shape])

    def unbatched(self, spec: DatasetSpec) -> Any:
        """The spec of a row.

        Raises:
            ValueError: it is one dataset.
        """
        if not spec.shape.rank:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(spec.element_spec, spec.shape[1:])

    def stack(self, spec: DatasetSpec, leaves: Any, place: int) -> list[Any]:
        """The components of a batch."""
        return [_many_kernel(*[leaf[0] for leaf in leaves])]

    def rows(self, spec: DatasetSpec, raws: Any) -> list[Any]:
        """The components of each row."""
        return [(row,) for row in raws[0]]


KINDS[DatasetSpec] = Datasets()
SPECS[DatasetBase] = DatasetSpec.from_value
SPECS[NestedVariant] = lambda value: value.spec
LISTS.append(_as_many)
