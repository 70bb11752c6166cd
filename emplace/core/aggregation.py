"""How copies of a variable on several devices are kept one: words that variables are made with."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any


class VariableSynchronization(enum.Enum):
    """When the copies of a variable are made one (`tf.VariableSynchronization`)."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates of a variable's copies are joined (`tf.VariableAggregation`)."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3
    ONLY_FIRST_TOWER = 3  # TF 1's name for it


class AggregationMethod:
    """How gradients of one tensor are added (`tf.AggregationMethod`); here always at once."""

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def check_constraint(constraint: Callable[..., Any] | None) -> None:
    """Raises ValueError unless a constraint of a variable can be called."""
    if constraint is not None and not callable(constraint):
        raise ValueError(
            f"Argument `constraint` must be None or a callable. Got a {type(constraint)}: "
            f"{constraint}"
        )


def is_trained(trainable: bool | None, synchronization: object) -> bool:
    """Whether a variable is trainable: if nobody says, unless it is brought together on reading."""
    if trainable is None:
        return synchronization is not VariableSynchronization.ON_READ
    return bool(trainable)
