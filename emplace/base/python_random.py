"""The state of Python's `random`, which an import of TensorFlow changes and one of Keras does not.

TensorFlow imports Keras as it is imported itself, and Keras imports Rich, which draws one number
for the ids of its styles. Here Keras is loaded when it is first touched, so that this draw would
fall between a program's `random.seed` and its first layer. Keras takes the seeds of initializers
from Python's `random`: the layer's weights would be other ones.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Iterator

# The module that draws.
DRAWING = "rich.style"
_BITS = 24


def draw_as_an_import() -> None:
    """Draws what an import of TensorFlow draws, unless the program has imported Rich before."""
    if DRAWING not in sys.modules:
        random.getrandbits(_BITS)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Leaves the state as it was, whatever is drawn within."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)
