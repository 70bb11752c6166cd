"""The methods that choose among elements, put them in another order, or keep them at hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.typing import IntLike, PathLike, TensorLike
from ...ops.random.stateful import host_seeds
from ..elements.structure import one_tensor
from ..iteration.node import AUTOTUNE, UNKNOWN, parameter
from ..nodes.selecting import Repeat, Shard, Shuffle, Skip, Take
from ..nodes.sources import Tensors
from ..nodes.storing import Cache, Snapshot, Stored, save
from ..nodes.threads import Prefetch
from ..nodes.transforms import Concatenate, UniqueElements, Zip
from .base import DatasetBase
from .creating import Creating, read_by


class Choosing(Creating):
    """Chooses among elements."""

    def take(self, count: IntLike, name: str | None = None) -> Any:
        """The first `count` elements; all of them for -1 (`tf.data.Dataset.take`).

        >>> [int(x) for x in Creating.range(9).take(2)]
        [0, 1]
        """
        return self._made(Take(self._node, parameter(count)))

    def skip(self, count: IntLike, name: str | None = None) -> Any:
        """The elements behind the first `count`; none for -1 (`tf.data.Dataset.skip`).

        >>> [int(x) for x in Creating.range(4).skip(2)]
        [2, 3]
        """
        return self._made(Skip(self._node, parameter(count)))

    def shard(self, num_shards: IntLike, index: IntLike, name: str | None = None) -> Any:
        """One of `num_shards` equal parts: element `index` and every `num_shards`-th behind it
        (`tf.data.Dataset.shard`).

        Raises:
            InvalidArgumentError: there is no such part.

        >>> [int(x) for x in Creating.range(7).shard(3, 1)]
        [1, 4]
        """
        return self._made(Shard(self._node, parameter(num_shards), parameter(index)))

    def repeat(self, count: IntLike | None = None, name: str | None = None) -> Any:
        """All elements `count` times; without an end for None and -1 (`tf.data.Dataset.repeat`).

        >>> [int(x) for x in Creating.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._made(Repeat(self._node, -1 if count is None else parameter(count)))

    def shuffle(
        self,
        buffer_size: IntLike,
        seed: IntLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Any:
        """The elements in a random order (`tf.data.Dataset.shuffle`).

        Args:
            buffer_size: each element is drawn from the next `buffer_size`; as many as there are,
                or `tf.data.UNKNOWN_CARDINALITY`, mix perfectly.
            seed: makes the order repeatable; with it and `tf.random.set_seed` the order is a
                function of both, of `buffer_size`, and of the number of the pass.
            reshuffle_each_iteration: whether each pass has another order.
            name: not used.

        Raises:
            InvalidArgumentError: `buffer_size` is not positive.

        >>> sorted(int(x) for x in Creating.range(3).shuffle(3))
        [0, 1, 2]
        """
        size = parameter(buffer_size)
        if isinstance(size, int) and size < 1 and size != UNKNOWN:
            raise invalid_argument(
                "buffer_size must be greater than zero or UNKNOWN_CARDINALITY "
                "[Op:ShuffleDatasetV3] name: "
            )
        changes = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        return self._made(Shuffle(self._node, size, host_seeds(_plain(seed)), changes))

    def prefetch(self, buffer_size: IntLike, name: str | None = None) -> Any:
        """The elements, made in advance by a thread (`tf.data.Dataset.prefetch`).

        Args:
            buffer_size: how many may be ready; `tf.data.AUTOTUNE` leaves that to us.
            name: not used.

        Raises:
            InvalidArgumentError: `buffer_size` is below -1.

        >>> [int(x) for x in Creating.range(3).prefetch(1)]
        [0, 1, 2]
        """
        size = parameter(
            AUTOTUNE if buffer_size is None else buffer_size, AUTOTUNE,
            "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning "
            "[Op:PrefetchDataset] name: ",
        )  # fmt: skip
        return self._made(Prefetch(self._node, size))

    def concatenate(self, dataset: DatasetBase, name: str | None = None) -> Any:
        """The elements of this dataset, then those of another (`tf.data.Dataset.concatenate`).

        Raises:
            TypeError: they have elements of different kinds.

        >>> [int(x) for x in Creating.range(2).concatenate(Creating.range(1))]
        [0, 1, 0]
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError(
                "Invalid `dataset`. `dataset` should be a `tf.data.Dataset` but is "
                f"{type(dataset)}."
            )
        return self._made(Concatenate(self._node, dataset._node))

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Any:
        """The elements with their numbers (`tf.data.Dataset.enumerate`).

        >>> [(int(i), int(x)) for i, x in Creating.range(5, 7).enumerate(start=1)]
        [(1, 5), (2, 6)]
        """
        numbers = Creating.range(start, _MOST)._node
        marks = (None, None)
        return self._made(Zip([numbers, self._node], marks))

    def unique(self, name: str | None = None) -> Any:
        """Each element once (`tf.data.Dataset.unique`).

        >>> [int(x) for x in Creating.from_tensor_slices([1, 2, 1]).unique()]
        [1, 2]
        """
        return self._made(UniqueElements(self._node))

    def cache(self, filename: PathLike = "", name: str | None = None) -> Any:
        """The elements of the first complete pass, kept for later ones
        (`tf.data.Dataset.cache`).

        Args:
            filename: the beginning of the name of a file for them; "" for memory.
            name: not used.

        >>> dataset = Creating.range(3).cache()
        >>> [int(x) for x in dataset] == [int(x) for x in dataset]
        True
        """
        file = one_tensor(_path(filename), dtypes.string)
        if file.shape.rank not in (0, None):
            raise invalid_argument("filename must be a scalar [Op:CacheDatasetV2] name: ")
        return self._made(Cache(self._node, file))

    def snapshot(
        self, path: str, compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """The elements of the first complete pass, kept in a folder for later programs too
        (`tf.data.Dataset.snapshot`).

        Args:
            path: the folder.
            compression: "GZIP", or another word for none.
            reader_func: makes the dataset of later passes of a dataset of datasets; there is one.
            shard_func: not needed: there is one file.
            name: not used.
        """
        folder, packing = _path(path), _packing(compression)
        reader = None
        if reader_func is not None:
            files = self._made(Stored(folder, packing, self._node.structure))
            reader = read_by(reader_func, self._made(Tensors(files)))._node
        return self._made(Snapshot(self._node, folder, packing, reader))

    def save(
        self, path: str, compression: str | None = None,
        shard_func: Callable[..., Any] | None = None, checkpoint_args: object = None,
    ) -> None:  # fmt: skip
        """Writes the elements to a folder, for `load` (`tf.data.Dataset.save`).

        Args:
            path: the folder.
            compression: "GZIP" or None.
            shard_func: not needed: there is one file.
            checkpoint_args: not used.
        """
        elements = self._bound().start()
        save(_path(path), self._node.structure, elements, _packing(compression))


def _path(path: PathLike) -> Any:
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _packing(compression: str | None) -> str:
    return "GZIP" if compression == "GZIP" else ""


_MOST = 2**63 - 1


def _plain(seed: Any) -> int | None:
    if seed is None or isinstance(seed, int):
        return seed
    return int(seed)
