"""Cases of `assertions.py` and `sparse.py` in `classic/functions`, and of `sparse/distance.py`."""

from __future__ import annotations

_1 = "tf.compat.v1"
_NO = "np.zeros((0, 2), np.int64)"


def _sparse(indices: str, values: str, dims: str) -> str:
    return f"tf.SparseTensor({indices}, {values}, {dims})"


_SAID = _sparse("[[0, 0], [0, 1], [1, 0]]", "['a', 'b', 'c']", "[3, 2]")
_TRUE = _sparse("[[0, 0], [1, 0], [1, 1], [2, 0]]", "['a', 'x', 'c', 'q']", "[3, 2]")
_NUMBERS = _sparse("[[0, 0], [1, 0], [1, 2]]", "[1.0, 2.0, 3.0]", "[2, 3]")
_LETTERS = "[[0, i] for i in range({})]"


def _word(text: str) -> str:
    return _sparse(_LETTERS.format(len(text)), f"list('{text}')", f"[1, {len(text)}]")


_WORDS = [("kitten", "sitting"), ("saturday", "sunday"), ("a", "a"), ("abc", "xyzabc"),
          ("flaw", "lawn"), ("intention", "execution")]  # fmt: skip
_PAIRS = [
    (_sparse("[[0]]", "[1]", "[2]"), _sparse("[[0], [1]]", "[1, 2]", "[3]")),
    (_SAID, _sparse("[[0, 0]]", "[1]", "[3, 2]")),
    (_SAID, _sparse("[[0, 0, 0]]", "['a']", "[3, 2, 1]")),
    (
        _sparse("[[0, 0, 0], [1, 0, 0]]", "[1, 2]", "[2, 1, 3]"),
        _sparse("[[0, 0, 0], [1, 0, 1]]", "[1, 2]", "[2, 1, 3]"),
    ),
    (_SAID, _sparse(_NO, "tf.constant([], tf.string)", "[3, 2]")),
    (_sparse("[[0, 0]]", "['a']", "[1, 2]"), _TRUE),
    ("[1]", _TRUE),
    (
        _sparse("[[0, 0], [2, 0]]", "[1.5, 2.0]", "[3, 2]"),
        _sparse("[[0, 0], [2, 0]]", "[1.5, 3.0]", "[4, 2]"),
    ),
]

_DENSE = [
    "[[0, 1], [1, 0]], [2, 3], [5, 6], 9", "[1, 3], [5], 1", "2, [5], 1.5, 0.5",
    "[3, 1], [5], [1, 2]", "[3, 1], [5], [1, 2], validate_indices=False", "[1, 1], [5], [1, 2]",
    "[1, 1], [5], [1, 2], validate_indices=False", "[1, 7], [5], [1, 2]",
    "[1, 2], [5], [1, 2, 3]", "[[0, 1]], [5], [1]",
    "np.zeros((0, 1), np.int64), [3], np.zeros(0, np.float32), 2.0", "[1], [2], ['x'], 'y'",
    "np.int32([[1, 2]]), np.int64([2, 3]), [True], False",
]  # fmt: skip

_CHECKS = ["equal", "none_equal", "less", "less_equal", "greater", "greater_equal", "near"]
_SIGNS = ["positive", "negative", "non_negative", "non_positive"]

