"""Products of many matrices as attention writes them, in the layout that what follows wants.

A transpose that makes the columns of a product its rows is a view, and whoever reads it next copies
it number by number: the product of the transposed factors, in the other order, lies right at once.
A bias that is added after the columns of a product were split goes into the product before.
"""

from __future__ import annotations

from ...base import dtypes
from ...base.shapes import num_elements
from ...ops.array.shaping import RESHAPE, TRANSPOSE
from ...ops.infer import Spec
from ...ops.linalg.products import BATCH_MATMUL, FUSED_MATMUL
from ..representation.graph import Operation, SymbolicTensor
from .chains import known
from .replacing import Replacing, operation_like

_SUMS = frozenset({"AddV2", "Add"})
#: Ops without which there is nothing to do.
NEEDED = frozenset({"BatchMatMulV2"})
_TYPES = (dtypes.float32, dtypes.float64)
#: A pass over fewer numbers takes less time than it takes to write the product otherwise.
LEAST_NUMBERS = 1 << 13


def lay_out_products(block: Replacing) -> None:
    """Lets products of many matrices lie as they are read."""
    for operation in block.operations():
        if operation.record is TRANSPOSE:
            _turn(block, operation)
        elif operation.record.name in _SUMS:
            _add_within(block, operation)


def _turn(block: Replacing, operation: Operation) -> None:
    """(x @ y) with its last two axes exchanged is y' @ x'; further axes are moved as before."""
    product = block.only_maker(operation.inputs[0], operation)
    perm = _axes(operation.attrs.get("perm"))
    last = len(perm) - 1
    if product is None or last < 2 or perm[last] != last - 1 or not _is_large(product):
        return
    turned = [{last: last - 1, last - 1: last}.get(axis, axis) for axis in perm]
    (x, y), (made,) = product.inputs, product.outputs
    attrs = {
        "adj_x": not product.attrs.get("adj_y", False),
        "adj_y": not product.attrs.get("adj_x", False),
    }
    if turned == list(range(last + 1)):
        again = operation_like(BATCH_MATMUL, (y, x), attrs, product, operation.outputs)
        block.replace(operation, [product], again)
        return
    sizes = known(made.dims)
    dims = (*sizes[:-2], sizes[-1], sizes[-2])
    again = operation_like(BATCH_MATMUL, (y, x), attrs, product, [Spec(dims, made.dtype)])
    moved = operation_like(
        TRANSPOSE, again.outputs, {"perm": tuple(turned)}, operation, operation.outputs
    )
    block.replace(operation, [product], again, moved)


def _axes(perm: object) -> tuple[int, ...]:
    """The axes of a transpose; none where only the run tells them."""
    if not isinstance(perm, (list, tuple)) or not all(isinstance(axis, int) for axis in perm):
        return ()
    return tuple(perm)


def _is_large(product: Operation) -> bool:
    """Whether it is a product of matrices of fractions that takes a while to copy."""
    if product.record is not BATCH_MATMUL:
        return False
    (y,) = product.outputs
    if y.dtype not in _TYPES or not all(x.is_fully_known for x in (y, *product.inputs)):
        return False
    return num_elements(y.dims) >= LEAST_NUMBERS


def _add_within(block: Replacing, operation: Operation) -> None:
    """reshape(x @ w, [..., *split]) + b is reshape(rows of x @ w + row of b, [..., *split]), where
    b has the shape `split`.
    """
    for split, bias in (operation.inputs, operation.inputs[::-1]):
        reshape = block.only_maker(split, operation)
        if reshape is None or reshape.record is not RESHAPE or len(reshape.inputs) != 1:
            continue
        product = block.only_maker(reshape.inputs[0], reshape)
        if product is None or not _is_large(product) or not _splits(product, split, bias):
            continue
        if product.attrs.get("adj_x", False):
            continue
        _fuse_sum(block, product, reshape, bias, operation)
        return


def _splits(product: Operation, split: SymbolicTensor, bias: SymbolicTensor) -> bool:
    """Whether a bias is for the columns of a product by one matrix, which were split."""
    x, w = product.inputs
    dims, sizes = split.dims, bias.dims
    if len(x.dims or ()) < 3 or len(w.dims or ()) != 2 or dims is None or not sizes:
        return False
    if not bias.is_fully_known or len(sizes) < 2 or tuple(dims[-len(sizes) :]) != tuple(sizes):
        return False
    (made,) = product.outputs
    return num_elements(sizes) == (made.dims or (None,))[-1]


def _fuse_sum(
    block: Replacing, product: Operation, reshape: Operation, bias: SymbolicTensor,
    operation: Operation,
) -> None:  # fmt: skip
    (x, w), (made,) = product.inputs, product.outputs
    columns = known(made.dims)[-1]
    count = num_elements(made.dims) // columns
    shape, inner = (count, columns), (count, known(x.dims)[-1])
    rows = operation_like(RESHAPE, (x,), {"shape": inner}, product, [Spec(inner, x.dtype)])
    row = operation_like(
        RESHAPE, (bias,), {"shape": (columns,)}, operation, [Spec((columns,), bias.dtype)]
    )
    given = (rows.outputs[0], w, row.outputs[0])
    attrs = {"transpose_b": product.attrs.get("adj_y", False)}
    total = operation_like(FUSED_MATMUL, given, attrs, product, [Spec(shape, made.dtype)])
    (y,) = operation.outputs
    again = operation_like(RESHAPE, total.outputs, {"shape": y.dims}, reshape, [y])
    block.replace(operation, [product, reshape], rows, row, total, again)
