"""Loss scales: by what TF 1's mixed precision multiplies a loss, so that small gradients in
float16 do not become 0 (`tf.compat.v1.mixed_precision`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from ..base import dtypes, nest
from ..base.typing import DTypeLike, Structure
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..core.tracking import Trackable
from ..distribute.replicas.contexts import has_strategy
from ..distribute.replicas.values import ReduceOp
from ..distribute.strategies.strategy import get_strategy
from ..eager.variable import Variable
from ..graph.recording.grouping import group
from ..graph.recording.scopes import control_dependencies, current_graph
from ..ops.array.select import where
from ..ops.array.shaping import identity
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast, equal, is_finite, logical_and, maximum
from ..ops.math.reduction import reduce_all
from ..ops.variables.indexed_slices import IndexedSlices


class LossScale(Trackable):
    """Base of the loss scales. A call returns the scale, a scalar of float32; `update` tells it of
    a step's gradients.
    """

    def __init__(self) -> None:
        # Its variables by name and graph; checkpoints of a graph have that graph's.
        self._self_weights: dict[tuple[str, Any], Variable] = {}

    def __call__(self) -> Tensor:
        """The scale."""
        raise NotImplementedError

    def update(self, grads: Structure) -> tuple[Any, Any]:
        """Adapts the scale to the gradients of a step.

        Args:
            grads: gradients without the scale; values per replica where a strategy is.

        Returns:
            An operation or tensor that does it, None in eager mode; and whether the step is to be
            taken.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments of the class."""
        raise NotImplementedError

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A loss scale of `get_config`'s arguments."""
        return cls(**config)

    def _add_weight(
        self, name: str, initial_value: float, dtype: DTypeLike | None = None
    ) -> Variable:
        """A variable of its own, which checkpoints call `name`.

        Raises:
            RuntimeError: it has one of that name.
        """
        key = name, current_graph()
        if key in self._self_weights:
            raise RuntimeError(f"Duplicate variables detected. {key}")
        made = Variable(initial_value, trainable=False, name=name, dtype=dtype)
        self._self_weights[key] = made
        self._handle_deferred_dependencies(name, made)
        return made

    def weights(self) -> list[Variable]:
        """All its variables."""
        return list(self._self_weights.values())

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        graph = current_graph()
        own = {name: each for (name, there), each in self._self_weights.items() if there is graph}
        return {**own, **super()._trackable_children(save_type, **kwargs)}


class FixedLossScale(LossScale):
    """A scale that stays (`tf.compat.v1.mixed_precision.FixedLossScale`).

    Args:
        loss_scale_value: the scale, at least 1.

    Raises:
        ValueError: it is less than 1, or no number.
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        if not isinstance(loss_scale_value, (int, float)):
            raise ValueError("loss_scale_value must be a Python int or float.")
        if loss_scale_value < 1:
            raise ValueError("loss_scale_value must be at least 1.")
        self._value = float(loss_scale_value)

    def __call__(self) -> Tensor:
        """The scale."""
        return to_tensor(self._value)

    def update(self, grads: Structure) -> tuple[Any, Any]:
        """Changes nothing; every step is to be taken."""
        return group(), True

    def __repr__(self) -> str:
        return f"FixedLossScale({self._value})"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the class."""
        return {"loss_scale_value": self._value}


class DynamicLossScale(LossScale):
    """A scale that grows while gradients are finite, and shrinks, to 1 at least, when they are not
    (`tf.compat.v1.mixed_precision.DynamicLossScale`). Such a step is not to be taken.

    Args:
        initial_loss_scale: the first scale.
        increment_period: it grows after so many steps in a row with finite gradients.
        multiplier: by which it grows and shrinks.
    """

    def __init__(
        self,
        initial_loss_scale: float = 2**15,
        increment_period: int = 2000,
        multiplier: float = 2.0,
    ) -> None:
        super().__init__()
        self._initial = float(initial_loss_scale)
        self._period = int(increment_period)
        self._multiplier = float(multiplier)
        self._add_weight("current_loss_scale", self._initial, dtypes.float32)
        self._add_weight("good_steps", 0, dtypes.int64)

    @property
    def initial_loss_scale(self) -> float:
        """The first scale."""
        return self._initial

    @property
    def increment_period(self) -> int:
        """After how many good steps it grows."""
        return self._period

    @property
    def multiplier(self) -> float:
        """By which it grows and shrinks."""
        return self._multiplier

    @property
    def _current_loss_scale(self) -> Variable:
        return self._made("current_loss_scale")

    @property
    def _num_good_steps(self) -> Variable:
        return self._made("good_steps")

    def _made(self, name: str) -> Variable:
        return next(each for (there, _), each in self._self_weights.items() if there == name)

    def __call__(self) -> Tensor:
        """The scale."""
        return to_tensor(self._current_loss_scale)

    def update(self, grads: Structure) -> tuple[Any, Any]:
        """Grows or shrinks; see `LossScale.update`."""
        finite = _finite_everywhere(nest.flatten(grads))
        scale, steps = to_tensor(self._current_loss_scale), to_tensor(self._num_good_steps) + 1
        grows = steps >= self._period
        grown = scale * self._multiplier
        good = where(logical_and(grows, is_finite(grown)), grown, scale)
        bad = maximum(scale / self._multiplier, 1.0)
        count = where(logical_and(finite, ~grows), steps, 0)
        changes = [
            self._current_loss_scale.assign(where(finite, good, bad), read_value=False),
            self._num_good_steps.assign(count, read_value=False),
        ]
        if LOCAL.state.target.is_eager:
            return None, finite
        with control_dependencies(changes):
            return identity(finite), finite

    def __repr__(self) -> str:
        now = ""
        if LOCAL.state.target.is_eager:
            now = (
                f"current_loss_scale={self._current_loss_scale.numpy()}, "
                f"num_good_steps={self._num_good_steps.numpy()}, "
            )
        return (
            f"DynamicLossScale({now}initial_loss_scale={self._initial}, "
            f"increment_period={self._period}, multiplier={self._multiplier})"
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments of the class."""
        return {
            "initial_loss_scale": self._initial, "increment_period": self._period,
            "multiplier": self._multiplier,
        }  # fmt: skip


def loss_scale_of(identifier: object) -> LossScale | None:
    """The loss scale that a number, "dynamic" or a LossScale stands for; None for None.

    Raises:
        ValueError: it is something else.
    """
    if isinstance(identifier, (int, float)):
        return FixedLossScale(identifier)
    if identifier == "dynamic":
        return DynamicLossScale()
    if identifier is None or isinstance(identifier, LossScale):
        return identifier
    raise ValueError(f"Could not interpret loss scale identifier: {identifier}")


def _finite_everywhere(grads: Sequence[Any]) -> Any:
    """Whether all numbers in the gradients of all replicas are finite."""
    if not has_strategy():
        return _finite(grads)
    strategy = get_strategy()
    each = strategy.extended.call_for_each_replica(
        lambda own: cast(_finite(own), dtypes.float32), args=(grads,)
    )
    total = strategy.reduce(ReduceOp.SUM, each, axis=None)
    return equal(total, float(strategy.num_replicas_in_sync))


def _finite(grads: Sequence[Any]) -> Tensor:
    found = [
        reduce_all(is_finite(each.values if isinstance(each, IndexedSlices) else each))
        for each in grads
        if each is not None
    ]
    return reduce_all(to_tensor(found)) if found else to_tensor(True)
