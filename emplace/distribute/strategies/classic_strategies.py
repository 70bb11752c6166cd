"""The strategies of `tf.compat.v1.distribute`: those of TF 2 with TF 1's methods."""

from __future__ import annotations

from ...graph.recording.default import get_default_graph
from ..replicas.values import ReduceOp
from .mirrored import MirroredStrategy
from .one_device import OneDeviceStrategy
from .strategy import StrategyV1, get_strategy


class MirroredStrategyV1(StrategyV1, MirroredStrategy):
    """The same model on several devices (`tf.compat.v1.distribute.MirroredStrategy`): see
    `MirroredStrategy`.
    """


class OneDeviceStrategyV1(StrategyV1, OneDeviceStrategy):
    """Everything on one device (`tf.compat.v1.distribute.OneDeviceStrategy`)."""


for _kind in (MirroredStrategyV1, OneDeviceStrategyV1):
    _kind.__name__ = _kind.__name__.removesuffix("V1")  # as programs and messages call it


def get_loss_reduction() -> ReduceOp:
    """How losses of replicas are brought together (`tf.compat.v1.distribute.get_loss_reduction`):
    added up, unless an estimator trains with a mean.
    """
    if not getattr(get_strategy(), "_scales_loss", False):
        return ReduceOp.SUM
    last = getattr(get_default_graph(), "_last_loss_reduction", None)
    return ReduceOp.SUM if last in ("weighted_sum", "none") else ReduceOp.MEAN
