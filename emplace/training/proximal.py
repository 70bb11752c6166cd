"""TF 1's optimizers that pull towards zero: FTRL, proximal steps, dual averaging.

They are composed of plain ops: `_next` computes what the variable and its slots become, for all of
their elements or for the rows that have a gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.typing import TensorLike
from ..core.tensor import Tensor
from ..eager.variable import Variable
from ..graph.recording.grouping import group
from ..ops.array.gathering import gather
from ..ops.array.making import zeros_like
from ..ops.array.select import where
from ..ops.math.elementwise import cast, maximum, pow, rsqrt, sign, sqrt, square
from ..ops.variables import training
from ..ops.variables.indexed_slices import IndexedSlices
from .built_in import BuiltIn
from .optimizer import summed


class _Composed(BuiltIn):
    """An optimizer whose step is made of plain ops."""

    SLOTS: tuple[str, ...] = ()
    HYPER: tuple[str, ...] = (
        "_learning_rate",
        "_l1_regularization_strength",
        "_l2_regularization_strength",
    )
    TENSORS: tuple[str, ...] = ("_learning_rate_tensor", "_l1_regularization_strength_tensor",
               "_l2_regularization_strength_tensor")  # fmt: skip

    def _next(self, grad: Any, values: Sequence[Any]) -> Sequence[Any]:
        """What the variable and its slots become."""
        raise NotImplementedError

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            for slot in self.SLOTS:
                self._slot(variable, slot, self._name, self._start(slot))

    def _start(self, slot: str) -> Any:
        """The value of a new slot; None for zeros."""
        return None

    def _all(self, variable: Any) -> list[Any]:
        return [variable, *[self.get_slot(variable, slot) for slot in self.SLOTS]]

    def _stepped(self, grad: Any, variable: Any) -> Any:
        changed = self._all(variable)
        if not isinstance(grad, IndexedSlices):
            found = self._next(grad, [each.value() for each in changed])
            return _done([each.assign(x) for each, x in zip(changed, found, strict=True)])
        values, indices = summed(grad)
        rows = self._next(values, [gather(each, indices) for each in changed])
        return _done(
            [
                each.scatter_update(IndexedSlices(x, indices))
                for each, x in zip(changed, rows, strict=True)
            ]
        )


def _done(changes: list[Any]) -> Any:
    return group(*[change.op if hasattr(change, "_node") else change for change in changes])


def _pulled(value: Tensor, l1: Any, l2: Any) -> Any:
    """A value nearer to zero: by `l1`, and then by the factor 1 / (1 + `l2`)."""
    return sign(value) * maximum(abs(value) - l1, 0.0) / (1.0 + l2)


class ProximalGradientDescentOptimizer(_Composed):
    """Against the gradient and towards zero
    (`tf.compat.v1.train.ProximalGradientDescentOptimizer`).
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength

    def _next(self, grad: Any, values: Sequence[Any]) -> Sequence[Any]:
        rate, l1, l2 = [self._scalar(each, grad.dtype) for each in self._hyper]
        return [_pulled(values[0] - grad * rate, rate * l1, rate * l2)]


class ProximalAdagradOptimizer(_Composed):
    """Adagrad, and towards zero (`tf.compat.v1.train.ProximalAdagradOptimizer`).

    Raises:
        ValueError: `initial_accumulator_value` is not positive.
    """

    SLOTS = ("accumulator",)

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._first = initial_accumulator_value

    def _start(self, slot: str) -> Any:
        return self._first

    def _next(self, grad: Any, values: Sequence[Any]) -> Sequence[Any]:
        rate, l1, l2 = [self._scalar(each, grad.dtype) for each in self._hyper]
        sizes = values[1] + square(grad)
        rates = rate * rsqrt(sizes)
        return [_pulled(values[0] - grad * rates, rates * l1, rates * l2), sizes]


