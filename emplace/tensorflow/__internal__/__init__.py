"""`tf.__internal__`: what Keras uses of TensorFlow's insides."""

from ...core.composite import (
    CompositeTensor as CompositeTensor,
)
from ...core.tensor import (
    EagerTensor as EagerTensor,
)
from ...graph.recording.func_graph import (
    FuncGraph as FuncGraph,
)
from . import (
    autograph as autograph,
    distribute as distribute,
    nest as nest,
    smart_cond as smart_cond,
    tf2 as tf2,
    tracking as tracking,
    types as types,
)
