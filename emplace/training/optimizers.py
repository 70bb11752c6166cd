"""TF 1's optimizers, one class each (`tf.compat.v1.train.*Optimizer`).

A learning rate or another hyperparameter may be a number, a tensor, or a function of no arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.typing import TensorLike
from ..core.tensor import Tensor
from ..eager.variable import Variable
from ..graph.recording.scopes import control_dependencies
from ..ops.convert import to_tensor
from ..ops.op import apply
from ..ops.variables import training
from ..ops.variables.indexed_slices import IndexedSlices
from ..ops.variables.resource_slices import SCATTER
from .optimizer import Optimizer, beside


class GradientDescentOptimizer(Optimizer):
    """Against the gradient (`tf.compat.v1.train.GradientDescentOptimizer`)."""

    def __init__(
        self, learning_rate: TensorLike, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._rate = learning_rate

    @property
    def learning_rate(self) -> Any:
        """The learning rate."""
        return self._rate

    def _apply_dense(self, grad: Tensor, variable: Variable) -> Any:
        return self._step((training.GRADIENT_DESCENT, None), grad, variable, (), (self._rate,))

    def _apply_sparse(self, grad: IndexedSlices, variable: Any) -> Any:
        rate = self._scalar(self._rate, variable.dtype)
        values = grad.values * rate
        return apply(SCATTER["Sub"], (variable.handle, to_tensor(grad.indices), values))


class _Stepping(Optimizer):
    """An optimizer whose step is one op: slots with the names of their variables, and numbers."""

    OPS: Any
    SLOTS: tuple[tuple[str, str], ...] = ()

    def _create_slots(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            for slot, _ in self.SLOTS:
                self._slot(variable, slot, self._name, self._start(slot))

    def _start(self, slot: str) -> Any:
        """The value of a new slot; None for zeros."""
        return None

    def _numbers(self, variable: object) -> tuple[Any, ...]:
        raise NotImplementedError

    def _attrs(self) -> dict[str, Any] | None:
        return None

    def _apply_dense(self, grad: TensorLike, variable: Variable) -> Any:
        slots = [slot for slot, _ in self.SLOTS]
        return self._step(self.OPS, grad, variable, slots, self._numbers(variable), self._attrs())

    _apply_sparse = _apply_dense


class MomentumOptimizer(_Stepping):
    """Along a sum of gradients that fades (`tf.compat.v1.train.MomentumOptimizer`)."""

    OPS = training.MOMENTUM
    SLOTS = (("momentum", "accum"),)

    def __init__(
        self,
        learning_rate: TensorLike,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._hyper = learning_rate, momentum
        self._nesterov = use_nesterov

    def _numbers(self, variable: object) -> tuple[Any, ...]:
        return self._hyper

    def _attrs(self) -> dict[str, Any]:
        return {"use_nesterov": self._nesterov}


class AdagradOptimizer(_Stepping):
    """Slower where gradients have been large (`tf.compat.v1.train.AdagradOptimizer`)."""

    OPS = training.ADAGRAD
    SLOTS = (("accumulator", "accum"),)

    def __init__(
        self,
        learning_rate: TensorLike,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_accumulator_value must be positive: {initial_accumulator_value}"
            )
        super().__init__(use_locking, name)
        self._rate = learning_rate
        self._first = initial_accumulator_value

    def _start(self, slot: str) -> Any:
        return self._first

    def _numbers(self, variable: object) -> tuple[Any, ...]:
        return (self._rate,)


class AdadeltaOptimizer(_Stepping):
    """By the ratio of recent steps and gradients (`tf.compat.v1.train.AdadeltaOptimizer`)."""

    OPS = training.ADADELTA
    SLOTS = (("accum", "accum"), ("accum_update", "accum_update"))

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        rho: Any = 0.95,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._hyper = learning_rate, rho, epsilon

    def _numbers(self, variable: object) -> tuple[Any, ...]:
        return self._hyper


class RMSPropOptimizer(_Stepping):
    """By the mean size of recent gradients (`tf.compat.v1.train.RMSPropOptimizer`)."""

    def __init__(
        self,
        learning_rate: TensorLike,
        decay: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: TensorLike = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._hyper = learning_rate, decay, momentum, epsilon
        self._centered = centered
        self.OPS = training.CENTERED_RMS_PROP if centered else training.RMS_PROP

    def _create_slots(self, variables: Sequence[Any]) -> None:
        names = ["rms", "mg", "momentum"] if self._centered else ["rms", "momentum"]
        for variable in variables:
            for slot in names:
                self._slot(variable, slot, self._name, 1.0 if slot == "rms" else None)

    def _numbers(self, variable: object) -> tuple[Any, ...]:
        return self._hyper

    def _apply_dense(self, grad: TensorLike, variable: Variable) -> Any:
        slots = ["mg", "rms", "momentum"] if self._centered else ["rms", "momentum"]
        return self._step(self.OPS, grad, variable, slots, self._hyper)

    _apply_sparse = _apply_dense


class AdamOptimizer(Optimizer):
    """By the mean and the mean size of recent gradients (`tf.compat.v1.train.AdamOptimizer`)."""

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: TensorLike = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._hyper: tuple[Any, ...] = learning_rate, beta1, beta2, epsilon

    def _create_slots(self, variables: Sequence[Any]) -> None:
        first = min(variables, key=lambda variable: variable.name)
        for i in (1, 2):
            value = self._hyper[i]
            self._number(f"beta{i}_power", value() if callable(value) else value, first)
        for variable in variables:
            self._slot(variable, "m", self._name)
            self._slot(variable, "v", self._name)

    def _apply_dense(self, grad: Tensor, variable: Variable) -> Any:
        powers = self._own["beta1_power"], self._own["beta2_power"]
        numbers = (*powers, *self._hyper)
        return self._step((training.ADAM, None), grad, variable, ("m", "v"), numbers)

    def _finish(self, updates: list[Any]) -> list[Any]:
        done = []
        with control_dependencies([each for each in updates if each is not None]):
            for name, beta in zip(("beta1_power", "beta2_power"), self._hyper[1:3], strict=True):
                power = self._own[name]
                with beside(power):
                    value = power * self._scalar(beta, power.dtype)
                    done.append(power.assign(value, read_value=False))
        return [*updates, *done]
