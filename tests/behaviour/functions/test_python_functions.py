"""What `tf.py_function` and `tf.numpy_function` make of results."""

import functools

import pytest

import emplace.tensorflow as tf

ROWS = [[1, 2, 3], [4], [5, 6]]


def in_both(call):
    """The results of a call in eager mode and in a function."""
    return [call(), tf.function(call)()]


@pytest.mark.parametrize(
    ("result", "dtype"),
    [(3, tf.int64), (1.5, tf.float64), ((1, 2), tf.int64), ([[1.5, 2.0]], tf.float64)],
)
def test_numbers_of_python_are_numpys_numbers_in_a_graph(result, dtype):
    wanted = [dtype] * (len(result) if isinstance(result, (list, tuple)) else 1)

    @tf.function
    def run():
        return tf.numpy_function(lambda: result, [], wanted)

    assert [each.dtype for each in run()] == wanted


def test_a_number_of_python_is_not_an_int32_in_a_graph():
    run = tf.function(lambda: tf.numpy_function(lambda: 3, [], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is int64, but expects int32"):
        run()


def test_eager_mode_returns_what_a_numpy_function_does():
    def results(result, wanted):
        return tf.numpy_function(lambda: result, [], wanted)

    one = results([2], [tf.int32])
    assert isinstance(one, tf.Tensor)
    assert int(one) == 2
    assert [int(each) for each in results([1, 2], tf.int32)] == [1, 2]
    assert [int(each) for each in results([[1, 2], [3]], [tf.int32])] == [1, 2, 3]
    assert results(None, [tf.int32]) is None


def test_values_beyond_those_wanted_of_a_py_function_are_dropped():
    for made in in_both(lambda: tf.py_function(lambda: [1, 2], [], [tf.int32])):
        assert [int(each) for each in made] == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 0 values"):
        tf.py_function(lambda: None, [], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="returns 2 values, but expects"):
        tf.function(lambda: tf.numpy_function(lambda: (1, 2), [], [tf.int64]))()


def test_a_py_function_takes_and_returns_ragged_and_sparse_tensors():
    x = tf.ragged.constant(ROWS)
    spec = tf.type_spec_from_value(x)
    for made in in_both(lambda: tf.py_function(lambda v: 2 * v, [x], spec)):
        assert made.to_list() == [[2, 4, 6], [8], [10, 12]]
        assert made.shape.as_list() == [3, None]
    for total, made in in_both(
        lambda: tf.py_function(lambda v: (tf.reduce_sum(v), v), [x], [tf.int32, spec])
    ):
        assert int(total) == 21
        assert made.to_list() == ROWS
    dots = tf.sparse.from_dense([[0, 1], [2, 0]])
    for (made,) in in_both(
        lambda: tf.py_function(lambda v: (v,), [dots], [tf.SparseTensorSpec([2, 2], tf.int32)])
    ):
        assert tf.sparse.to_dense(made).numpy().tolist() == [[0, 1], [2, 0]]


def test_gradients_flow_through_a_py_function_of_ragged_tensors():
    def slope():
        values = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(values)
            x = tf.RaggedTensor.from_row_lengths(values, [2, 1])
            spec = tf.RaggedTensorSpec([2, None], tf.float32, row_splits_dtype=x.row_splits.dtype)
            y = tf.py_function(lambda v: v * v, [x], spec)
        return tape.gradient(y.flat_values, values)

    for made in in_both(slope):
        assert made.numpy().tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("wrap", [lambda call: call, tf.function])
def test_a_py_function_that_returns_another_kind_of_tensor_says_so(wrap):
    x = tf.ragged.constant(ROWS)
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    for func, given, wanted, why in [
        (lambda v: v + 3, x, tf.int32, "is not a Tensor"),
        (lambda v: v, [[1, 2]], spec, "is not compatible with RaggedTensorSpec"),
        (lambda v: tf.cast(v, tf.float32), x, spec, "is not compatible with RaggedTensorSpec"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="did not match Tout=") as found:
            wrap(functools.partial(tf.py_function, func, [given], [wanted]))()
        assert why in str(found.value)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(ValueError, match=r"Expected func to be callable\. Received func=3"):
        tf.py_function(3, [1], tf.int32)
    with pytest.raises(ValueError, match=r"Expected func to be callable\. Received func=3"):
        tf.function(lambda: tf.numpy_function(3, [1], tf.int32))()


def test_a_numpy_function_takes_no_ragged_tensor_in_words():
    with pytest.raises(TypeError, match=r"must not be RaggedTensors\. Pass the parts of it"):
        tf.numpy_function(lambda v: v, [tf.ragged.constant(ROWS)], tf.int32)


def test_what_no_tensor_holds_is_refused_as_a_result():
    for made in ({"a": 1}, 2**70):
        with pytest.raises(tf.errors.InternalError, match=f"object type {type(made).__name__}"):
            tf.function(lambda made=made: tf.numpy_function(lambda: made, [], tf.int64))()
        for run in (lambda call: call, tf.function):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"ValueError: .*onvert"):
                run(lambda made=made: tf.py_function(lambda: made, [], tf.int64))()


def test_a_numpy_function_without_state_and_results_is_nothing_to_run():
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        for make in (v1.py_func, tf.numpy_function):
            assert make(lambda: None, [], [], stateful=False) == []
            assert session.run(make(lambda: None, [], [])) is None
    assert tf.function(lambda: tf.numpy_function(lambda: None, [], [], False))() == []
