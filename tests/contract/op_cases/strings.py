"""Cases of `ops/strings/basic.py` and its kin, without Unicode."""
# ruff: noqa: E501  # a case stands on one line

_RAW = r"""
tf.strings.as_string([1,2])
tf.strings.as_string([1.5,-2.25,np.nan,np.inf,-np.inf])
tf.strings.as_string([1.5,1e10,1e-10],precision=2)
tf.strings.as_string([1.5,1e10,1e-10],scientific=True)
tf.strings.as_string([1.5,1e10,1e-10,0.1,100000000.,1e20],shortest=True)
tf.strings.as_string(tf.constant([0.1,1e20],tf.float64),shortest=True)
tf.strings.as_string([1.5,12.],width=8)
tf.strings.as_string([1.5,12.],width=8,fill='0')
tf.strings.as_string([1,12],width=8,fill='0')
tf.strings.as_string([1,12],width=5,fill='-')
tf.strings.as_string([1,-12],width=5,fill='+')
tf.strings.as_string([1,12],width=5,fill=' ')
tf.strings.as_string([1,12],width=5,fill='x')
tf.strings.as_string([1,12],precision=5)
tf.strings.as_string([1,12],scientific=True)
tf.strings.as_string([1.],scientific=True,shortest=True)
tf.strings.as_string([True,False])
tf.strings.as_string([True,False],width=7)
tf.strings.as_string([True],precision=2)
tf.strings.as_string(["a"])
tf.strings.as_string(["a"],width=3)
tf.strings.as_string(tf.constant([1+2j,0.5-1j]))
tf.strings.as_string(tf.constant([1+2j]),precision=2,width=10)
tf.strings.as_string(tf.constant([1+2j],tf.complex64))
tf.strings.as_string(tf.constant([1.5],tf.bfloat16))
tf.strings.as_string(tf.constant([1.5],tf.half))
tf.strings.as_string(tf.constant([250],tf.uint8))
tf.strings.as_string([])
tf.strings.as_string(1.0,width=-1,precision=-5)
tf.strings.as_string([1.0],fill='ab')
tf.strings.as_string([1.0], fill='x', width=4)
tf.strings.as_string([1.5],precision=0)
tf.strings.as_string(tf.constant([1],tf.int8),width=4,fill='0')
tf.strings.bytes_split(["ab","","c"])
tf.strings.bytes_split("abc")
tf.strings.bytes_split([["ab"],["c"]])
tf.strings.bytes_split([1])
tf.strings.format("a {} b",tf.constant([1,2,3,4,5,6,7,8]))
tf.strings.format("{} {}",(tf.constant([1,2]),tf.constant("x")))
tf.strings.format("{}",(tf.constant(1.5),))
tf.strings.format("x")
tf.strings.format("{}",tf.constant([["a","b"]]))
tf.strings.format("{} {}",tf.constant(1))
tf.strings.format("{}",tf.constant(np.arange(30).reshape(10,3)),summarize=2)
tf.strings.format("{}",tf.constant(np.arange(30).reshape(10,3)),summarize=-1)
tf.strings.format("%s",tf.constant(1),placeholder="%s")
tf.strings.format("{}",[tf.constant([True,False])])
tf.strings.format("{}",tf.constant([0.1,1e10,1e-5,3.,100000.5,1e6,123456789.],tf.float64),summarize=9)
tf.strings.format("{}",tf.constant([]))
tf.strings.format("{}",tf.constant(np.arange(16.).reshape(2,2,2,2)))
tf.strings.join([["a","b"],"x"],"-")
tf.strings.join([["a","b"],["x","y","z"]])
tf.strings.join(["a","b"],"-")
tf.strings.join([])
tf.strings.join(["a"])
tf.strings.join([1])
tf.strings.length(["abc","ü"])
tf.strings.length(["abc","ü",b"\xff\xfe"],unit="UTF8_CHAR")
tf.strings.length(["a"],unit="x")
tf.strings.lower(["ABCÜ"])
tf.strings.lower(["ABCÜ"],encoding="utf-8")
tf.strings.lower(["ABCÜ"],encoding="latin")
tf.strings.upper(["straße"],encoding="utf-8")
tf.strings.upper(["straße"])
tf.strings.lower([1])
tf.strings.lower([b"\xff\xffAB"],encoding='utf-8')
tf.strings.ngrams(["a","b","c"],2)
tf.strings.ngrams([["a","b","c"]],2)
tf.strings.ngrams(["a","b","c"],(2,1),separator='')
tf.strings.ngrams(["a","b","c"],2,pad_values="_")
tf.strings.ngrams(["a","b","c"],3,pad_values=("L","R"))
tf.strings.ngrams(["a","b","c"],3,pad_values=("L","R"),padding_width=1)
tf.strings.ngrams(["a"],3)
tf.strings.ngrams(["a"],3,preserve_short_sequences=True)
tf.strings.ngrams(["a"],(2,3),preserve_short_sequences=True)
tf.strings.ngrams(tf.ragged.constant([["a","b"],[],["c"]]),2)
tf.strings.ngrams(tf.ragged.constant([["a","b"],[],["c"]]),2,preserve_short_sequences=True)
tf.strings.ngrams(tf.ragged.constant([["a","b"],[],["c"]]),3,pad_values="*",preserve_short_sequences=True)
tf.strings.ngrams(["a","b"],0)
tf.strings.ngrams(["a","b"],2.0)
tf.strings.ngrams("a",2)
tf.strings.ngrams([["a","b","c"]],2,padding_width=1)
tf.strings.ngrams([["a","b","c"]],2,pad_values=1)
tf.strings.ngrams([["a","b","c"]],2,pad_values=("a",))
tf.strings.ngrams([["a","b","c"]],2,pad_values="x",padding_width=0)
tf.strings.ngrams([["a","b","c"]],[1,3],pad_values="x",padding_width=5)
tf.strings.ngrams([["a","b","c"],["d","e","f"]],2)
tf.strings.ngrams(tf.ragged.constant([[["a","b"],["c"]],[]]),2)
tf.strings.reduce_join([["a","b"],["c","d"]])
tf.strings.reduce_join([["a","b"],["c","d"]],0)
tf.strings.reduce_join([["a","b"],["c","d"]],1,separator="-")
tf.strings.reduce_join([["a","b"],["c","d"]],-1,keepdims=True)
tf.strings.reduce_join([["a","b"],["c","d"]],[0,1])
tf.strings.reduce_join([["a","b"],["c","d"]],[1,0])
tf.strings.reduce_join([["a","b"],["c","d"]],[])
tf.strings.reduce_join([["a","b"],["c","d"]],2)
tf.strings.reduce_join([["a","b"],["c","d"]],[0,0])
tf.strings.reduce_join("a")
tf.strings.reduce_join([])
tf.strings.reduce_join(tf.zeros([2,0],tf.string),1)
tf.strings.reduce_join([1])
tf.strings.regex_full_match(["abc","ab"],"ab.")
tf.strings.regex_full_match(["abc","ab"],"(ab")
tf.strings.regex_full_match(["a\nb"],"a.b")
tf.strings.regex_replace(["aXbX"],"X","y")
tf.strings.regex_replace(["aXbX"],"X","y",replace_global=False)
tf.strings.regex_replace(["aXbX"],"(X)(b)",r"\2\1\0")
tf.strings.regex_replace(["aXbX"],"(X)",r"\2")
tf.strings.regex_replace(["abc"],"","-")
tf.strings.regex_replace(["abc"],"b*","-")
tf.strings.regex_replace(["a\\b"],r"\\","/")
tf.strings.regex_replace(["ab"],r"a",r"\\")
tf.strings.regex_replace(["ab"],r"a",r"\q")
tf.strings.regex_replace(["ünï"],r".","x")
tf.strings.regex_replace(["ünï1"],r"\w","x")
tf.strings.regex_replace(["ünï1"],r"\pL","x")
tf.strings.regex_replace(["a b"],r"[[:alpha:]]","x")
tf.strings.regex_replace(["abab"],r"(?P<n>ab)",r"<\1>")
tf.strings.regex_replace(["ab ab"],r"(?i)AB",r"c")
tf.strings.regex_replace(["ab"],r"(?=a)",r"c")
tf.strings.regex_replace(["aa"],r"(a)\1",r"c")
tf.strings.regex_replace(["a$"],r"\Qa$\E",r"c")
tf.strings.regex_replace(["a"],["a"],r"c")
tf.strings.regex_replace(["a"],tf.constant("a"),tf.constant("c"))
tf.strings.regex_replace([b"\xff a"],".","x")
tf.strings.regex_replace(["a\n"],"a$","x")
tf.strings.regex_replace(["a1٣"],r"\d","x")
tf.strings.regex_replace(["hello world"],r"\bw","x")
tf.strings.regex_replace(["abcabc"],r"a|ab",r"x")
tf.strings.regex_replace(["aaa"],r"a{2}?",r"x")
tf.strings.regex_replace(["abc"],r"\C",r"x")
tf.strings.regex_replace(["aBc"],r"[^[:lower:]]",r"x")
tf.strings.regex_replace(["baac"],r"a*",r"x")
tf.strings.regex_replace(["baac"],r"a*",r"x",replace_global=False)
tf.strings.split(["a b  c",""," x "])
tf.strings.split("a b")
tf.strings.split(["a,b,,c",""],",")
tf.strings.split(["a,b,,c",""],",",maxsplit=1)
tf.strings.split(["a  b c"],maxsplit=1)
tf.strings.split(["a  b c "],maxsplit=0)
tf.strings.split([["a b"],["c"]])
tf.strings.split(["a--b-c"],"--")
tf.strings.split(["abc"],"")
tf.strings.split([1])
tf.strings.split(["a\tb\nc\x0bd\x0ce"])
tf.strings.split(["a\u00a0b"])
tf.strings.split(["a,b"],",",-3)
tf.strings.split(tf.zeros([0],tf.string))
tf.strings.split([[["a b"]]])
tf.strings.strip([" a \n","\t b\x0b\x0c"])
tf.strings.strip(["\x00a\x00","\u00a0a"])
tf.strings.substr("hello",1,3)
tf.strings.substr(["hello","world"],1,3)
tf.strings.substr(["hello","world"],[1,2],[3,2])
tf.strings.substr(["hello","world"],-3,2)
tf.strings.substr(["hello","world"],2,100)
tf.strings.substr(["hello","world"],6,1)
tf.strings.substr(["hello","world"],5,1)
tf.strings.substr(["hello","world"],-6,1)
tf.strings.substr(["hello","world"],0,-1)
tf.strings.substr(["hello","world"],1,-2)
tf.strings.substr([["hello","world"]],[1,2],[1,2])
tf.strings.substr(["hello","world"],[1,2,3],[1,2,3])
tf.strings.substr("hello",[1,2],[1,2])
tf.strings.substr(["hello"],[[1],[2]],[[1],[2]])
tf.strings.substr("hello",[1,2],1)
tf.strings.substr(["héllo"],1,2,unit="UTF8_CHAR")
tf.strings.substr(["héllo"],-2,2,unit="UTF8_CHAR")
tf.strings.substr(["héllo"],6,1,unit="UTF8_CHAR")
tf.strings.substr(["héllo"],1,2,unit="x")
tf.strings.substr(["hello"],1.0,2.0)
tf.strings.substr(["hello"],tf.constant(1,tf.int64),tf.constant(1,tf.int64))
tf.strings.substr(["hello"],tf.constant(1,tf.int64),1)
tf.strings.substr([b"a\xffb\xc3"],1,2,unit="UTF8_CHAR")
tf.strings.to_hash_bucket(["a","b"],10)
tf.strings.to_hash_bucket(["a","hello world",""],2**40)
tf.strings.to_hash_bucket_fast(["a","b"],10)
tf.strings.to_hash_bucket_fast(["a"],0)
tf.strings.to_hash_bucket_strong(["a","b"],10,[1,2])
tf.strings.to_hash_bucket_strong(["a","b"],10,[1])
tf.strings.to_hash_bucket_strong(["a","b"],0,[1,2])
tf.strings.to_hash_bucket_fast([1],10)
tf.strings.to_number(["1","-2.5","1e3"," 1 ","nan","inf","0x10"])
tf.strings.to_number(["1","-2"],tf.int32)
tf.strings.to_number(["1.5"],tf.int32)
tf.strings.to_number(["abc"])
tf.strings.to_number([""])
tf.strings.to_number(["9999999999"],tf.int32)
tf.strings.to_number(["9999999999"],tf.int64)
tf.strings.to_number([" 12 "],tf.int32)
tf.strings.to_number(["+12"],tf.int32)
tf.strings.to_number(["1"],tf.float64)
tf.strings.to_number(["1"],tf.uint8)
tf.strings.to_number(["1"],tf.uint32)
tf.strings.to_number(["-1"],tf.uint64)
tf.strings.to_number(["1e400","1e-400"],tf.float64)
tf.strings.to_number(["1e40","1e-50"],tf.float32)
tf.strings.to_number(["+1.5"," 1.5","1.5 ","1_0","1.","  .5"],tf.float32)
tf.strings.to_number(["infinity"],tf.float32)
tf.strings.to_number(["INF","-inf","NaN"],tf.float32)
tf.strings.to_number(["1f"],tf.float32)
tf.strings.to_number(["0x1p3"],tf.float32)
tf.strings.to_number(["1 2"],tf.float32)
tf.strings.to_number(["1"],tf.bfloat16)
tf.strings.to_number([1.])
tf.strings.unsorted_segment_join(["a","b","c"],[0,1,0],2)
tf.strings.unsorted_segment_join(["a","b","c"],[0,1,0],2,separator="-")
tf.strings.unsorted_segment_join(["a","b","c"],[0,3,0],2)
tf.strings.unsorted_segment_join(["a","b","c"],[0,-1,0],2)
tf.strings.unsorted_segment_join([["a","b"],["c","d"]],[0,0],2)
tf.strings.unsorted_segment_join([["a","b"],["c","d"]],[[0,1],[1,0]],2,":")
tf.strings.unsorted_segment_join(["a","b","c"],[0,1],2)
tf.strings.unsorted_segment_join(["a","b","c"],[0,1,0],-1)
tf.strings.unsorted_segment_join(["a","b","c"],[0,1,0],3,"x")
tf.constant("a")+tf.constant("b")
tf.constant(["a","b"])+"c"
"c"+tf.constant(["a","b"])
tf.constant("a")<tf.constant("b")
tf.constant("a")>=tf.constant("b")
""".strip().splitlines()

