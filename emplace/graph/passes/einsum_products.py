"""Einsums that are many small products of matrices multiply them where they lie, as attention has
them: the heads of a batch are neither brought together before nor apart afterwards.
"""

from __future__ import annotations

from ...base import dtypes
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.linalg.einsum_products import EINSUM_PRODUCTS, EinsumProducts, form_of
from ..representation.graph import Operation
from .chains import known
from .maps import are_maps_fused
from .replacing import operation_like

#: Ops without which there is nothing to do.
NEEDED = frozenset({"Einsum"})


def with_products_in_place(
    operations: list[Operation], placed: dict[Operation, Placement]
) -> list[Operation]:
    """The same computation, with such einsums, where there are any, as operations of their own.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
    """
    if not are_maps_fused():
        return operations
    made = []
    for operation in operations:
        products = _products(operation, placed)
        if products is not None:
            attrs = {"products": products}
            one = operation_like(
                EINSUM_PRODUCTS, operation.given, attrs, operation, operation.outputs
            )
            placed[one] = placed[operation]
            operation = one
        made.append(operation)
    return made


def _products(operation: Operation, placed: dict[Operation, Placement]) -> EinsumProducts | None:
    """What an einsum of float32 on the host is as products; None where it is not worth it."""
    if operation.record.name not in NEEDED or len(operation.given) != 2:
        return None
    if placed[operation].device.torch_device != HOST or len(operation.inputs) != 2:
        return None
    if any(x.dtype is not dtypes.float32 or not x.is_fully_known for x in operation.given):
        return None
    equation = operation.attrs["equation"]
    form = form_of(equation, [tuple(known(x.dims)) for x in operation.given])
    return None if form is None else EinsumProducts(equation, form)
