"""Files that datasets keep elements in, damaged: nothing wrong may be read in silence."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.data.nodes.storing import spec_to

D = tf.data.Dataset
DATA_LOSS = tf.errors.DataLossError
PAIRS = {"x": np.arange(6), "y": np.array([b"a", b"bb", b"", b"c", b"d", b"e"], object)}


def pairs() -> Any:
    return D.from_tensor_slices(PAIRS)


def kept(way: str, folder: Path, compression: str | None) -> tuple[Path, Callable[[], Any]]:
    """A file that elements are kept in, and what makes a dataset that reads it."""
    path = str(folder / "kept")
    if way == "save":
        pairs().save(path, compression)
        return folder / "kept" / "elements.tfrecord", lambda: D.load(path, compression=compression)
    if way == "snapshot":
        made = pairs().snapshot(path, compression)
        list(made)
        return folder / "kept" / "elements.tfrecord", lambda: pairs().snapshot(path, compression)
    list(pairs().cache(path))
    return folder / "kept.data", lambda: pairs().cache(path)


def read(make: Callable[[], Any]) -> list[tuple[int, bytes]] | None:
    """The elements of a dataset, or None if it tells that they are damaged."""
    try:
        return [(int(e["x"]), e["y"]) for e in make().as_numpy_iterator()]
    except DATA_LOSS:
        return None


def damaged(data: bytes) -> Iterator[bytes]:
    """A file without its end, with one bit flipped, at many places; with a piece left out."""
    for place in range(1, len(data), 5):
        yield data[:place]
        yield data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :]
    yield data[:150] + data[200:]
    yield data[: len(data) // 2] * 2


WAYS = [("save", None), ("snapshot", None), ("cache", None), ("save", "GZIP"), ("snapshot", "GZIP")]


@pytest.mark.parametrize(("way", "compression"), WAYS)
def test_no_damage_to_a_file_of_elements_goes_unnoticed(
    way: str, compression: str | None, tmp_path: Path
):
    file, make = kept(way, tmp_path, compression)
    data, whole = file.read_bytes(), read(make)
    assert whole is not None
    assert len(whole) == 6
    for new in damaged(data):
        file.write_bytes(new)
        found = read(make)
        # The header of a gzip file has bytes that mean nothing.
        assert found is None or (compression and found == whole)


@pytest.mark.parametrize("way", ["save", "snapshot", "cache"])
def test_a_file_that_ends_behind_an_element_is_truncated(way: str, tmp_path: Path):
    file, make = kept(way, tmp_path, None)
    records = list(tf.data.TFRecordDataset(str(file)).as_numpy_iterator())
    with tf.io.TFRecordWriter(str(file)) as writer:
        for record in records[:5]:  # what the file is, and two elements
            writer.write(record)
    with pytest.raises(DATA_LOSS, match=r"is truncated: 2 of (6|an unknown number of) elements"):
        list(make())


def test_an_empty_file_of_a_cache_is_written_anew(tmp_path: Path):
    file, make = kept("cache", tmp_path, None)
    data = file.read_bytes()
    file.write_bytes(b"")
    assert len(list(make())) == 6
    assert file.read_bytes() == data


def test_damage_to_what_says_the_spec_of_saved_elements_is_told(tmp_path: Path):
    path = str(tmp_path / "saved")
    pairs().save(path)
    file = Path(path) / "element_spec.json"
    text = file.read_bytes()
    assert D.load(path).element_spec == pairs().element_spec
    broken = [text[:place] for place in range(len(text))]
    broken += [text[:i] + bytes([text[i] ^ 1]) + text[i + 1 :] for i in range(len(text))]
    broken += [b"\xff\xfe", b"[1]", b"{}", b'{"spec": {}, "cardinality": 2}', b"null"]
    for new in broken:
        file.write_bytes(new)
        with pytest.raises(DATA_LOSS, match=r"element_spec\.json is damaged"):
            D.load(path)


def write_as_before(path: Path, spec: Any) -> None:
    """Saves two elements as older versions did: without a first and a last record and checksum."""
    path.mkdir()
    with tf.io.TFRecordWriter(str(path / "elements.tfrecord")) as writer:
        for i in range(2):
            writer.write(tf.io.serialize_tensor(tf.constant(i, tf.int64)).numpy())
    text = json.dumps({"spec": spec_to(spec), "cardinality": 2})
    (path / "element_spec.json").write_text(text)


def test_elements_that_an_older_version_saved_are_loaded(tmp_path: Path):
    write_as_before(tmp_path / "old", D.range(2).element_spec)
    assert [int(x) for x in D.load(str(tmp_path / "old"))] == [0, 1]
    os.rename(tmp_path / "old" / "elements.tfrecord", tmp_path / "old.data")
    assert [int(x) for x in D.range(9).cache(str(tmp_path / "old"))] == [0, 1]


def test_elements_that_an_older_version_saved_are_counted(tmp_path: Path):
    write_as_before(tmp_path / "old", D.range(2).element_spec)
    file = tmp_path / "old" / "elements.tfrecord"
    file.write_bytes(file.read_bytes()[: len(file.read_bytes()) // 2])
    with pytest.raises(DATA_LOSS, match="is truncated: 1 of 2 elements can be read"):
        list(D.load(str(tmp_path / "old")))


def test_a_cache_of_other_elements_is_refused(tmp_path: Path):
    path = str(tmp_path / "c")
    list(D.range(3).cache(path))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"elements of 1 components, and .* 2"):
        list(pairs().cache(path))


@pytest.mark.parametrize("way", ["cache", "snapshot"])
def test_a_pass_that_ends_early_leaves_no_files(way: str, tmp_path: Path):
    made = getattr(pairs(), way)(str(tmp_path / "kept"))
    iterator = iter(made)
    next(iterator)
    del iterator
    assert [x for x in tmp_path.rglob("*") if x.is_file()] == []


def test_saving_what_fails_leaves_the_old_elements(tmp_path: Path):
    path = str(tmp_path / "saved")
    D.range(3).save(path)
    with pytest.raises(tf.errors.InvalidArgumentError):
        D.range(3).map(lambda x: 1 // (x - 1)).save(path)
    assert [int(x) for x in D.load(path)] == [0, 1, 2]


# TensorFlow 2.21 gives the whole records of a compressed file before it tells what is left over.
def test_a_compressed_file_of_records_of_one_length_tells_what_is_left_over(tmp_path: Path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"abcdefgh"))
    dataset = tf.data.FixedLengthRecordDataset(str(tmp_path / "a.gz"), 3, compression_type="GZIP")
    iterator = iter(dataset)
    assert [next(iterator).numpy(), next(iterator).numpy()] == [b"abc", b"def"]
    with pytest.raises(DATA_LOSS, match="has body length 8 bytes, which is not an exact multiple"):
        next(iterator)


def test_a_file_shorter_than_its_header_is_refused(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(b"abcdefg")
    dataset = tf.data.FixedLengthRecordDataset(str(tmp_path / "a.bin"), 3, header_bytes=10)
    with pytest.raises(tf.errors.InvalidArgumentError, match="which is not an exact multiple"):
        list(dataset)
