"""Cases of `ops/io/decoding.py` and `ops/io/csv.py`."""

from __future__ import annotations

import zlib

_RAW = ["float16", "float32", "float64", "int32", "uint16", "uint8", "int16", "int8", "int64",
        "bfloat16", "complex64", "complex128", "bool"]  # fmt: skip
_BYTES = "b'\\x01\\x02\\x03\\x04\\x05\\x06\\x07\\x08\\x00@\\x10\\x3f\\x7f\\x01\\x00\\x02'"

_ENCODED = [
    "''", "'YQ'", "'YQ=='", "'YQ='", "'Y'", "'YWI'", "'YWI='", "'YWJj'", "'YW Jj'", "'YW\\nJj'",
    "'+/+/'", "'-_-_'", "'YQ==YQ=='", "'===='", "'YR'", "'YQ==='", "'='", "'YWJjYQ=='", "'Y=Q='",
    "['YQ', 'YWI']", "'YWJj='", "'YWJj===='", "'YWJj=='", "b'\\xff'", "3", "[]",
]  # fmt: skip

# gzip's format without a time in it, as every version of Python writes it.
_PACKED = zlib.compressobj(9, zlib.DEFLATED, 31)
_GZIP = _PACKED.compress(b"hello") + _PACKED.flush()
_ZLIB = zlib.compress(b"hello")

_THREE = "[[0], [1.0], ['x']]"
_LINES = [
    "['1,2,a']", "['1,2,a', '3,4,b']", "'1,2,a'", "['1,,']", "[',,']", "['1,2']", "['1,2,a,b']",
    "['x,2,a']", "['1,x,a']", "['1,2,\"a,b\"']", "['1,2,\"a\"\"b\"']", "['1,2,\"a\"b']",
    "['1,2,\"a']", "['1,2,a\"b']", "['1,2,\"a\\nb\"']", "['1,2,a\\nb']", "['1,2,a\\n']",
    "['\\n1,2,a']", "['1, 2 ,a ']", "[' 1,2,a']", "['1.5,2,a']", "['99999999999,2,a']",
    "['1,1e400,a']", "['1,nan,a']", "['1,2,\"\"']", "['1,\"2\",\"a\"']", "['\"1\",2,a']", "['']",
    "[['1,2,a'], ['3,4,b']]", "[]", "3", "['1,2, \"a\"']", "['1,2,\"a\" ']", "['1,2,\"a\"\\n']",
    "['1,2,a\\r\\n']", "['+1,0x10,a']", "['1,2,a,']", "['1_0,2,a']", "['1,1_0,a']", "['1,inf,a']",
    "['1,.5,a']", "['1,2,\\r\\na']", "['1,2,\"']", "['1,2,\"\"\"']", "['1,2,\"a\"\"']",
    "['1,2,\"\"\"\"']", "['1,2,\"é\"']", "['\\n']", "['1,2,a', '1,2']", "['1,2,\"a\",']",
]  # fmt: skip

_NUMBERS = [
    "' 7 '", "'7 8'", "'1e3'", "'0x1p3'", "'nan'", "'infinity'", "'1f'", "'+5'", "'-'", "'1e-50'",
    "'1e39'", "'9223372036854775808'", "'-9223372036854775808'", "'2147483648'", "'007'", "'- 1'",
    "'\\t3'", "'1.'", "'++1'", "'1e'",
]  # fmt: skip
_NEEDED = "[tf.constant([], tf.int32), tf.constant([], tf.string)]"

