"""The methods that keep elements at hand: made in advance, in memory, in files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.errors import invalid_argument
from ....base.typing import IntLike, PathLike
from ...elements.structure import one_tensor
from ...iteration.node import AUTOTUNE, parameter
from ...nodes.sources import Tensors
from ...nodes.storing import Cache, Load, Snapshot, Stored, save
from ...nodes.threads import Prefetch
from ..base import DatasetBase

if TYPE_CHECKING:
    from ..dataset import Dataset


class Storing(DatasetBase):
    """Keeps elements at hand."""

    def prefetch(self, buffer_size: IntLike, name: str | None = None) -> Dataset:
        """Makes the elements in advance, by a thread (`tf.data.Dataset.prefetch`).

        Args:
            buffer_size: how many may be ready; `tf.data.AUTOTUNE` leaves that to us.
            name: not used.

        Raises:
            InvalidArgumentError: `buffer_size` is below -1.

        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(1)]
        [0, 1, 2]
        """
        size = parameter(
            AUTOTUNE if buffer_size is None else buffer_size, AUTOTUNE,
            "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning "
            "[Op:PrefetchDataset] name: ",
        )  # fmt: skip
        return self.of_node(Prefetch(self.node, size))

    def cache(self, filename: PathLike = "", name: str | None = None) -> Dataset:
        """Keeps the elements of the first complete pass for later ones
        (`tf.data.Dataset.cache`).

        Args:
            filename: the beginning of the name of a file for them; "" for memory.
            name: not used.

        >>> dataset = tf.data.Dataset.range(3).cache()
        >>> [int(x) for x in dataset] == [int(x) for x in dataset]
        True
        """
        file = one_tensor(_path(filename), dtypes.string)
        if file.shape.rank not in (0, None):
            raise invalid_argument("filename must be a scalar [Op:CacheDatasetV2] name: ")
        return self.of_node(Cache(self.node, file))

    def snapshot(
        self, path: str, compression: str | None = "AUTO",
        reader_func: Callable[..., Any] | None = None,
        shard_func: Callable[..., Any] | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Keeps the elements of the first complete pass in a folder, for later programs too
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
            files = self.of_node(Stored(folder, packing, self.node.structure))
            reader = read_by(reader_func, self.of_node(Tensors(files))).node
        return self.of_node(Snapshot(self.node, folder, packing, reader))

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
        elements = self.bound_dataset().start()
        save(_path(path), self.node.structure, elements, _packing(compression))

    @classmethod
    def load(
        cls, path: str, element_spec: Any = None, compression: str | None = None,
        reader_func: Callable[..., Any] | None = None, wait: bool = False,
    ) -> Dataset:  # fmt: skip
        """Reads a dataset that `save` has written (`tf.data.Dataset.load`).

        Args:
            path: the folder.
            element_spec: not needed.
            compression: "GZIP" if it was saved so.
            reader_func: makes a dataset of elements of a dataset of datasets; there is one.
            wait: not needed.

        Raises:
            NotFoundError: there is none.
        """
        made = cls.of_node(Load(str(path), compression or "", element_spec))
        if reader_func is None:
            return made
        return read_by(reader_func, cls.of_node(Tensors(made)))


def _path(path: PathLike) -> Any:
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _packing(compression: str | None) -> str:
    return "GZIP" if compression == "GZIP" else ""


def read_by(reader_func: Callable[..., Any], files: Dataset) -> Dataset:
    """What the program's function makes of the datasets that files hold.

    Raises:
        TypeError: it is no dataset.
    """
    made: Dataset = reader_func(files)
    if not isinstance(made, DatasetBase):
        raise TypeError(f"`reader_func` must return a `Dataset` object. Got {type(made)}.")
    return made
