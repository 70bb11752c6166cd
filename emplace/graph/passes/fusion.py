"""What a plan does in one call instead of several, and in an order that costs less.

Sums go into the products and convolutions before them, Relu into those, and Relu and its gradient
to the small side of a maximum pool: the same numbers, up to the order of additions. Where somebody
listens, or results are checked, every operation runs as it was written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...base import dtypes
from ...base.shapes import num_elements
from ...codegen.pointwise import is_pointwise
from ...ops.collective.sums import REPLICA_COPY, REPLICA_MATMUL, REPLICA_SUM
from ...ops.infer import Spec, known_dims
from ...ops.linalg.machine_products import adds_rows
from ...ops.linalg.products import FUSED_MATMUL
from ...ops.nn.activation import RELU, RELU_GRAD
from ...ops.nn.conv_kernels import FUSED_CONV2D
from ..representation.graph import Operation, SymbolicTensor
from .replacing import Replacing, is_per_channel, operation_like

_SUMS = frozenset({"AddV2", "Add", "BiasAdd", "AddN"})
_PRODUCTS = frozenset({"MatMul", "_FusedMatMul", "Conv2D"})
#: Without one of these ops there is nothing to do.
PRODUCTS_AND_POOLS = _PRODUCTS | {"MaxPool"}
_FUSED = frozenset({"_FusedMatMul", "_FusedConv2D"})
_TYPES = (dtypes.float32, dtypes.float64)
_ROUND_A_POOL = ("MaxPool", "MaxPoolGradKept", "ReluGrad")
_IMAGE_AXES = (0, 1, 2)
# Elements, far above what the duplicates in a plan share.
_LARGE = 1 << 14
#: From so many numbers on, what follows a product is left to one pass over its memory: after
#: convolutions, and after products of matrices, from where torch's passes take several threads.
LEAST_FOR_MAPS = 1 << 18
LEAST_AFTER_PRODUCTS = 1 << 15


def fuse(block: Replacing, maps_follow: bool = False) -> None:
    """Makes operations fewer or cheaper, where some of them are products or pools.

    Args:
        block: the operations.
        maps_follow: whether chains of element-wise operations are going to be one pass each.
    """
    operations = block.operations()
    _sums_of_replicas(block, operations)
    for operation in operations:
        if operation.record.name not in _SUMS or not _takes_product(block, operation):
            continue
        if not (maps_follow and _begins_map(block, operation)):
            _add_within_product(block, operation)
    for operation in operations:
        if operation.record.name == "Relu":
            _pool_before_relu(block, operation)
    for operation in block.operations():
        if operation.record.name in ("Relu", "Relu6"):
            _relu_within_product(block, operation)


# -- sums ---------------------------------------------------------------------------------------


def _takes_product(block: Replacing, operation: Operation) -> bool:
    """Whether one of the values that an operation takes is a product by now."""
    for x in operation.inputs:
        maker = block.maker(x)
        if maker is not None and maker.record.name in _PRODUCTS:
            return True
    return False


def _add_within_product(block: Replacing, operation: Operation) -> None:
    """x @ w + b in one call, and likewise for convolutions; of two products the later one."""
    if len(operation.inputs) != 2 or operation.outputs[0].dtype not in _TYPES:
        return
    for x, added in _orders(operation):
        product = block.only_maker(x, operation)
        if product is not None and product.type in _PRODUCTS and _fits(product, added, operation):
            _fuse_sum(block, product, added, operation)
            return


def _begins_map(block: Replacing, operation: Operation) -> bool:
    """Whether a bias begins a chain upon a product of matrices, or a convolution that is one: both
    would add the bias in a pass of its own.
    """
    y, takers = operation.outputs[0], block.takers(operation.outputs[0])
    if len(takers) != 1 or len(operation.inputs) != 2 or not block.is_on_host(operation):
        return False
    if y.dtype is not dtypes.float32 or not y.is_fully_known:
        return False
    (taker,) = takers
    least = max(_least_for_map(block, x, added, operation) for x, added in _orders(operation))
    return (
        0 < least <= num_elements(y.dims)
        and is_pointwise(operation.type, operation.attrs)
        and is_pointwise(taker.type, taker.attrs)
        and taker.outputs[0].dims == y.dims
    )


def _least_for_map(
    block: Replacing, x: SymbolicTensor, added: SymbolicTensor, operation: Operation
) -> int:
    """How many numbers are worth a pass after the product that is `x`; 0 where none are."""
    product = block.only_maker(x, operation)
    if product is None:
        return 0
    if product.type == "Conv2D" and (product.inputs[1].dims or ())[:2] == (1, 1):
        return 0 if _adds_rows(product) else LEAST_FOR_MAPS
    is_row = is_per_channel(added.dims or (), x.dims or ())
    if product.type != "MatMul" or not is_row or _adds_rows(product):
        return 0
    return LEAST_AFTER_PRODUCTS


def _adds_rows(product: Operation) -> bool:
    """Whether a product, or a convolution that is one, has a row added on its way, not in a pass of
    its own.
    """
    b, y = product.inputs[1], product.outputs[0]
    if not b.is_fully_known or not y.is_fully_known:
        return False
    columns = known_dims(y.spec)[-1]
    if not columns:
        return False
    return adds_rows(num_elements(y.dims) // columns, num_elements(b.dims) // columns, columns)


def _orders(operation: Operation) -> tuple[Sequence[SymbolicTensor], Sequence[SymbolicTensor]]:
    """The two values of a sum; of two products the later one comes first."""
    return operation.inputs[::-1], operation.inputs


def _fits(product: Operation, added: SymbolicTensor, operation: Operation) -> bool:
    """Whether something can be added to a product without making it larger."""
    dims, sizes = product.outputs[0].dims, added.dims
    if dims is None or sizes is None or dims[-1] is None:
        return False
    if product.type == "Conv2D":
        data_format = product.attrs.get("data_format", "NHWC")
        if operation.attrs.get("data_format", "NHWC") != data_format:
            return False
        return (
            is_per_channel(sizes, dims)
            if data_format == "NHWC"
            else operation.record.name == "BiasAdd"
        )
    return is_per_channel(sizes, dims) or (sizes == dims and None not in sizes)


def _fuse_sum(
    block: Replacing, product: Operation, added: SymbolicTensor, operation: Operation
) -> None:
    if product.type == "_FusedMatMul":
        _fuse_second_sum(block, product, added, operation)
        return
    record = FUSED_CONV2D if product.type == "Conv2D" else FUSED_MATMUL
    inputs = (*product.inputs, added)
    made = operation_like(record, inputs, product.attrs, operation, operation.outputs)
    block.replace(operation, [product], made)


def _fuse_second_sum(
    block: Replacing, second: Operation, added: SymbolicTensor, operation: Operation
) -> None:
    """a @ b + c @ d + e: e goes to the first product."""
    first = block.only_maker(second.inputs[2], second)
    if first is None or first.type != "MatMul":
        return
    inputs = (*first.inputs, added)
    block.replace(
        operation,
        [first, second],
        operation_like(FUSED_MATMUL, inputs, first.attrs, first, first.outputs),
        operation_like(FUSED_MATMUL, second.inputs, second.attrs, operation, operation.outputs),
    )


# -- sums of replicas ---------------------------------------------------------------------------


def _sums_of_replicas(block: Replacing, operations: Sequence[Operation]) -> None:
    sums = [operation for operation in operations if operation.record.name == "ReplicaSum"]
    order = {operation: place for place, operation in enumerate(operations)} if sums else {}
    for operation in sums:
        _replicas_within_products(block, operation, order)


def _replicas_within_products(
    block: Replacing, operation: Operation, order: Mapping[Operation, int]
) -> None:
    """Gradients that are products: each replica adds its product to the one before it."""
    replicas = operation.attrs["replicas"]
    count = len(operation.given) // replicas
    rows = [operation.given[i::count] for i in range(count)]
    chosen = [] if operation.attrs["is_mean"] else [
        i for i, row in enumerate(rows) if _are_products(block, operation, row, order)
    ]  # fmt: skip
    if not chosen:
        return
    totals = [_added_up(block, rows[i]) for i in chosen]
    rest = [i for i in range(count) if i not in chosen]
    made = [
        operation_like(REPLICA_COPY, totals, {}, operation, [operation.outputs[i] for i in chosen])
    ]
    if rest:
        left = [rows[i][replica] for replica in range(replicas) for i in rest]
        outputs = [operation.outputs[i] for i in rest]
        made.append(operation_like(REPLICA_SUM, left, operation.attrs, operation, outputs))
    block.replace(operation, (), *made)


def _are_products(
    block: Replacing,
    operation: Operation,
    row: Sequence[SymbolicTensor],
    order: Mapping[Operation, int],
) -> bool:
    """Whether the values of replicas are large products for nobody else, one after the other."""
    if not is_large(row[0]) or len(row) < 2:
        return False
    makers = [
        block.maker(x) for x in row if block.takers(x) == [operation] and x.dims == row[0].dims
    ]
    found = [each for each in makers if each is not None and each.record.name == "MatMul"]
    places = [order.get(each, -1) for each in found]
    return (
        len(found) == len(row)
        and row[0].dtype in _TYPES
        and -1 not in places
        and places == sorted(set(places))
        and all(block.is_in_reach(operation, each) for each in found)
    )


def is_large(x: SymbolicTensor) -> bool:
    """Whether a pass over a tensor takes longer than a call."""
    return x.is_fully_known and num_elements(x.dims) >= _LARGE


def _added_up(block: Replacing, row: Sequence[SymbolicTensor]) -> SymbolicTensor:
    total = row[0]
    for x in row[1:]:
        product = block.maker(x)
        assert product is not None
        inputs = (total, *product.inputs)
        made = operation_like(
            REPLICA_MATMUL, inputs, product.attrs, product, [Spec(x.dims, x.dtype)]
        )
        block.replace(product, (), made)
        total = made.outputs[0]
    return total


# -- Relu ---------------------------------------------------------------------------------------


def _relu_within_product(block: Replacing, operation: Operation) -> None:
    """Relu in the memory of the product or convolution before it; Relu6 in a convolution's."""
    product = block.only_maker(operation.inputs[0], operation)
    if product is None or product.type not in _FUSED:
        return
    name = operation.record.name.lower()
    if name == "relu6" and (product.type != "_FusedConv2D" or product.attrs.get("relu")):
        return
    attrs = {**product.attrs, name: True}
    made = operation_like(product.record, product.inputs, attrs, operation, operation.outputs)
    block.replace(operation, [product], made)


