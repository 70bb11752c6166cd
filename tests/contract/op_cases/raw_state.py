"""Cases of `raw/state.py`: raw ops on variables and queues."""

import zlib

from . import Case

_R = "tf.raw_ops"
_V = "v := tf.Variable(f32(4, 2))"


def _on(variable: str, *calls: str) -> str:
    """Calls on a variable, and its value then."""
    shown = ", ".join(f"{_R}.{each}" for each in calls)
    return f"run({variable}, r := {shown}, [r, v.read_value()])"


def _queue(make: str, *steps: str) -> str:
    named = f"{make[:-1]}, shared_name='q{zlib.crc32(str((make, steps)).encode())}')"
    return f"run(q := {_R}.{named}, {', '.join(f'{_R}.{each}' for each in steps)})"


_FIFO = "FIFOQueueV2(component_types=[tf.float32, tf.int32], shapes=[[2], []], capacity=5)"
_PUT = "QueueEnqueueV2(handle=q, components=[f32(2), 7])"
_MANY = "QueueEnqueueManyV2(handle=q, components=[f32(3, 2), [1, 2, 3]])"
_TYPES = "component_types=[tf.float32, tf.int32]"

CASES: list[str | Case] = [
    f"run(h := {_R}.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='v0'),"
    f" {_R}.VarIsInitializedOp(resource=h))",
    f"run(h := {_R}.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='v1'),"
    f" {_R}.AssignVariableOp(resource=h, value=[1.0, 2.0]),"
    f" {_R}.ReadVariableOp(resource=h, dtype=tf.float32))",
    f"run(h := {_R}.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='v2'),"
    f" {_R}.ReadVariableOp(resource=h, dtype=tf.float32))",
    f"run(h := {_R}.VarHandleOp(dtype=tf.int32, shape=[2], shared_name='v9'),"
    f" {_R}.AssignVariableOp(resource=h, value=[1, 2]), {_R}.DestroyResourceOp(resource=h),"
    f" {_R}.VarIsInitializedOp(resource=h))",
    f"run(h := {_R}.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='same'),"
    f" g := {_R}.VarHandleOp(dtype=tf.float32, shape=[2], shared_name='same'),"
    f" {_R}.AssignVariableOp(resource=h, value=[1.0, 2.0]),"
    f" {_R}.ReadVariableOp(resource=g, dtype=tf.float32))",
    _on(_V, "DisableCopyOnRead(resource=v.handle)"),
    _on(_V, "ResourceGather(resource=v.handle, indices=[2, 0], dtype=tf.float32)"),
    _on(
        _V,
        "ResourceGather(resource=v.handle, indices=[[1], [0], [0], [1]], dtype=tf.float32,"
        " batch_dims=1)",
    ),
    _on(_V, "ResourceGather(resource=v.handle, indices=[4], dtype=tf.float32)"),
    *[
        _on(
            "v := tf.Variable(f32(4))",
            f"ResourceScatterNd{name}(ref=v.handle, indices=[[1], [3]], updates=f32(2))",
        )
        for name in ("Add", "Sub", "Min", "Max", "Update")
    ],
    *[
        _on(
            "v := tf.Variable(i64(4))",
            f"ResourceScatterNd{name}(ref=v.handle, indices=[[1], [1]], updates=i64(2),"
            " use_locking=False)",
        )
        for name in ("Add", "Sub", "Min", "Max")
    ],
    _on("v := tf.Variable(3)", "ResourceCountUpTo(resource=v.handle, limit=5, T=tf.int32)"),
    _on("v := tf.Variable(5)", "ResourceCountUpTo(resource=v.handle, limit=5, T=tf.int32)"),
    _on(
        _V,
        "ResourceStridedSliceAssign(ref=v.handle, begin=[1], end=[3], strides=[1],"
        " value=f32(2, 2))",
    ),
    _on(
        _V,
        "ResourceStridedSliceAssign(ref=v.handle, begin=[1, 0], end=[2, 2], strides=[1, 1],"
        " value=f32(2), shrink_axis_mask=1)",
    ),
    _on(_V, "VariableShape(input=v.handle)"),
    _on(_V, "VariableShape(input=v.handle, out_type=tf.int64)"),
    _queue(_FIFO, _PUT, "QueueSizeV2(handle=q)"),
    _queue(_FIFO, _PUT, f"QueueDequeueV2(handle=q, {_TYPES})"),
    _queue(_FIFO, _MANY, f"QueueDequeueManyV2(handle=q, n=2, {_TYPES})"),
    _queue(_FIFO, _MANY, "QueueCloseV2(handle=q)", f"QueueDequeueUpToV2(handle=q, n=5, {_TYPES})"),
    _queue(_FIFO, "QueueCloseV2(handle=q)", "QueueIsClosedV2(handle=q)"),
    _queue(_FIFO, "QueueIsClosedV2(handle=q)"),
    _queue(_FIFO, "QueueCloseV2(handle=q)", _PUT),
    _queue(_FIFO, "QueueEnqueueV2(handle=q, components=[f32(3), 7])"),
    _queue(
        "PaddingFIFOQueueV2(component_types=[tf.float32], shapes=[[None]], capacity=5)",
        "QueueEnqueueV2(handle=q, components=[f32(2)])",
        "QueueEnqueueV2(handle=q, components=[f32(3)])",
        "QueueDequeueManyV2(handle=q, n=2, component_types=[tf.float32])",
    ),
    _queue(
        "PriorityQueueV2(component_types=[tf.float32], shapes=[[]], capacity=5)",
        "QueueEnqueueManyV2(handle=q, components=[np.array([3, 1, 2]), f32(3)])",
        "QueueDequeueV2(handle=q, component_types=[tf.int64, tf.float32])",
    ),
    _queue(
        "RandomShuffleQueueV2(component_types=[tf.int32], shapes=[[]], capacity=5, seed=3)",
        "QueueEnqueueManyV2(handle=q, components=[[3, 3, 3]])",
        "QueueDequeueV2(handle=q, component_types=[tf.int32])",
    ),
]

