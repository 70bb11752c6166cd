"""`tf.__internal__.types`."""

from ....core.tensor import (
    AnyTensor as _Tensor,
)

# Names that differ from ours, as type checkers want them said.
Tensor = _Tensor
