"""`tf.compat.v1.strings`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import (
    string_to_hash_bucket as _to_hash_bucket,
    string_to_number as _to_number,
    substr as substr,
)
from ....classic.functions.reductions import (
    reduce_join as reduce_join,
)
from ....classic.functions.strings import (
    length as length,
    strings_split as _split,
)

# Names that differ from ours, as type checkers want them said.
to_hash_bucket = _to_hash_bucket
to_number = _to_number
split = _split


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.strings"), name)
