"""Pipelines give the elements, specs, cardinalities and errors that TensorFlow gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from data_cases import CASES, ERROR_TYPES, ERRORS, answer, lines

import emplace.tensorflow as tf

ANSWERS = json.loads((Path(__file__).parents[2] / "oracle" / "data.json").read_text())


@pytest.mark.parametrize("expression", lines(CASES))
def test_a_pipeline_is_as_tensorflows(expression):
    assert answer(tf, expression) == ANSWERS[expression]


@pytest.mark.parametrize("expression", lines(ERRORS))
def test_an_error_is_told_as_tensorflow_tells_it(expression):
    assert answer(tf, expression) == ANSWERS[expression]


@pytest.mark.parametrize("expression", lines(ERROR_TYPES))
def test_an_error_has_tensorflows_class(expression):
    assert answer(tf, expression)["error"] == ANSWERS[expression]["error"]
