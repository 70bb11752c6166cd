"""Cases of `raw/datasets.py`: raw ops on datasets, iterators and optionals."""

from . import Case

_R = "tf.raw_ops"
_INTS = "output_types=[tf.int64], output_shapes=[{}]"
_INT, _INTV = _INTS.format("[]"), _INTS.format("[None]")
_N = "np.int64({})"
_RANGE = f"{_R}.RangeDataset(start=np.int64(0), stop=np.int64(5), step=np.int64(1), {_INT})"
_FUNCTIONS = (
    "s := tf.TensorSpec([], tf.int64),"
    " add := tf.function(lambda x: x + 1).get_concrete_function(s),"
    " odd := tf.function(lambda x: x % 2 == 1).get_concrete_function(s),"
    " low := tf.function(lambda x: x < 3).get_concrete_function(s),"
    " total := tf.function(lambda t, x: (t + x, t * x)).get_concrete_function(s, s),"
    " plus := tf.function(lambda t, x: t + x).get_concrete_function(s, s)"
)


def _elements(dataset: str, count: int, kinds: str = _INT) -> str:
    """The first elements of a dataset."""
    get = f"{_R}.IteratorGetNext(iterator=it, {kinds})"
    return (
        f"run({_FUNCTIONS}, d := {dataset}, it := {_R}.AnonymousIteratorV3({kinds}),"
        f" {_R}.MakeIterator(dataset=d, iterator=it), [{', '.join([get] * count)}])"
    )


def _of(name: str, more: str = "", kinds: str = _INT, source: str = _RANGE) -> str:
    return f"{_R}.{name}(input_dataset={source}, {more}{', ' * bool(more)}{kinds})"


_TWO = "output_types=[tf.float32, tf.int32], output_shapes=[[], []]"
_NO = "other_arguments=[]"
_DIR = (
    "d0 := __import__('tempfile').mkdtemp(),"
    " __import__('pathlib').Path(d0, 'a.txt').write_text('one\\ntwo\\n')"
)
_TEXT = "output_types=[tf.string], output_shapes=[[]]"
_BATCHED = f"{_R}.BatchDatasetV2(input_dataset={_RANGE}, batch_size=np.int64(2), drop_remainder=True, {_INTV})"  # noqa: E501

