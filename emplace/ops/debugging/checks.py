"""Checks of numbers and of types: `check_numerics`, `Assert`, `is_numeric_tensor`, order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...devices.late import is_late, note
from .. import infer
from ..array.shaping import reshape
from ..convert import is_tensor_like, to_tensor
from ..math.elementwise import less, less_equal
from ..math.reduction import reduce_all
from ..op import CPU_ONLY, apply, op
from .summaries import as_array, first_elements


def are_finite(tensor: torch.Tensor) -> bool:
    """A finite sum has only finite parts; one that is not may have overflown."""
    return math.isfinite(float(tensor.sum())) or bool(torch.isfinite(tensor).all())


def found_kinds(tensor: torch.Tensor) -> list[tuple[str, int]]:
    """Which values are not finite, and how many: "-Inf", "+Inf" and "NaN"."""
    tests = (("-Inf", torch.isneginf), ("+Inf", torch.isposinf), ("NaN", torch.isnan))
    counted = [(name, int(test(tensor).sum())) for name, test in tests]
    return [(name, count) for name, count in counted if count]


def check_numerics_kernel(tensor: torch.Tensor, *, message: str) -> torch.Tensor:
    """The tensor itself, if all of it is finite."""
    _check_finite(tensor, _refuse_kinds, message)
    return tensor


def _check_finite(tensor: torch.Tensor, refuse: Callable[..., Any], message: str) -> None:
    if is_late(tensor):
        note(~torch.isfinite(tensor).all(), refuse, (_extremes(tensor),), message)
    elif not are_finite(tensor):
        refuse(tensor, message)


def _extremes(tensor: torch.Tensor) -> torch.Tensor:
    """One of each kind of values that are not finite, where there is one; else 0."""
    ends = [tensor.new_full((), end) for end in (-math.inf, math.inf, math.nan)]
    tests = (torch.isneginf, torch.isposinf, torch.isnan)
    return torch.stack([
        torch.where(test(tensor).any(), end, 0) for test, end in zip(tests, ends, strict=True)
    ])  # fmt: skip


def _refuse_kinds(tensor: torch.Tensor, message: str) -> None:
    found = dict.fromkeys(name.lstrip("+-") for name, _ in found_kinds(tensor))
    raise invalid_argument(f"{message} : Tensor had {' and '.join(found)} values")


def _refuse_signs(tensor: torch.Tensor, message: str) -> None:
    found = [name for name, _ in found_kinds(tensor)]
    text = " and ".join(found) if len(found) < 3 else "-Inf, +Inf, and NaN"
    raise invalid_argument(f"{message} : Tensor had {text} values")


def check_signs_kernel(tensor: torch.Tensor, *, message: str) -> torch.Tensor:
    """The tensor itself, if all of it is finite; tells apart both infinities."""
    _check_finite(tensor, _refuse_signs, message)
    return tensor


def assert_kernel(condition: torch.Tensor, *data: Any, summarize: int) -> None:
    """Nothing, if the condition holds."""
    if is_late(condition) and are_here(condition, data):
        shown, kept = shown_later(data)
        note(~condition, _refuse_shown, kept, shown, summarize)
    elif not bool(condition):
        _refuse(data, summarize)


def are_here(condition: torch.Tensor, data: Sequence[Any]) -> bool:
    """Whether what an assertion shows is on the host or where its condition is."""
    places = {x.device for x in data if isinstance(x, torch.Tensor) and is_late(x)}
    return places <= {condition.device}


def shown_later(data: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[torch.Tensor, ...]]:
    """What an assertion shows if it fails later: texts and host tensors as they are, None in the
    place of each tensor that lives where its check runs; and those tensors.
    """
    kept = tuple(x for x in data if isinstance(x, torch.Tensor) and is_late(x))
    shown = tuple(
        None if isinstance(x, torch.Tensor) and is_late(x) else Shown(as_array(x)) for x in data
    )
    return shown, kept


class Shown:
    """An array that can be a fact of a check: it is equal to those that would show the same."""

    __slots__ = ("array", "key")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self.key = array.dtype.str, array.shape, array.tolist().__repr__()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _refuse_shown(*parts: Any) -> NoReturn:
    *kept, shown, summarize = parts
    values = iter(kept)
    _refuse([next(values) if each is None else each.array for each in shown], summarize)


def _refuse(data: Sequence[Any], summarize: int) -> NoReturn:
    texts = [f"[{first_elements(as_array(each), summarize)}]" for each in data]
    raise invalid_argument(f"assertion failed: {' '.join(texts)}")


ASSERT = op(
    "Assert", "condition: bool, data: N * any ->", assert_kernel, infer.nothing,
    device_types=CPU_ONLY, peer_access="everything", checks=True,
    stateful=True, is_listed=False,
)  # fmt: skip


_SAME = "tensor: T -> output: T"
CHECK_NUMERICS = op(
    "CheckNumerics", _SAME, check_numerics_kernel, infer.same, aliases=True, stateful=True,
    checks=True, T=dtypes.FLOATS,
)  # fmt: skip
CHECK_NUMERICS_V2 = op(
    "CheckNumericsV2", _SAME, check_signs_kernel, infer.same, aliases=True, stateful=True,
    checks=True, T=dtypes.FLOATS,
)  # fmt: skip


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """A tensor, after a check that all of it is finite (`tf.debugging.check_numerics`).

    Args:
        tensor: a tensor of floats.
        message: what the error starts with.
        name: a name in graphs.

    Returns:
        The same values.

    Raises:
        InvalidArgumentError: there is an infinite value or NaN.

    >>> check_numerics([1.0, 2.0], "after the update").numpy().tolist()
    [1.0, 2.0]
    """
    return apply(CHECK_NUMERICS, (to_tensor(tensor),), {"message": message})


def assert_all_finite(x: TensorLike, message: str, name: str | None = None) -> Tensor:
    """A tensor, after a check that all of it is finite (`tf.debugging.assert_all_finite`)."""
    return check_numerics(x, message)


def is_numeric_tensor(tensor: object) -> bool:
    """True for a tensor of numbers (`tf.debugging.is_numeric_tensor`).

    >>> is_numeric_tensor(1)
    False
    """
    return is_tensor_like(tensor) and tensor.dtype in dtypes.NUMBERS


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """True where no element is smaller than the one before (`tf.math.is_non_decreasing`)."""
    return _in_order(x, less_equal)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """True where each element is larger than the one before (`tf.math.is_strictly_increasing`)."""
    return _in_order(x, less)


def _in_order(x: Any, compare: Callable[..., Any]) -> Tensor:
    tensor = to_tensor(x)
    if not is_numeric_tensor(tensor):
        raise TypeError(f"Expected x to be numeric, instead found: {tensor}")
    flat = reshape(tensor, [-1])
    return reduce_all(compare(flat[:-1], flat[1:]))


def Assert(  # noqa: N802  # TensorFlow's name
    condition: Any, data: Any, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raises unless a condition is true (`tf.debugging.Assert`); in a graph, when it runs.

    Args:
        condition: a bool, or a scalar tensor of one.
        data: a list of values to show in the error.
        summarize: how many elements of each to show; 3 by default, all for a negative number.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: the condition is false.

    Returns:
        The operation in a graph; else None.
    """
    if LOCAL.state.target.is_eager:
        return _assert_now(condition, data, summarize)
    tensors = [to_tensor(each) for each in data]
    return apply(ASSERT, (to_tensor(condition), *tensors), {"summarize": _count(summarize)})


