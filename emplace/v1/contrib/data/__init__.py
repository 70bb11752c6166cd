"""`tf.contrib.data`: datasets, where they were before `tf.data`, and what is now in
`tf.data.experimental`.
"""

from ....data.iteration.node import AUTOTUNE
from ....data.library.experimental import (
    Counter,
    RandomDataset,
    Reducer,
    bucket_by_sequence_length,
    choose_from_datasets,
    dense_to_sparse_batch,
    enumerate_dataset,
    get_single_element,
    group_by_reducer,
    group_by_window,
    ignore_errors,
    map_and_batch,
    parallel_interleave,
    prefetch_to_device,
    rejection_resample,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    unbatch,
    unique,
)
from ....data.library.v1 import DatasetV1 as Dataset
from ....data.library.v1 import FixedLengthRecordDatasetV1 as FixedLengthRecordDataset
from ....data.library.v1 import IteratorV1 as Iterator
from ....data.library.v1 import TextLineDatasetV1 as TextLineDataset
from ....data.library.v1 import TFRecordDatasetV1 as TFRecordDataset
