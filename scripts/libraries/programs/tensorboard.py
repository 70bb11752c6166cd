"""TensorBoard's plug-ins: what they write, read back from event files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.plugins.custom_scalar import summary as custom_scalars
from tensorboard.plugins.histogram import summary_v2 as histograms
from tensorboard.plugins.hparams import api as hparams
from tensorboard.plugins.mesh import summary_v2 as meshes
from tensorboard.plugins.pr_curve import summary as curves
from tensorboard.plugins.text import summary_v2 as texts


def _written(write: Any) -> Any:
    """The values that a function writes: tags, plug-ins, and tensors or what stands for them."""
    with tempfile.TemporaryDirectory() as folder:
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default():
            write()
        writer.close()
        events = [
            e for file in sorted(Path(folder).iterdir()) for e in EventFileLoader(str(file)).Load()
        ]
    return [
        [v.tag, v.metadata.plugin_data.plugin_name, event.step, _content(v)]
        for event in events
        for v in event.summary.value
    ]


def _content(value: Any) -> Any:
    array = tf.make_ndarray(value.tensor) if value.HasField("tensor") else np.zeros(0)
    if array.dtype == object:
        return [str(each) for each in array.ravel()]
    return array


def program_hyperparameters() -> Any:
    """What a run was given, and of what domain."""
    units = hparams.HParam("units", hparams.Discrete([8, 16]))
    rate = hparams.HParam("rate", hparams.RealInterval(0.1, 0.5))

    def write() -> None:
        hparams.hparams({units: 8, rate: 0.25}, trial_id="one")
        hparams.hparams_config([units, rate], [hparams.Metric("loss")], time_created_secs=1.0)

    return [each[:3] for each in _written(write)]


def program_histograms_and_texts() -> Any:
    """A histogram of numbers, and texts."""

    def write() -> None:
        histograms.histogram("numbers", tf.constant([0.0, 1.0, 1.0, 4.0]), step=3, buckets=4)
        texts.text("said", tf.constant(["one", "two"]), step=4)

    return _written(write)


def program_meshes() -> Any:
    """Points in space with colours."""
    points = tf.reshape(tf.range(18, dtype=tf.float32), [1, 6, 3])
    colours = tf.zeros([1, 6, 3], tf.uint8)
    return [
        each[1:] for each in _written(lambda: meshes.mesh("cloud", points, colours, step=1))
        if each[1] == "mesh"
    ]  # fmt: skip


def program_precision_and_recall() -> Any:
    """A curve of precision and recall, which TensorFlow 1's graphs compute."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        summary = curves.op(
            name="curve",
            labels=tf.constant([False, True, True, False]),
            predictions=tf.constant([0.2, 0.6, 0.9, 0.7]),
            num_thresholds=5,
        )
        read = tf.compat.v1.Summary.FromString(session.run(summary))
    return [[each.tag, tf.make_ndarray(each.tensor)] for each in read.value]


def program_layouts() -> Any:
    """A page of charts of scalars."""
    from tensorboard.plugins.custom_scalar import layout_pb2

    chart = layout_pb2.Chart(title="losses", multiline=layout_pb2.MultilineChartContent(tag=["l"]))
    layout = layout_pb2.Layout(category=[layout_pb2.Category(title="all", chart=[chart])])
    written = custom_scalars.pb(layout)
    return [[each.tag, each.metadata.plugin_data.plugin_name] for each in written.value]
