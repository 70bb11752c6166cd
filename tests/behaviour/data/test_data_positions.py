"""An iterator in a checkpoint goes on exactly where it was saved."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
MOST = 25


def plain(value):
    """An element as Python values."""
    if isinstance(value, D):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if hasattr(value, "to_list"):
        return value.to_list()
    return np.asarray(value.numpy()).tolist()


def taken(iterator, count=MOST):
    """The next elements; an error stands for the element that failed."""
    found = []
    for _ in range(count):
        try:
            found.append(plain(next(iterator)))
        except StopIteration:
            return [*found, "end"]
        except tf.errors.OpError as error:
            found.append((type(error), error.message))
    return found


def save(iterator, folder):
    return tf.train.Checkpoint(it=iterator).write(str(folder / "saved"))


def restored(dataset, path):
    iterator = iter(dataset)
    tf.train.Checkpoint(it=iterator).read(path).assert_consumed()
    return iterator


def check(make, folder, places=(0, 1, 2, 3, 5, 8)):
    """What follows a saved place is what follows it in an iterator that was never saved."""
    for place in places:
        undisturbed = iter(make())
        taken(undisturbed, place)
        path = save(undisturbed, folder)
        other = restored(make(), path)
        assert taken(other) == taken(undisturbed), place


def step(random, dataset):
    """One more transformation of scalars, chosen by chance."""
    n, i = int(random.integers(1, 5)), int(random.integers(0, 8))
    return (
        lambda: dataset.take(20 + i),
        lambda: dataset.skip(n),
        lambda: dataset.map(lambda x: x * 2 + 1),
        lambda: dataset.map(lambda x: x + 1, num_parallel_calls=3),
        lambda: dataset.filter(lambda x: x % 3 != 0),
        lambda: dataset.repeat(n),
        lambda: dataset.shard(2, i % 2),
        lambda: dataset.prefetch(n),
        lambda: dataset.cache(),
        lambda: dataset.batch(n).unbatch(),
        lambda: dataset.batch(n).rebatch([1, 2]).unbatch(),
        lambda: dataset.window(n, shift=2).flat_map(lambda window: window),
        lambda: dataset.window(n).shuffle(3).flat_map(lambda window: window),
        lambda: dataset.shuffle(n + 1),
        lambda: dataset.shuffle(50),
        lambda: dataset.shuffle(4, seed=i, reshuffle_each_iteration=False),
        lambda: dataset.interleave(lambda x: D.range(x, x + n), cycle_length=n, block_length=2),
        lambda: dataset.interleave(
            lambda x: D.range(x, x + 3).shuffle(2, seed=1), cycle_length=3, num_parallel_calls=2
        ),
        lambda: dataset.concatenate(D.range(i)),
        lambda: D.zip((dataset, D.range(30))).map(lambda x, y: x + y),
        lambda: dataset.scan(np.int64(0), lambda state, x: (state + x, state)),
        lambda: dataset.take_while(lambda x: x < 60),
        lambda: dataset.unique(),
        lambda: D.sample_from_datasets([dataset, D.range(9)], [0.5, 0.5]),
        lambda: D.choose_from_datasets([dataset, D.range(9)], D.range(2).repeat(6)),
        lambda: dataset.group_by_window(lambda x: x % 2, lambda k, part: part, window_size=n),
        lambda: dataset.enumerate().map(lambda i, x: i + x),
        lambda: dataset.ignore_errors(),
    )[int(random.integers(0, 28))]()


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", range(60))
def test_a_random_pipeline_goes_on_where_it_was_saved(seed, tmp_path):
    def make():
        random = np.random.default_rng(seed)
        count = int(random.integers(5, 40))
        rows = D.from_tensor_slices(np.arange(count, dtype=np.int64))
        dataset = D.range(count) if seed % 2 else rows
        for _ in range(int(random.integers(2, 6))):
            dataset = step(random, dataset)
        return dataset.batch(2) if seed % 3 else dataset

    check(make, tmp_path, np.random.default_rng(seed).integers(0, 20, 3).tolist())


@pytest.mark.parametrize(
    "text",
    [
        "D.from_tensors(3).repeat()",
        "D.counter(5, 2)",
        "D.random()",
        "D.random(seed=3, rerandomize_each_iteration=True).take(3).repeat()",
        "D.range(6).shuffle(6).repeat()",
        "D.range(20).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad'))",
        "D.range(20).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), 'bad')).shuffle(4)",
        "D.range(20).map(lambda x: tf.debugging.check_numerics(1 / (x - 2), '')).prefetch(4)",
        "D.range(9).map(lambda x: tf.strings.as_string(x)).shuffle(3)",
        "D.range(9).map(lambda x: tf.complex(1.0, tf.cast(x, tf.float32))).shuffle(3)",
        "D.range(9).map(lambda x: tf.strings.as_string(x // 2)).unique().shuffle(3)",
        "D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4]])).shuffle(2)",
        "D.range(9).map(tf.range).padded_batch(2)",
        "D.range(9).map(tf.range).ragged_batch(2)",
        "D.range(9).window(2).shuffle(3)",
        "D.range(9).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.3, 0.7], seed=1)"
        ".with_options(ignoring)",
        "D.range(9).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer))",
        "D.range(9).apply(tf.data.experimental.assert_cardinality(9))",
        "D.range(9).bucket_by_sequence_length(lambda x: tf.cast(x, tf.int32), [3], [2, 2])",
        "D.list_files(folder + '/*.txt', seed=3)",
        "tf.data.TextLineDataset([folder + '/a.txt', folder + '/b.txt'])",
        "tf.data.TextLineDataset([folder + '/a.txt', folder + '/b.txt'], num_parallel_reads=2)",
        "D.range(3).map(lambda x: D.range(x)).flat_map(lambda x: x)",
        "D.range(5).map(lambda x: D.range(x).shuffle(2, seed=1)).shuffle(3).flat_map(lambda x: x)",
    ],
)
def test_it_goes_on_where_it_was_saved(text, tmp_path):
    (tmp_path / "a.txt").write_text("1\n2\n3\n4\n")
    (tmp_path / "b.txt").write_text("5\n6\n")
    ignoring = tf.data.Options()
    ignoring.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    reducer = tf.data.experimental.Reducer(lambda k: k, lambda s, x: s + x, lambda s: s)
    known = {"D": D, "tf": tf, "folder": str(tmp_path), "ignoring": ignoring, "reducer": reducer}
    check(lambda: eval(text, known), tmp_path)


def test_the_next_passes_are_those_of_the_undisturbed_run(tmp_path):
    dataset, other = (D.range(8).shuffle(8, seed=1) for _ in range(2))
    list(dataset), list(dataset)
    iterator = iter(dataset)
    taken(iterator, 3)
    path = save(iterator, tmp_path)
    again = restored(other, path)
    assert taken(again) == taken(iterator)
    assert taken(iter(other)) == taken(iter(dataset))


def test_what_a_cache_keeps_is_saved(tmp_path):
    calls = []

    def noting(x):
        calls.append(1)
        return D.range(6).map(lambda y: y + x).cache().repeat(2)

    iterator = iter(noting(10))
    taken(iterator, 8)
    path = save(iterator, tmp_path)
    # TF: the kept elements are part of the position
    assert taken(restored(noting(20), path)) == [12, 13, 14, 15, "end"]


def test_a_cache_in_a_file_that_was_half_written_is_written_by_the_next_pass(tmp_path):
    def make(name):
        return D.range(5).map(lambda x: x * 2).cache(str(tmp_path / name))

    iterator = iter(make("one"))
    taken(iterator, 2)
    path = save(iterator, tmp_path)
    dataset = make("two")
    assert taken(restored(dataset, path)) == [4, 6, 8, "end"]
    assert not (tmp_path / "two.data").exists()
    assert taken(iter(dataset)) == [0, 2, 4, 6, 8, "end"]
    assert (tmp_path / "two.data").exists()
    assert taken(restored(make("two"), path)) == [4, 6, 8, "end"]


def test_a_used_iterator_goes_back(tmp_path):
    iterator = iter(D.range(10))
    taken(iterator, 3)
    path = save(iterator, tmp_path)
    taken(iterator, 4)
    tf.train.Checkpoint(it=iterator).read(path)
    assert taken(iterator, 2) == [3, 4]


def test_the_element_that_was_looked_at_ahead_is_saved(tmp_path):
    iterator = iter(D.range(4))
    taken(iterator, 1)
    assert bool(iterator.has_next()) if hasattr(iterator, "has_next") else True
    path = save(iterator, tmp_path)
    assert taken(restored(D.range(4), path)) == [1, 2, 3, "end"]


def test_the_keys_are_those_of_tensorflow(tmp_path):
    module = tf.Module()
    module.it, module.numbers = iter(D.range(3)), D.range(3).as_numpy_iterator()
    path = tf.train.Checkpoint(m=module).write(str(tmp_path / "saved"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "m/it/.ATTRIBUTES/ITERATOR_STATE" in names
    assert "m/numbers/.ATTRIBUTES/_STATE" in names


def test_numpy_iterators_go_on_too(tmp_path):
    numbers = D.range(5).as_numpy_iterator()
    next(numbers), next(numbers)
    path = save(numbers, tmp_path)
    other = D.range(5).as_numpy_iterator()
    tf.train.Checkpoint(it=other).read(path)
    assert list(other) == [2, 3, 4]


@pytest.mark.gpus(1)
def test_what_waits_on_a_device_is_saved(tmp_path):
    to_gpu = tf.data.experimental.copy_to_device("/gpu:0")
    check(lambda: D.range(9).shuffle(3, seed=1).apply(to_gpu).prefetch(2), tmp_path)


def random_number(x):
    return tf.random.uniform([])


def python_function(x):
    return tf.py_function(lambda y: y, [x], tf.int64)


def random_in_a_branch(x):
    if x > 0:
        return tf.random.uniform([])
    return 0.0


def random_in_a_loop(x):
    while x < 3:
        x += tf.cast(tf.random.uniform([]), tf.int64) + 1
    return x


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (random_number, "RandomUniform"),
        (python_function, "EagerPyFunc"),
        (random_in_a_branch, "RandomUniform"),
        (random_in_a_loop, "RandomUniform"),
    ],
)
def test_functions_whose_state_is_elsewhere_are_refused(function, op, tmp_path):
    iterator = iter(D.range(3).map(function))
    with pytest.raises(tf.errors.FailedPreconditionError, match=rf"{op} is stateful\."):
        save(iterator, tmp_path)
    with pytest.raises(tf.errors.FailedPreconditionError, match=rf"{op} is stateful\."):
        save(iter(D.range(3).flat_map(lambda x: D.range(2).map(function))), tmp_path)


def test_variables_that_functions_read_are_refused_and_tables_are_not(tmp_path):
    variable = tf.Variable(1, dtype=tf.int64)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"ReadVariableOp is stateful\."):
        save(iter(D.range(3).map(lambda x: x + variable)), tmp_path)
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(np.arange(5), np.arange(5) * 10), np.int64(-1)
    )
    check(lambda: D.range(5).map(table.lookup), tmp_path)


def test_a_generator_is_refused_whatever_the_policy(tmp_path):
    dataset = D.from_generator(lambda: iter(range(5)), tf.int32)
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"PyFunc is stateful\."):
        save(iter(dataset), tmp_path)
    options = tf.data.Options()
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    with pytest.raises(
        tf.errors.UnimplementedError, match=r"GeneratorDataset does not support checkpointing\."
    ):
        save(iter(dataset.with_options(options)), tmp_path)


@pytest.mark.parametrize(
    "other",
    [
        D.range(10).batch(2),
        D.range(10).shuffle(3),
        D.from_tensor_slices(np.arange(10)),
        D.range(10, output_type=tf.int32),
        D.zip((D.range(10), D.range(10))),
    ],
)
def test_another_dataset_is_refused_and_its_iterator_stays_where_it_is(other, tmp_path):
    iterator = iter(D.range(10))
    taken(iterator, 3)
    path = save(iterator, tmp_path)
    used = iter(other)
    taken(used, 1)
    expected = iter(other)
    taken(expected, 1)
    with pytest.raises(
        tf.errors.NotFoundError,
        match=r"(?s)Failed to restore dataset iterator from checkpoint: .*Make sure the dataset "
        "definition has not changed",
    ):
        tf.train.Checkpoint(it=used).read(path)
    assert len(taken(used)) == len(taken(expected))


def test_a_position_behind_the_end_is_refused(tmp_path):
    iterator = iter(D.range(10))
    taken(iterator, 5)
    path = save(iterator, tmp_path)
    with pytest.raises(tf.errors.NotFoundError, match="5 elements where there are now 3"):
        taken(restored(D.range(3), path))


def test_numbers_of_rows_that_are_gone_are_refused(tmp_path):
    iterator = iter(D.from_tensor_slices(np.arange(10)).shuffle(9, seed=1).batch(2))
    taken(iterator, 1)
    path = save(iterator, tmp_path)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to restore dataset iterator"):
        taken(restored(D.from_tensor_slices(np.arange(5)).shuffle(9, seed=1).batch(2), path))


def test_parameters_may_change(tmp_path):
    iterator = iter(D.range(10).batch(2))
    taken(iterator, 2)
    path = save(iterator, tmp_path)
    # asked TensorFlow: the position is one of elements
    assert taken(restored(D.range(10).batch(3), path)) == [[4, 5, 6], [7, 8, 9], "end"]


def test_a_training_resumes_in_the_middle_of_an_epoch(tmp_path):
    def make():
        random = np.random.default_rng(0)
        rows = random.normal(size=(40, 3)).astype(np.float32)
        labels = rows.sum(1, keepdims=True)
        pipeline = D.from_tensor_slices((rows, labels)).shuffle(16).repeat().batch(4).prefetch(2)
        weights = tf.Variable(tf.zeros([3, 1]))
        return weights, iter(pipeline)

    def train(weights, iterator, steps):
        for x, y in itertools.islice(iterator, steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ weights - y) ** 2)
            weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return weights.numpy().tolist()

    weights, iterator = make()
    train(weights, iterator, 13)
    checkpoint = tf.train.Checkpoint(weights=weights, it=iterator)
    path = checkpoint.write(str(tmp_path / "saved"))
    expected = train(weights, iterator, 17)
    weights, iterator = make()
    tf.train.Checkpoint(weights=weights, it=iterator).read(path).assert_consumed()
    assert train(weights, iterator, 17) == expected


def test_a_damaged_position_is_told(tmp_path):
    iterator = iter(D.range(3))
    tensors = iterator._serialize_to_tensors()
    with pytest.raises(tf.errors.DataLossError, match="saved state of an iterator"):
        iterator._restore_from_tensors({"ITERATOR_STATE": tf.constant(["{"])})
    iterator._restore_from_tensors(tensors)
    assert taken(iterator) == [0, 1, 2, "end"]


def test_a_dropped_iterator_lets_its_generator_go_at_once():
    ended = []

    def numbers():
        try:
            yield from range(10)
        finally:
            ended.append(True)

    iterator = iter(D.from_generator(numbers, tf.int32))
    assert taken(iterator, 2) == [0, 1]
    del iterator
    assert ended == [True]


def windows(_):
    return D.range(7).window(3, shift=1).flat_map(lambda window: window)


WITHOUT_SYMBOLIC_POSITION = {
    "WindowOp": lambda: D.range(7).window(3).flat_map(lambda window: window),
    "WindowOp of a function": lambda: D.range(2).interleave(windows, cycle_length=3),
    "CacheDataset": lambda: D.range(7).cache(),
    "GroupByWindowDataset": lambda: D.range(7).group_by_window(
        lambda x: x % 2, lambda _, window: window.batch(2), 2
    ),
    "UniqueDataset": lambda: D.range(7).unique(),
    "RebatchDataset": lambda: D.range(8).batch(4).rebatch(2),
    "IgnoreErrorsDataset": lambda: D.range(7).ignore_errors(),
}


@pytest.mark.parametrize("name", WITHOUT_SYMBOLIC_POSITION)
def test_symbolic_checkpoints_are_refused_where_tensorflow_has_none(name, tmp_path):
    options = tf.data.Options()
    options.experimental_symbolic_checkpoint = True
    dataset = WITHOUT_SYMBOLIC_POSITION[name]()
    save(iter(dataset), tmp_path)
    iterator = iter(dataset.with_options(options))
    save(iterator, tmp_path)  # as long as nothing was read there is nothing to tell
    taken(iterator, 2)
    text = f"{name.split(' ')[0]} does not support symbolic checkpointing. Without the option"
    with pytest.raises(tf.errors.UnimplementedError, match=text):
        save(iterator, tmp_path)


def test_symbolic_checkpoints_of_other_datasets_are_taken(tmp_path):
    options = tf.data.Options()
    options.experimental_symbolic_checkpoint = True

    def make():
        return D.range(9).shuffle(3, seed=1).map(lambda x: x * 2).batch(2).with_options(options)

    check(make, tmp_path)
