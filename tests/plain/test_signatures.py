"""The signatures of functions: which spec is for which argument, and what a trace takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from hand_made import HandMade

from emplace.base import dtypes
from emplace.core.tensor_spec import TensorSpec
from emplace.graph.function.arguments.signatures import UnknownArgument, described, fitted, renamed

SPEC = TensorSpec((), dtypes.float32)


def fit(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the parameters for so many specs."""
    return list(fitted(inspect.signature(function), [SPEC] * count).parameters)


def test_a_spec_is_for_each_argument_in_its_place() -> None:
    assert fit(lambda x, y=1: x, 2) == ["x", "y"]
    assert fit(lambda x, y=1: x, 1) == ["x", "y"]


def test_each_of_many_arguments_gets_a_parameter_of_its_own() -> None:
    assert fit(lambda x, *more: x, 3) == ["x", "more_0", "more_1"]


def test_too_many_specs_and_too_few_are_refused() -> None:
    with pytest.raises(TypeError, match="contains 1 extra type constraints"):
        fit(lambda x: x, 2)
    with pytest.raises(TypeError, match="missing type constraint for y"):
        fit(lambda x, y: x, 1)


def test_a_trace_takes_specs_for_tensors_and_plain_values_as_they_are() -> None:
    made = HandMade()
    x = made.argument((2, None))
    (args, kwargs) = described((x, 3), {"mode": "fast", "model": object()})
    assert args == (TensorSpec((2, None), dtypes.float32, x.op.name), 3)
    assert kwargs["mode"] == "fast"
    assert isinstance(kwargs["model"], UnknownArgument)


def test_tensors_of_a_trace_get_other_names() -> None:
    signature = ((SPEC, 3), {})
    (args, _) = renamed(signature, ["x"])
    assert args[0].name == "x"
    assert args[1] == 3
    assert renamed(signature, ["x", "y"]) is signature
