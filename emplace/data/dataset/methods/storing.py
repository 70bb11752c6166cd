"""The methods that keep elements at hand: made in advance, in memory, in files."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.errors import invalid_argument
from ....base.typing import IntLike, PathLike
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....ops.arguments import host_value
from ....ops.infer import Spec
from ....ops.op import CPU_ONLY, apply, op
from ...elements.structure import Element, Raw, Structure, one_tensor
from ...functions.traced import Traced, traced
from ...iteration.bound import BoundDataset
from ...iteration.node import AUTOTUNE, Run, parameter
from ...nodes.mixing import Counted
from ...nodes.sources import Tensors
from ...nodes.storing import Cache, Load, SavedShards, Snapshot, Stored, save
from ...nodes.threads import Prefetch
from ..base import DatasetBase, DatasetSpec

if TYPE_CHECKING:
    from ..dataset import Dataset


def save_kernel(
    dataset: BoundDataset, path: Raw, *captures: Any, compression: str, shards: Traced | None
) -> None:
    """Writes the elements of a dataset to a folder.

    Args:
        dataset: the elements.
        path: the folder.
        captures: what the function takes from outside.
        compression: of the files.
        shards: the function that tells the shard of an element.
    """
    folder = os.fsdecode(bytes(path[()]))
    if shards is None:
        save(folder, dataset.node.structure, dataset.start(), compression)
        return
    call = shards.caller(Run(dict(zip(map(id, shards.captures), captures, strict=True))))

    def shard_of(values: Element, place: int) -> int:
        return int(shards.called(call, values, place)[0])

    save(folder, dataset.node.structure, dataset.start(), compression, shard_of)


def _shards(shard_func: Callable[..., Any], structure: Structure) -> Traced:
    """The program's function that tells the shard of an element.

    Raises:
        InvalidArgumentError: it returns something else than one number of int64.
    """
    made = traced(shard_func, [structure], "SaveDataset")
    components = made.structure.components
    if len(components) != 1 or components[0].dtype is not dtypes.int64:
        raise invalid_argument("`shard_func` must return a scalar int64. [Op:SaveDataset] name: ")
    return made


def _nothing(*inputs: Spec, **attrs: Any) -> tuple[Spec, ...]:
    return ()


SAVE_DATASET = op(
    "SaveDatasetV2", "input_dataset: variant, path: string, captures: N * any -> ", save_kernel,
    _nothing, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


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
        if isinstance(path, Tensor) and path.dtype is dtypes.string and path.shape.rank == 0:
            path = bytes(host_value(path))
        folder, packing = os.fsdecode(path), _packing(compression)
        reader = None
        if reader_func is not None:
            files = self.of_node(Stored(folder, packing, self.node.structure))
            reader = read_by(reader_func, self.of_node(Tensors(files))).node
        return self.of_node(Snapshot(self.node, folder, packing, reader))

    def save(
        self, path: str, compression: str | None = None,
        shard_func: Callable[..., Any] | None = None, checkpoint_args: object = None,
    ) -> Any:  # fmt: skip
        """Writes the elements to a folder, for `load` (`tf.data.Dataset.save`).

        Args:
            path: the folder.
            compression: "GZIP" or None.
            shard_func: tells the shard of an element, int64: each shard is a file, and `load` reads
                them in turns. All elements are in one file if None.
            checkpoint_args: what a `tf.train.CheckpointManager` is to be made of. Elements are
                written at once, so there is no use for one.

        Returns:
            None when they are written; in a graph the operation that writes them.

        Raises:
            TypeError: `path` is no text, or a manager lacks an argument or has none of a name.
            ValueError: there is a checkpoint among its arguments.
        """
        is_tensor = isinstance(path, Tensor) and path.dtype is dtypes.string
        if not is_tensor and not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"Expected binary or unicode string, got {path!r}")
        if LOCAL.state.target.is_eager and checkpoint_args:
            _check_manager(checkpoint_args)
        file = one_tensor(_path(path), dtypes.string)
        if file.shape.rank not in (0, None):
            raise invalid_argument("path must be a scalar [Op:SaveDatasetV2] name: ")
        shards = None if shard_func is None else _shards(shard_func, self.node.structure)
        captures = () if shards is None else shards.captures
        attrs: dict[str, Any] = {"compression": _packing(compression), "shards": shards}
        if not LOCAL.state.target.is_eager:
            return apply(SAVE_DATASET, (self.variant_tensor(), file, *captures), attrs)
        run = Run()
        save_kernel(self.bound_dataset(), run.raw(file), *map(run.raw, captures), **attrs)
        return None

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
            reader_func: makes a dataset of elements of a dataset with a dataset for each shard.
            wait: not needed.

        Raises:
            NotFoundError: there is none.
            TypeError: `path` is no text.
        """
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(
                "TF_DATA_SnapshotMetadataFilePath(): incompatible function arguments. The "
                "following argument types are supported:\n    1. (arg0: str) -> str\n\n"
                f"Invoked with: {path}"
            )
        whole = Load(os.fsdecode(path), compression or "", element_spec)
        if reader_func is None:
            return cls.of_node(whole)
        shards = SavedShards(whole, Structure(DatasetSpec(whole.structure.spec)))
        made = read_by(reader_func, cls.of_node(shards))
        return made if whole.cardinality < 0 else cls.of_node(Counted(made.node, whole.cardinality))


def _check_manager(args: Any) -> None:
    """Raises what making a `CheckpointManager` of such arguments would."""
    if "checkpoint" in args:
        raise ValueError(
            "'Invalid `checkpoint_args`. `checkpoint_args` are not allowed to include 'checkpoint'."
        )

    def manager(
        directory: object, max_to_keep: object, keep_checkpoint_every_n_hours: object = None,
        checkpoint_name: object = None, step_counter: object = None,
        checkpoint_interval: object = None, init_fn: object = None,
    ) -> None:  # fmt: skip
        """Stands for the class, which is further down."""

    manager.__qualname__ = "CheckpointManager.__init__"
    manager(**args)


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
