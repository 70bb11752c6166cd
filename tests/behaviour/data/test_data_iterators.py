"""Iterators over datasets: in eager mode, as arguments of functions, in loops of AutoGraph."""

from __future__ import annotations

import functools
import gc
import threading

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset


def numbers(dataset):
    return [int(x) for x in dataset]


def test_an_iterator_gives_the_next_element_each_time():
    iterator = iter(D.range(2))
    assert int(next(iterator)) == 0
    assert int(iterator.get_next()) == 1
    with pytest.raises(StopIteration):
        next(iterator)


def test_get_next_says_out_of_range_at_the_end():
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        iter(D.range(0)).get_next()


def test_elements_are_on_the_cpu():
    assert next(iter(D.range(2))).device.endswith("CPU:0")


def test_an_iterator_as_an_argument_moves_on_with_each_call():
    @tf.function
    def step(iterator):
        return next(iterator) * 10

    iterator = iter(D.range(3))
    assert [int(step(iterator)) for _ in range(3)] == [0, 10, 20]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        step(iterator)


def test_one_trace_serves_iterators_over_elements_of_one_kind():
    @tf.function
    def step(iterator):
        return iterator.get_next()

    step(iter(D.range(3)))
    step(iter(D.range(5).map(lambda x: x + 1)))
    assert step.experimental_get_tracing_count() == 1
    step(iter(D.range(5).batch(2)))
    assert step.experimental_get_tracing_count() == 2


def test_an_iterator_that_a_function_closes_over_moves_on():
    iterator = iter(D.range(3))

    @tf.function
    def step():
        return next(iterator)

    assert [int(step()), int(step())] == [0, 1]


def test_a_loop_over_a_dataset_in_a_function():
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    assert int(total(D.range(5))) == 10
    assert int(total(D.range(0))) == 0
    assert total.experimental_get_tracing_count() == 1


def test_a_loop_over_a_dataset_that_ends_early():
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in dataset:
            if x > 5:
                break
            found += x
        return found

    assert int(total(D.range(100))) == 15


def test_a_loop_over_an_iterator_that_ends_early_leaves_the_rest():
    @tf.function
    def total(iterator):
        found = tf.constant(0, tf.int64)
        for x in iterator:
            found += x
            if x >= 3:
                break
        return found

    iterator = iter(D.range(6))
    assert int(total(iterator)) == 6
    assert int(next(iterator)) == 4


def test_a_dataset_that_a_function_makes_of_its_arguments():
    @tf.function
    def total(n):
        found = tf.constant(0, tf.int64)
        for i, x in enumerate(D.range(n).map(lambda x: x * n)):
            found += x + i
        return found

    assert int(total(tf.constant(4, tf.int64))) == 30
    assert int(total(tf.constant(5, tf.int64))) == 60


def test_a_function_of_a_dataset_runs_once_when_it_is_traced():
    calls = []

    def noted(x):
        calls.append(x)
        return x

    dataset = D.range(5).map(noted)
    assert numbers(dataset) == [0, 1, 2, 3, 4]
    assert len(calls) == 1


