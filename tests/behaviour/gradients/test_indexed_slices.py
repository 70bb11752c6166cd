"""tf.IndexedSlices: gradients of looked-up rows, and what takes them."""

from __future__ import annotations

import pytest

import emplace
import emplace.tensorflow as tf
import emplace.v1 as tf1


def table() -> tf.Variable:
    return tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def looked_up(variable: tf.Variable, rows: list[int]) -> tf.IndexedSlices:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(variable, rows) * 2.0)
    return tape.gradient(loss, variable)


def test_looking_rows_up_in_a_variable_gives_a_gradient_of_those_rows() -> None:
    slices = looked_up(table(), [2, 0, 2])
    assert isinstance(slices, tf.IndexedSlices)
    assert slices.indices.numpy().tolist() == [2, 0, 2]
    assert slices.values.numpy().tolist() == [[2.0, 2.0]] * 3
    assert slices.dense_shape.numpy().tolist() == [3, 2]
    assert slices.shape == (3, 2)


def test_a_step_with_it_changes_only_those_rows() -> None:
    variable = table()
    variable.scatter_sub(looked_up(variable, [2]))
    assert variable.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0], [3.0, 4.0]]


def test_assign_sub_takes_it_as_the_whole_tensor() -> None:
    variable = table()
    variable.assign_sub(looked_up(variable, [0, 0]))
    assert variable.numpy().tolist() == [[-3.0, -2.0], [3.0, 4.0], [5.0, 6.0]]


def test_a_sum_of_lookups_stays_slices_and_a_sum_with_the_whole_is_dense() -> None:
    variable = table()
    with tf.GradientTape(persistent=True) as tape:
        rows = tf.reduce_sum(tf.gather(variable, [1])) + tf.reduce_sum(tf.gather(variable, [2]))
        both = rows + tf.reduce_sum(variable)
    assert sorted(tape.gradient(rows, variable).indices.numpy().tolist()) == [1, 2]
    assert tape.gradient(both, variable).numpy().tolist() == [[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]


def test_only_the_rows_are_read() -> None:
    variable = table()
    with emplace.watch() as seen:
        tf.gather(variable, [1])
    ops = [each["op"] for each in seen.report().to_dict()["ops"]]
    assert "ResourceGather" in ops
    assert "ReadVariableOp" not in ops


def test_it_can_be_differentiated_again() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.square(tf.gather(x, [2, 2])))
        slices = inner.gradient(y, x)
    second = outer.gradient(slices, x)
    assert tf.convert_to_tensor(second).numpy().tolist() == [0.0, 0.0, 4.0]


def test_it_can_be_a_source() -> None:
    slices = tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([0, 2]), tf.constant([3]))
    with tf.GradientTape() as tape:
        tape.watch(slices.values)
        y = tf.reduce_sum(tf.convert_to_tensor(slices) * [1.0, 2.0, 3.0])
    found = tape.gradient(y, slices)
    assert isinstance(found, tf.IndexedSlices)
    assert found.values.numpy().tolist() == [1.0, 3.0]
    assert found.indices.numpy().tolist() == [0, 2]


def test_without_the_shape_of_the_whole_it_is_no_tensor() -> None:
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(slices)


def test_a_place_outside_of_the_whole_is_refused() -> None:
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([7]), tf.constant([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[7\] does not index into"):
        tf.convert_to_tensor(slices)


def test_a_value_that_was_read_does_not_change_with_scatter() -> None:
    variable = table()
    before = variable.value()
    variable.scatter_update(tf.IndexedSlices([[9.0, 9.0]], [1]))
    assert before.numpy()[1].tolist() == [3.0, 4.0]
    assert variable.numpy()[1].tolist() == [9.0, 9.0]


@pytest.mark.gpus(2, memory="64MB")
def test_rows_stay_on_the_device_of_the_variable() -> None:
    with tf.device("/GPU:1"):
        variable = table()
    slices = looked_up(variable, [1])
    assert slices.values.device.endswith("GPU:1")
    variable.scatter_sub(slices)
    assert variable.numpy()[1].tolist() == [1.0, 2.0]


@pytest.mark.gpus(1, memory="1MB")
def test_a_scatter_that_must_copy_asks_the_budget_first() -> None:
    variable = tf.Variable(tf.zeros([150_000]))
    kept = variable.value()
    with pytest.raises(tf.errors.ResourceExhaustedError, match="ResourceScatterAdd"):
        variable.scatter_add(tf.IndexedSlices([1.0], [0]))
    assert kept.numpy()[0] == 0.0
    assert variable.numpy()[0] == 0.0


def _looked_up_in_a_branch(is_first: tf.Tensor, v: tf.Variable) -> tf.Tensor:
    return tf.cond(
        is_first, lambda: tf.gather(v, [0, 1]), lambda: tf.gather(v, tf.constant([1, 2], tf.int64))
    )


def test_rows_looked_up_in_a_branch_have_slices_as_gradient() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def gradient(is_first):
        with tf.GradientTape() as tape:
            y = _looked_up_in_a_branch(is_first, v)
        return tape.gradient(y, v)

    found = gradient(tf.constant(True)), gradient(tf.constant(False))
    assert [each.indices.numpy().tolist() for each in found] == [[0, 1], [1, 2]]
    assert all(each.indices.dtype is tf.int64 for each in found)
    assert all(each.dense_shape.numpy().tolist() == [3] for each in found)


def test_a_branch_with_a_dense_gradient_gives_slices_for_all_rows() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def gradient(is_first):
        with tf.GradientTape() as tape:
            y = tf.cond(is_first, lambda: tf.gather(v, [0, 1]), lambda: v * 2.0)
        return tape.gradient(y, v)

    found = gradient(tf.constant(False))
    assert found.indices.numpy().tolist() == [0, 1, 2]
    assert found.values.numpy().tolist() == [2.0, 2.0, 2.0]
    assert gradient(tf.constant(True)).indices.numpy().tolist() == [0, 1]


def test_a_step_on_rows_looked_up_in_a_branch_leaves_other_rows_alone_in_a_session() -> None:
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0, 3.0])
        is_first = tf.compat.v1.placeholder(tf.bool, [])
        loss = tf.reduce_sum(_looked_up_in_a_branch(is_first, v))
        step = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(step, {is_first: True})
            session.run(step, {is_first: False})
            # A dense gradient would move the first row again, by its momentum: 0.81.
            assert session.run(v).tolist() == pytest.approx([0.9, 1.71, 2.9])


