"""The ops that exist in graphs only: constants and placeholders."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...ops.infer import Spec
from ...ops.op import op


def const_kernel(*, value: TensorLike, dtype: DType, **attrs: Any) -> Any:
    """The value itself."""
    return value


def _const_spec(*, value: Any, dtype: DType, **attrs: Any) -> Spec:
    return Spec(tuple(value.shape), dtype)


def placeholder_kernel(*, dtype: DType, shape: TensorShape, **attrs: Any) -> Any:
    """Runs only if nothing was fed."""
    known = f" and shape {runtime_shape(shape)}" if shape.rank else ""  # TF: not of a scalar
    raise invalid_argument(
        "You must feed a value for placeholder tensor '{name}' with dtype "
        f"{runtime_name(dtype)}{known}"
    )


def runtime_shape(shape: TensorShape) -> str:
    """A shape as TensorFlow's runtime writes it: [?,2]."""
    return "[" + ",".join("?" if size is None else str(size) for size in shape.as_list()) + "]"


def _placeholder_spec(*, dtype: DType, shape: TensorShape, **attrs: Any) -> Spec:
    return Spec(None if shape.rank is None else tuple(shape.as_list()), dtype)


def _default_spec(input: Spec, *, shape: TensorShape) -> Spec:
    return _placeholder_spec(dtype=input.dtype, shape=shape)


def default_kernel(input: TensorLike, *, shape: TensorShape) -> Any:
    """What stands for a placeholder that nothing was fed for."""
    return input


# Operations with bodies, graphs of their own: see `control_flow`.
BODIED = frozenset({"If", "While", "Scan"})

CONST = op("Const", "-> output: dtype", const_kernel, _const_spec, is_listed=False)
PLACEHOLDER = op(
    "Placeholder", "-> output: dtype", placeholder_kernel, _placeholder_spec, is_listed=False
)
PLACEHOLDER_WITH_DEFAULT = op(
    "PlaceholderWithDefault", "input: T -> output: T", default_kernel, _default_spec,
    aliases=True, is_listed=False, T=dtypes.ANY,
)  # fmt: skip
ARG = op("_Arg", "-> output: dtype", placeholder_kernel, _placeholder_spec, is_listed=False)
