"""`tf.data`."""

from ...data import looping as _looping
from ...data.base import DatasetSpec
from ...data.dataset import Dataset
from ...data.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
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
from ...data.options import Options, ThreadingOptions
from . import experimental
