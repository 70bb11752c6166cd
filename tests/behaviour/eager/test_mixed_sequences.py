"""The dtype of a list in which numbers of NumPy and of Python are mixed, eagerly and in graphs.

The dtypes are TensorFlow 2.21's: eagerly the first number decides, in graphs NumPy does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

NUMBERS: dict[str, Any] = {
    "1": 1, "1.": 1.0, "T": True, "f8": np.float64(2), "f4": np.float32(2), "f2": np.float16(2),
    "i8": np.int64(3), "u1": np.uint8(3), "b": np.bool_(True), "c": 1j, "c8": np.complex64(1j),
    "af8": np.array(2.0), "af4": np.array(2.0, np.float32), "big": 2**40,
}  # fmt: skip
SHORT = {
    "F2": tf.float16, "F4": tf.float32, "F8": tf.float64, "I4": tf.int32, "I8": tf.int64,
    "U1": tf.uint8, "B": tf.bool, "C8": tf.complex64, "C16": tf.complex128,
}  # fmt: skip

# Each number alone, then in front of each of all; "-" is a ValueError.
EAGERLY = """
     1   1.  T   f8  f4  f2  i8  u1  b   c   c8  af8 af4 big
     I4  F4  B   F8  F4  F2  I4  I4  B   C16 C16 F8  F4  I8
1    I4  F4  I4  F4  F4  F4  I4  I4  -   -   -   F4  F4  I8
1.   F4  F4  F4  F4  F4  F4  F4  F4  -   -   -   F4  F4  F4
T    -   -   B   -   -   -   -   -   B   -   -   -   -   -
f8   F8  F8  F8  F8  F8  F8  F8  F8  -   -   -   F8  F8  F8
f4   F4  F4  F4  F4  F4  F4  F4  F4  -   -   -   F4  F4  F4
f2   F2  F2  F2  F2  F2  F2  F2  F2  -   -   -   F2  F2  F2
i8   I4  F4  I4  F4  F4  F4  I4  I4  -   -   -   F4  F4  I8
u1   I4  F4  I4  F4  F4  F4  I4  I4  -   -   -   F4  F4  I8
b    -   -   B   -   -   -   -   -   B   -   -   -   -   -
c    C16 C16 C16 C16 C16 C16 C16 C16 -   C16 C16 C16 C16 C16
c8   C16 C16 C16 C16 C16 C16 C16 C16 -   C16 C16 C16 C16 C16
af8  F8  F8  F8  F8  F8  F8  F8  F8  -   -   -   F8  F8  F8
af4  F4  F4  F4  F4  F4  F4  F4  F4  -   -   -   F4  F4  F4
big  I8  F4  I8  F4  F4  F4  I8  I8  -   -   -   F4  F4  I8
"""
IN_GRAPHS = """
     1   1.  T   f8  f4  f2  i8  u1  b   c   c8  af8 af4 big
     I4  F4  B   F4  F4  F2  I4  U1  B   C16 C8  F4  F4  I8
1    I4  F4  I4  F4  F4  F4  I4  I4  I4  C16 C16 F4  F4  I8
1.   F4  F4  F4  F4  F4  F4  F4  F4  F4  C16 C16 F4  F4  F4
T    I4  F4  B   F4  F4  F2  I4  U1  B   C16 C8  F4  F4  I8
f8   F4  F4  F4  F4  F4  F4  F4  F4  F4  C16 C16 F4  F4  F4
f4   F4  F4  F4  F4  F4  F4  F4  F4  F4  C16 C8  F4  F4  F4
f2   F4  F4  F2  F4  F4  F2  F4  F2  F2  C16 C8  F4  F4  F4
i8   I4  F4  I4  F4  F4  F4  I4  I4  I4  C16 C16 F4  F4  I8
u1   I4  F4  U1  F4  F4  F2  I4  U1  U1  C16 C8  F4  F4  I8
b    I4  F4  B   F4  F4  F2  I4  U1  B   C16 C8  F4  F4  I8
c    C16 C16 C16 C16 C16 C16 C16 C16 C16 C16 C16 C16 C16 C16
c8   C16 C16 C8  C16 C8  C8  C16 C8  C8  C16 C8  C16 C8  C16
af8  F4  F4  F4  F4  F4  F4  F4  F4  F4  C16 C16 F4  F4  F4
af4  F4  F4  F4  F4  F4  F4  F4  F4  F4  C16 C8  F4  F4  F4
big  I8  F4  I8  F4  F4  F4  I8  I8  I8  C16 C16 F4  F4  I8
"""


def table(text: str) -> dict[tuple[str, ...], str]:
    """What stands in a table, by the names of the numbers of a list."""
    head, alone, *rows = [line.split() for line in text.strip("\n").splitlines()]
    found: dict[tuple[str, ...], str] = {
        (name,): each for name, each in zip(head, alone, strict=True)
    }
    for first, *dtypes in rows:
        found |= {(first, second): each for second, each in zip(head, dtypes, strict=True)}
    return found


def dtype_of(names: tuple[str, ...]) -> Any:
    """The dtype of the list of some numbers; "-" if it is refused."""
    try:
        return tf.constant([NUMBERS[name] for name in names]).dtype
    except ValueError:
        return "-"


@pytest.mark.parametrize("names", table(EAGERLY), ids=" ".join)
def test_a_list_has_tensorflows_dtype(names: tuple[str, ...]) -> None:
    wanted = table(EAGERLY)[names]
    assert dtype_of(names) == SHORT.get(wanted, wanted)


@pytest.mark.parametrize("names", table(IN_GRAPHS), ids=" ".join)
def test_a_list_in_a_graph_has_tensorflows_dtype(names: tuple[str, ...]) -> None:
    wanted = table(IN_GRAPHS)[names]
    with tf.Graph().as_default():
        assert dtype_of(names) == SHORT.get(wanted, wanted)


def test_a_list_of_a_function_and_the_first_value_of_a_variable_are_as_in_graphs() -> None:
    found = []
    tf.function(lambda: found.append(tf.constant([np.float64(1), 2.0]).dtype))()
    assert found == [tf.float32]
    get_variable = tf.compat.v1.get_variable
    with tf.Graph().as_default():
        assert get_variable("v", initializer=[np.float64(1)]).dtype == tf.float32
        assert get_variable("w", initializer=np.float64(1)).dtype == tf.float64
