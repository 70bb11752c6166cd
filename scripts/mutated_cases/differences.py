"""Tells two answers apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from op_cases.encode import decode_array

CRASHED = {"error": "a crash"}
# Relative differences that are float noise, also where TensorFlow computes more roughly.
_NOISE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 1e-4, "complex64": 1e-4}
_LEAST_NOISE = 1e-7


def kind_of(theirs: Any, ours: Any) -> str | None:
    """What differs, as the package says; None if nothing does, or nothing is known."""
    if "nothing" in (theirs, ours):
        return None
    error, own_error = _error(theirs), _error(ours)
    if ours == CRASHED:
        return "crash"
    if error and own_error:
        return None if error == own_error else "class"
    if error:
        return None if theirs == CRASHED else "missing"
    if own_error:
        return "refused"
    return None if _is_same(theirs, ours) else "value"


def text_of(answer: Any) -> str:
    """An answer in a line."""
    if not _is_array(answer):
        return str(answer)[:200]
    values = np.array2string(_plain(decode_array(answer)), threshold=12, precision=5)
    return f"{answer['type']}{answer['shape']} {' '.join(values.split())}"[:200]


def _error(answer: Any) -> str | None:
    return answer.get("error") if isinstance(answer, dict) else None


def _is_array(answer: Any) -> bool:
    return isinstance(answer, dict) and "data" in answer


def _is_same(theirs: Any, ours: Any) -> bool:
    if theirs == ours:
        return True
    if _is_array(theirs) and _is_array(ours):
        return _are_near(theirs, ours)
    if isinstance(theirs, dict) and isinstance(ours, dict):
        return theirs.keys() == ours.keys() and all(
            _is_same(value, ours[key]) for key, value in theirs.items()
        )
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(theirs) == len(ours) and all(map(_is_same, theirs, ours))
    return False


def _are_near(theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
    if (theirs["type"], theirs["shape"]) != (ours["type"], ours["shape"]):
        return False
    x, y = _plain(decode_array(theirs)), _plain(decode_array(ours))
    if x.dtype.kind not in "fc":
        return bool((x == y).all())
    noise = _NOISE.get(theirs["type"], _LEAST_NOISE)
    finite = np.abs(x[np.isfinite(x)])
    with np.errstate(all="ignore"):
        near = np.abs(x - y) <= noise * np.maximum(np.abs(x), min(finite.max(initial=0.0), 1.0))
    return bool((near | (x == y) | (np.isnan(x) & np.isnan(y))).all())


def _plain(array: Any) -> Any:
    """An array that NumPy computes with: of the halves as float32."""
    is_half = array.dtype.name in ("bfloat16", "float16")
    return array.astype(np.float32) if is_half else array
