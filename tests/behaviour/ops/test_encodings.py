"""Strings in encodings of two and four bytes, and what is done about what is no character."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

s = tf.strings


def _bytes(*args, **kwargs):
    return s.unicode_transcode(*args, **kwargs).numpy()


@pytest.mark.parametrize(
    ("text", "encoding", "expected"),
    [
        (b"\x00a\x20\xac", "UTF-16", "a€"),  # without a mark the higher byte is first
        (b"\xd8\x01\xdc\x37", "utf-16", "\U00010437"),
        (b"\xfe\xff\x00<\xfe\xff\x00>", "UTF-16", "<\ufeff>"),
        (b"\xff\xfe<\x00\xff\xfe>\x00", "UTF-16", "<\ufeff>"),
        (b"\xfe\xff\x00<", "UTF-16-BE", "\ufeff<"),
        (b"\x00\x00\x00a\x00\x01\x04\x37", "UTF-32", "a\U00010437"),
        (b"\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32", "a"),
        (b"\xef\xbb\xbfa", "UTF-8", "\ufeffa"),
    ],
)
def test_the_mark_of_a_string_says_the_order_of_its_bytes(text, encoding, expected):
    assert _bytes(text, encoding, "UTF-8") == expected.encode()
    assert s.unicode_decode(text, encoding).numpy().tolist() == list(map(ord, expected))


def test_a_string_without_a_mark_stands_for_itself_behind_one_that_has_it():
    texts = [b"\xff\xfe<\x00", b"\x00a", b"\xfe\xff\x00b", b"\x00c"]
    assert _bytes(texts, "UTF-16", "UTF-8").tolist() == [b"<", b"a", b"b", b"c"]


def test_the_first_character_begins_where_the_mark_does():
    points, places = s.unicode_decode_with_offsets(b"\xfe\xff\x00<\x00>", "UTF-16")
    assert points.numpy().tolist() == [60, 62]
    assert places.numpy().tolist() == [0, 4]


def test_control_characters_are_handled_as_errors_are():
    def made(errors):
        return _bytes(b"a\x00\xffb", "UTF-8", "UTF-8", errors, 42, True)

    assert made("replace") == b"a**b"
    assert made("ignore") == b"ab"
    points = s.unicode_decode(b"a\x00b", "UTF-8", "ignore", 42, True)
    assert points.numpy().tolist() == [97, 98]
    # Where strings are decoded they are replaced even so.
    points = s.unicode_decode(b"a\x00b", "UTF-8", "strict", 42, True)
    assert points.numpy().tolist() == [97, 42, 98]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting"):
        _bytes(b"a\x00b", "UTF-8", "UTF-8", "strict", 42, True)


def test_half_a_character_cannot_stand_for_what_is_none():
    assert _bytes(b"a\xff", "UTF-8", "UTF-8", replacement_char=0xD800) == b"a\xef\xbf\xbd"


@pytest.mark.parametrize(
    ("op", "call"),
    [
        ("StringLength", lambda: s.length("a", unit="XYZ")),
        ("Substr", lambda: s.substr("abc", 0, 1, unit="XYZ")),
        ("UnicodeTranscode", lambda: s.unicode_transcode("a", "UTF-8", "XYZ")),
        ("UnicodeTranscode", lambda: s.unicode_transcode("a", "UTF-8", "UTF-8", "XYZ")),
        ("UnicodeDecode", lambda: s.unicode_decode("a", "UTF-8", "XYZ")),
        ("UnicodeEncode", lambda: s.unicode_encode([97], "UTF-8", "XYZ")),
    ],
)
def test_an_unknown_choice_is_told_where_it_is_made(op, call):
    with pytest.raises(tf.errors.InvalidArgumentError, match='of "XYZ" is not in the list'):
        call()
    with pytest.raises(ValueError, match=f"of '{op}' Op passed string 'XYZ' not in"):
        tf.function(call)()


def test_graphs_refuse_strings_of_unknown_rank_and_segments_that_do_not_fit():
    unknown = [tf.TensorSpec(None, tf.string)]
    with pytest.raises(ValueError, match=r"Rank of `input` must be statically known\."):
        tf.function(lambda x: s.unicode_decode(x, "UTF-8"), unknown).get_concrete_function()
    numbers = [tf.TensorSpec(None, tf.int32)]
    with pytest.raises(ValueError, match=r"Rank of input_tensor must be statically known\."):
        tf.function(lambda x: s.unicode_encode(x, "UTF-8"), numbers).get_concrete_function()
    with pytest.raises(ValueError, match="Segment dimension is 3 while input dimension is 2"):
        tf.function(lambda: s.unsorted_segment_join(["a", "b"], [0, 1, 0], 2))()


def test_a_graph_decodes_one_string():
    raw = tf.raw_ops.UnicodeDecode
    made = tf.function(lambda: raw(input="ab", input_encoding="UTF-8").row_splits)()
    assert made.numpy().tolist() == [0, 2]