def _pool_before_relu(block: Replacing, operation: Operation) -> None:
    """The largest of what is positive is what is positive of the largest: Relu and its gradient
    work on what a maximum pool leaves, a quarter of the values or less.
    """
    takers = {taker.type: taker for taker in block.takers(operation.outputs[0])}
    if len(takers) != len(block.takers(operation.outputs[0])):
        return
    pool, back, masked = (takers.pop(name, None) for name in _ROUND_A_POOL)
    if pool is None or takers or not block.is_beside(pool, operation):
        return
    if back is None and masked is None:
        _swap(block, operation, pool)
    elif back is not None and masked is not None and _is_gradient(block, pool, back, masked):
        _swap(block, operation, pool)
        _swap_gradient(block, operation.inputs[0], pool.outputs[0], back, masked)


def _is_gradient(block: Replacing, pool: Operation, back: Operation, masked: Operation) -> bool:
    """Whether `back` and `masked` are the gradients of this pool and of the Relu before it."""
    return (
        block.is_beside(pool, masked)
        and block.only_maker(masked.inputs[0], masked) is back
        and back.inputs[1] is pool.outputs[-1]
    )


def _swap(block: Replacing, relu: Operation, pool: Operation) -> None:
    y, *places = pool.outputs
    outputs: list[SymbolicTensor | Spec] = [Spec(y.dims, y.dtype), *places]
    early = operation_like(pool.record, relu.inputs, pool.attrs, pool, outputs)
    late = operation_like(RELU, (early.outputs[0],), {}, relu, [y])
    block.replace(pool, [relu], early, late)


