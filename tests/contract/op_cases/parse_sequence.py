"""`tf.io.parse_sequence_example`: emplace/ops/io/parse_sequence.py and sequences.py."""

from __future__ import annotations

from .parse_example import _FEATURE


def example(context: dict[str, object], lists: dict[str, list[object]]) -> str:
    """An expression for a serialized sequence example."""
    features = ", ".join(f"'{key}': {_FEATURE}({value})" for key, value in context.items())
    times = ", ".join(
        f"'{key}': tf.train.FeatureList(feature=[{', '.join(f'{_FEATURE}({v})' for v in each)}])"
        for key, each in lists.items()
    )
    return (
        f"tf.train.SequenceExample(context=tf.train.Features(feature={{{features}}}), "
        f"feature_lists=tf.train.FeatureLists(feature_list={{{times}}}))"
        ".SerializeToString(deterministic=True)"
    )


LONG = example(
    {"n": [3], "name": [b"a", b"b"]},
    {"x": [[1], [2], [3]], "f": [[1.0, 2.0], [3.0, 4.0]], "w": [[b"q"], [], [b"r", b"s"]]},
)
SHORT = example({"n": [5]}, {"x": [[7]], "f": [], "w": [[b"z"]]})

_FIXED = "tf.io.FixedLenFeature"
_SEQUENCE = "tf.io.FixedLenSequenceFeature"
_VAR, _RAGGED = "tf.io.VarLenFeature", "tf.io.RaggedFeature"
_CONTEXT = f"{{'n': {_FIXED}([], tf.int64), 'name': {_VAR}(tf.string)}}"
_LISTS = (
    f"{{'x': {_SEQUENCE}([], tf.int64), 'f': {_SEQUENCE}([2], tf.float32), 'w': {_VAR}(tf.string)}}"
)
_ROWS = f"{{'x': {_RAGGED}(tf.int64, row_splits_dtype=tf.int64), 'w': {_RAGGED}(tf.string)}}"

_CONTEXTS = [
    f"{{'q': {_FIXED}([], tf.int64)}}",
    f"{{'q': {_FIXED}([], tf.int64, default_value=9)}}",
    f"{{'n': {_FIXED}([], tf.float32)}}",
    f"{{'n': {_FIXED}([1], tf.int64)}}",
    f"{{'name': {_FIXED}([], tf.string)}}",
    f"{{'name': {_FIXED}([2], tf.string, default_value=['x', 'y'])}}",
    f"{{'name': {_VAR}(tf.int64)}}",
    f"{{'name': {_RAGGED}(tf.string)}}",
    f"{{'given': {_RAGGED}(tf.string, value_key='name')}}",
    f"{{'q': {_RAGGED}(tf.int64)}}",
    f"{{'q': {_SEQUENCE}([], tf.int64)}}",
    "{'q': tf.io.SparseFeature('a', 'b', tf.int64, 3)}",
    "{'q': 3}",
]
_SERIES = [
    f"{{'q': {_SEQUENCE}([], tf.int64)}}",
    f"{{'q': {_SEQUENCE}([], tf.int64, allow_missing=True)}}",
    f"{{'q': {_SEQUENCE}([3], tf.string, allow_missing=True)}}",
    f"{{'x': {_SEQUENCE}([], tf.float32)}}",
    f"{{'x': {_SEQUENCE}([], tf.int64, default_value=5)}}",
    f"{{'f': {_SEQUENCE}([], tf.float32)}}",
    f"{{'f': {_SEQUENCE}([2, 1], tf.float32)}}",
    f"{{'w': {_SEQUENCE}([], tf.string)}}",
    f"{{'w': {_VAR}(tf.int64)}}",
    f"{{'q': {_VAR}(tf.int64)}}",
    f"{{'q': {_RAGGED}(tf.int64)}}",
    f"{{'given': {_RAGGED}(tf.string, value_key='w')}}",
    f"{{'q': {_FIXED}([], tf.int64)}}",
]
_ONE, _MANY = "tf.io.parse_single_sequence_example", "tf.io.parse_sequence_example"


def _flat(call: str) -> str:
    """Dictionaries by key, so that their order does not count; ragged tensors as lists."""
    return f"[{{k: {_PLAIN}(d[k]) for k in sorted(d)}} for d in {call}]"


_PLAIN = "(lambda v: v.to_list() if isinstance(v, tf.RaggedTensor) else v)"

CASES = [
    *[_flat(f"{_ONE}({data}, {_CONTEXT}, {_LISTS})") for data in (LONG, SHORT)],
    _flat(f"{_MANY}([{LONG}, {SHORT}], {_CONTEXT}, {_LISTS})"),
    _flat(f"{_MANY}([{SHORT}], {_CONTEXT}, {_LISTS})"),
    _flat(f"{_MANY}({LONG}, {_CONTEXT}, {_LISTS})"),
    _flat(f"{_MANY}([{LONG}, {SHORT}], {_CONTEXT}, {_ROWS})"),
    _flat(f"{_ONE}({LONG}, {_CONTEXT}, {_ROWS})"),
    _flat(f"{_ONE}({LONG}, {_CONTEXT})"),
    _flat(f"{_ONE}({LONG}, None, {_LISTS})"),
    f"{_ONE}({LONG})",
    f"{_ONE}({LONG}, {{}}, {{}})",
    f"{_ONE}([{LONG}], {_CONTEXT})",
    f"{_ONE}(b'junk', {_CONTEXT})",
    f"{_ONE}(b'', None, {_LISTS})",
    f"{_MANY}([{LONG}, b'junk'], {_CONTEXT}, example_names=['u', 'v'])",
    *[_flat(f"{_ONE}({LONG}, {each})") for each in _CONTEXTS],
    *[_flat(f"{_MANY}([{LONG}, {SHORT}], {each})") for each in _CONTEXTS],
    *[_flat(f"{_ONE}({LONG}, None, {each})") for each in _SERIES],
    *[_flat(f"{_MANY}([{LONG}, {SHORT}], None, {each})") for each in _SERIES],
    _flat(f"tf.compat.v1.parse_single_sequence_example({LONG}, {_CONTEXT}, {_LISTS})"),
]
