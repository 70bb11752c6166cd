"""Cases of `raw/lookup.py`: raw ops that TensorFlow's eager mode refuses, in its words: those on
variables that are references, and those that newer graphs may not have.
"""

from . import Case

# Each with the arguments that it must be given.
_ON_REFERENCES = """
AccumulatorApplyGradient handle local_step gradient
AccumulatorNumAccumulated handle
AccumulatorSetGlobalStep handle new_global_step
AccumulatorTakeGradient handle num_required dtype
ApplyAdaMax var m v beta1_power lr beta1 beta2 epsilon grad
ApplyAdadelta var accum accum_update lr rho epsilon grad
ApplyAdagrad var accum lr grad
ApplyAdagradDA var gradient_accumulator gradient_squared_accumulator grad lr l1 l2 global_step
ApplyAdagradV2 var accum lr epsilon grad
ApplyAdam var m v beta1_power beta2_power lr beta1 beta2 epsilon grad
ApplyAddSign var m lr alpha sign_decay beta grad
ApplyCenteredRMSProp var mg ms mom lr rho momentum epsilon grad
ApplyFtrl var accum linear grad lr l1 l2 lr_power
ApplyFtrlV2 var accum linear grad lr l1 l2 l2_shrinkage lr_power
ApplyGradientDescent var alpha delta
ApplyMomentum var accum lr grad momentum
ApplyPowerSign var m lr logbase sign_decay beta grad
ApplyProximalAdagrad var accum lr l1 l2 grad
ApplyProximalGradientDescent var alpha l1 l2 delta
ApplyRMSProp var ms mom lr rho momentum epsilon grad
Assign ref value
AssignAdd ref value
AssignSub ref value
Barrier component_types
BarrierClose handle
BarrierIncompleteSize handle
BarrierInsertMany handle keys values component_index
BarrierReadySize handle
BarrierTakeMany handle num_elements component_types
ConditionalAccumulator dtype shape
CountUpTo ref limit
DebugGradientRefIdentity input
DestroyTemporaryVariable ref var_name
FIFOQueue component_types
FakeQueue resource
HashTable key_dtype value_dtype
InitializeTable table_handle keys values
InitializeTableFromTextFile table_handle filename key_index value_index
IsVariableInitialized ref
LMDBReader
LookupTableExport table_handle Tkeys Tvalues
LookupTableFind table_handle keys default_value
LookupTableImport table_handle keys values
LookupTableInsert table_handle keys values
LookupTableSize table_handle
MutableDenseHashTable empty_key value_dtype
MutableHashTable key_dtype value_dtype
MutableHashTableOfTensors key_dtype value_dtype
PaddingFIFOQueue component_types
PriorityQueue shapes
QueueClose handle
QueueDequeue handle component_types
QueueDequeueMany handle n component_types
QueueDequeueUpTo handle n component_types
QueueEnqueue handle components
QueueEnqueueMany handle components
QueueIsClosed handle
QueueSize handle
RandomShuffleQueue component_types
ReaderNumRecordsProduced reader_handle
ReaderNumWorkUnitsCompleted reader_handle
ReaderRead reader_handle queue_handle
ReaderReadUpTo reader_handle queue_handle num_records
ReaderReset reader_handle
ReaderRestoreState reader_handle state
ReaderSerializeState reader_handle
RefEnter data frame_name
RefExit data
RefIdentity input
RefMerge inputs
RefNextIteration data
RefSelect index inputs
RefSwitch data pred
ScatterAdd ref indices updates
ScatterDiv ref indices updates
ScatterMax ref indices updates
ScatterMin ref indices updates
ScatterMul ref indices updates
ScatterNdAdd ref indices updates
ScatterNdMax ref indices updates
ScatterNdMin ref indices updates
ScatterNdSub ref indices updates
ScatterNdUpdate ref indices updates
ScatterSub ref indices updates
ScatterUpdate ref indices updates
SdcaShrinkL1 weights l1 l2
SparseAccumulatorApplyGradient handle local_step gradient_indices gradient_values \
gradient_shape has_known_shape
SparseAccumulatorTakeGradient handle num_required dtype
SparseApplyAdadelta var accum accum_update lr rho epsilon grad indices
SparseApplyAdagrad var accum lr grad indices
SparseApplyAdagradDA var gradient_accumulator gradient_squared_accumulator grad indices lr l1 \
l2 global_step
SparseApplyAdagradV2 var accum lr epsilon grad indices
SparseApplyCenteredRMSProp var mg ms mom lr rho momentum epsilon grad indices
SparseApplyFtrl var accum linear grad indices lr l1 l2 lr_power
SparseApplyFtrlV2 var accum linear grad indices lr l1 l2 l2_shrinkage lr_power
SparseApplyMomentum var accum lr grad indices momentum
SparseApplyProximalAdagrad var accum lr l1 l2 grad indices
SparseApplyProximalGradientDescent var alpha l1 l2 grad indices
SparseApplyRMSProp var ms mom lr rho momentum epsilon grad indices
SparseConditionalAccumulator dtype shape
Stack elem_type
StackClose handle
StackPop handle elem_type
StackPush handle elem
StridedSliceAssign ref begin end strides value
TemporaryVariable shape dtype
Variable shape dtype
VariableV2 shape dtype
WholeFileReader
"""


