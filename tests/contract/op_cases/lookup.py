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
