"""`tf.compat.v1.math`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import (
    bincount as bincount,
    confusion_matrix as confusion_matrix,
)
from ....classic.functions.nn import (
    in_top_k as in_top_k,
    log_softmax as log_softmax,
    softmax as softmax,
)
from ....classic.functions.reductions import (
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.math"), name)
