"""Ragged tensors as text."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import emplace.tensorflow as tf

MANY = tf.ragged.constant([list(range(10)), [1], [], [2], [], [3], [4], [5, 6]])
WORDS = tf.ragged.constant([["a", "b'c"], ['d"e']])


@pytest.mark.parametrize(
    ("value", "summarize", "wanted"),
    [
        (MANY, 3, "[[0, 1, 2, ..., 7, 8, 9], [1], [], ..., [3], [4], [5, 6]]"),
        (MANY, 1, "[[0, ..., 9], ..., [5, 6]]"),
        (MANY[:2], -1, "[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1]]"),
        (WORDS, 3, "[['a', 'b\\'c'], ['d\"e']]"),
        (tf.ragged.constant([[True], [False]]), 3, "[[true], [false]]"),
    ],
)
def test_rows_are_shortened_and_texts_quoted(
    value: Any, summarize: int, wanted: str, capsys: Any
) -> None:
    spec = tf.type_spec_from_value(value[:, :0])
    unknown = tf.RaggedTensorSpec([None, None], spec.dtype)

    def written(x: Any) -> Any:
        tf.print("it:", x, output_stream=sys.stdout, summarize=summarize)
        return tf.strings.format("{} {}", [x, 1], summarize=summarize)

    for function in (written, tf.function(written, input_signature=[unknown])):
        assert function(value).numpy().decode() == f"{wanted} 1"
        assert capsys.readouterr().out == f"it: {wanted}\n"


def test_rows_are_written_inside_of_structures(capsys: Any) -> None:
    tf.print([MANY[1:3], {"words": WORDS}], output_stream=sys.stdout)
    assert capsys.readouterr().out == "[[[1], []], {'words': [['a', 'b\\'c'], ['d\"e']]}]\n"


def test_a_text_with_a_placeholder_stays_a_text() -> None:
    made = tf.strings.format("{} {}", [tf.ragged.constant([["{}"]]), 1])
    assert made.numpy() == b"[['{}']] 1"
