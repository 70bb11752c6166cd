"""Raw ops that take a step of an optimizer by rows change a row that comes again once more.

The numbers are TensorFlow 2.21's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

ops, c = tf.raw_ops, tf.constant
PULL = {"lr": 0.5, "l1": 0.1, "l2": 0.1}

# What each is called with besides: the names of variables, and numbers.
STEPS: dict[str, tuple[Callable[..., Any], str, dict[str, Any]]] = {
    "Momentum": (
        ops.ResourceSparseApplyMomentum, "accum", {"lr": 0.5, "momentum": 0.9, "use_nesterov": True}
    ),
    "KerasMomentum": (ops.ResourceSparseApplyKerasMomentum, "accum", {"lr": 0.5, "momentum": 0.9}),
    "Adagrad": (ops.ResourceSparseApplyAdagrad, "accum", {"lr": 0.5}),
    "AdagradV2": (ops.ResourceSparseApplyAdagradV2, "accum", {"lr": 0.5, "epsilon": 0.1}),
    "AdagradDA": (
        ops.ResourceSparseApplyAdagradDA,
        "gradient_squared_accumulator - gradient_accumulator", {**PULL, "global_step": 3},
    ),
    "Adadelta": (
        ops.ResourceSparseApplyAdadelta, "accum accum_update",
        {"lr": 0.5, "rho": 0.9, "epsilon": 0.1},
    ),
    "RMSProp": (
        ops.ResourceSparseApplyRMSProp, "ms - mom",
        {"lr": 0.5, "rho": 0.9, "momentum": 0.5, "epsilon": 0.1},
    ),
    "CenteredRMSProp": (
        ops.ResourceSparseApplyCenteredRMSProp, "ms mom mg",
        {"lr": 0.5, "rho": 0.9, "momentum": 0.5, "epsilon": 3.0},
    ),
    "Ftrl": (ops.ResourceSparseApplyFtrl, "accum - linear", {**PULL, "lr_power": -0.5}),
    "FtrlV2": (
        ops.ResourceSparseApplyFtrlV2, "accum - linear",
        {**PULL, "l2_shrinkage": 0.1, "lr_power": -0.5},
    ),
    "Ftrl times rate": (
        ops.ResourceSparseApplyFtrl, "accum - linear",
        {**PULL, "lr_power": -0.5, "multiply_linear_by_lr": True},
    ),
    "FtrlV2 times rate": (
        ops.ResourceSparseApplyFtrlV2, "accum - linear",
        {**PULL, "l2_shrinkage": 0.1, "lr_power": -0.5, "multiply_linear_by_lr": True},
    ),
    "ProximalGradientDescent": (
        ops.ResourceSparseApplyProximalGradientDescent, "", {"alpha": 0.5, "l1": 0.1, "l2": 0.1}
    ),
    "ProximalAdagrad": (ops.ResourceSparseApplyProximalAdagrad, "accum", PULL),
}  # fmt: skip
WANTED = {
    "Momentum": [2.6975, -3.355, 3.0, 4.0, -11.0058, 1.3026],
    "KerasMomentum": [2.45, -1.6, 3.0, 4.0, -5.6535, 12.5895],
    "Adagrad": [1.4714, -2.35355, 3.0, 4.0, -5.89158, 5.7557],
    "AdagradV2": [1.45018, -2.3302, 3.0, 4.0, -5.8494, 5.76349],
    "AdagradDA": [0.35222, -0.15982, 3.0, 4.0, -0.6401, -0.09926],
    "Adadelta": [2.07606, -2.36927, 3.0, 4.0, -7.92181, 5.56763],
    "RMSProp": [1.97598, -2.37673, 3.0, 4.0, -7.57191, 6.1273],
    "CenteredRMSProp": [1.01045, -2.5002, 3.0, 4.0, -8.91685, 4.8432],
    "Ftrl": [1.04182, -0.77824, 3.0, 4.0, -2.34923, 0.11789],
    "FtrlV2": [0.9968, -0.64616, 3.0, 4.0, -1.87809, -0.16061],
    "Ftrl times rate": [1.01931, -0.7122, 3.0, 4.0, -2.51434, 0.27555],
    "FtrlV2 times rate": [0.97429, -0.58012, 3.0, 4.0, -2.02794, -0.01903],
    "ProximalGradientDescent": [1.85714, -2.33333, 3.0, 4.0, -6.15689, 4.33204],
    "ProximalAdagrad": [1.41449, -2.23904, 3.0, 4.0, -5.36948, 5.29709],
}


def stepped(name: str) -> Any:
    """The variable after a step for its rows 2, 0, 2 and 2."""
    op, slots, numbers = STEPS[name]
    var = tf.Variable([[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0]])
    beside = [
        tf.Variable([[0.5, 1.0], [2.0, 0.25], [1.0, 3.0]]),
        tf.Variable([[1.0, 0.5], [0.25, 2.0], [3.0, 1.0]]),
        tf.Variable([[0.1, -0.2], [0.3, -0.4], [0.5, -0.6]]),
    ]
    handles = {
        slot: each.handle for slot, each in zip(slots.split(), beside, strict=False) if slot != "-"
    }
    given = {
        key: c(value, tf.int64) if key == "global_step" else value if value is True else c(value)
        for key, value in numbers.items()
    }
    grad = c([[1.0, 0.5], [-2.0, 1.0], [0.25, -1.0], [3.0, 2.0]])
    op(var=var.handle, **handles, **given, grad=grad, indices=c([2, 0, 2, 2]))
    return var.numpy().ravel()


@pytest.mark.parametrize("name", STEPS)
def test_a_row_that_comes_again_is_changed_again(name: str) -> None:
    np.testing.assert_allclose(stepped(name), WANTED[name], rtol=2e-5, atol=1e-5)
