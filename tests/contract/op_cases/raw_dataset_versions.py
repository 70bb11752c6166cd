"""Cases of `raw/dataset_versions.py`: older versions of raw ops on datasets, and those that hold
functions which make datasets.

Several of these TensorFlow cannot iterate over by `MakeIterator`, which rewrites them first; they
are reduced, or taken as a single element.
"""

from .raw_datasets import _DIR, _INT, _INTV, _NO, _R, _RANGE, _TEXT, _of

_MAKES = (
    "s := tf.TensorSpec([], tf.int64), v := tf.TensorSpec([], tf.variant),"
    " ds := tf.data.experimental.to_variant,"
    " many := tf.function(lambda x: ds(tf.data.Dataset.range(x))).get_concrete_function(s),"
    " odd := tf.function(lambda x: x % 2 == 1).get_concrete_function(s),"
    " mod := tf.function(lambda x: x % 2).get_concrete_function(s),"
    " two := tf.function(lambda x: tf.constant(2, tf.int64)).get_concrete_function(s),"
    " same := tf.function(lambda x: x).get_concrete_function(s),"
    " plus := tf.function(lambda t, x: t + x).get_concrete_function(s, s),"
    " joined := tf.function(lambda k, w: ds(tf.data.experimental.from_variant("
    "w, tf.TensorSpec([], tf.int64)).map(lambda x: x * 10 + k))).get_concrete_function(s, v)"
)


def _made(dataset: str, count: int, kinds: str = _INT, before: str = _MAKES) -> str:
    """The first elements of a dataset."""
    get = f"{_R}.IteratorGetNext(iterator=it, {kinds})"
    return (
        f"run({before}, d := {dataset}, it := {_R}.AnonymousIteratorV3({kinds}),"
        f" {_R}.MakeIterator(dataset=d, iterator=it), [{', '.join([get] * count)}])"
    )


def _single(dataset: str, kinds: str) -> str:
    return f"{_R}.DatasetToSingleElement(dataset={dataset}, {kinds})"


_AHEAD = "buffer_output_elements=np.int64(1), prefetch_input_elements=np.int64(1)"
_CYCLES = "cycle_length=np.int64(2), block_length=np.int64(1)"
_LONG = "cycle_length=np.int64(3), block_length=np.int64(2)"
_CALLS = "num_parallel_calls=np.int64(2)"
_NO_MORE = "key_func_other_arguments=[], reduce_func_other_arguments=[]"
_BY_WINDOW = (
    f"{_NO_MORE}, window_size_func_other_arguments=[], key_func=mod, reduce_func=joined,"
    " window_size_func=two"
)
_BY_REDUCER = (
    f"{_NO_MORE}, init_func_other_arguments=[], finalize_func_other_arguments=[], key_func=mod,"
    " init_func=same, reduce_func=plus, finalize_func=same"
)
_CSV = f"{_DIR}, __import__('pathlib').Path(d0, 'b.csv').write_text('a,b,c\\n1,x,2.5\\n,y,3\\n')"
_ROW = "output_types=[tf.int32, tf.string, tf.float32], output_shapes=[[], [], []]"
_COLUMNS = (
    "filenames=d0 + '/b.csv', compression_type='', buffer_size=np.int64(256), header=True,"
    " field_delim=',', use_quote_delim=True, na_value='', record_defaults=[tf.constant([7]),"
    " tf.constant([], tf.string), tf.constant([], tf.float32)], select_cols=tf.constant([],"
    " tf.int64), output_shapes=[[], [], []]"
)
_PADDED = "output_types=[tf.int64], output_shapes=[[None, 3]]"
_BATCHED = (
    f"{_R}.BatchDatasetV2(input_dataset={_RANGE}, batch_size=np.int64(2), drop_remainder=True,"
    f" {_INTV})"
)
_SEEDS = "seed=np.int64(1), seed2=np.int64(2)"
_SHUFFLE = "buffer_size=np.int64(1)"
_SPARSE = (
    f"{_R}.SparseTensorSliceDataset(indices=np.array([[0, 1], [1, 0], [1, 2]]),"
    " values=np.array([5, 6, 7]), dense_shape=np.array([3, 4]))"
)
_WINDOWS = (
    f"{_R}.DatasetCardinality(input_dataset={_R}.WindowDataset(input_dataset={_RANGE},"
    " size=np.int64(2), shift=np.int64(2), stride=np.int64(1), drop_remainder={},"
    " output_types=[tf.variant], output_shapes=[[]]))"
)

