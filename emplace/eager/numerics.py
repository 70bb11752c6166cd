"""`tf.debugging.enable_check_numerics`: every op's result is checked for infinities and NaN.

The check is part of the kernel that a route holds, so it costs nothing while it is off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..base.dtypes import as_dtype
from ..base.errors import InvalidArgumentError
from ..core.context import at_reset, forget_routes
from ..core.tensor import Tensor
from ..ops.debugging.checks import are_finite, found_kinds
from ..ops.op import Op

# Ops that only hand on what they were given: the op that made a NaN is the one to name.
_HAND_ON = frozenset({
    "_EagerConst", "Identity", "StopGradient", "ConcatV2", "ExpandDims", "Fill", "GatherV2",
    "Maximum", "Minimum", "Reshape", "Slice", "Squeeze", "Pack", "Unpack", "StridedSlice",
    "StridedSliceGrad", "Transpose", "ReadVariableOp", "CheckNumerics", "CheckNumericsV2",
})  # fmt: skip

_ON: set[bool] = set()


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From now on an op whose result is infinite or NaN raises
    (`tf.debugging.enable_check_numerics`).

    It holds for all threads, and slows every op down: on a GPU each waits for its result.

    Args:
        stack_height_limit: for graphs, whose errors show where an op was made.
        path_length_limit: for graphs.

    Raises:
        InvalidArgumentError: later, by the op; the message names it and shows its inputs.
    """
    _ON.add(True)
    forget_routes()


@at_reset
def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began (`tf.debugging.disable_check_numerics`)."""
    _ON.clear()
    forget_routes()


def is_checking() -> bool:
    """Whether results are checked at present."""
    return bool(_ON)


def with_check(op: Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """`kernel`, checked if checks are on."""
    if not _ON or op.name in _HAND_ON:
        return kernel

    def checked(*values: Tensor, **attrs: Any) -> Any:
        result = kernel(*values, **attrs)
        made = result if isinstance(result, (tuple, list)) else (result,)
        for i, value in enumerate(made):
            if _is_float(value) and not are_finite(value):
                raise _detected(op, i, len(made), value, values)
        return result

    return checked


def _is_float(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _detected(
    op: Op, place: int, count: int, value: torch.Tensor, inputs: Sequence[Any]
) -> InvalidArgumentError:
    kinds = found_kinds(value)
    lines = [
        "", "",
        f"!!! Detected Infinity or NaN in output {place} of eagerly-executing op "
        f'"{op.name}" (# of outputs: {count}) !!!',
        f"  dtype: {as_dtype(value.dtype)!r}",
        f"  shape: {_shape_text(value)}",
        *[f"  # of {'+NaN' if name == 'NaN' else name} elements: {n}" for name, n in kinds],
        "", *_inputs_text(inputs), "",
        f" : Tensor had {' and '.join(name for name, _ in kinds)} values",
    ]  # fmt: skip
    return InvalidArgumentError(None, None, "\n".join(lines))


def _shape_text(value: Any) -> str:
    return str(tuple(value.shape))


def _inputs_text(inputs: Sequence[Any]) -> list[str]:
    texts = [
        f"tf.Tensor({value.detach().cpu().tolist()}, shape={_shape_text(value)}, "
        f"dtype={as_dtype(value.dtype).name})"
        for value in inputs
        if isinstance(value, torch.Tensor)
    ]
    if len(texts) == 1:
        return [f"  Input tensor: {texts[0]}"]
    return [f"  Input tensors ({len(texts)}):", *[f"     {i}: {t}" for i, t in enumerate(texts)]]
