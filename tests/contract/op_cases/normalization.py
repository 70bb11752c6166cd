"""Cases of `ops/nn`: `normalization.py`, `moments.py`, `embedding.py` and `dropout.py`."""

from . import loose, shape_only

_FLOATS = ("f16", "bf16", "f32", "f64")
_FUSED = "tf.compat.v1.nn.fused_batch_norm"


def _grad(call: str, *at: str) -> str:
    """The gradients of a call for its values."""
    names = "xyz"[: len(at)]
    return f"grad(lambda {', '.join(names)}: {call}, {', '.join(at)})"


_FUSED_NORMS = [
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(2))",
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(2), epsilon=0.1)",
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(2), epsilon=0.0)",
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(2), f32(2), f32(2, low=0.1), is_training=False)",
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(2), f32(2), f32(2, low=0.1), "
    "exponential_avg_factor=0.3)",
    f"{_FUSED}(f32(1, 1, 1, 2), f32(2), f32(2))",
    f"{_FUSED}(f32(0, 3, 3, 2), f32(2), f32(2))",
    f"{_FUSED}(f32(2, 3, 3, 3, 2), f32(2), f32(2), data_format='NDHWC')",
    loose(f"{_FUSED}(bf16(2, 3, 3, 2), f32(2), f32(2))", 2e-2, "narrow floats"),
    loose(f"{_FUSED}(f16(2, 3, 3, 2), f32(2), f32(2))", 4e-3, "narrow floats"),
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(2), is_training=False)",
    f"{_FUSED}(f32(2, 3, 3, 2), f32(3), f32(2))",
    f"{_FUSED}(f32(2, 3, 3, 2), f32(2), f32(3))",
    f"{_FUSED}(f32(2, 3, 2), f32(2), f32(2))",
    f"{_FUSED}(f64(2, 3, 3, 2), f64(2), f64(2))",
    _grad(f"{_FUSED}(x, y, z)[0] * f32(2, 3, 3, 2)", "f32(2, 3, 3, 2)", "f32(2)", "f32(2)"),
    _grad(
        f"{_FUSED}(x, y, z, f32(2), f32(2, low=0.1), is_training=False)[0] * f32(2, 3, 3, 2)",
        "f32(2, 3, 3, 2)", "f32(2)", "f32(2)",
    ),
    _grad(f"{_FUSED}(x, y, z)[1]", "f32(2, 3, 3, 2)", "f32(2)", "f32(2)"),
]  # fmt: skip

_LRNS = [
    "tf.nn.lrn(f32(2, 3, 3, 7))",
    "tf.nn.lrn(f64(2, 3, 3, 7))",
    "tf.nn.local_response_normalization(f32(2, 3, 3, 7), 2, 1.0, 0.5, 0.75)",
    "tf.nn.lrn(f32(1, 2, 2, 4), depth_radius=1, bias=2.0, alpha=0.1, beta=1.0)",
    "tf.nn.lrn(f32(1, 2, 2, 4), depth_radius=1, beta=0.3)",
    "tf.nn.lrn(f32(1, 2, 2, 4), depth_radius=0)",
    "tf.nn.lrn(f32(0, 2, 2, 4))",
    loose("tf.nn.lrn(tf.constant(f16(1, 2, 2, 4)), 1)", 4e-3, "narrow floats"),
    "tf.nn.lrn(tf.constant(f64(1, 2, 2, 4)))",
    "tf.nn.lrn(f32(2, 2, 4))",
    _grad("tf.nn.lrn(x, 2, 1.0, 0.5, 0.75) * f32(2, 2, 2, 7)", "f32(2, 2, 2, 7)"),
    _grad("tf.nn.lrn(x, 1, 2.0, 0.1, 0.5)", "f32(1, 2, 2, 4)"),
    _grad("tf.nn.lrn(x, 1, beta=1.0)", "f32(1, 2, 2, 4)"),
    *[
        "tf.raw_ops.LRNGrad(input_grads=f32(1, 2, 2, 4), input_image=(x := f32(1, 2, 2, 4)), "
        f"output_image=tf.nn.lrn(x, {radius}, 1.0, 0.5, {beta}), depth_radius={radius}, "
        f"bias=1.0, alpha=0.5, beta={beta})"
        for radius, beta in ((1, 0.75), (2, 0.5), (5, 1.0))
    ],
]

