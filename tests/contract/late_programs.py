"""Programs with values that an op refuses, for the tests of late checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import emplace.tensorflow as tf

INF, NAN = float("inf"), float("nan")
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


class Program(NamedTuple):
    """`run` takes a matrix of floats (3, 2) and an input, which `good` values suit and each of
    `bad` does not. `op` says which op refuses them. `has_gradient` says whether the matrix has a
    gradient.
    """

    op: str
    run: Callable[[Any, Any], Any]
    good: Any
    bad: list[Any]
    dtype: Any = tf.int32
    has_gradient: bool = True


def _sparse(places: Any) -> Any:
    return tf.SparseTensor(places, tf.ones(tf.shape(places)[:1]), [2, 3])


def _scattered(name: str) -> Program:
    def run(p: Any, x: Any) -> Any:
        return getattr(tf, f"tensor_scatter_nd_{name.lower()}")(p, x, tf.ones([2, 2]))

    op = f"TensorScatter{name}"
    return Program(op, run, [[0], [2]], [[[0], [3]], [[-1], [0]]])


def _unsorted(name: str) -> Program:
    def run(p: Any, x: Any) -> Any:
        return getattr(tf.math, f"unsorted_segment_{name.lower()}")(p, x, 2)

    return Program(f"UnsortedSegment{name}", run, [0, 1, 0], [[0, 1, 2], [7, 1, -1]])


def _picked(name: str, function: str) -> list[Program]:
    picked = getattr(tf.sparse, function)
    op = f"SparseSegment{name}WithNumSegments"
    return [
        Program(op, lambda p, x: picked(p, x, [0, 0, 1], num_segments=2), [0, 2, 1],
                [[0, 3, 1], [-1, 0, 0]]),
        Program(op, lambda p, x: picked(p, [0, 1, 2], x, num_segments=2), [0, 0, 1],
                [[0, 1, 2], [1, 0, 0]]),
    ]  # fmt: skip


def _divided(name: str, function: Callable[[Any, Any], Any]) -> Program:
    return Program(name, lambda p, x: function([7, -8], x), [2, 3], [[0, 2], [1, 0]],
                   has_gradient=False)  # fmt: skip


PROGRAMS = [
    Program("GatherV2", lambda p, x: tf.gather(p, x), [2, 0], [[0, 5], [-1, 0]]),
    Program("GatherV2", lambda p, x: tf.gather(p, x, axis=1), [1], [[2], [-1]], tf.int64),
    Program("GatherV2", lambda p, x: tf.gather(p, x, batch_dims=1), [[0], [1], [1]],
            [[[0], [1], [2]]]),
    Program("GatherV2", tf.nn.embedding_lookup, [[0, 2]], [[[0, 3]], [[-3, 1]]]),
    Program("GatherNd", tf.gather_nd, [[0, 1]], [[[0, 2]], [[-1, 0]]]),
    Program("GatherNd", tf.gather_nd, [[2]], [[[3]]], tf.int64),
    Program("ScatterNd", lambda p, x: tf.scatter_nd(x, p, [3, 2]), [[0], [2], [0]],
            [[[0], [3], [1]], [[0], [1], [-1]]]),
    _scattered("Add"), _scattered("Sub"), _scattered("Max"), _scattered("Min"),
    _scattered("Update"),
    _unsorted("Sum"), _unsorted("Prod"), _unsorted("Max"), _unsorted("Min"),
    Program("UnsortedSegmentSum", lambda p, x: tf.math.unsorted_segment_mean(p, x, 2), [0, 1, 0],
            [[0, 1, 2]]),
    *_picked("Sum", "segment_sum"), *_picked("Mean", "segment_mean"),
    *_picked("SqrtN", "segment_sqrt_n"),
    Program("SparseTensorDenseMatMul", lambda p, x: tf.sparse.sparse_dense_matmul(_sparse(x), p),
            [[0, 2]], [[[2, 0]], [[0, 3]], [[0, -1]]], tf.int64),
    Program("SparseToDense", lambda p, x: tf.sparse.to_dense(_sparse(x)), [[0, 2], [1, 0]],
            [[[0, 3], [1, 0]], [[1, 0], [0, 2]], [[1, 1], [1, 1]]], tf.int64, False),
    Program("SparseReorder", lambda p, x: tf.sparse.reorder(_sparse(x)).values, [[1, 2], [0, 0]],
            [[[0, 3], [1, 0]]], tf.int64, False),
    Program("SparseTensorDenseAdd", lambda p, x: tf.sparse.add(_sparse(x), tf.zeros([2, 3])),
            [[1, 2]], [[[0, 3]], [[-1, 0]]], tf.int64, False),
    Program("SparseDenseCwiseMul", lambda p, x: (_sparse(x) * tf.ones([2, 3])).values,
            [[1, 2]], [[[0, 3]], [[-1, 0]]], tf.int64, False),
    Program("SparseDenseCwiseDiv", lambda p, x: (_sparse(x) / tf.ones([3])).values,
            [[1, 2]], [[[0, 3]], [[-1, 0]]], tf.int64, False),
    Program("CheckNumerics", lambda p, x: tf.debugging.check_numerics(p[0] * x, "seen"), [1.0, 2.0],
            [[1.0, NAN], [INF, 1.0], [-INF, NAN]], tf.float32),
    Program("Pow", lambda p, x: tf.pow([2, 3], x), [0, 2], [[-1, 2]], has_gradient=False),
    _divided("FloorDiv", tf.math.floordiv), _divided("FloorMod", tf.math.floormod),
    _divided("TruncateDiv", tf.truncatediv), _divided("TruncateMod", tf.truncatemod),
    Program("ReverseSequence", lambda p, x: tf.reverse_sequence(p, x, seq_axis=1, batch_axis=0),
            [0, 1, 2], [[0, 1, 3], [-1, 0, 0]]),
    Program("CropAndResize",
            lambda p, x: tf.image.crop_and_resize(
                tf.reshape(p, [1, 3, 2, 1]), [[0.0, 0.0, 1.0, 1.0]], x, [2, 2]),
            [0], [[1], [-1]]),
    Program("Lu", lambda p, x: tf.linalg.lu(x)[0], [[1.0, 2.0], [3.0, 5.0]],
            [[[1.0, 2.0], [2.0, 4.0]]], tf.float32, False),
    Program("MatrixInverse", lambda p, x: tf.linalg.inv(x), [[1.0, 2.0], [3.0, 5.0]],
            [[[1.0, 2.0], [2.0, 4.0]]], tf.float32, False),
    Program("MatrixSolve", lambda p, x: tf.linalg.solve(x, p[:2]), [[1.0, 2.0], [3.0, 5.0]],
            [[[0.0, 0.0], [0.0, 0.0]]], tf.float32, False),
    Program("SelfAdjointEigV2", lambda p, x: tf.linalg.eigvalsh(x), [[1.0, 2.0], [2.0, 5.0]],
            [[[NAN, 2.0], [2.0, 4.0]], [[1.0, 0.0], [INF, 1.0]]], tf.float32, False),
    Program("UnravelIndex", lambda p, x: tf.unravel_index(x, [2, 3]), [5], [[6], [-1]],
            has_gradient=False),
]  # fmt: skip


def array(program: Program, value: Any) -> np.ndarray:
    """A value as the program's input."""
    return np.array(value, program.dtype.as_numpy_dtype)


#: Each program with each of its bad values.
CASES = [(program, bad) for program in PROGRAMS for bad in program.bad]
