"""`tf.data`."""

from ...data.dataset.base import DatasetSpec
from ...data.dataset.dataset import Dataset
from ...data.dataset.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from ...data.dataset.options import Options, ThreadingOptions
from ...data.iteration.iterator import Iterator, IteratorSpec, NumpyIterator
from ...data.iteration.node import (
    AUTOTUNE,
)
from ...data.iteration.node import (
    INFINITE as INFINITE_CARDINALITY,
)
from ...data.iteration.node import (
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from ...data.library import looping as _looping
from . import experimental
