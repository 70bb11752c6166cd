"""Cases of `ops/nn/ctc.py`."""

_LABELS = "np.array([[1, 2, 2], [3, 0, 0]], np.int32)"
_ENDS = "np.array([[1, 2, 2], [3, 2, 0]], np.int32)"
_SPARSE = "tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([1, 2, 0], np.int32), [2, 2])"


def _loss(labels: str, lengths: str, rest: str, logits: str = "f32(6, 2, 4)") -> str:
    return f"tf.nn.ctc_loss({labels}, {logits}, {lengths}, {rest})"


CASES = [
    _loss(_LABELS, "[3, 1]", "[6, 6]"),
    _loss(_LABELS, "[2, 1]", "[5, 3]"),
    _loss(_LABELS, "[3, 1]", "[9, 9]"),
    _loss(_LABELS, "[0, 1]", "[4, 4]"),
    _loss(_LABELS, "[3, 1]", "[6, 4], blank_index=0"),
    _loss("np.array([[1, 0], [2, 0]], np.int32)", "[2, 1]", "[6, 4], blank_index=-1"),
    _loss("np.array([[1, 0], [2, 0]], np.int64)", "[2, 1]", "[6, 4], blank_index=3"),
    _loss(_ENDS, "[3, 2]", "[6, 4], logits_time_major=False", "f32(2, 6, 4)"),
    _loss(_ENDS, "[3, 2]", "[6, 4]", "tf.constant(f64(6, 2, 4))"),
    f"grad(lambda x: tf.nn.ctc_loss({_LABELS}, x, [3, 1], [6, 4]), f32(6, 2, 4))",
    f"grad(lambda x: tf.nn.ctc_loss({_LABELS}, x, [3, 1], [6, 4]) * [2.0, 3.0], f32(6, 2, 4))",
    _loss(_SPARSE, "None", "[6, 4], blank_index=-1"),
    _loss(_SPARSE, "None", "[6, 4], blank_index=3"),
    _loss(_SPARSE, "None", "[6, 4]"),
    _loss(_SPARSE, "None", "[1, 4], blank_index=-1"),
    _loss(_SPARSE, "None", "[9, 4], blank_index=-1"),
    _loss("tf.SparseTensor([[0, 0], [1, 0]], np.array([2, 0], np.int32), [2, 2])", "None",
          "[6, 4], blank_index=1"),
    f"grad(lambda x: tf.nn.ctc_loss({_SPARSE}, x, None, [6, 4], blank_index=-1), f32(6, 2, 4))",
    "tf.nn.ctc_greedy_decoder(f32(8, 3, 3), [8, 5, 1])",
    "tf.nn.ctc_greedy_decoder(f32(8, 3, 3), [8, 5, 0], merge_repeated=False)",
    "tf.nn.ctc_greedy_decoder(f32(8, 3, 3), [8, 5, 1], blank_index=0)",
    "tf.nn.ctc_greedy_decoder(tf.constant(f64(8, 3, 3)), [8, 5, 1], blank_index=-2)",
    "tf.nn.ctc_greedy_decoder(f32(8, 3, 3), [8, 5])",
    "tf.nn.ctc_greedy_decoder(f32(8, 3, 3), [9, 5, 1])",
    "tf.nn.ctc_greedy_decoder(f32(8, 3), [8, 5, 1])",
    *(
        f"tf.nn.ctc_beam_search_decoder(f32({shape}), {lengths}, beam_width={width}, "
        f"top_paths={paths})"
        for shape, lengths, width, paths in (
            ("6, 2, 3", "[6, 4]", 4, 1), ("6, 2, 4", "[6, 4]", 3, 2), ("5, 1, 3", "[5]", 10, 3),
            ("5, 2, 3", "[5, 4]", 60, 4), ("4, 1, 2", "[4]", 2, 1),
        )
    ),
    "tf.nn.ctc_beam_search_decoder(f32(6, 2, 3), [6, 4])",
    "tf.nn.ctc_beam_search_decoder(f32(6, 2, 3), [6, 4], beam_width=2, top_paths=3)",
    "tf.nn.ctc_beam_search_decoder(f32(6, 2, 3), [7, 4])",
    "tf.nn.collapse_repeated(np.array([[1, 1, 3, 3, 1], [2, 2, 2, 2, 0]], np.int32), [5, 4])",
    "tf.nn.collapse_repeated(np.array([[1, 1, 3, 3, 1], [2, 2, 0, 0, 0]], np.int32), [3, 2])",
]  # fmt: skip

