"""The table of raw ops: the rows of all subjects."""

from __future__ import annotations

from . import (
    arrays,
    linalg,
    lookup_tables,
    math,
    nn,
    recurrent,
    state,
    training,
)
from .rows import Row

_SUBJECTS = (
    arrays, linalg, lookup_tables, math, nn, recurrent, state, training,
)  # fmt: skip

ROWS: dict[str, Row] = {}
for _subject in _SUBJECTS:
    _twice = ROWS.keys() & _subject.ROWS.keys()
    assert not _twice, f"{_twice} have two rows"
    ROWS |= _subject.ROWS
