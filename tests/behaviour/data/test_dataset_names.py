"""How datasets show themselves: names are TensorFlow 2.21's."""

from __future__ import annotations

import emplace.tensorflow as tf


def shown(dataset) -> str:
    return repr(dataset).split()[0].lstrip("<")


def test_datasets_of_files_are_called_by_their_class():
    assert shown(tf.data.TextLineDataset("a")) == "TextLineDatasetV2"
    assert shown(tf.data.TFRecordDataset("a")) == "TFRecordDatasetV2"
    assert shown(tf.data.FixedLengthRecordDataset("a", 1)) == "FixedLengthRecordDatasetV2"
    assert shown(tf.data.experimental.CsvDataset("a", [tf.string])) == "CsvDatasetV2"
    whole = repr(tf.data.TFRecordDataset("a"))
    assert whole.endswith("element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>")


def test_what_methods_return_is_called_by_what_they_do():
    data = tf.data.TextLineDataset("a")
    assert shown(data.map(lambda x: x)) == "_MapDataset"
    assert shown(data.batch(2)) == "_BatchDataset"
    assert shown(data.cache()) == "CacheDataset"
    assert shown(tf.data.Dataset.range(3)) == "_RangeDataset"
