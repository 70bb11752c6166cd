"""Each pass over the operations of a plan, on a graph that is made for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
from hand_made import HandMade, on_host, types_of

import emplace.tensorflow as tf
from emplace.base import dtypes
from emplace.graph.passes import rewriting
from emplace.graph.passes.common_subexpressions import common_subexpressions
from emplace.graph.passes.constant_folding import is_known, partial_value, static_value
from emplace.graph.passes.fusion import fuse
from emplace.graph.passes.prune import needed
from emplace.graph.passes.replacing import Replacing
from emplace.graph.passes.rewriting import PASSES, Block, rewrite
from emplace.graph.passes.specialisation import Expansion, is_needed
from emplace.graph.representation.graph import SymbolicTensor
from emplace.graph.representation.lint import lint_operations
from emplace.ops.array.barrier import stop_gradient
from emplace.ops.array.joining import concat
from emplace.ops.array.making import constant, ones_like
from emplace.ops.array.shaping import reshape, shape
from emplace.ops.debugging.checks import check_numerics
from emplace.ops.linalg.products import matmul
from emplace.ops.math.elementwise import add, exp, multiply, negative
from emplace.ops.math.reduction import reduce_sum
from emplace.ops.nn.activation import relu


def block_of(results: Sequence[SymbolicTensor], given: Sequence[SymbolicTensor]) -> Block:
    """The block of a plan that computes some results."""
    operations = needed([y.op for y in results], given)
    kept = {id(x) for x in (*results, *given)}
    return Block(operations, list(results), on_host(operations), kept, {})


def test_the_passes_have_an_order() -> None:
    assert [each.__name__ for each in PASSES] == [
        "fuse_optimizer_steps", "join_replicas", "drop_barriers", "undo_views", "pad_within",
        "scale_filters", "lay_out_products", "fuse_products", "fuse_choices",
        "share_common_subexpressions", "fold_likes", "join_optimizer_steps", "know_moments",
        "grow_columns", "multiply_in_place", "delay_averages", "repeat_differences", "keep_values",
        "fuse_maps", "fuse_rows", "fuse_scalars", "scale_within", "pair_loops", "gather_scalars",
    ]  # fmt: skip


def test_ones_of_a_known_shape_and_what_follows_from_them_are_constants(monkeypatch) -> None:
    made = HandMade()
    x, loose = made.argument((4, 1)), made.argument((None,))
    with made.taking_ops():
        first = multiply(ones_like(x), constant(0.5))
        y, z = multiply(first, x), multiply(ones_like(loose), constant(0.5))
    block = block_of([y, z], [x, loose])
    rewrite(block)
    constants = [each for each in block.operations if each.type == "Const" and each.outputs]
    (folded,) = [each for each in constants if each.outputs[0] is block.root(first)]
    assert folded.attrs["value"].tolist() == [[0.5]] * 4
    assert id(folded.outputs[0]) in block.kept
    assert types_of(block.operations).count("OnesLike") == 1  # of the shape that nobody knows
    for name, inner in (("0", False), ("1", True)):
        monkeypatch.setenv("EMPLACE_FUSE", name)
        block = block_of([y, z], [x, loose])
        block.is_inner = inner
        rewrite(block)
        assert types_of(block.operations).count("OnesLike") == 2


@pytest.mark.parametrize("is_wanted", [False, True])
def test_a_loss_of_which_only_the_gradient_is_wanted_is_not_computed(is_wanted: bool) -> None:
    made = HandMade()
    x, w = made.argument((4, 3)), made.argument((3, 2))
    with made.taking_ops():
        squares = multiply(matmul(x, w), constant(3.0))
        loss = negative(reduce_sum(squares))
        checked = check_numerics(exp(loss), "loss")
        slopes = multiply(ones_like(loss), ones_like(checked)), multiply(squares, ones_like(loss))
    block = block_of([*slopes, loss] if is_wanted else [*slopes], [x, w])
    rewrite(block)
    left = types_of(block.operations)
    assert "OnesLike" not in left
    # What refuses a value is computed, and so is what it takes.
    assert {"MatMul", "Sum", "Neg", "Exp", "CheckNumerics"} <= set(left)
    block = block_of([slopes[1], loss] if is_wanted else [slopes[1]], [x, w])
    rewrite(block)
    left = types_of(block.operations)
    assert ("Sum" in left, "Neg" in left) == (is_wanted, is_wanted)
    assert "MatMul" in left


def test_where_gradients_stop_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    made = HandMade()
    x = made.argument((4, 3))
    with made.taking_ops():
        y = exp(x)
        z, wanted = negative(stop_gradient(y)), stop_gradient(negative(y))
    block = block_of([z, wanted], [x])
    rewrite(block)
    assert types_of(block.operations).count("StopGradient") == 1
    assert block.root(z.op.inputs[0]) is y
    lint_operations(block.operations, block.kept, (), block.placed, block.roots)
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    block = block_of([z, wanted], [x])
    rewrite(block)
    assert types_of(block.operations).count("StopGradient") == 2


def test_a_sum_and_relu_go_into_the_product_before_them() -> None:
    made = HandMade()
    x, w, b = made.argument((4, 3)), made.argument((3, 2)), made.argument((2,))
    with made.taking_ops():
        y = relu(add(matmul(x, w), b))
    block = block_of([y], [x, w, b])
    rewrite(block)
    assert types_of(block.operations) == ["_FusedMatMul"]
    assert block.operations[0].attrs["relu"]
    assert block.operations[0].outputs == [y]
    lint_operations(block.operations, block.kept, [y], block.placed)


def test_a_product_that_somebody_else_takes_stays() -> None:
    made = HandMade()
    x, w, b = made.argument((4, 3)), made.argument((3, 2)), made.argument((2,))
    with made.taking_ops():
        product = matmul(x, w)
        y = add(product, b)
    operations = needed([y.op, product.op], [x, w, b])
    kept = {id(each) for each in (x, w, b, y, product)}
    replacing = Replacing(operations, on_host(operations), kept)
    fuse(replacing)
    assert types_of(replacing.operations()) == ["MatMul", "AddV2"]


def test_what_is_computed_already_is_shared() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        one, other = exp(x), exp(x)
        y = multiply(one, other)
    operations = needed([y.op], [x])
    assert common_subexpressions(operations, [y], on_host(operations)) == {other.op: one.op}


def test_a_result_and_a_large_value_are_not_shared() -> None:
    made = HandMade()
    x, large = made.argument(), made.argument((100, 100))
    with made.taking_ops():
        one, other = exp(x), exp(x)
        big, same = exp(large), exp(large)
    results = [one, other, negative_sum(made, big, same)]
    operations = needed([y.op for y in results], [x, large])
    assert common_subexpressions(operations, results, on_host(operations)) == {}


def test_products_with_the_same_number_are_shared_where_the_rest_is_the_same() -> None:
    made = HandMade()
    x, z = made.argument(), made.argument()
    with made.taking_ops():
        one, further = multiply(constant(2.0), x), multiply(constant(2.0), z)
        other, third = multiply(constant(2.0), x), multiply(constant(-2.0), x)
        y = negative_sum(made, negative_sum(made, one, further), negative_sum(made, other, third))
    operations = needed([y.op], [x, z])
    assert common_subexpressions(operations, [y], on_host(operations)) == {other.op: one.op}


def test_what_is_computed_twice_leaves_the_block() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        one, other = exp(x), exp(x)
        y = add(one, other)
    block = block_of([y], [x])
    rewrite(block)
    assert types_of(block.operations) == ["Exp", "AddV2"]
    assert block.roots == {id(other): one}
    assert block.sharing == [id(other)]
    lint_operations(block.operations, block.kept, [y], block.placed, block.roots)


def negative_sum(made: HandMade, one: SymbolicTensor, other: SymbolicTensor) -> SymbolicTensor:
    """-(one + other)."""
    with made.taking_ops():
        return negative(add(one, other))  # type: ignore[no-any-return]


LARGE = (128, 64)


def test_a_chain_and_the_sum_at_its_end_are_one_operation() -> None:
    made = HandMade()
    x, row = made.argument(LARGE), made.argument((64,))
    with made.taking_ops():
        y = exp(multiply(x, row))
        total = reduce_sum(negative(y), 0)
    block = block_of([y, total], [x, row])
    rewrite(block)
    assert types_of(block.operations) == ["_FusedMap"]
    (fused_map,) = block.operations
    assert fused_map.outputs == [y, total]
    assert [step.name for step in fused_map.attrs["map"].steps] == ["Mul", "Exp", "Neg", "Sum"]
    lint_operations(block.operations, block.kept, [y, total], block.placed)


def test_concatenations_upon_each_other_share_memory() -> None:
    made = HandMade()
    x, w = made.argument(LARGE), made.argument((64, 32))
    with made.taking_ops():
        one = concat([x, matmul(x, w)], 1)
        two = concat([one, exp(x)], -1)
        y = multiply(exp(one), exp(one))
    block = block_of([two, y], [x, w])
    rewrite(block)
    first, second = (each for each in block.operations if each.type == "_Grown")
    assert first.attrs == {"whole": 160, "begins": True}
    assert second.attrs == {"whole": 160, "begins": False}
    assert second.outputs == [two]
    lint_operations(block.operations, block.kept, [two, y], block.placed)


def test_a_concatenation_that_is_wanted_stays_by_itself() -> None:
    made = HandMade()
    x = made.argument(LARGE)
    with made.taking_ops():
        one = concat([x, x], 1)
        two = concat([one, x], 1)
    block = block_of([one, two], [x])
    rewrite(block)
    assert types_of(block.operations) == ["ConcatV2", "ConcatV2"]


def test_a_chain_ends_where_somebody_else_needs_it_first() -> None:
    made = HandMade()
    x, w = made.argument(LARGE), made.argument((64, 64))
    with made.taking_ops():
        y = negative(exp(x))
        z = multiply(exp(matmul(y, w)), y)
    block = block_of([z], [x, w])
    rewrite(block)
    assert types_of(block.operations) == ["_FusedMap", "MatMul", "_FusedMap"]


def test_no_member_of_a_chain_uses_a_sum_of_it() -> None:
    made = HandMade()
    x = made.argument(LARGE)
    with made.taking_ops():
        y = exp(negative(x))
        z = exp(multiply(y, reduce_sum(y, 0)))
    block = block_of([z], [x])
    rewrite(block)
    assert types_of(block.operations) == ["_FusedMap", "_FusedMap"]


def test_where_memory_is_counted_every_operation_runs_by_itself() -> None:
    made = HandMade()
    x = made.argument(LARGE)
    with made.taking_ops():
        y = exp(negative(x))
    block = block_of([y], [x])
    block.is_instrumented = True
    rewrite(block)
    assert types_of(block.operations) == ["Neg", "Exp"]


def test_values_that_constants_lead_to_are_known() -> None:
    made = HandMade()
    x = made.argument((None, 3))
    with made.taking_ops():
        six = multiply(constant(2), constant(3))
        sizes = shape(x)
        unknown = exp(made.argument())
    assert static_value(six) == 6
    assert is_known(six.op)
    assert static_value(sizes) is None
    assert partial_value(sizes) == [None, 3]
    assert not is_known(unknown.op)


def test_a_graph_is_specialised_where_something_is_unknown() -> None:
    made = HandMade()
    x = made.argument((None, 3))
    with made.taking_ops():
        y = reshape(x, [-1])
    operations = needed([y.op], [x])
    assert is_needed(operations)
    expansion = Expansion({})
    expansion.feed([x], {id(x): (2, 3)})
    expansion.run(operations, {})
    assert y.dims == (None,)
    assert expansion.tensors[id(y)].dims == (6,)
    assert not is_needed(expansion.graph.operations)
    assert expansion.tensors[id(y)].dtype is dtypes.float32


def drop_double_negations(block: Block) -> None:
    """The negation of a negation is the value itself; at its place in the order of the program."""
    for operation in block.operations:
        if operation.type == "Neg" and id(operation.outputs[0]) not in block.kept:
            inner = operation.inputs[0].op
            if inner.type == "Neg":
                block.replace(operation, [inner.inputs[0]])


def test_a_plan_follows_what_several_passes_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "PASSES", [drop_double_negations, *PASSES])

    @tf.function(autograph=False)
    def program(x: Any) -> Any:
        first, second = tf.exp(x), tf.exp(x)  # the second one is the first
        early = tf.sin(first)
        twice = [tf.negative(tf.negative(y)) for y in (x, second, x)]
        return tf.tan(twice[0]), twice[1] * 2.0 + tf.cos(early) * 0.0, twice[2]

    tangent, double, itself = program(tf.constant(0.5))
    assert abs(float(tangent) - math.tan(0.5)) < 1e-6
    assert abs(float(double) - 2 * math.exp(0.5)) < 1e-6
    assert float(itself) == 0.5


def test_a_root_leads_to_what_nothing_replaces() -> None:
    made = HandMade()
    x = made.argument()
    with made.taking_ops():
        one, other, third = exp(x), negative(x), relu(x)
    block = block_of([one, other, third], [x])
    block.replace(third.op, [other])
    block.replace(other.op, [one])
    block.resolve()
    assert block.roots == {id(third): one, id(other): one}
