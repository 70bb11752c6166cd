"""The assertions of TensorFlow's test case, over the public API."""

from __future__ import annotations

import contextlib
import math
import re
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from google.protobuf import text_format

import emplace.tensorflow as tf
from emplace.core.tensor import EagerTensor
from emplace.interop.test_assertions import TensorAssertions

_HALVES = {"float16": 1e-3, "bfloat16": 1e-2}
_INCOMPATIBLE = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"


def is_ragged(x: Any) -> bool:
    """Whether something has ragged rows, evaluated or not."""
    return isinstance(x, tf.RaggedTensor | tf.compat.v1.ragged.RaggedTensorValue)


def _array(x: Any) -> Any:
    """A value as an array; one of objects where rows differ in length."""
    if hasattr(x, "to_list") and hasattr(x, "ragged_rank"):
        return x
    if not isinstance(x, np.ndarray) and hasattr(x, "numpy"):
        x = x.numpy()
    if isinstance(x, np.ndarray):
        return x
    try:
        return np.array(x)
    except ValueError:
        return np.array(x, dtype=object)


def _dtype_name(x: Any) -> str:
    return str(getattr(getattr(x, "dtype", None), "name", ""))


def _as_floats(x: Any) -> Any:
    """bfloat16 and other types that NumPy cannot compare, as float32."""
    return x.astype(np.float32) if x.dtype.name == "bfloat16" or x.dtype.kind == "V" else x


def _as_bytes(x: Any) -> Any:
    """Texts as the bytes that tensors hold."""
    return np.char.encode(x).astype(object) if x.dtype.kind == "U" else x


def _same_elements(a: Any, b: Any) -> Any:
    """Where two arrays of one shape are equal; NaN is equal to NaN."""
    same = a == b
    if np.asarray(same).shape != a.shape:
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        same = np.array([x == y for x, y in pairs], dtype=bool).reshape(a.shape)
    with contextlib.suppress(TypeError, ValueError):
        same = np.logical_or(same, np.logical_and(a != a, b != b))
    return same


