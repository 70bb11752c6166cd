"""Sums of products over named axes: einsum and tensordot."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from .. import infer
from ..arguments import (
    check_integers,
    is_symbolic,
    read_now,
    static_array,
    static_ints,
)
from ..array.shaping import reshape, transpose
from ..convert import pair, to_tensor
from ..deferred import deferrable
from ..infer import Spec
from ..op import apply, op
from .products import matmul, pair_of_own


class Equation(NamedTuple):
    """The labels of every input and of the output; "." stands for an ellipsis."""

    inputs: tuple[str, ...]
    output: str


_SUBSCRIPTS = re.compile(r"[a-zA-Z.,]*(->[a-zA-Z.]*)?")


@functools.lru_cache(1024)
def parse(text: str) -> Equation:
    """An einsum equation in its parts, with the output that it implies.

    Raises:
        ValueError: the equation is not well formed.
    """
    short = text.replace(" ", "").replace("...", "@")
    if "." in short or not _SUBSCRIPTS.fullmatch(short.replace("@", ".")):
        raise ValueError(f"Subscripts have incorrect format: {text}")
    left, arrow, output = short.partition("->")
    inputs = left.split(",")
    if any(each.count("@") > 1 for each in [*inputs, output]):
        raise ValueError(f"Subscripts have incorrect format: {text}")
    if not arrow:
        output = _implied_output(left)
    if "@" not in left:  # no further axes: an ellipsis of none
        output = output.replace("@", "")
    for label in output:
        if label not in left:
            raise ValueError(
                f"Output subscripts contain the label {label} not present in the input subscripts."
            )
    return Equation(tuple(inputs), output)


def _implied_output(left: str) -> str:
    """All labels that stand once, in the order of the alphabet, behind the further axes if only
    one input has such; TF: those that several inputs share are never implied.
    """
    return "".join(sorted(label for label in set(left) - {","} if left.count(label) == 1))


def _refuse_repeats(text: str) -> None:
    """Raises ValueError for a label that stands twice in the output: only the raw op takes it."""
    output = parse(text).output
    if any(output.count(label) > 1 for label in output):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {text}")


def _einsum_dims(parsed: Equation, shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shape of the result.

    Raises:
        InvalidArgumentError: the inputs do not fit the equation or each other.
    """
    sizes: dict[str, int] = {}
    stretched: tuple[int | None, ...] = ()
    for i, (labels, shape) in enumerate(zip(parsed.inputs, shapes, strict=True)):
        named = len(labels.replace("@", ""))
        if len(shape) < named or ("@" not in labels and len(shape) != named):
            least = "at least " if "@" in labels else ""
            raise invalid_argument(
                f"Expected input {i} to have rank {least}{named} but got: {len(shape)}"
            )
        before, _, after = labels.partition("@")
        split = len(shape) - len(after)
        axes = [*range(len(before)), *range(split, len(shape))]
        for label, axis in zip(before + after, axes, strict=True):
            if sizes.setdefault(label, shape[axis]) != shape[axis]:
                raise invalid_argument(
                    f"Expected dimension {sizes[label]} at axis {axis} of the input shaped "
                    f"{runtime_text(tuple(shape))} but got dimension {shape[axis]}"
                )
        if "@" in labels:
            batch = Spec(tuple(shape[len(before) : split]), dtypes.float32)
            stretched = infer.broadcast(Spec(stretched, dtypes.float32), batch).dims or ()
    if stretched and "@" not in parsed.output:
        raise invalid_argument(
            f"Output contains {len(stretched)} broadcasting dimension(s) but no ellipsis (...) "
            "was found in the output subscripts."
        )
    before, _, after = parsed.output.partition("@")
    ellipsis_dims = (
        infer.known_dims(Spec(stretched, dtypes.float32)) if "@" in parsed.output else ()
    )
    return (*[sizes[x] for x in before], *ellipsis_dims, *[sizes[x] for x in after])