def test_an_error_names_the_element_and_the_line():
    dataset = D.range(3).map(lambda x: 1 // (x - 1))
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        list(dataset)
    assert "at element 1" in str(info.value)
    assert "test_data_iterators.py" in str(info.value)


def test_an_iterator_goes_on_behind_an_element_that_failed():
    iterator = iter(D.range(4).map(lambda x: 6 // (x - 1)).prefetch(1))
    found = []
    for _ in range(4):
        try:
            found.append(int(next(iterator)))
        except tf.errors.InvalidArgumentError:
            found.append(None)
    assert found == [-6, None, 6, 3]


def test_a_map_reads_variables_as_they_are():
    factor = tf.Variable(2, dtype=tf.int64)
    dataset = D.range(1, 3).map(lambda x: x * factor)
    assert numbers(dataset) == [2, 4]
    factor.assign(5)
    assert numbers(dataset) == [5, 10]


def test_a_shuffle_mixes_each_pass_anew():
    dataset = D.range(50).shuffle(50)
    first, second = numbers(dataset), numbers(dataset)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second


def test_a_shuffle_may_keep_its_order():
    dataset = D.range(50).shuffle(50, reshuffle_each_iteration=False)
    assert numbers(dataset) == numbers(dataset)


def test_a_seed_makes_the_same_orders_again():
    def orders():
        tf.random.set_seed(3)
        dataset = D.range(50).shuffle(20, seed=4)
        return [numbers(dataset), numbers(dataset), numbers(D.range(50).shuffle(9))]

    first = orders()
    assert first == orders()
    assert first[0] != first[1]


def _passes_of(sizes):
    passes = iter(sizes)

    def elements():
        yield from range(next(passes))

    return D.from_generator(elements, output_signature=tf.TensorSpec((), tf.int64))


def test_an_endless_repeat_of_a_shuffle_goes_on_after_an_empty_pass():
    dataset = _passes_of([1, 0, 2, 10]).shuffle(10).repeat().take(3)
    assert sorted(numbers(dataset)) == [0, 0, 1]
    assert numbers(_passes_of([0, 1, 2]).shuffle(10).repeat()) == []  # the first pass ends it
    assert numbers(_passes_of([1, 0, 2]).repeat()) == [0]  # and without a shuffle any


def test_a_fixed_order_stays_in_functions_that_hold_the_dataset():
    dataset = D.range(50).shuffle(50, reshuffle_each_iteration=False)

    @tf.function
    def total():
        answer = tf.constant(0, tf.int64)
        for place, x in dataset.enumerate():
            answer += place * x
        return answer

    expected = sum(place * x for place, x in enumerate(numbers(dataset)))
    assert int(total()) == int(total()) == expected


def test_no_global_seed_can_be_asked_for():
    tf.random.set_seed(1)
    first = tf.random.uniform([8]).numpy().tolist()
    tf.random.set_seed(1)
    tf.random.set_seed(None)
    assert tf.random.uniform([8]).numpy().tolist() != first


def test_a_shuffle_draws_from_its_buffer_only():
    order = numbers(D.range(100).shuffle(10))
    assert all(x < i + 10 for i, x in enumerate(order))


def test_a_shuffled_batch_is_gathered_as_its_rows_are():
    images = np.arange(40).reshape(20, 2)
    dataset = D.from_tensor_slices((images, np.arange(20))).shuffle(20, seed=1)
    rows = [(x.numpy().tolist(), int(y)) for x, y in dataset.batch(3).unbatch()]
    assert sorted(y for _, y in rows) == list(range(20))
    assert all(x == [2 * y, 2 * y + 1] for x, y in rows)


def test_a_dropped_iterator_ends_its_thread():
    iterator = iter(D.range(1000).prefetch(2))
    next(iterator)
    thread = next(t for t in threading.enumerate() if t.name == "tf_data_prefetch")
    del iterator
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()


def test_elements_of_a_generator_are_made_anew_for_each_pass():
    passes = []

    def generator():
        passes.append(1)
        yield from range(3)

    dataset = D.from_generator(generator, output_signature=tf.TensorSpec((), tf.int32))
    assert numbers(dataset) == numbers(dataset) == [0, 1, 2]
    assert len(passes) == 2


def test_eager_mode_has_no_initializable_iterators():
    with pytest.raises(RuntimeError, match="not supported in eager mode"):
        tf.compat.v1.data.make_initializable_iterator(D.range(3))


def test_a_function_of_an_iterator_is_planned_for_the_shapes_that_come():
    @tf.function
    def step(iterator):
        return tf.shape(next(iterator))[0]

    iterator = iter(D.range(5).batch(2))
    assert [int(step(iterator)) for _ in range(3)] == [2, 2, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        step(iterator)


def test_a_failing_element_fails_where_a_function_takes_it():
    @tf.function
    def step(iterator):
        return next(iterator)

    iterator = iter(D.range(3).map(lambda x: 6 // (x - 1)).batch(1))
    assert step(iterator).numpy().tolist() == [-6]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at element 1"):
        step(iterator)
    assert step(iterator).numpy().tolist() == [6]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (tf.constant(1), "Tensor"),
        (tf.ragged.constant([[1]]), "RaggedTensor"),
        (tf.sparse.from_dense([1]), "SparseTensor"),
        (D.range(1), "DatasetV2"),
        (D.range(1).batch(1), "DatasetV2"),
    ],
)
def test_libraries_tell_values_by_tensorflows_names_for_their_classes(value, name):
    kinds = [kind for kind in type(value).__mro__ if kind.__name__ == name]
    assert [kind for kind in kinds if "tensorflow.python." in kind.__module__]


def test_a_function_inside_of_a_function_reads_what_is_around_both():
    @tf.function
    def total(factor):
        found = tf.constant(0, tf.int64)
        for x in D.range(3).flat_map(lambda i: D.range(i + 1).map(lambda j: j * factor + i)):
            found += x
        return found

    assert int(total(tf.constant(10, tf.int64))) == 48


def test_a_dataset_of_an_argument_of_unknown_size():
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def total(x):
        found = tf.zeros([2])
        for rows in D.from_tensor_slices(x).map(lambda row: row * 2.0).batch(2):
            found += tf.reduce_sum(rows, 0)
        return found

    assert total(tf.ones([5, 2])).numpy().tolist() == [10.0, 10.0]


def test_signatures_may_name_iterators_and_datasets():
    element = tf.TensorSpec([], tf.int64)

    @tf.function(input_signature=[tf.data.IteratorSpec(element), tf.TensorSpec([None])])
    def step(iterator, x):
        return next(iterator), x

    @tf.function(input_signature=[tf.data.DatasetSpec(element), tf.TensorSpec([None])])
    def total(dataset, x):
        return dataset.reduce(np.int64(0), lambda state, y: state + y), x

    assert int(step(iter(D.range(3, 5)), [1.0, 2.0])[0]) == 3
    assert int(total(D.range(4), [1.0])[0]) == 6


@pytest.mark.parametrize("make", [tf.function, lambda f: f], ids=["function", "plain"])
def test_functions_of_all_kinds_are_traced(make):
    class Adder:
        def __init__(self, number):
            self.number = number

        def add(self, x):
            return x + self.number

    assert numbers(D.range(2).map(make(Adder(5).add))) == [5, 6]
    assert numbers(D.range(2).map(make(functools.partial(lambda a, x: x - a, 7)))) == [-7, -6]


def test_an_error_while_a_function_is_traced_shows_the_programs_lines():
    with pytest.raises(NameError, match="in user code"):
        D.range(3).map(lambda x: x + undefined)  # noqa: F821


def test_datasets_iterators_and_optionals_are_no_tensors():
    dataset = D.range(3)
    assert not tf.is_tensor(dataset)
    assert not tf.is_tensor(iter(dataset))
    assert not tf.is_tensor(tf.experimental.Optional.from_value(1))
    assert tf.is_tensor(tf.ragged.constant([[1]]))


def test_equal_seeds_keep_datasets_side_by_side():
    images = D.range(20).shuffle(20, seed=7).map(lambda x: tf.reduce_sum(tf.range(x + 1)))
    labels = D.range(20).shuffle(20, seed=7)
    for _ in range(2):
        for batch, label in D.zip(images, labels).batch(3):
            found = label.numpy()
            assert batch.numpy().tolist() == (found * (found + 1) // 2).tolist()


def test_a_function_of_a_dataset_may_make_its_variables_once():
    made = []

    def scaled(x):
        if not made:
            made.append(tf.Variable(lambda: tf.constant(3.0)))
        return x * made[0]

    dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(scaled)
    assert [float(x) for x in dataset] == [3.0, 6.0]


def test_a_function_of_a_dataset_that_makes_variables_each_time_is_refused():
    dataset = tf.data.Dataset.range(2)
    with pytest.raises(ValueError, match="only supports singleton"):
        dataset.map(lambda x: x + tf.Variable(1, dtype=tf.int64))


def test_plain_values_of_sparse_tensors_are_sparse_tensors():
    def sparse(i):
        return tf.compat.v1.SparseTensorValue([[0]], i * np.array([1]), [1])

    dataset = D.range(4).map(sparse)
    assert dataset.element_spec == tf.SparseTensorSpec([1], tf.int64)
    batch = next(iter(dataset.batch(2)))
    assert batch.indices.numpy().tolist() == [[0, 0], [1, 0]]
    assert batch.dense_shape.numpy().tolist() == [2, 1]
    value = tf.compat.v1.SparseTensorValue([[0, 1]], [7], [1, 2])
    sliced = D.from_tensor_slices({"a": value})
    assert sliced.element_spec == {"a": tf.SparseTensorSpec([2], tf.int32)}
    assert [x["a"].values.numpy().tolist() for x in sliced] == [[7]]
