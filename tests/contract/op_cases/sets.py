"""Cases of `ops/sparse/sets.py`."""

from __future__ import annotations

from .values import sparse_text as sp

A = sp([[0, 0], [0, 1], [2, 0]], "[1, 5, 3]", [3, 2])
B = sp([[0, 0], [1, 0], [2, 0], [2, 2]], "[5, 2, 3, 9]", [3, 4])
TEXT = sp([[0, 0], [0, 1], [1, 0]], "['b', 'a', 'c']", [2, 2])
OTHER = sp([[0, 0]], "[1]", [2, 2])
DEEP = sp([[0, 0, 0], [0, 1, 0], [1, 1, 1]], "[1, 2, 3]", [2, 2, 2])
UNORDERED = sp([[2, 0], [0, 0]], "[1, 3]", [3, 2])
EMPTY = "tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), [3, 2])"

CASES: list[object] = [
    *[f"tf.sets.{op}({a}, {b})"
      for op in ("intersection", "union", "difference")
      for a, b in [
        ("[[1, 2, 2], [3, 4, 5]]", "[[2, 9], [4, 3]]"),
        ("[[1, 2], [3, 4]]", "[[5, 6], [7, 8]]"),
        ("np.array([[1, 2]], np.int64)", "np.array([[2, 3]], np.int64)"),
        ("np.array([[1, 2]], np.uint8)", "np.array([[2, 3]], np.uint8)"),
        ("[['a', 'b']]", "[['b', 'c']]"),
        ("[[[1, 2], [3, 4]]]", "[[[1], [5]]]"),
        ("[1, 2]", "[2, 3]"),
        ("[[1, 2]]", "[[1], [2]]"),
        ("[[1.0]]", "[[2.0]]"),
        ("np.zeros((2, 0), np.int32)", "[[1], [2]]"),
        (A, B), (A, A), (A, EMPTY), (EMPTY, EMPTY), (A, OTHER), (TEXT, TEXT), (DEEP, DEEP),
        (UNORDERED, A), ("[[1], [5], [3]]", A), (A, "[[5], [5], [3]]"), ("[[1], [5]]", A),
      ]],
    f"tf.sets.difference({A}, {B}, aminusb=False)",
    f"tf.sets.difference({A}, [[5], [5], [3]], aminusb=False)",
    "tf.sets.difference([[1, 2]], [[2, 3]], False)",
    *[f"tf.sets.size({each})" for each in [A, B, TEXT, DEEP, EMPTY, UNORDERED, "[[1]]"]],
    "tf.sets.size(" + sp([[0, 0], [0, 1], [1, 0]], "[4, 4, 4]", [2, 2]) + ")",
]  # fmt: skip
