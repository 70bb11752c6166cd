"""`tf.compat.v1.sparse`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.sparse import (
    sparse_add as _add,
    sparse_concat as _concat,
    sparse_reduce_max as _reduce_max,
    sparse_reduce_max_sparse as _reduce_max_sparse,
    sparse_reduce_sum as _reduce_sum,
    sparse_reduce_sum_sparse as _reduce_sum_sparse,
    sparse_segment_mean as _segment_mean,
    sparse_segment_sqrt_n as _segment_sqrt_n,
    sparse_segment_sum as _segment_sum,
    sparse_split as _split,
)
from ....graph.session.values.placeholders import (
    sparse_placeholder as _placeholder,
)
from ....ops.data_flow.accumulator_classes import (
    SparseConditionalAccumulator as SparseConditionalAccumulator,
)

# Names that differ from ours, as type checkers want them said.
placeholder = _placeholder
add = _add
concat = _concat
reduce_max = _reduce_max
reduce_sum = _reduce_sum
reduce_max_sparse = _reduce_max_sparse
reduce_sum_sparse = _reduce_sum_sparse
segment_mean = _segment_mean
segment_sqrt_n = _segment_sqrt_n
segment_sum = _segment_sum
split = _split


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.sparse"), name)