_MOMENTS = [
    *(
        loose(f"tf.nn.moments({m}(3, 4), [0])", 2e-2 if m == "bf16" else 2e-3, "narrow floats")
        for m in ("f16", "bf16")
    ),
    "tf.nn.moments(f32(3, 4), 0)",
    "tf.nn.moments(f64(3, 4), [0, 1])",
    "tf.nn.moments(f32(2, 3, 4), [0, -1])",
    "tf.nn.moments(f32(2, 3, 4), [0, 1], keepdims=True)",
    "tf.nn.moments(f32(3), axes=[0])",
    "tf.nn.moments(f32(0, 3), axes=[0])",
    "tf.nn.moments(f32(2, 3), axes=[2])",
    "tf.nn.sufficient_statistics(f32(2, 3, 4), [0, 1])",
    "tf.nn.sufficient_statistics(f32(2, 3, 4), [0, 2], keepdims=True)",
    "tf.nn.sufficient_statistics(f32(2, 3), [0], shift=0.5)",
    "tf.nn.normalize_moments(6.0, f32(3), f32(3), None)",
    "tf.nn.normalize_moments(tf.constant(6.0), f32(3), f32(3), shift=0.5)",
    "tf.nn.weighted_moments(f32(3, 4), [0], f32(3, 4, low=0.1))",
    "tf.nn.weighted_moments(f32(3, 4), [0], f32(3, 1, low=0.1), keepdims=True)",
    "tf.nn.weighted_moments(f32(3, 4), [1], 2.0)",
    _grad("tf.nn.moments(x, [0])[1]", "f32(3, 4)"),
    *(
        f"tf.nn.batch_normalization({m}(2, 3), {m}(3), {m}(3, low=0.1), {m}(3), {m}(3), 0.001)"
        for m in ("f32", "f64")
    ),
    loose(
        "tf.nn.batch_normalization(f16(2, 3), f16(3), f16(3, low=0.5), f16(3), f16(3), 0.001)",
        1e-2, "narrow floats",
    ),
    "tf.nn.batch_normalization(f32(2, 3), f32(3), f32(3, low=0.1), None, f32(3), 0.1)",
    "tf.nn.batch_normalization(f32(2, 3), f32(3), f32(3, low=0.1), f32(3), None, 0.1)",
    "tf.nn.batch_normalization(f32(2, 3), 0.5, 1.5, None, None, 0.1)",
    "tf.nn.batch_norm_with_global_normalization(f32(1, 2, 2, 3), f32(3), f32(3, low=0.1), f32(3), "
    "f32(3), 0.001, True)",
    "tf.nn.batch_norm_with_global_normalization(f32(1, 2, 2, 3), f32(3), f32(3, low=0.1), f32(3), "
    "f32(3), 0.001, False)",
    *(
        f"tf.{ns}.l2_normalize({arguments})"
        for ns, arguments in (
            ("nn", "f32(2, 3)"), ("math", "f32(2, 3), 1"), ("nn", "f32(2, 3), axis=[0, 1]"),
            ("math", "f64(2, 3), -1"), ("nn", "np.zeros([2], np.float32)"),
            ("math", "f32(2, 3), axis=0, epsilon=10.0"), ("math", "c64(2, 3), axis=0"),
            ("nn", "f32(2, 3), dim=1"),
        )
    ),
    "tf.math.zero_fraction(np.array([0.0, 1.0, 0.0, -0.0], np.float32))",
    "tf.nn.zero_fraction(i32(3, 4, low=0, high=2))",
    _grad("tf.nn.l2_normalize(x, 1)", "f32(2, 3)"),
]  # fmt: skip