_HASHED = [
    "['a', 'b', '', 'abc', 'abcd', 'hello world']",
    "['x' * n for n in range(0, 33)]",
    "['x' * n + 'yz' for n in range(33, 70)]",
    "[chr(33 + n % 90) * n for n in range(60, 260, 11)]",
    "[['\u00e9', '\u65e5\u672c'], ['1', '22']]",
    "'scalar'",
    "[b'a\\x00b\\x00', b'\\x00']",
]
_BUCKETS = [1, 10, 1000, 2**31 - 1, 2**62]
_TEXT = "['abab', 'xay', '', 'a-b_c d', 'AAA 111']"
_PATTERNS = [
    "a", "[a-c]+", "(a)(b)?", "^a", "b$", "\\\\d+", "\\\\s", "[^a-z]", "a|b", "(?i)a", "x*", "",
    "(?:ab)+",
    "[[:upper:]]+", "[-_]", ".", "\\\\bb", "a{2,}", "(ab|a)(bab)?",
]  # fmt: skip

_TF1 = r"""
tf.compat.v1.string_split(["hello"],"")
tf.compat.v1.string_split(["a b  c",""," d"])
tf.compat.v1.string_split(["a b  c",""," d"],skip_empty=False)
tf.compat.v1.string_split(["a,b;;c",",","d"],",;")
tf.compat.v1.string_split(["a,b;;c",",","d"],",;",skip_empty=False)
tf.compat.v1.string_split(["ab","","cde"],"",skip_empty=False)
tf.compat.v1.string_split(["a\tb c"],delimiter=" ")
tf.compat.v1.string_split(["a b  c",""," d"]," ",False,None,"RaggedTensor")
tf.compat.v1.string_split([])
tf.compat.v1.string_split("a b")
tf.compat.v1.string_split([["a b"]])
tf.compat.v1.string_split(["a b"],["a","b"])
tf.compat.v1.string_split(["a b"],result_type="foo")
tf.compat.v1.strings.split(["a b  c",""," d"])
tf.compat.v1.strings.split(["a b  c",""," d"]," ")
tf.compat.v1.strings.split(["a b  c",""," d"],result_type="RaggedTensor")
tf.compat.v1.strings.split("a b")
tf.compat.v1.strings.split("a b",result_type="RaggedTensor")
tf.compat.v1.strings.split([["a b"],["c d e"]])
tf.compat.v1.strings.split(source=["a<>b<>"],sep="<>")
tf.compat.v1.strings.split(["a b c d"],maxsplit=2)
tf.compat.v1.strings.split(["a b"],result_type="foo")
tf.compat.v1.strings.split(tf.ragged.constant([["a b"],["c","d e f"]]))
tf.compat.v1.strings.length(["h\u00e9"],None,"UTF8_CHAR")
tf.compat.v1.strings.substr(["h\u00e9l"],1,1,None,"UTF8_CHAR")
tf.compat.v1.strings.to_number(string_tensor=["1.5"])
tf.compat.v1.strings.reduce_join([["a","b"],["c","d"]],reduction_indices=1)
tf.compat.v1.strings.to_hash_bucket(["a"],5)
""".strip().splitlines()

