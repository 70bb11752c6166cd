"""The names of files that match patterns."""

from __future__ import annotations

import os
from typing import Any

from ...base.errors import invalid_argument
from ...ops.io.files import matches
from ..elements.structure import one_tensor


def names_that_match(patterns: Any) -> list[str]:
    """The names of the files that match patterns, in order.

    Raises:
        InvalidArgumentError: there are none.
    """
    listed = one_tensor(patterns).numpy()
    found = sorted({name for each in _flat_list(listed) for name in matches(each)})
    if not found:
        shown = ", ".join(os.fsdecode(each) for each in _flat_list(listed))
        raise invalid_argument(
            "Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: "
            f"b'No files matched pattern: {shown}'"
        )
    return found


def _flat_list(value: Any) -> list[bytes]:
    return [value] if isinstance(value, bytes) else list(value.reshape(-1))
