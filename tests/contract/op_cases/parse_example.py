"""`tf.io.parse_example`: emplace/ops/io/parse_example.py, features.py and examples.py."""

_FEATURE = (
    "(lambda v: tf.train.Feature() if not v else"
    " tf.train.Feature(bytes_list=tf.train.BytesList(value=v)) if type(v[0]) is bytes else"
    " tf.train.Feature(int64_list=tf.train.Int64List(value=v)) if type(v[0]) is int else"
    " tf.train.Feature(float_list=tf.train.FloatList(value=v)))"
)


def ex(**values: object) -> str:
    """An expression for a serialized example."""
    features = ", ".join(f"'{key}': {_FEATURE}({value})" for key, value in values.items())
    return (
        f"tf.train.Example(features=tf.train.Features(feature={{{features}}}))"
        ".SerializeToString(deterministic=True)"
    )


def batch(*examples: str) -> str:
    return f"[{', '.join(examples)}]"


ONE, TWO = ex(a=[1]), ex(a=[1, -2])
ROWS = batch(TWO, ex(), ex(a=[300]))
INT, FLOAT, TEXT = "tf.int64", "tf.float32", "tf.string"
MIXED = batch(ex(a=[1, 2], b=[0.5], c=[b"x", b""]), ex(a=[3, 4], b=[], c=[b"y"]))