class Comparisons(TensorAssertions):
    """Assertions on tensors, arrays and structures of them: those of `tf.test.TestCase`, and in
    their place what TensorFlow's own tests ask more of.
    """

    # Equality.

    def _GetNdArray(self, a: Any) -> Any:
        tensors = tf.Tensor | tf.Variable
        if isinstance(a, list | tuple) and any(isinstance(each, tensors) for each in a):
            a = [self.evaluate(each) if isinstance(each, tensors) else each for each in a]
        if isinstance(a, EagerTensor):  # also in the graph of a test
            return _array(a.numpy())
        return _array(self.evaluate(a) if isinstance(a, tensors) else a)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        if isinstance(a, tf.Tensor) and isinstance(b, tf.Tensor):
            return self.evaluate(a), self.evaluate(b)
        return a, b

    def _rows(self, a: Any) -> Any:
        """A value as lists, also a ragged one."""
        if isinstance(a, tf.RaggedTensor | tf.Tensor):
            a = self.evaluate(a)
        if is_ragged(a):
            return a.to_list()
        if isinstance(a, np.ndarray):
            return a.tolist()
        return [self._rows(each) for each in a] if isinstance(a, list | tuple) else a

    def assertRaggedEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        self.assertEqual(self._rows(a), self._rows(b), msg)

    def assertAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        msg = msg or ""
        if is_ragged(a) or is_ragged(b):
            self.assertRaggedEqual(a, b, msg)
            return
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        self.assertEqual(a.shape, b.shape, f"{msg} shapes: {a!r} {b!r}")
        a, b = _as_bytes(a), _as_bytes(b)
        same = np.asarray(_same_elements(a, b), bool)
        if not np.all(same):
            raise self.failureException(
                f"not equal where {np.argwhere(~same)[:4].tolist()}: {str(a)[:600]} != "
                f"{str(b)[:600]} dtypes {a.dtype} {b.dtype} {msg}"
            )

    def assertNotAllEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError("The two values are equal at all elements.")

    # Closeness.

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: Any) -> None:
        a = a._asdict() if hasattr(a, "_asdict") else a
        b = b._asdict() if hasattr(b, "_asdict") else b
        if isinstance(a, dict):
            self.assertIsInstance(b, dict, msg)
            self.assertCountEqual(list(a), list(b), msg)
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key!r}]", msg)
        elif is_ragged(a) or is_ragged(b):
            self._close_rows(self._rows(a), self._rows(b), rtol, atol, msg)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            self._close_sequences(a, b, rtol, atol, path, msg)
        else:
            self._close_arrays(self._GetNdArray(a), self._GetNdArray(b), rtol, atol, path, msg)

    def _close_sequences(
        self, a: Sequence[Any], b: Sequence[Any], rtol: float, atol: float, path: str, msg: Any
    ) -> None:
        with contextlib.suppress(ValueError, TypeError):
            x, y = self._GetNdArray(a), self._GetNdArray(b)
            if x.dtype != object and y.dtype != object:
                self._close_arrays(x, y, rtol, atol, path, msg)
                return
        self.assertEqual(len(a), len(b), msg)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            self._close(x, y, rtol, atol, f"{path}[{i}]", msg)

    def _close_rows(self, a: Any, b: Any, rtol: float, atol: float, msg: Any) -> None:
        if isinstance(a, list) and isinstance(b, list):
            self.assertEqual(len(a), len(b), msg)
            for x, y in zip(a, b, strict=True):
                self._close_rows(x, y, rtol, atol, msg)
        else:
            np.testing.assert_allclose(a, b, rtol, atol)

    def _close_arrays(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: Any) -> None:
        self.assertEqual(a.shape, b.shape, f"{msg} {path} shapes: {str(a)[:300]} {str(b)[:300]}")
        with np.errstate(all="ignore"):
            a, b = _as_floats(a), _as_floats(b)
            if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
                return
            far = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=True)
        raise self.failureException(
            f"not close {path} ({int(np.sum(far))} of {far.size}), first "
            f"{np.argwhere(far)[:3].tolist()}: {np.asarray(a)[far].ravel()[:4]} != "
            f"{np.asarray(b)[far].ravel()[:4]} dtypes {a.dtype} {b.dtype} rtol {rtol} {msg or ''}"
        )

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: Any = None
    ) -> None:
        least = max(_HALVES.get(_dtype_name(each), 0.0) for each in (a, b))
        self._close(a, b, np.maximum(rtol, least), np.maximum(atol, least), "", msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: Any = None,
    ) -> None:
        a, b = self._GetNdArray(a), self._GetNdArray(b)
        for names, relative, absolute in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & {a.dtype.name, b.dtype.name}:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self._close(a, b, rtol, atol, "", msg)

    def assertNear(self, f1: Any, f2: Any, err: Any, msg: Any = None) -> None:
        is_near = f1 == f2 or math.fabs(f1 - f2) <= err
        self.assertTrue(is_near, f"{f1!r} != {f2!r} +/- {err!r} {msg}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: Any, msg: Any = None) -> None:
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def _NDArrayNear(self, a: Any, b: Any, err: Any) -> bool:
        return bool(np.linalg.norm(a - b) < err)

    def assertNDArrayNear(self, a: Any, b: Any, err: Any, msg: Any = None) -> None:
        self.assertTrue(self._NDArrayNear(a, b, err), msg or f"{a} {b}")

    # What things are, besides their values.

    def assertShapeEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        def shape(x: Any) -> list[Any]:
            if isinstance(x, np.ndarray | np.generic):
                return list(x.shape)
            return list(tf.TensorShape(x.shape).as_list())

        self.assertEqual(shape(a), shape(b), msg)

    def assertArrayShapeEqual(self, a: Any, b: Any) -> None:
        self.assertEqual(a.shape, b.shape)

    def assertDTypeEqual(self, target: Any, expected: Any) -> None:
        arrays = target if isinstance(target, list) else [self._GetNdArray(target)]
        for each in arrays:
            self.assertEqual(each.dtype, tf.as_dtype(expected).as_numpy_dtype)

    def assertDeviceEqual(self, d1: Any, d2: Any, msg: Any = None) -> None:
        def name(device: Any) -> str:
            if not device:
                return ""
            spec = tf.DeviceSpec.from_string(device) if isinstance(device, str) else device
            return str(spec.to_string())

        self.assertEqual(name(d1), name(d2), msg)

    def assertDictEqual(self, a: Any, b: Any, msg: Any = None) -> None:
        self.assertEqual(set(a), set(b), msg)
        arrays = np.ndarray | tf.Tensor
        for key, x in a.items():
            if x is b[key]:  # a graph's random numbers are others each time
                continue
            if isinstance(x, arrays) or isinstance(b[key], arrays):
                self.assertAllClose(x, b[key], msg=key)
            else:
                self.assertEqual(x, b[key], key)

    def assertSameStructure(self, a: Any, b: Any, check_types: bool = True) -> None:
        tf.nest.assert_same_structure(a, b, check_types=check_types)

    def assertStartsWith(self, actual: Any, expected_start: Any, msg: Any = None) -> None:
        is_so = actual.startswith(expected_start)
        self.assertTrue(is_so, f"{actual!r} does not start with {expected_start!r}")

    def assertProtoEquals(
        self, expected: Any, message: Any, msg: Any = None, relative_tolerance: Any = None
    ) -> None:
        if isinstance(expected, str | bytes):
            expected = text_format.Parse(expected, type(message)())
        self.assertEqual(str(expected), str(message))

    def assertProtoEqualsVersion(self, expected: Any, actual: Any, *_: Any, **__: Any) -> None:
        raise unittest.SkipTest("versions of producers")

    def assertFunctionMatchesEager(self, fn: Any, *args: Any, **kwargs: Any) -> None:
        self.assertAllClose(fn(*args, **kwargs), tf.function(fn)(*args, **kwargs))

    def assertAllAssertsNested(self, assert_fn: Any, *args: Any, **kwargs: Any) -> None:
        columns = [each if isinstance(each, list | tuple) else [each] for each in args]
        for row in zip(*columns, strict=False):
            assert_fn(*row, **kwargs)

    # Errors.

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        is_predicate = callable(expected_err_re_or_predicate)
        predicate = (
            expected_err_re_or_predicate if is_predicate else _says(expected_err_re_or_predicate)
        )
        try:
            yield
        except exception_type as error:
            if not predicate(error):
                what = "the predicate" if is_predicate else expected_err_re_or_predicate
                raise AssertionError(
                    f"Exception of type {type(error)}: {str(error)[:900]} does not match {what}"
                ) from error
            return
        self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        return self.assertRaisesWithPredicateMatch(tf.errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = tf.errors.InvalidArgumentError
    ) -> Any:
        return self.assertRaisesWithPredicateMatch(exception_type, _INCOMPATIBLE)


def _says(pattern: str) -> Callable[[Any], Any]:
    """Whether an error's text, with the names of the operations behind it, has a pattern."""

    def predicate(error: Any) -> Any:
        is_of_op = isinstance(error, tf.errors.OpError)
        text = error.message if is_of_op else str(error)
        operation = error.op if is_of_op else None
        while operation is not None:
            text += "\nCaused by: " + operation.name
            operation = getattr(operation, "_original_op", None)
        return re.search(pattern, text)

    return predicate