_RAW = "tf.raw_ops.CTCLoss(inputs=f32(4, 2, 4), labels_indices=np.int64({places}), "
_RAW += "labels_values=np.int32({labels}), sequence_length=np.int32({times}){rest})"
_V1 = "tf.compat.v1.nn.ctc_loss("


def _raw(labels: str, places: str = "[[0, 0], [0, 1], [1, 0]]", times: str = "[4, 4]",
         rest: str = "") -> str:  # fmt: skip
    return _RAW.format(places=places, labels=labels, times=times, rest=rest)


RAW_CASES = [
    *(
        _raw(f"[1, {second}, 0]", times=times, rest=f", {flag}=True")
        for flag in ("preprocess_collapse_repeated", "ignore_longer_outputs_than_inputs")
        for second in (1, 2)
        for times in ("[4, 4]", "[2, 4]")
    ),
    *(
        _raw(f"[1, {second}, 0]", times=times, rest=", ctc_merge_repeated=False")
        for second in (1, 2)
        for times in ("[4, 4]", "[2, 3]")
    ),
    # Labels from the blank on end a row.
    _raw("[1, 3, 0]"), _raw("[1, 9, 0]"), _raw("[3, 1, 0]"),
    # What is out of range.
    _raw("[1, -1, 0]"), _raw("[-1, 1, 0]"), _raw("[1, 2, 0]", times="[-1, 4]"),
    _raw("[1, 2, 0]", times="[0, 4]"), _raw("[1, 2, 0]", times="[5, 4]"),
    _raw("[1, 2, 0]", "[[0, 0], [0, 1], [5, 0]]"), _raw("[1, 2, 0]", "[[0, 0], [0, 1], [-1, 0]]"),
    _raw("[1, 2, 0]", "[[0, 0], [0, -1], [1, 0]]"), _raw("[1, 2, 0]", "[[0, 0], [0, 9], [1, 0]]"),
    _raw("[1, 2, 0]", "[[1, 0], [0, 0], [0, 1]]"), _raw("[1, 2, 0]", "[[0, 0], [0, 0], [1, 0]]"),
    _raw("[1, 2]", "[[0, 0], [0, 1]]"), _raw("[1, 2]"), _raw("[[1, 2, 0]]"),
    _raw("[1, 2, 0]", times="[4]"), _raw("[1, 2, 0]", times="[[4, 4]]"),
]  # fmt: skip
CASES += RAW_CASES
CASES += [
    f"{_V1}{_SPARSE}, f32(6, 2, 4), [6, 4])",
    f"{_V1}{_SPARSE}, f32(2, 6, 4), [6, 4], time_major=False)",
    f"{_V1}{_SPARSE}, sequence_length=[6, 4], logits=f32(6, 2, 4))",
    f"{_V1}{_SPARSE}, f32(6, 2, 4), [6, 4], False, False)",
    f"{_V1}{_SPARSE}, f32(6, 2, 4), [1, 4], ignore_longer_outputs_than_inputs=True)",
    f"{_V1}{_SPARSE}, f32(6, 2, 4), [1, 4])",
    f"{_V1}np.int32([[1], [2]]), f32(6, 2, 4), [6, 4])",
    "tf.compat.v1.nn.ctc_beam_search_decoder(f32(6, 2, 3), [6, 4], 3)",
    "tf.compat.v1.nn.ctc_beam_search_decoder(f32(6, 2, 3), [6, 4], 3, 2, merge_repeated=False)",
    "tf.nn.ctc_greedy_decoder(f32(4, 2, 4), [4, -1])",
    "tf.nn.ctc_beam_search_decoder(f32(4, 2, 4), [4, -1], 3)",
]

CASES += [
    f"tf.nn.ctc_unique_labels({x})"
    for x in (
        "[[3, 4, 4, 3]]", "[[3, 4, 4, 3], [1, 1, 1, 1], [9, 8, 0, 9]]",
        "np.zeros((2, 0), np.int32)", "np.array([[7], [8]], np.int64)", "[3, 4, 4]",
    )
]  # fmt: skip

# What stands behind the end of a sequence counts for nothing, NaN too.
CASES += [
    "tf.raw_ops.CTCLoss(inputs=np.concatenate([f32(3, 1, 4), np.full((2, 1, 4), np.nan, 'f')]), "
    "labels_indices=[[0, 0]], labels_values=[1], sequence_length=[3])",
]
