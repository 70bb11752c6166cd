"""Cases of `raw/sparse_parts.py`: raw ops on the parts of sparse and ragged tensors."""
# ruff: noqa: E501  # a case stands on one line

from . import Case
from .raw_calls import typed

_PICKED = "grad={}(3, 2), indices=[4, 0, 2, 0], segment_ids=[0, 0, 1, 2]"
_COUNT = "values=[1, 1, 4, 2], weights={}, binary_output=False"
_PLACES = (
    "sparse_indices=np.array([[0, 1], [2, 0]]), sparse_values={}(2), sparse_shape=np.array([3, 4])"
)
_PARTS = (
    "indices=np.array([[0, 1], [0, 2], [2, 0]]), values=[1, 1, 3], dense_shape=np.array([3, 4])"
)
_SPLITS = "splits=np.array([0, 2, 2, 4]), values=[1, 1, 3, 0]"
_NONE = "tf.constant([], tf.float32)"
_FILL = "value_rowids=np.array([0, 2, 2]), nrows=np.int64(4)"

CASES: list[str | Case] = [
    *[
        case
        for kind in ("Sum", "Mean", "SqrtN")
        for case in (
            *typed(f"SparseSegment{kind}Grad", f"{_PICKED}, output_dim0=5", "f16 bf16 f32 f64"),
            *typed(f"SparseSegment{kind}GradV2", f"{_PICKED}, dense_output_dim0=5", "f32 f64"),
        )
    ],
    "tf.raw_ops.SparseSegmentSumGrad(grad=f32(3, 2), indices=[5], segment_ids=[0], output_dim0=5)",
    *typed(
        "SparseAddGrad",
        "backprop_val_grad={}(3), a_indices=np.array([[0, 1], [1, 0]]),"
        " b_indices=np.array([[1, 0], [2, 2]]), sum_indices=np.array([[0, 1], [1, 0], [2, 2]])",
        "f32 f64 i32",
    ),
    *typed(
        "SparseSliceGrad",
        "backprop_val_grad={}(2), input_indices=np.array([[0, 1], [1, 0],"
        " [2, 2]]), input_start=np.array([1, 0]), output_indices=np.array([[0, 0], [1, 2]])",
        "f32 f64 i32",
    ),
    *typed(
        "SparseFillEmptyRowsGrad",
        "reverse_index_map=np.array([0, 3]), grad_values={}(4)",
        "f32 f64 i32",
    ),
    "tf.raw_ops.SparseFillEmptyRowsGrad(reverse_index_map=np.array([7]), grad_values=f32(4))",
    *typed(
        "RaggedFillEmptyRowsGrad",
        "reverse_index_map=np.array([0, 3]), grad_values={}(4)",
        "f32 f64 i32",
    ),
    *typed("RaggedFillEmptyRows", f"{_FILL}, values={{}}(3), default_value={{}}()", "f32 i64"),
    f"tf.raw_ops.RaggedFillEmptyRows({_FILL}, values=['a', 'b', 'c'], default_value='z')",
    "tf.raw_ops.RaggedFillEmptyRows(value_rowids=np.array([5]), nrows=np.int64(4), values=[1],"
    " default_value=0)",
    f"tf.raw_ops.DenseCountSparseOutput({_COUNT.format(_NONE)})",
    f"tf.raw_ops.DenseCountSparseOutput({_COUNT.format('f32(4)')}, minlength=7)",
    f"tf.raw_ops.DenseCountSparseOutput({_COUNT.format('i64(4)')}, maxlength=3)",
    "tf.raw_ops.DenseCountSparseOutput(values=[[1, 1, 4], [2, 0, 2]], weights=f64(2, 3),"
    " binary_output=False)",
    f"tf.raw_ops.DenseCountSparseOutput(values=[[1, 1, 4], [2, 0, 2]], weights={_NONE},"
    " binary_output=True, minlength=2, maxlength=4)",
    f"tf.raw_ops.DenseCountSparseOutput(values=[-1], weights={_NONE}, binary_output=False)",
    f"tf.raw_ops.SparseCountSparseOutput({_PARTS}, weights={_NONE}, binary_output=False)",
    f"tf.raw_ops.SparseCountSparseOutput({_PARTS}, weights=f32(3), binary_output=False,"
    " minlength=6)",
    f"tf.raw_ops.RaggedCountSparseOutput({_SPLITS}, weights={_NONE}, binary_output=False)",
    f"tf.raw_ops.RaggedCountSparseOutput({_SPLITS}, weights=f32(4), binary_output=False,"
    " maxlength=2)",
    f"tf.raw_ops.SparseBincount({_PARTS}, size=5, weights={_NONE})",
    f"tf.raw_ops.SparseBincount({_PARTS}, size=3, weights=f32(3))",
    f"tf.raw_ops.SparseBincount({_PARTS}, size=5, weights={_NONE}, binary_output=True)",
    f"tf.raw_ops.RaggedBincount({_SPLITS}, size=5, weights={_NONE})",
    f"tf.raw_ops.RaggedBincount({_SPLITS}, size=3, weights=f32(4))",
    f"tf.raw_ops.RaggedBincount({_SPLITS}, size=5, weights={_NONE}, binary_output=True)",
    *typed("SerializeSparse", _PLACES, "f32 i64"),
    *[
        f"tf.raw_ops.DeserializeSparse(serialized_sparse=tf.raw_ops.SerializeSparse("
        f"{_PLACES.format(make)}), dtype=tf.{kind})"
        for make, kind in (("f32", "float32"), ("i64", "int64"))
    ],
    *[
        f"tf.raw_ops.{name}(serialized_sparse=tf.raw_ops.SerializeManySparse("
        f"{_PLACES.format('f32')}), dtype=tf.float32)"
        for name in ("DeserializeSparse", "DeserializeManySparse")
    ],
    f"tf.raw_ops.SerializeManySparse({_PLACES.format('f32')})",
    f"gradient(lambda v: tf.raw_ops.RaggedFillEmptyRows({_FILL}, values=v,"
    " default_value=2.0)[1] ** 2, f32(3))",
]

