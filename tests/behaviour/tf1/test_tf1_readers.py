"""TF 1's readers: what they give for files in a queue, as TensorFlow 2.21 does."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow.compat.v1 as tf1
from emplace.base.errors import (
    InvalidArgumentError,
    NotFoundError,
    OutOfRangeError,
    UnimplementedError,
)


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    tf1.disable_v2_behavior()
    with tf1.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with small files, which is the current one."""
    (tmp_path / "a.txt").write_bytes(b"l1\nl2\r\nl3")
    (tmp_path / "b.txt").write_bytes(b"m1\nm2\n")
    (tmp_path / "e.txt").write_bytes(b"")
    (tmp_path / "f.bin").write_bytes(b"HHaabbccFF")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def read(reader: Any, files: list[str], most: int | None = None) -> list[Any]:
    """All that a reader gives for files."""
    queue = tf1.train.string_input_producer(files, num_epochs=1, shuffle=False)
    fetch = reader.read(queue) if most is None else reader.read_up_to(queue, most)
    found = []
    with tf1.Session() as session:
        session.run(tf1.local_variables_initializer())
        coord = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(session, coord)
        try:
            while True:
                found.append(tuple(session.run(fetch)))
        except OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    return found if most is None else [(k.tolist(), v.tolist()) for k, v in found]


def test_lines_have_the_file_and_their_number_as_key(folder):
    assert read(tf1.TextLineReader(), ["a.txt", "e.txt", "b.txt"]) == [
        (b"a.txt:1", b"l1"), (b"a.txt:2", b"l2"), (b"a.txt:3", b"l3"),
        (b"b.txt:1", b"m1"), (b"b.txt:2", b"m2"),
    ]  # fmt: skip


def test_several_lines_are_of_one_file(folder):
    assert read(tf1.TextLineReader(), ["a.txt", "b.txt"], 2) == [
        ([b"a.txt:1", b"a.txt:2"], [b"l1", b"l2"]),
        ([b"a.txt:3"], [b"l3"]),
        ([b"b.txt:1", b"b.txt:2"], [b"m1", b"m2"]),
    ]


def test_first_lines_can_be_left_out(folder):
    assert read(tf1.TextLineReader(skip_header_lines=1), ["a.txt", "b.txt"], 5) == [
        ([b"a.txt:2", b"a.txt:3"], [b"l2", b"l3"]),
        ([b"b.txt:2"], [b"m2"]),
    ]


@pytest.mark.parametrize(
    ("numbers", "values"),
    [
        ((2, 2, 2), [b"aa", b"bb", b"cc"]),
        ((3,), [b"HHa", b"abb", b"ccF"]),
        ((4, 0, 0, 2), [b"HHaa", b"aabb", b"bbcc", b"ccFF"]),
        ((11,), []),
    ],
)
def test_records_of_one_length(folder, numbers, values):
    found = read(tf1.FixedLengthRecordReader(*numbers), ["f.bin"])
    assert found == [(f"f.bin:{i}".encode(), value) for i, value in enumerate(values)]


def test_records_of_one_length_in_compressed_files(folder):
    (folder / "f.z").write_bytes(zlib.compress(b"HHaabbccFF"))
    reader = tf1.FixedLengthRecordReader(2, 2, 2, encoding="ZLIB")
    assert [value for _, value in read(reader, ["f.z"])] == [b"aa", b"bb", b"cc"]


def test_records_of_no_length_are_refused_by_the_run(folder):
    reader = tf1.FixedLengthRecordReader(0)
    with pytest.raises(InvalidArgumentError, match="record_bytes must be >= 1 but is 0"):
        read(reader, ["f.bin"])


def test_whole_files(folder):
    assert read(tf1.WholeFileReader(), ["a.txt", "b.txt"]) == [
        (b"a.txt", b"l1\nl2\r\nl3"),
        (b"b.txt", b"m1\nm2\n"),
    ]


def test_what_is_in_the_queue(folder):
    assert read(tf1.IdentityReader(), ["x", "y"]) == [(b"x", b"x"), (b"y", b"y")]


def test_records_have_the_file_and_their_place_as_key(folder):
    with tf1.python_io.TFRecordWriter("r.rec") as writer:
        for record in (b"one", b"two", b"three"):
            writer.write(record)
    assert read(tf1.TFRecordReader(), ["r.rec"]) == [
        (b"r.rec:0", b"one"), (b"r.rec:19", b"two"), (b"r.rec:38", b"three"),
    ]  # fmt: skip
    assert read(tf1.TFRecordReader(), ["r.rec"], 2) == [
        ([b"r.rec:0", b"r.rec:19"], [b"one", b"two"]),
        ([b"r.rec:38"], [b"three"]),
    ]


