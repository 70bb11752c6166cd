"""Rows of raw ops that take one step of an optimizer; formulas of those that no optimizer of ours
uses.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..ops.math.elementwise import cast
from ..ops.op import Op, apply_any
from ..ops.variables import training as steps
from ..ops.variables.training import declare_update, lead
from .rows import Row, composed

Tensor = torch.Tensor


def ada_max(
    var: Tensor, m: Tensor, v: Tensor, beta1_power: Tensor, lr: Tensor, beta1: Tensor,
    beta2: Tensor, epsilon: Tensor, grad: Tensor,
) -> None:  # fmt: skip
    """By the mean and the largest of recent gradients."""
    m.add_((grad - m) * (1 - beta1))
    v.copy_(torch.maximum(v * beta2, grad.abs()))
    var.sub_(lr / (1 - beta1_power) * (m / (v + epsilon)))


def amsgrad(
    var: Tensor, m: Tensor, v: Tensor, vhat: Tensor, beta1_power: Tensor, beta2_power: Tensor,
    lr: Tensor, beta1: Tensor, beta2: Tensor, epsilon: Tensor, grad: Tensor,
) -> None:  # fmt: skip
    """Adam with the largest mean size so far."""
    m.add_((grad - m) * (1 - beta1))
    v.add_((grad * grad - v) * (1 - beta2))
    vhat.copy_(torch.maximum(vhat, v))
    alpha = lr * torch.sqrt(1 - beta2_power) / (1 - beta1_power)
    var.sub_(m * alpha / (vhat.sqrt() + epsilon))


def add_sign(
    var: Tensor, m: Tensor, lr: Tensor, alpha: Tensor, sign_decay: Tensor, beta: Tensor,
    grad: Tensor,
) -> None:  # fmt: skip
    """Further where the gradient goes on as before."""
    agreement = _agreement(m, beta, grad)
    var.sub_(lr * (alpha + sign_decay * agreement) * grad)


def power_sign(
    var: Tensor, m: Tensor, lr: Tensor, logbase: Tensor, sign_decay: Tensor, beta: Tensor,
    grad: Tensor,
) -> None:  # fmt: skip
    """The same by a power."""
    agreement = _agreement(m, beta, grad)
    var.sub_(lr * (logbase * sign_decay * agreement).exp() * grad)


def _agreement(m: Tensor, beta: Tensor, grad: Tensor) -> Tensor:
    """Moves the mean gradient on; 1 where the gradient has its sign, -1 where the other one."""
    m.copy_(grad * (1 - beta) + m * beta)
    return grad.sign() * m.sign()


def adagrad_v2(
    var: Tensor, accum: Tensor, lr: Tensor, epsilon: Tensor, grad: Tensor,
    *, update_slots: bool = True,
) -> None:  # fmt: skip
    """Slower where gradients have been large, with a bound."""
    if update_slots:
        accum.add_(grad * grad)
    var.sub_(grad * lr / (accum.sqrt() + epsilon))


def adagrad_da(
    var: Tensor, gradient_accumulator: Tensor, gradient_squared_accumulator: Tensor, lr: Tensor,
    l1: Tensor, l2: Tensor, global_step: Tensor, grad: Tensor,
) -> None:  # fmt: skip
    """From the sums of all gradients, by dual averaging."""
    gradient_accumulator.add_(grad)
    gradient_squared_accumulator.add_(grad * grad)
    total = gradient_accumulator
    total = torch.where(l1 > 0, total.sign() * (total.abs() - l1 * global_step).clamp(min=0), total)
    var.copy_(-lr * total / (l2 * global_step * lr + gradient_squared_accumulator.sqrt()))


def _shrunk(prox: Tensor, rate: Tensor, l1: Tensor, l2: Tensor) -> Tensor:
    made = torch.where(l1 > 0, prox.sign() * (prox.abs() - rate * l1).clamp(min=0), prox)
    return made / (1 + rate * l2)


def proximal_descend(var: Tensor, alpha: Tensor, l1: Tensor, l2: Tensor, delta: Tensor) -> None:
    """Against the gradient, then towards 0."""
    var.copy_(_shrunk(var - alpha * delta, alpha, l1, l2))


def proximal_adagrad(
    var: Tensor, accum: Tensor, lr: Tensor, l1: Tensor, l2: Tensor, grad: Tensor
) -> None:
    """Adagrad, then towards 0."""
    accum.add_(grad * grad)
    rate = lr * accum.rsqrt()
    var.copy_(_shrunk(var - rate * grad, rate, l1, l2))


def keras_momentum(
    var: Tensor, accum: Tensor, lr: Tensor, momentum: Tensor, grad: Tensor,
    *, use_nesterov: bool = False,
) -> None:  # fmt: skip
    """Along a sum of steps that fades."""
    accum.copy_(accum * momentum - grad * lr)
    var.add_(accum * momentum - grad * lr if use_nesterov else accum)


def ftrl_v2(
    var: Tensor, accum: Tensor, linear: Tensor, lr: Tensor, l1: Tensor, l2: Tensor,
    l2_shrinkage: Tensor, lr_power: Tensor, grad: Tensor, *, multiply_linear_by_lr: bool = False,
) -> None:  # fmt: skip
    """Follow the regularized leader, with a penalty on the gradient's side."""
    shifted = grad + 2 * l2_shrinkage * var
    lead(var, accum, linear, lr, l1, l2, lr_power, grad, shifted, multiply_linear_by_lr)


