"""Cases of `ops/strings/unicode.py`."""

_RAW = r"""
tf.strings.unicode_decode(["héllo","","日本"],"UTF-8")
tf.strings.unicode_decode("héllo","UTF-8")
tf.strings.unicode_decode([["a","bc"]],"UTF-8")
tf.strings.unicode_decode([b"a\xffb"],"UTF-8")
tf.strings.unicode_decode([b"a\xffb"],"UTF-8",errors="ignore")
tf.strings.unicode_decode([b"a\xffb"],"UTF-8",errors="strict")
tf.strings.unicode_decode([b"a\xffb"],"UTF-8",replacement_char=65)
tf.strings.unicode_decode([b"a\xe2\x82b\xc3\x28\xf0\x9f"],"UTF-8")
tf.strings.unicode_decode([b"\xed\xa0\x80"],"UTF-8")
tf.strings.unicode_decode([b"\xc0\x80\xf5"],"UTF-8")
tf.strings.unicode_decode(["a\tb\x01"],"UTF-8",replace_control_characters=True)
tf.strings.unicode_decode([b"\x00a\x00b"],"UTF-16-BE")
tf.strings.unicode_decode([b"\x00\x00\x00a"],"UTF-32-BE")
tf.strings.unicode_decode([b"\xe9"],"ISO-8859-1")
tf.strings.unicode_decode([b"\xe9"],"latin1")
tf.strings.unicode_decode([b"\x82\xa0"],"shift_jis")
tf.strings.unicode_decode([b"a"],"nope")
tf.strings.unicode_decode([1],"UTF-8")
tf.strings.unicode_decode([b"a"],"UTF-8",errors="x")
tf.strings.unicode_decode_with_offsets(["héllo","日本"],"UTF-8")
tf.strings.unicode_decode_with_offsets("héllo","UTF-8")
tf.strings.unicode_decode_with_offsets([b"a\xffb"],"UTF-8")
tf.strings.unicode_encode([104,233],"UTF-8")
tf.strings.unicode_encode([[104,233],[26085,1]],"UTF-8")
tf.strings.unicode_encode(tf.ragged.constant([[104,233],[],[26085]]),"UTF-8")
tf.strings.unicode_encode(tf.ragged.constant([[[104],[233]],[]]),"UTF-8")
tf.strings.unicode_encode([104,233],"UTF-16-BE")
tf.strings.unicode_encode([104,233],"UTF-32-BE")
tf.strings.unicode_encode([104,233],"latin1")
tf.strings.unicode_encode([0xD800,65],"UTF-8")
tf.strings.unicode_encode([0xD800,65],"UTF-8",errors="ignore")
tf.strings.unicode_encode([0xD800,65],"UTF-8",errors="strict")
tf.strings.unicode_encode([0x110000,65],"UTF-8")
tf.strings.unicode_encode([-1,65],"UTF-8",replacement_char=66)
tf.strings.unicode_encode(65,"UTF-8")
tf.strings.unicode_encode([65.],"UTF-8")
tf.strings.unicode_encode([[[65,66]],[[67,68]]],"UTF-8")
tf.strings.unicode_script([1,65,0x3b1,0x4e00,0x3042,32,-1,0x110000])
tf.strings.unicode_script([[0x621,0x5d0]])
tf.strings.unicode_split(["héllo","日本",""],"UTF-8")
tf.strings.unicode_split("hé","UTF-8")
tf.strings.unicode_split([b"a\xffb"],"UTF-8")
tf.strings.unicode_split([b"a\xffb"],"UTF-8",errors="ignore")
tf.strings.unicode_split([b"\x00a\x00b"],"UTF-16-BE")
tf.strings.unicode_split_with_offsets(["héllo","日本"],"UTF-8")
tf.strings.unicode_split([["ab","c"]],"UTF-8")
tf.strings.unicode_transcode(["héllo"],"UTF-8","UTF-16-BE")
tf.strings.unicode_transcode(["héllo"],"UTF-8","UTF-32-BE")
tf.strings.unicode_transcode([b"\xe9"],"latin1","UTF-8")
tf.strings.unicode_transcode([b"a\xffb"],"UTF-8","UTF-8")
tf.strings.unicode_transcode([b"a\xffb"],"UTF-8","UTF-8",errors="ignore")
tf.strings.unicode_transcode([b"a\xffb"],"UTF-8","UTF-8",errors="strict")
tf.strings.unicode_transcode([b"a\x01b\xff"],"UTF-8","UTF-8",replacement_char=ord('?'),replace_control_characters=True)
tf.strings.unicode_transcode(["a"],"UTF-8","latin1")
tf.strings.unicode_transcode(["a"],"nope","UTF-8")
tf.strings.unicode_transcode(["a\U0001F600"],"UTF-8","UTF-16-BE")
""".strip().splitlines()

_TEXTS = ["'h\u00e9llo'", "['', 'a\u20ac\U0001f600']", "[['x', 'yz'], ['', '\u65e5']]"]
_BROKEN = ["[b'a\\xff']", "[b'\\xe2\\x82', b'ok']", "[b'\\xf0\\x9f\\x98z']", "b'\\xc3'"]

CASES = [
    *_RAW,
    *[f"tf.strings.unicode_{do}({text}, 'UTF-8')" for do in ("decode", "split") for text in _TEXTS],
    *[
        f"tf.strings.unicode_{do}_with_offsets({text}, 'UTF-8', errors='{errors}')"
        for do in ("decode", "split")
        for text in (*_TEXTS, *_BROKEN)
        for errors in ("replace", "ignore", "strict")
    ],
    *[
        f"tf.strings.unicode_transcode({text}, 'UTF-8', '{to}', errors='{errors}')"
        for text in (*_TEXTS, *_BROKEN)
        for to in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
        for errors in ("replace", "ignore")
    ],
    *[
        f"tf.strings.unicode_decode({text}, '{encoding}')"
        for encoding in ("UTF-16-BE", "UTF-32-BE", "UTF-16LE", "US-ASCII", "ISO-8859-1", "EUC-JP")
        for text in ("[b'ab']", "[b'\\x00a\\x00b', b'']")
        if not (encoding == "UTF-32-BE" and "ab" in text)
    ],
    *[
        f"tf.strings.unicode_script(np.arange({i}, {i + 2000}, 7, np.int32))"
        for i in (0, 2000, 0x2E00, 0x10000)
    ],
]