_PARSED = [
    (batch(ONE, ONE), f"tf.io.FixedLenFeature([], {INT})"),
    (batch(TWO, TWO), f"tf.io.FixedLenFeature([2], {INT})"),
    (batch(TWO, TWO), f"tf.io.FixedLenFeature([1, 2], {INT})"),
    (batch(TWO, ex(b=[1])), f"tf.io.FixedLenFeature([2], {INT}, [8, 9])"),
    (batch(TWO, ex(b=[1])), f"tf.io.FixedLenFeature([2], {INT}, 8)"),
    (batch(ONE, ex(b=[1])), f"tf.io.FixedLenFeature([], {INT})"),
    (batch(ONE, ex(a=[2.5])), f"tf.io.FixedLenFeature([], {INT})"),
    (batch(TWO), f"tf.io.FixedLenFeature([], {INT})"),
    (batch(ONE), "tf.io.FixedLenFeature([], tf.int32)"),
    (batch(ONE), f"tf.io.FixedLenFeature([None], {INT})"),
    (batch(ex(a=[b"x"])), f"tf.io.FixedLenFeature([], {TEXT})"),
    (batch(ex(a=[1.5])), f"tf.io.FixedLenFeature([], {FLOAT})"),
    (f"[{batch(ONE)}]", f"tf.io.FixedLenFeature([], {INT})"),
    (ROWS, f"tf.io.VarLenFeature({INT})"),
    (batch(ex(), ex()), f"tf.io.VarLenFeature({TEXT})"),
    (batch(ex(a=[b"x", b"yy"])), f"tf.io.VarLenFeature({TEXT})"),
    (batch(ex(a=[2.5])), f"tf.io.VarLenFeature({INT})"),
    (batch(ONE), "tf.io.VarLenFeature(tf.int32)"),
    (ROWS, f"tf.io.FixedLenSequenceFeature([], {INT}, True)"),
    (ROWS, f"tf.io.FixedLenSequenceFeature([], {INT}, True, 9)"),
    (batch(TWO, ex()), f"tf.io.FixedLenSequenceFeature([2], {INT}, True)"),
    (batch(ONE), f"tf.io.FixedLenSequenceFeature([2], {INT}, True)"),
    (batch(ONE), f"tf.io.FixedLenSequenceFeature([], {INT})"),
    (ROWS, f"tf.io.RaggedFeature({INT})"),
    (ROWS, f"tf.io.RaggedFeature({INT}, row_splits_dtype=tf.int64)"),
    (batch(ONE), "3"),
]
CASES = [f"tf.io.parse_example({data}, {{'a': {what}}})['a']" for data, what in _PARSED]
CASES += [
    f"tf.io.parse_single_example({data}, {{'a': {what}}})['a']"
    for data, what in [
        (ONE, f"tf.io.FixedLenFeature([], {INT})"),
        (TWO, f"tf.io.FixedLenFeature([2], {INT})"),
        (ex(), f"tf.io.FixedLenFeature([], {INT})"),
        (ex(), f"tf.io.FixedLenFeature([], {INT}, 7)"),
        (TWO, f"tf.io.VarLenFeature({INT})"),
        (TWO, f"tf.io.RaggedFeature({INT})"),
        (TWO, f"tf.io.FixedLenSequenceFeature([], {INT}, True)"),
        (batch(ONE), f"tf.io.FixedLenFeature([], {INT})"),
    ]
]
_SPARSE = "tf.io.SparseFeature('i', 'v', tf.float32, 10)"
CASES += [
    f"tf.io.parse_example({batch(ex(i=[5, 2], v=[1.5, 2.5]), ex())}, {{'s': {_SPARSE}}})['s']",
    f"tf.io.parse_single_example({ex(i=[5, 2], v=[1.5, 2.5])}, {{'s': {_SPARSE}}})['s']",
    f"tf.io.parse_example({batch(ONE)}, {{}})",
    f"tf.io.parse_example({batch(ONE)}, None)",
    *[
        f"tf.io.parse_example({MIXED}, {{'a': tf.io.FixedLenFeature([2], {INT}),"
        f" 'b': tf.io.VarLenFeature({FLOAT}), 'c': tf.io.RaggedFeature({TEXT})}})['{key}']"
        for key in "abc"
    ],
    f"tf.strings.length({TWO})",
    f"tf.constant({ex(a=[1], b=[2.5], c=[b'x'], d=[])})",
    f"tf.constant(tf.train.Example.FromString({TWO}).features.feature['a'].int64_list.value[1])",
]
_TWICE = [
    f"{{'a': {one}, 'b': {other}}}"
    for one, other in (
        (f"tf.io.FixedLenFeature([1], {INT})", f"tf.io.RaggedFeature({INT}, value_key='a')"),
        (f"tf.io.FixedLenFeature([1], {INT})", f"tf.io.SparseFeature('a', 'c', {INT}, 3)"),
        (f"tf.io.RaggedFeature({INT})", f"tf.io.SparseFeature('a', 'c', {INT}, 3)"),
        (f"tf.io.RaggedFeature({FLOAT})", f"tf.io.RaggedFeature({INT}, value_key='a')"),
        (
            f"tf.io.RaggedFeature({INT})",
            f"tf.io.RaggedFeature({INT}, value_key='a', row_splits_dtype=tf.int64)",
        ),
        (f"tf.io.VarLenFeature({FLOAT})", f"tf.io.SparseFeature('a', 'c', {INT}, 3)"),
    )
]
CASES += [f"tf.io.parse_single_example({ONE}, {features})" for features in _TWICE]
CASES += [f"tf.io.parse_example({batch(ONE)}, {features})" for features in _TWICE]
CASES += [
    f"list(tf.io.parse_example({MIXED}, {{'c': tf.io.FixedLenSequenceFeature([2], {INT}, True),"
    f" 'd': tf.io.RaggedFeature({FLOAT}, value_key='b'), 'e': tf.io.VarLenFeature({TEXT}),"
    f" 'a': tf.io.RaggedFeature({TEXT}), 'f': tf.io.SparseFeature('i', 'v', tf.float32, 10)}}))",
    f"tf.io.parse_single_example({ex()}, {{'a': tf.io.FixedLenFeature([0], {INT})}})",
    f"tf.io.parse_single_example({ex()}, {{'a': tf.io.FixedLenFeature([2, 0], {INT}, [])}})",
]
