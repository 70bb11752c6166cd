"""`tf.test.TestCase` and what goes with it."""

# ruff: noqa: PT009, PT027

from __future__ import annotations

import unittest
import unittest.mock

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


class Sample(tf.test.TestCase):
    def test_values(self):
        x = tf.constant([1.0, 2.0])
        self.assertAllEqual(x, [1.0, 2.0])
        self.assertAllClose({"a": x, "b": (x, 1.0)}, {"a": [1.0, 2.0], "b": ([1.0, 2.0], 1.0)})
        self.assertNotAllClose(x, [1.0, 2.1])
        self.assertNotAllEqual(x, [1.0, 3.0])
        self.assertAllGreater(x, 0.5)
        self.assertAllLessEqual(x, 2.0)
        self.assertAllInRange(x, 1.0, 2.0)
        self.assertAllInSet(x, {1.0, 2.0, 3.0})
        self.assertShapeEqual(np.zeros(2), x)
        self.assertDTypeEqual(x, tf.float32)
        self.assertAllCloseAccordingToType(tf.constant([1.0], tf.float16), [1.0005])
        self.assertAllEqual(tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]])
        self.assertDeviceEqual("/cpu:0", "/device:CPU:0")
        assert self.evaluate({"a": [x, 2 * x]})["a"][1].tolist() == [2.0, 4.0]
        slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([3]))
        found = self.evaluate([slices, {"a": tf.IndexedSlices(x, tf.range(2), tf.constant([4]))}])
        assert isinstance(found[0], tf.compat.v1.IndexedSlicesValue)
        assert found[0] == ([1.0], [3], None)
        assert found[1]["a"].dense_shape.tolist() == [4]
        with self.assertRaisesRegex(ValueError, "Unsupported type 'object'."):
            self.evaluate(object())
        with self.assertRaisesOpError("is not invertible"):
            tf.linalg.inv(tf.zeros([2, 2]))

    def test_sessions(self):
        with tf.Graph().as_default(), self.cached_session() as session:
            x = tf.constant(2.0) * 3.0
            assert self.evaluate(x) == 6.0
            assert session.run(x) == 6.0

    def test_threads(self):
        thread = self.checkedThread(lambda: self.assertEqual(1, 2))
        thread.start()
        with self.assertRaisesRegex(AssertionError, "Error in checkedThread"):
            thread.join()


def outcome(case: unittest.TestCase) -> unittest.TestResult:
    result = unittest.TestResult()
    case.run(result)
    return result


@pytest.mark.parametrize("name", ["test_values", "test_sessions", "test_threads"])
def test_a_test_case_passes(name):
    result = outcome(Sample(name))
    assert result.testsRun == 1
    assert result.wasSuccessful(), result.errors + result.failures


FAILING = [
    (lambda t: t.assertAllEqual([1, 2], [1, 3]), r"not equal where"),
    (lambda t: t.assertAllEqual([1, 2], [1]), r"Shape mismatch: expected \(2,\), got \(1,\)"),
    (lambda t: t.assertAllClose(1.0, 1.1), "Not equal to tolerance rtol=1e-06, atol=1e-06"),
    (lambda t: t.assertAllClose({"a": 1.0}, {"b": 1.0}), "mismatched keys"),
    (lambda t: t.assertAllInRange([1.0, 5.0], 0.0, 2.0), "not in the range"),
    (lambda t: t.assertNotAllClose([1.0], [1.0]), "close at all elements"),
    (lambda t: t.assertNear(1.0, 2.0, 0.5), r"1.0 != 2.0 \+/- 0.5"),
]


@pytest.mark.parametrize(("check", "text"), FAILING)
def test_an_assertion_that_does_not_hold_says_so(check, text):
    with pytest.raises(AssertionError, match=text):
        check(Sample("test_values"))


def test_nan_equals_nan():
    Sample("test_values").assertAllEqual([float("nan")], [float("nan")])


def test_jacobians_by_rules_and_by_differences():
    """The values are TensorFlow's."""
    rules, differences = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])
    assert rules[0].tolist() == differences[0].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    a, b = tf.constant([[1.0, 2.0]]), tf.constant([[1.0], [2.0]])
    rules, differences = tf.test.compute_gradient(tf.matmul, [a, b])
    assert [each.tolist() for each in rules] == [[[1.0, 2.0]], [[1.0, 2.0]]]
    to_complex = lambda x: tf.cast(x, tf.complex64) * 2j  # noqa: E731
    rules, differences = tf.test.compute_gradient(to_complex, [tf.constant([1.0, 2.0])])
    wanted = [[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 2.0]]
    assert rules[0].tolist() == differences[0].tolist() == wanted
    with pytest.raises(ValueError, match="`x` must be a list or tuple"):
        tf.test.compute_gradient(lambda x: x, tf.constant([1.0]))


def test_texts_equal_the_bytes_that_tensors_have():
    case = tf.test.TestCase()
    case.assertAllEqual(tf.constant(["a", "ü"]), ["a", "ü"])
    case.assertAllEqual(np.array([b"a"]), np.array(["a"], object))
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        case.assertAllEqual(tf.constant(["a"]), ["b"])
    with pytest.raises(AssertionError, match="Arrays are not equal"):
        case.assertAllEqual(["1"], [1])


def test_mock_is_the_standard_librarys():
    assert v1.test.mock is unittest.mock
