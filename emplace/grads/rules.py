"""The registry of gradient rules, and the generic rule for ops without one.

A rule takes the recorded call and a gradient per output (of several, some may be None: nobody
used that output), and returns a gradient per input, None where there is none. It is written with
public ops, so that it is placed, logged, bounded and differentiated like everything else:

    @gradient(TANH)
    def tanh_grad(call, dy):
        return dy * (1.0 - square(call.outputs[0]))
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Sequence
from typing import Any

import torch

from ..base import dtypes
from ..core.tensor import Tensor
from ..ops.array.making import zeros_like
from ..ops.array.shaping import reshape
from ..ops.infer import Spec
from ..ops.math.reduction import reduce_sum
from ..ops.op import Op, apply, op


class Recorded:
    """One op on a tape. A rule asks `needs(i)` before it does work that would be thrown away.
    `useful` are the ids of all values whose gradients somebody wants.
    """

    __slots__ = ("attrs", "inputs", "op", "outputs", "route", "useful")

    def __init__(
        self,
        op: Op,
        inputs: tuple[Any, ...],
        attrs: dict[Any, Any] | None,
        outputs: Sequence[Any],
        route: Any,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.attrs: dict[str, Any] = attrs or {}
        self.outputs = outputs
        self.route = route
        self.useful: Container[int] = ()

    def needs(self, i: int) -> bool:
        """Whether somebody wants the gradient of input `i`."""
        return id(self.inputs[i]) in self.useful


Rule = Callable[..., Any]


class ProgramRule:
    """The rule of a gradient function that the program has registered. It is asked while the
    gradient is recorded, whatever is known of shapes: it may look at the operation itself.
    """

    __slots__ = ("ask",)

    def __init__(self, ask: Rule) -> None:
        self.ask = ask

    def __call__(self, call: Recorded, *grads: Any) -> Any:
        """Asks it; outputs that nobody used have gradients of zeros."""
        return self.ask(call, *completed(call, grads))


RULES: dict[str, Rule] = {}
NOT_DIFFERENTIABLE: set[str] = set()
TAKES_SLICES: set[str] = set()
# The common one first: a tuple is searched from the front, and by identity before equality.
# Variants are lists of tensors; their rules know whether these are numbers.
TRAINABLE = (dtypes.float32, *dtypes.INEXACT, dtypes.variant)


def gradient(*ops: Op, takes_slices: bool = False) -> Callable[[Rule], Rule]:
    """Registers a rule for one or several ops. Slices by index (`tf.IndexedSlices`) reach it as
    they are if it `takes_slices`, else as dense tensors.
    """

    def register(rule: Rule) -> Rule:
        for each in ops:
            assert each.name not in RULES, f"{each.name} has two gradient rules"
            RULES[each.name] = rule
            if takes_slices:
                TAKES_SLICES.add(each.name)
        return rule

    return register


def not_differentiable(*ops: Op) -> None:
    """Says that the outputs of these ops have no gradient for their inputs."""
    NOT_DIFFERENTIABLE.update(each.name for each in ops)


def unbroadcast(dy: Tensor, like: Tensor) -> Tensor:
    """A gradient summed back to the shape of the input that was stretched."""
    if dy.shape == like.shape:
        return dy
    given, wanted = dy.shape.as_list(), like.shape.as_list()
    extra = len(given) - len(wanted)
    stretched = [i + extra for i, d in enumerate(wanted) if d == 1 and given[i + extra] != 1]
    total = reduce_sum(dy, [*range(extra), *stretched])
    return reshape(total, wanted) if stretched else total


def apply_rule(call: Recorded, grads: Sequence[Any]) -> Sequence[Any]:
    """The gradients of a call's inputs, by its rule or the generic one."""
    rule = RULES.get(call.op.name)
    if rule is None:
        return generic_gradient(call, grads)
    result = rule(call, *grads)
    return result if isinstance(result, (tuple, list)) else (result,)


def apply_this(rule: Rule | None, call: Recorded, grads: Sequence[Any]) -> Sequence[Any]:
    """The same by a rule that need not be that of the call's op; None for the generic one."""
    if rule is None:
        return generic_gradient(call, grads)
    result = rule(call, *grads)
    return result if isinstance(result, (tuple, list)) else (result,)


