"""TFRecord files and the messages in them, byte for byte as TensorFlow writes them."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
RECORDS = [b"hello", b"", b"x" * 100]
# What TensorFlow 2.21 wrote for "hello" and an empty record.
WRITTEN = (
    b"\x05\x00\x00\x00\x00\x00\x00\x00\xea\xb2\x04>hello\xbb\x1f\x1c\x19"
    b"\x00\x00\x00\x00\x00\x00\x00\x00)\x03\x98\x07\xd8\xea\x82\xa2"
)


def write(path: Path, compression: str = "") -> str:
    with tf.io.TFRecordWriter(path, compression) as writer:
        for record in RECORDS:
            writer.write(record)
    return str(path)


def read(path: Path | str, options: object = None) -> list[bytes]:
    return list(v1.io.tf_record_iterator(path, options))


def test_records_are_written_as_tensorflow_writes_them(tmp_path: Path) -> None:
    assert Path(write(tmp_path / "a")).read_bytes().startswith(WRITTEN)


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_come_back(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "a", compression)
    assert read(path, tf.io.TFRecordOptions(compression)) == RECORDS


def test_a_record_may_be_longer_than_what_is_read_at_once(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(tmp_path / "a", "GZIP") as writer:
        writer.write(b"ab" * 500_000)
        writer.write(b"end")
    assert read(tmp_path / "a", "GZIP") == [b"ab" * 500_000, b"end"]


def test_files_of_gzip_may_be_joined(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "a", "GZIP"))
    path.write_bytes(path.read_bytes() * 2)
    assert read(path, "GZIP") == RECORDS * 2


@pytest.mark.parametrize(
    ("keep", "text"),
    [(-2, "truncated record at 37' failed with Read less bytes than requested"),
     (20, "truncated record at 0' failed with Read less bytes than requested")],
)  # fmt: skip
def test_a_file_that_is_cut_off_is_data_loss(tmp_path: Path, keep: int, text: str) -> None:
    path = Path(write(tmp_path / "a"))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(tf.errors.DataLossError) as caught:
        read(path)
    assert caught.value.message == text


def test_a_few_bytes_are_no_record(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(WRITTEN[:5])
    assert read(tmp_path / "a") == []


def test_a_changed_length_is_data_loss(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\1" + WRITTEN[1:])
    with pytest.raises(tf.errors.DataLossError, match=r"corrupted record at 0 \(Is this even a"):
        read(tmp_path / "a")


def test_a_changed_record_is_data_loss(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(WRITTEN.replace(b"hello", b"jello"))
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 12"):
        read(tmp_path / "a")


def test_a_file_of_another_compression_is_data_loss(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match=r"inflate.* -3: incorrect header check"):
        read(write(tmp_path / "a"), "GZIP")


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        read(tmp_path / "none")


def test_an_unknown_compression_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match='Not a valid compression_type: "BAD"'):
        tf.io.TFRecordWriter(tmp_path / "a", "BAD")


def test_a_closed_writer_writes_nothing(tmp_path: Path) -> None:
    writer = tf.io.TFRecordWriter(tmp_path / "a")
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
        writer.write(b"a")


def test_the_compressions_have_the_numbers_of_tf_1() -> None:
    kinds = v1.python_io.TFRecordCompressionType
    assert (kinds.NONE, kinds.ZLIB, kinds.GZIP) == (0, 1, 2)
    assert tf.io.TFRecordOptions.get_compression_type_string(kinds.GZIP) == "GZIP"


def test_an_example_has_the_bytes_of_tensorflow() -> None:
    feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 300]))
    example = tf.train.Example(features=tf.train.Features(feature={"a": feature}))
    data = example.SerializeToString()
    assert data == (
        b"\n\x18\n\x16\n\x01a\x12\x11\x1a\x0f\n\r\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"
        b"\xac\x02"
    )
    assert tf.train.Example.FromString(data) == example


def test_a_message_says_what_it_is() -> None:
    assert tf.train.SequenceExample.DESCRIPTOR.full_name == "tensorflow.SequenceExample"
    feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"x"]))
    assert feature.WhichOneof("kind") == "bytes_list"
    assert str(feature) == 'bytes_list {\n  value: "x"\n}\n'


def test_an_example_can_be_pickled() -> None:
    example = tf.train.Int64List(value=[1, 2])
    assert pickle.loads(pickle.dumps(example)) == example


def test_what_is_no_example_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        tf.io.parse_example([b"junk!"], {"a": tf.io.VarLenFeature(tf.int64)})


def test_sequences_are_parsed_in_a_dataset():
    def packed(numbers):
        example = tf.train.SequenceExample()
        example.context.feature["length"].int64_list.value.append(len(numbers))
        steps = example.feature_lists.feature_list["steps"].feature
        for number in numbers:
            steps.add().int64_list.value.append(number)
        return example.SerializeToString()

    context = {"length": tf.io.FixedLenFeature([], tf.int64)}
    lists = {"steps": tf.io.FixedLenSequenceFeature([], tf.int64)}
    texts = tf.data.Dataset.from_tensor_slices([packed([1, 2, 3]), packed([4])])
    one = texts.map(lambda text: tf.io.parse_single_sequence_example(text, context, lists))
    assert one.element_spec[1]["steps"].shape.as_list() == [None]
    assert [x["steps"].numpy().tolist() for _, x in one] == [[1, 2, 3], [4]]
    many = texts.batch(2).map(lambda text: tf.io.parse_sequence_example(text, context, lists))
    ((found, steps, lengths),) = many
    assert found["length"].numpy().tolist() == [3, 1]
    assert steps["steps"].numpy().tolist() == [[1, 2, 3], [4, 0, 0]]
    assert lengths["steps"].numpy().tolist() == [3, 1]


def test_arrays_become_protos_and_come_back():
    for given in (
        [[1.0, 2.0]],
        [1, 2],
        True,
        np.int64([3, 4]),
        np.float16([1.5]),
        tf.constant([7]),
    ):
        proto = tf.make_tensor_proto(given)
        array = tf.make_ndarray(proto)
        assert proto.dtype == tf.as_dtype(array.dtype).as_datatype_enum
        assert array.tolist() == np.asarray(given).tolist()
    assert tf.make_tensor_proto([1, 2], tf.bfloat16).dtype == tf.bfloat16.as_datatype_enum
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], tf.bfloat16)).tolist() == [1, 2]
    assert tf.make_ndarray(tf.make_tensor_proto(["a"])).tolist() == [b"a"]
    assert tf.make_ndarray(tf.make_tensor_proto(3, shape=[2])).tolist() == [3, 3]


def test_a_proto_of_another_shape_is_refused():
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(2, 2\)"):
        tf.make_tensor_proto([1, 2], shape=[2, 2], verify_shape=True)


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_a_file_that_grows_is_read_on_behind_its_end(tmp_path, compression):
    path = str(tmp_path / "growing")
    with tf.io.TFRecordWriter(path, compression) as writer:
        writer.write(b"one")
        writer.write(b"two")
        writer.flush()
        options = tf.compat.v1.io.TFRecordOptions(
            getattr(tf.compat.v1.io.TFRecordCompressionType, compression or "NONE")
        )
        records = tf.compat.v1.io.tf_record_iterator(path, options)
        assert list(records) == [b"one", b"two"]
        assert list(records) == []
        writer.write(b"three")
        writer.flush()
        assert list(records) == [b"three"]


def test_a_record_that_is_half_there_is_read_when_the_rest_is(tmp_path):
    path = tmp_path / "half"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write(b"first")
        writer.write(b"second")
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    records = tf.compat.v1.io.tf_record_iterator(str(path))
    assert next(records) == b"first"
    with pytest.raises(tf.errors.DataLossError):
        next(records)
    path.write_bytes(whole)
    assert next(records) == b"second"


def test_a_file_that_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        tf.compat.v1.io.tf_record_iterator(str(tmp_path / "none"))
