"""TF 1: summaries that sessions return, and the event files that TensorBoard reads."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import emplace.tensorflow.compat.v1 as tf1


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


def run(tensor: Any) -> Any:
    """A summary that a session returns."""
    with tf1.Session() as session:
        return tf1.Summary.FromString(session.run(tensor))


def read(folder: Path) -> EventAccumulator:
    """What TensorBoard reads in a folder."""
    return EventAccumulator(str(folder)).Reload()


def events(folder: Path) -> list[Any]:
    (path,) = folder.glob("events.out.tfevents.*")
    return list(tf1.train.summary_iterator(str(path)))


# -- what TensorBoard reads ------------------------------------------------------------------------


def test_tensorboard_reads_what_a_training_loop_writes(graph, tmp_path):
    x = tf1.placeholder(tf1.float32, [], name="x")
    tf1.summary.scalar("loss", x * 2.0)
    tf1.summary.histogram("values", tf1.stack([x, x, x + 1.0]))
    merged = tf1.summary.merge_all()
    with tf1.Session() as session, tf1.summary.FileWriter(str(tmp_path), graph) as writer:
        for step in range(3):
            writer.add_summary(session.run(merged, {x: step}), step)
    found = read(tmp_path)
    assert [(each.step, each.value) for each in found.Scalars("loss")] == [
        (0, 0.0),
        (1, 2.0),
        (2, 4.0),
    ]
    histogram = found.Histograms("values")[0].histogram_value
    assert (histogram.min, histogram.max, histogram.num, histogram.sum) == (2.0, 3.0, 3.0, 7.0)


def test_tensorboard_draws_the_graph(graph, tmp_path):
    with tf1.name_scope("layer"):
        a = tf1.placeholder(tf1.float32, [None, 2], name="a")
        b = tf1.constant([[1.0], [2.0]], name="b")
        with tf1.device("/cpu:0"), tf1.control_dependencies([a.op]):
            tf1.matmul(a, b, name="product")
    tf1.summary.FileWriter(str(tmp_path), graph).close()
    nodes = {node.name: node for node in read(tmp_path).Graph().node}
    product = nodes["layer/product"]
    assert product.op == "MatMul"
    assert list(product.input) == ["layer/a", "layer/b", "^layer/a"]
    assert product.device == "/device:CPU:0"
    assert product.attr["_output_shapes"].list.shape[0].dim[0].size == -1


def test_tensorboard_shows_pictures_and_sounds(tmp_path):
    picture = tf1.summary.image("picture", np.zeros([1, 2, 3, 1], np.uint8), max_outputs=1)
    sound = tf1.summary.audio("sound", np.zeros([1, 10, 2], np.float32), 8000)
    with tf1.Session() as session, tf1.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(session.run(tf1.summary.merge([picture, sound])), 1)
    found = read(tmp_path)
    image = found.Images("picture/image")[0]
    assert (image.width, image.height) == (3, 2)
    assert found.Audio("sound/audio/0")[0].sample_rate == 8000.0


# -- the summaries --------------------------------------------------------------------------------


def test_a_summarys_tag_is_the_name_of_its_operation():
    first = tf1.summary.scalar("loss", 1.5)
    with tf1.name_scope("tower"):
        second = tf1.summary.scalar("loss", 2.0)
    third = tf1.summary.scalar("loss", 2.0)
    assert (first.op.type, first.op.name, first.shape.rank) == ("ScalarSummary", "loss", 0)
    assert [run(each).value[0].tag for each in (first, second, third)] == [
        "loss",
        "tower/loss",
        "loss_1",
    ]
    assert run(first).value[0].simple_value == 1.5


def test_a_family_comes_first_in_the_tag():
    summary = tf1.summary.scalar("acc", 1.0, family="f")
    assert summary.op.name == "f/acc"
    assert run(summary).value[0].tag == "f/f/acc"


def test_signs_that_names_cannot_have_become_underscores():
    assert run(tf1.summary.scalar("my loss:0", 1.0)).value[0].tag == "my_loss_0"


def test_whole_numbers_are_summarised_too():
    assert run(tf1.summary.scalar("n", tf1.constant(3))).value[0].simple_value == 3.0


def test_a_histogram_is_tensorflows():
    values = run(tf1.summary.histogram("h", [0.0, 1.0, 1.0, 3.0, -2.0])).value[0].histo
    assert (values.min, values.max, values.num, values.sum, values.sum_squares) == (-2, 3, 5, 3, 15)
    assert list(values.bucket_limit) == [
        -2.1628190051144287,
        -1.9661990955585713,
        0.0,
        1e-12,
        0.917246389039776,
        1.0089710279437536,
        2.8787120958073054,
        3.1665833053880363,
        1.7976931348623157e308,
    ]
    assert list(values.bucket) == [0, 1, 0, 1, 0, 2, 0, 1, 0]


def test_a_histogram_of_nothing_is_tensorflows():
    values = run(tf1.summary.histogram("h", tf1.zeros([0]))).value[0].histo
    assert (values.min, values.max) == (1.7976931348623157e308, -1.7976931348623157e308)
    assert list(values.bucket) == [0]


def test_a_histogram_refuses_what_is_not_finite():
    with pytest.raises(tf1.errors.InvalidArgumentError, match="Nan in summary histogram for: h"):
        run(tf1.summary.histogram("h", [np.nan]))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: tf1.summary.histogram("h", [np.inf]), tf1.errors.InvalidArgumentError,
         "Infinity in Histogram for: h"),
        (lambda: tf1.summary.audio("a", tf1.zeros([4]), 8000.0), tf1.errors.InvalidArgumentError,
         r"Tensor must be 3-D or 2-D, got: \[4\]"),
        (lambda: tf1.summary.merge([tf1.constant("abc")]), tf1.errors.InvalidArgumentError,
         "Could not parse one of the summary inputs"),
        (lambda: tf1.summary.image("i", tf1.zeros([1, 2, 2, 1]), 0), ValueError,
         "Attr 'max_images' of 'ImageSummary' Op passed 0 less than minimum 1"),
        (lambda: tf1.summary.scalar(None, 1.0), ValueError, "At least one of name"),
        (lambda: tf1.summary.scalar("b", True), TypeError, "passed to parameter 'values'"),
    ],
)  # fmt: skip
def test_what_cannot_be_summarised_is_refused_in_tensorflows_words(make, error, text):
    with pytest.raises(error, match=text):
        run(make())


def pixels(value: Any) -> list[Any]:
    found = np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string)))
    return found.reshape(-1).tolist()


def test_pictures_are_numbered():
    values = run(tf1.summary.image("im", np.zeros([5, 2, 2, 1], np.uint8))).value
    assert [value.tag for value in values] == ["im/image/0", "im/image/1", "im/image/2"]


def test_a_picture_of_numbers_is_stretched_to_bytes():
    low = run(tf1.summary.image("a", [[[[0.0], [1.0], [-1.0], [2.0]]]])).value[0]
    high = run(tf1.summary.image("b", [[[[0.0], [1.0], [0.5], [2.0]]]])).value[0]
    assert pixels(low) == [128, 191, 64, 255]
    assert pixels(high) == [0, 127, 63, 255]


def test_a_pixel_that_is_no_number_is_red():
    values = run(tf1.summary.image("a", [[[[np.nan, 0.0, 0.0], [1.0, 1.0, 1.0]]]])).value[0]
    assert pixels(values) == [255, 0, 0, 255, 255, 255]


def test_a_picture_has_four_dimensions():
    text = r"Tensor must be 4-D with last dim 1, 3, or 4, not \[2,2\]"
    with pytest.raises(tf1.errors.InvalidArgumentError, match=text):
        run(tf1.summary.image("im", tf1.zeros([2, 2])))


def test_texts_and_tensors_are_kept_as_they_are():
    text = run(tf1.summary.text("t", tf1.constant(["a", "b"]))).value[0]
    assert list(text.tensor.string_val) == [b"a", b"b"]
    assert text.metadata.plugin_data.plugin_name == "text"
    other = run(tf1.summary.tensor_summary("x", [1.0, 2.0], display_name="X")).value[0]
    assert np.frombuffer(other.tensor.tensor_content, np.float32).tolist() == [1.0, 2.0]
    assert other.metadata.display_name == "X"


def test_a_text_is_of_strings():
    with pytest.raises(ValueError, match="to have dtype string, got <dtype: 'int32'>"):
        tf1.summary.text("t", tf1.constant(1))


def test_a_scalar_has_no_dimensions():
    text = r"tags and values are not the same shape: \[\] != \[2\] \(tag 'v'\)"
    with pytest.raises(tf1.errors.InvalidArgumentError, match=text):
        run(tf1.summary.scalar("v", [1.0, 2.0]))


def test_a_tag_is_merged_once():
    a = tf1.summary.scalar("a", 1.0)
    with pytest.raises(
        tf1.errors.InvalidArgumentError, match="Duplicate tag a found in summary inputs"
    ):
        run(tf1.summary.merge([a, a]))


def test_merging_takes_some_lists_or_scopes_only(graph):
    tf1.summary.scalar("a", 1.0, collections=["mine"])
    with tf1.name_scope("tower"):
        tf1.summary.scalar("b", 1.0)
    tf1.summary.scalar("c", 1.0)
    assert [value.tag for value in run(tf1.summary.merge_all("mine")).value] == ["a"]
    assert [value.tag for value in run(tf1.summary.merge_all(scope="tower")).value] == ["tower/b"]
    assert tf1.summary.merge_all("none") is None
    with pytest.raises(ValueError, match="shorter than minimum length 1"):
        tf1.summary.merge([])


@pytest.mark.gpus(2)
def test_summaries_of_what_is_on_a_gpu_run_on_the_cpu():
    with tf1.device("/gpu:1"):
        summary = tf1.summary.scalar("a", tf1.constant(1.0) + 1.0)
    config = tf1.ConfigProto(allow_soft_placement=True)
    with tf1.Session(config=config) as session:
        found = tf1.Summary.FromString(session.run(summary))
    assert found.value[0].simple_value == 2.0


# -- the file writer ------------------------------------------------------------------------------


def test_a_file_begins_with_its_version(tmp_path):
    tf1.summary.FileWriter(str(tmp_path), filename_suffix=".mine").close()
    assert events(tmp_path)[0].file_version == "brain.Event:2"
    assert next(tmp_path.iterdir()).name.endswith(".mine")


def test_what_was_written_is_there_after_a_flush(tmp_path):
    writer = tf1.summary.FileWriter(str(tmp_path / "a" / "b"))
    value = tf1.Summary.Value(tag="loss", simple_value=0.5)
    writer.add_summary(tf1.Summary(value=[value]), global_step=np.int64(7))
    writer.flush()
    assert [event.step for event in events(tmp_path / "a" / "b")] == [0, 7]
    assert writer.get_logdir() == str(tmp_path / "a" / "b")
    writer.close()


def test_events_wait_until_they_are_many(tmp_path):
    writer = tf1.summary.FileWriter(str(tmp_path), max_queue=3)
    for step in range(4):
        writer.add_event(tf1.Event(step=step))
        assert len(events(tmp_path)) == (1 if step < 2 else 4)
    writer.close()


def test_how_to_show_a_tag_is_told_once(tmp_path):
    with tf1.Session() as session, tf1.summary.FileWriter(str(tmp_path)) as writer:
        summary = session.run(tf1.summary.text("t", tf1.constant("a")))
        writer.add_summary(summary, 1)
        writer.add_summary(summary, 2)
    told = [event.summary.value[0].HasField("metadata") for event in events(tmp_path)[1:]]
    assert told == [True, False]


def test_traces_and_session_logs_are_written(tmp_path):
    metadata = tf1.RunMetadata()
    with tf1.Session() as session, tf1.summary.FileWriter(str(tmp_path)) as writer:
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        session.run(tf1.random_uniform([2]), options=options, run_metadata=metadata)
        writer.add_run_metadata(metadata, "step1", 1)
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.START), 1)
        with pytest.raises(ValueError, match="The provided tag was already used"):
            writer.add_run_metadata(metadata, "step1")
    assert read(tmp_path).RunMetadata("step1").step_stats.dev_stats
    assert events(tmp_path)[2].session_log.status == tf1.SessionLog.START


def test_a_closed_writer_warns_until_it_is_opened_again(tmp_path):
    writer = tf1.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match="Attempting to use a closed FileWriter"):
        writer.add_event(tf1.Event(step=1))
    writer.reopen()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        writer.add_event(tf1.Event(step=2))
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_the_cache_has_one_writer_per_folder(tmp_path):
    cache = tf1.summary.FileWriterCache
    first = cache.get(str(tmp_path))
    assert cache.get(str(tmp_path)) is first
    cache.clear()
    assert cache.get(str(tmp_path)) is not first
    cache.clear()


def test_a_graph_must_be_one(tmp_path):
    with (
        tf1.summary.FileWriter(str(tmp_path)) as writer,
        pytest.raises(TypeError, match="must be an instance of `Graph`"),
    ):
        writer.add_graph(3)


def test_events_that_are_added_behind_the_end_are_read(tmp_path):
    writer = tf1.summary.FileWriter(str(tmp_path))
    writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.START), 1)
    writer.flush()
    (path,) = tmp_path.iterdir()
    events = tf1.train.summary_iterator(str(path))
    assert [event.step for event in events] == [0, 1]
    writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.STOP), 2)
    writer.close()
    assert [event.step for event in events] == [2]


@pytest.mark.parametrize(("rate", "told"), [(0.2, 1), (1.0, 1), (2.5, 2), (8000.7, 8001)])
def test_the_rate_of_a_sound_is_rounded_and_at_least_1(rate, told):
    with tf1.Graph().as_default(), tf1.Session() as session:
        sound = tf1.summary.audio("a", [[[0.0], [0.5]]], rate)
        summary = tf1.Summary.FromString(session.run(sound))
    wav = summary.value[0].audio.encoded_audio_string
    assert int.from_bytes(wav[24:28], "little") == told
    assert summary.value[0].audio.sample_rate == pytest.approx(rate)


@pytest.mark.parametrize("rate", [0.0, -5.0, float("nan")])
def test_a_sound_without_a_rate_is_refused(rate):
    with tf1.Graph().as_default(), tf1.Session() as session:
        sound = tf1.summary.audio("a", [[[0.0], [0.5]]], rate)
        with pytest.raises(tf1.errors.InvalidArgumentError, match="sample_rate"):
            session.run(sound)
