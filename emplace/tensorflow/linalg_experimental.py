"""`tf.linalg.experimental`."""

from ..interop.operators.conjugate_gradient import conjugate_gradient as conjugate_gradient
