"""`tf.contrib.data`: datasets, where they were before `tf.data`, and what is now in
`tf.data.experimental`.
"""

from ....data.iteration.node import (
    AUTOTUNE as AUTOTUNE,
)
from ....data.library.experimental import (
    Counter as Counter,
    RandomDataset as RandomDataset,
    Reducer as Reducer,
    bucket_by_sequence_length as bucket_by_sequence_length,
    choose_from_datasets as choose_from_datasets,
    dense_to_sparse_batch as dense_to_sparse_batch,
    enumerate_dataset as enumerate_dataset,
    get_single_element as get_single_element,
    group_by_reducer as group_by_reducer,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    map_and_batch as map_and_batch,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    sample_from_datasets as sample_from_datasets,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    unbatch as unbatch,
    unique as unique,
)
from ....data.library.v1 import (
    DatasetV1 as _Dataset,
    FixedLengthRecordDatasetV1 as _FixedLengthRecordDataset,
    IteratorV1 as _Iterator,
    TextLineDatasetV1 as _TextLineDataset,
    TFRecordDatasetV1 as _TFRecordDataset,
)

# Names that differ from ours, as type checkers want them said.
Dataset = _Dataset
FixedLengthRecordDataset = _FixedLengthRecordDataset
Iterator = _Iterator
TextLineDataset = _TextLineDataset
TFRecordDataset = _TFRecordDataset
