"""What the kernels of recurrent cells say of inputs that do not fit each other: torch would stretch
numbers and vectors, or tell of its own functions.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from ..base.errors import invalid_argument

Ranked = tuple[str, torch.Tensor, int]
Sized = tuple[str, int, int]


def check_ranks(inputs: Sequence[Ranked], text: str) -> None:
    """Raises InvalidArgumentError for the first input that has another rank.

    Args:
        inputs: a name, the input and its rank.
        text: what is said, with `{name}`, `{rank}` and `{found}` in it.
    """
    for name, tensor, rank in inputs:
        if tensor.dim() != rank:
            raise invalid_argument(text.format(name=name, rank=rank, found=tensor.dim()))


def check_sizes(sizes: Sequence[Sized]) -> None:
    """Raises InvalidArgumentError for the first size that is another one.

    Args:
        sizes: "what it is != what it should be", and the two numbers.
    """
    for text, found, wanted in sizes:
        if found != wanted:
            raise invalid_argument(f"{text}: {found} vs. {wanted}")


def check_lstm(
    names: Sequence[str], inputs: Sequence[torch.Tensor], text: str, sizes_of_peepholes: bool
) -> None:
    """Raises InvalidArgumentError unless the inputs of an LSTM fit each other.

    Args:
        names: of x, cs_prev, h_prev, w, wci, wcf, wco and b.
        inputs: those; x may have an axis of steps first.
        text: what is said of ranks, see `check_ranks`.
        sizes_of_peepholes: whether their sizes are looked at.
    """
    x, cs_prev, h_prev, w, wci, wcf, wco, b = inputs
    ranks = (3 if sizes_of_peepholes else 2, 2, 2, 2, 1, 1, 1, 1)
    check_ranks(list(zip(names, inputs, ranks, strict=True)), text)
    batch, width = x.shape[-2:]
    cell = cs_prev.shape[1]
    check_sizes([
        ("cs_prev.dims(0) != batch_size", cs_prev.shape[0], batch),
        ("h_prev.dims(0) != batch_size", h_prev.shape[0], batch),
        ("h_prev.dims(1) != cell_size", h_prev.shape[1], cell),
        ("w.dim_size(0) != input_size + cell_size", w.shape[0], width + cell),
        ("w.dim_size(1) != cell_size * 4", w.shape[1], cell * 4),
        ("b.dim_size(0) != cell_size * 4", b.shape[0], cell * 4),
    ])  # fmt: skip
    if sizes_of_peepholes:
        peepholes = (("wci", wci), ("wcf", wcf), ("wco", wco))
        check_sizes([(f"{name}.dim_size(0) != cell_size", len(w), cell) for name, w in peepholes])


def check_gru(*inputs: torch.Tensor) -> None:
    """Raises InvalidArgumentError unless the inputs of a GRU's cell fit each other."""
    x, h_prev, w_ru, w_c, b_ru, b_c = inputs
    names = "x", "h_prev", "w_ru_", "w_c", "b_ru", "b_c"
    ranks = 2, 2, 2, 2, 1, 1
    text = "Rank of {name} must be {rank}, got {found}"
    check_ranks(list(zip(names, inputs, ranks, strict=True)), text)
    batch, width = x.shape
    cell = h_prev.shape[1]
    check_sizes([
        ("h_prev.dims(0) != batch_size", h_prev.shape[0], batch),
        ("w_ru.dim_size(0) != input_size + cell_size", w_ru.shape[0], width + cell),
        ("w_ru.dim_size(1) != cell_size * 2", w_ru.shape[1], cell * 2),
        ("w_c.dim_size(0) != input_size + cell_size", w_c.shape[0], width + cell),
        ("w_c.dim_size(1) != cell_size", w_c.shape[1], cell),
        ("b_ru.dim_size(0) != cell_size * 2", b_ru.shape[0], cell * 2),
        ("b_c.dim_size(0) != cell_size", b_c.shape[0], cell),
    ])  # fmt: skip
