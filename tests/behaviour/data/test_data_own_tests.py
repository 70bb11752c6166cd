"""What TensorFlow's own tests of tf.data found: ends, shapes, refusals, values that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1

D = tf.data.Dataset


def lists(dataset: Any) -> list[Any]:
    """The elements."""
    return [each.numpy().tolist() for each in dataset]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([0, 5], [[], [0, 1, 2, 3, 4], [], [5, 6, 7]]),
        ([5, 0], [[0, 1, 2, 3, 4], [], [5, 6, 7]]),
        ([0, 0, 3], [[], [], [0, 1, 2], [], [], [3, 4, 5], [], [], [6, 7]]),
        ([3, 0, 0, 2], [[0, 1, 2], [], [], [3, 4], [5, 6, 7], [], []]),
    ],
)
def test_no_empty_batch_comes_after_one_that_met_the_end(sizes: list[int], expected: list[Any]):
    dataset = D.range(8).batch(4).rebatch(sizes)
    assert lists(dataset) == expected


def test_the_end_that_a_batch_met_is_in_a_checkpoint(tmp_path):
    dataset = D.range(8).batch(4).rebatch([5, 0])
    first, second = iter(dataset), iter(dataset)
    for _ in range(3):
        next(first)
    path = tf.train.Checkpoint(iterator=first).save(str(tmp_path / "ckpt"))
    tf.train.Checkpoint(iterator=second).restore(path)
    assert next(second, None) is None


def test_batches_of_one_size_have_that_shape():
    batches = D.range(8).batch(4, drop_remainder=True)
    assert batches.rebatch([2, 2]).element_spec.shape == [2]
    assert batches.rebatch(2).element_spec.shape == [2]
    assert batches.rebatch(3).element_spec.shape.as_list() == [None]
    assert batches.rebatch([1, 2]).element_spec.shape.as_list() == [None]
    loose = D.range(8).batch(4)
    assert loose.rebatch([2, 2], drop_remainder=True).element_spec.shape == [2]
    assert loose.rebatch([0], drop_remainder=True).element_spec.shape == [0]
    assert loose.rebatch([2, 2]).element_spec.shape.as_list() == [None]


def test_arrays_of_a_numpy_iterator_cannot_be_written_to():
    array = next(D.range(3).batch(3).as_numpy_iterator())
    with pytest.raises(ValueError, match=r"^assignment destination is read-only$"):
        array[0] = 5
    inner = next(D.from_tensors({"a": ["x"]}).as_numpy_iterator())["a"]
    assert not inner.flags.writeable
    assert isinstance(next(D.range(1).as_numpy_iterator()), np.int64)


def test_a_numpy_iterator_has_no_elements_that_are_datasets():
    says = r"^`tf.data.Dataset.as_numpy_iterator\(\)` is not supported for datasets that produce "
    for dataset in (
        D.range(3).window(2),
        D.from_tensors(D.range(3)),
        D.from_tensors(tf.experimental.Optional.from_value(1)),
    ):
        with pytest.raises(TypeError, match=says + "values of type <class"):
            dataset.as_numpy_iterator()


def test_a_numpy_iterator_goes_on_where_it_was():
    dataset = D.range(10).shuffle(5, seed=4, reshuffle_each_iteration=False)
    iterator = dataset.as_numpy_iterator()
    next(iterator)
    state = iterator.save()
    rest = list(iterator)
    iterator.restore(state)
    other = dataset.as_numpy_iterator()
    other.restore(state)
    assert [*iterator] == [*other] == rest
    assert state.dtype is tf.string


def test_the_options_of_a_dataset_are_an_answer():
    says = (
        r"^Mutating `tf.data.Options\(\)` returned by `tf.data.Dataset.options\(\)` has no effect. "
        r"Use `tf.data.Dataset.with_options\(options\)` to set or update dataset options.$"
    )
    options = tf.data.Options()
    options.deterministic = False
    dataset = D.range(3).with_options(options)
    with pytest.raises(ValueError, match=says):
        dataset.options().deterministic = True
    with pytest.raises(ValueError, match=says):
        dataset.options().threading.private_threadpool_size = 3
    with pytest.raises(ValueError, match=says):
        D.range(3).options().experimental_optimization.map_fusion = True
    options.threading.private_threadpool_size = 3
    assert dataset.options().deterministic is False
    merged = tf.data.Options().merge(dataset.options())
    merged.deterministic = True


def test_a_cache_in_a_file_may_be_asked_behind_its_end(tmp_path):
    dataset = D.range(10).cache(str(tmp_path / "cache")).map(lambda x: x).batch(4).repeat(2)
    assert lists(dataset) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]] * 2
    iterator = iter(D.range(1).cache(str(tmp_path / "other")))
    assert [next(iterator, None) is None for _ in range(4)] == [False, True, True, True]


def test_an_interleave_by_threads_of_an_endless_dataset_is_endless():
    endless = D.range(5).repeat()
    parallel = endless.interleave(D.from_tensors, cycle_length=1, num_parallel_calls=1)
    assert int(parallel.cardinality()) == -1
    assert int(endless.interleave(D.from_tensors, cycle_length=1).cardinality()) == -2
    assert int(D.range(0).interleave(D.from_tensors, num_parallel_calls=2).cardinality()) == -2


def test_values_of_sessions_that_are_ragged_are_tensors_of_a_dataset():
    value = tf1.ragged.constant_value([[1], [2, 3]])
    spec = D.from_tensors(value).element_spec
    assert (spec.shape.as_list(), spec.dtype, spec.ragged_rank) == ([2, None], tf.int64, 1)
    rows = D.from_tensor_slices((value, [5, 6]))
    assert [(x.numpy().tolist(), int(y)) for x, y in rows] == [([1], 5), ([2, 3], 6)]


def test_datasets_are_refused_by_name():
    with pytest.raises(
        TypeError, match=r"^`padded_batch` is not supported for datasets of dataset"
    ):
        D.range(3).map(D.range).padded_batch(2)
    says = "^The `map_func` argument must return a `Dataset` object. Got <class 'tuple'>.$"
    with pytest.raises(TypeError, match=says):
        D.range(4).interleave(lambda x: (x, x))
    with pytest.raises(TypeError, match=says):
        D.range(4).flat_map(lambda x: (x, x))


def test_a_fingerprint_tells_functions_and_values_apart():
    def prints(*datasets: Any) -> int:
        return len({int(each.fingerprint()) for each in datasets})

    three = D.range(3)
    assert prints(three, D.range(3)) == 1
    assert prints(three, D.range(4)) == 2
    assert prints(three.map(lambda x: x + 1), three.map(lambda x: x + 1)) == 1
    assert prints(three.map(lambda x: x + 1), three.map(lambda x: x + 2)) == 2
    assert prints(three.flat_map(D.range), three.flat_map(lambda x: D.range(x + 1))) == 2
    assert prints(D.from_tensors([1]), D.from_tensors([2])) == 2
    assert prints(D.from_tensors(["a"]), D.from_tensors(["b"])) == 2
    assert prints(three.batch(2), three.batch(3)) == 2
    assert prints(three.shuffle(2, seed=1), three.shuffle(2, seed=1)) == 1
    branch = three.map(lambda x: tf.cond(x > 1, lambda: x, lambda: x + 5))
    assert prints(branch, three.map(lambda x: tf.cond(x > 1, lambda: x, lambda: x + 6))) == 2


def test_a_fingerprint_tells_values_apart_in_a_graph_too():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = [D.from_tensors([n]).take(1) for n in (1, 1, 2)]
        files = [tf.data.TFRecordDataset(["f1", name]) for name in ("f2", "f2", "f3")]
        first, second, other = session.run([each.fingerprint() for each in made])
        assert first == second != other
        first, second, other = session.run([each.fingerprint() for each in files])
        assert first == second != other


@pytest.mark.parametrize(
    ("shape", "rows", "kind", "says"),
    [
        ([5], (3, 3), tf.errors.InvalidArgumentError,
         r"had shape \(\[3,3\]\) that is incompatible with the row shape \(\[5\]\)\."),
        ([5, 5], (3,), tf.errors.InvalidArgumentError,
         r"had shape \(\[3\]\) that is incompatible with the row shape \(\[5,5\]\)\."),
        ([2, None], (3,), tf.errors.InvalidArgumentError,
         r"had shape \(\[3\]\) that is incompatible with the row shape \(\[2,\?\]\)\."),
        ([2], (3,), tf.errors.DataLossError,
         r"Input element had shape \(\[3\]\) that is larger than the row shape \(\[2\]\)\."),
    ],
)  # fmt: skip
def test_rows_of_sparse_batches_fit(shape: Any, rows: Any, kind: type[Exception], says: str):
    batches = D.from_tensors(tf.zeros(rows))
    with pytest.raises(kind, match=says):
        list(batches.apply(tf.data.experimental.dense_to_sparse_batch(2, shape)))


def test_files_are_listed_when_the_function_runs(tmp_path):
    @tf.function
    def count(pattern):
        number = tf.constant(0)
        for _ in tf.data.Dataset.list_files(pattern, shuffle=False):
            number += 1
        return number

    pattern = tf.constant(f"{tmp_path}/*")
    (tmp_path / "a").write_text("x")
    assert int(count(pattern)) == 1
    (tmp_path / "b").write_text("x")
    assert int(count(pattern)) == 2


@pytest.mark.parametrize(
    ("threads", "expected"),
    [
        (1, [[0, 1], [2, 10], [11, 12], [20, 21], [22]]),
        (2, [[0, 10], [1, 11], [2, 12], [20, 21], [22]]),
        (3, [[0, 10], [20, 1], [11, 21], [2, 12], [22]]),
    ],
)
def test_readers_of_examples_take_turns(tmp_path, threads: int, expected: list[Any]):
    for file in range(3):
        with tf.io.TFRecordWriter(f"{tmp_path}/{file}") as writer:
            for i in range(3):
                number = tf.train.Int64List(value=[file * 10 + i])
                feature = {"x": tf.train.Feature(int64_list=number)}
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())
    dataset = tf.data.experimental.make_batched_features_dataset(
        f"{tmp_path}/*", 2, {"x": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1,
        shuffle=False, reader_num_threads=threads,
    )  # fmt: skip
    assert [each["x"].numpy().tolist() for each in dataset] == expected


def _write_numbers(folder, files: int) -> None:
    for file in range(files):
        with tf.io.TFRecordWriter(f"{folder}/{file}") as writer:
            for i in range(3):
                number = tf.train.Int64List(value=[file * 10 + i])
                feature = {"x": tf.train.Feature(int64_list=number)}
                example = tf.train.Example(features=tf.train.Features(feature=feature))
                writer.write(example.SerializeToString())


@pytest.mark.parametrize("shuffles", [True, False])
def test_batches_of_features_come_from_the_files_that_a_session_finds(tmp_path, shuffles):
    with tf.Graph().as_default(), tf1.Session() as session:
        dataset = tf.data.experimental.make_batched_features_dataset(
            f"{tmp_path}/*", 2, {"x": tf.io.FixedLenFeature([], tf.int64)}, num_epochs=1,
            shuffle=shuffles, shuffle_seed=3,
        )  # fmt: skip
        following = tf1.data.make_one_shot_iterator(dataset).get_next()["x"]
        _write_numbers(tmp_path, 2)
        found = [x for _ in range(3) for x in session.run(following).tolist()]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)
    in_order = [0, 1, 2, 10, 11, 12]
    assert sorted(found) == in_order
    assert shuffles or found == in_order


def test_batches_of_features_take_no_reader_of_tf_1():
    with pytest.raises(TypeError, match=r"`tf\.ReaderBase` subclasses are not supported"):
        tf.data.experimental.make_batched_features_dataset(
            "nothing", 2, {"x": tf.io.FixedLenFeature([], tf.int64)}, reader=tf1.TFRecordReader
        )


def _beyond_the_end(x):
    iterator = iter(tf.data.Dataset.range(1))
    next(iterator)
    return next(iterator) + x


def test_a_reduce_function_that_reads_beyond_an_end_is_an_error_and_no_end():
    def read_too_far(key, window):
        return tf.data.Dataset.from_tensors(_beyond_the_end(key))

    dataset = tf.data.Dataset.range(4).group_by_window(lambda x: x % 2, read_too_far, 2)
    with pytest.raises(tf.errors.InternalError, match=r"OUT_OF_RANGE(.|\n)*read_too_far"):
        list(dataset)


def test_a_window_size_function_that_reads_beyond_an_end_is_an_error_and_no_end():
    dataset = tf.data.Dataset.range(4).group_by_window(
        lambda x: x % 2, lambda key, window: window.batch(2), window_size_func=_beyond_the_end
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="End of sequence"):
        list(dataset)


@pytest.mark.parametrize("part", range(3))
def test_a_reducer_that_reads_beyond_an_end_is_an_error_and_no_end(part):
    functions = [lambda key: np.int64(0), lambda state, x: state + x, lambda state: state]
    reads = [_beyond_the_end, lambda state, x: _beyond_the_end(state), _beyond_the_end]
    functions[part] = reads[part]
    reducer = tf.data.experimental.Reducer(*functions)
    group = tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)
    with pytest.raises(tf.errors.InvalidArgumentError, match="End of sequence"):
        list(tf.data.Dataset.range(4).apply(group))


def test_what_ends_with_its_first_dataset_stays_ended():
    datasets = [tf.data.Dataset.range(1), tf.data.Dataset.range(9)]
    choices = tf.data.Dataset.from_tensor_slices(np.array([0, 0, 1, 1], np.int64))
    iterator = iter(tf.data.Dataset.choose_from_datasets(datasets, choices))
    assert next(iterator) == 0
    for _ in range(2):
        with pytest.raises(StopIteration):
            next(iterator)


def test_choosing_among_no_datasets_says_so_first():
    with pytest.raises(ValueError, match="`datasets` should not be empty"):
        tf.data.Dataset.choose_from_datasets([], tf.data.Dataset.from_tensors(1.0))


@pytest.mark.parametrize("dtype", ["bool", "float32", "int8", "uint64", "complex64"])
def test_unique_takes_two_kinds_of_integers_and_strings(dtype):
    dataset = tf.data.Dataset.from_generator(list, output_types=getattr(tf, dtype))
    with pytest.raises(TypeError, match=f"does not support type <dtype: '{dtype}'> -- only"):
        dataset.unique()
    for allowed in (tf.int32, tf.int64, tf.string):
        tf.data.Dataset.from_generator(list, output_types=allowed).unique()


def test_unique_takes_elements_of_one_part():
    with pytest.raises(tf.errors.InvalidArgumentError, match="inputs with a single component"):
        tf.data.Dataset.from_tensors((1, 2)).unique()


def test_rows_whose_numbers_are_known_to_differ():
    dataset = tf.data.Dataset.from_tensors((np.arange(7), np.arange(8)))
    with pytest.raises(ValueError, match=r"matching leading dimension\. Encountered both 7 and 8"):
        dataset.unbatch()


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (lambda x: np.int64((0, 0)), r"types=<dtype: 'int64'> and shapes=\(2,\)"),
        (lambda x: "wrong", "types=<dtype: 'string'> and shapes="),
        (lambda x: 0, "types=<dtype: 'int32'> and shapes="),
    ],
)
def test_the_key_of_a_reducer_is_one_number_of_64_bits(key, told):
    reducer = tf.data.experimental.Reducer(
        lambda key: np.int64(0), lambda state, x: state + x, lambda state: state
    )
    with pytest.raises(ValueError, match=told):
        tf.data.Dataset.range(3).apply(tf.data.experimental.group_by_reducer(key, reducer))


def test_padding_to_a_negative_size():
    pairs = tf.data.Dataset.range(4).map(lambda x: (x, [x]))
    size = tf.constant([-5], tf.int64)
    with pytest.raises(ValueError, match="Dimension -5 must be >= 0"):
        pairs.padded_batch(2, (tf.TensorShape([]), size))

    def batches(key, window):
        shape = tf.constant([5], tf.int64) * -1
        return window.padded_batch(2, (tf.TensorShape([]), shape))

    dataset = pairs.group_by_window(lambda x, y: x * 0, batches, 2)
    with pytest.raises(tf.errors.InternalError, match="Dimension -5 must be >= -1"):
        list(dataset)


@pytest.mark.parametrize(
    ("dataset", "told"),
    [
        (lambda each: each.repeat(), "must have a known cardinalty, but has cardinality -1"),
        (lambda each: each, r"less than the target cardinality \(3\), but has cardinality 5"),
        (lambda each: each.map(lambda x: x["a"]).take(2), "input dataset to be a dictionary"),
    ],
)
def test_what_cannot_be_padded_to_a_cardinality(dataset, told):
    five = tf.data.Dataset.range(5).map(lambda x: {"a": x})
    with pytest.raises(ValueError, match=told):
        dataset(five).apply(tf.data.experimental.pad_to_cardinality(3))


@pytest.mark.parametrize("filler", [(None, ("e", None)), (None, ("e", {"s": None}))])
def test_a_filler_of_none_stands_for_a_whole_structure(filler):
    rows = tf.data.Dataset.range(1, 3).map(
        lambda x: (tf.fill([x], x), (tf.fill([x], "a"), {"s": tf.fill([x], 1.0)}))
    )
    ((numbers, (texts, more)),) = rows.padded_batch(2, padding_values=filler).as_numpy_iterator()
    assert numbers.tolist() == [[1, 0], [2, 2]]
    assert texts.tolist() == [[b"a", b"e"], [b"a", b"a"]]
    assert more["s"].tolist() == [[1.0, 0.0], [1.0, 1.0]]


def test_strings_are_padded_to_a_cardinality_with_empty_ones():
    data = tf.data.Dataset.from_tensor_slices({"a": ([b"x"], [[b"y", b"z"]])})
    padded = data.apply(tf.data.experimental.pad_to_cardinality(2))
    found = [(each["a"][0], each["a"][1].tolist()) for each in padded.as_numpy_iterator()]
    assert found == [(b"x", [b"y", b"z"]), (b"", [b"", b""])]


def test_a_graph_saves_a_dataset_when_its_operation_runs(tmp_path):
    path = str(tmp_path / "saved")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dataset = tf.data.Dataset.range(5)
        save = dataset.save(path, compression="GZIP")
        assert isinstance(save, tf.Operation)
        assert not (tmp_path / "saved").exists()
        loaded = tf.data.Dataset.load(path, dataset.element_spec, compression="GZIP")
        element = tf.compat.v1.data.make_one_shot_iterator(loaded).get_next()
        session.run(save)
        assert [session.run(element) for _ in range(5)] == list(range(5))
    loaded = tf.data.Dataset.load(path, compression="GZIP")
    assert len(loaded) == 5
    assert list(loaded.as_numpy_iterator()) == list(range(5))


def test_a_function_saves_a_dataset_whenever_it_is_called(tmp_path):
    @tf.function
    def save(count, path):
        tf.data.Dataset.range(count).save(path)

    for count in (3, 4):
        save(tf.constant(count, tf.int64), tf.constant(str(tmp_path / "saved")))
        assert len(tf.data.Dataset.load(str(tmp_path / "saved"))) == count


def _of_shards(tmp_path, shard, reader=None):
    D.range(10).save(str(tmp_path / "saved"), shard_func=shard)
    return D.load(str(tmp_path / "saved"), reader_func=reader)


def test_shards_that_were_saved_are_read_in_turns_as_in_tensorflow(tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)  # so many at a time
    expected = {
        2: [0, 5, 1, 6, 2, 7, 3, 8, 4, 9],
        3: [0, 1, 3, 4, 6, 7, 9, 2, 5, 8],
        5: [0, 1, 5, 6, 2, 3, 7, 8, 4, 9],
        -1: [1, 2, 4, 5, 7, 8, 0, 3, 6, 9],
    }
    functions = {2: lambda x: x // 5, 3: lambda x: x % 3, 5: lambda x: x % 5,
                 -1: lambda x: x % 3 - 1}  # fmt: skip
    for count, shard in functions.items():
        loaded = _of_shards(tmp_path, shard)
        assert lists(loaded) == expected[count]
        assert len(loaded) == 10


def test_the_programs_reader_gets_a_dataset_for_each_shard(tmp_path):
    def in_a_row(shards):
        return shards.flat_map(lambda shard: shard)

    loaded = _of_shards(tmp_path, lambda x: x % 3, in_a_row)
    assert lists(loaded) == [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    assert len(loaded) == 10
    assert lists(_of_shards(tmp_path, lambda x: 4 - x // 2, in_a_row)) == [
        8, 9, 6, 7, 4, 5, 2, 3, 0, 1
    ]  # fmt: skip
    assert lists(_of_shards(tmp_path, None, in_a_row)) == list(range(10))


def test_shards_that_a_function_tells_by_what_it_is_called_with(tmp_path):
    @tf.function
    def save(count):
        D.range(6).save(str(tmp_path / "saved"), shard_func=lambda x: x % count)

    for count, expected in ((2, [0, 2, 4, 1, 3, 5]), (3, [0, 3, 1, 4, 2, 5])):
        save(tf.constant(count, tf.int64))
        loaded = D.load(str(tmp_path / "saved"), reader_func=lambda s: s.flat_map(lambda d: d))
        assert lists(loaded) == expected


@pytest.mark.parametrize("shard", [lambda x: 0, lambda x: (x, x)])
def test_a_shard_is_a_number_of_64_bits(tmp_path, shard):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must return a scalar int64"):
        _of_shards(tmp_path, shard)


def test_a_dataset_that_nobody_saved(tmp_path):
    loaded = tf.data.Dataset.load(str(tmp_path / "none"), tf.TensorSpec((), tf.int64))
    with pytest.raises(tf.errors.NotFoundError, match="element_spec file not found"):
        list(loaded)
