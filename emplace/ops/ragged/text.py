"""Ragged tensors as text: what `tf.print` and `tf.strings.format` write of them."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...core.ragged import RaggedTensor
from ..arguments import host_value
from ..composite import composite_rule
from ..convert import to_tensor
from ..debugging.summaries import decoded, element_text
from ..op import Op, apply
from ..strings.numbers import as_string

_MARK = "\ue000"


@composite_rule(RaggedTensor, ["StringFormat"])
def format_rule(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """`tf.strings.format`: ragged tensors in their places, the others are left to the op."""
    text, *pieces = attrs["template"].split(attrs["placeholder"])
    dense = []
    for value, piece in zip(inputs, pieces, strict=True):
        if isinstance(value, RaggedTensor):
            text += as_text(value, attrs.get("summarize", 3)) + piece
        else:
            dense.append(value)
            text += _MARK + piece
    if not dense:
        return to_tensor(text.encode("utf-8", "surrogateescape"))
    return apply(op, tuple(dense), {**attrs, "template": text, "placeholder": _MARK})


def as_text(value: RaggedTensor, summarize: int) -> str:
    """The rows in brackets, of each axis so many elements at both ends; all if negative."""
    splits = [level.host_splits() for level in value.levels()]
    is_text = value.dtype is dtypes.string
    flat = host_value(value.flat_values if is_text else as_string(value.flat_values))

    def rows(start: int, end: int, depth: int) -> str:
        """Some of the rows of a partition, or of the values below all of them."""
        if depth == len(splits):
            return _brackets(start, end, summarize, lambda i: written(flat[i]))
        ends = splits[depth]
        return _brackets(
            start, end, summarize, lambda i: rows(int(ends[i]), int(ends[i + 1]), depth + 1)
        )

    def written(element: Any) -> str:
        if getattr(element, "ndim", 0):
            return _brackets(0, len(element), summarize, lambda i: written(element[i]))
        if not is_text:
            return element_text(element)
        escaped = decoded(element).replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

    return rows(0, len(splits[0]) - 1, 0)


def _brackets(start: int, end: int, summarize: int, written: Any) -> str:
    count = end - start
    if summarize < 0 or count <= 2 * summarize:
        return f"[{', '.join(written(i) for i in range(start, end))}]"
    first = [written(i) for i in range(start, start + summarize)]
    last = [written(i) for i in range(end - summarize, end)]
    return f"[{', '.join([*first, '...', *last])}]"
