"""`dir` of a namespace tells all names that it has, also those whose code is loaded late."""

from __future__ import annotations

import pytest
from programs import code

import emplace.tensorflow as tf

LATE = {
    "linalg": "LinearOperatorDiag", "experimental.numpy": "arcsinh", "debugging":
    "enable_traceback_filtering", "test": "TestCase", "nn": "fractional_max_pool",
    "compat.v1.test": "TestCase",
}  # fmt: skip


@pytest.mark.parametrize("namespace", LATE)
def test_late_names_are_listed_before_they_are_loaded(namespace: str) -> None:
    lines = (
        f"import emplace.tensorflow as tf; names = dir(tf.{namespace})",
        (f"print(*[name in names for name in ({LATE[namespace]!r}, '__name__')])"),
    )
    assert code("\n".join(lines)).stdout == "True True\n"


def test_what_is_listed_is_there() -> None:
    for module in (
        tf,
        tf.linalg,
        tf.experimental.numpy,
        tf.debugging,
        tf.io,
        tf.train,
        tf.compat.v1,
    ):
        assert all(hasattr(module, name) for name in dir(module)), module.__name__
        assert "saved_model_no_such_name" not in dir(module)
