"""`tf.data`."""

from ...data import looping as _looping
from ...data.base import DatasetSpec
from ...data.dataset import Dataset
from ...data.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from ...data.iterator import Iterator, IteratorSpec, NumpyIterator
from ...data.node import (
    AUTOTUNE,
)
from ...data.node import (
    INFINITE as INFINITE_CARDINALITY,
)
from ...data.node import (
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from ...data.options import Options, ThreadingOptions
from . import experimental
