"""`tf.compat.v1.debugging`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import (
    verify_tensor_all_finite as _assert_all_finite,
)
from ....classic.functions.assertions import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_integer as assert_integer,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_scalar as assert_scalar,
    assert_shapes as assert_shapes,
    assert_type as assert_type,
)

# Names that differ from ours, as type checkers want them said.
assert_all_finite = _assert_all_finite


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.debugging"), name)
