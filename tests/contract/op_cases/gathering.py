"""Cases of `ops/array/gathering.py`: gather, gather_nd, masks, partition and stitch."""
# ruff: noqa: E501  # a case stands on one line

CASES = [
    *[f"tf.gather(f32(3, 4), {args})" for args in (
        "[0, 2]", "[2, 0, 2]", "1", "[[0, 1], [2, 0]]", "[]", "tf.zeros([0], tf.int32)", "[3]", "[-1]",
        "[0, 3], axis=1", "[0, 3], axis=-1", "[0, 1], axis=-2", "[0], axis=2", "[0], axis=-3", "2, axis=1",
        "[[0, 1], [2, 3]], axis=1", "tf.constant([1], tf.int64)", "[1.0]", "u8(2, high=3)", "i64(2, low=0, high=3)",
        "[[0, 1], [1, 2], [3, 0]], batch_dims=1", "[[0, 1], [1, 2], [3, 0]], axis=1, batch_dims=1",
        "[[0, 1], [1, 2]], batch_dims=1", "[0, 1, 2], batch_dims=1", "[[0, 1], [1, 2], [3, 0]], axis=-1, batch_dims=-1",
        "[0, 1], batch_dims=2", "[0], axis=tf.constant(1)", "[0, 1], axis=0, batch_dims=0", "[0], None, 1",
        "[[0, 4], [1, 2], [3, 0]], batch_dims=1", "[[[0, 1]], [[1, 2]], [[3, 0]]], batch_dims=1",
        "[0], validate_indices=False", "i16(2, low=0, high=3)",
    )],
    "tf.gather(f32(2, 3, 4), [[0, 1], [2, 2]], batch_dims=1)",
    "tf.gather(f32(2, 3, 4), [[0, 1], [2, 2]], axis=2, batch_dims=1)",
    "tf.gather(f32(2, 3, 4), [[[0], [1], [2]], [[3], [0], [1]]], axis=2, batch_dims=2)",
    "tf.gather(f32(2, 3, 4), [[0, 1], [2, 2]], axis=0, batch_dims=1)",
    "tf.gather(f32(2, 3), [0], axis=1, batch_dims=3)",
    *[f"tf.gather({x}, [1, 0])" for x in (
        "['a', 'b']", "b(2)", "u16(3)", "u32(3)", "u64(3)", "c64(2)", "bf16(2, 2)", "[1, 2]", "i8(2)", "f32()",
    )],
    "tf.gather([['a', 'b'], ['c', 'd']], [1], axis=1)",
    "tf.gather(f32(0, 2), tf.zeros([0], tf.int32))",
    "tf.gather(f32(0, 2), [0])",
    *[f"tf.gather(tf.zeros([{dims}]), tf.zeros([{places}], tf.int32), axis={axis}, batch_dims={batch})"
      for dims, places, axis, batch in (
        ("0, 3", "0, 2", 1, 1), ("0, 3", "0, 0", 1, 1), ("2, 0", "2, 0", 1, 1), ("2, 0", "2, 1", 1, 1),
        ("0, 0", "0, 2", 1, 1), ("0, 3, 4", "0, 2", 2, 1), ("2, 0, 4", "2, 3", 2, 1), ("2, 3, 0", "2, 3", 1, 1),
        ("2, 3, 0", "2, 3", 2, 1), ("0, 3", "2", 1, 0), ("0, 3", "2, 2", 1, 0), ("3, 0", "2", 0, 0),
        ("3, 0", "2", 1, 0), ("0, 2, 3", "0, 2, 2", 2, 2), ("2, 0, 3", "2, 0, 4", 2, 2),
    )],
    *[f"tf.gather_nd(tf.zeros([{dims}]), tf.zeros([{places}], tf.int32), batch_dims={batch})"
      for dims, places, batch in (
        ("0, 3", "0, 1", 0), ("0, 3", "2, 1", 0), ("0, 3", "2, 0", 0), ("0, 3", "0, 2, 1", 1),
        ("2, 0", "2, 0, 1", 1), ("2, 0", "2, 1, 1", 1), ("2, 3, 0", "2, 2, 1", 1), ("2, 3, 0", "2, 2, 2", 1),
        ("0, 3, 0", "0, 2, 1", 1), ("3, 0", "0, 1", 0),
    )],
    "tf.gather(tf.Variable([1., 2., 3.]), [2, 0])",
    "tf.gather(tf.Variable([1., 2., 3.]), [3])",
    "tf.gather(tf.Variable([[1., 2., 3.]]), [2], axis=1)",
    # gather_nd
    *[f"tf.gather_nd(f32(2, 3, 4), {args})" for args in (
        "[[0, 1, 2], [1, 0, 3]]", "[[0, 1], [1, 0]]", "[[1], [0]]", "[1]", "[1, 2, 3]", "[]", "[[2, 0, 0]]",
        "[[0, -1]]", "[[0, 0, 0, 0]]", "1", "tf.zeros([0, 2], tf.int32)", "[[[0, 1]], [[1, 1]]]",
        "tf.constant([[1, 1]], tf.int64)", "[[1], [2]], batch_dims=1", "[[[0, 1]], [[2, 3]]], batch_dims=1",
        "[[0, 1], [2, 3]], batch_dims=1", "[[0.0]]", "tf.zeros([2, 0], tf.int32)",
        "i16(1, 2, low=0, high=2)",
    )],
    "tf.gather_nd(['a', 'b'], [[1], [0]])",
    "tf.gather_nd(u32(3), [[1], [0]])",
    "tf.gather_nd(b(3), [[1], [0]])",
    "tf.gather_nd(c64(3), [[1], [0]])",
    "tf.gather_nd(bf16(3), [[1], [0]])",
    "tf.gather_nd(f32(), [])",
    "tf.gather_nd(f32(0, 2), tf.zeros([0, 1], tf.int32))",
    "tf.gather_nd(f32(2), [[5]], bad_indices_policy='IGNORE')",
    "tf.gather_nd(f32(2), [[5]], bad_indices_policy='ERROR')",
    "tf.gather_nd(f32(2), [[1]], bad_indices_policy='x')",
    "tf.gather_nd(tf.Variable([1., 2.]), [[1]])",
    # boolean_mask
    *[f"tf.boolean_mask(f32(2, 3), {args})" for args in (
        "[True, False]", "[[True, False, True], [False, True, False]]", "[True, False, True], axis=1",
        "[True, False, True]", "True", "[1, 0]", "[True, False], axis=0", "[False, False]", "[True, False, True], axis=-1",
        "[[True], [False]]", "b(2, 3, 1)", "tf.constant([True, True])", "np.array([True, False])",
    )],
    "tf.boolean_mask(['a', 'b'], [True, False])",
    "tf.boolean_mask(f32(2, 3, 4), b(3, 4), axis=1)",
    "tf.boolean_mask(f32(0), tf.zeros([0], tf.bool))",
    # where
    "tf.where([True, False, True])",
    "tf.where([[True, False], [False, True]])",
    "tf.where([0, 3, 0, 1])",
    "tf.where([0.0, 2.0, nan])",
    "tf.where(c64(2))",
    "tf.where(True)",
    "tf.where(['a', ''])",
    # dynamic partition and stitch
    *[f"tf.dynamic_partition({args})" for args in (
        "f32(4), [0, 1, 1, 0], 2", "f32(4, 2), [0, 1, 2, 0], 4", "f32(4), [0, 2, 1, 0], 2", "f32(4), [0, -1, 1, 0], 2",
        "f32(2, 2), [[0, 1], [1, 0]], 2", "['a', 'b'], [1, 0], 2", "f32(4), [0, 1], 2", "f32(2), 0, 1", "f32(2), [0, 1], 0",
        "f32(0), tf.zeros([0], tf.int32), 2", "u16(2), [1, 0], 2", "f32(2), [0.0, 1.0], 2", "b(3), [1, 0, 1], 2",
    )],
    *[f"tf.dynamic_stitch({args})" for args in (
        "[[0, 2], [1, 3]], [f32(2), f32(2)]", "[[0, 1], [1]], [f32(2, 3), f32(1, 3)]", "[[0, 3]], [f32(2)]",
        "[0, [1, 2]], [f32(2), f32(2, 2)]", "[[0, -1]], [f32(2)]", "[[0], [1]], [f32(1), f32(1, 2)]",
        "[[0, 1]], [['a', 'b']]", "[[0, 1]], [f32(3)]", "[[], []], [f32(0), f32(0)]", "[[2, 0, 1]], [i32(3)]",
        "[tf.zeros([0], tf.int32)], [f32(0, 2)]", "[[1, 0]], [u16(2)]",
    )],
    # gradients: slices by index where TensorFlow gives them
    "grad(lambda x: tf.gather(x, [0, 2, 2]) * f32(3, 2), f32(3, 2))",
    "grad(lambda x: tf.gather(x, [[0, 2], [2, 2]]) * f32(2, 2, 2), f32(3, 2))",
    "grad(lambda x: tf.gather(x, 1) * f32(2), f32(3, 2))",
    "grad(lambda x: tf.gather(x, [0, 1, 1], axis=1) * f32(3, 3), f32(3, 2))",
    "grad(lambda x: tf.gather(x, [[0], [1], [1]], batch_dims=1) * f32(3, 1), f32(3, 2))",
    "grad(lambda x: tf.gather(x, [[[0, 1]], [[1, 1]]], axis=2, batch_dims=1), f32(2, 3, 2))",
    "grad(lambda x: tf.gather(x * 2., [0, 2]) * f32(2, 2), f32(3, 2))",
    "grad(lambda x: tf.gather(tf.identity(x), [0, 2]) * f32(2, 2), f32(3, 2))",
    "grad(lambda x: tf.gather(tf.reshape(x, [3, 2]), [0, 2]) * f32(2, 2), f32(6))",
    "tf.convert_to_tensor(grad(lambda x: tf.gather(x, [0, 2]) + tf.gather(x, [1, 1]) * 2., f32(3, 2))[0])",
    "grad(lambda x: tf.reduce_sum(tf.gather(x, [0, 2]) * f32(2, 2)) + tf.reduce_sum(x * x), f32(3, 2))",
    "grad(lambda v: tf.gather(v, [0, 2, 0]) * 3., tf.Variable(f32(3, 2)))",
    "grad(lambda v: tf.gather(v, [1], axis=1) * 3., tf.Variable(f32(3, 2)))",
    "grad(lambda v: tf.gather(v.value(), [1]) * 3., tf.Variable(f32(3, 2)))",
    "tf.convert_to_tensor(grad(lambda v: tf.gather(v, [1]) * 3. + tf.gather(v, [0]), tf.Variable(f32(3, 2)))[0])",
    "grad(lambda v: tf.gather(v, [1]) * v, tf.Variable(f32(3, 2)))",
    "grad(lambda v: tf.gather_nd(v, [[1], [0]]) * 3., tf.Variable(f32(3, 2)))",
    "grad(lambda x: tf.gather_nd(x, [[1], [1]]) * f32(2, 2), f32(3, 2))",
    "grad(lambda x: tf.gather_nd(x, [[1, 0], [1, 0], [2, 1]]) * f32(3), f32(3, 2))",
    "grad(lambda x: tf.gather_nd(x, [[1], [0]], batch_dims=1) * f32(2), f32(2, 3))",
    "grad(lambda x: tf.boolean_mask(x, [True, False, True]) * f32(2, 2), f32(3, 2))",
    "grad(lambda x: tf.dynamic_partition(x, [1, 0, 1], 2)[1] * f32(2), f32(3))",
    "grad(lambda x, y: tf.dynamic_stitch([[0, 2], [1]], [x, y]) * f32(3), f32(2), f32(1))",
    "grad(lambda x, y: tf.dynamic_stitch([[0, 1], [1]], [x, y]) * f32(2), f32(2), f32(1))",
    "grad(lambda x: tf.reduce_sum(tf.gather(x, tf.zeros([0], tf.int32))), f32(3, 2))",
    "tf.convert_to_tensor(grad(lambda x: tf.gather(x, [0, 2, 2]) * f32(3, 2), f32(3, 2))[0])",
]  # fmt: skip

CASES += [
    "tf.compat.v1.gather_nd([1, 2, 3], [[1], [7]], bad_indices_policy='IGNORE')",
]

CASES += [
    "tf.dynamic_partition(f32(2, 2), tf.constant([[0, 1], [9, 0]]), 2)",
]
