"""`tf.autodiff`."""

from ..eager.forward import (
    ForwardAccumulator as ForwardAccumulator,
)
from ..eager.tape import (
    GradientTape as GradientTape,
)