CASES: list[str | Case] = [
    _elements(_RANGE, 5),
    _elements(_RANGE, 6),
    _elements(f"{_R}.TensorDataset(components=[f32(), 3], output_shapes=[[], []])", 1, _TWO),
    _elements(
        f"{_R}.TensorSliceDataset(components=[f32(3), i32(3)], output_shapes=[[], []])", 3, _TWO
    ),
    *[
        _elements(_of(name, f"batch_size=np.int64(2), drop_remainder={drop}", _INTV), 2, _INTV)
        for name in ("BatchDatasetV2",)
        for drop in (True, False)
    ],
    _elements(
        _of(
            "ParallelBatchDataset",
            "batch_size=np.int64(2), num_parallel_calls=np.int64(2), drop_remainder=True",
            _INTV,
        ),
        2,
        _INTV,
    ),
    _elements(_of("RepeatDataset", "count=np.int64(2)"), 7),
    _elements(_of("TakeDataset", "count=np.int64(2)"), 3),
    _elements(_of("SkipDataset", "count=np.int64(2)"), 2),
    _elements(_of("ShardDataset", "num_shards=np.int64(2), index=np.int64(1)"), 2),
    _elements(_of("PrefetchDataset", "buffer_size=np.int64(2)"), 2),
    _elements(_of("CacheDataset", "filename=''"), 2),
    _elements(_of("ConcatenateDataset", f"another_dataset={_RANGE}"), 7),
    _elements(
        f"{_R}.ZipDataset(input_datasets=[{_RANGE}, {_RANGE}],"
        " output_types=[tf.int64, tf.int64], output_shapes=[[], []])",
        2,
        "output_types=[tf.int64, tf.int64], output_shapes=[[], []]",
    ),
    *[
        _elements(_of(name, f"{_NO}, f=add{more}"), 3)
        for name, more in (
            ("MapDataset", ""),
            ("ParallelMapDataset", ", num_parallel_calls=2"),
            ("ParallelMapDatasetV2", ", num_parallel_calls=np.int64(2)"),
        )
    ],
    *[
        _elements(
            _of(
                name,
                f"{_NO}, f=add, batch_size=np.int64(2), drop_remainder=True,"
                " num_parallel_calls=np.int64(1)",
                _INTV,
            ),
            2,
            _INTV,
        )
        for name in ("MapAndBatchDataset", "ExperimentalMapAndBatchDataset")
    ],
    _elements(_of("FilterDataset", f"{_NO}, predicate=odd"), 3),
    *[
        _elements(_of(name, f"{_NO}, predicate=low"), 4)
        for name in ("TakeWhileDataset", "ExperimentalTakeWhileDataset")
    ],
    *[
        _elements(_of(name, f"initial_state=[np.int64(3)], {_NO}, f=total"), 4)
        for name in ("ScanDataset", "ExperimentalScanDataset")
    ],
    *[
        _elements(_of(name, "", _INT, _BATCHED), 4)
        for name in ("UnbatchDataset", "ExperimentalUnbatchDataset")
    ],
    *[
        _elements(_of(name, "", _INT, _of("RepeatDataset", "count=np.int64(2)")), 6)
        for name in ("UniqueDataset", "ExperimentalUniqueDataset")
    ],
    *[
        _elements(
            _of(
                name,
                "window_size=np.int64(2), window_shift=np.int64(1), window_stride=np.int64(2)",
                _INTV,
            ),
            2,
            _INTV,
        )
        for name in ("SlidingWindowDataset", "ExperimentalSlidingWindowDataset")
    ],
    *[
        _elements(_of(name), 2)
        for name in (
            "ModelDataset",
            "FinalizeDataset",
            "NonSerializableDataset",
            "ExperimentalNonSerializableDataset",
            "IgnoreErrorsDataset",
            "ExperimentalIgnoreErrorsDataset",
        )
    ],
    _elements(_of("OptionsDataset", "serialized_options=''"), 2),
    _elements(_of("OptimizeDataset", "optimizations=tf.constant([], tf.string)"), 2),
    *[
        _elements(_of(name, "max_intra_op_parallelism=np.int64(1)"), 2)
        for name in ("MaxIntraOpParallelismDataset", "ExperimentalMaxIntraOpParallelismDataset")
    ],
    *[
        _elements(_of(name, "num_threads=np.int64(1)"), 2)
        for name in ("PrivateThreadPoolDataset", "ExperimentalPrivateThreadPoolDataset")
    ],
    *[
        _elements(_of(name, "sleep_microseconds=np.int64(1)"), 2)
        for name in ("SleepDataset", "ExperimentalSleepDataset")
    ],
    _elements(
        _of(
            "OptimizeDatasetV2",
            "optimizations_enabled=tf.constant([], tf.string),"
            " optimizations_disabled=tf.constant([], tf.string),"
            " optimizations_default=tf.constant([], tf.string)",
        ),
        2,
    ),
    _elements(_of("AssertCardinalityDataset", "cardinality=np.int64(5)"), 5),
    _elements(_of("AssertCardinalityDataset", "cardinality=np.int64(4)"), 5),
    *[
        _elements(
            _of(
                name,
                "batch_size=np.int64(2), padded_shapes=[np.array([3])],"
                f" padding_values=[np.int64(7)]{more}",
                "output_shapes=[[None, 3]]",
                _BATCHED,
            ),
            1,
            "output_types=[tf.int64], output_shapes=[[None, 3]]",
        )
        for name, more in (("PaddedBatchDatasetV2", ", drop_remainder=True"),)
    ],
    *[
        _elements(
            f"{_R}.{name}(selector_input_dataset={_R}.TensorSliceDataset(components="
            f"[np.array([1, 0, 1])], output_shapes=[[]]), data_input_datasets=[{_RANGE},"
            f" {_of('SkipDataset', 'count=np.int64(2)')}], {_INT})",
            3,
        )
        for name in ("DirectedInterleaveDataset", "ExperimentalDirectedInterleaveDataset")
    ],
    *[
        f"{_R}.{name}(input_dataset={_RANGE})"
        for name in ("DatasetCardinality", "ExperimentalDatasetCardinality")
    ],
    f"{_R}.DatasetToSingleElement(dataset={_of('TakeDataset', 'count=np.int64(1)')}, {_INT})",
    f"{_R}.DatasetToSingleElement(dataset={_RANGE}, {_INT})",
    f"{_R}.GetElementAtIndex(dataset={_RANGE}, index=np.int64(3), {_INT})",
    f"run({_FUNCTIONS}, {_R}.ReduceDataset(input_dataset={_RANGE}, initial_state=[np.int64(3)],"
    f" {_NO}, f=plus, {_INT}))",
    f"run({_DIR}, d := {_R}.TextLineDataset(filenames=d0 + '/a.txt', compression_type='',"
    f" buffer_size=np.int64(0)), it := {_R}.AnonymousIteratorV3({_TEXT}),"
    f" {_R}.MakeIterator(dataset=d, iterator=it), [{_R}.IteratorGetNext(iterator=it, {_TEXT}),"
    f" {_R}.IteratorGetNextSync(iterator=it, {_TEXT})])",
    *[
        f"run({_DIR}, d := {_R}.{name}(filenames=d0 + '/a.txt', header_bytes=np.int64(0),"
        " record_bytes=np.int64(4), footer_bytes=np.int64(0), buffer_size=np.int64(0)"
        f"{more}), it := {_R}.AnonymousIteratorV3({_TEXT}),"
        f" {_R}.MakeIterator(dataset=d, iterator=it), {_R}.IteratorGetNext(iterator=it, {_TEXT}))"
        for name, more in (("FixedLengthRecordDatasetV2", ", compression_type=''"),)
    ],
    f"run({_DIR}, w := tf.io.TFRecordWriter(d0 + '/r'), w.write(b'abc'), w.close(),"
    f" d := {_R}.TFRecordDataset(filenames=d0 + '/r', compression_type='',"
    f" buffer_size=np.int64(0)), it := {_R}.AnonymousIteratorV3({_TEXT}),"
    f" {_R}.MakeIterator(dataset=d, iterator=it), {_R}.IteratorGetNext(iterator=it, {_TEXT}))",
    *[
        f"run({_DIR}, d := {_R}.{name}(patterns=[d0 + '/*.txt']),"
        f" it := {_R}.AnonymousIteratorV3({_TEXT}), {_R}.MakeIterator(dataset=d, iterator=it),"
        f" tf.strings.regex_replace({_R}.IteratorGetNext(iterator=it, {_TEXT})[0], '.*/', ''))"
        for name in ("MatchingFilesDataset", "ExperimentalMatchingFilesDataset")
    ],
    f"run(it := {_R}.AnonymousIteratorV3({_INT}), {_R}.MakeIterator(dataset={_RANGE},"
    f" iterator=it), {_R}.OptionalGetValue(optional={_R}.IteratorGetNextAsOptional(iterator=it,"
    f" {_INT}), {_INT}))",
    f"{_R}.OptionalHasValue(optional={_R}.OptionalNone())",
    f"{_R}.OptionalHasValue(optional={_R}.OptionalFromValue(components=[1.0, 2]))",
    f"{_R}.OptionalGetValue(optional={_R}.OptionalFromValue(components=[1.0, 2]), {_TWO})",
    f"{_R}.OptionalGetValue(optional={_R}.OptionalNone(), {_TWO})",
]
