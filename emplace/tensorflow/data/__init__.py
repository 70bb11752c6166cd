"""`tf.data`."""

from ...data.dataset.base import (
    DatasetSpec as DatasetSpec,
)
from ...data.dataset.dataset import (
    Dataset as Dataset,
)
from ...data.dataset.files import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from ...data.dataset.options import (
    Options as Options,
    ThreadingOptions as ThreadingOptions,
)
from ...data.iteration.iterator import (
    Iterator as Iterator,
    IteratorSpec as IteratorSpec,
    NumpyIterator as NumpyIterator,
)
from ...data.iteration.node import (
    AUTOTUNE as AUTOTUNE,
    INFINITE as _INFINITE_CARDINALITY,
    UNKNOWN as _UNKNOWN_CARDINALITY,
)
from ...data.library import (
    looping as _looping,
)
from . import (
    experimental as experimental,
)

# Names that differ from ours, as type checkers want them said.
INFINITE_CARDINALITY = _INFINITE_CARDINALITY
UNKNOWN_CARDINALITY = _UNKNOWN_CARDINALITY
