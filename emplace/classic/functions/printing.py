"""`tf.Print`: a tensor that prints others whenever it is computed."""

from __future__ import annotations

from typing import Any

from ...graph.recording.scopes import control_dependencies
from ...ops.array.shaping import identity
from ...ops.convert import to_tensor
from ...ops.strings.printing import print_


def Print(  # noqa: N802  # TensorFlow's name
    input_: Any, data: Any, message: str | None = None, first_n: object = None,
    summarize: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """`input_`, which prints `data` to standard error when it is computed (`tf.compat.v1.Print`).

    Args:
        input_: a tensor.
        data: what is printed: tensors.
        message: a text in front.
        first_n: not used: it prints every time.
        summarize: how many elements of each are shown, 3 if None.
        name: a name in graphs.
    """
    value = to_tensor(input_)
    shown = print_(message or "", *data, summarize=summarize or 3, sep="")
    with control_dependencies([] if shown is None else [shown]):
        return identity(value)