CASES += [
    f"[h := {_R}.VarHandleOp(dtype=tf.float32, shape=[2]),"
    f" {_R}.AssignVariableOp(resource=h, value=[1.0, 2.0]),"
    f" {_R}.{change}(resource=h, value=[1.0, 3.0]),"
    f" {_R}.ReadVariableOp(resource=h, dtype=tf.float32)][-1]"
    for change in ("AssignAddVariableOp", "AssignSubVariableOp")
]
# Made anew each time, as it has no name; what follows does not use it.
CASES.append(
    f"[{_R}.ResourceConditionalAccumulator(dtype=tf.float32, shape=[2]), tf.constant(7)][-1]"
)
CASES += [
    f"[h := {_R}.VarHandleOp(dtype=tf.int32, shape=[2]),"
    f" {_R}.{change}(resource=h, value=[1.0, 3.0])]"
    for change in ("AssignVariableOp",)
]


def adding(name: str, *steps: str) -> str:
    """An expression for the last of some steps on an accumulator `h`. TensorFlow's lives as long as
    the kernel that made it, unless it has a name.
    """
    made = (
        "tf.raw_ops.ResourceConditionalAccumulator(dtype=tf.float32, shape=[2], "
        f"shared_name={name!r})"
    )
    return f"(lambda h: [{', '.join(steps)}][-1])({made})"


_ADDED = (
    "tf.raw_ops.ResourceAccumulatorApplyGradient(handle=h, local_step=9, gradient=[1.0, 2.0]), "
    "tf.raw_ops.ResourceAccumulatorApplyGradient(handle=h, local_step=10, gradient=[3.0, 4.0])"
)
_TAKEN = "tf.raw_ops.ResourceAccumulatorTakeGradient(handle=h, num_required={}, dtype=tf.float32)"
_COUNTED = "tf.raw_ops.ResourceAccumulatorNumAccumulated(handle=h)"

CASES += [
    adding("counted", _COUNTED),
    adding("mean", _ADDED, _TAKEN.format(2)),
    adding("emptied", _ADDED, _TAKEN.format(1), _COUNTED),
    adding("nothing", _TAKEN.format(0)),
    adding(
        "late",
        "tf.raw_ops.ResourceAccumulatorSetGlobalStep(handle=h, new_global_step=99)",
        _ADDED,
        _COUNTED,
    ),
]
