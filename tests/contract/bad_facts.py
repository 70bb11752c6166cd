"""What Emplace raises for the calls of bad_inputs.py."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from bad_inputs import HUGE
from op_cases.values import evaluate

import emplace.tensorflow as tf

RECORDED = Path(__file__).resolve().parents[1] / "data" / "bad_inputs.json"


@functools.cache
def tensorflows() -> dict[str, str]:
    """The class of error TensorFlow raises, by call; what is huge fits into no memory."""
    recorded = dict(json.loads(RECORDED.read_text()))
    return recorded | dict.fromkeys(HUGE, "ResourceExhaustedError")


def error_of(expression: str) -> str:
    """The class of error a call raises, or that it raises none."""
    try:
        evaluate(expression, tf)
    except Exception as error:
        return type(error).__name__
    return "no error"


def with_other_errors() -> set[str]:
    """The calls that raise another class than TensorFlow's on the CPU."""
    return {each for each, expected in tensorflows().items() if error_of(each) != expected}