def no_op_kernel() -> None:
    """Nothing; what it waits for has run before."""


NO_OP = op("NoOp", "->", no_op_kernel, infer.nothing, stateful=True, is_listed=False)


def nothing_to_check() -> Any:
    """What an assertion returns that has been decided already: an operation in a graph."""
    return None if LOCAL.state.target.is_eager else apply(NO_OP, ())


def known_truth(condition: TensorLike) -> bool | None:
    """Whether a condition holds; None if only running the graph will tell."""
    if isinstance(condition, Tensor):
        known = condition.static_value()
        return None if known is None else bool(known)
    return None if hasattr(condition, "handle") else bool(condition)


def _count(summarize: int | None) -> int:
    return 3 if summarize is None else summarize


def _assert_now(condition: object, data: Any, summarize: int | None) -> None:
    if not condition:
        shown = "\n".join(summarized(each, _count(summarize)) for each in data)
        raise InvalidArgumentError(
            None, None, f"Expected '{condition}' to be true. Summarized data: {shown}"
        )


def summarized(value: TensorLike, count: int) -> str:
    """The first elements of a value as text."""
    tensor = value if isinstance(value, EagerTensor) else to_tensor(value)
    flat = np.asarray(tensor.numpy()).reshape(-1)
    shown = [str(each) for each in (flat if count < 0 else flat[:count]).tolist()]
    return ", ".join([*shown, "..."] if len(shown) < flat.size else shown)
