"""What is wrong with the environment variables somebody has set; the command line asks."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator

from .flags import TABLE

_OURS = "EMPLACE_"
_ALIKE = 0.85


def mistakes() -> Iterator[str]:
    """What is wrong with the variables in the environment that are Emplace's alone.

    Those of others (`TF_...`) mean to their programs what they mean to TensorFlow, also where they
    mean nothing.

    Yields:
        A sentence for each that cannot be read, or whose name is nearly one of ours.
    """
    ours = [flag for flag in TABLE if flag.name.startswith(_OURS)]
    for flag in ours:
        try:
            flag.value()
        except ValueError as error:
            yield str(error)
    names = [flag.name for flag in ours]
    for name in sorted(os.environ):
        if name.startswith(_OURS) and name not in names:
            for meant in difflib.get_close_matches(name, names, 1, _ALIKE):
                yield f"{name} is no variable that Emplace reads. Did you mean {meant}?"