CASES = [
    *_RAW,
    *[f"tf.strings.to_hash_bucket_fast({text}, {n})" for text in _HASHED for n in _BUCKETS],
    *[f"tf.strings.to_hash_bucket({text}, {n})" for text in _HASHED for n in _BUCKETS[1:3]],
    *[
        f"tf.strings.to_hash_bucket_strong({text}, {n}, {key})"
        for text in _HASHED
        for n, key in ((1000, [1, 2]), (2**40, [0xDECAFCAFFE, -7]))
    ],
    *[f"tf.strings.regex_replace({_TEXT}, '{p}', r'<\\0>')" for p in _PATTERNS],
    *[f"tf.strings.regex_replace({_TEXT}, '{p}', '-', replace_global=False)" for p in _PATTERNS],
    *[f"tf.strings.regex_full_match({_TEXT}, '{p}')" for p in _PATTERNS],
    *[
        f"tf.strings.as_string({value}, precision={p}, width={w}, fill='{fill}')"
        for value in ("f32(3, low=-1e3, high=1e3)", "f64(2)", "bf16(2)", "f16(2)")
        for p, w, fill in ((-1, -1, ""), (2, 12, "0"), (3, 3, ""), (1, 10, "-"), (0, 6, "+"))
    ],
    *[
        f"tf.strings.as_string({kind}(2, 2))"
        for kind in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "b")
    ],
    *[
        f"tf.strings.as_string(f32(3, low=-1e5, high=1e5), {how}=True, precision={p})"
        for how in ("scientific", "shortest")
        for p in (-1, 0, 4)
    ],
    *[
        f"tf.strings.to_number(['{a}', '{b}'], tf.{t})"
        for t in ("float32", "float64", "int32", "int64", "uint32", "uint64")
        for a, b in (("0", "12"), ("-0", "007"), ("3.25", "1"), ("4294967295", "1"), ("1e3", "2"))
    ],
    *[
        f"tf.strings.substr([['abcdef', 'ghi'], ['jk', 'lmno']], {pos}, {n}, unit='{unit}')"
        for pos in (0, 1, 2, -1, -2)
        for n in (0, 1, 10)
        for unit in ("BYTE", "UTF8_CHAR")
    ],
    *[
        f"tf.strings.split([' a b  c ', 'x,y,,z', ''], {sep}, maxsplit={n})"
        for sep in (None, "','", "''", "'b'")
        for n in (-1, 1, 2)
    ],
    *[
        f"tf.strings.ngrams({data}, {width}, pad_values={pad}, preserve_short_sequences={short})"
        for data in (
            "['a', 'b', 'c', 'd']",
            "[['a', 'b'], ['c', 'd']]",
            "tf.ragged.constant([['a'], [], ['b', 'c', 'd']])",
        )
        for width in (1, 3, (2, 4))
        for pad in (None, "'_'", "('<', '>')")
        for short in (True, False)
    ],
    *[
        f"tf.strings.reduce_join([[['a', 'b'], ['c', 'd']]], {axis}, {keep}, '{sep}')"
        for axis in (None, 0, 1, 2, -1, [0, 2], [2, 1], [-1, 0])
        for keep in (True, False)
        for sep in ("", "+")
    ],
    *[
        f"tf.strings.format('v={{}}', tf.constant({kind}({dims})), summarize={n})"
        for kind in ("i32", "u8", "i64")
        for dims in ("", "9", "3, 2", "2, 2, 7")
        for n in (-1, 1, 3)
    ],
    "tf.strings.format('{}', tf.constant([0.5, 1e-9, 3e20, 1 / 3, 100.0]), summarize=9)",
    "tf.strings.format('{}', tf.constant([0.1, 1 / 3, 1e100], tf.float64))",
    "tf.strings.format('{} and {}', (tf.constant('x'), tf.ragged.constant([[1], [2, 3]])))",
]

