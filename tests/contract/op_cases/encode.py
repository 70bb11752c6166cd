"""Answers as plain JSON values: tensors, structures of them, errors.

Tensors of TensorFlow and of Emplace are told apart by nothing: both have `numpy()`.
"""

from __future__ import annotations

import base64
from typing import Any

import ml_dtypes  # registers bfloat16 and its kin with NumPy
import numpy as np

assert ml_dtypes


def encode(answer: Any) -> Any:
    """An answer as JSON can hold it."""
    if answer is None or isinstance(answer, (bool, str)):
        return answer
    kind = type(answer).__name__
    if "Sparse" in kind and hasattr(answer, "dense_shape"):
        return {"sparse": [encode(part) for part in _sparse_parts(answer)]}
    if kind.startswith("IndexedSlices"):
        return {"slices": [encode(answer.values), encode(answer.indices)]}
    if hasattr(answer, "row_splits"):
        return {"ragged": [encode(answer.values), encode(answer.row_splits)]}
    if kind == "TensorShape":
        return {"dims": answer.as_list() if answer.rank is not None else None}
    if kind == "DType":
        return {"dtype": answer.name}
    if isinstance(answer, dict):
        return {"dict": {str(key): encode(value) for key, value in sorted(answer.items())}}
    if isinstance(answer, (list, tuple)):
        return {"list": [encode(each) for each in answer]}
    if isinstance(answer, bytes):
        return {"bytes": base64.b64encode(answer).decode()}
    return _encode_array(np.asarray(answer.numpy() if hasattr(answer, "numpy") else answer))


def _sparse_parts(answer: Any) -> tuple[Any, Any, Any]:
    return answer.indices, answer.values, answer.dense_shape


def _encode_array(array: np.ndarray[Any, Any]) -> Any:
    if array.dtype == object or array.dtype.kind in "SU":
        texts = [base64.b64encode(_as_bytes(text)).decode() for text in array.reshape(-1)]
        return {"type": "string", "shape": list(array.shape), "texts": texts}
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"type": array.dtype.name, "shape": list(array.shape), "data": data}


def _as_bytes(text: Any) -> bytes:
    return text if isinstance(text, bytes) else str(text).encode()


def encode_error(error: BaseException) -> Any:
    """An error by its class and the start of its text."""
    return {"error": type(error).__name__, "text": str(error)[:300]}


def decode_array(encoded: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The array behind an encoded tensor."""
    if encoded["type"] == "string":
        texts = np.empty(len(encoded["texts"]), object)
        texts[:] = [base64.b64decode(text) for text in encoded["texts"]]
        return texts.reshape(encoded["shape"])
    data = base64.b64decode(encoded["data"])
    return np.frombuffer(data, np.dtype(encoded["type"])).reshape(encoded["shape"])