def _call(line: str) -> str:
    name, *arguments = line.split()
    return f"tf.raw_ops.{name}({', '.join(f'{each}=None' for each in arguments)})"


CASES: list[str | Case] = [
    *[_call(line) for line in _ON_REFERENCES.strip().splitlines()],
    "tf.raw_ops.Assign(ref=None)",
    "tf.raw_ops.BatchCholesky(input=f32(2, 2))",
    "tf.raw_ops.BatchCholeskyGrad(l=f32(2, 2), grad=f32(2, 2))",
    "tf.raw_ops.BatchMatrixBandPart(input=f32(2, 2), num_lower=1, num_upper=0)",
    "tf.raw_ops.BatchMatrixDeterminant(input=f32(2, 2))",
    "tf.raw_ops.BatchMatrixDiag(diagonal=f32(2))",
    "tf.raw_ops.BatchMatrixDiagPart(input=f32(2, 2))",
    "tf.raw_ops.BatchMatrixInverse(input=f32(2, 2))",
    "tf.raw_ops.BatchMatrixSetDiag(input=f32(2, 2), diagonal=f32(2))",
    "tf.raw_ops.BatchMatrixSolve(matrix=f32(2, 2), rhs=f32(2, 1))",
    "tf.raw_ops.BatchMatrixSolveLs(matrix=f32(2, 2), rhs=f32(2, 1), l2_regularizer=0.1)",
    "tf.raw_ops.BatchMatrixTriangularSolve(matrix=f32(2, 2), rhs=f32(2, 1))",
    "tf.raw_ops.BatchSelfAdjointEig(input=f32(2, 2))",
    "tf.raw_ops.BatchSelfAdjointEigV2(input=f32(2, 2))",
    "tf.raw_ops.BatchSvd(input=f32(2, 2))",
    "tf.raw_ops.SelfAdjointEig(input=f32(2, 2))",
    "tf.raw_ops.QuantizeAndDequantize(input=f32(2))",
    "tf.raw_ops.RandomCrop(image=f32(4, 4, 3), size=[2, 2])",
    "tf.raw_ops.RandomPoisson(shape=[2], rate=1.0)",
    "tf.raw_ops.AdjustContrast(images=f32(2, 2, 3), contrast_factor=2.0, min_value=0.0,"
    " max_value=1.0)",
    "tf.raw_ops.AudioSummary(tag='a', tensor=f32(2, 2), sample_rate=1.0)",
    "tf.raw_ops.PlaceholderV2(dtype=tf.float32, shape=[])",
    "tf.raw_ops.TensorArrayV2(size=3, dtype=tf.float32)",
    "tf.raw_ops.TensorArraySizeV2(handle='a', flow_in=0.0)",
    "tf.raw_ops.TensorArrayReadV2(handle='a', index=0, flow_in=0.0, dtype=tf.float32)",
    "tf.raw_ops.TensorArrayWriteV2(handle='a', index=0, value=0.0, flow_in=0.0)",
    "tf.raw_ops.TensorArrayGatherV2(handle='a', indices=[0], flow_in=0.0, dtype=tf.float32)",
    "tf.raw_ops.TensorArrayScatterV2(handle='a', indices=[0], value=[0.0], flow_in=0.0)",
    "tf.raw_ops.TensorArraySplitV2(handle='a', value=[0.0], lengths=[1], flow_in=0.0)",
    "tf.raw_ops.TensorArrayGradV2(handle='a', flow_in=0.0, source='a')",
    "tf.raw_ops.Conv3DBackpropInput(input=f32(1, 2, 2, 2, 1), filter=f32(1, 1, 1, 1, 1),"
    " out_backprop=f32(1, 2, 2, 2, 1), strides=[1, 1, 1, 1, 1], padding='SAME')",
    "tf.raw_ops.Conv3DBackpropFilter(input=f32(1, 2, 2, 2, 1), filter=f32(1, 1, 1, 1, 1),"
    " out_backprop=f32(1, 2, 2, 2, 1), strides=[1, 1, 1, 1, 1], padding='SAME')",
    "tf.raw_ops.BatchNormWithGlobalNormalization(t=f32(1, 2, 2, 1), m=f32(1), v=f32(1),"
    " beta=f32(1), gamma=f32(1), variance_epsilon=0.1, scale_after_normalization=True)",
    "tf.raw_ops.NoSuchOp(a=1)",
]
