"""`tf.__internal__`: what Keras uses of TensorFlow's insides."""

from ...core.composite import CompositeTensor
from ...core.tensor import EagerTensor
from . import (
    autograph,
    nest,
    types,
)
