"""`tf.compat.v1.data.experimental`."""

from .....core.tensor_spec import (
    TensorSpec as _TensorStructure,
)
from .....data.dataset.base import (
    DatasetSpec as _DatasetStructure,
)
from .....data.elements.optional import (
    OptionalSpec as _OptionalStructure,
)
from .....ops.ragged.spec import (
    RaggedTensorSpec as _RaggedTensorStructure,
)
from .....ops.sparse.tensor import (
    SparseTensorSpec as _SparseTensorStructure,
)
from ....data.experimental import *

# Names that differ from ours, as type checkers want them said.
TensorStructure = _TensorStructure
DatasetStructure = _DatasetStructure
OptionalStructure = _OptionalStructure
RaggedTensorStructure = _RaggedTensorStructure
SparseTensorStructure = _SparseTensorStructure
