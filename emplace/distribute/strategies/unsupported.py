"""Strategies that Emplace does not have: their names, for `isinstance`, and what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn

from .strategy import Strategy


class _Missing(Strategy):
    """A strategy that cannot be made."""

    instead = "tf.distribute.MirroredStrategy"

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"Emplace has no tf.distribute.{type(self).__name__}. Use {self.instead}, or run one "
            "process per machine."
        )


class TPUStrategy(_Missing):
    """`tf.distribute.TPUStrategy`: there are no TPUs here."""


class ParameterServerStrategy(_Missing):
    """`tf.contrib.distribute.ParameterServerStrategy`: that of TF 1, for estimators."""

    instead = "tf.train.Server and tf.train.replica_device_setter"
