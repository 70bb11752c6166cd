"""`tf.compat.v1.random`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import multinomial
from ....classic.functions.arrays import random_poisson as poisson
from ....classic.scopes.seeds import get_seed, set_random_seed


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.random"), name)