CASES += [
    f"tf.raw_ops.SparseSegmentSumGrad(grad=f32(3, 4), indices={indices}, segment_ids={ids}, "
    "output_dim0=10)"
    for indices, ids in (
        ([8, 3, -1, 9], [0, 1, 2, 2]),
        ([8, -3, 12, 9], [0, 1, 2, 2]),
        ([8, 3, 0, 9], [-1, 0, 1, 1]),
        ([8, 3, 0, 9], [0, 1, 1, 4]),
        ([8, 3, 0, 9], [0, 1, 2]),
    )
]
CASES += [
    "tf.raw_ops.SparseSegmentMeanGradV2(grad=f32(3, 4), indices=[8, 3, -1, 9], "
    "segment_ids=[0, 1, 2, 2], dense_output_dim0=10)",
    "tf.raw_ops.SparseSegmentSumWithNumSegments(data=f32(3, 4), indices=[], segment_ids=[], "
    "num_segments=2)",
]
CASES += [
    "tf.raw_ops.RaggedBincount(splits=[0, 3], values=[1, 2, 3], size=[1], weights=[])",
    "tf.raw_ops.RaggedBincount(splits=tf.constant([], tf.int64), values=[1, 2, 3], size=5, "
    "weights=[])",
    "tf.raw_ops.SparseBincount(indices=[[0]], values=[1], dense_shape=[3], size=[1], weights=[])",
]

