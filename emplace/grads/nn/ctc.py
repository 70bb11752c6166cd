"""Gradients of `ops/nn/ctc.py`."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.array.shaping import reshape
from ...ops.math.elementwise import multiply
from ...ops.nn import ctc
from ..rules import Recorded, gradient, not_differentiable

not_differentiable(ctc.CTC_GREEDY_DECODER, ctc.CTC_BEAM_SEARCH_DECODER)


@gradient(ctc.CTC_LOSS)
def ctc_loss_grad(call: Recorded, dloss: Tensor, dgradient: Tensor | None) -> Any:
    """The forward op has computed the gradient already; the loss scales it."""
    if dloss is None:
        return None, None, None, None
    return multiply(reshape(dloss, [1, -1, 1]), call.outputs[1]), None, None, None
