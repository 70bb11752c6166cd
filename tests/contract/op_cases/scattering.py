"""Cases of `ops/array/scattering.py`: scatter_nd and tensor_scatter_nd_*."""
# ruff: noqa: E501  # a case stands on one line

CASES = [
    *[f"tf.tensor_scatter_nd_{how}(tf.zeros([{dims}]), tf.zeros([{places}], tf.int32), tf.zeros([{new}]))"
      for how in ("update", "max") for dims, places, new in (
        ("3, 0", "2, 1", "2, 0"), ("3, 0", "0, 1", "0, 0"), ("0, 3", "0, 1", "0, 3"), ("0, 3", "1, 1", "1, 3"),
    )],
    *[f"tf.scatter_nd({args})" for args in (
        "[[1], [3]], f32(2), [5]", "[[1], [1]], f32(2), [3]", "[[0], [2]], f32(2, 3), [4, 3]", "[[0, 1], [2, 2]], f32(2), [3, 3]",
        "[[5]], f32(1), [5]", "[[-1]], f32(1), [5]", "[[0]], f32(2), [5]", "[[0, 0, 0]], f32(1), [2, 2]", "[1], f32(), [3]",
        "[1], f32(1), [3]", "[[1]], f32(1, 2), [3, 3]", "tf.zeros([0, 1], tf.int32), f32(0), [3]", "[[0]], f32(1), [-1]",
        "tf.constant([[1]], tf.int64), f32(1), tf.constant([3], tf.int64)", "[[1]], i32(1), [3]", "[[1]], b(1), [3]",
        "[[1], [1]], u16(2), [3]", "[[1], [1]], u8(2), [3]", "[[1]], ['a'], [3]", "[[1], [1]], c64(2), [3]", "[[1], [1]], bf16(2), [3]",
        "[[1], [1]], f16(2), [3]", "[[1], [1]], i64(2), [3]", "[[[0], [1]], [[2], [0]]], f32(2, 2), [3]", "[[0]], f32(1), [0]",
        "tf.constant([[1]], tf.int64), f32(1), [3]", "[[1.0]], f32(1), [3]", "tf.zeros([2, 0], tf.int32), f32(2, 3), [3]",
        "[[1]], f32(1), 3", "[[9]], f32(1), [3], bad_indices_policy='IGNORE'", "[[1], [1]], u32(2), [3]",
        "[[1]], f32(1), [[3]]", "[[0]], f32(1), []",
    )],
    *[f"tf.tensor_scatter_nd_{kind}(f32(4), [[1], [3]], f32(2))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"tf.tensor_scatter_nd_{kind}(f32(4), [[1], [1]], f32(2))" for kind in ("add", "sub", "max", "min")],
    *[f"tf.tensor_scatter_nd_{kind}(f32(3, 2), [[2], [0]], f32(2, 2))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"tf.tensor_scatter_nd_{kind}(f32(3, 2), [[2, 1], [0, 0]], f32(2))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"tf.tensor_scatter_nd_{kind}(f32(3), [[3]], f32(1))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"tf.tensor_scatter_nd_{kind}(i32(3), [[1]], i32(1))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"tf.tensor_scatter_nd_{kind}(i64(3), [[1]], i64(1))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"tf.tensor_scatter_nd_{kind}({d}(3), [[1]], {d}(1))" for kind in ("add", "update") for d in (
        "u8", "u16", "u32", "i8", "bf16", "f16", "c64", "b", "f64",
    )],
    *[f"tf.tensor_scatter_nd_{kind}({d}(3), [[1]], {d}(1))" for kind in ("max", "min") for d in ("u8", "bf16", "f16", "f64", "c64", "b")],
    "tf.tensor_scatter_nd_update(['a', 'b'], [[1]], ['c'])",
    "tf.tensor_scatter_nd_update(f32(2, 3), [[0, 1]], [5])",
    "tf.tensor_scatter_nd_update(f32(2, 3), [[0, 1]], f32(2))",
    "tf.tensor_scatter_nd_update(f32(2, 3), [[0, 1]], f32(1, 1))",
    "tf.tensor_scatter_nd_update(f32(2, 3), [[0, 1, 2]], f32(1))",
    "tf.tensor_scatter_nd_update(f32(2, 3), [[-1]], f32(1, 3))",
    "tf.tensor_scatter_nd_update(f32(), tf.zeros([1, 0], tf.int32), f32(1))",
    "tf.tensor_scatter_nd_update(f32(3), tf.zeros([0, 1], tf.int32), f32(0))",
    "tf.tensor_scatter_nd_update(f32(3), [1], f32())",
    "tf.tensor_scatter_nd_update(f32(3), [[1]], i32(1))",
    "tf.tensor_scatter_nd_update(f32(3), [[1.0]], f32(1))",
    "tf.tensor_scatter_nd_update(f32(3), tf.constant([[1]], tf.int64), f32(1))",
    "tf.tensor_scatter_nd_update(tf.zeros([2, 2, 2]), [[1], [0]], f32(2, 2, 2))",
    "tf.tensor_scatter_nd_add(f32(2), [[7]], f32(1), bad_indices_policy='IGNORE')",
    "tf.tensor_scatter_nd_update([1, 2, 3], [[0]], [9])",
    "tf.tensor_scatter_nd_update(f32(2, 2), [[0]], f32(2))",
    "tf.tensor_scatter_nd_add([1., 2.], [[0], [0], [0]], [nan, 1., inf])",
    "grad(lambda u: tf.scatter_nd([[1], [3]], u, [5]) * f32(5), f32(2))",
    "grad(lambda u: tf.scatter_nd([[1], [1]], u, [3, 2]) * f32(3, 2), f32(2, 2))",
    *[f"grad(lambda t, u: tf.tensor_scatter_nd_{kind}(t, [[1], [3]], u) * f32(4), f32(4), f32(2))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"grad(lambda t, u: tf.tensor_scatter_nd_{kind}(t, [[1], [0]], u) * f32(3, 2), f32(3, 2), f32(2, 2))" for kind in ("add", "sub", "max", "min", "update")],
    *[f"grad(lambda t, u: tf.tensor_scatter_nd_{kind}(t, [[1]], u), [1., 2.], [2.])" for kind in ("max", "min")],
    "tf.scatter_nd([[0], [1], [0]], ['a', 'b', 'c'], [3])",
    "tf.scatter_nd([[0], [0], [0]], [['a', 'x'], ['b', 'y'], ['c', 'z']], [2, 2])",
    "tf.tensor_scatter_nd_update(['x', 'y'], [[0], [0]], ['a', 'b'])",
]  # fmt: skip
CASES += [
    "tf.scatter_nd([[4], [3], [3], [7]], ['a', 'b', 'b', 'c'], [8])",
    "tf.scatter_nd([[1], [1]], [['a', 'b'], ['c', 'd']], [2, 2])",
]
CASES += [
    f"tf.tensor_scatter_nd_{how}(np.array([2**64 - 1, 3, 2**63], np.uint64), [[0], [1], [1], [2]],"
    " np.array([5, 2**63 + 1, 4, 2**63 - 1], np.uint64))"
    for how in ("max", "min", "add", "sub", "update")
]
