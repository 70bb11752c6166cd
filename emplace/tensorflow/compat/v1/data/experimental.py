"""`tf.compat.v1.data.experimental`."""

from .....data.dataset.base import (
    DatasetSpec as _DatasetStructure,
)
from .....data.elements.optional import (
    OptionalSpec as _OptionalStructure,
)
from .....data.library.structures import (
    ragged_tensor_structure as _RaggedTensorStructure,
    sparse_tensor_structure as _SparseTensorStructure,
    tensor_structure as _TensorStructure,
)
from ....data.experimental import *

# Names that differ from ours, as type checkers want them said.
TensorStructure = _TensorStructure
DatasetStructure = _DatasetStructure
OptionalStructure = _OptionalStructure
RaggedTensorStructure = _RaggedTensorStructure
SparseTensorStructure = _SparseTensorStructure
