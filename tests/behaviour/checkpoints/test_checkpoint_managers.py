"""`tf.train.CheckpointManager` and what is called when a checkpoint is written."""

from __future__ import annotations

import copy
import os
from pathlib import Path

import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1


def test_a_manager_leaves_checkpoints_alone_that_it_did_not_write(tmp_path: Path):
    prefix = str(tmp_path / "own")
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    mine = [checkpoint.save(prefix), checkpoint.save(prefix)]
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
    assert manager.latest_checkpoint == mine[-1]
    written = [manager.save() for _ in range(3)]
    assert manager.checkpoints == written[1:]
    assert [tf1.train.checkpoint_exists(each) for each in mine] == [True, True]
    assert not tf1.train.checkpoint_exists(written[0])
    again = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
    assert again.checkpoints == written[1:]


def test_the_number_of_a_checkpoint_may_be_a_tensor_of_a_graph(tmp_path: Path):
    with tf.Graph().as_default(), tf1.Session() as session:
        number = tf1.get_variable("n", initializer=7)
        checkpoint = tf.train.Checkpoint(w=tf1.get_variable("w", []))
        manager = tf.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
        session.run([tf1.global_variables_initializer(), checkpoint.save_counter.initializer])
        found = [manager.save(number), manager.save(tf.constant(9)), manager.save()]
    assert [os.path.basename(each) for each in found] == ["ckpt-7", "ckpt-9", "ckpt-3"]
    assert tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths == found[1:]


def test_a_manager_may_be_told_when_there_was_a_checkpoint_last(tmp_path: Path):
    step = tf.Variable(5)
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(), str(tmp_path), 2, step_counter=step, checkpoint_interval=3,
        last_checkpoint_step=4,
    )  # fmt: skip
    assert manager.save() is None
    step.assign(7)
    assert manager.save() == str(tmp_path / "ckpt-1")
    step.assign(9)
    assert manager.save() is None
    assert manager.sync() is None
    assert tf.train.Checkpoint().sync() is None


def test_a_write_callback_takes_the_prefix_or_nothing(tmp_path: Path):
    found: list[object] = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[found.append, lambda: found.append(None)]
    )
    path = tf.train.Checkpoint().save(str(tmp_path / "a"), options=options)
    assert found == [path, None]
    with pytest.raises(AssertionError, match="a write callback takes the checkpoint's prefix or n"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[lambda a, b: None])


def test_copied_options_have_callbacks_of_their_own():
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[len])
    other = copy.copy(options)
    assert other.experimental_write_callbacks == [len]
    assert other.experimental_write_callbacks is not options.experimental_write_callbacks
    assert copy.deepcopy(options).experimental_write_callbacks == [len]
