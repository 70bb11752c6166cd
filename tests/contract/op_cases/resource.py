"""Cases of `ops/variables/resource.py` and of the methods of variables that change parts of them."""
# ruff: noqa: E501  # a case stands on one line


def changed(make: str, call: str) -> str:
    """A case: a variable, a call of one of its methods, and what it then holds."""
    return f"run(v := tf.Variable({make}), v.{call}, v.numpy())"


KINDS = ("add", "sub", "mul", "div", "min", "max", "update")

CASES = [
    *[changed("f32(3, 2)", f"scatter_{kind}(tf.IndexedSlices(f32(2, 2), [2, 0]))") for kind in KINDS],
    *[changed("f32(4)", f"scatter_{kind}(tf.IndexedSlices(f32(3), [1, 1, 3]))") for kind in KINDS[:-1]],
    *[changed("f32(3)", f"scatter_{kind}(tf.IndexedSlices(f32(1), [3]))") for kind in KINDS],
    *[changed("f32(3)", f"scatter_{kind}(tf.IndexedSlices(f32(1), [-1]))") for kind in KINDS],
    *[changed("i32(3)", f"scatter_{kind}(tf.IndexedSlices([3, 2], [0, 2]))") for kind in KINDS],
    *[changed("f32(3, 2)", f"scatter_{kind}(tf.IndexedSlices(f32(2), [0]))") for kind in KINDS],
    *[changed("bf16(3)", f"scatter_{kind}(tf.IndexedSlices(bf16(1), [0]))") for kind in KINDS],
    *[changed("f64(3)", f"scatter_{kind}(tf.IndexedSlices(f64(2), tf.constant([0, 1], tf.int64)))") for kind in KINDS],
    *[changed("f32(3)", f"scatter_{kind}(f32(3))") for kind in KINDS],
    *[changed("f32(3)", f"scatter_{kind}(tf.IndexedSlices(i32(1), [0]))") for kind in KINDS],
    *[changed("f32(3, 2)", f"scatter_{kind}(tf.IndexedSlices(f32(2, 1, 2), [[0], [1]]))") for kind in KINDS],
    "run(v := tf.Variable(1.0), v.is_initialized(), v.is_initialized())",
    changed("c64(3)", "scatter_add(tf.IndexedSlices(c64(1), [0]))"),
    changed("['a', 'b']", "scatter_update(tf.IndexedSlices(['c'], [0]))"),
    changed("b(3)", "scatter_update(tf.IndexedSlices([True], [0]))"),
    changed("u8(3)", "scatter_add(tf.IndexedSlices(u8(1), [0]))"),
    changed("f32(3)", "scatter_add(tf.IndexedSlices(2.0, [0, 1]))"),
    changed("f32(3)", "scatter_update(tf.IndexedSlices(2.0, [0, 1]))"),
    changed("f32(3)", "scatter_add(tf.IndexedSlices(tf.zeros([0]), tf.zeros([0], tf.int32)))"),
    *[changed("f32(2, 3)", f"scatter_nd_{kind}([[0, 1], [1, 2]], f32(2))") for kind in ("add", "sub", "update", "min", "max")],
    *[changed("f32(2, 3)", f"scatter_nd_{kind}([[1]], f32(1, 3))") for kind in ("add", "sub", "update", "min", "max")],
    *[changed("f32(2, 3)", f"scatter_nd_{kind}([[2]], f32(1, 3))") for kind in ("add", "sub", "update", "min", "max")],
    *[changed("f32(2, 3)", f"scatter_nd_{kind}([[1]], f32(1, 2))") for kind in ("add", "sub", "update", "min", "max")],
    *[changed("i32(4)", f"scatter_nd_{kind}([[1], [3]], [7, 8])") for kind in ("add", "sub", "update", "min", "max")],
    changed("f32(4)", "scatter_nd_add([[1], [1]], f32(2))"),
    changed("f32(2, 2)", "batch_scatter_update(tf.IndexedSlices(f32(2, 1), [[0], [1]]))"),
    changed("f32(2, 3, 2)", "batch_scatter_update(tf.IndexedSlices(f32(2, 2, 2), [[0, 2], [1, 0]]))"),
    "tf.Variable(f32(3, 2)).sparse_read([0, 2])",
    "tf.Variable(f32(3, 2)).sparse_read(1)",
    "tf.Variable(f32(3, 2)).sparse_read([3])",
    "tf.Variable(f32(3, 2)).sparse_read([[0], [1]])",
    "tf.Variable(f32(3, 2)).gather_nd([[0, 1], [2, 0]])",
    "tf.Variable(f32(3, 2)).gather_nd([[3, 1]])",
    "tf.Variable(f32(3, 2)).gather_nd([[1]])",
    "run(v := tf.Variable(1), [v.count_up_to(3), v.count_up_to(3), v.numpy()])",
    "run(v := tf.Variable(3), v.count_up_to(3))",
    "run(v := tf.Variable(1.0), v.count_up_to(3))",
    "run(v := tf.Variable([1]), v.count_up_to(3))",
    changed("f32(3, 2)", "assign_sub(tf.IndexedSlices(f32(2, 2), [2, 0], tf.constant([3, 2])))"),
    changed("f32(3, 2)", "assign_add(tf.IndexedSlices(f32(2, 2), [2, 2], tf.constant([3, 2])))"),
    changed("f32(3, 2)", "assign(tf.IndexedSlices(f32(2, 2), [2, 2], tf.constant([3, 2])))"),
    changed("f32(3, 2)", "assign_sub(tf.IndexedSlices(f32(2, 2), [2, 0]))"),
    "run(v := tf.Variable(f32(3)), v.scatter_add(tf.IndexedSlices(f32(1), [0]), name='a'))",
    "run(v := tf.Variable(f32(3)), v.scatter_nd_add([[0]], f32(1)))",
    "run(v := tf.Variable(f32(3)), w := v + 0., v.scatter_add(tf.IndexedSlices(f32(1), [0])), w)",
    "run(v := tf.Variable(f32(3)), w := v.value(), v.scatter_add(tf.IndexedSlices(f32(1), [0])), [w, v])",
    "grad(lambda v: v.sparse_read([0, 2]) * f32(2, 2), tf.Variable(f32(3, 2)))",
    "grad(lambda v: v.sparse_read([[0, 2]]) * f32(1, 2, 2), tf.Variable(f32(3, 2)))",
    "grad(lambda v: v.gather_nd([[0], [2]]) * f32(2, 2), tf.Variable(f32(3, 2)))",
    "grad(lambda v: v.gather_nd([[0, 1], [2, 0]]) * f32(2), tf.Variable(f32(3, 2)))",
    # slices by index as values
    "tf.convert_to_tensor(tf.IndexedSlices(f32(2, 2), [2, 0], tf.constant([3, 2])))",
    "tf.convert_to_tensor(tf.IndexedSlices(f32(2, 2), [2, 2], [3, 2]))",
    "tf.convert_to_tensor(tf.IndexedSlices(f32(2, 2), [2, 0]))",
    "tf.convert_to_tensor(tf.IndexedSlices(tf.constant(f32(2, 2)), tf.constant([2, 0]), tf.constant([3, 2])))",
    "tf.convert_to_tensor(tf.IndexedSlices(tf.constant(f32(2, 2)), tf.constant([2, 2]), tf.constant([3, 2])))",
    "tf.convert_to_tensor(tf.IndexedSlices(tf.constant(f32(2, 2)), tf.constant([3, 2]), tf.constant([3, 2])))",
    "tf.convert_to_tensor(tf.IndexedSlices(tf.constant(f32(2, 2)), tf.constant([2, 2])))",
    "tf.convert_to_tensor(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])), tf.int32)",
    "-tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]))",
    "tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])).shape",
    "tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])).shape",
    "tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])).dtype",
    "tf.is_tensor(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])))",
    "tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])) + tf.constant(f32(3))",
    "tf.constant(f32(3)) + tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3]))",
    "tf.reduce_sum(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])))",
    "tf.multiply(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])), 2.0)",
    "tf.add_n([tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])), tf.constant(f32(3))])",
    "tf.nest.flatten(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1]), tf.constant([3])), expand_composites=True)",
    "tf.nest.flatten(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])), expand_composites=True)",
    "tf.nest.map_structure(lambda x: x + x, tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])), expand_composites=True)",
    "len(tf.nest.flatten([tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])), 1]))",
    "isinstance(tf.IndexedSlices(tf.constant(f32(2)), tf.constant([0, 1])), tf.__internal__.CompositeTensor)",
    "isinstance(tf.constant(1), tf.__internal__.EagerTensor)",
    "isinstance(tf.constant(1), tf.__internal__.types.Tensor)",
    "isinstance(tf.Variable(1), tf.__internal__.types.Tensor)",
]  # fmt: skip
_LARGE = "np.array([2**64 - 1, 3, 2**63, 2**63 + 9], np.uint64)"
_UPDATES = "tf.constant(np.array([2, 2**63 + 5, 2**64 - 4], np.uint64))"
CASES += [
    changed(_LARGE, f"scatter_{kind}(tf.IndexedSlices({_UPDATES}, [0, 1, 3]))") for kind in KINDS
] + [
    changed(_LARGE, f"scatter_nd_{kind}([[0], [1], [3]], {_UPDATES})")
    for kind in ("add", "sub", "min", "max", "update")
]
_COMPLEX = "np.array([1.5 + 2j, -2.5, 3.25], np.complex64)"
CASES += [
    changed(_COMPLEX, f"scatter_{kind}(tf.IndexedSlices(tf.constant({_COMPLEX}), [0, 0, 2]))")
    for kind in KINDS
] + [
    f"run(v := tf.Variable({_COMPLEX}), v.scatter_nd_{kind}([[0], [0], [2]], {_COMPLEX}), v.numpy())"
    for kind in ("add", "sub", "min", "max", "update")
]
