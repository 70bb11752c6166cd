"""`tf.compat.v1.random`: what has other arguments there; the rest is that of TF 2."""

import importlib
from typing import Any

from ....classic.functions.arrays import (
    multinomial as multinomial,
    random_poisson as _poisson,
    stateless_multinomial as stateless_multinomial,
)
from ....classic.scopes.seeds import (
    get_seed as get_seed,
    set_random_seed as set_random_seed,
)

# Names that differ from ours, as type checkers want them said.
poisson = _poisson


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.random"), name)
