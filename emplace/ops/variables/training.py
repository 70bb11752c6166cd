"""Ops that take one step of an optimizer: they change a variable and what is kept beside it.

An update is one function on values, which it changes in place. From it come two ops: one for a
gradient of the variable's shape, and one for a gradient of some rows, which changes those alone.
"""

from __future__ import annotations

import contextlib
import math
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...codegen.adam import step_of_adam
from ...devices.late import is_late, note, refuse
from ..changes import note_changes
from ..infer import nothing
from ..op import Op, op
from .resource import Storage, owned_values

Tensor = torch.Tensor
Update = Callable[..., None]
_FLOAT32 = {torch.float32}
_HOST_FLOATS = {torch.float32, torch.float64}
_DTYPE, _IS_CPU = operator.attrgetter("dtype"), operator.attrgetter("is_cpu")
_IS_CONTIGUOUS = operator.methodcaller("is_contiguous")


def _changed(name: str, storages: Sequence[Storage], change: Callable[..., None]) -> None:
    """Lets `change` write into the values of a variable and of what is kept beside it, each copied
    first if somebody else holds its value.
    """
    with _locked(storages):
        values = owned_values(name, storages)
        _check_alike(storages, values)
        change(*values)


@contextlib.contextmanager
def _locked(storages: Sequence[Storage]) -> Iterator[None]:
    """Holds the locks of variables, taken in one order by all threads."""
    locks = [storage.lock for storage in sorted(storages, key=id)]
    taken = 0
    try:
        for lock in locks:
            lock.acquire()
            taken += 1
        yield
    finally:
        for lock in locks[:taken]:
            lock.release()


def _check_alike(storages: Sequence[Storage], values: Sequence[Tensor]) -> None:
    shape = values[0].shape
    for storage, value in zip(storages, values, strict=True):
        if value.shape != shape:
            raise invalid_argument(
                f"var and {storage.name} do not have the same shape"
                f"{runtime_text(shape)} {runtime_text(value.shape)}"
            )


def _check_gradient(value: Tensor, grad: Tensor) -> None:
    if value.shape != grad.shape:
        raise invalid_argument(
            "var and grad do not have the same shape"
            f"{runtime_text(value.shape)} {runtime_text(grad.shape)}"
        )


def _dense(name: str, slots: int, update: Update) -> Callable[..., None]:
    def kernel(*inputs: Any, **attrs: Any) -> None:
        storages, numbers, grad = inputs[: slots + 1], inputs[slots + 1 : -1], inputs[-1]

        def change(*values: Tensor) -> None:
            _check_gradient(values[0], grad)
            update(*values, *numbers, grad, **_known(attrs))

        _changed(name, storages, change)

    return kernel


def _sparse(name: str, slots: int, update: Update) -> Callable[..., None]:
    def kernel(*inputs: Any, **attrs: Any) -> None:
        storages, numbers = inputs[: slots + 1], inputs[slots + 1 : -2]
        grad, indices = inputs[-2:]

        def change(*values: Tensor) -> None:
            places, bad = _inside(indices.long(), len(values[0]))
            turns = _turns(places) if attrs.get("in_turn") and bad is None else None
            for turn in turns or (slice(None),):
                at = places[turn]
                rows = [value[at] for value in values]
                before = [row.clone() for row in rows] if bad is not None else rows
                update(*rows, *numbers, grad[turn], **_known(attrs))
                for value, old, row in zip(values, before, rows, strict=True):
                    value[at] = row if bad is None else torch.where(bad, old, row)

        _changed(name, storages, change)

    return kernel


def _turns(places: Tensor) -> list[Tensor] | None:
    """Which gradients come one after the other, where several are for one row: each time those of
    other rows. None where all rows are different.
    """
    ordered, order = places.sort(stable=True)
    is_first = torch.ones_like(ordered, dtype=torch.bool)
    is_first[1:] = ordered[1:] != ordered[:-1]
    if bool(is_first.all()):
        return None
    count = torch.arange(len(ordered), device=places.device)
    begins = torch.where(is_first, count, 0).cummax(0).values
    turn = torch.empty_like(count)
    turn[order] = count - begins
    return [(turn == i).nonzero()[:, 0] for i in range(int(turn.max()) + 1)]


