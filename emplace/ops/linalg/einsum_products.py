"""Sums of products over named axes that are many small products of matrices, each where its factors
lie: what a plan makes of attention's einsums on the host (`graph/passes/einsum_products.py`).

torch copies factors and results so that matrices lie one after the other, which takes longer than
their products. As machine code each product finds its rows by their distance, and writes them where
the result has them.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from ...base import dtypes
from ...codegen import library
from ...codegen.code import Loop
from ...codegen.program import Memory, ProductInstruction, Program, View
from ...codegen.rows import loop_of
from ...codegen.worth import DoneOtherwise
from ...devices.device import HOST
from ..infer import Spec
from ..op import op
from .einsum import einsum_kernel, parse

# To compile takes as long as torch's copies of some products of so many multiplications.
MULTIPLICATIONS_BEFORE = 1 << 27
_DONE = DoneOtherwise()  # multiplications, by program
# Smaller products are all preparation, and of larger ones copies are a small part.
_SMALLEST, _LARGEST = 1 << 11, 1 << 18
# A call has to be worth launching machine code.
_LEAST_TOGETHER = 1 << 17
# More threads do more together than one saves.
_MOST_BY_ONE = 1 << 22
_MOST_INSTRUCTIONS = 64


class Form(NamedTuple):
    """An equation as products of matrices: `left` (of the first factor) times `right`, summed over
    `inner`, for each of `batch`, whose first label is that of iterations. `sizes` are those of all.
    """

    factors: tuple[str, str]
    output: str
    batch: str
    left: str
    right: str
    inner: str
    sizes: dict[str, int]


def form_of(equation: str, shapes: Sequence[tuple[int, ...]]) -> Form | None:
    """The form of an equation whose products are worth it; None for another."""
    parsed = parse(equation)
    if len(parsed.inputs) != 2 or "@" in equation or "..." in equation:
        return None
    (a, b), output = parsed.inputs, parsed.output
    if any(len(set(labels)) < len(labels) for labels in (a, b, output)):
        return None
    sizes = dict(zip(a + b, [*shapes[0], *shapes[1]], strict=True))
    if (len(a), len(b)) != tuple(map(len, shapes)) or [sizes[x] for x in a] != list(shapes[0]):
        return None
    batch = [x for x in output if x in a and x in b]
    left, right = [x for x in a if x not in b], [x for x in b if x not in a]
    inner = [x for x in a if x in b and x not in output]
    if not batch or not len(left) == len(right) == len(inner) == 1:
        return None
    if set(output) != {*batch, *left, *right} or output[-1] in batch:
        return None
    one = math.prod(sizes[x] for x in (*left, *right, *inner))
    count = math.prod(sizes[x] for x in batch)
    is_worth = _SMALLEST <= one <= _LARGEST and one * count >= _LEAST_TOGETHER
    if not is_worth or count // sizes[batch[0]] > _MOST_INSTRUCTIONS:
        return None
    return Form((a, b), output, "".join(batch), left[0], right[0], inner[0], sizes)


def program_of(form: Form, strides: Sequence[Sequence[int]]) -> Program | None:
    """What an iteration does for factors with these strides, whose result is dense; None for
    factors whose rows do not lie in one piece.
    """
    dense = [
        math.prod([form.sizes[x] for x in form.output[i + 1 :]]) for i in range(len(form.output))
    ]
    a, b, c = (
        dict(zip(labels, steps, strict=True))
        for labels, steps in zip((*form.factors, form.output), (*strides, dense), strict=True)
    )
    sizes, first, others = form.sizes, form.batch[0], form.batch[1:]
    left = _factor(0, sizes, a, form.left, form.inner)
    right = _factor(1, sizes, b, form.inner, form.right)
    if left is None or right is None:
        return None
    (of_a, is_a_turned), (of_b, is_b_turned) = left, right
    is_turned = c[form.right] != 1  # then it is the product of the turned factors
    rows, columns = (form.right, form.left) if is_turned else (form.left, form.right)
    of_c = View(Memory("each", 2), 0, sizes[rows], sizes[columns], c[rows])
    instructions = []
    for places in itertools.product(*[range(sizes[x]) for x in others]):
        x, y, z = (
            view._replace(
                offset=sum(steps[label] * i for label, i in zip(others, places, strict=True))
            )
            for view, steps in ((of_a, a), (of_b, b), (of_c, c))
        )
        instructions.append(
            ProductInstruction(y, x, z, not is_b_turned, not is_a_turned, False)
            if is_turned
            else ProductInstruction(x, y, z, is_a_turned, is_b_turned, False)
        )
    steps = tuple((memory[first], 1) for memory in (a, b, c))
    return Program(tuple(instructions), 0, 3, 0, steps)


def _factor(
    place: int, sizes: dict[str, int], steps: dict[str, int], down: str, across: str
) -> tuple[View, bool] | None:
    """A matrix as it lies in memory, and whether that is by columns; None where neither its rows
    nor its columns lie in one piece.
    """
    for rows, columns, is_turned in ((down, across, False), (across, down, True)):
        if steps[columns] == 1 and steps[rows] >= sizes[columns]:
            view = View(Memory("each", place), 0, sizes[rows], sizes[columns], steps[rows])
            return view, is_turned
    return None


class EinsumProducts:
    """An equation on factors of known shapes.

    Args:
        equation: as einsum takes it.
        form: what it is.
    """

    def __init__(self, equation: str, form: Form) -> None:
        self.equation = equation
        self.form = form
        self.shape = tuple(form.sizes[x] for x in form.output)
        self._iterations = form.sizes[form.batch[0]]
        self._work = math.prod(form.sizes.values())
        #: The machine code by strides of the factors; None where there is none.
        self._made: dict[Any, Loop | None] = {}

    def __repr__(self) -> str:
        return f"<products of {self.equation}>"

    def __call__(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        """The result."""
        if torch.compiler.is_compiling() or a.requires_grad or b.requires_grad:
            return einsum_kernel(a, b, equation=self.equation)
        strides = a.stride(), b.stride()
        loop = self._made.get(strides) or self._prepared(strides)
        if loop is None:
            return einsum_kernel(a, b, equation=self.equation)
        made = torch.empty(self.shape, dtype=torch.float32, device=HOST)
        starts = struct.pack("3q", a.data_ptr(), b.data_ptr(), made.data_ptr())
        if torch.get_num_threads() == 1:
            loop(self._iterations, 0, starts, 0)
            return made
        set_threads = library.threads_of_products()
        if set_threads is None or self._work > _MOST_BY_ONE:
            return einsum_kernel(a, b, equation=self.equation)
        before = set_threads(1)  # MKL would share each small product
        try:
            loop(self._iterations, 0, starts, 0)
        finally:
            set_threads(before)
        return made

    def _prepared(self, strides: tuple[Any, ...]) -> Loop | None:
        """The machine code for some strides when there was enough to do; None before, or where
        there is none.
        """
        if strides in self._made:
            return None
        program = program_of(self.form, strides)
        if program is not None and _DONE.add(self._work, program) < MULTIPLICATIONS_BEFORE:
            return None
        self._made[strides] = loop = None if program is None else loop_of(program)
        return loop


def einsum_products_kernel(a: torch.Tensor, b: torch.Tensor, *, products: EinsumProducts) -> Any:
    """The result of an equation."""
    return products(a, b)


EINSUM_PRODUCTS = op(
    "_EinsumProducts", "a: T, b: T -> output: T", einsum_products_kernel,
    lambda a, b, products: Spec(products.shape, dtypes.float32), is_listed=False,
    T=(dtypes.float32,),
)  # fmt: skip
