"""What strategies speak of: ways to reduce, and values that differ between replicas."""

from __future__ import annotations

import enum
from typing import Any

from ..core.aggregation import VariableAggregation


class ReduceOp(enum.Enum):
    """How values of replicas become one (`tf.distribute.ReduceOp`)."""

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """The reduction that an aggregation stands for.

        Raises:
            ValueError: it stands for none.
        """
        if aggregation in (VariableAggregation.SUM, VariableAggregation.MEAN):
            return ReduceOp[aggregation.name]
        raise ValueError(f"Could not convert from `tf.VariableAggregation` {aggregation} to a "
                         "`tf.distribute.ReduceOp`.")  # fmt: skip


class DistributedValues:
    """One value per replica (`tf.distribute.DistributedValues`)."""

    def __init__(self, values: Any) -> None:
        self._values = tuple(values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values, by replica."""
        return self._values


class DistributedDataset:
    """A dataset whose elements are `DistributedValues` (`tf.distribute.DistributedDataset`)."""


class DistributedIterator:
    """An iterator over such a dataset (`tf.distribute.DistributedIterator`)."""