def _inside(places: Tensor, size: int) -> tuple[Tensor, Tensor | None]:
    """Places that are rows, after a check; where that is late, whether some were none: then nothing
    may change.
    """
    if not is_late(places):
        _check_places(places, size)
        return places, None
    if not size and places.numel():
        refuse(_check_places, (places,), size)
    safe = places.clamp(0, max(size - 1, 0))
    bad = (safe != places).any()
    note(bad, _check_places, (places,), size)
    return safe, bad


def _check_places(places: Tensor, size: int) -> None:
    if places.numel() and not 0 <= int(places.min()) <= int(places.max()) < size:
        raise invalid_argument(f"Index out of range: indices must be in [0, {size})")


def _known(attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes that say something about the update; locks are always taken."""
    others = ("use_locking", "in_turn")
    return {name: value for name, value in attrs.items() if name not in others}


def declare_update(
    name: str,
    slots: str,
    numbers: str,
    update: Update,
    sparse: bool = True,
    gradient: str = "grad",
    is_listed: bool = True,
) -> tuple[Op, Op | None]:
    """Declares the ops `ResourceApply<name>` and, for rows, `ResourceSparseApply<name>`. The latter
    takes rows to be different, unless its attribute `in_turn` says that a row may come again.

    Args:
        name: the optimizer, as TensorFlow's ops are called.
        slots: the variables beside the variable, divided by blanks.
        numbers: the scalars, divided by blanks.
        update: takes the values of all variables, the scalars, and the gradient.
        sparse: whether there is an op for rows.
        gradient: the name of the gradient.
        is_listed: whether they are in the registry.
    """
    handles = "".join(f", {slot}: resource" for slot in slots.split())
    scalars = "".join(f", {number}: T" for number in numbers.split())
    count = len(slots.split())
    dense = op(
        f"ResourceApply{name}", f"var: resource{handles}{scalars}, {gradient}: T ->",
        _dense(f"ResourceApply{name}", count, update), nothing, stateful=True, T=dtypes.NUMBERS,
        is_listed=is_listed,
    )  # fmt: skip
    if not sparse:
        return dense, None
    return dense, op(
        f"ResourceSparseApply{name}",
        f"var: resource{handles}{scalars}, grad: T, indices: Tindices ->",
        _sparse(f"ResourceSparseApply{name}", count, update), nothing, checks=True, stateful=True,
        T=dtypes.NUMBERS, Tindices=dtypes.INDICES, is_listed=is_listed,
    )  # fmt: skip


def descend(var: Tensor, alpha: Tensor, delta: Tensor) -> None:
    """Against the gradient."""
    var.sub_(delta * alpha)


def momentum(
    var: Tensor, accum: Tensor, lr: Tensor, momentum: Tensor, grad: Tensor,
    *, use_nesterov: bool = False,
) -> None:  # fmt: skip
    """Along a sum of gradients that fades."""
    accum.mul_(momentum).add_(grad)
    var.sub_((grad + accum * momentum).mul_(lr) if use_nesterov else accum * lr)


def adagrad(
    var: Tensor, accum: Tensor, lr: Tensor, grad: Tensor, *, update_slots: bool = True
) -> None:
    """Slower where gradients have been large."""
    if update_slots:
        accum.addcmul_(grad, grad)
    var.sub_((grad * lr).mul_(accum.rsqrt()))


def rms_prop(
    var: Tensor, ms: Tensor, mom: Tensor, lr: Tensor, rho: Tensor, momentum: Tensor,
    epsilon: Tensor, grad: Tensor,
) -> None:  # fmt: skip
    """By the mean size of recent gradients."""
    ms.lerp_(grad * grad, 1 - rho)
    mom.mul_(momentum).add_((grad * lr).mul_((ms + epsilon).rsqrt_()))
    var.sub_(mom)


def centered_rms_prop(
    var: Tensor, mg: Tensor, ms: Tensor, mom: Tensor, lr: Tensor, rho: Tensor, momentum: Tensor,
    epsilon: Tensor, grad: Tensor,
) -> None:  # fmt: skip
    """By the deviation of recent gradients."""
    ms.lerp_(grad * grad, 1 - rho)
    mg.lerp_(grad, 1 - rho)
    spread = ms - mg * mg + epsilon
    mom.mul_(momentum).add_((grad * lr).mul_(spread.rsqrt_()))
    var.sub_(mom)


def adadelta(
    var: Tensor, accum: Tensor, accum_update: Tensor, lr: Tensor, rho: Tensor, epsilon: Tensor,
    grad: Tensor,
) -> None:  # fmt: skip
    """By the ratio of recent steps and recent gradients."""
    accum.mul_(rho).add_((grad * grad).mul_(1 - rho))
    step = (accum_update + epsilon).sqrt_().mul_((accum + epsilon).rsqrt_()).mul_(grad)
    accum_update.mul_(rho).add_((step * step).mul_(1 - rho))
    var.sub_(step * lr)


# So many steps that torch's correction of the first ones is nothing: `alpha` has it already.
_LATE = torch.tensor(1e30)
# How often a step looks whether a mean is infinite: each time would cost a sixth of the step.
_SHARE_OF_LOOKS = 1 / 16
_LOOKS = random.Random(0)


def adam_steps(
    var: Sequence[Tensor], m: Sequence[Tensor], v: Sequence[Tensor], alpha: Tensor,
    grad: Sequence[Tensor], mean_rate: float, square_rate: float, epsilon: float,
) -> None:  # fmt: skip
    """Adam for some variables. `alpha` is the learning rate, corrected for the first steps; the
    rates are what the means take of a gradient.
    """
    owned = *var, *m, *v  # loops in C: between large products what Python does is slow
    types = set(map(_DTYPE, owned))
    if types <= _HOST_FLOATS and all(map(_IS_CPU, owned)) and all(map(_IS_CONTIGUOUS, owned)):
        grad = [*map(Tensor.contiguous, grad)]
        rates = alpha.item(), mean_rate, square_rate, epsilon
        is_done = types == _FLOAT32 and step_of_adam(var, m, v, grad, rates)
        if is_done or _by_torch(var, m, v, grad, rates):
            note_changes(owned)  # torch counts what neither of them changes
            return
    for one, mean, square, change in zip(var, m, v, grad, strict=True):
        mean.lerp_(change, mean_rate)
        square.lerp_(change * change, square_rate)
        one.sub_((mean * alpha).div_(square.sqrt().add_(epsilon)))


def _by_torch(
    var: Sequence[Tensor], m: Sequence[Tensor], v: Sequence[Tensor], grad: Sequence[Tensor],
    rates: tuple[float, float, float, float],
) -> bool:  # fmt: skip
    """Whether torch did it in one pass over the memory of these."""
    rate, mean_rate, square_rate, epsilon = rates
    if not min(mean_rate, square_rate):
        return False
    if _LOOKS.random() < _SHARE_OF_LOOKS:
        _drop_infinite(v)
    torch._fused_adam_(
        list(var), list(grad), list(m), list(v), [], [_LATE] * len(var),
        lr=rate, beta1=1.0 - mean_rate, beta2=1.0 - square_rate, eps=epsilon,
        weight_decay=0.0, amsgrad=False, maximize=False,
    )  # fmt: skip
    return True


def _drop_infinite(squares: Sequence[Tensor]) -> None:
    """Makes mean squares that are infinite no numbers, as TensorFlow's are a step after a gradient
    was too large to be squared. Torch's stay infinite, and so their variables rest, unnoticed.
    """
    for square in squares:
        if not square.sum().isfinite():
            square.masked_fill_(square.isinf(), math.nan)


def adam(
    var: Tensor, m: Tensor, v: Tensor, beta1_power: Tensor, beta2_power: Tensor, lr: Tensor,
    beta1: Tensor, beta2: Tensor, epsilon: Tensor, grad: Tensor, *, use_nesterov: bool = False,
) -> None:  # fmt: skip
    """By the mean and the mean size of recent gradients."""
    alpha = lr * torch.sqrt(1 - beta2_power) / (1 - beta1_power)
    if not use_nesterov and var.is_cpu:
        rates = (1 - beta1).item(), (1 - beta2).item()
        adam_steps([var], [m], [v], alpha, [grad], *rates, epsilon.item())
        return
    m.lerp_(grad, 1 - beta1)
    v.lerp_(grad * grad, 1 - beta2)
    step = grad * (1 - beta1) + m * beta1 if use_nesterov else m
    var.sub_((step * alpha).div_(v.sqrt().add_(epsilon)))


def fused_adam_kernel(*inputs: Any, mean_rate: float, square_rate: float, epsilon: float) -> None:
    """What plans do in place of Adam that a program writes op by op: the variables, what is kept
    beside each, the learning rate, the gradients.
    """
    count = (len(inputs) - 1) // 4
    storages, alpha, grads = inputs[: 3 * count], inputs[3 * count], inputs[3 * count + 1 :]
    with _locked(storages):
        values = owned_values("FusedAdam", storages)
        parts = [values[i * count : (i + 1) * count] for i in range(3)]
        for i, own in enumerate(zip(*parts, strict=True)):
            one, mean, square = own
            shape = one.shape
            if not shape == mean.shape == square.shape == grads[i].shape:
                _check_alike(storages[i::count], own)
                _check_gradient(one, grads[i])
        adam_steps(parts[0], parts[1], parts[2], alpha, grads, mean_rate, square_rate, epsilon)


def ftrl(
    var: Tensor, accum: Tensor, linear: Tensor, lr: Tensor, l1: Tensor, l2: Tensor,
    lr_power: Tensor, grad: Tensor, *, multiply_linear_by_lr: bool = False,
) -> None:  # fmt: skip
    """Follow the regularized leader."""
    lead(var, accum, linear, lr, l1, l2, lr_power, grad, grad, multiply_linear_by_lr)


def lead(
    var: Tensor, accum: Tensor, linear: Tensor, lr: Tensor, l1: Tensor, l2: Tensor,
    lr_power: Tensor, grad: Tensor, shifted: Tensor, is_multiplied: bool,
) -> None:  # fmt: skip
    """A step of FTRL. `shifted` is the gradient with what is added for `linear` alone, and
    `is_multiplied` says that `linear` is kept multiplied by the learning rate.
    """
    sizes = accum + grad * grad
    step = (sizes.pow(-lr_power) - accum.pow(-lr_power)) * var
    quadratic = sizes.pow(-lr_power)
    if is_multiplied:
        linear.add_(shifted * lr - step)
        l1, quadratic = l1 * lr, quadratic + 2 * l2 * lr
    else:
        linear.add_(shifted - step / lr)
        quadratic = quadratic / lr + 2 * l2
    shrunk = (linear.sign() * l1 - linear) / quadratic
    var.copy_(torch.where(linear.abs() > l1, shrunk, torch.zeros_like(var)))
    accum.copy_(sizes)


GRADIENT_DESCENT, _ = declare_update(
    "GradientDescent", "", "alpha", descend, sparse=False, gradient="delta"
)
MOMENTUM = declare_update("Momentum", "accum", "lr momentum", momentum)
ADAGRAD = declare_update("Adagrad", "accum", "lr", adagrad)
RMS_PROP = declare_update("RMSProp", "ms mom", "lr rho momentum epsilon", rms_prop)
CENTERED_RMS_PROP = declare_update(
    "CenteredRMSProp", "mg ms mom", "lr rho momentum epsilon", centered_rms_prop
)
ADADELTA = declare_update("Adadelta", "accum accum_update", "lr rho epsilon", adadelta)
ADAM, _ = declare_update(
    "Adam", "m v", "beta1_power beta2_power lr beta1 beta2 epsilon", adam, sparse=False
)
FTRL = declare_update("Ftrl", "accum linear", "lr l1 l2 lr_power", ftrl)
FUSED_ADAM = op(
    "FusedAdam",
    "var: N * resource, m: N * resource, v: N * resource, alpha: T, grad: N * T ->",
    fused_adam_kernel, nothing, stateful=True, is_listed=False, T=dtypes.FLOATS,
)  # fmt: skip
