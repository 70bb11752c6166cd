"""`tf.Print`: a tensor that prints others whenever it is computed."""

from __future__ import annotations

from typing import Any

from ...ops.debugging.print_through import print_through


def Print(  # noqa: N802  # TensorFlow's name
    input_: Any, data: Any, message: str | None = None, first_n: int | None = None,
    summarize: int | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """`input_`, which prints `data` to standard error when it is computed (`tf.compat.v1.Print`).

    Args:
        input_: a tensor.
        data: what is printed: tensors.
        message: a text in front.
        first_n: how often it prints at most; every time if None or negative.
        summarize: how many elements of each are shown, 3 if None; all if negative.
        name: a name in graphs.
    """
    most = -1 if first_n is None else first_n
    return print_through(input_, data, message or "", most, 3 if summarize is None else summarize)
