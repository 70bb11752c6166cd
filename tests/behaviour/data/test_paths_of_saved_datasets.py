"""Paths of saved datasets, and what `save` is told of checkpoints."""

import pytest

import emplace.tensorflow as tf


def numbers():
    return tf.data.Dataset.range(3)


@pytest.mark.parametrize("path", [3, None, ["a"], numbers, tf.constant])
def test_a_path_is_a_text(path):
    with pytest.raises(TypeError, match="Expected binary or unicode string, got "):
        numbers().save(path)
    with (
        tf.Graph().as_default(),
        pytest.raises(TypeError, match="Expected binary or unicode string, got "),
    ):
        numbers().save(path)
    with pytest.raises(TypeError, match=r"TF_DATA_SnapshotMetadataFilePath.*incompatible"):
        tf.data.Dataset.load(path)


def test_a_path_may_be_bytes(tmp_path):
    numbers().save(bytes(tmp_path / "a"))
    assert len(list(tf.data.Dataset.load(bytes(tmp_path / "a")))) == 3
    assert len(list(numbers().snapshot(bytes(tmp_path / "b")))) == 3
    assert len(list(numbers().snapshot(tf.constant(str(tmp_path / "c"))))) == 3


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ({"directory": "d", "other": 1}, TypeError, "unexpected keyword argument 'other'"),
        ({"directory": "d"}, TypeError, "missing 1 required positional argument: 'max_to_keep'"),
        ({"max_to_keep": 3}, TypeError, "missing 1 required positional argument: 'directory'"),
        ({"checkpoint": 1}, ValueError, "not allowed to include 'checkpoint'"),
    ],
)
def test_the_arguments_of_a_checkpoint_manager_are_looked_at(tmp_path, args, error, text):
    with pytest.raises(error, match=text):
        numbers().save(str(tmp_path / "a"), checkpoint_args=args)
