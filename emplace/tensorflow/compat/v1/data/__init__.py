"""`tf.compat.v1.data`."""

from .....data.dataset.base import (
    DatasetSpec as DatasetSpec,
)
from .....data.dataset.options import (
    Options as Options,
    ThreadingOptions as ThreadingOptions,
)
from .....data.iteration.iterator import (
    NumpyIterator as NumpyIterator,
)
from .....data.iteration.node import (
    AUTOTUNE as AUTOTUNE,
    INFINITE as _INFINITE_CARDINALITY,
    UNKNOWN as _UNKNOWN_CARDINALITY,
)
from .....data.library import (
    looping as _looping,
)
from .....data.library.v1 import (
    DatasetV1 as _Dataset,
    FixedLengthRecordDatasetV1 as _FixedLengthRecordDataset,
    IteratorV1 as _Iterator,
    TextLineDatasetV1 as _TextLineDataset,
    TFRecordDatasetV1 as _TFRecordDataset,
    get_legacy_output_classes as _get_output_classes,
    get_legacy_output_shapes as _get_output_shapes,
    get_legacy_output_types as _get_output_types,
    make_initializable_iterator as make_initializable_iterator,
    make_one_shot_iterator as make_one_shot_iterator,
)
from . import (
    experimental as experimental,
)

# Names that differ from ours, as type checkers want them said.
INFINITE_CARDINALITY = _INFINITE_CARDINALITY
UNKNOWN_CARDINALITY = _UNKNOWN_CARDINALITY
Dataset = _Dataset
FixedLengthRecordDataset = _FixedLengthRecordDataset
Iterator = _Iterator
TextLineDataset = _TextLineDataset
TFRecordDataset = _TFRecordDataset
get_output_classes = _get_output_classes
get_output_shapes = _get_output_shapes
get_output_types = _get_output_types
