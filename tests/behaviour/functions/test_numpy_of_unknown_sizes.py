"""`tf.experimental.numpy` in functions whose arguments have unknown sizes, or an unknown rank.

What TensorFlow 2.21 answers was asked of it; it is what NumPy answers where nothing else is said.
"""

import numpy as np
import pytest

import emplace.tensorflow as tf

tnp = tf.experimental.numpy
MATRIX = np.arange(12.0).reshape(3, 4)
VECTOR = np.arange(1.0, 5.0)
CUBE = np.arange(24.0).reshape(2, 3, 4)

CALLS = {
    "reshape": (lambda x: tnp.reshape(x, [12]), MATRIX.reshape(12), [MATRIX]),
    "reshape to a cube": (lambda x: tnp.reshape(x, (2, 3, 2)), MATRIX.reshape(2, 3, 2), [MATRIX]),
    "reshape, last first": (
        lambda x: tnp.reshape(x, [12], order="F"), MATRIX.reshape(12, order="F"), [MATRIX],
    ),
    "product of what is reshaped": (
        lambda x: tnp.dot(tnp.reshape(x, [6, 2]), [1.0, 2.0]),
        MATRIX.reshape(6, 2) @ [1.0, 2.0], [MATRIX],
    ),
    "matrix, vector": (lambda x, y: tnp.matmul(x, y), MATRIX @ VECTOR, [MATRIX, VECTOR]),
    "vectors": (lambda x, y: tnp.matmul(x, y), VECTOR @ VECTOR, [VECTOR, VECTOR]),
    "array, then matmul": (
        lambda x, y: tnp.matmul(tnp.array(x), tnp.array(y)), CUBE @ VECTOR, [CUBE, VECTOR],
    ),
    "array of a rank": (lambda x: tnp.array(x, ndmin=3), MATRIX[None], [MATRIX]),
    "atleast_2d": (lambda x: tnp.atleast_2d(x), VECTOR[None], [VECTOR]),
    "full_like": (lambda x: tnp.full_like(x, 3), np.full_like(MATRIX, 3), [MATRIX]),
    "zeros_like": (lambda x: tnp.zeros_like(x, int), np.zeros_like(MATRIX, int), [MATRIX]),
    "ones_like": (lambda x: tnp.ones_like(x), np.ones_like(MATRIX), [MATRIX]),
    "cumsum": (lambda x: tnp.cumsum(x, -1), MATRIX.cumsum(-1), [MATRIX]),
    "cumprod": (lambda x: tnp.cumprod(x), MATRIX.cumprod(), [MATRIX]),
    "argsort": (lambda x: tnp.argsort(x, 0), MATRIX.argsort(0), [MATRIX]),
    "moveaxis": (
        lambda x: tnp.moveaxis(x, range(6), (5, 0, 1, 2, 3, 4)),
        np.moveaxis(np.zeros((0, 1, 2, 3, 4, 5)), range(6), (5, 0, 1, 2, 3, 4)),
        [np.zeros((0, 1, 2, 3, 4, 5))],
    ),
    "linspace": (
        lambda x: tnp.linspace(x, 2.0 * x, 3, axis=-1),
        np.linspace(VECTOR, 2 * VECTOR, 3, axis=-1), [VECTOR],
    ),
    "geomspace": (lambda x: tnp.geomspace(x, 8.0, 3), np.geomspace(VECTOR, 8, 3), [VECTOR]),
    "tensordot": (
        lambda x: tnp.tensordot(x, np.ones((3, 4)), 2), np.tensordot(CUBE, np.ones((3, 4)), 2),
        [CUBE],
    ),
    "stack": (lambda x: tnp.stack(x, 1), MATRIX.T, [MATRIX]),
}  # fmt: skip


@pytest.mark.parametrize("is_ranked", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_a_function_of_unknown_sizes_answers(name: str, is_ranked: bool) -> None:
    call, expected, arrays = CALLS[name]
    specs = [tf.TensorSpec([None] * x.ndim if is_ranked else None, x.dtype) for x in arrays]
    answer = tf.function(call, input_signature=specs, autograph=False)(*arrays)
    assert answer.shape == expected.shape
    np.testing.assert_allclose(answer, expected)


def test_a_deferred_call_that_no_tried_size_fits_waits_for_sizes() -> None:
    """The sizes that stand for unknown ones must not refuse a shape that is asked for."""
    from emplace.ops.deferred import deferrable

    @deferrable
    def halves(x):
        return tf.reshape(x, [5, 2, 13])

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        return halves(x)

    assert f(tf.zeros([10, 13])).shape == (5, 2, 13)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input to reshape"):
        f(tf.zeros([10, 12]))


def test_what_is_refused_whatever_the_sizes_are_is_refused_while_tracing() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        return tnp.rot90(x, 1, (0, 5))

    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 5 is out of bounds"):
        f(tf.zeros([2, 3]))


def test_places_of_a_matrix_of_unknown_sizes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        return tnp.nonzero(x)

    assert [each.numpy().tolist() for each in f(tf.constant([[0.0, 1.0]]))] == [[0], [1]]


def test_arrays_pick_places_of_what_has_no_elements() -> None:
    """TensorFlow refuses it; NumPy answers."""
    tnp.experimental_enable_numpy_behavior()

    @tf.function(input_signature=[tf.TensorSpec([None, None, None], tf.float64)], autograph=False)
    def f(x):
        return x[[0, -1], [1, 1], 3:1], x[[True, False], :, 4:]

    answers = f(CUBE)
    assert [each.shape for each in answers] == [(2, 0), (1, 3, 0)]


def test_axes_may_be_tensors_of_floats() -> None:
    assert tnp.sum([[1, 2], [3, 4]], axis=tnp.array([0.0])).numpy().tolist() == [4, 6]
    assert tnp.amax([[1, 2], [3, 4]], axis=tnp.array(1, np.float32)).numpy().tolist() == [2, 4]
