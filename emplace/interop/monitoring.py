"""`tensorflow.python.eager.monitoring`: what libraries note of their use. Here it stays with them:
nothing collects it.
"""

from __future__ import annotations

from typing import Any


class MetricCell:
    """What one metric says for one choice of labels."""

    def __init__(self, start: Any) -> None:
        self._value = start

    def value(self) -> Any:
        """What was set, or counted, last."""
        return self._value

    def set(self, value: Any) -> None:
        """Sets it."""
        self._value = value

    def increase_by(self, value: int) -> None:
        """Counts on; numbers below 0 change nothing."""
        self._value += max(value, 0)


class _Metric:
    """A value per choice of labels.

    Args:
        name: such as "/library/use".
        description: what it says.
        labels: the names of labels.
    """

    _START: Any = 0

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._name = name
        self._labels = labels
        self._cells: dict[tuple[str, ...], MetricCell] = {}

    def get_cell(self, *labels: str) -> MetricCell:
        """What it says for these labels.

        Raises:
            ValueError: it has more or fewer labels.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"The {type(self).__name__} expects taking {len(self._labels)} labels")
        return self._cells.setdefault(labels, MetricCell(self._START))


class BoolGauge(_Metric):
    """Whether something is so."""

    _START = False


class IntGauge(_Metric):
    """A number."""


class StringGauge(_Metric):
    """A text."""

    _START = ""


class UseCounter(_Metric):
    """A number that grows."""


Counter = UseCounter
