"""TF 1's optimizers, one class each (`tf.compat.v1.train.*Optimizer`).

A learning rate or another hyperparameter may be a number, a tensor, or a function of no arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from ..base.typing import TensorLike
from ..core.tensor import Tensor
from ..eager.variable import Variable
from ..graph.recording.grouping import group
from ..graph.recording.scopes import control_dependencies
from ..ops.convert import to_tensor
from ..ops.op import apply
from ..ops.variables import training
from ..ops.variables.indexed_slices import IndexedSlices
from ..ops.variables.resource_slices import SCATTER
from .built_in import BuiltIn
from .optimizer import as_scalar, beside


class GradientDescentOptimizer(BuiltIn):
    """Against the gradient (`tf.compat.v1.train.GradientDescentOptimizer`)."""

    HYPER = ("_learning_rate",)
    TENSORS = ("_learning_rate_tensor",)

    def __init__(
        self, learning_rate: TensorLike, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    @property
    def learning_rate(self) -> Any:
        """The learning rate."""
        return self._learning_rate

    def _stepped(self, grad: Any, variable: Any) -> Any:
        if not isinstance(grad, IndexedSlices):
            return self._step((training.GRADIENT_DESCENT, None), grad, variable, (), self._hyper)
        rate = self._scalar(self._learning_rate, variable.dtype)
        values = grad.values * rate
        return apply(SCATTER["Sub"], (variable.handle, to_tensor(grad.indices), values))


class _Stepping(BuiltIn):
    """An optimizer whose step is one op: slots with the names of their variables, and numbers."""

    OPS: Any
    SLOTS: tuple[tuple[str, str], ...] = ()

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for variable in var_list:
            for slot, _ in self.SLOTS:
                self._slot(variable, slot, self._name, self._start(slot))

    def _start(self, slot: str) -> Any:
        """The value of a new slot; None for zeros."""
        return None

    def _attrs(self) -> dict[str, Any] | None:
        return None

    def _stepped(self, grad: TensorLike, variable: Variable) -> Any:
        slots = [slot for slot, _ in self.SLOTS]
        return self._step(self.OPS, grad, variable, slots, self._hyper, self._attrs())


class MomentumOptimizer(_Stepping):
    """Along a sum of gradients that fades (`tf.compat.v1.train.MomentumOptimizer`)."""

    HYPER = ("_learning_rate", "_momentum")
    TENSORS = ("_learning_rate_tensor", "_momentum_tensor")
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
        self._learning_rate, self._momentum = learning_rate, momentum
        self._use_nesterov = use_nesterov

    def _attrs(self) -> dict[str, Any]:
        return {"use_nesterov": self._use_nesterov}


class AdagradOptimizer(_Stepping):
    """Slower where gradients have been large (`tf.compat.v1.train.AdagradOptimizer`)."""

    HYPER = ("_learning_rate",)
    TENSORS = ("_learning_rate_tensor",)
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
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _start(self, slot: str) -> Any:
        return self._initial_accumulator_value


class AdadeltaOptimizer(_Stepping):
    """By the ratio of recent steps and gradients (`tf.compat.v1.train.AdadeltaOptimizer`)."""

    HYPER = ("_lr", "_rho", "_epsilon")
    TENSORS = ("_lr_t", "_rho_t", "_epsilon_t")
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
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon


class RMSPropOptimizer(_Stepping):
    """By the mean size of recent gradients (`tf.compat.v1.train.RMSPropOptimizer`)."""

    HYPER = ("_learning_rate", "_decay", "_momentum", "_epsilon")
    TENSORS = ("_learning_rate_tensor", "_decay_tensor", "_momentum_tensor", "_epsilon_tensor")

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
        self._learning_rate, self._decay = learning_rate, decay
        self._momentum, self._epsilon = momentum, epsilon
        self._centered = centered
        self.OPS = training.CENTERED_RMS_PROP if centered else training.RMS_PROP

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        names = ["rms", "mg", "momentum"] if self._centered else ["rms", "momentum"]
        for variable in var_list:
            for slot in names:
                self._slot(variable, slot, self._name, 1.0 if slot == "rms" else None)

    def _stepped(self, grad: TensorLike, variable: Variable) -> Any:
        slots = ["mg", "rms", "momentum"] if self._centered else ["rms", "momentum"]
        return self._step(self.OPS, grad, variable, slots, self._hyper)


class AdamOptimizer(BuiltIn):
    """By the mean and the mean size of recent gradients (`tf.compat.v1.train.AdamOptimizer`)."""

    HYPER = ("_lr", "_beta1", "_beta2", "_epsilon")
    TENSORS = ("_lr_t", "_beta1_t", "_beta2_t", "_epsilon_t")

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
        self._lr, self._beta1, self._beta2 = learning_rate, beta1, beta2
        self._epsilon = epsilon

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._number(name, functools.partial(self._as_scalar, beta), first)
        for variable in var_list:
            self._slot(variable, "m", self._name)
            self._slot(variable, "v", self._name)

    def _as_scalar(self, number: Any) -> Tensor:
        return as_scalar(self._call_if_callable(number))

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        own = self._get_non_slot_variable
        return own("beta1_power"), own("beta2_power")

    def _stepped(self, grad: TensorLike, variable: Variable) -> Any:
        numbers = (*self._get_beta_accumulators(), *self._hyper)
        return self._step((training.ADAM, None), grad, variable, ("m", "v"), numbers)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        done = []
        with control_dependencies([each for each in update_ops if each is not None]):
            betas = self._beta1, self._beta2
            for power, beta in zip(self._get_beta_accumulators(), betas, strict=True):
                with beside(power):
                    value = power * self._scalar(beta, power.dtype)
                    done.append(power.assign(value, read_value=False))
        return group(*update_ops, *done, name=name_scope)