_I = "sparse_indices=np.array({}, np.int64)"
_V = "sparse_values=np.array({}, np.float32)"
_S = "sparse_shape=np.array({}, np.int64)"
_WRITTEN = [
    ("[0, 1]", "[1.0]", "[3, 4]"),
    ("[[0, 1]]", "[[1.0]]", "[3, 4]"),
    ("[[0, 1]]", "[1.0]", "[[3, 4]]"),
    ("[[2, 1], [0, 1]]", "[1.0, 2.0]", "[3, 4]"),
    ("[[0, 1], [0, 1]]", "[1.0, 2.0]", "[3, 4]"),
    ("[[9, 1]]", "[1.0]", "[3, 4]"),
    ("[[0, 1]]", "[1.0, 2.0]", "[3, 4]"),
    ("[[2]]", "[1.0]", "[3]"),
    ("[[0, 1]]", "[1.0]", "[3]"),
]
CASES += [
    f"tf.raw_ops.SerializeManySparse({_I.format(i)}, {_V.format(v)}, {_S.format(s)})"
    for i, v, s in _WRITTEN
]
CASES += [
    f"tf.raw_ops.SerializeSparse({_I.format(i)}, {_V.format(v)}, {_S.format(s)})"
    for i, v, s in _WRITTEN[:3]
]
_PARTS_AS = f"tf.raw_ops.SerializeSparse({_I}, {_V}, {_S})"
_ONE = _PARTS_AS.format("[[0, 1]]", "[1.]", "[3, 4]")
_TWO = _PARTS_AS.format("[[2]]", "[2.]", "[5]")
_TEXT = (
    "tf.raw_ops.SerializeSparse(sparse_indices=np.array([[3], [1]]), sparse_values=['a', 'b'], "
    "sparse_shape=np.array([4]))"
)
CASES += [
    f"tf.raw_ops.{name}(serialized_sparse={texts}, dtype=tf.{dtype})"
    for name in ("DeserializeManySparse", "DeserializeSparse")
    for texts, dtype in (
        (_ONE, "float32"),
        (f"tf.stack([{_ONE}, {_ONE}])", "float32"),
        (f"tf.stack([[{_ONE}, {_ONE}], [{_ONE}, {_ONE}]])", "float32"),
        (f"[{_TEXT}, {_TEXT}]", "string"),
        (f"tf.stack([{_ONE}, {_TWO}])", "float32"),
        (f"tf.stack([{_ONE}])", "int32"),
        ("tf.zeros([0, 3], tf.string)", "float32"),
        (f"tf.stack([{_ONE}])[:, :2]", "float32"),
        (f"{_ONE}[0]", "float32"),
        ("[['a', 'b', 'c']]", "float32"),
        (f"tf.stack([{_ONE}[0], {_ONE}[1], {_TWO}[2]])", "float32"),
        (f"tf.stack([{_ONE}[1], {_ONE}[1], {_TWO}[2]])", "float32"),
        (f"tf.stack([{_ONE}[0], {_ONE}[0], {_TWO}[2]])", "float32"),
    )
]
_PARTS = "indices=[np.array([[0, 0], [1, 0], [1, 1]])], shapes=[np.array([2, 2])]"
_TEXTS, _NUMBERS = "values=[['a', 'b', 'c']]", "values=[np.array([5, -6, 7])]"
CASES += [
    *[
        f"tf.raw_ops.SparseCrossV2({_PARTS}, {values}, dense_inputs={dense}, sep='-')"
        for values in (_TEXTS, _NUMBERS)
        for dense in ("[]", "[[['x'], ['y']]]", "[i64(2, 2)]")
    ],
    f"tf.raw_ops.SparseCrossV2({_PARTS}, {_TEXTS}, dense_inputs=[], sep=['a', 'b'])",
    f"tf.raw_ops.SparseCrossV2({_PARTS}, values=[np.array([1, 2])], dense_inputs=[], sep='')",
    "tf.raw_ops.SparseCrossV2(indices=[np.array([[0, 0]])], shapes=[np.array([2, 2, 2])], values=[np.array([1])], dense_inputs=[], sep='')",
    "tf.raw_ops.SparseCrossV2(indices=[], shapes=[], values=[], dense_inputs=[i64(2, 2), i64(3, 2)], sep='')",
    *[
        f"tf.raw_ops.SparseCross({_PARTS}, {values}, dense_inputs=[], hashed_output={out != 'string'}, num_buckets={n}, hash_key=7, out_type=tf.{out}, internal_type=tf.{inner})"
        for values, inner in ((_TEXTS, "string"), (_NUMBERS, "int64"))
        for out, n in (("string", 0), ("int64", 0), ("int64", 100))
    ],
]