_declare = functools.partial(declare_update, is_listed=False)
ADA_MAX, _ = _declare("AdaMax", "m v", "beta1_power lr beta1 beta2 epsilon", ada_max, sparse=False)
AMSGRAD, _ = _declare(
    "AdamWithAmsgrad", "m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon", amsgrad,
    sparse=False,
)  # fmt: skip
ADD_SIGN, _ = _declare("AddSign", "m", "lr alpha sign_decay beta", add_sign, sparse=False)
POWER_SIGN, _ = _declare("PowerSign", "m", "lr logbase sign_decay beta", power_sign, sparse=False)
ADAGRAD_V2 = _declare("AdagradV2", "accum", "lr epsilon", adagrad_v2)
ADAGRAD_DA = _declare(
    "AdagradDA", "gradient_accumulator gradient_squared_accumulator", "lr l1 l2 global_step",
    adagrad_da,
)  # fmt: skip
PROXIMAL_DESCEND = _declare(
    "ProximalGradientDescent", "", "alpha l1 l2", proximal_descend, gradient="delta"
)
PROXIMAL_ADAGRAD = _declare("ProximalAdagrad", "accum", "lr l1 l2", proximal_adagrad)
KERAS_MOMENTUM = _declare("KerasMomentum", "accum", "lr momentum", keras_momentum)
FTRL_V2 = _declare("FtrlV2", "accum linear", "lr l1 l2 l2_shrinkage lr_power", ftrl_v2)


def _step(op: Op | None, attributes: tuple[str, ...], **given: Any) -> Any:
    """One step, with its inputs in the order of our record."""
    assert op is not None
    if "global_step" in given:  # the only number of another type
        given["global_step"] = cast(given["global_step"], given["lr"].dtype)
    for arg in op.inputs:
        dims = given[arg.name].shape
        if arg.type == "T" and arg.name not in ("grad", "delta") and dims.rank:
            raise invalid_argument(f"{arg.name} is not a scalar : {runtime_text(tuple(dims))}")
    inputs = tuple(given[arg.name] for arg in op.inputs)
    attrs = {name: given[name] for name in attributes}
    if "indices" in given:  # a row may come again, and is then changed again
        attrs["in_turn"] = True
    return apply_any(op, inputs, attrs or None)


def _row(op: Op | None, attributes: str = "") -> Row:
    run = functools.partial(_step, op, tuple(attributes.split()))
    return composed(run, ignored="use_locking")


_NESTEROV, _SLOTS, _LINEAR = "use_nesterov", "update_slots", "multiply_linear_by_lr"

ROWS: dict[str, Row] = {
    "ResourceApplyAdaMax": _row(ADA_MAX),
    "ResourceApplyAdadelta": _row(steps.ADADELTA[0]),
    "ResourceApplyAdagrad": _row(steps.ADAGRAD[0], _SLOTS),
    "ResourceApplyAdagradDA": _row(ADAGRAD_DA[0]),
    "ResourceApplyAdagradV2": _row(ADAGRAD_V2[0], _SLOTS),
    "ResourceApplyAdam": _row(steps.ADAM, _NESTEROV),
    "ResourceApplyAdamWithAmsgrad": _row(AMSGRAD),
    "ResourceApplyAddSign": _row(ADD_SIGN),
    "ResourceApplyCenteredRMSProp": _row(steps.CENTERED_RMS_PROP[0]),
    "ResourceApplyFtrl": _row(steps.FTRL[0], _LINEAR),
    "ResourceApplyFtrlV2": _row(FTRL_V2[0], _LINEAR),
    "ResourceApplyGradientDescent": _row(steps.GRADIENT_DESCENT),
    "ResourceApplyKerasMomentum": _row(KERAS_MOMENTUM[0], _NESTEROV),
    "ResourceApplyMomentum": _row(steps.MOMENTUM[0], _NESTEROV),
    "ResourceApplyPowerSign": _row(POWER_SIGN),
    "ResourceApplyProximalAdagrad": _row(PROXIMAL_ADAGRAD[0]),
    "ResourceApplyProximalGradientDescent": _row(PROXIMAL_DESCEND[0]),
    "ResourceApplyRMSProp": _row(steps.RMS_PROP[0]),
    "ResourceSparseApplyAdadelta": _row(steps.ADADELTA[1]),
    "ResourceSparseApplyAdagrad": _row(steps.ADAGRAD[1], _SLOTS),
    "ResourceSparseApplyAdagradDA": _row(ADAGRAD_DA[1]),
    "ResourceSparseApplyAdagradV2": _row(ADAGRAD_V2[1], _SLOTS),
    "ResourceSparseApplyCenteredRMSProp": _row(steps.CENTERED_RMS_PROP[1]),
    "ResourceSparseApplyFtrl": _row(steps.FTRL[1], _LINEAR),
    "ResourceSparseApplyFtrlV2": _row(FTRL_V2[1], _LINEAR),
    "ResourceSparseApplyKerasMomentum": _row(KERAS_MOMENTUM[1], _NESTEROV),
    "ResourceSparseApplyMomentum": _row(steps.MOMENTUM[1], _NESTEROV),
    "ResourceSparseApplyProximalAdagrad": _row(PROXIMAL_ADAGRAD[1]),
    "ResourceSparseApplyProximalGradientDescent": _row(PROXIMAL_DESCEND[1]),
    "ResourceSparseApplyRMSProp": _row(steps.RMS_PROP[1]),
}
