"""What tensors and errors say of themselves where programs look, as TensorFlow 2.21 says it."""

import pickle
import weakref

import numpy as np
import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_a_complex_tensor_becomes_a_number_with_numpys_warning(make: type) -> None:
    x = make(2 + 1j)
    with pytest.warns(np.exceptions.ComplexWarning):
        assert int(x) == 2
    with pytest.warns(np.exceptions.ComplexWarning):
        assert float(x) == 2.0
    assert complex(x) == 2 + 1j


def test_a_reference_to_a_tensor_can_be_referred_to_weakly() -> None:
    x = tf.constant(1)
    key = x.ref()
    names = weakref.WeakKeyDictionary({key: "x"})
    assert names[key] == "x"
    del key
    assert len(names) == 0


@pytest.mark.parametrize("name", ["T", "astype", "ravel", "reshape", "size", "tolist", "transpose"])
def test_methods_of_arrays_say_how_tensors_come_to_have_them(name: str) -> None:
    hint = f"no attribute '{name}'.*(\n|.)*experimental_enable_numpy_behavior"
    with pytest.raises(AttributeError, match=hint):
        getattr(tf.constant(1), name)
    with tf.Graph().as_default(), pytest.raises(AttributeError, match=hint):
        getattr(tf.constant(1), name)
    assert not hasattr(tf.constant(1), name)


def test_errors_hold_what_was_said_of_them() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.matmul([1.0], [2.0])
    assert caught.value.experimental_payloads == {}
    error = tf.errors.UnknownError(None, None, "text", {"who": b"me"})
    assert error.experimental_payloads == {"who": b"me"}
    assert error.error_code == 2
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.experimental_payloads) == ("text", {"who": b"me"})


def test_a_number_times_slices_keeps_the_slices() -> None:
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([3]))
    product = tf.math.scalar_mul(2.0, slices)
    assert isinstance(product, tf.IndexedSlices)
    assert product.values.numpy().tolist() == [[2.0, 4.0]]
    assert product.indices.numpy().tolist() == [3]


def test_an_operation_is_no_tensor() -> None:
    with tf.Graph().as_default():
        nothing = tf.no_op()
        with pytest.raises(TypeError, match="can't convert Operation 'NoOp' to Tensor"):
            tf.convert_to_tensor(nothing)


def test_what_holds_no_numbers_is_no_array() -> None:
    text = "Cannot convert a Tensor of dtype resource to a NumPy array"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.Variable(1).handle.numpy()


def test_a_tape_follows_a_tensor_beside_a_resource() -> None:
    handle = tf.Variable(1.0).handle
    with tf.GradientTape() as tape:
        x = tf.constant(1.0)
        tape.watch(x)
        y, same = tf.identity_n([x, handle])
    assert float(tape.gradient(y, x)) == 1.0
    assert same.dtype is tf.resource


@pytest.mark.parametrize("values", [[[1.0, 1], [1j, 2j]], [1, 1j], [True, 1j], [1.0, 1, 1j]])
def test_whatever_comes_first_complex_numbers_that_are_asked_for_are_made(values: list) -> None:
    made = tf.convert_to_tensor(values, tf.complex128)
    assert made.numpy().tolist() == np.array(values, np.complex128).tolist()


def test_what_holds_no_numbers_is_formatted_as_what_it_is() -> None:
    handle = tf.Variable(1.0).handle
    assert f"{handle}".startswith("<ResourceHandle(")
    assert f"{handle:>200}".startswith("  ")


def test_more_dimensions_than_numpy_has_are_refused_by_their_number() -> None:
    text = "Cannot convert tensor with 65 dimensions to NumPy array. NumPy arrays can have at most"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.ones([1] * 65).numpy()
