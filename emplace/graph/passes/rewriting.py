"""The passes that make the operations of a plan's block fewer or cheaper, in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...codegen.code import is_possible
from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor
from .alike import Group
from .common_subexpressions import common_subexpressions
from .einsum_products import with_products_in_place
from .fusion import fused
from .grown import with_grown_columns
from .joined_replicas import joined_replicas
from .known_likes import known_likes
from .many_products import with_laid_out_products
from .maps import are_maps_fused, with_fused_maps
from .optimizer_steps import joined_steps, with_fused_steps
from .scaled_filters import with_scaled_filters
from .small_maps import with_fused_rows


class Block:
    """Operations that passes replace.

    Args:
        operations: the operations, in an order in which they can run.
        results: tensors that are wanted.
        placed: where operations run; new ones are entered.
        kept: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those that have them.
        is_instrumented: whether each operation's memory is counted.
        joins: whether what replicas do alike may be done once.
        is_inner: whether it is the body of a loop or a branch.
    """

    __slots__ = (
        "duplicates", "groups", "is_inner", "is_instrumented", "joins", "kept", "operations",
        "placed", "results", "roots",
    )  # fmt: skip

    def __init__(
        self, operations: list[Operation], results: Sequence[SymbolicTensor],
        placed: dict[Operation, Placement], kept: set[int], roots: dict[int, SymbolicTensor],
        is_instrumented: bool = False, joins: bool = False, is_inner: bool = False,
    ) -> None:  # fmt: skip
        self.operations = operations
        self.results = results
        self.placed = placed
        self.kept = kept
        self.roots = roots
        self.is_instrumented = is_instrumented
        self.joins = joins
        self.is_inner = is_inner
        #: Where something is done once: the variables that replicas must have the same values of.
        self.groups: list[Group] | None = None
        #: What need not run, for others have the values. They stay among the operations: there a
        #: plan gives their outputs the names of those values.
        self.duplicates: set[Operation] = set()

    def root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        roots = self.roots
        while (found := roots.get(id(x))) is not None:
            x = found
        return x

    def replace(self, operation: Operation, values: Sequence[SymbolicTensor]) -> None:
        """An operation need not run: these are the values of its outputs."""
        for y, x in zip(operation.outputs, values, strict=True):
            self.roots[id(y)] = self.root(x)
        self.duplicates.add(operation)

    def resolve(self) -> None:
        """Roots lead to tensors that have none: a later pass may have replaced those of before."""
        for key, x in self.roots.items():
            self.roots[key] = self.root(x)


def fuse_optimizer_steps(block: Block) -> None:
    """A step of Adam that is written op by op becomes one operation."""
    block.operations = with_fused_steps(block.operations, block.results, block.placed)


def join_replicas(block: Block) -> None:
    """What replicas do alike is done once, where their variables are known to be the same."""
    found = joined_replicas(block.operations, block.placed, block.kept) if block.joins else None
    if found is not None:
        block.operations, block.groups = found


def scale_filters(block: Block) -> None:
    """Factors of channels go into filters, where nobody counts what each operation takes."""
    if not block.is_instrumented:
        block.operations = with_scaled_filters(block.operations, block.placed, block.kept)


def lay_out_products(block: Block) -> None:
    """Products of many matrices lie as they are read, where nobody counts each operation."""
    if not block.is_instrumented:
        block.operations = with_laid_out_products(block.operations, block.placed, block.kept)


def fuse_products(block: Block) -> None:
    """Sums and Relu go into products and convolutions."""
    maps_follow = not block.is_instrumented and are_maps_fused() and is_possible()
    block.operations = fused(block.operations, block.placed, block.kept, maps_follow)


def share_common_subexpressions(block: Block) -> None:
    """Small values that are computed already are not computed again."""
    found = common_subexpressions(block.operations, block.results, block.placed)
    for operation, earlier in found.items():
        block.replace(operation, earlier.outputs)
    block.resolve()


def fold_likes(block: Block) -> None:
    """Zeros and ones of known shapes, and what follows from them, are constants; but not in the
    body of a loop, which becomes machine code as a whole, nor where each operation is told of.
    """
    if block.is_instrumented or block.is_inner:
        return
    found = known_likes(block.operations, block.placed, block.duplicates, block.root)
    for operation, constant in found.items():
        block.replace(operation, constant.outputs)
        block.kept.update(map(id, constant.outputs))  # nobody may write there
    block.operations = [*found.values(), *block.operations]
    block.resolve()


def join_optimizer_steps(block: Block) -> None:
    """Steps of several variables at the same rates become one operation."""
    block.operations = joined_steps(block.operations, block.placed, block.duplicates, block.root)


def grow_columns(block: Block) -> None:
    """Concatenations upon each other share memory, where nobody counts what each of them takes."""
    if not block.is_instrumented:
        block.operations = with_grown_columns(
            block.operations, block.placed, block.kept, block.duplicates, block.root
        )


def multiply_in_place(block: Block) -> None:
    """Einsums of many small matrices multiply them where they lie, where nobody counts."""
    if not block.is_instrumented and is_possible():
        block.operations = with_products_in_place(block.operations, block.placed)


def fuse_maps(block: Block) -> None:
    """Chains of element-wise operations on large tensors become one pass over memory, where
    nobody counts what each of them takes.
    """
    if block.is_instrumented:
        return
    block.operations = with_fused_maps(
        block.operations, block.placed, block.kept, block.duplicates, block.roots
    )


def fuse_rows(block: Block) -> None:
    """Chains of operations on a number per channel become one call, likewise; but not in the body
    of a loop, which becomes machine code as a whole.
    """
    if block.is_instrumented or block.is_inner:
        return
    block.operations = with_fused_rows(
        block.operations, block.placed, block.kept, block.duplicates, block.roots
    )


PASSES: list[Callable[[Block], None]] = [
    fuse_optimizer_steps,
    join_replicas,
    scale_filters,
    lay_out_products,
    fuse_products,
    share_common_subexpressions,
    fold_likes,
    join_optimizer_steps,
    grow_columns,
    multiply_in_place,
    fuse_maps,
    fuse_rows,
]

#: What tests want to be told of after each pass: its name, and the block. Empty in programs.
CHECKS: list[Callable[[str, Block], None]] = []


def rewrite(block: Block) -> None:
    """Goes through all passes."""
    for each in PASSES:
        each(block)
        for check in CHECKS:
            check(each.__name__, block)
    block.resolve()
