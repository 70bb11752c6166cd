"""Checkpoints as files: what is written is read again, and a failure loses nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import load_file

import emplace.tensorflow as tf
from emplace.state import checkpoint_files
from emplace.state.checkpoint_files import write_checkpoint
from emplace.state.checkpoint_state import write_checkpoint_state

v1 = tf.compat.v1.train
VALUES: dict[str, Any] = {
    "float32": np.arange(6, dtype=np.float32).reshape(2, 3),
    "scalar": np.int64(7),
    "bool": np.array([True, False]),
    "half": np.array([1.5], np.float16),
    "bfloat16": np.array([1.5, -2], ml_dtypes.bfloat16),
    "float8": np.array([[1.5]], ml_dtypes.float8_e4m3fn),
    "uint16": np.array([65535], np.uint16),
    "complex64": np.array([1 + 2j], np.complex64),
    "complex128": np.array([[1 + 2j]], np.complex128),
    "empty": np.zeros((0, 3), np.int32),
    "strings": np.array([[b"a\0", b""], [b"\xff", b"long " * 9]], object),
    "transposed": np.arange(6, dtype=np.int32).reshape(2, 3).T,
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    write_checkpoint(f"{tmp_path}/m", VALUES)
    got = tf.train.load_checkpoint(f"{tmp_path}/m").get_tensor(name)
    want = np.asarray(VALUES[name])
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert got.tolist() == want.tolist()


def test_a_string_of_shape_nothing_is_bytes(tmp_path: Path) -> None:
    write_checkpoint(f"{tmp_path}/m", {"s": "h\u00e9", "b": b"a\0"})
    assert tf.train.load_variable(f"{tmp_path}/m", "s") == "h\u00e9".encode()
    assert tf.train.load_variable(f"{tmp_path}/m", "b") == b"a\0"


def test_a_reader_knows_names_shapes_and_dtypes(tmp_path: Path) -> None:
    reader = v1.NewCheckpointReader(write_checkpoint(f"{tmp_path}/m", VALUES))
    assert reader.get_variable_to_shape_map()["strings"] == [2, 2]
    assert reader.get_variable_to_dtype_map()["strings"] == tf.string
    assert reader.get_variable_to_dtype_map()["bfloat16"] == tf.bfloat16
    assert reader.has_tensor("bool")
    assert not reader.has_tensor("nothing")


def test_the_debug_string_has_a_line_for_each_value(tmp_path: Path) -> None:
    prefix = write_checkpoint(f"{tmp_path}/m", {"b": VALUES["float32"], "a": b"hi"})
    assert (
        v1.NewCheckpointReader(prefix).debug_string() == b"a (DT_STRING) []\nb (DT_FLOAT) [2,3]\n"
    )


def test_variables_are_listed_in_order(tmp_path: Path) -> None:
    prefix = write_checkpoint(f"{tmp_path}/m", {"b": np.zeros(2), "a": np.zeros((1, 2))})
    assert tf.train.list_variables(prefix) == [("a", [1, 2]), ("b", [2])]


def test_other_programs_can_read_the_file(tmp_path: Path) -> None:
    write_checkpoint(f"{tmp_path}/m", {"w": VALUES["float32"]})
    assert load_file(f"{tmp_path}/m.safetensors")["w"].tolist() == VALUES["float32"].tolist()


def test_an_unknown_name_is_not_found(tmp_path: Path) -> None:
    prefix = write_checkpoint(f"{tmp_path}/m", {"w": np.zeros(1)})
    with pytest.raises(tf.errors.NotFoundError, match="Key nope not found in checkpoint"):
        tf.train.load_variable(prefix, "nope")


def test_a_missing_checkpoint_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(
        tf.errors.NotFoundError,
        match="Unsuccessful TensorSliceReader constructor: Failed to find any matching files for",
    ):
        tf.train.load_checkpoint(f"{tmp_path}/nope")


def test_a_folder_without_checkpoints_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file or checkpoints in given"):
        tf.train.load_checkpoint(tmp_path)


@pytest.mark.parametrize("keep", [4, 60, -1])
def test_a_file_that_is_cut_off_is_data_loss(keep: int, tmp_path: Path) -> None:
    write_checkpoint(f"{tmp_path}/m", {"w": np.zeros(100)})
    file = tmp_path / "m.safetensors"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(tf.errors.DataLossError, match=r"m\.safetensors.*different file format"):
        tf.train.load_checkpoint(f"{tmp_path}/m")


def test_a_checkpoint_of_tensorflow_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "m.index").write_bytes(b"\0")
    with pytest.raises(tf.errors.DataLossError, match=r"TensorFlow wrote.*safetensors"):
        tf.train.load_checkpoint(f"{tmp_path}/m")


def test_a_failed_write_keeps_the_checkpoint_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = write_checkpoint(f"{tmp_path}/m", {"w": np.ones(2)})

    def half(arrays: Any, path: str, metadata: Any) -> None:
        Path(path).write_bytes(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint_files, "save_file", half)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="No space left on device"):
        write_checkpoint(prefix, {"w": np.zeros(2)})
    assert tf.train.load_variable(prefix, "w").tolist() == [1, 1]
    assert os.listdir(tmp_path) == ["m.safetensors"]


def test_the_state_file_has_the_text_of_tensorflow(tmp_path: Path) -> None:
    folder = str(tmp_path)
    v1.update_checkpoint_state(
        folder, f"{folder}/m-2", [f"{folder}/m-1"],
        all_model_checkpoint_timestamps=[1.5, 2.5], last_preserved_timestamp=1.0,
    )  # fmt: skip
    assert (tmp_path / "checkpoint").read_text() == (
        f'model_checkpoint_path: "{folder}/m-2"\n'
        f'all_model_checkpoint_paths: "{folder}/m-1"\n'
        f'all_model_checkpoint_paths: "{folder}/m-2"\n'
        "all_model_checkpoint_timestamps: 1.5\nall_model_checkpoint_timestamps: 2.5\n"
        "last_preserved_timestamp: 1.0\n"
    )


def test_timestamps_must_match_paths(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Checkpoint timestamps, if provided, must match"):
        v1.update_checkpoint_state(tmp_path, "m", ["a"], all_model_checkpoint_timestamps=[1.0])


def test_relative_paths_are_read_from_the_folder(tmp_path: Path) -> None:
    prefix = write_checkpoint(f"{tmp_path}/m-1", {"w": np.ones(2)})
    write_checkpoint_state(tmp_path, prefix, save_relative_paths=True)
    assert (tmp_path / "checkpoint").read_text().startswith('model_checkpoint_path: "m-1"\n')
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    assert tf.train.latest_checkpoint(moved) == f"{moved}/m-1"
    assert tf.train.get_checkpoint_state(moved).all_model_checkpoint_paths == [f"{moved}/m-1"]
    assert tf.train.load_variable(moved, "w").tolist() == [1, 1]


def test_a_relative_folder_keeps_relative_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    v1.update_checkpoint_state(".", "m-2", latest_filename="other")
    state = tf.train.get_checkpoint_state(".", "other")
    assert state.model_checkpoint_path == "./m-2"


def test_the_latest_checkpoint_is_none_where_it_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    v1.update_checkpoint_state(tmp_path, f"{tmp_path}/m")
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert "Couldn't match files for checkpoint" in capsys.readouterr().err


def test_a_state_file_that_nobody_can_read_is_ignored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "checkpoint").write_text("hello world")
    assert tf.train.get_checkpoint_state(tmp_path) is None
    assert "Checkpoint ignored" in capsys.readouterr().err


def test_an_empty_state_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").write_text("")
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.get_checkpoint_state(tmp_path)


def test_a_removed_checkpoint_is_gone(tmp_path: Path) -> None:
    prefix = write_checkpoint(f"{tmp_path}/m", {"w": np.ones(2)})
    (tmp_path / "m.meta").write_text("graph")
    assert v1.checkpoint_exists(prefix)
    assert len(v1.get_checkpoint_mtimes([prefix, "nope"])) == 1
    v1.remove_checkpoint(prefix)
    v1.remove_checkpoint(prefix)
    assert not v1.checkpoint_exists(prefix)
    assert not os.listdir(tmp_path)


def test_a_saver_saves_eager_variables_without_a_session(tmp_path):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    saver = tf.compat.v1.train.Saver({"a": v, "b": w})
    path = saver.save(None, str(tmp_path / "m"), global_step=1)
    v.assign([0.0, 0.0])
    saver.restore(None, path)
    assert path == str(tmp_path / "m-1")
    assert v.numpy().tolist() == [1.0, 2.0]


def test_an_eager_saver_must_be_told_its_variables():
    with pytest.raises(RuntimeError, match="`var_list` must specify a list or dict"):
        tf.compat.v1.train.Saver()
