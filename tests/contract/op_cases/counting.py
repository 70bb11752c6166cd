"""Cases of `ops/math/counting.py`."""

from __future__ import annotations

REALS = ["f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
ANY = [*REALS, "c64", "c128", "b"]

BINS = [
    f"tf.math.bincount({x})"
    for x in (
        "[1, 1, 2, 5]",
        "i32(0)",
        "[]",
        "[[1, 2], [2, 3]]",
        "3",
        "tf.constant([1, 3], tf.int64)",
        "np.array([1, 3], np.uint8)",
        "[-1, 1]",
        "[1, 1, 2, 5], minlength=8",
        "[1, 1, 2, 5], maxlength=3",
        "[1, 1, 2, 5], minlength=3, maxlength=5",
        "[1, 1, 2, 5], minlength=8, maxlength=4",
        "[1, 2], minlength=0",
        "[1, 2], maxlength=0",
        "[1, 2], minlength=-1",
        "[1, 2], maxlength=-1",
        "[1, 1, 2], dtype=tf.int64",
        "[1, 1, 2], dtype=tf.float32",
        "[1, 1, 2], dtype=tf.float64",
        "[1, 1, 2], dtype=tf.int16",
        "[1, 1, 2], weights=[1., 2., 4.]",
        "[1, 1, 2], weights=[1, 2, 4]",
        "[1, 1, 2], weights=np.array([1, 2, 4], np.float64)",
        "[1, 1, 2], weights=np.array([1, 2, 4], np.int64)",
        "[1, 1, 2], weights=np.array([1, 2, 4], np.int16)",
        "[1, 1, 2], weights=[1., 2.]",
        "[1, 1, 2], weights=[1., 2., 4.], maxlength=2",
        "[1, 1, 2], weights=[1., 2., 4.], minlength=5",
        "[1, 1, 2], weights=[1., 2., 4.], dtype=tf.int32",
        "[1, 1, 2], binary_output=True",
        "[[1, 1, 2], [0, 0, 3]], axis=-1",
        "[[1, 1, 2], [0, 0, 3]], axis=0",
        "[[1, 1, 2], [0, 0, 3]], axis=1",
        "[[1, 1, 2], [0, 0, 3]], axis=-2",
        "[[1, 1, 2], [0, 0, 3]], axis=-1, binary_output=True",
        "[[1, 1, 2], [0, 0, 3]], axis=-1, weights=[[1., 2., 4.], [8., 16., 32.]]",
        "[[1, 1, 2], [0, 0, 3]], axis=-1, minlength=6",
        "[[1, 1, 2], [0, 0, 3]], axis=-1, maxlength=2",
        "[[1, 1, 2], [0, 0, 3]], axis=0, weights=[[1., 2., 4.], [8., 16., 32.]]",
        "[1, 1, 2], axis=-1",
        "[1, 1, 2], axis=0",
        "[1, 1, 2], axis=0, binary_output=True",
        "i32(2, 2, 2, low=0, high=3), axis=-1",
        "i32(2, 2, 2, low=0, high=3)",
        "[1., 2.]",
        "[[1, 2]], axis=2",
        "[1, 2], binary_output=True, weights=[1., 2.]",
        "[[1, -1]], axis=-1",
        "i32(0, 3), axis=-1",
        "[1, 1, 2], minlength=tf.constant(5)",
        "[[1, 1, 2]], minlength=5, maxlength=7, axis=-1, dtype=tf.int64",
        "[[1, 1, 2]], axis=-1, binary_output=True, dtype=tf.float32",
        "[1, 2], weights=[nan, inf]",
        "tf.constant([1, 3], tf.int64), weights=[1., 2.]",
        "np.array([1, 300], np.int16)",
    )
]

RAW = [
    "tf.raw_ops.Bincount(arr=[1, 1, 9], size=4, weights=[1., 2., 3.])",
    "tf.raw_ops.Bincount(arr=[1, 1, 2], size=4, weights=np.zeros(0, np.int32))",
    "tf.raw_ops.Bincount(arr=[1, -1, 2], size=4, weights=np.zeros(0, np.int32))",
    "tf.raw_ops.DenseBincount(input=[[1, 1], [2, 0]], size=3, weights=np.zeros(0, np.float32))",
    "tf.raw_ops.DenseBincount(input=[[1, 1]], size=3, weights=f32(0), binary_output=True)",
    "tf.raw_ops.DenseBincount(input=[1, 5], size=3, weights=[1., 2.])",
    "tf.raw_ops.DenseBincount(input=[1, 1], size=-1, weights=[1., 2.])",
]

HISTOGRAMS = [
    f"tf.histogram_fixed_width{n}({x})"
    for n in ("", "_bins")
    for x in (
        "[-1., 0., 1.5, 2., 5., 15.], [0., 5.], nbins=5",
        "[-1., 0., 1.5, 2., 5., 15.], [0., 5.]",
        "f64(5), np.array([-1., 1.]), nbins=4",
        "i32(5), [-3, 3], nbins=3",
        "i64(5), np.array([-3, 3]), nbins=3",
        "f32(2, 3), [-2., 2.], nbins=4",
        "[], [0., 1.], nbins=3",
        "0.5, [0., 1.], nbins=3",
        "[1.], [1., 1.], nbins=3",
        "[1.], [2., 1.], nbins=3",
        "[1.], [0., 1.], nbins=0",
        "[1.], [0., 1.], nbins=-1",
        "[1.], [0., 1., 2.], nbins=2",
        "[1.], [0., 1.], 2, tf.int64",
        "[1.], [0., 1.], 2, tf.float32",
        "[inf, -inf], [0., 1.], 4",
        "f16(4), np.array([-1, 1], np.float16), 3",
        "f32(4), np.array([-1., 1.]), 3",
        "[1, 2, 3], [0., 5.], 2",
        "[0.1, 0.2, 0.3, 0.7], [0., 1.], 10",
        "[5, 9, 10], [0, 10], 4",
    )
]

UNIQUES = [
    *[f"tf.unique({m}(8))" for m in ANY],
    *[f"tf.unique_with_counts({m}(8))" for m in ANY],
    *[
        f"tf.{n}({x})"
        for n in ("unique", "unique_with_counts")
        for x in (
            "[3, 1, 3, 2, 1]",
            "[nan, 1., nan]",
            "[0., -0., 1.]",
            "[]",
            "i32(0)",
            "[[1, 2], [1, 2]]",
            "3",
            "['b', 'a', 'b']",
            "[1, 1], out_idx=tf.int64",
            "[1, 1], out_idx=tf.int16",
            "[inf, -inf, inf]",
            "[True, True, False]",
        )
    ],
    "tf.unique([1, 1]).y",
    "tf.unique([1, 1]).idx",
    "tf.unique_with_counts([1, 1]).count",
    *[
        f"tf.raw_ops.{n}(x={x})"
        for n in ("UniqueV2", "UniqueWithCountsV2")
        for x in (
            "[[1, 2], [1, 2], [0, 1]], axis=[0]",
            "[[1, 2], [1, 2], [0, 1]], axis=[1]",
            "[[1, 1], [1, 1], [0, 0]], axis=[1]",
            "[3, 1, 3], axis=[0]",
            "[3, 1, 3], axis=np.zeros(0, np.int32)",
            "[[3, 1]], axis=np.zeros(0, np.int32)",
            "[[3, 1]], axis=[2]",
            "[[3, 1]], axis=[-1]",
            "[[3, 1]], axis=[0, 1]",
            "[[3, 1]], axis=0",
            "i32(0, 2), axis=[0]",
            "i32(2, 0), axis=[0]",
            "i32(2, 2, 3, low=0, high=2), axis=[2]",
            "i32(3, 2, 2, low=0, high=2), axis=[1]",
            "[[1., nan], [1., nan]], axis=[0]",
            "[3, 1, 3], axis=[0], out_idx=tf.int64",
            "3, axis=[0]",
            "[[0., 1.], [-0., 1.]], axis=[0]",
            "['b', 'a', 'b'], axis=[0]",
        )
    ],
    *[
        f"tf.compat.v1.setdiff1d({x})"
        for x in (
            "[1, 2, 3, 4, 5, 6], [1, 3, 5]",
            "[1, 1, 2], [2]",
            "[], []",
            "[1., nan], [nan]",
            "['a', 'b'], ['a']",
            "[[1]], [1]",
            "[1], [[1]]",
            "[1, 2], [], index_dtype=tf.int64",
            "[1, 2], [1.5]",
            "[0., -0.], [0.]",
            "[1, 2], [2], tf.int64",
            "i8(5), i8(2)",
            "[True], [False]",
        )
    ],
]

MASKS = [
    f"tf.sequence_mask({x})"
    for x in (
        "[1, 3, 2], 5",
        "[1, 3, 2]",
        "[[1, 3], [2, 0]]",
        "3",
        "3, 5",
        "[1, 3, 2], 2",
        "[]",
        "i32(0)",
        "i32(0), 3",
        "[1, 2], dtype=tf.float32",
        "[1, 2], dtype=tf.int32",
        "[1, 2], 3, tf.string",
        "[-1, 2], 3",
        "[1, 2], 0",
        "[1, 2], -1",
        "[1., 2.]",
        "[1.5, 2.], 3",
        "tf.constant([1, 2], tf.int64)",
        "[1, 2], tf.constant(4)",
        "[1, 2], tf.constant(4, tf.int64)",
        "[1, 2], [4]",
        "np.array([1, 2], np.uint8)",
        "np.array([1, 2], np.uint8), 3",
        "[1, 2], 3.0",
        "i32(2, 0)",
        "[1, 2], np.int64(3)",
        "lengths=[1], maxlen=2, dtype=tf.bool, name='m'",
        "[1, 2], '3'",
    )
]

MATRICES = [
    f"tf.math.confusion_matrix({x})"
    for x in (
        "[1, 2, 4], [2, 2, 4]",
        "[1, 2, 4], [2, 2, 4], num_classes=5",
        "[1, 2, 4], [2, 2, 4], num_classes=7",
        "[1, 2, 4], [2, 2, 4], num_classes=4",
        "[1, 2, 4], [2, 2, 5], num_classes=5",
        "[1, -2], [2, 2]",
        "[1, 2], [2, -2]",
        "[1, 2], [2, 2], weights=[0.5, 2.]",
        "[1, 2], [2, 2], weights=[1, 2]",
        "[1, 2], [2, 2], dtype=tf.float32, weights=[0.5, 2.]",
        "[1, 2], [2, 2], dtype=tf.int64",
        "[1, 2], [2, 2, 1]",
        "[[1], [2]], [2, 2]",
        "[1, 2], [[2], [2]]",
        "[[1, 2]], [[2, 2]]",
        "[], []",
        "i32(0), i32(0)",
        "i32(0), i32(0), num_classes=2",
        "[1., 2.], [2., 2.]",
        "[1, 2], [2, 2], weights=[1.]",
        "[1, 1, 1], [1, 1, 1]",
        "np.array([1, 2], np.int64), [1, 1]",
        "np.array([1, 2], np.uint8), np.array([1, 1], np.uint8)",
        "labels=[0], predictions=[0], num_classes=1, weights=None, dtype=tf.int32, name='c'",
        "[0, 1], [1, 0], tf.constant(2)",
        "[0, 1], [1, 0], tf.constant(3, tf.int64)",
        "0, 1",
        "[1, 2], [2, 2], weights=[[1, 2]]",
        "[1, 2], [2, 2], dtype=tf.float16",
        "[1, 2], [1, 2], dtype=tf.bool",
    )
]

GRADIENTS = [
    "gradient(lambda w: tf.math.bincount([1, 1, 2], weights=w), [1., 2., 4.])",
    "gradient(lambda w: tf.math.confusion_matrix([1, 1], [0, 1], 2, w, tf.float32), [1., 2.])",
    "gradient(lambda x: tf.unique(x).y, [1., 2., 1.])",
    "gradient(lambda x: tf.histogram_fixed_width(x, [0., 5.]), [1., 2.])",
]

EVERY = [*BINS, *RAW, *HISTOGRAMS, *UNIQUES, *MASKS, *MATRICES, *GRADIENTS]

# What TensorFlow answers in its own way: docs/DIFFERENCES.md. It has no gradients of some ops,
# and no kernels of unique for complex numbers.
ODD = [
    *[f"tf.{n}({m}(8))" for n in ("unique", "unique_with_counts") for m in ("c64", "c128")],
    *[f"tf.raw_ops.{n}(x=[[3, 1]], axis=0)" for n in ("UniqueV2", "UniqueWithCountsV2")],
    "tf.compat.v1.setdiff1d([True], [False])",
    "tf.sequence_mask([1, 2], 3, tf.string)",
    "tf.sequence_mask(np.array([1, 2], np.uint8))",
    "tf.sequence_mask([1, 2], '3')",
    "gradient(lambda w: tf.math.bincount([1, 1, 2], weights=w), [1., 2., 4.])",
    "gradient(lambda x: tf.unique(x).y, [1., 2., 1.])",
    "gradient(lambda x: tf.histogram_fixed_width(x, [0., 5.]), [1., 2.])",
    *[f"tf.histogram_fixed_width_bins([1.], [{low}, 1.], nbins=3)" for low in ("1.", "2.")],
]
CASES = [case for case in EVERY if case not in ODD]
CASES += [
    f"tf.math.bincount({args})"
    for args in (
        "[2**31 - 1], maxlength=3", "[2**31 - 1, 1], maxlength=3",
        "[2**31 - 1], maxlength=3, axis=-1", "[2**31 - 1], minlength=2, maxlength=3",
        "[2**31 - 2], maxlength=3", "tf.constant([2**40], tf.int64), maxlength=3",
        "tf.constant([2**63 - 1], tf.int64), maxlength=3", "[-1, -5], maxlength=3",
        "tf.zeros([0], tf.int32), minlength=2", "[-2**31], maxlength=3",
    )
]  # fmt: skip

CASES += [
    "tf.raw_ops.Bincount(arr=[1, 2, 3], size=[1], weights=[])",
    "tf.raw_ops.DenseBincount(input=[1, 2, 3], size=[1], weights=[])",
    "tf.where(np.array([1, 0, 0]).reshape(3, 1), f64(3, 4), f64(3, 4))",
    "tf.where([1, 0, 0], f64(3), f64(3))",
]
