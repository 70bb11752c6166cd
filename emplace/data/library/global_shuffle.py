"""All elements of a dataset in a random order that nobody writes down: each is found by its number,
so the order needs no buffer, and a position in it is a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import torch

from ...base.errors import FailedPreconditionError, invalid_argument
from ...base.typing import IntLike
from ...core.context import LOCAL
from ...ops.random.index_shuffle import index_shuffle_kernel
from ..dataset.base import FromVariant
from ..dataset.dataset import Dataset
from ..elements.structure import Element
from ..iteration.devices import OnDevice
from ..iteration.memory import nodes_of
from ..iteration.node import INFINITE, Node, Numbers, Returned, Rows, Run, as_many, known
from ..iteration.position import Placed, changed, in_pieces
from ..iteration.seeds import Samples, given_seeds, needed_for, next_pass, seeds_of
from ..nodes.batching import Batch
from ..nodes.mixing import Counted
from ..nodes.selecting import Repeat, Shard, Skip, Take
from ..nodes.sources import Range, Slices, Tensors, elements_of
from ..nodes.storing import Cache
from ..nodes.threads import Prefetch
from ..nodes.transforms import Concatenate, Map, Passed, Zip
from .access import FINDERS, Find, finder

_ROUNDS = 8
_BLOCK = 1024
_WORDS = 4  # that a pass draws: three are a key
_LOW = (1 << 32) - 1

Key = list[int]


class GlobalShuffle(Node):
    """The elements in an order of their numbers.

    Args:
        node: the elements.
        seeds: what the order is a function of; None for orders that nobody can repeat.
        changes: whether each pass has another order.
    """

    label = "GlobalShuffleDataset"
    counted = as_many

    def __init__(self, node: Node, seeds: Any, changes: bool) -> None:
        super().__init__(node)
        self.seeds, self.changes = seeds, changes
        self.structure = node.structure
        self.cardinality = node.cardinality

    def needs(self) -> list[Any]:
        """The tensors that it needs besides its inputs."""
        return needed_for(self.seeds)

    def settle(self, run: Run) -> None:
        """Draws the seeds."""
        seeds_of(run, self)

    def skip(self, run: Run) -> None:
        """Counts a pass that nobody goes through."""
        self.key_of_pass(run)

    def key_of_pass(self, run: Run) -> Key:
        """The key of the order of the next pass."""
        return self.key(run, next_pass(run, self) if self.changes else 0)

    def key(self, run: Run, number: int) -> Key:
        """The key of the order of a pass with a number."""
        seeds = seeds_of(run, self)
        if self.changes:
            drawn: Key = Samples(seeds, _WORDS * number).take(3).tolist()
            return drawn
        first, second = seeds[0] & _LOW, seeds[1] >> 64 & _LOW
        return [first, second, first]

    def start(self, run: Run) -> Iterator[Element]:
        """Its elements, from the first one."""
        check_finite(self.input, run)
        rows = self.rows(run)
        return _Found(self, run) if rows is None else elements_of(rows)

    def rows(self, run: Run) -> Rows | None:
        """Its elements as rows of tensors, if that is what they are."""
        rows = self.input.rows(run)
        if rows is None or rows.whole is None:
            return None
        order = in_pieces(_Places(rows.whole, lambda: [self.key_of_pass(run)]))
        return Rows(rows.columns, order, None, rows.steps)


def permuted(places: Sequence[int] | range, key: Key, count: int) -> list[int]:
    """Where a key sends the numbers of some of `count` elements.

    TF: where the largest number is a power of 4, from 4**8 on, it goes where 0 goes, and one
    element comes twice in the place of another. Here it stays where it is.
    """
    last = count - 1
    stays = last >= _LEAST_LOST and last & last - 1 == 0 and last.bit_length() % 2 == 1
    asked = torch.tensor([0 if stays and place == last else place for place in places])
    made = index_shuffle_kernel(
        asked, torch.tensor(key), torch.tensor(last), rounds=_ROUNDS
    ).tolist()
    if stays:
        made = [last if place == last else at for place, at in zip(places, made, strict=True)]
    found: list[int] = made
    return found


_LEAST_LOST = 4**8


class _Places(Placed):
    """Hands out the numbers of elements, in blocks.

    Args:
        count: how many elements there are.
        draw: draws the keys of the pass: that of this order is the first one.
    """

    __slots__ = ("_at", "_count", "_draw", "_keys", "_left", "_size")

    def __init__(self, count: int, draw: Callable[[], list[Key]]) -> None:
        self._count, self._draw = count, draw
        self._at = self._size = 0
        self._keys: list[Key] | None = None
        self._left: list[int] = []  # the next one last

    def keys(self) -> list[Key]:
        """The keys of the pass."""
        if self._keys is None:
            self._keys = self._draw()
        return self._keys

    def __next__(self) -> Iterator[int]:
        self._at, self._size, self._left = self._at + self._size, 0, []
        if self._at >= self._count:
            raise StopIteration
        end = min(self._at + _BLOCK, self._count)
        self._left = permuted(range(self._at, end), self.keys()[0], self._count)[::-1]
        self._size = end - self._at
        return _popped(self._left)

    def save(self) -> dict[str, Any]:
        """Its position."""
        return {"at": self._at + self._size - len(self._left), "keys": self._keys}

    def restore(self, parts: dict[str, Any]) -> None:
        """Takes a position."""
        if parts["at"] > self._count:
            raise changed(f"{parts['at']} elements where there are now {self._count}")
        self._at, self._keys = parts["at"], parts["keys"]


def _popped(items: list[int]) -> Iterator[int]:
    while items:
        yield items.pop()


class _Found(Placed):
    """Elements, each found by its number."""

    __slots__ = ("_find", "_node", "_run", "places")
    position: ClassVar[tuple[str, ...]] = ("places",)

    def __init__(self, node: GlobalShuffle, run: Run) -> None:
        self._node, self._run = node, run
        self._find: Find | None = None
        self.places = in_pieces(_Places(node.input.number_in(run), self._drawn))

    def _within(self) -> list[tuple[GlobalShuffle, Run]]:
        """The orders that it puts in another order, too."""
        return [
            (node, run)
            for node, run in nodes_of(self._node.input, self._run)
            if isinstance(node, GlobalShuffle)
        ]

    def _drawn(self) -> list[Key]:
        pairs = [(self._node, self._run), *self._within()]
        return [node.key_of_pass(run) for node, run in pairs]

    def __next__(self) -> Element:
        place = next(self.places)
        if self._find is None:
            keys = self.places.owner.keys()[1:]
            named = {id(node): key for (node, _), key in zip(self._within(), keys, strict=True)}
            run = self._run
            self._find = finder(
                self._node.input, _WithKeys(named, run.bindings, run.kept, run.draws)
            )
        found = self._find(place)
        if found is None:
            raise StopIteration
        return found


class _WithKeys(Run):
    """A pass with the keys of the orders that it goes through."""

    __slots__ = ("keys",)

    def __init__(self, keys: dict[int, Key], *args: Any) -> None:
        super().__init__(*args)
        self.keys = keys

    def within(self, *args: Any) -> Run:
        """The run of a pipeline that a function of this one made."""
        inner = super().within(*args)
        return _WithKeys(self.keys, inner.bindings, inner.kept, inner.draws)


def _shuffled(node: GlobalShuffle, run: Run) -> Find:
    """Finds an element by its number: of the first order, where no pass has drawn another."""
    key = run.keys[id(node)] if isinstance(run, _WithKeys) else node.key(run, 0)
    find, count = finder(node.input, run), node.input.number_in(run)
    return lambda place: find(permuted([place], key, count)[0])


FINDERS[GlobalShuffle] = _shuffled

# -- what may be put in another order --------------------------------------------------------------

_BY_NUMBER = (
    Range, Slices, Tensors, Map, Take, Skip, Shard, Repeat, Batch, Prefetch, Cache, Zip,
    Concatenate, Passed, Counted, FromVariant, Returned, GlobalShuffle,
)  # fmt: skip
_VERSIONS = {
    "ShuffleDataset": "ShuffleDatasetV3",
    "PaddedBatchDataset": "PaddedBatchDatasetV2",
    "RebatchDataset": "RebatchDatasetV2",
    "SnapshotDataset": "SnapshotDatasetV2",
    "CopyToDeviceDataset": "GeneratorDataset",
    "CounterDataset": "ScanDataset",
}


def _refusal(node: Node, number: Numbers) -> str | None:
    """Why elements of a node cannot be found by their numbers, as TensorFlow says it."""
    match node:
        case Node(label="FlatMapDataset"):
            return (
                "UNIMPLEMENTED: Please consider applying maps on each dataset, concatenating them "
                "into one dataset and apply global shuffle dataset op onto the dataset to achieve "
                "the same result as flat map with global shuffling."
            )
        case Repeat() if (times := number(node.count)) is not None and times <= 0:
            shown = 0 if times == 0 else -1
            return _cannot(f"`repeat({shown})` does not support random access of tf.data datasets.")
        case Skip() if (count := number(node.count)) is not None and count < 0:
            return _cannot(
                "Global shuffling does not support empty dataset or skipping the entire dataset. "
                f"Got skip({count})."
            )
        case Batch() if not node.drops:
            return _cannot(
                "BatchDatasetV2 does not support global shuffling with `drop_remainder=False`."
            )
        case Cache() if not node.is_in_memory:
            return _cannot("CacheDatasetV2 does not support random access.")
        case OnDevice():
            return _cannot("GeneratorDataset does not support random access.")
    if isinstance(node, _BY_NUMBER):
        found = (_refusal(each, number) for each in node.inputs)
        return next((reason for reason in found if reason is not None), None)
    return _cannot(f"{_VERSIONS.get(node.label, node.label)} does not support random access.")


def _cannot(why: str) -> str:
    return f"FAILED_PRECONDITION: {why}"


def check_order(node: Node) -> None:
    """Raises an error where it is known by now that a node's elements cannot be put in order.

    Raises:
        FailedPreconditionError: its elements cannot be found by their numbers.
        InvalidArgumentError: it has none, or nobody knows how many.
    """
    reason = _refusal(node, known)
    if reason is not None:
        raise FailedPreconditionError(
            None, None,
            "`global_shuffle` requires all upstream transformations be compatible with random "
            f"access. Got: {reason} [Op:GlobalShuffleDataset] name: ",
        )  # fmt: skip


def check_finite(node: Node, run: Run) -> None:
    """Raises InvalidArgumentError unless a run tells how many elements there are, and some are."""
    count = node.number_in(run)
    if count <= 0:
        raise invalid_argument(
            "`global_shuffle` requires the input dataset to have a non-empty finite cardinality. "
            f"Got cardinality {count} for dataset OptionsDatasetOp::Dataset "
            "[Op:GlobalShuffleDataset] name: "
        )


def global_shuffle(
    input_dataset: Dataset, seed: IntLike | None = None, reshuffle_each_iteration: bool = True,
    name: str | None = None,
) -> Dataset:  # fmt: skip
    """Puts all elements in a random order without a buffer (TensorFlow's private
    `_global_shuffle`): each is found by its number.

    Args:
        input_dataset: the elements: rows, ranges, and what `map`, `batch`, `take`, `zip` and other
            transformations make of them that need no elements before one.
        seed: makes the order repeatable; it is TensorFlow's.
        reshuffle_each_iteration: whether each pass has another order.
        name: not used.

    Raises:
        FailedPreconditionError: elements cannot be found by their numbers.
        InvalidArgumentError: there are none, or nobody knows how many.

    >>> sorted(int(x) for x in global_shuffle(Dataset.range(4), seed=1))
    [0, 1, 2, 3]
    """
    node = input_dataset.node
    check_order(node)
    if LOCAL.state.target.is_eager or node.cardinality == INFINITE:
        check_finite(node, Run())
    shuffled = GlobalShuffle(node, given_seeds(seed), bool(reshuffle_each_iteration))
    return input_dataset.of_node(shuffled)
