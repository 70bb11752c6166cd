"""Cases of `ops/sparse/rows.py` and `ops/sparse/picked_segments.py`."""

from __future__ import annotations

from .values import sparse_text as sp

GAPS = sp([[0, 1], [2, 0], [2, 1]], "[1, 2, 3]", [4, 2])
FULL = sp([[0, 1], [1, 0]], "f32(2)", [2, 2])
NO_ROWS = "tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), [0, 2])"
NONE = "tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int32), [3, 2])"
IDS = sp([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], "[1, 3, 0, 2, 2]", [3, 2])
WEIGHTS = sp([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], "[1.0, 2.0, 0.5, 1.5, 1.0]", [3, 2])
HOLES = sp([[0, 0], [0, 1], [2, 0], [2, 1]], "[1, -1, 0, 2]", [4, 2])
HOLES_W = sp([[0, 0], [0, 1], [2, 0], [2, 1]], "[1.0, 2.0, -0.5, 1.5]", [4, 2])
DEEP = sp([[0, 0, 0], [0, 1, 1], [1, 1, 0]], "[1, 3, 0]", [2, 2, 2])
TABLE = "f32(4, 3)"
COMBINERS = ("'sum'", "'mean'", "'sqrtn'")

CASES: list[object] = [
    *[f"tf.sparse.fill_empty_rows({x}, {default})" for x, default in [
        (GAPS, "0"), (GAPS, "-1"), (FULL, "0.0"), (NONE, "7"), (NO_ROWS, "1"),
        (sp([[1, 0]], "['a']", [3, 1]), "'-'"), (sp([[1, 0, 1]], "[2.0]", [2, 2, 2]), "0.5"),
        (sp([[2, 0], [0, 0]], "[1, 2]", [4, 1]), "0"), (sp([[3, 0]], "[1]", [2, 1]), "0"),
        (GAPS, "[0, 1]"), (GAPS, "tf.constant(1.5)"),
    ]],
    *[f"tf.sparse.{op}({data}, {indices}, {ids}{more})"
      for op in ("segment_sum", "segment_mean", "segment_sqrt_n")
      for data, indices, ids, more in [
        ("f32(4, 3)", "[0, 2, 2]", "[0, 0, 1]", ""),
        ("f64(4)", "[3, 0]", "[0, 2]", ""),
        ("f32(4, 2, 2)", "[1, 1, 0]", "[0, 1, 1]", ", num_segments=3"),
        ("f32(4, 3)", "np.zeros(0, np.int32)", "np.zeros(0, np.int32)", ""),
        ("f32(4, 3)", "np.zeros(0, np.int32)", "np.zeros(0, np.int32)", ", num_segments=2"),
        ("f32(4, 3)", "[0, 4]", "[0, 1]", ""),
        ("f32(4, 3)", "[0, -1]", "[0, 1]", ""),
        ("f32(4, 3)", "[0, 1]", "[1, 0]", ""),
        ("f32(4, 3)", "[0, 1]", "[0]", ""),
        ("f32(4, 3)", "[0, 1]", "[0, 3]", ", num_segments=2"),
        ("f32(4, 3)", "[0, 1]", "[-1, 0]", ""),
        ("f32(4, 3)", "[[0, 1]]", "[0, 3]", ""),
        ("f32(4, 3)", "np.array([0, 1])", "np.array([0, 1])", ""),
        ("bf16(4, 3)", "[0, 1, 1]", "[0, 0, 2]", ""),
        ("f16(4, 3)", "[0, 1]", "[0, 1]", ""),
      ]],
    "tf.sparse.segment_sum(i32(4, 3), [0, 2, 2], [0, 0, 1])",
    "tf.sparse.segment_mean(i32(4, 3), [0, 2, 2], [0, 0, 1])",
    *[f"tf.sparse.bincount({values}{more})" for values in (
        "[1, 1, 4, 2]", "[[1, 1, 4], [0, 2, 2]]", "np.zeros((0,), np.int32)", GAPS, NONE,
        "np.array([3, 3], np.int64)")
      for more in ("", ", axis=-1", ", minlength=7", ", maxlength=3", ", binary_output=True",
                   ", minlength=2, maxlength=4", ", axis=None")],
    "tf.sparse.bincount([1, 1, 4], weights=[0.5, 1.0, 2.0])",
    "tf.sparse.bincount([[1, 1], [4, 1]], weights=[[0.5, 1.0], [2.0, 3.0]], axis=-1)",
    "tf.sparse.bincount([1, 1, 4], weights=[5, 6, 7])",
    "tf.sparse.bincount([1, -1, 4])",
    "tf.sparse.bincount(tf.sparse.from_dense([[1, 2], [0, 3]]), "
    "weights=tf.sparse.from_dense([[0.5, 1.0], [0.0, 2.0]]), axis=-1)",
    "tf.sparse.bincount([1, 1], axis=1)",
    f"tf.sparse.bincount({GAPS}, weights={GAPS}.with_values([0.5, 1.0, 1.5]), axis=-1)",
    *[f"tf.nn.embedding_lookup_sparse({TABLE}, {IDS}, {weights}, combiner={c}{more})"
      for weights in ("None", WEIGHTS) for c in COMBINERS for more in ("", ", max_norm=1.0")],
    f"tf.nn.embedding_lookup_sparse({TABLE}, {IDS}, None)",
    f"tf.nn.embedding_lookup_sparse(f32(4, 2, 2), {IDS}, {WEIGHTS})",
    f"tf.nn.embedding_lookup_sparse([f32(2, 3), f32(2, 3)], {IDS}, {WEIGHTS})",
    f"tf.nn.embedding_lookup_sparse(f32(2, 3), {IDS}, None)",
    f"tf.nn.embedding_lookup_sparse({TABLE}, {IDS}, None, combiner='max')",
    f"tf.nn.embedding_lookup_sparse({TABLE}, [1, 2], None)",
    f"tf.nn.embedding_lookup_sparse({TABLE}, {IDS}, [1.0, 2.0])",
    f"tf.nn.embedding_lookup_sparse(None, {IDS}, None)",
    f"tf.nn.embedding_lookup_sparse(tf.Variable({TABLE}), {IDS}, {WEIGHTS})",
    *[f"tf.nn.safe_embedding_lookup_sparse({TABLE}, {ids}, {weights}, combiner={c}{more})"
      for ids, weights in [(IDS, "None"), (IDS, WEIGHTS), (HOLES, "None"), (HOLES, HOLES_W)]
      for c in COMBINERS for more in ("", ", default_id=3")],
    f"tf.nn.safe_embedding_lookup_sparse({TABLE}, {HOLES}, max_norm=0.5)",
    f"tf.nn.safe_embedding_lookup_sparse({TABLE}, {DEEP})",
    f"tf.nn.safe_embedding_lookup_sparse({TABLE}, {DEEP}, default_id=1)",
    f"tf.nn.safe_embedding_lookup_sparse(None, {DEEP})",
    *[f"grad(lambda x: tf.sparse.{op}(x, [0, 2, 2], [0, 0, 1]) * [[1.0], [2.0]], f32(4, 3))"
      for op in ("segment_sum", "segment_mean", "segment_sqrt_n")],
    *[f"tf.convert_to_tensor(grad(lambda x: tf.nn.embedding_lookup_sparse(x, {IDS}, {weights}, "
      f"{c}) * 2.0, f32(4, 3))[0])"
      for weights in ("None", WEIGHTS) for c in COMBINERS],
    f"tf.convert_to_tensor(grad(lambda x: tf.nn.embedding_lookup_sparse(x, {IDS}, None), "
    "tf.Variable(f32(4, 3)))[0])",
    f"tf.convert_to_tensor(grad(lambda x: tf.nn.safe_embedding_lookup_sparse(x, {HOLES}), "
    "tf.Variable(f32(4, 3)))[0])",
]  # fmt: skip
_RAGGED_IDS = "tf.RaggedTensor.from_row_lengths(np.array([1, 2, 0], np.int64), [0, 2, 0, 1])"
_RAGGED_WEIGHTS = (
    "tf.RaggedTensor.from_row_lengths(np.array([1.0, -1.0, 2.0], np.float32), [0, 2, 0, 1])"
)
CASES += [
    f"tf.nn.embedding_lookup_sparse(f32(4, 3), {_RAGGED_IDS}, {weights}, combiner={how})"
    for weights in (_RAGGED_WEIGHTS, "None")
    for how in ("'mean'", "'sqrtn'", "'sum'", "None")
]

# Weights of another kind than ids, or of another dtype than the table.
_IDS = "tf.sparse.from_dense([[1, 2], [3, 0]])"
_WEIGHTS = "tf.sparse.from_dense([[1.0, 2.0], [3.0, 0.0]])"
CASES += [
    f"tf.nn.embedding_lookup_sparse(tf.ones([4, 2]), {_IDS}, "
    f"tf.RaggedTensor.from_sparse({_WEIGHTS}))",
    f"tf.nn.embedding_lookup_sparse(tf.ones([4, 2]), tf.RaggedTensor.from_sparse({_IDS}), "
    f"{_WEIGHTS})",
    f"tf.nn.safe_embedding_lookup_sparse(tf.ones([4, 2], tf.float64), {_IDS}, {_WEIGHTS})",
    f"tf.nn.safe_embedding_lookup_sparse(np.ones([4, 2]), {_IDS}, {_WEIGHTS})",
]