@functools.lru_cache(1024)
def _plan(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[str, list[int] | None]:
    """The equation as torch takes it and the order of the products, the shapes being right."""
    parsed = parse(equation)
    _einsum_dims(parsed, shapes)
    text = f"{','.join(parsed.inputs)}->{_once(parsed.output)}".replace("@", "...")
    if len(shapes) < 3:
        return text, None
    zeros = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
    steps = np.einsum_path(text, *zeros, optimize="greedy")[0][1:]
    if any(len(step) != 2 for step in steps):
        return text, None
    return text, [place for step in steps for place in step]


def einsum_kernel(*inputs: torch.Tensor, equation: str) -> torch.Tensor:
    """The sum of products that the equation names."""
    text, path = _plan(equation, tuple([tuple(x.shape) for x in inputs]))
    dtype = inputs[0].dtype
    if dtype.is_floating_point or dtype.is_complex:
        return _on_diagonals(_einsum(text, inputs, path), equation)
    wide = [x.to(torch.int64) for x in inputs]  # torch would sum some of them as int64 anyway
    return _on_diagonals(_einsum(text, wide, path).to(dtype), equation)


def _once(labels: str) -> str:
    return "".join(dict.fromkeys(labels))


def _on_diagonals(value: torch.Tensor, equation: str) -> torch.Tensor:
    """`value` on the diagonals of axes whose label the output repeats ("a->aa"), zeros beside."""
    output = parse(equation).output
    axes = _once(output)
    if axes == output:
        return value
    count = value.ndim - len(axes.replace("@", ""))
    names = [each for x in axes for each in ([f"@{i}" for i in range(count)] if x == "@" else [x])]
    wanted, seen = [], dict.fromkeys(output, 0)
    for label in output:
        seen[label] += 1
        if label == "@":
            wanted += [name for name in names if name[0] == "@"]
        elif seen[label] == 1:
            wanted.append(label)
        else:
            place = names.index(label)
            value = torch.diag_embed(value.movedim(place, -1))
            names.append(names.pop(place))
            names.append(f"{label}{seen[label]}")
            wanted.append(names[-1])
    return value.permute([names.index(name) for name in wanted])


def _einsum(text: str, inputs: Sequence[torch.Tensor], path: list[int] | None) -> Any:
    # torch.einsum itself would ask whether another library is there to plan.
    return torch._VF.einsum(text, inputs, path=path)  # type: ignore[attr-defined]


def _einsum_spec(*inputs: Spec, equation: str) -> Spec:
    shapes = [infer.known_dims(x) for x in inputs]
    return Spec(_einsum_dims(parse(equation), shapes), inputs[0].dtype)


EINSUM = op(
    "Einsum", "inputs: N * T -> output: T", einsum_kernel, _einsum_spec,
    gpu_types=dtypes.INEXACT, T=dtypes.NUMBERS,
)  # fmt: skip

_EINSUM_OPTIONS = ("name", "optimize", "greedy")


def einsum(equation: str, *inputs: TensorLike, **kwargs: Any) -> Tensor:
    """Returns the sum of products over named axes (`tf.einsum`).

    Args:
        equation: labels of the axes of each input and of the output: "ij,jk->ik". Labels that the
            output lacks are summed over, "..." stands for any further axes.
        inputs: one tensor for each part of the equation, all of one dtype.
        kwargs: `name`, and `optimize`, a hint that is not used.

    Raises:
        ValueError: the equation is not well formed or names another number of inputs.
        TypeError: an unknown keyword.
        InvalidArgumentError: shapes do not fit the equation.

    >>> einsum("ij,j->i", to_tensor([[1, 2], [3, 4]]), to_tensor([1, 1])).numpy().tolist()
    [3, 7]
    """
    unknown = [key for key in kwargs if key not in _EINSUM_OPTIONS]
    if unknown:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(unknown)}. Valid arguments: "
            f"{', '.join(_EINSUM_OPTIONS)}."
        )
    expected = equation.partition("->")[0].count(",") + 1
    _refuse_repeats(equation)
    if len(inputs) != expected:
        raise ValueError(
            f'Got {len(inputs)} inputs for equation "{equation}", expecting {expected}'
        )
    if len(inputs) == 2:
        values: tuple[Any, ...] = pair(*inputs)
    else:
        first = to_tensor(inputs[0])
        values = (first, *[to_tensor(x, hint=first.dtype) for x in inputs[1:]])
    return apply(EINSUM, values, {"equation": equation})