def test_compressed_records(folder):
    options = tf1.python_io.TFRecordOptions(tf1.python_io.TFRecordCompressionType.GZIP)
    with tf1.python_io.TFRecordWriter("r.gz", options) as writer:
        writer.write(b"one")
    assert read(tf1.TFRecordReader(options=options), ["r.gz"]) == [(b"r.gz:0", b"one")]


def test_a_reader_counts_records_and_files(folder):
    reader = tf1.TextLineReader()
    queue = tf1.FIFOQueue(4, tf1.string, shapes=[[]])
    record = reader.read(queue)
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    with tf1.Session() as session:
        session.run(queue.enqueue_many([["a.txt", "b.txt"]]))
        found = []
        for _ in range(4):
            session.run(record)
            found.append(session.run(counts))
        assert found == [[1, 0], [2, 0], [3, 0], [4, 1]]
        session.run(reader.reset())
        assert session.run(counts) == [0, 0]


def test_the_state_of_a_reader_of_whole_files_can_be_kept(folder):
    reader, queue = tf1.WholeFileReader(), tf1.FIFOQueue(4, tf1.string, shapes=[[]])
    state, given = reader.serialize_state(), tf1.placeholder(tf1.string, [])
    back = reader.restore_state(given)
    with tf1.Session() as session:
        session.run(queue.enqueue_many([["a.txt", "b.txt"]]))
        session.run(reader.read(queue))
        kept = session.run(state)
        session.run(reader.reset())
        session.run(back, {given: kept})
        assert session.run(reader.num_records_produced()) == 1
        with pytest.raises(UnimplementedError):
            session.run(tf1.TextLineReader().serialize_state())


def test_a_file_that_does_not_exist_is_told(folder):
    with pytest.raises(NotFoundError, match=r"nosuch\.txt"):
        read(tf1.TextLineReader(), ["nosuch.txt"])


def test_what_a_reader_gives_is_named_and_shaped(folder):
    queue = tf1.FIFOQueue(4, tf1.string, shapes=[[]])
    reader = tf1.TextLineReader()
    assert reader.reader_ref.op.name == "TextLineReaderV2"
    key, value = reader.read(queue)
    assert (key.name, value.name) == ("ReaderReadV2:0", "ReaderReadV2:1")
    assert value.shape.as_list() == []
    assert reader.read_up_to(queue, 3).values.shape.as_list() == [None]


def test_lines_of_csv_files_become_batches(folder):
    (folder / "d.csv").write_text("1.5,a\n2.5,b\n3.5,c\n4.5,d\n")
    queue = tf1.train.string_input_producer(["d.csv"], shuffle=False)
    _, line = tf1.TextLineReader().read(queue)
    number, text = tf1.decode_csv(line, record_defaults=[[0.0], [""]])
    batch = tf1.train.batch([number, text], 4)
    with tf1.Session() as session:
        coord = tf1.train.Coordinator()
        threads = tf1.train.start_queue_runners(session, coord)
        numbers, texts = session.run(batch)
        coord.request_stop()
        coord.join(threads)
    assert numbers.tolist() == [1.5, 2.5, 3.5, 4.5]
    assert texts.tolist() == [b"a", b"b", b"c", b"d"]


def test_examples_of_record_files_become_batches(folder):
    def example(i: int) -> bytes:
        ints = tf1.train.Feature(int64_list=tf1.train.Int64List(value=[i]))
        raw = tf1.train.Feature(bytes_list=tf1.train.BytesList(value=[bytes([i, i + 1])]))
        features = tf1.train.Features(feature={"label": ints, "image": raw})
        example_bytes: bytes = tf1.train.Example(features=features).SerializeToString()
        return example_bytes

    with tf1.python_io.TFRecordWriter("x.rec") as writer:
        for i in range(4):
            writer.write(example(i))
    queue = tf1.train.string_input_producer(["x.rec"], shuffle=False)
    _, serialized = tf1.TFRecordReader().read(queue)
    parsed = tf1.parse_single_example(
        serialized,
        features={
            "label": tf1.FixedLenFeature([], tf1.int64),
            "image": tf1.FixedLenFeature([], tf1.string),
        },
    )
    image = tf1.decode_raw(parsed["image"], tf1.uint8)
    image.set_shape([2])
    images, labels = tf1.train.batch([image, parsed["label"]], 4)
    with tf1.Session() as session:
        threads = tf1.train.start_queue_runners(session)
        batches = session.run([images, labels])
    for thread in threads:
        thread.join(30)
    assert batches[0].tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]
    assert batches[1].tolist() == [0, 1, 2, 3]


def test_readers_need_graphs():
    tf1.enable_eager_execution()
    with tf1.init_scope(), pytest.raises(RuntimeError, match="Readers are not supported when"):
        tf1.TextLineReader()


def test_a_reader_goes_on_from_one_state_only():
    reader = tf1.IdentityReader()
    for states in ([], ["a", "b"]):
        with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
            reader.restore_state(states)
