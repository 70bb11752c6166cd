"""`tf.debugging.assert_shapes` and its kin: sizes that are known, and those that a run tells."""

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
debugging = tf.debugging


def x():
    return tf.zeros([2, 3])


def in_function(check, *shapes):
    """A check in a function of tensors of these static shapes."""
    specs = [tf.TensorSpec(shape, tf.float32) for shape in shapes]

    def traced(*tensors):
        check(*tensors)

    return tf.function(traced, input_signature=specs)


@pytest.mark.parametrize("shape", [[2, None], None])
def test_sizes_that_a_function_does_not_know_are_checked_when_it_runs(shape) -> None:
    function = in_function(lambda x: debugging.assert_shapes([(x, (2, 4))]), shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Specified explicitly") as caught:
        function(x())
    text = "dimension] [1] [must have size] [4] [Received shape: ] [2 3]"
    assert text in str(caught.value)
    function(tf.zeros([2, 4]))


def test_sizes_of_one_name_are_compared_when_a_function_runs() -> None:
    function = in_function(
        lambda x, y: debugging.assert_shapes([(x, ("N", "Q")), (y, ("Q",))], message="oh"),
        [2, None], [None],
    )  # fmt: skip
    function(x(), tf.zeros([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[oh\.  \] \[Specified by tensor"):
        function(x(), tf.zeros([2]))


def test_data_of_the_program_are_shown_instead() -> None:
    function = in_function(
        lambda x: debugging.assert_shapes([(x, ("N", 4))], data=["shown", 7]), [None, None]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[shown\] \[7\]"):
        function(x())


def test_no_axes_are_one_of_size_one() -> None:
    one = tf.constant(1.0)
    debugging.assert_shapes([(one, ("N",)), (tf.zeros([1]), ("N",)), (tf.zeros([1]), ())])
    in_function(lambda x: debugging.assert_shapes([(x, ("N",)), ([1], ("N",))]), None)(one)
    explicit = (
        "Specified explicitly.  Tensor shape=\\(2,\\) dtype=float32 dimension 0 must have size 1.  "
    )
    with pytest.raises(ValueError, match=explicit + "Received size 2, shape \\(2,\\)"):
        debugging.assert_shapes([(tf.zeros([2]), ())])
    with pytest.raises(ValueError, match="Specified by tensor shape=\\(\\) dtype=float32 dim"):
        debugging.assert_shapes([(one, ("N",)), (tf.zeros([2]), ("N",))])


def test_innermost_axes_are_counted_from_the_end() -> None:
    debugging.assert_shapes([(x(), (..., 3)), (x(), ("*", "A", 3)), (x(), None)])
    with pytest.raises(ValueError, match=r"dimension -1 must have size 4.  Received size 3"):
        debugging.assert_shapes([(x(), (..., 4))])
    with pytest.raises(ValueError, match=r"must have rank at least 3.  Received rank 2"):
        debugging.assert_shapes([(x(), (..., 1, 2, 3))])


def test_what_is_no_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="Specified shape must be an iterable"):
        debugging.assert_shapes([(x(), 3)])
    with pytest.raises(ValueError, match=r"specified shape index 1.  Symbol `...` or `\*`"):
        debugging.assert_shapes([(x(), (2, ...))])


def test_sparse_tensors_have_shapes() -> None:
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    debugging.assert_shapes([(sparse, (2, 3)), (x(), (2, 3))])
    with pytest.raises(ValueError, match="Tensor shape=\\(2, 3\\) dtype=float32 dimension 1 must"):
        debugging.assert_shapes([(sparse, (2, 4))])


def test_a_graph_gets_an_operation_that_checks() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.placeholder(tf.float32, None, name="a")
        shapes = v1.debugging.assert_shapes([(a, ("N", 4))])
        rank = v1.assert_rank(a, v1.placeholder_with_default(2, None))
        known = v1.assert_rank(tf.zeros([2]), 1)
        assert [known.type, v1.debugging.assert_integer(1).type] == ["NoOp", "NoOp"]
        session.run([shapes, rank], {a: [[1.0, 2.0, 3.0, 4.0]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Tensor a:0 dimension\] \[1\]"):
            session.run(shapes, {a: [[1.0]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must have rank\] \[2\]"):
            session.run([shapes, rank], {a: [1.0]})


def test_a_rank_that_is_a_vector_is_told_of_when_the_graph_runs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        rank = v1.placeholder(tf.int32, None)
        check = v1.assert_rank(v1.placeholder_with_default([1.0], None), rank)
        session.run(check, {rank: 1})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Rank must be a scalar"):
            session.run(check, {rank: [1, 2]})


def test_a_scalar_must_be_known_to_be_one() -> None:
    with pytest.raises(ValueError, match=r"Expected scalar shape for .*, saw shape: <unknown>."):
        in_function(debugging.assert_scalar, None)(1.0)


def test_an_assertion_of_eager_tensors_in_a_function_says_what_differs() -> None:
    one, two = tf.constant(1), tf.constant(2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x == y did not hold"):
        tf.function(lambda: debugging.assert_equal(one, two, message="fail"))()


def test_tensors_that_are_none_have_any_dtype() -> None:
    assert debugging.assert_same_float_dtype([None, tf.constant(1.0), None]) is tf.float32
    assert debugging.assert_same_float_dtype([None, None]) is tf.float32
