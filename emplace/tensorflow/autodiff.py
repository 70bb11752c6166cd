"""`tf.autodiff`."""

from ..eager.forward import ForwardAccumulator
from ..eager.tape import GradientTape