class AdagradDAOptimizer(_Composed):
    """Adagrad with dual averaging (`tf.compat.v1.train.AdagradDAOptimizer`).

    Raises:
        ValueError: `initial_gradient_squared_accumulator_value` is not positive.
    """

    SLOTS = ("gradient_accumulator", "gradient_squared_accumulator")

    def __init__(
        self,
        learning_rate: TensorLike,
        global_step: Any,
        initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                "initial_gradient_squared_accumulator_value must be positive: "
                f"{initial_gradient_squared_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._first = initial_gradient_squared_accumulator_value
        self._global_step = global_step

    def _start(self, slot: str) -> Any:
        return self._first if slot == "gradient_squared_accumulator" else None

    def _next(self, grad: Any, values: Sequence[Any]) -> Sequence[Any]:
        rate, l1, l2 = [self._scalar(each, grad.dtype) for each in self._hyper]
        step = cast(self._global_step + 1, grad.dtype)
        total, sizes = values[1] + grad, values[2] + square(grad)
        shrunk = sign(total) * maximum(abs(total) - l1 * step, 0.0)
        return [-rate * shrunk / (l2 * step * rate + sqrt(sizes)), total, sizes]


class FtrlOptimizer(_Composed):
    """Follow the regularized leader (`tf.compat.v1.train.FtrlOptimizer`).

    Raises:
        ValueError: a strength is negative, or the power positive.
    """

    HYPER = (*_Composed.HYPER, "_learning_rate_power")
    TENSORS = (*_Composed.TENSORS, "_learning_rate_power_tensor")
    SLOTS = ("accum", "linear")

    def __init__(
        self,
        learning_rate: TensorLike,
        learning_rate_power: Any = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "Ftrl",
        accum_name: str | None = None,
        linear_name: str | None = None,
        l2_shrinkage_regularization_strength: Any = 0.0,
        beta: TensorLike | None = None,
    ) -> None:
        super().__init__(use_locking, name)
        _at_least_0("initial_accumulator_value", initial_accumulator_value)
        if not callable(learning_rate_power) and learning_rate_power > 0.0:
            raise ValueError(
                f"learning_rate_power {learning_rate_power:f} needs to be negative or zero"
            )
        _at_least_0("l1_regularization_strength", l1_regularization_strength)
        _at_least_0("l2_regularization_strength", l2_regularization_strength)
        _at_least_0("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._learning_rate_power = learning_rate_power
        self._first = initial_accumulator_value
        self._shrinkage = l2_shrinkage_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._slot_names = accum_name or name, linear_name or name

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            self._slot(variable, "accum", self._slot_names[0], self._first)
            self._slot(variable, "linear", self._slot_names[1])

    def _numbers(self, dtype: Any) -> list[Any]:
        rate, l1, l2, power = [self._scalar(each, dtype) for each in self._hyper]
        if not isinstance(self._beta, float) or self._beta:
            l2 = l2 + self._scalar(self._beta, dtype) / (2.0 * rate)
        return [rate, l1, l2, power]

    def _stepped(self, grad: Any, variable: Variable) -> Any:
        if self._shrinks:
            return super()._stepped(grad, variable)
        return self._step(training.FTRL, grad, variable, self.SLOTS, self._numbers(variable.dtype))

    @property
    def _shrinks(self) -> bool:
        return callable(self._shrinkage) or self._shrinkage > 0.0

    def _next(self, grad: Tensor, values: Sequence[Any]) -> Sequence[Any]:
        rate, l1, l2, power = self._numbers(grad.dtype)
        value, accum, linear = values
        sizes = accum + square(grad)
        new, old = pow(sizes, -power), pow(accum, -power)
        shrunk = grad + 2.0 * self._scalar(self._shrinkage, grad.dtype) * value
        linear = linear + shrunk - (new - old) / rate * value
        found = (sign(linear) * l1 - linear) / (new / rate + 2.0 * l2)
        return [where(abs(linear) > l1, found, zeros_like(found)), sizes, linear]


def _at_least_0(name: str, value: float) -> None:
    if not callable(value) and value < 0.0:
        raise ValueError(f"{name} {value:f} needs to be positive or zero")