@deferrable
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Returns the sum of products over pairs of axes (`tf.tensordot`).

    Args:
        a: a tensor.
        b: a tensor of the same dtype.
        axes: how many last axes of a meet how many first ones of b; or two lists of axes of equal
            length, or two axes.
        name: a name in graphs.

    Returns:
        A tensor with the axes that are left of a, then those of b.

    Raises:
        ValueError: axes have the wrong form.
        InvalidArgumentError: sizes or dtypes do not fit.

    >>> tensordot([[1, 2]], [[3], [4]], 1).numpy().tolist()
    [[11]]
    """
    a, b = pair_of_own(a, b)
    axes = read_now(axes)
    if is_symbolic(axes) and axes.static_value() is None:
        check_integers(axes)
        return apply(TENSORDOT_BY, (a, b), {"axes": SymbolicValue(axes, "all")})
    of_a, of_b = _contracted(a, axes, b.ndim)
    if None in (*a.shape.as_list(), *b.shape.as_list()):  # tried out before sizes are known
        product = apply(TENSORDOT_BY, (a, b), {"axes": (tuple(of_a), tuple(of_b))})
        product.set_shape([None] * (a.ndim + b.ndim - 2 * len(of_a)))
        return product
    left, kept_a = _as_matrix(a, of_a, last=True)
    right, kept_b = _as_matrix(b, of_b, last=False)
    return reshape(matmul(left, right), [*kept_a, *kept_b])


def _contracted(a: Tensor, axes: Any, rank_b: int) -> tuple[list[int], list[int]]:
    if isinstance(axes, (int, np.integer)):
        rank = a.ndim
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {rank}."
            )
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        of_a, of_b = (list(static_ints(each, "axes")) for each in axes)
        if len(of_a) != len(of_b):
            raise ValueError(
                f"Different number of contraction axes `a` and `b`, {len(of_a)} != {len(of_b)}."
            )
        return of_a, of_b
    if isinstance(axes, float):
        raise TypeError(f"Cannot convert {axes!r} to EagerTensor of dtype int32")
    array = static_array(axes, "axes")
    if array.ndim == 0:
        return _contracted(a, int(array), rank_b)
    return _rows_of_axes(a, array, rank_b)


def _rows_of_axes(
    a: Tensor, axes: np.ndarray[Any, Any], rank_b: int
) -> tuple[list[int], list[int]]:
    """Axes that a tensor or an array tells: a row of those of a, and one of those of b."""
    if len(axes) < 2:
        raise invalid_argument("slice index 1 of dimension 0 out of bounds.")
    of_a, of_b = axes[0].reshape(-1).tolist(), axes[1].reshape(-1).tolist()
    _check_axes(of_a, a.ndim)
    _check_axes(of_b, rank_b)
    return of_a, of_b


def _check_axes(axes: Sequence[int], rank: int) -> None:
    """Raises InvalidArgumentError, as TensorFlow does where axes are tensors, of any but lists."""
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            place = axis + rank if axis < 0 else axis
            raise invalid_argument(f"indices[{i}] = {place} is not in [0, {rank})")


def tensordot_by_kernel(a: torch.Tensor, b: torch.Tensor, *, axes: Any) -> Any:
    """The sum of products over pairs of axes that are known only now."""
    if isinstance(axes, int):
        axes = range(a.ndim - axes, a.ndim), range(axes)
    of_a, of_b = (list(each) if isinstance(each, Sequence) else [each] for each in axes)
    _check_axes(of_a, a.ndim)
    _check_axes(of_b, b.ndim)
    pairs = list(zip(of_a, of_b, strict=False))
    if len(of_a) != len(of_b) or any(a.shape[i] != b.shape[j] for i, j in pairs):
        # Torch lets an axis of size 1 fit any other.
        shapes = runtime_text(tuple(a.shape)), runtime_text(tuple(b.shape))
        raise invalid_argument(
            f"Matrix size-incompatible: In[0]: {shapes[0]}, In[1]: {shapes[1]}, of which axes "
            f"{of_a} and {of_b} are to meet"
        )
    return torch.tensordot(a, b, (of_a, of_b))


TENSORDOT_BY = op(
    "_TensordotBy", "a: T, b: T, axes: host -> product: T", tensordot_by_kernel, None,
    T=dtypes.NUMBERS, is_listed=False,
)  # fmt: skip


def _as_matrix(x: Tensor, axes: list[int], last: bool) -> tuple[Any, list[int]]:
    """`x` as a matrix with the given axes as its columns or rows, and the sizes of the others."""
    sizes = x.shape.as_list()
    axes = [axis + len(sizes) if axis < 0 else axis for axis in axes]
    kept = [i for i in range(len(sizes)) if i not in axes]
    summed = math.prod([sizes[i] for i in axes])
    rest = math.prod([sizes[i] for i in kept])
    order = [*kept, *axes] if last else [*axes, *kept]
    turned = x if order == list(range(len(sizes))) else transpose(x, order)
    matrix = reshape(turned, [rest, summed] if last else [summed, rest])
    return matrix, [sizes[i] for i in kept]
