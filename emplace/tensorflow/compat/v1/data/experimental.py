"""`tf.compat.v1.data.experimental`."""

from .....core.tensor_spec import TensorSpec as TensorStructure
from .....data.dataset.base import DatasetSpec as DatasetStructure
from .....data.elements.optional import OptionalSpec as OptionalStructure
from .....ops.ragged.spec import RaggedTensorSpec as RaggedTensorStructure
from .....ops.sparse.tensor import SparseTensorSpec as SparseTensorStructure
from ....data.experimental import *
