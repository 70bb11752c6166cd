"""Where gradients stop."""

from __future__ import annotations

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import unary
from ..op import op
from .shaping import identity_kernel

STOP_GRADIENT = op(
    "StopGradient", "input: T -> output: T", identity_kernel, infer.same,
    T=(*dtypes.ANY, dtypes.variant), gpu_types=(*dtypes.ANY_FIXED, dtypes.variant), aliases=True,
)  # fmt: skip


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """The value itself, as a constant to gradients (`tf.stop_gradient`).

    >>> from emplace.tensorflow import GradientTape, constant
    >>> x = constant(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(3.0)
    """
    return unary(STOP_GRADIENT, input)
