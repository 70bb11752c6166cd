"""`tf.compat.v1.data`."""

from .....data.dataset.base import DatasetSpec
from .....data.dataset.options import Options, ThreadingOptions
from .....data.iteration.iterator import NumpyIterator
from .....data.iteration.node import (
    AUTOTUNE,
)
from .....data.iteration.node import (
    INFINITE as INFINITE_CARDINALITY,
)
from .....data.iteration.node import (
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from .....data.library import looping as _looping
from .....data.library.v1 import (
    DatasetV1 as Dataset,
)
from .....data.library.v1 import (
    FixedLengthRecordDatasetV1 as FixedLengthRecordDataset,
)
from .....data.library.v1 import (
    IteratorV1 as Iterator,
)
from .....data.library.v1 import (
    TextLineDatasetV1 as TextLineDataset,
)
from .....data.library.v1 import (
    TFRecordDatasetV1 as TFRecordDataset,
)
from .....data.library.v1 import (
    get_legacy_output_classes as get_output_classes,
)
from .....data.library.v1 import (
    get_legacy_output_shapes as get_output_shapes,
)
from .....data.library.v1 import (
    get_legacy_output_types as get_output_types,
)
from .....data.library.v1 import make_initializable_iterator, make_one_shot_iterator
from . import experimental