def completed(call: Recorded, grads: Sequence[Any]) -> list[Any]:
    """The gradients of all outputs: zeros for those that nobody used."""
    return [
        zeros_like(y) if grad is None and is_trainable(y.dtype) else grad
        for grad, y in zip(grads, call.outputs, strict=True)
    ]


_GENERIC: dict[str, Op] = {}
_GENERIC_LOCK = threading.Lock()


def generic_gradient(call: Recorded, grads: Sequence[Any]) -> list[Any]:
    """Gradients by torch's autograd of the op's kernel, as an op of its own.

    Raises:
        LookupError: the op is stateful; to run it again would not do the same again.
    """
    if call.op.stateful:
        raise LookupError(f"gradient registry has no entry for: {call.op.name}")
    grads = completed(call, grads)
    places = [i for i, x in enumerate(call.inputs) if is_trainable(x.dtype) and call.needs(i)]
    kept = [i for i, y in enumerate(call.outputs) if is_trainable(y.dtype)]
    attrs = {
        "attrs": tuple(call.attrs.items()),
        "inputs": len(call.inputs),
        "wanted": tuple(places),
        "outputs": tuple(kept),
    }
    results = apply(_generic_op(call.op), (*call.inputs, *[grads[i] for i in kept]), attrs)
    gradients: list[Any] = [None] * len(call.inputs)
    for place, result in zip(places, results, strict=True):
        gradients[place] = result
    return gradients


def _generic_op(forward: Op) -> Op:
    """The op that differentiates `forward`, declared the first time it is needed."""
    with _GENERIC_LOCK:
        found = _GENERIC.get(forward.name)
        if found is None:
            found = op(
                f"{forward.name}Grad_",
                "inputs: N * any -> gradients: N * any",
                _vjp_kernel(forward),
                _vjp_spec,
                device_types=forward.device_types,
                gpu_types=forward.gpu_types,
                checks=forward.checks,
                wait_reason=forward.wait_reason,
            )
            _GENERIC[forward.name] = found
        return found


def _vjp_kernel(forward: Op) -> Callable[..., Any]:
    def kernel(
        *values: torch.Tensor,
        attrs: tuple[tuple[str, Any], ...],
        inputs: int,
        wanted: tuple[int, ...],
        outputs: tuple[int, ...],
    ) -> tuple[torch.Tensor, ...]:
        given, grads = list(values[:inputs]), values[inputs:]

        def run(*chosen: torch.Tensor) -> tuple[torch.Tensor, ...]:
            for place, value in zip(wanted, chosen, strict=True):
                given[place] = value
            made = forward.kernel(*given, **dict(attrs))
            made = made if isinstance(made, (tuple, list)) else (made,)
            return tuple(made[i] for i in outputs)

        is_inner = any(isinstance(x, torch.Tensor) and x.requires_grad for x in values)
        return pulled_back(run, [given[i] for i in wanted], grads, is_inner)

    return kernel


def pulled_back(
    run: Callable[..., tuple[torch.Tensor, ...]],
    chosen: Sequence[torch.Tensor],
    grads: Sequence[torch.Tensor],
    is_inner: bool,
) -> tuple[torch.Tensor, ...]:
    """The product of gradients with the Jacobian of `run`, by torch's autograd.

    Values of ours never require gradients. Where some do (`is_inner`), somebody differentiates
    this in turn.
    """
    with torch.enable_grad():
        leaves = [x if x.requires_grad else x.detach().requires_grad_() for x in chosen]
        made = [pair for pair in zip(run(*leaves), grads, strict=True) if pair[0].requires_grad]
        found: Sequence[torch.Tensor | None] = [None] * len(leaves)
        if made:
            ends, seeds = zip(*made, strict=True)
            found = torch.autograd.grad(
                ends, leaves, seeds, create_graph=is_inner, allow_unused=True
            )
    # Torch may say "zeros" without memory behind it, which nobody outside of it understands.
    return tuple(
        torch.zeros_like(value) if grad is None or grad._is_zerotensor() else grad
        for value, grad in zip(chosen, found, strict=True)
    )


def _vjp_spec(*specs: Spec, wanted: tuple[int, ...], **attrs: Any) -> tuple[Spec, ...]:
    return tuple(specs[i] for i in wanted)


def is_trainable(dtype: dtypes.DType) -> bool:
    """True for dtypes that gradients flow through."""
    return dtype in TRAINABLE
