"""Datasets for several replicas: one element holds a part for each, on its device."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...base import dtypes
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import Tensor, make_tensor
from ...core.tensor_spec import TensorSpec
from ...core.type_spec import TypeSpec
from ...data.dataset.dataset import Dataset
from ...data.elements.nesting import map_leaves
from ...data.elements.optional import Optional
from ...data.elements.row_parts import no_rows, part_of, row_count
from ...data.elements.structure import (
    KINDS,
    SPECS,
    Element,
    LeafKind,
    Structure,
    kind_of,
    type_spec_from_value,
)
from ...data.iteration.iterator import (
    MAKE_ITERATOR,
    NEW_ITERATOR,
    Incomplete,
    Iterator as DataIterator,
    IteratorState,
    end_of_sequence,
    host_tensor,
)
from ...data.iteration.node import INFINITE, Node, Run
from ...data.library.looping import for_elements
from ...devices.inventory import INVENTORY
from ...graph.autograph.settings import FOR_LOOPS
from ...graph.recording.scopes import current_graph
from ...ops.infer import Spec
from ...ops.op import apply
from ..reductions.cross_device import CommunicationOptions, copied_to
from ..replicas.contexts import current, session_graph
from ..replicas.values import DistributedValues, PerReplica, PerReplicaSpec


class InputReplicationMode(enum.Enum):
    """How many input pipelines there are (`tf.distribute.InputReplicationMode`)."""

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class _InputFields(NamedTuple):
    experimental_fetch_to_device: bool
    experimental_replication_mode: InputReplicationMode
    experimental_place_dataset_on_device: bool
    experimental_per_replica_buffer_size: int


class InputOptions(_InputFields):
    """How a dataset is distributed (`tf.distribute.InputOptions`), a named tuple.

    Args:
        experimental_fetch_to_device: bring each replica's part to its device.
        experimental_replication_mode: one pipeline for all, or one for each replica.
        experimental_place_dataset_on_device: refused where a dataset is distributed.
        experimental_per_replica_buffer_size: not used.
    """

    __slots__ = ()

    def __new__(
        cls,
        experimental_fetch_to_device: bool | None = None,
        experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
        experimental_place_dataset_on_device: bool = False,
        experimental_per_replica_buffer_size: int = 1,
    ) -> InputOptions:
        """Makes them; None brings parts to devices."""
        return super().__new__(
            cls,
            True if experimental_fetch_to_device is None else experimental_fetch_to_device,
            experimental_replication_mode,
            experimental_place_dataset_on_device,
            experimental_per_replica_buffer_size,
        )


class InputContext:
    """Which part of the input a pipeline reads (`tf.distribute.InputContext`).

    Args:
        num_input_pipelines: how many pipelines there are.
        input_pipeline_id: which one this is.
        num_replicas_in_sync: how many replicas there are.
    """

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """A replica's share of a batch.

        Raises:
            ValueError: the batch cannot be shared evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self.num_replicas_in_sync} "
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )


class ValueContext:
    """Which replica a value is made for (`tf.distribute.experimental.ValueContext`).

    Args:
        replica_id_in_sync_group: its number.
        num_replicas_in_sync: how many there are.
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group = replica_id_in_sync_group
        self.num_replicas_in_sync = num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group}, "
            f" total replicas in sync: {self.num_replicas_in_sync})"
        )


# -- elements --------------------------------------------------------------------------------------


class _PerReplica(LeafKind):
    """Values of several replicas as leaves of elements."""

    def components(self, spec: Any) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return tuple(part for each in spec.value_specs for part in Structure(each).components)

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        remaining = iter(tensors)
        made = []
        for each in spec.value_specs:
            structure = Structure(each)
            count = len(structure.components)
            made.append(structure.value(list(itertools.islice(remaining, count))))
        return PerReplica(made)

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return tuple(
            part
            for each in value.values
            for part in Structure(type_spec_from_value(each)).tensors(each)
        )


KINDS[PerReplicaSpec] = _PerReplica()
SPECS[PerReplica] = lambda value: value._type_spec


class Shared(Node):
    """Each element cut into a part for each replica: of b rows the next ceil(b / N) for each.

    Args:
        node: batches for all replicas.
        count: how many replicas there are.
        own: which of them are this worker's; all of them if None.
    """

    label = "RebatchDataset"

    def __init__(self, node: Node, count: int, own: Sequence[int] | None = None) -> None:
        super().__init__(node)
        self.count = count
        self.own = range(count) if own is None else own
        self.cardinality = node.cardinality
        self.structure = Structure(map_leaves(self._spec, node.structure.spec))

    def _spec(self, spec: Any) -> Any:
        rows = rows_known(spec)
        share = rows // self.count if rows and rows % self.count == 0 else None
        kind = kind_of(spec)
        each = kind.batched(kind.unbatched(spec), share) if _has_rows(spec) else spec
        return PerReplicaSpec(*[each] * len(self.own))

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        structure, count = self.input.structure, self.count
        for raws in self.input.start(run):
            parts = structure.split(raws)
            rows = row_count(structure.leaves, parts)
            share = -(-rows // count)
            yield [
                raw
                for (_, spec), part in zip(structure.leaves, parts, strict=True)
                for i in self.own
                for raw in part_of(spec, part, min(i * share, rows), min((i + 1) * share, rows))
            ]


def _has_rows(spec: TensorSpec) -> bool:
    return hasattr(spec, "shape")


def rows_known(spec: TensorSpec) -> int | None:
    """How many rows a leaf of batches has, if that is known.

    Raises:
        IndexError: it is no batch.
    """
    dims = spec.shape.sizes if _has_rows(spec) else None
    if dims is not None and not dims:
        raise IndexError(
            "list index out of range: a dataset that is distributed has batches as elements. Call "
            "`batch(global_batch_size)` first."
        )
    return dims[0] if dims else None


class InTurn(Node):
    """The elements of its input, so many at a time, one for each replica. Of the last ones, where
    there are too few, the missing are empty, or zeros if they have no rows. If all shapes are fixed
    that round is incomplete, which loops of functions and optionals get, and nobody else; if the
    dataset `drops` it, nobody.

    Args:
        node: the elements.
        count: how many replicas there are.
        drops: leave the last ones out in any case.
        keeps: keep them in any case.
    """

    label = "BatchDataset"

    def __init__(self, node: Node, count: int, drops: bool = False, keeps: bool = False) -> None:
        super().__init__(node)
        self.count, self.drops = count, drops
        there = node.cardinality
        self.is_fixed = drops or (
            not keeps
            and all(
                each.dims is not None and None not in each.dims
                for each in node.structure.components
            )
        )
        self.cardinality = there if there < 0 else (
            there // count if self.is_fixed else -(-there // count)
        )  # fmt: skip
        each = _any_rows if keeps else _as_it_is
        self.structure = Structure(
            map_leaves(lambda spec: PerReplicaSpec(*[each(spec)] * count), node.structure.spec)
        )

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        structure, items = self.input.structure, self.input.start(run)
        while True:
            found = [structure.split(raws) for raws in itertools.islice(items, self.count)]
            is_whole = len(found) == self.count
            if not found or (self.drops and not is_whole):
                return
            while len(found) < self.count:
                found.append([
                    no_rows(spec, part)
                    for (_, spec), part in zip(structure.leaves, found[0], strict=True)
                ])  # fmt: skip
            raws = [raw for leaf in zip(*found, strict=True) for part in leaf for raw in part]
            yield Incomplete(raws) if self.is_fixed and not is_whole else raws

    @property
    def rounds(self) -> Structure | None:
        """What loops of functions get, where an incomplete round has no other sizes else."""
        if not self.is_fixed or self.drops:
            return None
        spec = map_leaves(_any_rows, self.input.structure.spec)
        return Structure(map_leaves(lambda leaf: PerReplicaSpec(*[leaf] * self.count), spec))


def _as_it_is(spec: TensorSpec) -> Any:
    return spec


def _any_rows(spec: Any) -> Any:
    """The spec of batches that may be of any size."""
    if not _has_rows(spec) or not spec.shape.rank:
        return spec
    kind = kind_of(spec)
    return kind.batched(kind.unbatched(spec), None)


class _Together(Node):
    """The elements of one input for each replica."""

    label = "ZipDataset"

    def __init__(self, nodes: Sequence[Node]) -> None:
        super().__init__(*nodes)
        sizes = [node.cardinality for node in nodes if node.cardinality != INFINITE]
        self.cardinality = min(sizes) if sizes else INFINITE
        first = nodes[0].structure.spec
        count = len(nodes)
        self.structure = Structure(map_leaves(lambda spec: PerReplicaSpec(*[spec] * count), first))

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        structure = self.inputs[0].structure
        for raws in zip(*[each.start(run) for each in self.inputs], strict=False):
            found = [structure.split(each) for each in raws]
            yield [raw for leaf in zip(*found, strict=True) for part in leaf for raw in part]


# -- what programs hold ----------------------------------------------------------------------------


class DistributedIterator(DataIterator):
    """An iterator over the elements of a distributed dataset (`tf.distribute.DistributedIterator`).

    `devices` are those of the replicas; None leaves elements on the host. `rounds` is the structure
    of elements where incomplete ones are among them, None if there are none.
    """

    def __init__(
        self, structure: Structure, handle: Tensor, devices: tuple[str, ...] | None,
        rounds: Structure | None = None,
    ) -> None:  # fmt: skip
        super().__init__(structure, handle)
        self._devices, self._rounds = devices, rounds

    def _next_round(self) -> Any:
        """The next element, also an incomplete one."""
        if self._rounds is None:
            return self.get_next()
        made = self._components(structure=self._rounds, incomplete=True)
        return self._placed(self._rounds.value(made))

    def get_next_as_optional(self) -> Optional:
        """The next element, if there is one, also an incomplete one."""
        found = super().get_next_as_optional()
        return found if self._rounds is None else Optional(self._rounds.spec, found._variant)

    def _placed(self, element: object) -> Any:
        devices = self._devices
        if devices is None:
            return element
        return map_leaves(lambda leaf: _on(devices, leaf), element)

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
            ValueError: a replica asks: each would take a round of all.
        """
        _refuse_replica()
        return self._placed(super().get_next())

    @property
    def _type_spec(self) -> Any:
        return DistributedIteratorSpec(self.element_spec)

    @property
    def outline(self) -> str:
        """What a trace depends on besides the handle."""
        return f"iterator of {self.element_spec!r} on {self._devices}, {self._rounds is None}"

    def with_components(self, components: Sequence[Any]) -> DistributedIterator:
        """An iterator of the same elements with another handle."""
        return DistributedIterator(self._structure, components[0], self._devices, self._rounds)


