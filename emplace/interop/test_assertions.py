"""Assertions about tensors and arrays, for `tf.test.TestCase`."""

# ruff: noqa: N802, PT009  # names of unittest and of TensorFlow

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from absl.testing import absltest

from ..base.dtypes import as_dtype
from ..base.errors import InvalidArgumentError, OpError
from ..base.shapes import TensorShape
from ..base.typing import DTypeLike, Structure, TensorLike
from ..core.ragged import RaggedTensor
from ..devices.name import DeviceSpec

# The least tolerances for values of a dtype.
_COARSE = {"float16": 1e-3, "bfloat16": 1e-2}
_SHOWN = 10


def _is_ragged(value: object) -> bool:
    return isinstance(value, RaggedTensor) or type(value).__name__ == "RaggedTensorValue"


def _as_bytes(array: Any) -> Any:
    """An array of texts with all of them as bytes, which tensors have."""
    made = np.empty(array.size, object)
    made[:] = [each.encode() if isinstance(each, str) else each for each in array.flat]
    return made.reshape(array.shape)


def _plain_name(device: Any) -> str:
    if not device:
        return ""
    return str((DeviceSpec.from_string(device) if isinstance(device, str) else device).to_string())


class TensorAssertions(absltest.TestCase):
    """What can be said of values. All take tensors, arrays, numbers and lists."""

    def evaluate(self, tensors: Structure) -> Any:
        """The values of tensors."""
        raise NotImplementedError

    def _GetNdArray(self, a: Any) -> Any:
        """A value as an array."""
        if isinstance(a, (list, tuple)):
            a = [self._GetNdArray(each) if hasattr(each, "shape") else each for each in a]
        elif not isinstance(a, (np.ndarray, np.generic)) and hasattr(a, "shape"):
            a = self.evaluate(a)
        try:
            return np.asarray(a)
        except ValueError as error:  # NumPy made objects of such structures before 1.24
            if "inhomogeneous shape" not in str(error):
                raise
            return np.array(a, dtype=object)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> Any:
        """Both as arrays, if both are tensors."""
        both = all(hasattr(each, "dtype") and not isinstance(each, np.ndarray) for each in (a, b))
        return (self.evaluate(a), self.evaluate(b)) if both else (a, b)

    def _rows(self, a: Any) -> Any:
        """A ragged value, or one with such in it, as nested lists."""
        if _is_ragged(a):
            found = self.evaluate(a) if isinstance(a, RaggedTensor) else a
            return found.to_list()
        if isinstance(a, (list, tuple)):
            return [self._rows(each) for each in a]
        return self._GetNdArray(a).tolist() if hasattr(a, "shape") else a

    def _told(self, msg: object) -> str:
        return f" : {msg}" if msg else ""

    def assertAllEqual(self, a: TensorLike, b: TensorLike, msg: object = None) -> None:
        """Checks that both have the same shape and the same elements; NaN equals NaN.

        Args:
            a: a tensor, array, list, or nested structure where this says so.
            b: what it is compared with.
            msg: what the error adds.
        """
        if _is_ragged(a) or _is_ragged(b):
            return self.assertEqual(self._rows(a), self._rows(b), msg)
        x, y = self._GetNdArray(a), self._GetNdArray(b)
        if x.ndim <= 3 or y.ndim <= 3 or x.shape != y.shape:
            self.assertEqual(
                x.shape, y.shape,
                f"Shape mismatch: expected {x.shape}, got {y.shape}.{self._told(msg)}",
            )  # fmt: skip
        if x.dtype.kind != y.dtype.kind and {x.dtype.kind, y.dtype.kind} <= set("USO"):
            x, y = _as_bytes(x), _as_bytes(y)
        same = np.asarray(x == y)
        if x.dtype.kind in "fcV" and y.dtype.kind in "fcV":
            same = same | ((x != x) & (y != y))
        if not same.all():
            places = np.argwhere(~same)
            raise self.failureException(
                f"Arrays are not equal{self._told(msg)}\nnot equal where = "
                f"{places[:_SHOWN].tolist()}\nnot equal lhs = {x[~same][:_SHOWN]!r}\n"
                f"not equal rhs = {y[~same][:_SHOWN]!r}\n"
                f"Mismatched elements: {len(places)} / {same.size}"
            )
        return None

    def assertNotAllEqual(self, a: TensorLike, b: TensorLike, msg: object = None) -> None:
        """Checks that some element, or the shape, differs.

        Args:
            a: a tensor, array, list, or nested structure where this says so.
            b: what it is compared with.
            msg: what the error adds.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}".strip())

    def assertAllClose(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: object = None,
    ) -> None:
        """Checks that all elements are as close as `numpy.allclose` asks; dictionaries,
        tuples and lists of         values are compared part by part.

        Args:
            a: a tensor, array, list, or nested structure where this says so.
            b: what it is compared with.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            msg: what the error adds.
        """
        self._close(a, b, rtol, atol, "", msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: object) -> None:
        a, b = (each._asdict() if hasattr(each, "_asdict") else each for each in (a, b))
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(
                f"Can't compare dict to non-dict, a{path} vs b{path}.{self._told(msg)}"
            )
        if isinstance(a, Mapping):
            self.assertEqual(set(a), set(b), f"mismatched keys: {set(a)} and {set(b)}")
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key!r}]", msg)
            return
        if _is_ragged(a) or _is_ragged(b):
            a, b = self._rows(a), self._rows(b)
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            arrays = self._as_arrays(a, b)
            if arrays is None:
                self.assertEqual(len(a), len(b), f"Mismatched length: a{path} and b{path}")
                for i, (x, y) in enumerate(zip(a, b, strict=True)):
                    self._close(x, y, rtol, atol, f"{path}[{i}]", msg)
                return
            a, b = arrays
        self._close_arrays(self._GetNdArray(a), self._GetNdArray(b), rtol, atol, path, msg)

    def _as_arrays(self, a: Any, b: Any) -> Any:
        """Two lists as arrays, or None where their parts differ in shape."""
        try:
            x, y = self._GetNdArray(a), self._GetNdArray(b)
        except (ValueError, TypeError, InvalidArgumentError):
            return None
        return None if "O" in (x.dtype.kind, y.dtype.kind) else (x, y)

    def _close_arrays(
        self,
        x: np.ndarray[Any, Any],
        y: np.ndarray[Any, Any],
        rtol: float,
        atol: float,
        path: str,
        msg: object,
    ) -> None:
        where = f"a{path} and b{path}" if path else "the two arrays"
        self.assertEqual(
            x.shape, y.shape,
            f"Shape mismatch: expected {x.shape}, got {y.shape} for {where}.{self._told(msg)}",
        )  # fmt: skip
        for dtype in (x.dtype.name, y.dtype.name):
            rtol, atol = (max(each, _COARSE.get(dtype, 0.0)) for each in (rtol, atol))
        x, y = (each.astype(np.float32) if each.dtype.kind == "V" or each.dtype.name == "bfloat16"
                else each for each in (x, y))  # fmt: skip
        with np.errstate(all="ignore"):
            close = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
        if not close.all():
            places = np.argwhere(~close)
            raise self.failureException(
                f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}{self._told(msg)}\n"
                f"Mismatched value: {where}.\nnot close where = {places[:_SHOWN].tolist()}\n"
                f"not close lhs = {x[~close][:_SHOWN]!r}\nnot close rhs = {y[~close][:_SHOWN]!r}\n"
                f"Mismatched elements: {len(places)} / {close.size}"
            )

    def assertNotAllClose(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: object = None,
    ) -> None:
        """Checks that some element is farther away than `assertAllClose` allows.

        Args:
            a: a tensor, array, list, or nested structure where this says so.
            b: what it is compared with.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            msg: what the error adds.
        """
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}".strip())

    def assertAllCloseAccordingToType(
        self,
        a: TensorLike,
        b: TensorLike,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: object = None,
    ) -> None:
        """Checks that `assertAllClose` with tolerances for the coarser of the two dtypes.

        Args:
            a: a tensor, array, list, or nested structure where this says so.
            b: what it is compared with.
            rtol: the relative tolerance.
            atol: the absolute tolerance.
            float_rtol: `rtol` for float32.
            float_atol: `atol` for float32.
            half_rtol: `rtol` for float16.
            half_atol: `atol` for float16.
            bfloat16_rtol: `rtol` for bfloat16.
            bfloat16_atol: `atol` for bfloat16.
            msg: what the error adds.
        """
        x, y = self._GetNdArray(a), self._GetNdArray(b)
        names = {x.dtype.name, y.dtype.name}
        for kinds, r, t in (
            ({"float32", "complex64"}, float_rtol, float_atol),
            ({"float16"}, half_rtol, half_atol),
            ({"bfloat16"}, bfloat16_rtol, bfloat16_atol),
        ):
            if names & kinds:
                rtol, atol = max(rtol, r), max(atol, t)
        self._close(x, y, rtol, atol, "", msg)

    def assertAllGreater(self, a: TensorLike, comparison_target: float) -> None:
        """Checks that every element is greater than a number."""
        self.assertGreater(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLess(self, a: TensorLike, comparison_target: float) -> None:
        """Checks that every element is less than a number."""
        self.assertLess(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllGreaterEqual(self, a: TensorLike, comparison_target: float) -> None:
        """Checks that no element is less than a number."""
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), comparison_target)

    def assertAllLessEqual(self, a: TensorLike, comparison_target: float) -> None:
        """Checks that no element is greater than a number."""
        self.assertLessEqual(np.max(self._GetNdArray(a)), comparison_target)

    def assertAllInRange(
        self,
        target: TensorLike,
        lower_bound: float,
        upper_bound: float,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Checks that every element lies between two numbers, which are among them if they
        are not open.

        Args:
            target: a tensor or array.
            lower_bound: the least number.
            upper_bound: the greatest one.
            open_lower_bound: whether the least one is left out.
            open_upper_bound: whether the greatest one is left out.
        """
        x = self._GetNdArray(target)
        if not np.issubdtype(x.dtype, np.number):
            raise AssertionError(f"The value of {target!r} does not have an ordered numeric type")
        low = x <= lower_bound if open_lower_bound else x < lower_bound
        high = x >= upper_bound if open_upper_bound else x > upper_bound
        wrong = low | high | (x != x)
        if wrong.any():
            begin, end = "(["[not open_lower_bound], ")]"[not open_upper_bound]
            raise AssertionError(
                f"Elements are not in the range {begin}{lower_bound}, {upper_bound}{end}. "
                f"Subscript(s) and value(s) of the offending elements: "
                f"{np.argwhere(wrong)[:_SHOWN].tolist()}, {x[wrong][:_SHOWN]}"
            )

    def assertAllInSet(self, target: TensorLike, expected_set: Iterable[Any]) -> None:
        """Checks that every element is one of some values."""
        unique = np.unique(self._GetNdArray(target))
        other = np.setdiff1d(unique, list(expected_set))
        if other.size:
            raise AssertionError(f"{other.size} unique element(s) are not in the set: {other}")

    def assertNear(self, f1: float, f2: float, err: float, msg: object = None) -> None:
        """Checks that two numbers differ by at most `err`.

        Args:
            f1: a number.
            f2: another one.
            err: the greatest difference.
            msg: what the error adds.
        """
        near = f1 == f2 or abs(f1 - f2) <= err
        self.assertTrue(near, f"{f1!r} != {f2!r} +/- {err!r}{f' ({msg})' if msg else ''}")

    def assertArrayNear(
        self, farray1: Sequence[float], farray2: Sequence[float], err: float, msg: object = None
    ) -> None:
        """Checks that two lists of numbers differ by at most `err` in each place.

        Args:
            farray1: a list of numbers.
            farray2: another one.
            err: the greatest difference.
            msg: what the error adds.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2, strict=True):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(
        self,
        ndarray1: np.ndarray[Any, Any],
        ndarray2: np.ndarray[Any, Any],
        err: float,
        msg: object = None,
    ) -> None:
        """Checks that the norm of the difference of two arrays is less than `err`.

        Args:
            ndarray1: an array.
            ndarray2: another one.
            err: the greatest difference.
            msg: what the error adds.
        """
        self.assertTrue(np.linalg.norm(ndarray1 - ndarray2) < err, msg)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: object = None) -> None:
        """Checks that two tensors or arrays have the same static shape.

        Args:
            input_a: a tensor or array.
            input_b: another one.
            msg: what the error adds.
        """
        shapes = [TensorShape(each.shape).as_list() for each in (input_a, input_b)]
        self.assertEqual(shapes[0], shapes[1], msg)

    def assertDTypeEqual(self, target: TensorLike, expected_dtype: DTypeLike) -> None:
        """Checks that a value, or each of a list of values, has a dtype."""
        for each in target if isinstance(target, list) else [target]:
            self.assertEqual(self._GetNdArray(each).dtype, as_dtype(expected_dtype).as_numpy_dtype)

    def assertDeviceEqual(self, device1: object, device2: object, msg: object = None) -> None:
        """Checks that two names mean the same device.

        Args:
            device1: a name.
            device2: another one.
            msg: what the error adds.
        """
        self.assertEqual(
            _plain_name(device1), _plain_name(device2),
            f"Devices {device1} and {device2} are not equal. {msg}",
        )  # fmt: skip

    def assertDictEqual(self, a: Any, b: Any, msg: object = None) -> None:
        """Checks that two dictionaries have the same keys, and values that are equal or
        close.

        Args:
            a: a tensor, array, list, or nested structure where this says so.
            b: what it is compared with.
            msg: what the error adds.
        """
        self.assertEqual(set(a), set(b), msg)
        for key in a:
            if hasattr(a[key], "shape") or hasattr(b[key], "shape"):
                self.assertAllClose(a[key], b[key], msg=msg)
            else:
                self.assertEqual(a[key], b[key], msg)

    def assertStartsWith(self, actual: str, expected_start: str, msg: object = None) -> None:
        """Checks that a text begins with another one.

        Args:
            actual: the text.
            expected_start: its beginning.
            msg: what the error adds.
        """
        if not actual.startswith(expected_start):
            self.fail(f"{actual!r} does not start with {expected_start!r}{self._told(msg)}")

    @contextmanager
    def assertRaisesWithPredicateMatch(  # type: ignore[override]
        self,
        exception_type: type[BaseException],
        expected_err_re_or_predicate: str | Callable[[Any], Any],
    ) -> Iterator[None]:
        """What runs inside raises an error that a pattern is found in, or a function accepts."""
        try:
            yield
        except exception_type as error:
            text = error.message if isinstance(error, OpError) else str(error)
            wanted = expected_err_re_or_predicate
            fits = wanted(error) if callable(wanted) else re.search(wanted, text)
            if not fits:
                raise AssertionError(f"Exception of type {type(error)}: {text}") from error
            return
        self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: str | Callable[[Any], Any]) -> Any:
        """What runs inside raises an error of an op that fits."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type[BaseException] = InvalidArgumentError
    ) -> Any:
        """What runs inside says that shapes do not fit."""
        words = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        return self.assertRaisesWithPredicateMatch(exception_type, words)
