"""One of two numbers at each place, as two others compare: what plans make of comparisons and of
the choices by them (graph/passes/choices.py), so that no bools go through memory in between.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from ...base import dtypes
from .. import infer
from ..array.select import select_kernel, select_spec
from ..infer import Spec
from ..op import Op, op

_COMPARISONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "Greater": torch.gt, "GreaterEqual": torch.ge, "Less": torch.lt, "LessEqual": torch.le,
}  # fmt: skip


def _choice(compare: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], name: str) -> Op:
    def kernel(a: torch.Tensor, b: torch.Tensor, t: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
        """t where a compares to b in this way, e elsewhere."""
        return select_kernel(compare(a, b), t, e)

    return op(
        name, "a: T, b: T, t: T, e: T -> output: T", kernel, _choice_spec, is_listed=False,
        T=(dtypes.float32,),
    )  # fmt: skip


def _choice_spec(a: Spec, b: Spec, t: Spec, e: Spec) -> Spec:
    return select_spec(infer.broadcast(a, b), t, e)


#: The ops, by the comparisons.
CHOICES = {name: _choice(compare, f"_Where{name}") for name, compare in _COMPARISONS.items()}