def _refuse_replica() -> None:
    context = current()
    if context is not None and context.replica is not None and not context.strategy._is_default:
        raise ValueError(
            "next(iterator) should be called from outside of replica_fn. e.g. "
            "strategy.run(replica_fn, args=(next(iterator),))"
        )


def _on(devices: tuple[str, ...], leaf: object) -> Any:
    if isinstance(leaf, DistributedValues):
        return PerReplica([_copied(n, x) for n, x in zip(devices, leaf.values, strict=True)])
    return _copied(devices[0], leaf)


def _copied(name: str, value: object) -> Any:
    if value is None or isinstance(value, Dataset):
        return value
    return copied_to(name, value)


class OwnedDistributedIterator(DistributedIterator):
    """One of eager mode, with a state of its own."""

    def __init__(
        self, structure: Structure, dataset: Any, devices: tuple[str, ...] | None,
        rounds: Structure | None = None,
    ) -> None:  # fmt: skip
        self._state = state = IteratorState()
        state.begin(dataset)
        super().__init__(structure, host_tensor(state, dtypes.resource), devices, rounds)
        host = INVENTORY.devices()[0]
        self._kinds = [host.kind(each.dtype) for each in structure.components]

    def __next__(self) -> Any:
        if not LOCAL.state.target.is_eager:
            return super().get_next()
        _refuse_replica()
        values = self._state.next()
        if type(values) is Incomplete:
            raise StopIteration
        tensors = list(map(make_tensor, values, self._kinds))
        return self._placed(self._structure.value(tensors))

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        try:
            return self.__next__()
        except StopIteration:
            raise end_of_sequence() from None


class DistributedIteratorSpec(TypeSpec):
    """The type of distributed iterators over elements of one kind."""

    value_type = DistributedIterator

    def __init__(self, element_spec: TypeSpec) -> None:
        self.element_spec = element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return (self.element_spec,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DistributedIteratorSpec) and (
            self.element_spec == other.element_spec
        )

    def __hash__(self) -> int:
        return hash(repr(self.element_spec))

    def __repr__(self) -> str:
        return f"DistributedIteratorSpec({self.element_spec!r})"


