"""Cases of `raw/others.py`: raw ops of several subjects that few programs call by name."""

from .raw_datasets import _INTV, _R, _RANGE

_SPLITS = "[np.array([0, 2, 2, 3])]"
_DEEP = "[np.array([0, 2, 3]), np.array([0, 1, 3, 4])]"
_BATCHES = "batch_size=np.int64(2), drop_remainder={}, " + _INTV

CASES = [
    *[
        f"{_R}.NearestNeighbors(points=f32(4, 3), centers=f32(2, 3) * 2 + 1, k=np.int64({k}))"
        for k in (1, 2, 3)
    ],
    f"{_R}.NearestNeighbors(points=f32(4, 1), centers=f32(2, 3), k=np.int64(1))",
    f"{_R}.RaggedTensorToSparse(rt_nested_splits={_SPLITS}, rt_dense_values=[1, 2, 3])",
    f"{_R}.RaggedTensorToSparse(rt_nested_splits={_DEEP}, rt_dense_values=['a', 'b', 'c', 'd'])",
    f"{_R}.RaggedGather(params_nested_splits={_SPLITS}, params_dense_values=[1, 2, 3],"
    " indices=[2, 0], OUTPUT_RAGGED_RANK=1)",
    f"{_R}.RaggedGather(params_nested_splits={_SPLITS}, params_dense_values=f32(3, 2),"
    " indices=[0, 2, 0], OUTPUT_RAGGED_RANK=1)",
    f"{_R}.RaggedGather(params_nested_splits={_DEEP}, params_dense_values=f32(4),"
    " indices=[1, 0], OUTPUT_RAGGED_RANK=2)",
    f"{_R}.DebugGradientIdentity(input=f32(3))",
    f"{_R}.DebugIdentityV2(input=i32(3))",
    f"{_R}.ComputeBatchSize(input_dataset={_RANGE})",
    *[
        f"{_R}.ComputeBatchSize(input_dataset={_R}.BatchDatasetV2(input_dataset={_RANGE},"
        f" {_BATCHES.format(drop)}))"
        for drop in (True, False)
    ],
]
