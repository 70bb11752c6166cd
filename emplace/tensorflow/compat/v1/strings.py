"""`tf.compat.v1.strings`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.arrays import string_to_hash_bucket as to_hash_bucket
from ....classic.arrays import string_to_number as to_number
from ....classic.arrays import substr
from ....classic.reductions import reduce_join
from ....classic.strings import length
from ....classic.strings import strings_split as split


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.strings"), name)
