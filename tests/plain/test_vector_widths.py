"""How many numbers vectors of machine code have: codegen/text.py."""

import pytest

from emplace.codegen.program import MapInstruction, Memory, Program, View
from emplace.codegen.text import best_width


def _program(rows: int, columns: int, is_flat: bool = False) -> Program:
    """A map of rows and a row that all of them take, or of rows alone."""
    whole = View(Memory("each", 0), 0, rows, columns, columns)
    row = View(Memory("fixed", 0), 0, rows, columns, columns if is_flat else 0)
    steps, stores = (("Add", (0, 1)),), ((2, whole),)
    return Program((MapInstruction(rows, columns, (whole, row), (), steps, stores),), 1, 1, 0)


@pytest.mark.parametrize(
    ("columns", "most", "width"),
    [
        (16, 16, 16), (24, 16, 8), (40, 16, 8), (144, 16, 16), (35, 16, 16), (8, 16, 8),
        (3, 16, 16), (12, 8, 8), (12, 4, 4), (10, 16, 8),
    ],
)  # fmt: skip
def test_the_width_leaves_the_least_beside_whole_vectors(columns, most, width):
    assert best_width(_program(6, columns), most) == width


def test_rows_that_are_one_after_the_other_are_one_row():
    assert best_width(_program(6, 24, is_flat=True), 16) == 16