def test_slices_come_through_branches_in_branches() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def gradient(n):
        with tf.GradientTape() as tape:
            y = tf.switch_case(
                n,
                [
                    lambda: tf.cond(n > 5, lambda: v[:1], lambda: tf.gather(v, [1])),
                    lambda: tf.gather(v, [0]),
                    lambda: tf.zeros([1, 2]),
                ],
            )
        return tape.gradient(y, v)

    found = [gradient(tf.constant(n)) for n in range(3)]
    assert [tf.convert_to_tensor(each).numpy().tolist() for each in found] == [
        [[0.0, 0.0], [1.0, 1.0]],
        [[1.0, 1.0], [0.0, 0.0]],
        [[0.0, 0.0], [0.0, 0.0]],
    ]


@pytest.mark.parametrize("dims", [[None], [None, None], None], ids=str)
@pytest.mark.parametrize("width", [[4, 2], [None, None], [4, None]], ids=str)
def test_rows_whose_number_only_the_run_knows_give_slices_too(dims, width) -> None:
    kinds = []

    @tf.function(input_signature=[tf.TensorSpec(width), tf.TensorSpec(dims, tf.int32)])
    def gradient(x, rows):
        (slices,) = tf.gradients(tf.gather(x, rows) * 3.0, x)
        kinds.append(type(slices))
        return slices

    rows = [[2, 0], [1, 2]] if dims is None or len(dims) == 2 else [2, 0, 1, 2]
    found = gradient(tf.ones([4, 2]), rows)
    assert kinds == [tf.IndexedSlices]
    assert found.indices.numpy().tolist() == [2, 0, 1, 2]
    assert tf.convert_to_tensor(found).numpy().tolist() == [
        [3.0] * 2,
        [3.0] * 2,
        [6.0] * 2,
        [0.0] * 2,
    ]


@pytest.mark.parametrize("dims", [[None], None], ids=str)
def test_a_variable_learns_from_rows_whose_number_only_the_run_knows(dims) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        rows = tf1.placeholder(tf.int32, dims)
        variable = tf1.get_variable("table", initializer=[[1.0, 1.0]] * 4)
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(variable, rows)))
        step = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        session.run(tf1.global_variables_initializer())
        session.run(step, {rows: [0, 1]})
        session.run(step, {rows: [2, 3]})  # TF: what was not looked up does not move
        assert session.run(variable)[:, 0].tolist() == pytest.approx([0.8] * 4)


@pytest.mark.parametrize(
    ("name", "shares"),
    [("sum", [2.0, 1.0, 1.0]), ("mean", [1.0, 0.5, 0.5]), ("sqrt_n", [2**0.5, 0.5**0.5, 0.5**0.5])],
)
def test_picked_rows_have_a_gradient_of_those_rows_where_it_is_asked_for(name, shares) -> None:
    def gradient(x, rows, **more):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = getattr(tf.sparse, f"segment_{name}")(x, rows, [0, 0, 2, 2], **more)
        return tape.gradient(total, x)

    traced = tf.function(
        gradient, input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([4], tf.int32)]
    )
    x, rows = tf.ones([5, 2]), tf.constant([3, 1, 1, 4])
    dense = gradient(x, rows)
    assert not isinstance(dense, tf.IndexedSlices)
    for more in ({}, {"num_segments": 6}):
        slices = gradient(x, rows, sparse_gradient=True, **more)
        assert slices.indices.numpy().tolist() == [1, 3, 4]  # TensorFlow 2.21's
        assert slices.values.numpy()[:, 1].tolist() == pytest.approx(shares)
        assert slices.dense_shape.numpy().tolist() == [5, 2]
    assert traced(x, rows).numpy().tolist() == dense.numpy().tolist()


