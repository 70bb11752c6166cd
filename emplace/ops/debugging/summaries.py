"""Values as text, as TensorFlow's runtime writes them: what `tf.print` and assertions show."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base.typing import TensorLike
from ...core.tensor import torch_to_numpy


def as_array(value: Any) -> np.ndarray[Any, Any]:
    """A kernel's input as NumPy."""
    return torch_to_numpy(value.cpu()) if isinstance(value, torch.Tensor) else np.asarray(value)


def decoded(text: bytes | str) -> str:
    """Bytes as text; those that are no UTF-8 come back when it is encoded in the same way."""
    return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text


# Strings are written as in C, but for what is not ASCII.
_ESCAPES = {code: f"\\{code:03o}" for code in (*range(32), 127)} | {
    ord("\n"): r"\n", ord("\r"): r"\r", ord("\t"): r"\t",
    ord('"'): r"\"", ord("'"): r"\'", ord("\\"): r"\\",
}  # fmt: skip


def element_text(element: TensorLike, is_quoted: bool = False) -> str:
    """One element."""
    if isinstance(element, (bytes, str)):
        text = decoded(element).translate(_ESCAPES)
        return f'"{text}"' if is_quoted else text
    if isinstance(element, (bool, np.bool_)):
        return "1" if element else "0"
    if isinstance(element, (int, np.integer)):
        return str(int(element))
    if isinstance(element, (complex, np.complexfloating)):
        return f"({element_text(element.real)},{element_text(element.imag)})"
    return _float_text(element)


def _float_text(element: Any) -> str:
    """The fewest digits, of two choices, that give the number again."""
    is_double = isinstance(element, (float, np.float64))
    number = float(element)
    short = f"{number:.{15 if is_double else 6}g}"
    again = float(short) if is_double else float(np.float32(short))
    return short if again == number or number != number else f"{number:.{17 if is_double else 9}g}"


def first_elements(array: np.ndarray[Any, Any], count: int) -> str:
    """The first elements of an array, as failed assertions show them; all if `count` < 0."""
    count = array.size if count < 0 else count
    flat = iter(array.reshape(-1)[:count])
    text = _nested(array.shape, flat, count, [0]) if array.ndim else element_text(array[()])
    return f"{text}..." if array.size > count else text


def _nested(shape: tuple[int, ...], flat: Any, count: int, done: list[int]) -> str:
    if len(shape) == 1:
        left = min(shape[0], count - done[0])
        done[0] += left
        return " ".join(element_text(next(flat)) for _ in range(left))
    parts = []
    for _ in range(shape[0]):
        if done[0] >= count:
            break
        before = done[0]
        inner = _nested(shape[1:], flat, count, done)
        is_cut = len(shape) == 2 and done[0] - before < shape[1]
        parts.append(f"[{inner}{'...' if is_cut else ''}]")
    return "".join(parts)
