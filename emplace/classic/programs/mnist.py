"""The handwritten digits of old tutorials, read from files that are there already."""

from __future__ import annotations

import gzip
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np

from ...base.dtypes import as_dtype

Datasets = namedtuple("Datasets", ("train", "validation", "test"))
Datasets.__doc__ = "Digits to train with, to choose with, and to test with."

_FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
          "t10k-labels-idx1-ubyte")  # fmt: skip


def _read(folder: Path, name: str) -> np.ndarray[Any, Any]:
    for path in (folder / f"{name}.gz", folder / name):
        if path.exists():
            raw = path.read_bytes()
            return _parsed(gzip.decompress(raw) if path.suffix == ".gz" else raw, path)
    raise FileNotFoundError(
        f"There is no {folder / name}.gz. Nothing is downloaded: put the four files of MNIST, "
        f"{', '.join(f'{each}.gz' for each in _FILES)}, or the same without '.gz', into {folder}."
    )


def _parsed(raw: bytes, path: Path) -> np.ndarray[Any, Any]:
    """An idx file: two zeros, the type (8 for bytes), the rank, big-endian sizes, the bytes."""
    if raw[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path} is no idx file of bytes: it begins with {raw[:4]!r}.")
    rank = raw[3]
    sizes = np.frombuffer(raw, ">i4", rank, 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(sizes)


class DataSet:
    """Images and labels, given out in batches.

    Args:
        images: bytes of shape (count, rows, columns).
        labels: their labels.
        dtype: float32 for numbers from 0 to 1, uint8 for bytes.
        reshape: whether each image is one row.
        seed: an integer that makes the order repeatable.
    """

    def __init__(
        self, images: Any, labels: Any, dtype: Any = "float32", reshape: bool = True,
        seed: int | None = None,
    ) -> None:  # fmt: skip
        if reshape:
            images = images.reshape(len(images), -1)
        else:
            images = images[..., np.newaxis]
        if as_dtype(dtype).name == "float32":
            images = images.astype(np.float32) / 255.0
        self._images, self._labels = images, labels
        self._rng = np.random.default_rng(seed)
        self._order = np.arange(len(images))
        self._at = self._epochs = 0

    images = property(lambda self: self._images, doc="All images.")
    labels = property(lambda self: self._labels, doc="All labels.")
    num_examples = property(lambda self: len(self._images), doc="How many there are.")
    epochs_completed = property(lambda self: self._epochs, doc="How often all were given out.")

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """The next images and labels; in a new order in each epoch."""
        if self._at == 0 and self._epochs == 0 and shuffle:
            self._rng.shuffle(self._order)
        places = self._order[self._at : self._at + batch_size].copy()
        self._at += len(places)
        if len(places) < batch_size:
            self._epochs += 1
            if shuffle:
                self._rng.shuffle(self._order)
            self._at = batch_size - len(places)
            places = np.concatenate([places, self._order[: self._at]])
        return self._images[places], self._labels[places]


def read_data_sets(
    train_dir: str, fake_data: bool = False, one_hot: bool = False, dtype: Any = "float32",
    reshape: bool = True, validation_size: int = 5000, seed: int | None = None,
    source_url: Any = None,
) -> Datasets:  # fmt: skip
    """The digits in a folder.

    Args:
        train_dir: the folder with MNIST's four files, packed with gzip or not.
        fake_data: not used.
        one_hot: whether labels are rows with a single 1.
        dtype: float32 for numbers from 0 to 1, uint8 for bytes.
        reshape: whether each image is one row.
        validation_size: how many of the training images are for validation.
        seed: an integer that makes the order repeatable.
        source_url: not used: nothing is downloaded.

    Raises:
        FileNotFoundError: a file is missing.
        ValueError: a file is not what it should be, or `validation_size` is too large.
    """
    parts = [_read(Path(train_dir), name) for name in _FILES]
    if one_hot:
        parts[1], parts[3] = (np.eye(10)[digits] for digits in (parts[1], parts[3]))
    images, labels, test_images, test_labels = parts
    if not 0 <= validation_size <= len(images):
        raise ValueError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}."
        )
    cut = validation_size
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    return Datasets(
        DataSet(images[cut:], labels[cut:], **options),
        DataSet(images[:cut], labels[:cut], **options),
        DataSet(test_images, test_labels, **options),
    )
