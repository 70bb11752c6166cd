"""What is known of the shapes of an operation's outputs, op by op."""

from __future__ import annotations

from typing import Any

import pytest

from emplace.base import dtypes
from emplace.base.shapes import Dims
from emplace.graph.shape_inference.shapes import agreed, outputs_of
from emplace.ops.infer import Spec
from emplace.ops.op import REGISTRY


def dims_of(name: str, *given: Dims | None, **attrs: Any) -> Any:
    """The dimensions of an op's one output for inputs of float32."""
    specs = [Spec(dims, dtypes.float32) for dims in given]
    made = outputs_of(REGISTRY[name], specs, attrs, False)
    assert isinstance(made, Spec)
    return made.dims


def test_known_sizes_give_known_sizes() -> None:
    assert dims_of("AddV2", (2, 1), (3,)) == (2, 3)
    assert dims_of("Exp", (2, None)) == (2, None)


def test_an_unknown_size_stays_unknown_and_the_rest_is_known() -> None:
    assert dims_of("MatMul", (None, 3), (3, 4)) == (None, 4)
    assert dims_of("ConcatV2", (None, 3), (2, 3), axis=0) == (None, 3)
    assert dims_of("ConcatV2", (None, 3), (None, 4), axis=1) == (None, 7)


def test_of_an_unknown_rank_nothing_is_known() -> None:
    assert dims_of("Exp", None) is None
    assert dims_of("AddV2", None, (3,)) is None


def test_a_size_that_only_must_be_small_stays_unknown() -> None:
    band = {"k": (-2, -1), "num_rows": 4, "num_cols": -1}
    assert dims_of("MatrixDiagV3", (None, None, None), **band) == (None, 4, None)
    assert dims_of("MatrixDiagV3", (None, None), k=(-2, -2), num_rows=-1, num_cols=5) == (
        None, None, 5,
    )  # fmt: skip


def test_shapes_that_never_fit_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Dimensions must be equal|Matrix size-incompatible"):
        dims_of("MatMul", (2, 3), (4, 5))


def test_two_answers_share_what_is_the_same_in_both() -> None:
    one, other = Spec((2, 7), dtypes.int32), Spec((2, 11), dtypes.int32)
    assert agreed(one, other) == Spec((2, None), dtypes.int32)
    assert agreed(one, Spec((2,), dtypes.int32)) == Spec(None, dtypes.int32)