CASES = [
    *[f"tf.io.decode_raw({_BYTES}, tf.{name})" for name in _RAW],
    *[f"tf.io.decode_raw({_BYTES}, tf.{name}, little_endian=False)" for name in _RAW],
    *[f"tf.io.decode_raw(['abc', 'd', ''], tf.{n}, fixed_length=8)" for n in _RAW[1:10]],
    *[f"tf.io.decode_raw('abcde', tf.{n}, False, 8)" for n in _RAW[1:]],
    "tf.io.decode_raw([['ab', 'cd']], tf.uint8)",
    "tf.io.decode_raw('abc', tf.int16)",
    "tf.io.decode_raw(['ab', 'cde'], tf.uint8)",
    "tf.io.decode_raw('ab', tf.string)",
    "tf.io.decode_raw('', tf.int16)",
    "tf.io.decode_raw(['', ''], tf.int16)",
    "tf.io.decode_raw(tf.constant([], tf.string), tf.int16)",
    "tf.io.decode_raw(3, tf.uint8)",
    "tf.io.decode_raw(b'abcdefgh', tf.uint32)",
    "tf.io.decode_raw(b'abcdefgh', tf.uint64)",
    "tf.io.decode_raw('abc', tf.int16, fixed_length=2)",
    *[
        f"tf.io.decode_raw('abc', tf.int16, fixed_length={length})"
        for length in ("3", "0", "-2", "[2]", "2.")
    ],
    "tf.io.decode_raw(tf.constant([], tf.string), tf.int16, fixed_length=4)",
    "tf.io.decode_raw([['a'], ['bcd']], tf.int16, fixed_length=4)",
    "tf.compat.v1.decode_raw(bytes='ab', out_type=tf.uint8)",
    "tf.compat.v1.decode_raw('ab', tf.uint8, bytes='ab')",
    "tf.compat.v1.decode_raw('ab')",
    "tf.compat.v1.decode_raw()",
    "tf.raw_ops.DecodeRaw(bytes='abcd', out_type=tf.int16)",
    "tf.raw_ops.DecodePaddedRaw(input_bytes='abc', fixed_length=4, out_type=tf.int16)",
    *[
        f"tf.io.encode_base64({text}, pad={pad})"
        for text in ("''", "'a'", "'ab'", "[['abc'], ['d']]", "b'\\xff\\xfe\\xfb'", "3", "[]")
        for pad in (False, True)
        if text != "[]"
    ],
    "tf.io.encode_base64(tf.constant([], tf.string))",
    "tf.raw_ops.EncodeBase64(input='a')",
    "tf.raw_ops.DecodeBase64(input='YQ')",
    *[f"tf.io.decode_base64({text})" for text in _ENCODED if text != "[]"],
    *[
        f"tf.io.decode_compressed({data!r}, {kind!r})"
        for kind in ("ZLIB", "GZIP")
        for data in (
            b"hello", _ZLIB, _GZIP, b"", _ZLIB[:-3], _ZLIB[:5], _ZLIB + b"tail", _GZIP + _GZIP,
            _GZIP[:-3], [_ZLIB, _ZLIB], [[_GZIP]], zlib.compress(b""),
        )
    ],
    *[f"tf.io.decode_compressed('hello', {kind!r})" for kind in ("", "NONE", "zlib", "SNAPPY")],
    "tf.io.decode_compressed('a')",
    "tf.io.decode_compressed(3)",
    "tf.io.decode_compressed(tf.constant([], tf.string), 'ZLIB')",
    f"tf.raw_ops.DecodeCompressed(bytes={_ZLIB!r}, compression_type='ZLIB')",
    *[f"tf.io.decode_csv({lines}, {_THREE})" for lines in _LINES],
    *[
        f"tf.io.decode_csv([{number}], [tf.zeros([1], tf.{dtype})])"
        for dtype in ("float32", "float64", "int32", "int64")
        for number in _NUMBERS
    ],
    "tf.io.decode_csv(['1,2'], [[], []])",
    *[f"tf.io.decode_csv([{line}], {_NEEDED})" for line in ("'1,2'", "',2'", "'1,'")],
    "tf.io.decode_csv(['1,2'], [tf.int32, tf.string])",
    *[
        f"tf.io.decode_csv([',2'], [{default}, ['x']])"
        for default in ("3", "[1, 2]", "[[1]]", "[[]]", "[True]", "np.array([2.0])",
                        "tf.constant(4)", "tf.constant([1], tf.int64)",
                        "tf.constant([1], tf.uint8)")
    ],
    *[
        f"tf.io.decode_csv(['1{mark}2'], [[0], [0]], field_delim={delimiter!r})"
        for mark, delimiter in ((";", ";"), (";", ";;"), (";", ""), ("\\t", "\t"), ('"', '"'),
                                (" ", " "), ("|", "|"), ("^", "^"), ("]", "]"), ("-", "-"))
    ],
    "tf.io.decode_csv(['\"a\",b\"'], [['x'], ['y']], use_quote_delim=False)",
    "tf.io.decode_csv(['a\\nb'], [['']], use_quote_delim=False)",
    *[
        f"tf.io.decode_csv(['{line}'], [[1], ['y']], na_value='NA')"
        for line in ("NA,b", ",b", "NA,NA", '1,"NA"', "2,NAN")
    ],
    *[
        f"tf.io.decode_csv(['1,b,c'], [[1], ['y']], select_cols={columns})"
        for columns in ("[0, 2]", "[2, 0]", "[0]", "[0, 3]", "[0, 0]", "[-1, 0]", "(0, 1)", "None")
    ],
    "tf.io.decode_csv(['1'], [])",
    "tf.io.decode_csv(['1'], 3)",
    "tf.io.decode_csv(['1'], tf.constant([1]))",
    "tf.io.decode_csv(['1,2'], ((1,), (2,)))",
    "tf.compat.v1.decode_csv(['1,2'], [[1], [2]])",
    "tf.compat.v1.decode_csv(['1;2'], [[1], [2]], ';', False, None, '2')",
    "tf.raw_ops.DecodeCSV(records=['1,2'], record_defaults=[[1], ['x']])",
    "tf.raw_ops.DecodeCSV(records=['1,2'], record_defaults=[['x']], select_cols=[1])",
]  # fmt: skip
