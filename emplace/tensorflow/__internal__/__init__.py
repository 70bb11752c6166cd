"""`tf.__internal__`: what Keras uses of TensorFlow's insides."""

from ...core.composite import CompositeTensor
from ...core.tensor import EagerTensor
from ...graph.recording.func_graph import FuncGraph
from . import (
    autograph,
    distribute,
    nest,
    smart_cond,
    tf2,
    tracking,
    types,
)
