"""Datasets for several replicas, as TensorFlow 2.21 cuts and hands them out."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(3, memory="64MB")
PER_REPLICA = tf.distribute.InputReplicationMode.PER_REPLICA


def strategy_of(count):
    return tf.distribute.MirroredStrategy([f"GPU:{i}" for i in range(count)])


def listed(strategy, distributed):
    return [
        [x.numpy().tolist() for x in strategy.experimental_local_results(each)]
        for each in distributed
    ]


@pytest.fixture
def strategy():
    return strategy_of(2)


# Of a dataset of so many rows in batches of 4: the parts of three replicas.
PARTS = {
    1: [[[0], [], []]],
    2: [[[0], [1], []]],
    3: [[[0], [1], [2]]],
    4: [[[0, 1], [2, 3], []]],
    5: [[[0, 1], [2, 3], []], [[4], [], []]],
    6: [[[0, 1], [2, 3], []], [[4], [5], []]],
    7: [[[0, 1], [2, 3], []], [[4], [5], [6]]],
}


@pytest.mark.parametrize("rows", PARTS)
def test_a_batch_is_cut_into_a_part_for_each_replica(rows):
    three = strategy_of(3)
    made = three.experimental_distribute_dataset(tf.data.Dataset.range(rows).batch(4))
    assert listed(three, made) == PARTS[rows]


def test_parts_are_on_the_devices_of_their_replicas(strategy):
    dataset = tf.data.Dataset.range(4).batch(4)
    parts = next(iter(strategy.experimental_distribute_dataset(dataset))).values
    assert [x.device[-5:] for x in parts] == ["GPU:0", "GPU:1"]
    options = tf.distribute.InputOptions(experimental_fetch_to_device=False)
    parts = next(iter(strategy.experimental_distribute_dataset(dataset, options))).values
    assert [x.device[-5:] for x in parts] == ["CPU:0", "CPU:0"]


@pytest.mark.parametrize(
    ("size", "drops", "rows"), [(4, False, None), (4, True, 2), (3, True, None)]
)
def test_the_spec_of_an_element_tells_each_replicas(strategy, size, drops, rows):
    dataset = tf.data.Dataset.range(8).batch(size, drop_remainder=drops)
    spec = strategy.experimental_distribute_dataset(dataset).element_spec
    each = f"TensorSpec(shape=({rows},), dtype=tf.int64, name=None)"
    assert repr(spec) == f"PerReplicaSpec({each}, {each})"


def test_elements_keep_their_structure(strategy):
    dataset = tf.data.Dataset.from_tensor_slices(({"a": [1, 2, 3]}, [4.0, 5.0, 6.0])).batch(3)
    features, labels = next(iter(strategy.experimental_distribute_dataset(dataset)))
    assert [x.numpy().tolist() for x in features["a"].values] == [[1, 2], [3]]
    assert [x.numpy().tolist() for x in labels.values] == [[4.0, 5.0], [6.0]]


def test_ragged_sparse_and_text_batches_are_cut(strategy):
    def first(value):
        dataset = tf.data.Dataset.from_tensors(value)
        return next(iter(strategy.experimental_distribute_dataset(dataset))).values

    assert [x.to_list() for x in first(tf.ragged.constant([[1], [2, 3], [4]]))] == [
        [[1], [2, 3]], [[4]],
    ]  # fmt: skip
    dense = [tf.sparse.to_dense(x).numpy().tolist()
             for x in first(tf.sparse.from_dense([[1, 0], [2, 3], [0, 4]]))]  # fmt: skip
    assert dense == [[[1, 0], [2, 3]], [[0, 4]]]
    assert [x.numpy().tolist() for x in first(["a", "b", "c"])] == [[b"a", b"b"], [b"c"]]
    assert [x.to_list() for x in first(tf.ragged.constant([[1, 2]]))] == [[[1, 2]], []]


def test_an_iterator_ends_as_any(strategy):
    made = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))
    iterator = iter(made)
    assert isinstance(made, tf.distribute.DistributedDataset)
    assert isinstance(iterator, tf.distribute.DistributedIterator)
    assert made.cardinality == 2
    next(iterator)
    found = iterator.get_next_as_optional().get_value()
    assert [x.numpy().tolist() for x in found.values] == [[4, 5], [6, 7]]
    assert not iterator.get_next_as_optional().has_value()
    with pytest.raises(StopIteration):
        next(iterator)
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iterator.get_next()


def test_replicas_get_elements_that_are_no_batches_in_turn(strategy):
    made = strategy.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(5))
    assert [[int(x) for x in each.values] for each in made] == [[0, 1], [2, 3]]


def test_a_function_goes_through_a_distributed_dataset(strategy):
    made = strategy.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4))

    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            sums = strategy.run(lambda part: tf.reduce_sum(part), args=(x,))
            found += strategy.reduce("SUM", sums, axis=None)
        return found

    assert total(made).numpy() == 21
    assert total(made).numpy() == 21


def test_a_function_takes_the_next_element_of_an_iterator(strategy):
    iterator = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(4)))

    @tf.function
    def doubled(it):
        return strategy.run(lambda x: x * 2, args=(next(it),))

    assert [x.numpy().tolist() for x in doubled(iterator).values] == [[0, 2], [4, 6]]
    assert [x.numpy().tolist() for x in doubled(iterator).values] == [[8, 10], [12]]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        doubled(iterator)


def test_an_optional_of_a_function_holds_parts(strategy):
    iterator = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4)))

    @tf.function
    def rest(it):
        count = tf.constant(0, tf.int64)
        optional = it.get_next_as_optional()
        while optional.has_value():
            parts = strategy.run(tf.reduce_sum, args=(optional.get_value(),))
            count += strategy.reduce("SUM", parts, axis=None)
            optional = it.get_next_as_optional()
        return count

    assert rest(iterator).numpy() == 6


def test_elements_of_a_function_of_the_program_go_round(strategy):
    made = strategy.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(7).batch(2))
    assert listed(strategy, made) == [[[0, 1], [2, 3]], [[4, 5], [6]]]
    three = strategy_of(3)
    made = three.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(7).batch(2))
    assert listed(three, made) == [[[0, 1], [2, 3], [4, 5]], [[6], [], []]]


def test_incomplete_rounds_of_fixed_shapes_are_left_out():
    three = strategy_of(3)
    made = three.distribute_datasets_from_function(
        lambda c: tf.data.Dataset.range(9).batch(2, drop_remainder=True)
    )
    assert listed(three, made) == [[[0, 1], [2, 3], [4, 5]]]


def rounds(strategy, kind, count):
    """A distributed dataset whose last round lacks an element for the second replica."""
    made = {
        "batches": tf.data.Dataset.range(4 * count).batch(4, drop_remainder=True),
        "scalars": tf.data.Dataset.range(count),
        "texts": tf.data.Dataset.range(count).map(tf.strings.as_string),
    }[kind]
    return strategy.distribute_datasets_from_function(lambda c: made)


@pytest.mark.parametrize(
    ("kind", "sizes", "total"), [("batches", [4, 4, 4, 0], 66), ("scalars", [0, 0, 0, 0], 3)]
)
@pytest.mark.parametrize("of_iterator", [False, True])
def test_loops_of_functions_get_a_round_that_is_not_for_all(
    strategy, kind, sizes, total, of_iterator
):
    def part(x):
        return tf.reduce_sum(x), tf.reduce_sum(tf.shape(x))

    @tf.function
    def loop(elements):
        found, seen = tf.constant(0, tf.int64), tf.zeros([0], tf.int32)
        for x in elements:
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(seen, tf.TensorShape([None]))]
            )
            value, size = strategy.run(part, args=(x,))
            found += strategy.reduce("SUM", value, axis=None)
            seen = tf.concat([seen, tf.stack(strategy.experimental_local_results(size))], 0)
        return found, seen

    made = rounds(strategy, kind, 3)
    found, seen = loop(iter(made) if of_iterator else made)
    assert (found.numpy(), seen.numpy().tolist()) == (total, sizes)


def test_optionals_hold_a_round_that_is_not_for_all(strategy):
    iterator = iter(rounds(strategy, "batches", 3))
    assert iterator.get_next_as_optional().has_value()
    last = iterator.get_next_as_optional().get_value()
    assert [x.numpy().tolist() for x in last.values] == [[8, 9, 10, 11], []]
    assert not iterator.get_next_as_optional().has_value()
    iterator = iter(rounds(strategy, "texts", 1))
    last = iterator.get_next_as_optional().get_value()
    assert [x.numpy() for x in last.values] == [b"0", b""]


def test_who_takes_the_next_element_gets_rounds_for_all_only(strategy):
    step = tf.function(lambda it: strategy.run(lambda x: x + 1, args=(next(it),)))
    for take, error in ((next, StopIteration), (step, tf.errors.OutOfRangeError)):
        iterator = iter(rounds(strategy, "batches", 3))
        assert [x.numpy().tolist()[0] % 4 for x in take(iterator).values] in ([0, 0], [1, 1])
        with pytest.raises(error):
            take(iterator)
        with pytest.raises(error):
            take(iterator)


def test_a_scalar_beside_rows_is_zero_where_there_is_no_element(strategy):
    made = tf.data.Dataset.range(3).batch(2).map(lambda x: (x, tf.reduce_sum(x) + 5))
    made = made.take(1).concatenate(made.skip(1)).concatenate(made.take(1))
    found = list(strategy.distribute_datasets_from_function(lambda c: made))[-1]
    assert [x.numpy().tolist() for x in found[0].values] == [[0, 1], []]
    assert [x.numpy() for x in found[1].values] == [6, 0]


def test_an_input_context_tells_the_pipeline(strategy):
    seen = []
    strategy.distribute_datasets_from_function(
        lambda c: seen.append(c) or tf.data.Dataset.range(4).batch(1)
    )
    (context,) = seen
    assert str(context) == "tf.distribute.InputContext(input pipeline id 0, total: 1)"
    assert context.num_replicas_in_sync == 2
    assert context.get_per_replica_batch_size(4) == 2
    with pytest.raises(ValueError, match="`global_batch_size` 3 is not divisible by `num_replicas"):
        context.get_per_replica_batch_size(3)


def test_each_replica_may_have_a_pipeline_of_its_own(strategy):
    options = tf.distribute.InputOptions(experimental_replication_mode=PER_REPLICA)
    made = strategy.distribute_datasets_from_function(
        lambda c: tf.data.Dataset.range(10 * c.input_pipeline_id, 10 * c.input_pipeline_id + 3),
        options,
    )
    assert listed(strategy, made) == [[0, 10], [1, 11], [2, 12]]
    with pytest.raises(NotImplementedError, match="PER_REPLICA is only supported in"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2), options)


@pytest.mark.parametrize(
    ("dataset", "kind", "text"),
    [
        (lambda: tf.data.Dataset.range(3), IndexError, "list index out of range.*Call `batch"),
        (lambda: [1], AttributeError, "'list' object has no attribute '_variant_tensor'"),
    ],
)
def test_what_is_no_dataset_of_batches_is_refused(strategy, dataset, kind, text):
    with pytest.raises(kind, match=text):
        strategy.experimental_distribute_dataset(dataset())


def test_values_are_made_for_each_replica(strategy):
    made = strategy.experimental_distribute_values_from_function(
        lambda c: (c.replica_id_in_sync_group, tf.constant(c.num_replicas_in_sync))
    )
    assert made[0].values == (0, 1)
    assert [x.numpy() for x in made[1].values] == [2, 2]


def test_one_device_gets_whole_batches_on_it():
    strategy = tf.distribute.OneDeviceStrategy("GPU:1")
    made = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2))
    assert [(x.numpy().tolist(), x.device[-5:]) for x in made] == [
        ([0, 1], "GPU:1"), ([2], "GPU:1"),
    ]  # fmt: skip
    one = strategy_of(1)
    (batch,) = one.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(3))
    assert batch.numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["enumerate", "zip", "map", "filter"])
@pytest.mark.parametrize("make", [lambda data: data, iter], ids=["dataset", "iterator"])
def test_what_would_find_no_end_in_a_function_is_refused(strategy, kind, make):
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))

    def loop():
        steps = 0
        if kind == "enumerate":
            for _ in enumerate(make(data)):
                steps += 1
        elif kind == "zip":
            for _ in zip(make(data), make(data), strict=False):
                steps += 1
        elif kind == "map":
            for _ in map(repr, make(data)):
                steps += 1
        else:
            for _ in filter(None, make(data)):
                steps += 1
        return steps

    assert loop() == 2
    with pytest.raises(NotImplementedError, match=f"{kind} not supported with Distributed"):
        tf.function(loop)()


@pytest.mark.parametrize("policy", list(tf.data.experimental.AutoShardPolicy))
def test_options_of_sharding_change_nothing_on_one_machine(strategy, policy):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = policy
    data = tf.data.Dataset.range(8).batch(4).with_options(options)
    found = strategy.experimental_distribute_dataset(data)
    parts = [[x.numpy().tolist() for x in each.values] for each in found]
    assert parts == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]


def test_a_function_asks_for_elements_as_long_as_there_are_some(strategy):
    iterator = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(9).batch(4)))

    @tf.function
    def total():
        found = tf.constant(0, tf.int64)
        following = iterator.get_next_as_optional()
        while following.has_value():
            sums = strategy.run(tf.reduce_sum, args=(following.get_value(),))
            found += strategy.reduce("SUM", sums, axis=None)
            following = iterator.get_next_as_optional()
        return found

    assert total().numpy() == 36
    assert not iterator.get_next_as_optional().has_value()


def test_a_loop_over_a_distributed_dataset_may_be_left(strategy):
    data = strategy.experimental_distribute_dataset(tf.data.Dataset.range(12).batch(4))

    @tf.function
    def total():
        found = tf.constant(0, tf.int64)
        for x in data:
            found += strategy.reduce("SUM", x, axis=0)
            if found > 5:
                break
        return found

    assert total().numpy() == 6


def test_a_replica_takes_no_rounds_of_its_own():
    strategy = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1"])
    iterator = iter(strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4)))
    for ask in (lambda it: next(it), tf.function(lambda it: it.get_next())):
        with pytest.raises(ValueError, match="should be called from outside of replica_fn"):
            strategy.run(ask, args=(iterator,))
    with pytest.raises(ValueError, match="should be called from outside of replica_fn"):
        tf.function(lambda it: strategy.run(lambda i: next(i), args=(it,)))(iterator)
    first = strategy.experimental_local_results(next(iterator))
    assert [x.numpy().tolist() for x in first] == [[0, 1], [2, 3]]
