"""`Print` of TensorFlow 1: passes a value on, and writes others to standard error meanwhile."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable
from typing import Any

from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from .summaries import as_array, first_elements


class Times:
    """How often an operation has written, counted for all who run it."""

    def __init__(self) -> None:
        self._count = itertools.count()

    def next(self) -> int:
        """How often it has before; counts this time too."""
        return next(self._count)


# TF: eager mode knows an operation by what it says.
_EAGER: dict[tuple[str, int, int], Times] = {}


def print_through_kernel(
    input: Any, *data: Any, message: str, first_n: int, summarize: int, times: Times
) -> Any:
    """Passes a value on, and writes a line, unless it has done so `first_n` times."""
    if first_n < 0 or times.next() < first_n:
        shown = "".join(f"[{first_elements(as_array(each), summarize)}]" for each in data)
        sys.stderr.write(f"{message}{shown}\n")
        sys.stderr.flush()
    return input


def _same(input: Spec, *data: Spec, **attrs: Any) -> Spec:
    return input


PRINT_THROUGH = op(
    "Print", "input: T, data: N * any -> output: T", print_through_kernel, _same,
    device_types=CPU_ONLY, aliases=True, stateful=True, is_listed=False,
)  # fmt: skip


def print_through(
    input: TensorLike, data: Iterable[TensorLike], message: str, first_n: int, summarize: int
) -> Tensor:
    """`input`, which writes `message` and `data` to standard error when it is computed.

    Args:
        input: a tensor.
        data: tensors, each shown in brackets.
        message: a text in front.
        first_n: how often it writes at most; always if negative.
        summarize: how many elements of each to show; all if negative.
    """
    times = Times()
    if LOCAL.state.target.is_eager:
        times = _EAGER.setdefault((message, first_n, summarize), times)
    attrs = {"message": message, "first_n": first_n, "summarize": summarize, "times": times}
    tensors = (to_tensor(input), *(to_tensor(each) for each in data))
    printed: Tensor = apply(PRINT_THROUGH, tensors, attrs)
    return printed