CASES = [
    *[f"tf.edit_distance({_SAID}, {_TRUE}, {tail})" for tail in ("True", "normalize=False")],
    *[f"tf.edit_distance({_word(a)}, {_word(b)}, False)" for a, b in _WORDS],
    *[f"tf.edit_distance({a}, {b})" for a, b in _PAIRS],
    f"{_1}.edit_distance({_SAID}, {_TRUE})",
    "tf.raw_ops.EditDistance(hypothesis_indices=[[0, 0]], hypothesis_values=[1], "
    "hypothesis_shape=[1, 2], truth_indices=[[0, 0]], truth_values=[2], truth_shape=[1, 1])",
    *[f"{_1}.sparse_to_dense({arguments})" for arguments in _DENSE],
    f"{_1}.sparse_add({_NUMBERS}, {_NUMBERS})",
    f"{_1}.sparse_add({_NUMBERS}, {_NUMBERS}, thresh=5.0)",
    f"{_1}.sparse_add({_NUMBERS}, f32(2, 3))",
    f"{_1}.sparse_concat(0, [{_SAID}, {_TRUE}])",
    f"{_1}.sparse_concat(axis=None, concat_dim=1, sp_inputs=[{_SAID}, {_TRUE}])",
    f"{_1}.sparse_concat(0, [{_SAID}, {_word('abc')}], expand_nonconcat_dim=True)",
    *[
        f"{_1}.sparse_reduce_{name}({_NUMBERS}, {tail})"
        for name in ("sum", "max", "sum_sparse", "max_sparse")
        for tail in ("axis=1", "0", "reduction_axes=1, keep_dims=True")
    ],
    f"{_1}.sparse_reduce_sum({_NUMBERS})",
    f"{_1}.sparse_reduce_sum({_NUMBERS}, 1, reduction_axes=0)",
    f"{_1}.sparse_split(sp_input={_SAID}, num_split=2, axis=1)",
    f"{_1}.sparse_split({_SAID}, 2, 1)",
    f"{_1}.sparse_split(num_split=2, axis=1)",
    *[
        f"{_1}.sparse_segment_{name}(f32(4, 2), [0, 2, 3], [0, 0, 2], {tail})"
        for name in ("sum", "mean", "sqrt_n")
        for tail in ("'name'", "num_segments=4")
    ],
    f"{_1}.extract_image_patches(f32(1, 4, 4, 1), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "
    "'VALID')",
    f"{_1}.extract_image_patches(f32(1, 4, 4, 1), sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], "
    "rates=[1, 1, 1, 1], padding='SAME')",
    *[
        f"{_1}.assert_{name}({values}, data=['seen', 3], message='wrong')"
        for name in _CHECKS
        for values in ("[1, 2], [1, 3]", "[2], [1]", "[1], [1]")
    ],
    *[
        f"{_1}.assert_{name}({x}, ['seen'], 2, 'wrong')"
        for name in _SIGNS
        for x in ("[1, 2]", "[-1]", "[0]")
    ],
    *[f"{_1}.assert_rank([1, 2], {rank}, ['seen'], message='wrong')" for rank in (0, 1)],
    *[f"{_1}.assert_rank_at_least([1, 2], {rank}, data=['seen'])" for rank in (0, 1, 2)],
    *[f"{_1}.assert_rank_in([1, 2], {ranks}, data=['seen'])" for ranks in ((0, 1), (0, 2))],
    f"{_1}.assert_scalar(1, 'name', 'wrong')",
    f"{_1}.assert_scalar([1], 'name', 'wrong')",
]

_PLACES = "np.int64([[0, 0], [1, 0], [1, 2], [2, 0], [2, 1], [1, 1]])"
_IDS = _sparse(_PLACES, "[0, 13, 10, 33, 32, 14]", "[3, 3]")
_OTHER_IDS = _sparse(_PLACES, "np.int64([12, 4, 0, 0, 1, 30])", "[3, 3]")
_WORTH = _sparse(_PLACES, "[-3.0, 4.0, 1.0, 9.0, 5.0, 1.0]", "[3, 3]")
_TEXTS = _sparse(_PLACES, "list('abcdef')", "[3, 3]")
CASES += [
    f"{_1}.sparse_merge({arguments})"
    for arguments in (
        f"{_IDS}, {_WORTH}, 50",
        f"{_IDS}, {_WORTH}, tf.constant(50, tf.int64), already_sorted=True",
        f"{_OTHER_IDS}, {_WORTH}, np.int64(50)",
        f"[{_IDS}, {_OTHER_IDS}], {_WORTH}, [50, 31]",
        f"({_IDS}, {_OTHER_IDS}), {_WORTH}, tf.constant([50, 31])",
        f"{_1}.SparseTensorValue({_PLACES}, [0, 1, 2, 3, 4, 5], [3, 3]), {_WORTH}, 6",
        f"{_IDS}, {_TEXTS}, 50",
        f"{_IDS}, {_WORTH}, [50]",
        f"{_IDS}, {_WORTH}, 50.0",
        f"{_IDS}, {_WORTH}, None",
        f"{_IDS}, {_WORTH}, tf.constant([50])",
        f"[{_IDS}, {_OTHER_IDS}], {_WORTH}, 50",
        f"[{_IDS}, {_OTHER_IDS}], {_WORTH}, [50]",
        f"[1], {_WORTH}, [50]",
        f"{_IDS}, [1.0], 50",
        f"{_IDS}, {_sparse('[[0, 0]]', '[1.0]', '[3, 3]')}, 50",
    )
]
CASES += [
    f"{_1}.image.resize_image_with_pad({x}, {size}, method={method}, align_corners={align})"
    for x, size in (
        ("f32(1, 4, 6, 1)", "8, 8"),
        ("f32(4, 6, 2)", "3, 5"),
        ("u8(4, 6, 1)", "tf.constant(4), 6"),
    )
    for method in (0, 1, 2, 3)
    for align in (False, True)
]
CASES += [
    f"{_1}.image.resize_image_with_pad({arguments})"
    for arguments in ("f32(4, 6, 1), 0, 5", "f32(4, 6, 1), 5, -1", "f32(4, 6), 5, 5")
]
