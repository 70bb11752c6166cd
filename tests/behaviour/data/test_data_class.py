"""What class datasets are of, as programs and libraries ask: TensorFlow 2.21's answers."""

from __future__ import annotations

from typing import Any

import pytest

from emplace import tensorflow as tf

V1 = tf.compat.v1


def test_a_dataset_is_a_tf_data_dataset_and_none_of_tf_1() -> None:
    dataset = tf.data.Dataset.range(3).batch(2).map(lambda x: x + 1)
    assert isinstance(dataset, tf.data.Dataset)
    assert not isinstance(dataset, V1.data.Dataset)


def test_a_dataset_of_tf_1_is_both_and_so_is_what_its_methods_return() -> None:
    dataset = V1.data.Dataset.range(3).batch(2).map(lambda x: x + 1)
    assert isinstance(dataset, tf.data.Dataset)
    assert isinstance(dataset, V1.data.Dataset)


def test_datasets_of_files_are_datasets_of_their_own_time() -> None:
    assert isinstance(tf.data.TextLineDataset("a"), tf.data.Dataset)
    assert not isinstance(tf.data.TextLineDataset("a"), V1.data.Dataset)
    assert isinstance(V1.data.TextLineDataset("a"), V1.data.Dataset)


@pytest.mark.parametrize("facade", [tf, V1])
def test_libraries_find_tensorflows_name_among_the_bases(facade: Any) -> None:
    bases = {(each.__module__, each.__name__) for each in facade.data.Dataset.__mro__}
    assert ("tensorflow.python.data.ops.dataset_ops", "DatasetV2") in bases


def test_every_method_belongs_to_one_subject() -> None:
    mixins = tf.data.Dataset.__bases__
    names = [name for each in mixins for name in vars(each) if not name.startswith("__")]
    assert len(names) == len(set(names)) > 40
