"""`tf.summary` of TF 2: writers, steps, conditions, and what TensorBoard reads."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util.tensor_util import make_ndarray

import emplace.tensorflow as tf
from emplace.core.summaries import STATE


@pytest.fixture(autouse=True)
def state() -> Iterator[None]:
    """No step and no writer is left over."""
    yield
    tf.summary.experimental.set_step(None)
    STATE.writer = None


def read(folder: Path) -> EventAccumulator:
    """What TensorBoard reads in a folder."""
    return EventAccumulator(str(folder)).Reload()


def numbers(folder: Path, tag: str) -> list[tuple[int, Any]]:
    found = read(folder).Tensors(tag)
    return [(each.step, make_ndarray(each.tensor_proto).tolist()) for each in found]


@pytest.fixture
def writer(tmp_path: Path) -> Any:
    return tf.summary.create_file_writer(str(tmp_path))


def plugin(folder: Path, tag: str) -> str:
    return str(read(folder).SummaryMetadata(tag).plugin_data.plugin_name)


def test_numbers_are_written_with_their_steps(writer, tmp_path):
    with writer.as_default():
        for step in range(3):
            assert tf.summary.scalar("loss", step * 0.5, step=step)
    assert numbers(tmp_path, "loss") == [(0, 0.0), (1, 0.5), (2, 1.0)]
    assert plugin(tmp_path, "loss") == "scalars"


def test_nothing_is_written_without_a_writer():
    assert not tf.summary.scalar("loss", 1.0, step=1)
    assert not tf.summary.write("loss", 1.0)
    assert not tf.summary.should_record_summaries()


def test_a_summary_needs_a_step(writer):
    with writer.as_default(), pytest.raises(ValueError, match=r"No step set\. Please specify one"):
        tf.summary.scalar("loss", 1.0)


def test_a_step_can_be_said_once(writer, tmp_path):
    with writer.as_default(step=3):
        tf.summary.scalar("a", 1.0)
        tf.summary.experimental.set_step(4)
        tf.summary.scalar("a", 2.0)
    assert tf.summary.experimental.get_step() is None
    assert numbers(tmp_path, "a") == [(3, 1.0), (4, 2.0)]


def test_name_scopes_are_part_of_a_tag(writer, tmp_path):
    with writer.as_default(step=1), tf.name_scope("layer"):
        tf.summary.scalar("a", 1.0)
        with tf.summary.experimental.summary_scope("inner") as (tag, _):
            assert tag == "layer/inner"
    assert numbers(tmp_path, "layer/a") == [(1, 1.0)]


def test_a_number_has_no_dimensions(writer):
    with writer.as_default(step=1), pytest.raises(ValueError, match="Expected scalar shape, saw"):
        tf.summary.scalar("a", [1.0])


def test_conditions_say_what_is_written(writer, tmp_path):
    with writer.as_default():
        for step in range(4):
            with tf.summary.record_if(step % 2 == 0):
                tf.summary.scalar("a", 1.0, step=step)
            with tf.summary.record_if(lambda: tf.constant(False)):
                assert not tf.summary.scalar("a", 1.0, step=step)
    assert [step for step, _ in numbers(tmp_path, "a")] == [0, 2]


def test_functions_write_each_time_they_run(writer, tmp_path):
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x: Any) -> None:
        with tf.summary.record_if(x > 0.5), tf.name_scope("inner"):
            tf.summary.scalar("x", x, step=step)
        step.assign_add(1)

    with writer.as_default():
        for value in (0.0, 1.0, 2.0):
            train(tf.constant(value))
    assert numbers(tmp_path, "inner/x") == [(1, 1.0), (2, 2.0)]


def test_functions_read_a_default_step_that_is_a_variable(writer, tmp_path):
    step = tf.Variable(5, dtype=tf.int64)
    tf.summary.experimental.set_step(step)

    @tf.function
    def train() -> None:
        tf.summary.scalar("x", 1.0)

    with writer.as_default():
        train()
        step.assign(6)
        train()
    assert [each for each, _ in numbers(tmp_path, "x")] == [5, 6]


def test_a_histogram_has_buckets_of_one_width(writer, tmp_path):
    with writer.as_default(step=1):
        tf.summary.histogram("h", [1.0, 2.0, 2.0, 5.0, np.nan], buckets=2)
        tf.summary.histogram("same", [2, 2], buckets=2)
        tf.summary.histogram("none", tf.zeros([0]), buckets=2)
    assert numbers(tmp_path, "h") == [(1, [[1.0, 3.0, 3.0], [3.0, 5.0, 1.0]])]
    assert numbers(tmp_path, "same") == [(1, [[2.0, 2.0, 0.0], [2.0, 2.0, 2.0]])]
    assert numbers(tmp_path, "none") == [(1, [[0.0] * 3] * 2)]


def test_pictures_are_written_as_files(writer, tmp_path):
    with writer.as_default(step=1):
        tf.summary.image("im", np.array([[[[0.0], [0.5], [1.0]]]] * 5, np.float32), max_outputs=2)
    (event,) = read(tmp_path).Tensors("im")
    width, height, *files = event.tensor_proto.string_val
    assert (width, height, len(files)) == (b"3", b"1", 2)
    assert np.asarray(Image.open(io.BytesIO(files[0]))).tolist() == [[0, 127, 255]]
    assert plugin(tmp_path, "im") == "images"


def test_a_batch_of_pictures_has_four_dimensions(writer):
    with writer.as_default(step=1), pytest.raises(ValueError, match="must have rank 4"):
        tf.summary.image("im", np.zeros([2, 2, 1], np.float32))


def test_sounds_and_texts_are_written(writer, tmp_path):
    with writer.as_default(step=1):
        tf.summary.audio("au", np.zeros([1, 4, 2], np.float32), sample_rate=8000)
        tf.summary.text("t", ["a", "b"], description="two")
    (sound,) = read(tmp_path).Tensors("au")
    assert sound.tensor_proto.string_val[0].startswith(b"RIFF")
    assert numbers(tmp_path, "t") == [(1, [b"a", b"b"])]
    assert (plugin(tmp_path, "au"), plugin(tmp_path, "t")) == ("audio", "text")
    assert read(tmp_path).SummaryMetadata("t").summary_description == "two"


def test_a_text_is_of_strings(writer):
    with writer.as_default(step=1), pytest.raises(TypeError, match="takes strings, got int32"):
        tf.summary.text("t", 1)


def test_tensors_are_written_as_they_are(writer, tmp_path):
    with writer.as_default(step=1):
        assert tf.summary.write("w", [1, 2])
        assert tf.summary.write("f", lambda: tf.constant([1.5]))
    assert numbers(tmp_path, "w") == [(1, [1, 2])]
    assert numbers(tmp_path, "f") == [(1, [1.5])]


def test_packed_summaries_and_graphs_are_written(writer, tmp_path):
    value = tf.compat.v1.Summary.Value(tag="raw", simple_value=2.0)
    packed = tf.compat.v1.Summary(value=[value]).SerializeToString()
    with writer.as_default():
        assert tf.summary.experimental.write_raw_pb(packed, step=2)
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name="one")
        tf.summary.graph(graph)
    found = read(tmp_path)
    assert found.Scalars("raw")[0].value == 2.0
    assert found.Graph().node[0].name == "one"


def test_metadata_names_the_plugin_that_shows_a_summary(writer, tmp_path):
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "graph_keras_model"
    with writer.as_default(step=0):
        tf.summary.write("keras", "{}", metadata=metadata)
    assert read(tmp_path).SummaryMetadata("keras").plugin_data.plugin_name == "graph_keras_model"


def test_the_graph_of_a_functions_first_trace_can_be_drawn(writer, tmp_path):
    @tf.function
    def double(x):
        return tf.multiply(x, 2.0, name="twice")

    assert not hasattr(double, "_concrete_variable_creation_fn")
    double(1.0)
    double([1.0])
    with writer.as_default():
        tf.summary.graph(double._concrete_variable_creation_fn.graph)
    names = {node.name: node for node in read(tmp_path).Graph().node}
    assert not names["twice"].attr["_output_shapes"].list.shape[0].dim


def test_a_writer_can_stay_the_default_one(writer, tmp_path):
    other = tf.summary.create_noop_writer()
    writer.set_as_default(step=2)
    tf.summary.scalar("a", 1.0)
    other.set_as_default()
    with other.as_default(step=9):
        tf.summary.scalar("a", 2.0)
    tf.summary.flush()
    assert numbers(tmp_path, "a") == [(2, 1.0), (2, 2.0)]


def test_a_writer_that_does_nothing_is_no_default_writer():
    other = tf.summary.create_noop_writer()
    other.init()
    with other.as_default():
        assert not tf.summary.write("a", 1.0, step=1)
    other.set_as_default()
    assert not tf.summary.write("a", 1.0, step=1)
    other.flush()
    other.close()


def test_what_a_function_wrote_is_in_the_file_when_its_scope_ends(writer, tmp_path):
    step = tf.Variable(-1, dtype=tf.int64)

    @tf.function
    def is_even():
        step.assign_add(1)
        return step % 2 == 0

    @tf.function
    def f():
        with writer.as_default(), tf.summary.record_if(is_even):
            return [tf.summary.write("a", 1.0, step=step) for _ in range(3)]

    assert [bool(each) for each in f()] == [True, False, True]
    assert numbers(tmp_path, "a") == [(0, 1.0), (2, 1.0)]
    assert [bool(each) for each in f()] == [False, True, False]
    assert numbers(tmp_path, "a")[2:] == [(4, 1.0)]


def test_a_condition_is_asked_before_the_step_is_read(writer, tmp_path):
    step = tf.Variable(-1, dtype=tf.int64)

    def is_even():
        step.assign_add(1)
        return int(step % 2) == 0

    with writer.as_default(), tf.summary.record_if(is_even):
        for _ in range(3):
            tf.summary.write("a", 1.0, step=step)
    assert numbers(tmp_path, "a") == [(0, 1.0), (2, 1.0)]


def test_what_is_not_recorded_is_not_computed_and_needs_no_step(writer):
    calls = []
    with writer.as_default(), tf.summary.record_if(False):
        assert not tf.summary.write("a", lambda: calls.append(1) or 1.0)
        assert not tf.summary.scalar("a", 1.0)
    assert not calls

    @tf.function
    def f(is_wanted):
        def value():
            counter.assign_add(1)
            return counter.read_value()

        with writer.as_default(), tf.summary.record_if(is_wanted):
            return tf.summary.write("a", value, step=1)

    counter = tf.Variable(0)
    assert [bool(f(tf.constant(each))) for each in (True, False, True)] == [True, False, True]
    assert int(counter) == 2


def test_events_wait_until_there_are_more_than_a_writer_keeps(tmp_path):
    kept = tf.summary.create_file_writer(str(tmp_path), max_queue=1, flush_millis=999999)
    with kept.as_default():
        tf.summary.write("a", 1.0, step=0)
        assert not read(tmp_path).Tags()["tensors"]
        tf.summary.write("a", 1.0, step=1)
        assert len(numbers(tmp_path, "a")) == 2


def test_tags_and_metadata_may_be_tensors_and_are_written_each_time(writer, tmp_path):
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "mine"

    @tf.function
    def f(tag, packed):
        with writer.as_default():
            tf.summary.write(tag, 1.0, step=1, metadata=packed)

    for tag in ("a", "b", "a"):
        f(tf.constant(tag), tf.constant(metadata.SerializeToString()))
    [path] = map(str, tmp_path.iterdir())
    values = [e.summary.value[0] for e in tf.compat.v1.train.summary_iterator(path) if e.step]
    assert [each.tag for each in values] == ["a", "b", "a"]
    assert all(each.metadata == metadata for each in values)


def test_packed_summaries_become_one_event(writer, tmp_path):
    packed = [tf.compat.v1.summary.scalar(name, 2.0).numpy() for name in "abc"]
    with writer.as_default():
        tf.summary.experimental.write_raw_pb([packed], step=1)
    [path] = map(str, tmp_path.iterdir())
    events = [e for e in tf.compat.v1.train.summary_iterator(path) if e.step]
    assert [[v.tag for v in e.summary.value] for e in events] == [["a", "b", "c"]]


def test_a_closed_writer_is_not_written_to(writer):
    @tf.function
    def f():
        with writer.as_default():
            return tf.summary.write("a", 1.0, step=1)

    f()
    with writer.as_default():
        writer.close()
        writer.close()
        with pytest.raises(tf.errors.NotFoundError, match=r"Resource .* does not exist"):
            tf.summary.write("a", 1.0, step=1)
    with pytest.raises(tf.errors.NotFoundError, match=r"Resource .* does not exist"):
        f()
    with pytest.raises(RuntimeError, match="is already closed"):
        writer.init()


def test_sessions_open_a_file_whenever_a_writer_begins(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step=1):
            written = tf.summary.write("a", 1.0)
        assert tf.compat.v1.summary.all_v2_summary_ops() == [written]
        assert not list(tmp_path.iterdir())
        for _ in range(3):
            session.run(writer.init())
            session.run(written)
            session.run(writer.close())
        with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
            session.run(written)
    assert len(list(tmp_path.iterdir())) == 3
    assert len(numbers(tmp_path, "a")) == 3


def test_folders_of_graphs_are_refused(tmp_path):
    @tf.function
    def f(folder):
        tf.summary.create_file_writer(folder)

    with pytest.raises(ValueError, match=r"Invalid graph Tensor argument 'logdir="):
        f(tf.constant(str(tmp_path)))
    tf.summary.create_file_writer(tf.constant(str(tmp_path)))
    assert len(list(tmp_path.iterdir())) == 1


def test_a_closed_writer_cannot_be_the_default_one(writer):
    writer.close()
    with pytest.raises(RuntimeError, match="is already closed"), writer.as_default():
        pass


def test_a_writer_needs_a_folder():
    with pytest.raises(ValueError, match="Argument `logdir` cannot be None"):
        tf.summary.create_file_writer(None)


def test_a_files_name_ends_with_the_suffix(tmp_path):
    tf.summary.create_file_writer(str(tmp_path / "a")).close()
    tf.summary.create_file_writer(str(tmp_path / "b"), filename_suffix=".mine").close()
    names = [each.name for folder in ("a", "b") for each in (tmp_path / folder).iterdir()]
    assert names[0].endswith(".v2")
    assert names[1].endswith(".mine")


def test_traces_say_what_to_use_instead():
    tf.summary.trace_off()
    with pytest.raises(NotImplementedError, match=r"emplace\.watch"):
        tf.summary.trace_on(graph=True)
    with pytest.raises(NotImplementedError, match=r"emplace\.explain"):
        tf.summary.trace_export("x", step=1)


def test_tf1s_functions_return_summaries_eagerly():
    v1 = tf.compat.v1
    summary = v1.Summary.FromString(v1.summary.scalar("loss", 0.5).numpy())
    assert (summary.value[0].tag, summary.value[0].simple_value) == ("loss", 0.5)
    with pytest.raises(RuntimeError, match="not compatible with eager execution"):
        v1.summary.merge_all()


def test_eager_summaries_of_tf1_have_the_open_scope_in_their_tags():
    v1 = tf.compat.v1

    def tag(summary):
        return v1.Summary.FromString(summary.numpy()).value[0].tag

    with tf.name_scope("foo"), v1.name_scope("zod"):
        assert tag(v1.summary.tensor_summary("s", 1)) == "foo/zod/s"
        assert tag(v1.summary.scalar("x", 1.0)) == "foo/zod/x"
        assert tag(v1.summary.scalar("x", 1.0, family="q")) == "q/foo/zod/q/x"
    assert tag(v1.summary.scalar("x", 1.0)) == "x"


def test_sessions_run_the_operations_that_write(writer, tmp_path):
    v1 = tf.compat.v1
    with v1.Graph().as_default(), writer.as_default(step=1), v1.Session() as session:
        tf.summary.scalar("a", 1.0)
        tf.summary.scalar("b", 2.0)
        session.run(writer.init())
        session.run(v1.summary.all_v2_summary_ops())
        session.run(writer.flush())
        assert numbers(tmp_path, "a") == [(1, 1.0)]
        session.run(writer.close())
    assert numbers(tmp_path, "b") == [(1, 2.0)]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: tf.summary.write("a", 1.0, step=2.5), TypeError, "Cannot convert 2.5 to Eager"),
        (lambda: tf.summary.write("a", 1.0, step="x"), TypeError, "Cannot convert 'x' to Eager"),
        (lambda: tf.summary.write(None, 1.0, step=2), ValueError, "unsupported type"),
        (lambda: tf.summary.write("a", 1, step=[1, 2]), ValueError, r"scalar\. .* shape \(2,\)"),
        (lambda: tf.summary.write(3, 1, step=1), TypeError, "Cannot convert 3 to EagerTensor"),
        (lambda: tf.summary.flush(()), ValueError, r"Invalid argument to flush\(\): \(\)"),
        (lambda: tf.summary.graph(3), ValueError, r"is not tf\.Graph .* of type int"),
        (
            lambda: tf.summary.experimental.write_raw_pb("zzz", step=1),
            tf.errors.DataLossError,
            "Bad tf.compat.v1.Summary binary proto tensor string",
        ),
    ],
)
def test_wrong_calls_are_refused_in_tensorflows_words(writer, make, error, text):
    with writer.as_default(), pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize("option", ["max_queue", "flush_millis", "filename_suffix"])
def test_options_of_a_writer_are_scalars(tmp_path, option):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{option} must be a scalar"):
        tf.summary.create_file_writer(str(tmp_path), **{option: [1, 2]})
