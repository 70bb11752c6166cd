"""The table of raw ops: the rows of all subjects."""

from __future__ import annotations

from . import (
    arrays,
    control,
    crosses,
    dataset_versions,
    datasets,
    files,
    fractional_pools,
    images,
    linalg,
    list_gradients as list_gradients,
    lists,
    lookup_tables,
    math,
    nn,
    others,
    random_numbers,
    recurrent,
    sparse_parts,
    staging,
    state,
    tensor_arrays,
    training,
)
from .rows import Row

_SUBJECTS = (
    arrays, control, crosses, dataset_versions, datasets, files, fractional_pools, images,
    linalg, lists, lookup_tables, math, nn, others,
    random_numbers, recurrent, sparse_parts,
    staging, state, tensor_arrays, training,
)  # fmt: skip

ROWS: dict[str, Row] = {}
for _subject in _SUBJECTS:
    _twice = ROWS.keys() & _subject.ROWS.keys()
    assert not _twice, f"{_twice} have two rows"
    ROWS |= _subject.ROWS
