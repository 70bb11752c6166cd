"""Einsums as small products of matrices where they lie: which, and where their matrices are."""

import pytest
from hand_made import HandMade, on_host, types_of

from emplace.base import dtypes
from emplace.graph.passes.einsum_products import with_products_in_place
from emplace.graph.representation.lint import lint_operations
from emplace.ops.linalg.einsum import einsum
from emplace.ops.linalg.einsum_products import form_of, program_of

QUERIES = KEYS = (32, 32, 4, 16)
SCORES = (32, 4, 32, 32)


def test_the_scores_of_attention_are_a_product_per_head():
    form = form_of("aecd,abcd->acbe", [KEYS, QUERIES])
    assert (form.batch, form.left, form.right, form.inner) == ("ac", "e", "b", "d")
    program = program_of(form, [(2048, 64, 16, 1)] * 2)
    # By head: 32 rows of 16 queries, 64 numbers apart, by as many keys, into 32 rows of scores.
    assert [x.a.offset for x in program.instructions] == [0, 16, 32, 48]
    assert [x.c.offset for x in program.instructions] == [0, 1024, 2048, 3072]
    first = program.instructions[0]
    assert (first.a.memory.place, first.b.memory.place) == (1, 0)  # the result has keys as columns
    assert (first.transpose_a, first.transpose_b, first.adds) == (False, True, False)
    assert (first.a.row_step, first.b.row_step, first.c.row_step) == (64, 64, 32)
    assert program.steps == ((2048, 1), (2048, 1), (4096, 1))


def test_rows_that_do_not_lie_in_one_piece_are_left_alone():
    form = form_of("abij,abjk->abik", [(8, 8, 32, 32)] * 2)
    assert program_of(form, [(8192, 1024, 32, 1), (8192, 1024, 1, 32)]) is not None
    assert program_of(form, [(8192, 1024, 32, 1), (8192, 1024, 64, 2)]) is None
    assert program_of(form, [(8192, 1024, 0, 1), (8192, 1024, 32, 1)]) is None


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(64, 64)] * 2),  # one product
        ("bij,bjk->ki", [(32, 32, 32)] * 2),  # a sum over products
        ("bij,bjk->ikb", [(32, 32, 32)] * 2),  # whose results lie apart
        ("bijl,bjkl->bik", [(32, 8, 8, 8)] * 2),  # two labels to sum over
        ("bii,bij->bij", [(32, 32, 32)] * 2),  # a diagonal
        ("...ij,...jk->...ik", [(32, 32, 32)] * 2),
        ("bij,bjk->bik", [(4, 4, 4)] * 2),  # too little to do
        ("bij,bjk->bik", [(4, 512, 512)] * 2),  # copies are next to nothing
        ("abij,abjk->abik", [(2, 512, 16, 16)] * 2),  # too many to write out
        ("bij,bjk->bikb", [(32, 32, 32)] * 2),
        ("bij,bj->bi", [(32, 64, 64), (32, 64)]),
    ],
)
def test_other_equations_are_left_alone(equation, shapes):
    assert form_of(equation, shapes) is None


@pytest.mark.parametrize(
    ("dtype", "is_on", "found"),
    [
        (dtypes.float32, "1", ["_EinsumProducts", "_EinsumProducts"]),
        (dtypes.float32, "0", ["Einsum", "Einsum"]),
        (dtypes.float64, "1", ["Einsum", "Einsum"]),
    ],
)
def test_a_pass_puts_them_in_the_place_of_einsums(dtype, is_on, found, monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", is_on)
    made = HandMade()
    q, k, v = (made.argument(QUERIES, dtype) for _ in range(3))
    with made.taking_ops():
        y = einsum("acbe,aecd->abcd", einsum("aecd,abcd->acbe", k, q), v)
    operations = [x for x in made.graph.operations if x.type != "_Arg"]
    placed = on_host(operations)
    after = with_products_in_place(operations, placed)
    assert types_of(after) == found
    assert after[-1].outputs == [y]
    assert all(operation in placed for operation in after)
    lint_operations(after, {id(x) for x in (q, k, v)}, [y], placed)
