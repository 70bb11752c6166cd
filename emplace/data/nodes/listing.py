"""The names of files that match patterns."""

from __future__ import annotations

import os
from typing import Any

from ...base.errors import invalid_argument
from ...core.tensor import EagerTensor, Tensor
from ...graph.recording.scopes import control_dependencies
from ...ops.array.shaping import identity, size
from ...ops.debugging.checks import Assert
from ...ops.io.files import matches, matching_files
from ...ops.math.elementwise import greater
from ...ops.strings.basic import join, reduce_join
from ..elements.structure import one_tensor


def names_that_match(patterns: Any) -> Any:
    """The names of the files that match patterns, in order: a list, or in a graph a tensor, which
    is made when the graph runs.

    Raises:
        InvalidArgumentError: there are none.
    """
    made = one_tensor(patterns)
    if not isinstance(made, EagerTensor):
        return _names_when_run(made)
    listed = made.numpy()
    found = sorted({name for each in _flat_list(listed) for name in matches(each)})
    if not found:
        shown = ", ".join(os.fsdecode(each) for each in _flat_list(listed))
        raise invalid_argument(
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            f"b'No files matched pattern: {shown}'"
        )
    return found


def _names_when_run(patterns: Tensor) -> Tensor:
    found = matching_files(patterns)
    shown = join(["No files matched pattern: ", reduce_join(patterns, separator=", ")])
    with control_dependencies([Assert(greater(size(found), 0), [shown])]):
        names = identity(found)
    names.set_shape([None])
    return names


def _flat_list(value: Any) -> list[bytes]:
    return [value] if isinstance(value, bytes) else list(value.reshape(-1))