def _swap_gradient(
    block: Replacing, x: SymbolicTensor, y: SymbolicTensor, back: Operation, masked: Operation
) -> None:
    """First the gradient of Relu, of `y`, then that of the pool of `x`."""
    _, places, dy = back.inputs
    (dx,) = masked.outputs
    first = operation_like(RELU_GRAD, (dy, y), {}, masked, [Spec(y.dims, y.dtype)])
    (small,) = first.outputs
    last = operation_like(back.record, (x, places, small), back.attrs, back, [dx])
    block.replace(masked, [back], first, last)
    for taker in list(block.takers(dx)):  # all of a channel's gradient went to some maximum
        if _is_sum_of_channels(taker, back.attrs.get("data_format", "NHWC")):
            made = operation_like(taker.record, (small,), taker.attrs, taker, taker.outputs)
            block.replace(taker, [], made)
    if not block.is_wanted(dx):
        block.replace(last, [])


def _is_sum_of_channels(operation: Operation, data_format: str) -> bool:
    """Whether this sums images over all but their channels."""
    if operation.record.name == "BiasAddGrad":
        return bool(operation.attrs.get("data_format", "NHWC") == data_format)
    axes = (
        np.asarray(operation.attrs["axis"])
        if operation.record.name == "Sum" and operation.given == operation.inputs
        else 0
    )
    return data_format == "NHWC" and np.array_equal(axes, _IMAGE_AXES)
