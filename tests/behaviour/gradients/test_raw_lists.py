"""Raw ops on lists of tensors have gradients, and lists of them can be added up."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

raw = tf.raw_ops
F32 = {"element_dtype": tf.float32}


def every_op(x):
    """A number that depends on `x`, of four elements, by every op that has a gradient."""
    scalar = tf.constant([], tf.int32)
    any_shape = {"element_shape": -1, **F32}
    a = raw.EmptyTensorList(element_shape=scalar, max_num_elements=-1, **F32)
    for i in range(4):
        a = raw.TensorListPushBack(input_handle=a, tensor=x[i] * (i + 1.0))
    a, last = raw.TensorListPopBack(input_handle=a, **any_shape)
    a = raw.TensorListSetItem(input_handle=a, index=1, item=x[0] * x[0])
    first = raw.TensorListGetItem(input_handle=a, index=0, **any_shape)
    stacked = raw.TensorListStack(input_handle=a, **any_shape)
    gathered = raw.TensorListGather(input_handle=a, indices=[2, 0, 1], **any_shape)
    b = raw.TensorListFromTensor(tensor=x * x, element_shape=scalar)
    b = raw.TensorListScatterIntoExistingList(input_handle=b, tensor=x[:2] * 7.0, indices=[3, 0])
    longer = raw.TensorListResize(input_handle=b, size=6)
    shorter = raw.TensorListResize(input_handle=b, size=3)
    c = raw.TensorListScatterV2(
        tensor=x * 3.0, indices=[1, 0, 2, 5], element_shape=scalar, num_elements=-1
    )
    d = raw.TensorListSplit(tensor=x, element_shape=[-1], lengths=tf.constant([1, 3], tf.int64))
    joined = raw.TensorListConcatV2(
        input_handle=d, element_shape=[-1], leading_dims=tf.constant([], tf.int64), **F32
    )[0]
    part = raw.TensorListGetItem(input_handle=d, index=1, **any_shape)
    whole = [
        raw.TensorListStack(input_handle=handle, **any_shape) for handle in (longer, shorter, c)
    ]
    return (
        last * last + first * 3.0 + tf.reduce_sum(stacked * stacked)
        + tf.reduce_sum(gathered * [1.0, 2.0, 3.0]) + tf.reduce_sum(joined**3.0)
        + tf.reduce_sum(part * part) + sum(tf.reduce_sum(stack * stack) for stack in whole)
    )  # fmt: skip


def with_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = every_op(x)
    return y, tape.gradient(y, x)


# As TensorFlow 2.21 answers.
ANSWER = [1390.0, [136.0, 508.0, 360.0, 256.0]]


def test_every_op_has_its_gradient_eagerly():
    y, gradient = with_gradient(tf.constant([1.0, 2.0, 3.0, 4.0]))
    assert [float(y), gradient.numpy().tolist()] == ANSWER


@pytest.mark.parametrize("size", [4, None])
def test_every_op_has_its_gradient_in_functions(size):
    f = tf.function(with_gradient, input_signature=[tf.TensorSpec([size], tf.float32)])
    y, gradient = f(tf.constant([1.0, 2.0, 3.0, 4.0]))
    assert [float(y), gradient.numpy().tolist()] == ANSWER


def test_every_op_has_its_gradient_in_sessions():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        y = every_op(x)
        [gradient] = tf.compat.v1.gradients(y, x)
        found = session.run([y, gradient], {x: [1.0, 2.0, 3.0, 4.0]})
    assert [each.tolist() for each in found] == ANSWER


@pytest.mark.gpus(1, memory="64MB")
def test_lists_are_added_up_on_a_gpu_and_stay_lists_of_raw_ops():
    def total():
        scalar = tf.constant([], tf.int32)
        lists = [
            raw.TensorListFromTensor(tensor=tf.constant(each), element_shape=scalar)
            for each in ([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
        ]
        with tf.device("/GPU:0"):
            added = tf.add_n(lists)
        return raw.TensorListStack(input_handle=added, element_shape=-1, **F32)

    assert total().numpy().tolist() == [9.0, 12.0]
    assert tf.function(total)().numpy().tolist() == [9.0, 12.0]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(total()).tolist() == [9.0, 12.0]


def test_lists_that_do_not_fit_are_not_added_up():
    def reserved(count, dtype=tf.float32, shape=(2,)):
        return raw.TensorListReserve(element_shape=shape, num_elements=count, element_dtype=dtype)

    for other, text in (
        (reserved(3), "with different lengths"),
        (reserved(2, shape=(3,)), "with incompatible element shapes"),
        (reserved(2, tf.int32), "of different dtypes"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.add_n([reserved(2), other])


def test_elements_may_be_lists():
    def total(x):
        scalar = tf.constant([], tf.int32)
        outer = {"element_shape": scalar, "element_dtype": tf.variant}
        lists = []
        for factor in (1.0, 10.0):
            made = raw.EmptyTensorList(max_num_elements=-1, **outer)
            for i in range(2):
                inner = raw.TensorListFromTensor(tensor=x * factor + i, element_shape=scalar)
                made = raw.TensorListPushBack(input_handle=made, tensor=inner)
            lists.append(made)
        inner = raw.TensorListGetItem(input_handle=tf.add_n(lists), index=1, **outer)
        return raw.TensorListStack(input_handle=inner, element_shape=scalar, **F32)

    x = tf.constant([1.0, 2.0])
    assert total(x).numpy().tolist() == [13.0, 24.0]
    assert tf.function(total)(x).numpy().tolist() == [13.0, 24.0]


def test_shapes_that_a_graph_computes_are_taken():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32), tf.TensorSpec(None, tf.int32)])
    def f(x, shape):
        made = raw.TensorListFromTensor(tensor=x, element_shape=shape)
        made = raw.TensorListResize(input_handle=made, size=3)
        item = raw.TensorListGetItem(input_handle=made, index=2, element_shape=shape, **F32)
        return item, raw.TensorListStack(input_handle=made, element_shape=shape, **F32)

    item, whole = f([[1.0], [2.0]], [1])
    assert item.numpy().tolist() == [0.0]
    assert whole.numpy().tolist() == [[1.0], [2.0], [0.0]]


def of_map(x):
    """A number that depends on `x`, of three elements, by ops on maps."""
    two = tf.constant(2)
    made = raw.EmptyTensorMap()
    for i in range(3):
        made = raw.TensorMapInsert(input_handle=made, key=tf.constant(i), value=x[i] * (i + 1.0))
    read = {"key": two, "value_dtype": tf.float32}
    first = raw.TensorMapLookup(input_handle=made, **read)
    other = raw.TensorMapInsert(input_handle=made, key=two, value=x[0] * x[1])
    other = raw.TensorMapErase(input_handle=other, key=tf.constant(1), value_dtype=tf.float32)
    second = raw.TensorMapLookup(input_handle=other, **read)
    third = raw.TensorMapLookup(input_handle=other, key=tf.constant(0), value_dtype=tf.float32)
    return first * first + second * third + 2.0 * second


@pytest.mark.parametrize("is_function", [False, True])
def test_maps_have_gradients(is_function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = of_map(x)
        return y, tape.gradient(y, x)

    y, found = (tf.function(gradient) if is_function else gradient)(tf.constant([1.0, 2.0, 3.0]))
    assert [float(y), found.numpy().tolist()] == [87.0, [8.0, 3.0, 54.0]]


def test_maps_have_gradients_in_sessions():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        [gradient] = tf.compat.v1.gradients(of_map(x), x)
        assert session.run(gradient).tolist() == [8.0, 3.0, 54.0]
