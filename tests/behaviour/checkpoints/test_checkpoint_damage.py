"""Damage in checkpoints is found when they are read; it never comes back as values."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

import emplace.tensorflow as tf
from emplace.state.checkpoint_files import CheckpointReader, write_checkpoint

v1 = tf.compat.v1
DataLoss = tf.errors.DataLossError


def flip(file: Path, place: int, bit: int = 0) -> None:
    data = bytearray(file.read_bytes())
    data[place] ^= 1 << bit
    file.write_bytes(data)


def read_all(prefix: str) -> dict[str, Any]:
    reader = CheckpointReader(prefix)
    return {name: np.asarray(reader.get_tensor(name)).tolist() for name in VALUES}


VALUES: dict[str, Any] = {
    "w": np.array([1.0, 2.0, 3.0], np.float32),
    "c": np.array([1 + 2j]),
    "n": np.int32(5),
    "s": np.array([b"ab", b"c"], object),
}


def test_no_flipped_bit_of_a_file_comes_back_as_a_value(tmp_path):
    prefix = write_checkpoint(str(tmp_path / "m"), VALUES)
    wanted, file = read_all(prefix), tmp_path / "m.safetensors"
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole)
        flip(file, place, place % 8)
        with contextlib.suppress(DataLoss):
            assert read_all(prefix) == wanted, place


def test_no_file_that_is_cut_comes_back_as_values(tmp_path):
    prefix = write_checkpoint(str(tmp_path / "m"), VALUES)
    file = tmp_path / "m.safetensors"
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(DataLoss):
            read_all(prefix)


def test_a_flipped_bit_is_data_loss_for_all_who_read(tmp_path):
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    path = tf.train.Checkpoint(v=v).save(str(tmp_path / "ck"))
    saver = v1.train.Saver([v])
    named = saver.save(None, str(tmp_path / "m"))
    flip(tmp_path / "ck-1.safetensors", -1)
    for file in (tmp_path / "ck-1.safetensors", tmp_path / "m.safetensors"):
        data = bytearray(file.read_bytes())
        at = data.index(np.float32([1, 2, 3]).tobytes())
        data[at + 3] ^= 0x40
        file.write_bytes(data)
    v.assign([7.0, 8.0, 9.0])
    with pytest.raises(DataLoss, match=r"Checksum does not match: stored \d+ vs. calculated on"):
        tf.train.Checkpoint(v=v).restore(path)
    with pytest.raises(DataLoss, match="Checksum does not match"):
        saver.restore(None, named)
    with pytest.raises(DataLoss, match="Checksum does not match"):
        tf.train.load_variable(named, "v")
    with v1.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("v", initializer=[0.0, 0.0, 0.0])
        session.run(w.initializer)
        with pytest.raises(DataLoss, match="Checksum does not match"):
            v1.train.Saver([w]).restore(session, named)
        assert session.run(w).tolist() == [0.0, 0.0, 0.0]
    assert v.numpy().tolist() == [7.0, 8.0, 9.0]


@pytest.mark.parametrize(
    "metadata",
    [
        {"emplace": "{not json"},
        {"emplace": '{"w": ["float99", [3]]}'},
        {"emplace": '{"w": 3}'},
        {"emplace": "[1, 2]", "crc32c": "[]"},
        {"emplace": "{}", "crc32c": '{"x": 1}'},
        {"emplace": "{}", "crc3rc": '{"w": 1}'},
    ],
)
def test_a_damaged_header_is_data_loss(tmp_path, metadata):
    save_file({"w": VALUES["w"]}, tmp_path / "m.safetensors", metadata)
    with pytest.raises(DataLoss, match=r"Unable to open table file .*m\.safetensors"):
        tf.train.load_checkpoint(str(tmp_path / "m"))


@pytest.mark.parametrize(
    "graph", ["{not json", "{}", "[]", "[[{}, {}, [], 5, 6]]", '[[{"v": 9}, {}, [], ""]]',
              '[[{"v": 1}, {}, [], ""], [{}, {"VARIABLE_VALUE": "gone"}, [], "v"]]'],
)  # fmt: skip
def test_a_damaged_object_graph_is_data_loss(tmp_path, graph):
    path = write_checkpoint(str(tmp_path / "ck"), {"_CHECKPOINTABLE_OBJECT_GRAPH": graph})
    with pytest.raises(DataLoss, match="Unable to open table file"):
        tf.train.Checkpoint(v=tf.Variable(0.0)).read(path)


def test_files_without_checksums_are_read(tmp_path):
    older = {"emplace": json.dumps({})}
    for name, metadata in {"older": older, "others": {"format": "pt"}, "plain": None}.items():
        save_file({"w": VALUES["w"]}, tmp_path / f"{name}.safetensors", metadata)
        assert tf.train.load_variable(str(tmp_path / name), "w").tolist() == [1.0, 2.0, 3.0]
