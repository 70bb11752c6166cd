"""What Keras's objects hold: variables by their paths, and optimizers' slots by their parameters.

Keras is asked for nothing: its classes are known by name, and met only where a program uses it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..devices.charges import PARAMETERS, SLOTS
from .walkers import Held, holds

VARIABLE_RANK, OPTIMIZER_RANK = 2, 3


def values_of(variable: Any) -> Iterator[object]:
    """The raw values of a variable, on each of its devices."""
    variable = getattr(variable, "_value", variable)
    for part in getattr(variable, "values", None) or (variable,):
        yield part.handle._value.value


@holds("keras.src.backend.common.variables.Variable", VARIABLE_RANK)
def of_variable(variable: Any) -> Iterator[Held]:
    """What a variable of Keras 3 holds."""
    for value in values_of(variable):
        yield Held(PARAMETERS, variable.path, value)


@holds("keras.src.optimizers.base_optimizer.BaseOptimizer", OPTIMIZER_RANK)
def of_optimizer(optimizer: Any) -> Iterator[Held]:
    """What an optimizer of Keras 3 holds: "momentum of dense/kernel (adam)"."""
    by_flat_name = {
        each.path.replace("/", "_"): each.path for each in optimizer._trainable_variables
    }
    for variable in optimizer.variables:
        for value in values_of(variable):
            yield Held(SLOTS, _slot_name(variable.path, by_flat_name), value)


def _slot_name(path: str, by_flat_name: dict[str, str]) -> str:
    optimizer, _, name = path.rpartition("/")
    found = [flat for flat in by_flat_name if name.startswith(f"{flat}_")]
    if not found:
        return path
    flat = max(found, key=len)
    return f"{name[len(flat) + 1 :]} of {by_flat_name[flat]} ({optimizer})"


@holds("tf_keras.src.optimizers.optimizer._BaseOptimizer", OPTIMIZER_RANK)
@holds("tf_keras.src.optimizers.legacy.optimizer_v2.OptimizerV2", OPTIMIZER_RANK)
def of_optimizer_of_keras_2(optimizer: Any) -> Iterator[Held]:
    """What an optimizer of Keras 2 holds."""
    variables = optimizer.variables
    for variable in variables() if callable(variables) else variables:
        for value in values_of(variable):
            yield Held(SLOTS, re.sub(r":0$", "", variable.name), value)


LOADED = True
