"""`tf.__internal__.types`."""

from ...core.tensor import AnyTensor as Tensor