CASES = [
    _single(_of("BatchDataset", "batch_size=np.int64(5)", _INTV), _INTV),
    _single(_of("BatchDataset", "batch_size=np.int64(2)", _INTV), _INTV),
    _single(_of("BatchDataset", "batch_size=np.int64(0)", _INTV), _INTV),
    _made(_of("FlatMapDataset", f"{_NO}, f=many"), 10),
    _made(_of("FlatMapDataset", f"{_NO}, f=many"), 11),
    _made(_of("InterleaveDataset", f"{_NO}, {_CYCLES}, f=many"), 10),
    _made(_of("InterleaveDataset", f"{_NO}, {_LONG}, f=many"), 10),
    *[
        _made(_of(name, f"{_NO}, {cycles}, {more}, f=many"), 10)
        for name, more in (
            ("ParallelInterleaveDatasetV2", _CALLS),
            ("ParallelInterleaveDatasetV3", _CALLS),
            ("ParallelInterleaveDatasetV4", f"{_AHEAD}, {_CALLS}"),
            ("ParallelInterleaveDataset", f"sloppy=False, {_AHEAD}"),
            ("ExperimentalParallelInterleaveDataset", f"sloppy=False, {_AHEAD}"),
            ("LegacyParallelInterleaveDatasetV2", _AHEAD),
        )
        for cycles in (_CYCLES, _LONG)
    ],
    f"run({_MAKES}, {_R}.DatasetToSingleElement(dataset={_R}.ParallelFilterDataset(input_dataset="
    f"{_R}.RangeDataset(start=np.int64(0), stop=np.int64(3), step=np.int64(1), {_INT}), {_NO},"
    f" {_CALLS}, predicate=odd, {_INT}), {_INT}))",
    _made(_of("GroupByWindowDataset", _BY_WINDOW), 5),
    _made(_of("ExperimentalGroupByWindowDataset", _BY_WINDOW), 5),
    _made(_of("GroupByReducerDataset", _BY_REDUCER), 2),
    _made(_of("GroupByReducerDataset", _BY_REDUCER), 3),
    _made(_of("ExperimentalGroupByReducerDataset", _BY_REDUCER), 2),
    *[
        _made(_of(name, f"num_workers=np.int64(2), index=np.int64(1), auto_shard_policy={n}"), 2)
        for name in ("AutoShardDataset", "ExperimentalAutoShardDataset")
        for n in (2, -1)
    ],
    _made(_of("AutoShardDataset", "num_workers=np.int64(1), index=np.int64(0)"), 5),
    *[
        _made(_of(name, "tag='t'"), 5)
        for name in (
            "LatencyStatsDataset",
            "ExperimentalLatencyStatsDataset",
            "BytesProducedStatsDataset",
            "ExperimentalBytesProducedStatsDataset",
        )
    ],
    *[
        _made(f"{_R}.{name}(input_datasets=[{_RANGE}, {_RANGE}], num_experiments=2, {_INT})", 5)
        for name in ("ChooseFastestDataset", "ExperimentalChooseFastestDataset")
    ],
    *[
        _made(
            f"{_R}.RebatchDatasetV2(input_dataset={_BATCHED}, batch_sizes={sizes},"
            f" drop_remainder={drop}, {_INTV})",
            count,
            _INTV,
        )
        for sizes, drop, count in (
            ("np.array([3, 1])", False, 2),
            ("np.array([3])", False, 2),
            ("np.array([3])", True, 1),
            ("np.array([1, 2])", False, 3),
        )
    ],
    _single(
        f"{_R}.PaddedBatchDataset(input_dataset={_BATCHED}, batch_size=np.int64(2),"
        " padded_shapes=[np.array([3])], padding_values=[np.int64(7)], output_shapes=[[None, 3]])",
        _PADDED,
    ),
    _made(
        _SPARSE,
        3,
        "output_types=[tf.int64, tf.int64, tf.int64], output_shapes=[[None, 1], [None], [1]]",
    ),
    _made(
        f"{_R}.ListDataset(tensors=[np.int64(3), np.int64(5)], output_types=[tf.int64],"
        " output_shapes=[[]])",
        2,
    ),
    _WINDOWS.format("True"),
    _WINDOWS.format("False"),
    _made(
        f"{_R}.UnwrapDatasetVariant(input_handle={_R}.WrapDatasetVariant(input_handle={_RANGE}))", 5
    ),
    _made(_of("CacheDatasetV2", f"filename='', cache={_R}.DummyMemoryCache()"), 5),
    _made(_of("CacheDatasetV2", f"filename='', cache={_R}.AnonymousMemoryCache().handle"), 5),
    _made(_of("ShuffleDataset", f"{_SHUFFLE}, {_SEEDS}"), 5),
    _made(_of("ShuffleDataset", f"buffer_size=np.int64(0), {_SEEDS}"), 1),
    _made(
        _of(
            "ShuffleDatasetV3",
            f"{_SHUFFLE}, {_SEEDS}, seed_generator={_R}.AnonymousSeedGenerator({_SEEDS},"
            " reshuffle=True).handle",
        ),
        5,
    ),
    _made(_of("ShuffleAndRepeatDataset", f"{_SHUFFLE}, {_SEEDS}, count=np.int64(2)"), 7),
    _made(
        _of(
            "ShuffleAndRepeatDatasetV2",
            f"{_SHUFFLE}, {_SEEDS}, count=np.int64(2), seed_generator={_R}.DummySeedGenerator()",
        ),
        7,
    ),
    *[
        f"run(d := {_R}.{name}(seed=np.int64(0), seed2=np.int64(3){more}, {_INT}),"
        f" {_R}.DatasetToSingleElement(dataset={_R}.TakeDataset(input_dataset=d,"
        f" count=np.int64(1), {_INT}), {_INT})[0].shape)"
        for name, more in (
            ("RandomDataset", ""),
            ("ExperimentalRandomDataset", ""),
            ("RandomDatasetV2", f", seed_generator={_R}.DummySeedGenerator()"),
        )
    ],
    *[
        _made(f"{_R}.{name}({_COLUMNS}{more})", count, _ROW, _CSV)
        for name, more in (
            ("CSVDataset", ""),
            ("ExperimentalCSVDataset", ""),
            ("CSVDatasetV2", ", exclude_cols=tf.constant([], tf.int64)"),
        )
        for count in (2, 3)
    ],
    f"run({_DIR}, {_R}.DatasetToSingleElement(dataset={_R}.FixedLengthRecordDataset("
    "filenames=d0 + '/a.txt', header_bytes=np.int64(4), record_bytes=np.int64(4),"
    f" footer_bytes=np.int64(0), buffer_size=np.int64(0)), {_TEXT}))",
    *[
        f"run({_DIR}, {_R}.{name}(input_dataset={_R}.TensorSliceDataset(components=[tf.constant("
        "['yy'])], output_shapes=[[]]), filename=d0 + '/r', compression_type=''),"
        f" {_R}.DatasetToSingleElement(dataset={_R}.TFRecordDatasetV2(filenames=[d0 + '/r'],"
        f" compression_type='', buffer_size=np.int64(0), byte_offsets=np.array([0])), {_TEXT}))"
        for name in ("DatasetToTFRecord", "ExperimentalDatasetToTFRecord")
    ],
    _made(f"{_R}.CSVDataset({_COLUMNS.replace('256', '0')})", 1, _ROW, _CSV),
    *[
        f"run(it := {_R}.{name}({_INT}){handle}, {_R}.MakeIterator(dataset={_RANGE},"
        f" iterator=it), {_R}.IteratorGetNext(iterator=it, {_INT}))"
        for name, handle in (("AnonymousIterator", ""), ("AnonymousIteratorV2", ".handle"))
    ],
    *[
        f"tf.strings.regex_replace({_R}.{name}(resource={_R}.AnonymousIterator({_INT})), '.*/', '')"
        for name in ("IteratorGetDevice", "ExperimentalIteratorGetDevice")
    ],
    f"run(t := {_R}.AnonymousIteratorV2({_INT}), {_R}.DeleteIterator(handle=t.handle,"
    " deleter=t.deleter))",
]
