"""`tf.data.experimental`."""

from ....data.dataset.options import (
    AutoShardPolicy as AutoShardPolicy,
    AutotuneAlgorithm as AutotuneAlgorithm,
    AutotuneOptions as AutotuneOptions,
    DistributeOptions as DistributeOptions,
    ExternalStatePolicy as ExternalStatePolicy,
    OptimizationOptions as OptimizationOptions,
    ServiceOptions as ServiceOptions,
    ThreadingOptions as ThreadingOptions,
)
from ....data.elements.optional import (
    Optional as Optional,
)
from ....data.iteration.node import (
    AUTOTUNE as AUTOTUNE,
    INFINITE as _INFINITE_CARDINALITY,
    UNKNOWN as _UNKNOWN_CARDINALITY,
)
from ....data.library.experimental import (
    Counter as Counter,
    RandomDataset as RandomDataset,
    Reducer as Reducer,
    assert_cardinality as assert_cardinality,
    at as at,
    bucket_by_sequence_length as bucket_by_sequence_length,
    cardinality as cardinality,
    choose_from_datasets as choose_from_datasets,
    copy_to_device as copy_to_device,
    dense_to_ragged_batch as dense_to_ragged_batch,
    dense_to_sparse_batch as dense_to_sparse_batch,
    enable_debug_mode as enable_debug_mode,
    enumerate_dataset as enumerate_dataset,
    from_list as from_list,
    from_variant as from_variant,
    get_next_as_optional as get_next_as_optional,
    get_single_element as get_single_element,
    get_structure as get_structure,
    group_by_reducer as group_by_reducer,
    group_by_window as group_by_window,
    ignore_errors as ignore_errors,
    load as load,
    map_and_batch as map_and_batch,
    pad_to_cardinality as pad_to_cardinality,
    parallel_interleave as parallel_interleave,
    prefetch_to_device as prefetch_to_device,
    rejection_resample as rejection_resample,
    sample_from_datasets as sample_from_datasets,
    save as save,
    scan as scan,
    shuffle_and_repeat as shuffle_and_repeat,
    snapshot as snapshot,
    take_while as take_while,
    to_variant as to_variant,
    unbatch as unbatch,
    unique as unique,
)
from ....data.library.queries import SqlDataset as SqlDataset
from ....data.library.tables import (
    CsvDataset as CsvDataset,
    TFRecordWriter as TFRecordWriter,
    make_batched_features_dataset as make_batched_features_dataset,
    make_csv_dataset as make_csv_dataset,
    parse_example_dataset as parse_example_dataset,
)
from ....data.nodes.selecting import (
    SHARD_HINT as SHARD_HINT,
)

# Names that differ from ours, as type checkers want them said.
INFINITE_CARDINALITY = _INFINITE_CARDINALITY
UNKNOWN_CARDINALITY = _UNKNOWN_CARDINALITY