_LOOKUPS = [
    "tf.nn.embedding_lookup(f32(4, 2), [3, 0])",
    "tf.nn.embedding_lookup(f32(4, 2), i64(2, 2, low=0, high=4))",
    "tf.nn.embedding_lookup(f32(4, 2, 2), 1)",
    "tf.nn.embedding_lookup(f32(4, 2), [3, 0], max_norm=0.5)",
    "tf.nn.embedding_lookup(f32(4, 2), [3, 0], max_norm=100.0)",
    "tf.nn.embedding_lookup([f32(4, 2)], [3, 0])",
    "tf.nn.embedding_lookup([tf.constant(f32(2, 2)), tf.constant(f32(2, 2))], [3, 0, 1])",
    "tf.nn.embedding_lookup([tf.constant(f32(3, 2)), tf.constant(f32(2, 2))], [4, 0, 2])",
    "tf.nn.embedding_lookup(f32(4, 2), [4])",
    "tf.nn.embedding_lookup(f32(4, 2), [-1])",
    "tf.nn.embedding_lookup([], [0])",
    "tf.nn.embedding_lookup(None, [0])",
    "tf.nn.embedding_lookup(f32(4, 2), f32(2))",
]

_DROPOUTS = [
    shape_only("tf.nn.dropout(f32(3, 4), 0.5)"),
    shape_only("tf.nn.dropout(f64(3, 4), rate=0.3, seed=3)"),
    shape_only("tf.nn.dropout(bf16(3, 4), rate=tf.constant(0.3, tf.bfloat16))"),
    shape_only("tf.nn.dropout(f32(3, 4), 0.5, noise_shape=[3, 1])"),
    shape_only("tf.nn.dropout(f32(3, 4), 0.5, noise_shape=[None, 1])"),
    "tf.nn.dropout(f32(3, 4), 0)",
    "tf.nn.dropout(f32(3, 4), 0.0)",
    "tf.nn.dropout(f32(3, 4), 1.0)",
    "tf.nn.dropout(f32(3, 4), -0.1)",
    "tf.nn.dropout(i32(3, 4), 0.5)",
    "tf.nn.dropout(f32(3, 4), f32(2))",
    "tf.nn.dropout(f32(3, 4), tf.constant(1))",
    "tf.nn.experimental.general_dropout(f32(2, 3), 0.5, "
    "lambda shape, dtype: tf.constant([[0.1, 0.6, 0.5], [0.4, 0.9, 0.49]]))",
]

CASES = [*_FUSED_NORMS, *_LRNS, *_MOMENTS, *_LOOKUPS, *_DROPOUTS]
CASES += ["tf.nn.moments(c64(3, 2), [0])", "tf.nn.moments(c64(3, 2), [0, 1], keepdims=True)"]
CASES += [
    f"tf.nn.weighted_moments({x}, [0], {weights})"
    for x in ("[1.0, 2.0, 4.0]", "np.zeros((0, 3), np.float32)")
    for weights in ("[0.0, 0.0, 0.0]", "[1.0, -1.0, 0.0]", "[1.0, 2.0, 3.0]")
]

CASES += [
    f"tf.nn.embedding_lookup(f32(4, 3), [1, 3], max_norm={bound})" for bound in (-1.0, 0.0, 0.5)
] + [
    "tf.nn.embedding_lookup_sparse(f32(4, 3), tf.sparse.from_dense([[1, 2], [3, 0]]), None, "
    f"max_norm={bound})"
    for bound in (-1.0, 0.5)
]
CASES += [
    "grad(lambda x, y, z: grad(lambda a, b: tf.sin("
    f"{_FUSED}(a, b, z{rest})[0]) * f32(2, 3, 3, 2), x, y)[{i}] ** 2, "
    "f32(2, 3, 3, 2), f32(2), f32(2))"
    for rest in ("", ", f32(2), f32(2, low=0.1), is_training=False")
    for i in (0, 1)
]  # fmt: skip
CASES += [
    f"tf.nn.embedding_lookup({table}, tf.ragged.constant({ids}), max_norm=0.5).flat_values"
    for table in ("f32(5, 3)", "f32(5, 3, 2)")
    for ids in ("[[1, 2], [3]]", "[[[1, 2], [3]], [[4]]]", "[[[1, 2], [3, 0]]], ragged_rank=1")
]
