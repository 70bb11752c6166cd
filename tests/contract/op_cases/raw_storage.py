"""Cases of `raw/tensor_arrays.py`, `raw/staging.py` and `raw/files.py`."""

from . import Case, shape_only

_R = "tf.raw_ops"
_MAKE = "TensorArrayV3(size=3, dtype=tf.float32, clear_after_read=False)"
_ALL = "indices=[0, 1, 2], value=f32(3, 2)"
_FILL = f"TensorArrayScatterV3(handle=h, {_ALL}, flow_in=f)"


def _array(make: str, *steps: str) -> str:
    """An array `h` with its flow `f`, and calls on it; the last one is the answer."""
    done = ", ".join(f"f := {_R}.{step}" for step in steps[:-1])
    return f"run(a := {_R}.{make}, h := a[0], f := a[1], {done}{', ' * bool(done)}{_R}.{steps[-1]})"


_READ = "TensorArrayReadV3(handle=h, index=1, flow_in=f, dtype=tf.float32)"
_PACK = "TensorArrayGatherV3(handle=h, indices=[2, 0], flow_in=f, dtype=tf.float32)"
_WRITE = "TensorArrayWriteV3(handle=h, index=1, value=f32(2), flow_in=f)"


def _staged(name: str, *calls: str) -> str:
    return f"run({', '.join(f'{_R}.{call[:-1]}, {name})' for call in calls)})"


_D = "dtypes=[tf.float32, tf.int32]"
_PUT = "Stage(values=[f32(2), 7])"
_ENTRY = f"Stage(key=np.int64(3), indices=[0, 1], values=[f32(2), 7], {_D})"
_HALF = f"Stage(key=np.int64(4), indices=[1], values=[7], {_D})"


def _name(number: int) -> str:
    return f"shared_name='case {number}'"


CASES: list[str | Case] = [
    _array(_MAKE, _FILL, _READ),
    _array(_MAKE, _FILL, _PACK),
    _array(_MAKE, _WRITE, _READ),
    _array(_MAKE, _WRITE, _WRITE),
    _array(_MAKE, _READ),
    _array("TensorArrayV3(size=3, dtype=tf.float32, element_shape=[2])", _READ),
    _array("TensorArrayV3(size=3, dtype=tf.float32, element_shape=[3])", _WRITE),
    _array("TensorArrayV3(size=1, dtype=tf.float32)", _WRITE),
    _array(
        "TensorArrayV3(size=0, dtype=tf.float32, dynamic_size=True)",
        _WRITE,
        "TensorArraySizeV3(handle=h, flow_in=f)",
    ),
    _array("TensorArrayV3(size=3, dtype=tf.int32)", _WRITE),
    _array(_MAKE, "TensorArraySizeV3(handle=h, flow_in=f)"),
    _array(_MAKE, _FILL, "TensorArrayConcatV3(handle=h, flow_in=f, dtype=tf.float32)"),
    _array(
        "TensorArrayV3(size=2, dtype=tf.float32)",
        "TensorArraySplitV3(handle=h, value=f32(5, 2), lengths=np.array([2, 3]), flow_in=f)",
        "TensorArrayConcatV3(handle=h, flow_in=f, dtype=tf.float32)",
    ),
    _array(
        "TensorArrayV3(size=2, dtype=tf.float32)",
        "TensorArraySplitV3(handle=h, value=f32(5, 2), lengths=np.array([2, 2]), flow_in=f)",
    ),
    _array(_MAKE, "TensorArrayCloseV3(handle=h)"),
    _staged(_name(1), _PUT, "StageSize(dtypes=[tf.float32, tf.int32])"),
    _staged(_name(2), _PUT, f"Unstage({_D})"),
    _staged(_name(3), _PUT, f"StagePeek(index=0, {_D})"),
    _staged(_name(4), _PUT, f"StageClear({_D})", f"StageSize({_D})"),
    *[
        case
        for i, kind in enumerate(("Map", "OrderedMap"))
        for case in (
            _staged(_name(10 * i + 11), f"{kind}{_ENTRY}", f"{kind}Size({_D})"),
            _staged(_name(10 * i + 12), f"{kind}{_HALF}", f"{kind}IncompleteSize({_D})"),
            _staged(
                _name(10 * i + 13),
                f"{kind}{_ENTRY}",
                f"{kind}Peek(key=np.int64(3), indices=[0, 1], {_D})",
            ),
            _staged(
                _name(10 * i + 14),
                f"{kind}{_ENTRY}",
                f"{kind}Unstage(key=np.int64(3), indices=[0, 1], {_D})",
            ),
            _staged(
                _name(10 * i + 15), f"{kind}{_ENTRY}", f"{kind}UnstageNoKey(indices=[0, 1], {_D})"
            ),
            _staged(
                _name(10 * i + 16), f"{kind}{_ENTRY}", f"{kind}Clear({_D})", f"{kind}Size({_D})"
            ),
        )
    ],
    f"{_R}.HistogramSummary(tag='h', values=[1.0, 2.0, 2.0, 3.0])",
    f"{_R}.HistogramSummary(tag='h', values=[np.nan])",
    f"{_R}.ScalarSummary(tags='a', values=2.0)",
    f"{_R}.ScalarSummary(tags=['a', 'b'], values=[2.0, 3.0])",
    f"{_R}.ScalarSummary(tags=['a', 'b'], values=[2.0])",
    shape_only(f"{_R}.AudioSummaryV2(tag='i', tensor=f32(1, 20, 1), sample_rate=100.0)"),
    f"{_R}.MergeSummary(inputs=[{_R}.ScalarSummary(tags='a', values=2.0),"
    f" {_R}.ScalarSummary(tags='b', values=3.0)])",
    f"{_R}.TensorSummaryV2(tag='t', tensor=[1, 2], serialized_summary_metadata='')",
    f"{_R}.ShardedFilename(basename='a/b', shard=3, num_shards=12)",
    f"{_R}.ShardedFilespec(basename='a/b', num_shards=12)",
    f"run(d := __import__('tempfile').mkdtemp(), {_R}.SaveV2(prefix=d + '/ckpt',"
    " tensor_names=['a', 'b'], shape_and_slices=['', ''], tensors=[f32(2), i32(3)]),"
    f" {_R}.RestoreV2(prefix=d + '/ckpt', tensor_names=['b', 'a'], shape_and_slices=['', ''],"
    " dtypes=[tf.int32, tf.float32]))",
    f"{_R}.NoOp()",
    shape_only(f"{_R}.Timestamp()"),
    f"{_R}.PrintV2(input='', output_stream='stderr', end='')",
]
