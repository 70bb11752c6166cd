"""`tf.compat.v1.strings`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import string_to_hash_bucket as to_hash_bucket
from ....classic.functions.arrays import string_to_number as to_number
from ....classic.functions.arrays import substr
from ....classic.functions.reductions import reduce_join
from ....classic.functions.strings import length
from ....classic.functions.strings import strings_split as split


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.strings"), name)
