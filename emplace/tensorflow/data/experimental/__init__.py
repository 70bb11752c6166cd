"""`tf.data.experimental`."""

from ....data.dataset.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from ....data.elements.optional import Optional
from ....data.iteration.node import (
    AUTOTUNE,
)
from ....data.iteration.node import (
    INFINITE as INFINITE_CARDINALITY,
)
from ....data.iteration.node import (
    UNKNOWN as UNKNOWN_CARDINALITY,
)
from ....data.library.experimental import (
    Counter,
    RandomDataset,
    Reducer,
    assert_cardinality,
    at,
    bucket_by_sequence_length,
    cardinality,
    choose_from_datasets,
    copy_to_device,
    dense_to_ragged_batch,
    dense_to_sparse_batch,
    enable_debug_mode,
    enumerate_dataset,
    from_list,
    from_variant,
    get_next_as_optional,
    get_single_element,
    get_structure,
    group_by_reducer,
    group_by_window,
    ignore_errors,
    load,
    map_and_batch,
    pad_to_cardinality,
    parallel_interleave,
    prefetch_to_device,
    rejection_resample,
    sample_from_datasets,
    save,
    scan,
    shuffle_and_repeat,
    snapshot,
    take_while,
    to_variant,
    unbatch,
    unique,
)
from ....data.library.tables import (
    CsvDataset,
    SqlDataset,
    TFRecordWriter,
    make_batched_features_dataset,
    make_csv_dataset,
    parse_example_dataset,
)
from ....data.nodes.selecting import (
    SHARD_HINT,
)
