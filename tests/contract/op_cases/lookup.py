"""`tf.lookup`: emplace/ops/lookup."""


def after(table: str, *steps: str) -> str:
    """An expression for the last of some steps on a table `t`."""
    return f"(lambda t: [{', '.join(steps)}][-1])(tf.lookup.{table})"


def pairs(keys: str, values: str) -> str:
    """An initializer out of two tensors."""
    return f"tf.lookup.KeyValueTensorInitializer({keys}, {values})"


_WORDS = f"StaticHashTable({pairs(repr(['a', 'b']), '[1, 2]')}, -1)"
_IDS = f"StaticHashTable({pairs('tf.constant([1, 2], tf.int64)', repr(['a', 'b']))}, '?')"
_COUNTS = "experimental.MutableHashTable(tf.string, tf.int64, -1)"
_VECTORS = "experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.5])"
_ROWS = "t.insert(tf.constant([1, 2], tf.int64), [[1.0, 2.0], [3.0, 4.0]])"
_FIVE = "t.insert(['a', 'b'], tf.constant([5, 6], tf.int64))"
_VOCABULARY = (
    f"StaticVocabularyTable({pairs(repr(['a', 'b']), 'tf.constant([0, 1], tf.int64)')}, 3)"
)

CASES = [
    after(_WORDS, "t.lookup(tf.constant(['a', 'z']))"),
    after(_WORDS, "t.lookup(tf.constant([['a'], ['b']]))"),
    after(_WORDS, "t[tf.constant('b')]"),
    after(_WORDS, "t.lookup(tf.constant([], tf.string))"),
    after(_WORDS, "t.lookup(tf.constant([1]))"),
    after(_WORDS, "t.lookup(tf.ragged.constant([['a'], ['b', 'z']]))"),
    after(_WORDS, "t.lookup(tf.sparse.from_dense([['a', 'b']]))"),
    after(_WORDS, "t.size()"),
    after(_WORDS, "t.default_value"),
    after(_WORDS, "tf.sort(t.export()[1])"),
    after(_IDS, "t.lookup(tf.constant([[2, 7]], tf.int64))"),
    f"tf.lookup.StaticHashTable({pairs(repr(['a', 'a']), '[1, 2]')}, -1)",
    f"tf.lookup.StaticHashTable({pairs(repr(['a', 'a']), '[1, 1]')}, -1).size()",
    f"tf.lookup.StaticHashTable({pairs('[1, 2, 3]', repr(['a', 'b']))}, '?')",
    f"tf.lookup.StaticHashTable({pairs(repr(['a']), '[1]')}, 'x')",
    after(_COUNTS, _FIVE, "t.lookup(tf.constant(['a', 'c']))"),
    after(
        _COUNTS, _FIVE, "t.insert(['a'], tf.constant([9], tf.int64))", "t.lookup(tf.constant('a'))"
    ),
    after(_COUNTS, _FIVE, "t.remove(tf.constant(['a', 'z']))", "t.size()"),
    after(_COUNTS, _FIVE, "t.remove(tf.constant(['a']))", "t.export()"),
    after(_COUNTS, "t.insert(['a', 'b'], tf.constant([5], tf.int64))"),
    after(_COUNTS, "t.insert([1], tf.constant([5], tf.int64))"),
    after(_VECTORS, _ROWS, "t.lookup(tf.constant([[2, 7]], tf.int64))"),
    after(_VECTORS, _ROWS, "t.lookup(tf.constant([2, 7], tf.int64), [[9.0, 9.0], [8.0, 8.0]])"),
    after(_VECTORS, "t.insert(tf.constant([1], tf.int64), [1.0])"),
    after(_VOCABULARY, "t.lookup(tf.constant(['a', 'b', 'q', 'rr', '']))"),
    after(_VOCABULARY, "t.size()"),
    f"tf.lookup.StaticVocabularyTable({pairs(repr(['a']), 'tf.constant([0], tf.int64)')}, 0)",
]  # fmt: skip

_DENSE = "experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -1)"
_DENSE_ROWS = "experimental.DenseHashTable(tf.int64, tf.int64, [1, 2], [0, 0], [-1, -1])"


def i64(values: object) -> str:
    """An int64 tensor as an expression."""
    return f"tf.constant({values!r}, tf.int64)"


CASES += [
    "tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, [[-1, -1]])",
    "tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, [[-1, -1]], 0, -1)",
    f"tf.lookup.StaticHashTable({pairs(repr(['a']), '[1]')}, [1, 2])",
    "tf.lookup.TextFileInitializer('', tf.string, -2, tf.int64, -1)",
    "tf.lookup.StaticVocabularyTable(None, 5).lookup(tf.constant(['brain', 'salad']))",
    "tf.lookup.StaticVocabularyTable(None, 5).size()",
    "tf.lookup.StaticVocabularyTable(None, 5, tf.int64).lookup(tf.constant([1], tf.int64))",
    f"tf.lookup.StaticVocabularyTable({pairs(repr(['a']), i64([0]))}, 5, tf.int64)",
    f"tf.lookup.StaticVocabularyTable({pairs(i64([5]), i64([0]))}, 5, tf.string)",
    f"tf.lookup.StaticVocabularyTable({pairs(repr(['a']), '[0]')}, 5)",
    after(_WORDS, "t.lookup(tf.constant([[1]]))"),
    after(_COUNTS, "t.lookup(tf.constant([1]))"),
    after(_COUNTS, "t.remove(tf.constant([1]))"),
    *(
        after(_COUNTS, f"t.lookup(tf.constant([['a', 'b'], ['c', 'd']]), {i64(default)})")
        for default in (7, [7, 8], [[7, 8]], [[1, 2], [3, 4]])
    ),
    *(
        after(_VECTORS, f"t.lookup({i64([1, 2])}, tf.constant({default}))")
        for default in (7.0, [7.0, 8.0], [[7.0, 8.0]], [[1.0, 2.0], [3.0, 4.0]])
    ),
    *(after(_DENSE, f"t.lookup({i64(keys)})") for keys in ([[11, 5], [12, 1]], [[[3]]], 3, [])),
    *(
        after(_DENSE_ROWS, f"t.lookup({i64(keys)})")
        for keys in ([[11, 5], [12, 1]], [[[3, 4]]], 3, [], [1, 2], [[1, 2, 3]])
    ),
    after(_DENSE_ROWS, f"t.insert({i64([1, 2])}, {i64([1, 2])})"),
    after(_DENSE, f"t.insert({i64([[1, 2]])}, {i64([[1, 2]])})"),
    after(_DENSE, f"t.lookup({i64([1, 2])}, {i64([7, 8])})"),
]

CASES += [
    f"tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, {empty}, {deleted})"
    for empty, deleted in (("12", "[11, 12]"), ("[12]", "[11, 12]"), ("[[12]]", "[[11]]"))
]