CASES += [
    *[
        f"tf.{name}({x}, {y})"
        for name in ("add", "equal", "not_equal")
        for x, y in (
            ("'a'", "'b'"), ("['a', 'b']", "'c'"), ("'c'", "['a', 'b']"), ("['a']", "['b']"),
            ("tf.constant(['a', 'b'])", "tf.constant([['c'], ['d']])"), ("['a', 'b']", "['c'] * 3"),
            ("tf.constant('a')", "b'b'"), ("tf.constant([], tf.string)", "'a'"),
        )
    ],
    *[
        f"tf.add({args})"
        for args in (
            "tf.constant('a'), 1", "1, tf.constant('a')", "'a', 1", "1, 'a'", "[1, 2], 'a'",
        )
    ],
    *[
        f"{x} {operator} {y}"
        for operator in ("+", "==", "!=", "<", "-")
        for x, y in (
            ("tf.constant('a')", "'b'"), ("'b'", "tf.constant('a')"), ("tf.constant('a')", "1"),
            ("1", "tf.constant('a')"), ("tf.constant('a')", "1.5"), ("tf.constant(1)", "'a'"),
            ("tf.constant('a')", "tf.constant(1)"), ("tf.constant('a')", "None"),
        )
    ],
    *[
        f"tf.where({args})"
        for args in (
            "[True, False], ['a', 'b'], ['c', 'd']", "[True, False], ['a', 'b'], 'z'",
            "True, 'a', 'b'", "[[True], [False]], 'a', ['b', 'c']", "['a', '']", "[True], 'a', 1",
        )
    ],
    *[
        f"tf.strings.regex_full_match({texts}, {pattern})"
        for texts in ("['ab', 'b', '']", "'ab'", "[]")
        for pattern in (
            "tf.constant('a.')", "tf.constant('(')", "tf.constant(['a'])", "np.str_('')",
        )
    ],
    *_TF1,
]  # fmt: skip
CASES += [
    f"tf.strings.as_string(tf.constant([0, 7, 100], tf.{dtype}), width=5, fill='+')"
    for dtype in ("uint8", "uint16", "uint32", "uint64", "int8", "int64")
]
CASES += [
    *[
        f"tf.raw_ops.StringNGrams(data=['aa', 'bb', 'dd'], data_splits=np.array({splits}), separator='', ngram_widths=[{width}], left_pad='', right_pad='', pad_width=0, preserve_short_sequences=False)"
        for splits, width in (
            ([0, 0], 2),
            ([-1, 2], 2),
            ([0, 5], 2),
            ([0, 1, 0], 2),
            ([0, 1, 2], 2),
            ([0, 3], 2),
            ([0, 3], 0),
        )
    ],
]
CASES += [
    "tf.raw_ops.StringNGrams(data=['a', 'b'], data_splits=np.array([0, 2]), separator='', ngram_widths=[2**30, 2**30], left_pad=' ', right_pad=' ', pad_width=-2**30, preserve_short_sequences=False)",
    "tf.raw_ops.StringNGrams(data=['a'], data_splits=np.array([0, 1]), separator='', ngram_widths=[], left_pad='', right_pad='', pad_width=-5, preserve_short_sequences=True)",
]