HANDED_ON = {
    "a shape made sure of": lambda v: tf.ensure_shape(v, [3, 2]),
    "several values": lambda v: tf.identity_n([tf.zeros([2]), v])[1],
    "another type": lambda v: tf.cast(v, tf.float64),
    "what is printed": lambda v: tf1.Print(tf.identity(v), [v], first_n=0),
    "a default": lambda v: tf1.placeholder_with_default(v, [3, 2]),
}


@pytest.mark.parametrize("how", HANDED_ON)
def test_rows_of_a_value_that_is_handed_on_have_slices_as_gradient(how) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        variable = tf1.get_variable("table", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        (found,) = tf.gradients(tf.gather(HANDED_ON[how](variable), [2, 0, 2]), variable)
        session.run(tf1.global_variables_initializer())
        slices = session.run(found)
    assert slices.indices.tolist() == [2, 0, 2]
    assert slices.values.tolist() == [[1.0, 1.0]] * 3
    assert slices.values.dtype == "float32"


def gathered_after_a_concat(axis: int, rows: list[int], wrap=lambda f: f) -> list[tf.IndexedSlices]:
    one, other = table(), tf.Variable([[7.0, 8.0]] * 3)

    def gradients() -> list[tf.IndexedSlices]:
        with tf.GradientTape() as tape:
            y = tf.square(tf.gather(tf.concat([one, other], axis), rows))
        return tape.gradient(y, [one, other])

    return wrap(gradients)()


def parts(slices: tf.IndexedSlices) -> tuple[list[int], list[list[float]]]:
    return slices.indices.numpy().tolist(), slices.values.numpy().tolist()


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
@pytest.mark.parametrize("axis", [0, -2])
def test_rows_of_tables_one_below_the_other_are_slices_of_each(axis, wrap) -> None:
    one, other = gathered_after_a_concat(axis, [4, 1, 5, 4], wrap)
    assert parts(one) == ([1], [[6.0, 8.0]])  # TensorFlow 2.21's
    assert parts(other) == ([1, 2, 1], [[14.0, 16.0]] * 3)
    assert other.dense_shape.numpy().tolist() == [3, 2]


@pytest.mark.parametrize("axis", [1, -1])
def test_rows_of_tables_side_by_side_are_slices_of_each(axis) -> None:
    one, other = gathered_after_a_concat(axis, [2, 0])
    assert parts(one) == ([2, 0], [[10.0, 12.0], [2.0, 4.0]])
    assert parts(other) == ([2, 0], [[14.0, 16.0]] * 2)


def test_rows_of_tables_of_unknown_length_one_below_the_other_are_slices() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        above = tf1.placeholder(tf.float32, [None, 2])
        variable = tf1.get_variable("table", initializer=[[1.0, 2.0], [3.0, 4.0]])
        (found,) = tf.gradients(tf.gather(tf.concat([above, variable], 0), [1, 3, 4]), variable)
        session.run(tf1.global_variables_initializer())
        slices = session.run(found, {above: [[0.0, 0.0]] * 3})
    assert slices.indices.tolist() == [0, 1]
    assert slices.values.tolist() == [[1.0, 1.0]] * 2


def test_a_step_on_rows_of_a_variable_in_parts_leaves_other_rows_alone() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        whole = tf1.get_variable(
            "v", initializer=tf.constant([1.0, 2.0, 3.0]), partitioner=tf1.fixed_size_partitioner(2)
        )
        rows = tf1.placeholder(tf.int32, [None])
        step = tf1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.gather(whole, rows))
        session.run(tf1.global_variables_initializer())
        session.run(step, {rows: [0]})
        session.run(step, {rows: [2]})
        # A dense gradient would move the first row again, by its momentum: 0.81.
        assert session.run(whole.as_tensor()).tolist() == pytest.approx([0.9, 2.0, 2.9])


def test_shapes_are_known_as_far_as_their_numbers_are() -> None:
    shapes = []

    def note(sizes: tf.Tensor) -> tf.IndexedSlices:
        slices = tf.IndexedSlices(tf.zeros([1, 3]), tf.constant([0]), sizes)
        shapes.append(str(slices.shape))
        return slices

    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
    def of_two(sizes):
        note(tf.stack([sizes[0], 3]))
        return note(sizes)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def of_some(sizes):
        return note(sizes)

    assert of_two(tf.constant([4, 3])).dense_shape.numpy().tolist() == [4, 3]
    assert of_some(tf.constant([4, 3])).dense_shape.numpy().tolist() == [4, 3]
    assert shapes == ["(None, 3)", "(None, None)", "<unknown>"]  # as TensorFlow's


def test_slices_with_a_shape_are_arguments_and_results() -> None:
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([1]))
    same = tf.function(lambda x: x)(slices)
    assert isinstance(same, tf.IndexedSlices)
    assert same.dense_shape.numpy().tolist() == [1]
    assert same.values.numpy().tolist() == [[1.0]]
