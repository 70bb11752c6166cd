"""The passes that make the operations of a plan's block fewer or cheaper, in their order."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from ...base import flags
from ...codegen.code import is_possible
from ...eager.place import Placement
from ..representation.graph import Operation, SymbolicTensor
from . import (
    barriers,
    choices,
    differences,
    einsum_products,
    fusion,
    known_likes,
    loop_pairs,
    many_products,
    moments_of_columns,
    padded_convolutions,
    scaled_filters,
    scaled_sums,
)
from .alike import Group
from .common_subexpressions import common_subexpressions
from .early_scalars import with_early_scalars
from .grown import with_grown_columns
from .joined_replicas import joined_replicas
from .kept_values import with_kept_values
from .late_averages import with_late_averages
from .maps import are_maps_fused, with_fused_maps
from .optimizer_steps import joined_steps, with_fused_steps
from .replacing import Replacing
from .scalars import with_fused_scalars
from .small_maps import with_fused_rows
from .views import VIEWS, returning_views, with_late_views


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
        "_names", "_operations", "_replacing", "groups", "is_inner", "is_instrumented", "joins",
        "kept", "pairs", "placed", "replaced", "results", "roots", "sharing",
    )  # fmt: skip

    def __init__(
        self, operations: list[Operation], results: Sequence[SymbolicTensor],
        placed: dict[Operation, Placement], kept: set[int], roots: dict[int, SymbolicTensor],
        is_instrumented: bool = False, joins: bool = False, is_inner: bool = False,
    ) -> None:  # fmt: skip
        self._operations = operations
        self._names: frozenset[str] | None = None
        self._replacing: Replacing | None = None
        self.results = results
        self.placed = placed
        self.kept = kept
        self.roots = roots
        self.is_instrumented = is_instrumented
        self.joins = joins
        self.is_inner = is_inner
        #: Where something is done once: the variables that replicas must have the same values of.
        self.groups: list[Group] | None = None
        #: Loops behind which another one comes that needs nothing of them, and that one.
        self.pairs: dict[Operation, Operation] = {}
        #: What the pass has found that need not run, for others have the values.
        self.replaced: set[Operation] = set()
        #: The ids of tensors that have the values of others.
        self.sharing: list[int] = []

    @property
    def operations(self) -> list[Operation]:
        """The operations, in an order in which they can run."""
        return self._operations

    @operations.setter
    def operations(self, operations: list[Operation]) -> None:
        if operations is not self._operations:
            self._operations, self._names, self._replacing = operations, None, None

    @property
    def names(self) -> frozenset[str]:
        """The ops that there are."""
        if self._names is None:
            self._names = frozenset([operation.record.name for operation in self._operations])
        return self._names

    def is_free(self) -> bool:
        """Whether operations may be others, and in another order: nobody counts what each of them
        takes, no body becomes machine code as a whole, and fusion is on.
        """
        return not (self.is_instrumented or self.is_inner) and bool(flags.FUSE.value())

    def makes_scalars(self) -> bool:
        """Whether any operation makes a scalar: most of a large graph make none."""
        return any(each.outputs and each.outputs[0]._dims == () for each in self._operations)

    def rewrite(self, how: Callable[[Replacing], None]) -> None:
        """Lets something replace operations by others that knows who makes and takes what: those
        that do so one after the other find that out once.
        """
        replacing = self._replacing or Replacing(self._operations, self.placed, self.kept)
        how(replacing)
        self.operations = replacing.operations()
        self._replacing = replacing

    def root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        roots = self.roots
        while (found := roots.get(id(x))) is not None:
            x = found
        return x

    def replace(self, operation: Operation, values: Sequence[SymbolicTensor]) -> None:
        """An operation need not run: these are the values of its outputs. It is no longer among
        the operations after the pass.
        """
        for y, x in zip(operation.outputs, values, strict=True):
            self.roots[id(y)] = self.root(x)
            self.sharing.append(id(y))
        self.replaced.add(operation)

    def resolve(self) -> None:
        """Roots lead to tensors that have none: a later pass may have replaced those of before."""
        roots = self.roots
        for key, x in roots.items():
            if id(x) in roots:
                roots[key] = self.root(x)


def fuse_optimizer_steps(block: Block) -> None:
    """A step of Adam that is written op by op becomes one operation."""
    block.operations = with_fused_steps(block.operations, block.results, block.placed)


def join_replicas(block: Block) -> None:
    """What replicas do alike is done once, where their variables are known to be the same."""
    found = joined_replicas(block.operations, block.placed, block.kept) if block.joins else None
    if found is not None:
        block.operations, block.groups = found


def drop_barriers(block: Block) -> None:
    """Where gradients stop, values are handed on, where nobody counts."""
    if block.is_instrumented or not flags.FUSE.value() or barriers.NEEDED not in block.names:
        return
    found = barriers.idle_barriers(block.operations, block.placed, block.kept, block.roots)
    for operation, x in found.items():
        block.replace(operation, [x])


def undo_views(block: Block) -> None:
    """What is seen in another shape and in its own again is taken itself, and views are made when
    somebody takes them, where nobody counts.
    """
    if block.is_instrumented or not flags.FUSE.value() or block.names.isdisjoint(VIEWS):
        return
    found, gone = returning_views(block.operations, block.placed, block.kept, block.roots)
    for operation, x in found.items():
        block.replace(operation, [x])
    block.replaced.update(gone)
    block.operations = with_late_views(block.operations)


def pad_within(block: Block) -> None:
    """Zeros around images become part of convolutions, where nobody counts."""
    if block.is_instrumented or not flags.FUSE.value():
        return
    if padded_convolutions.may_pad_within(block.names):
        block.rewrite(padded_convolutions.pad_within)


def scale_filters(block: Block) -> None:
    """Factors of channels go into filters, where nobody counts what each operation takes."""
    if not block.is_instrumented and flags.FUSE.value() and block.names >= scaled_filters.NEEDED:
        block.rewrite(scaled_filters.scale_filters)


def lay_out_products(block: Block) -> None:
    """Products of many matrices lie as they are read, where nobody counts each operation."""
    if not block.is_instrumented and flags.FUSE.value() and block.names >= many_products.NEEDED:
        block.rewrite(many_products.lay_out_products)


def fuse_products(block: Block) -> None:
    """Sums and Relu go into products and convolutions."""
    if not block.names.isdisjoint(fusion.PRODUCTS_AND_POOLS):
        maps_follow = not block.is_instrumented and are_maps_fused() and is_possible()
        block.rewrite(functools.partial(fusion.fuse, maps_follow=maps_follow))


def fuse_choices(block: Block) -> None:
    """Comparisons of many numbers go into the choices by them, where nobody counts."""
    if not block.is_instrumented and block.names >= choices.NEEDED and are_maps_fused():
        block.rewrite(choices.fuse_choices)


def share_common_subexpressions(block: Block) -> None:
    """Small values that are computed already are not computed again."""
    found = common_subexpressions(block.operations, block.results, block.placed)
    for operation, earlier in found.items():
        block.replace(operation, earlier.outputs)


def fold_likes(block: Block) -> None:
    """Zeros and ones of known shapes, and what follows from them, are constants, and what only
    they were made of is not computed; but not in the body of a loop, which becomes machine code as
    a whole, nor where each operation is told of.
    """
    if not block.is_free():
        return
    if block.names.isdisjoint(known_likes.LIKES):
        return
    found = known_likes.known_likes(block.operations, block.placed, block.roots)
    wanted = block.kept.union(map(id, block.results))
    dropped = known_likes.no_longer_taken(block.operations, found, wanted, block.roots)
    for operation, constant in found.items():
        block.replace(operation, constant.outputs)
        block.kept.update(map(id, constant.outputs))  # nobody may write there
    block.replaced.update(dropped)
    if found:
        block.operations = [*found.values(), *block.operations]


def join_optimizer_steps(block: Block) -> None:
    """Steps of several variables at the same rates become one operation."""
    block.operations = joined_steps(block.operations, block.placed, block.root)


def know_moments(block: Block) -> None:
    """Means and variances of concatenations are put together, where nobody counts."""
    if not block.is_instrumented and block.names >= moments_of_columns.NEEDED and are_maps_fused():
        block.operations = moments_of_columns.with_moments_of_columns(
            block.operations, block.placed, block.kept, block.roots
        )


def grow_columns(block: Block) -> None:
    """Concatenations upon each other share memory, where nobody counts what each of them takes."""
    if not block.is_instrumented:
        block.operations = with_grown_columns(
            block.operations, block.placed, block.kept, block.roots
        )


def multiply_in_place(block: Block) -> None:
    """Einsums of many small matrices multiply them where they lie, where nobody counts."""
    if not block.is_instrumented and block.names >= einsum_products.NEEDED and is_possible():
        block.operations = einsum_products.with_products_in_place(block.operations, block.placed)


def delay_averages(block: Block) -> None:
    """Running averages come last, likewise, so that those of all layers are neighbours."""
    if not block.is_instrumented and not block.is_inner and are_maps_fused():
        block.operations = with_late_averages(
            block.operations, block.placed, block.kept, block.roots
        )


def repeat_differences(block: Block) -> None:
    """Differences from means are computed where they are taken, likewise."""
    if not block.is_instrumented and block.names >= differences.NEEDED and are_maps_fused():
        block.operations = differences.with_repeated_differences(
            block.operations, block.placed, block.kept, block.roots
        )


def keep_values(block: Block) -> None:
    """What variables alone decide is computed once for as long as they do not change, likewise; but
    not in a body, which runs as often as values tell.
    """
    if not block.is_instrumented and not block.is_inner and are_maps_fused():
        block.operations = with_kept_values(block.operations, block.placed, block.kept, block.roots)


def fuse_maps(block: Block) -> None:
    """Chains of element-wise operations on large tensors become one pass over memory, where
    nobody counts what each of them takes.
    """
    if block.is_instrumented:
        return
    block.operations = with_fused_maps(block.operations, block.placed, block.kept, block.roots)


def fuse_rows(block: Block) -> None:
    """Chains of operations on a number per channel become one call, likewise; but not in the body
    of a loop, which becomes machine code as a whole.
    """
    if block.is_instrumented or block.is_inner:
        return
    block.operations = with_fused_rows(block.operations, block.placed, block.kept, block.roots)


def fuse_scalars(block: Block) -> None:
    """Chains of operations on scalars become one call, likewise."""
    if block.is_free() and block.makes_scalars():
        block.operations = with_fused_scalars(
            block.operations, block.placed, block.kept, block.roots
        )


def scale_within(block: Block) -> None:
    """Multiples by known numbers become part of the sums that take them, likewise, of what no pass
    before has fused.
    """
    if not block.is_free():
        return
    if not block.names.isdisjoint(scaled_sums.NEEDED):
        block.operations = scaled_sums.with_scaled_sums(
            block.operations, block.placed, block.kept, block.roots
        )


def pair_loops(block: Block) -> None:
    """Loops that need nothing of each other become neighbours, likewise."""
    if not block.is_free():
        return
    if not block.names.isdisjoint(loop_pairs.LOOPS):
        found = loop_pairs.with_paired_loops(block.operations, block.root)
        block.operations, block.pairs = found


def gather_scalars(block: Block) -> None:
    """Operations on scalars become neighbours, likewise."""
    if block.is_free() and block.makes_scalars():
        block.operations = with_early_scalars(block.operations, block.placed, block.roots)


PASSES: list[Callable[[Block], None]] = [
    fuse_optimizer_steps,
    join_replicas,
    drop_barriers,
    undo_views,
    pad_within,
    scale_filters,
    lay_out_products,
    fuse_products,
    fuse_choices,
    share_common_subexpressions,
    fold_likes,
    join_optimizer_steps,
    know_moments,
    grow_columns,
    multiply_in_place,
    delay_averages,
    repeat_differences,
    keep_values,
    fuse_maps,
    fuse_rows,
    fuse_scalars,
    scale_within,
    pair_loops,
    gather_scalars,
]

#: What tests want to be told of after each pass: its name, and the block. Empty in programs.
CHECKS: list[Callable[[str, Block], None]] = []


def rewrite(block: Block) -> None:
    """Goes through all passes."""
    for each in PASSES:
        each(block)
        if block.replaced:
            replaced, block.replaced = block.replaced, set()
            block.operations = [x for x in block.operations if x not in replaced]
            block.resolve()
        for check in CHECKS:
            check(each.__name__, block)
