"""TF 1 optimizers that pull towards zero, and what their arguments may be: TensorFlow numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow.compat.v1 as tf1

train = tf1.train
Make = Callable[[Any], Any]


def after_three_steps(make: Make, is_sparse: bool) -> tuple[Any, dict[str, Any], list[str]]:
    """A variable, its slots, and the names of all variables, after three steps."""
    with tf1.Graph().as_default():
        v = tf1.get_variable("v", [3], initializer=tf1.constant_initializer([1.0, -2.0, 3.0]))
        step = train.get_or_create_global_step()
        optimizer = make(step)
        if is_sparse:
            grad = tf1.IndexedSlices(tf1.constant([0.5, -1.0, 0.25]), tf1.constant([0, 2, 0]))
            go = optimizer.apply_gradients([(grad, v)], global_step=step)
        else:
            loss = tf1.reduce_sum(v**2 * [1.0, 0.5, 0.25])
            go = optimizer.minimize(loss, global_step=step)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            for _ in range(3):
                session.run(go)
            slots = {n: session.run(optimizer.get_slot(v, n)) for n in optimizer.get_slot_names()}
            return session.run(v), slots, sorted(x.name for x in tf1.global_variables())


L1_L2 = {"l1_regularization_strength": 0.3, "l2_regularization_strength": 0.2}
SHRINKING: dict[str, Any] = {
    "learning_rate_power": -0.3, "initial_accumulator_value": 0.2, "beta": 0.5,
    "l1_regularization_strength": 0.1, "l2_regularization_strength": 0.2,
    "l2_shrinkage_regularization_strength": 0.3, "accum_name": "A", "linear_name": "L",
}  # fmt: skip
CASES: list[tuple[Make, bool, list[float]]] = [
    (lambda s: train.FtrlOptimizer(0.1), False, [0.63789, -1.47612, 2.17329]),
    (lambda s: train.FtrlOptimizer(0.1), True, [0.39548, -2.0, 2.31661]),
    (lambda s: train.FtrlOptimizer(0.1, beta=0.5), False, [0.51976, -1.19162, 1.64924]),
    (lambda s: train.FtrlOptimizer(0.1, beta=0.5), True, [0.23421, -2.0, 1.57909]),
    (lambda s: train.FtrlOptimizer(0.1, **SHRINKING), False, [0.24163, -0.62363, 0.83254]),
    (lambda s: train.FtrlOptimizer(0.1, **SHRINKING), True, [0.01435, -2.0, 0.82545]),
    (lambda s: train.ProximalGradientDescentOptimizer(0.1), False, [0.512, -1.458, 2.57212]),
    (
        lambda s: train.ProximalGradientDescentOptimizer(0.1, **L1_L2), False,
        [0.4119, -1.29564, 2.34145],
    ),
    (lambda s: train.ProximalGradientDescentOptimizer(0.1, **L1_L2), True, [0.63951, -2, 3.02884]),
    (lambda s: train.ProximalAdagradOptimizer(0.1), False, [0.7823, -1.7777, 2.77768]),
    (lambda s: train.ProximalAdagradOptimizer(0.1, **L1_L2), False, [0.72976, -1.70264, 2.64896]),
    (lambda s: train.ProximalAdagradOptimizer(0.1, **L1_L2), True, [0.65352, -2.0, 3.02147]),
    (lambda s: train.AdagradDAOptimizer(0.1, s), False, [-0.07959, 0.08906, -0.09148]),
    (lambda s: train.AdagradDAOptimizer(0.1, s, **L1_L2), False, [-0.03888, 0.04566, -0.03351]),
    (lambda s: train.AdagradDAOptimizer(0.1, s, **L1_L2), True, [-0.09664, -2.0, 0.11534]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "is_sparse", "wanted"), CASES)
def test_three_steps_lead_where_tensorflows_lead(
    make: Make, is_sparse: bool, wanted: list[float]
) -> None:
    np.testing.assert_allclose(after_three_steps(make, is_sparse)[0], wanted, atol=1.1e-5)


def test_slots_have_tensorflows_names_and_values() -> None:
    _, slots, names = after_three_steps(lambda s: train.FtrlOptimizer(0.1, **SHRINKING), False)
    np.testing.assert_allclose(slots["linear"], [-5.29587, 13.68376, -16.01256], atol=2e-5)
    np.testing.assert_allclose(slots["accum"], [4.89479, 5.18247, 2.86514], atol=2e-5)
    assert names == ["global_step:0", "v/A:0", "v/L:0", "v:0"]
    _, slots, names = after_three_steps(lambda s: train.AdagradDAOptimizer(0.1, s), False)
    np.testing.assert_allclose(slots["gradient_accumulator"], [1.62526, -1.80744, 1.40377], 1e-5)
    assert names == ["global_step:0", "v/AdagradDA:0", "v/AdagradDA_1:0", "v:0"]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (
            lambda: train.FtrlOptimizer(0.1, learning_rate_power=0.5),
            "learning_rate_power 0.500000 needs to be negative or zero",
        ),
        (
            lambda: train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=-1.0),
            "l2_shrinkage_regularization_strength -1.000000 needs to be positive or zero",
        ),
        (
            lambda: train.FtrlOptimizer(0.1, initial_accumulator_value=-1.0),
            "initial_accumulator_value -1.000000 needs to be positive or zero",
        ),
        (
            lambda: train.ProximalAdagradOptimizer(0.1, initial_accumulator_value=-1.0),
            "initial_accumulator_value must be positive: -1.0",
        ),
        (
            lambda: train.AdagradDAOptimizer(
                0.1, None, initial_gradient_squared_accumulator_value=-1.0
            ),
            "initial_gradient_squared_accumulator_value must be positive: -1.0",
        ),
    ],
)
def test_arguments_without_meaning_are_refused(make: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize(("own", "name"), [(False, "beta1_power:0"), (True, "A/beta1_power:0")])
def test_an_optimizers_own_variables_may_be_named_below_it(own: bool, name: str) -> None:
    with tf1.Graph().as_default():
        v = tf1.get_variable("v", [1])
        optimizer = train.AdamOptimizer(name="A", use_own_namescope_for_non_slot_vars=own)
        optimizer.minimize(v * v)
        assert name in [each.name for each in optimizer.variables()]


def test_a_loss_must_be_a_fraction_and_variables_must_be_given() -> None:
    with tf1.Graph().as_default():
        v = tf1.get_variable("v", [1])
        optimizer = train.GradientDescentOptimizer(0.1)
        with pytest.raises(ValueError, match=r"Invalid type tf\.int32 for c:0, expected: \[tf\."):
            optimizer.minimize(tf1.constant([1], name="c"))
        with pytest.raises(ValueError, match="No variables to optimize"):
            optimizer.minimize(v, var_list=[])