class DistributedDataset(CompositeTensor):
    """A dataset whose elements hold a part for each replica (`tf.distribute.DistributedDataset`).

    Args:
        dataset: a dataset of such elements.
        devices: those of the replicas; None leaves elements on the host.
        options: the `InputOptions` that it was made with, for who asks for `_options`, as Keras 2
            does.
    """

    def __init__(
        self, dataset: Dataset, devices: tuple[str, ...] | None, options: InputOptions | None = None
    ) -> None:
        self._dataset = dataset
        self._devices = devices
        self._options = options
        self._rounds: Structure | None = getattr(dataset.node, "rounds", None)

    @property
    def element_spec(self) -> Any:
        """The specs of what an element is made of."""
        return self._dataset.element_spec

    @property
    def cardinality(self) -> int:
        """The number of elements: see `tf.data.Dataset.cardinality`."""
        return self._dataset.node.cardinality

    def __len__(self) -> int:
        return len(self._dataset)

    def __bool__(self) -> bool:
        return True

    def options(self) -> Any:
        """What has been asked of the pipeline."""
        return self._dataset.options()

    def __iter__(self) -> DistributedIterator:
        """An iterator over the elements.

        Raises:
            RuntimeError: a graph of a session takes ops.
        """
        structure, graph = self._dataset.node.structure, current_graph()
        if graph is None:
            INVENTORY.devices()
            dataset = self._dataset.bound_dataset()
            return OwnedDistributedIterator(structure, dataset, self._devices, self._rounds)
        if not graph.is_function:
            raise RuntimeError(
                "__iter__() is only supported inside of tf.function or when eager execution is "
                "enabled."
            )
        handle = apply(NEW_ITERATOR, ())
        apply(MAKE_ITERATOR, (self._dataset.variant_tensor(), handle))
        return DistributedIterator(structure, handle, self._devices, self._rounds)

    @property
    def outline(self) -> str:
        """What a trace depends on besides the tensor."""
        return f"distributed {self._dataset.outline} on {self._devices}, {self._rounds is None}"

    def components(self) -> tuple[Any, ...]:
        """The dataset as a tensor."""
        return self._dataset.components()

    def with_components(self, components: Sequence[Any]) -> DistributedDataset:
        """A dataset of such elements that is in a tensor."""
        made = DistributedDataset(
            self._dataset.with_components(components), self._devices, self._options
        )
        made._rounds = self._rounds
        return made


# Keras knows datasets by the module of their class.
DistributedDataset.__module__ = "tensorflow.python.distribute.input_lib"


def _for_rounds(iter_: Any, *arguments: Any) -> None:
    """A loop over what is left of a distributed dataset, incomplete elements among it."""
    *rest, options = arguments
    if isinstance(iter_, DistributedDataset):  # TF: such loops know no `maximum_iterations`
        iter_ = iter(iter_)
        options = {key: value for key, value in options.items() if key != "maximum_iterations"}
        for_elements(iter_, iter_._next_round, *rest, options, True)
    else:
        for_elements(iter_, iter_._next_round, *rest, options)


FOR_LOOPS[DistributedDataset] = _for_rounds
FOR_LOOPS[DistributedIterator] = _for_rounds


def on_devices(dataset: Any, strategy: Any, splits: bool, options: Any) -> DistributedDataset:
    """A dataset for the replicas of a strategy, each batch cut into parts.

    Raises:
        AttributeError: it is no dataset.
        IndexError: its elements are no batches.
        NotImplementedError: a pipeline for each replica is asked for.
    """
    if not may_distribute(dataset, options):
        return dataset  # type: ignore[no-any-return]
    node: Node = dataset.node
    count = strategy.num_replicas_in_sync
    if splits:
        shared = Shared(node, count)
        node = shared if count > 1 else node
    return distributed(node, strategy, options)


def may_distribute(dataset: object, options: Any) -> bool:
    """Whether a dataset is still to be distributed.

    Raises:
        AttributeError: it is no dataset.
        NotImplementedError: a pipeline for each replica is asked for.
    """
    options = options or InputOptions()
    if options.experimental_replication_mode is InputReplicationMode.PER_REPLICA:
        raise NotImplementedError(
            "InputReplicationMode.PER_REPLICA is only supported in "
            "`distribute_datasets_from_function`."
        )
    if isinstance(dataset, DistributedDataset):
        return False
    if not isinstance(dataset, Dataset):
        raise AttributeError(
            f"{type(dataset).__name__!r} object has no attribute '_variant_tensor': a strategy "
            "distributes a tf.data.Dataset."
        )
    return True


def in_turn(
    made: Dataset, strategy: Any, options: CommunicationOptions | None
) -> DistributedDataset:
    """A dataset for the replicas of a strategy, one element for each in turn."""
    node, count = made.node, strategy.num_replicas_in_sync
    drops = session_graph() is not None  # TF: there a replica finds that there is no more
    return distributed(InTurn(node, count, drops) if count > 1 else node, strategy, options)


def together(made: Sequence[Any], strategy: Any, options: Any) -> DistributedDataset:
    """A dataset for the replicas of a strategy, from one for each."""
    nodes = [each.node for each in made]
    return distributed(_Together(nodes) if len(nodes) > 1 else nodes[0], strategy, options)


def distributed(node: Node, strategy: Any, options: Any) -> DistributedDataset:
    """A dataset whose elements hold a part for each of a strategy's replicas here.

    Raises:
        NotImplementedError: it is to run on a device.
    """
    options = options or InputOptions()
    if getattr(options, "experimental_place_dataset_on_device", False):
        raise NotImplementedError(
            "Datasets run on the host: leave experimental_place_dataset_on_device=False. Their "
            "elements come to the devices of the replicas."
        )
    devices = strategy.replica_devices if options.experimental_fetch_to_device else None
    return DistributedDataset(Dataset.of_node(node), devices, options)
