"""Diagonals and bands of matrices: eye, diag, diag_part, set_diag, band_part, trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.constants import constants
from .. import infer
from ..arguments import is_symbolic, known_int, one_number, static_ints
from ..array.joining import concat
from ..array.making import ones
from ..convert import tensors, to_tensor
from ..infer import Spec, shape_only
from ..math.elementwise import cast, minimum
from ..math.reduction import reduce_sum
from ..op import apply, op

Band = tuple[int, int]
_ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def _host_places(rows: int, cols: int, band: Band, align: str) -> tuple[torch.Tensor, torch.Tensor]:
    """For each place of packed diagonals its place in the flat matrix, and whether there is one."""
    low, high = band
    longest = min(rows + min(high, 0), cols - max(low, 0))
    k = np.arange(high, low - 1, -1)[:, None]
    lengths = np.minimum(rows + np.minimum(k, 0), cols - np.maximum(k, 0))
    upper, lower = align.split("_")
    to_right = np.where(k >= 0, upper == "RIGHT", lower == "RIGHT")
    step = np.arange(longest)[None, :] - np.where(to_right, longest - lengths, 0)
    exists = (step >= 0) & (step < lengths)
    flat = (step + np.maximum(-k, 0)) * cols + step + np.maximum(k, 0)
    return torch.from_numpy(np.where(exists, flat, 0)), torch.from_numpy(exists)


_places = constants(_host_places)


@constants
def _sources(rows: int, cols: int, band: Band, align: str) -> tuple[torch.Tensor, torch.Tensor]:
    """For each place of the matrix its place in flat packed diagonals, and whether it is on one."""
    places, exists = _host_places(rows, cols, band, align)
    source = torch.zeros(rows * cols, dtype=torch.int64)
    inside = torch.zeros(rows * cols, dtype=torch.bool)
    chosen = places[exists]
    source[chosen] = torch.arange(exists.numel()).reshape(exists.shape)[exists]
    inside[chosen] = True
    return source, inside


def diag_part_kernel(
    input: torch.Tensor, *, k: Band, padding_value: float = 0, align: str = "RIGHT_LEFT"
) -> torch.Tensor:
    """The diagonals k[0] to k[1] of matrices, the highest first."""
    _diag_part_spec(shape_only(input), k=k, align=align)
    if k[0] == k[1]:
        return torch.diagonal(input, k[0], -2, -1).clone()
    rows, cols = input.shape[-2:]
    places, exists = _places(input.device, rows, cols, k, align)
    packed = input.reshape(*input.shape[:-2], rows * cols)[..., places]
    padding = torch.full((), padding_value, dtype=input.dtype, device=input.device)
    return torch.where(exists, packed, padding)


def _diag_part_spec(
    input: Spec, *, k: Band, padding_value: int = 0, align: str = "RIGHT_LEFT"
) -> Spec:
    dims = _matrix_dims(input)
    longest = _check_band(dims[-2], dims[-1], k)
    if k[0] == k[1]:
        return Spec((*dims[:-2], longest), input.dtype)
    return Spec((*dims[:-2], k[1] - k[0] + 1, longest), input.dtype)


def _matrix_dims(input: Spec) -> tuple[int, ...]:
    dims = infer.known_dims(input)
    if len(dims) < 2:
        raise invalid_argument(
            f"input must be at least 2-dim, received shape: {runtime_text(dims)}"
        )
    return dims


def _check_order(k: Band) -> None:
    if k[0] > k[1]:
        raise invalid_argument(
            f"lower_diag_index must not be larger than upper_diag_index: {k[0]} > {k[1]}"
        )


def _check_band(rows: int, cols: int, k: Band) -> int:
    """The length of the longest diagonal of the band.

    Raises:
        InvalidArgumentError: the band is outside of the matrix.
    """
    _check_order(k)
    for name, each in zip(("lower", "upper"), k, strict=True):
        if not (-rows < each < cols or each == 0):
            raise invalid_argument(
                f"{name}_diag_index is out of bound: {each}. It must be between {-rows} and {cols}"
            )
    return min(rows + min(k[1], 0), cols - max(k[0], 0))


DIAG_PART = op(
    "MatrixDiagPartV3", "input: T, k: host, padding_value: host -> diagonal: T",
    diag_part_kernel, _diag_part_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def diag_kernel(
    diagonal: torch.Tensor,
    *,
    k: Band = (0, 0),
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: float = 0,
    align: str = "RIGHT_LEFT",
) -> torch.Tensor:
    """Matrices with these diagonals, the highest first, and padding elsewhere."""
    spec = shape_only(diagonal)
    dims = infer.known_dims(_diag_spec(spec, k=k, num_rows=num_rows, num_cols=num_cols))
    rows, cols = dims[-2:]
    if k[0] == k[1] and padding_value == 0 and rows == cols:
        return torch.diag_embed(diagonal, k[0])
    source, inside = _sources(diagonal.device, rows, cols, k, align)
    flat = diagonal if k[0] == k[1] else diagonal.flatten(-2)
    padding = torch.full((), padding_value, dtype=diagonal.dtype, device=diagonal.device)
    if flat.shape[-1] == 0:
        return padding.expand(dims).clone()
    matrix = torch.where(inside, flat[..., source], padding)
    return matrix.reshape(dims)


def _diag_spec(
    diagonal: Spec,
    *,
    k: Band = (0, 0),
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: float = 0,
    align: str = "RIGHT_LEFT",
) -> Spec:
    dims = infer.known_dims(diagonal)
    _check_order(k)
    low, high = k
    _check_diagonal(dims)
    if low != high and (len(dims) < 2 or dims[-2] != high - low + 1):
        raise invalid_argument(
            "The number of diagonals provided in the input does not match the lower_diag_index "
            "and upper_diag_index range."
        )
    least_rows, least_cols = dims[-1] - min(high, 0), dims[-1] + max(low, 0)
    rows, cols = _matrix_sizes(num_rows, num_cols, least_rows, least_cols)
    return Spec((*dims[: -1 if low == high else -2], rows, cols), diagonal.dtype)


def _check_diagonal(dims: tuple[int, ...]) -> None:
    if not dims:
        raise invalid_argument(
            f"diagonal must be at least 1-dim, received shape: {runtime_text(dims)}"
        )


def _matrix_sizes(rows: int, cols: int, least_rows: int, least_cols: int) -> tuple[int, int]:
    if rows != -1 and rows < least_rows:
        raise invalid_argument("The number of rows is too small.")
    if cols != -1 and cols < least_cols:
        raise invalid_argument("The number of columns is too small.")
    if rows == -1 and cols == -1:
        rows = cols = max(least_rows, least_cols)
    rows = least_rows if rows == -1 else rows
    cols = least_cols if cols == -1 else cols
    if rows != least_rows and cols != least_cols:
        raise invalid_argument(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, "
            "and diagonal."
        )
    return rows, cols


DIAG = op(
    "MatrixDiagV3",
    "diagonal: T, k: host, num_rows: host, num_cols: host, padding_value: host -> output: T",
    diag_kernel, _diag_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def set_diag_kernel(
    input: torch.Tensor, diagonal: torch.Tensor, *, k: Band = (0, 0), align: str = "RIGHT_LEFT"
) -> torch.Tensor:
    """Matrices with their diagonals k[0] to k[1] replaced."""
    shapes = shape_only(input), shape_only(diagonal)
    _set_diag_spec(*shapes, k=k, align=align)
    rows, cols = input.shape[-2:]
    if input.numel() == 0 or diagonal.numel() == 0:
        return input.clone()
    source, inside = _sources(input.device, rows, cols, k, align)
    flat = diagonal if k[0] == k[1] else diagonal.flatten(-2)
    matrix = flat[..., source].reshape(input.shape)
    return torch.where(inside.reshape(rows, cols), matrix, input)


def _set_diag_spec(
    input: Spec, diagonal: Spec, *, k: Band = (0, 0), align: str = "RIGHT_LEFT"
) -> Spec:
    expected = infer.known_dims(_diag_part_spec(input, k=k))
    _check_diagonal(infer.known_dims(diagonal))
    if infer.known_dims(diagonal) != expected:
        raise invalid_argument(
            "Either first dimensions of diagonal don't match input.shape[:-2], or "
            "diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {runtime_text(input.dims or ())}\n"
            f"Diagonal shape: {runtime_text(diagonal.dims or ())}\n"
            f"Expected diagonal shape: {runtime_text(expected)}"
        )
    return input


SET_DIAG = op(
    "MatrixSetDiagV3", "input: T, diagonal: T, k: host -> output: T",
    set_diag_kernel, _set_diag_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def tensor_diag_kernel(diagonal: torch.Tensor) -> torch.Tensor:
    """A tensor of twice the rank with the elements on its diagonal."""
    _tensor_diag_spec(shape_only(diagonal))
    return torch.diag_embed(diagonal.reshape(-1)).reshape(*diagonal.shape, *diagonal.shape)


def _tensor_diag_spec(diagonal: Spec) -> Spec:
    dims = infer.known_dims(diagonal)
    if not dims:
        raise invalid_argument("Input must be at least rank 1, got 0")
    return Spec((*dims, *dims), diagonal.dtype)


def tensor_diag_part_kernel(input: torch.Tensor) -> torch.Tensor:
    """The diagonal of a tensor whose shape is one shape twice."""
    spec = _tensor_diag_part_spec(shape_only(input))
    dims = infer.known_dims(spec)
    count = torch.Size(dims).numel()
    return input.reshape(count, count).diagonal().clone().reshape(dims)


def _tensor_diag_part_spec(input: Spec) -> Spec:
    dims = infer.known_dims(input)
    half = len(dims) // 2
    if len(dims) % 2 or not dims:
        raise invalid_argument(
            f"The rank of the tensor should be even and positive, got shape {runtime_text(dims)}"
        )
    wrong = next((i for i in range(half) if dims[i] != dims[i + half]), None)
    if wrong is not None:
        raise invalid_argument(
            f"Invalid shape {runtime_text(dims)}: dimensions {wrong} and {wrong + half} do not "
            "match."
        )
    return Spec(dims[:half], input.dtype)


TENSOR_DIAG = op(
    "Diag", "diagonal: T -> output: T", tensor_diag_kernel, _tensor_diag_spec, T=dtypes.NUMBERS
)
TENSOR_DIAG_PART = op(
    "DiagPart", "input: T -> diagonal: T", tensor_diag_part_kernel, _tensor_diag_part_spec,
    T=dtypes.NUMBERS,
)  # fmt: skip


def band_part_kernel(input: torch.Tensor, *, num_lower: int, num_upper: int) -> torch.Tensor:
    """Zeros outside of a band around the main diagonal."""
    _band_part_spec(shape_only(input), num_lower=num_lower, num_upper=num_upper)
    if num_lower < 0 and num_upper < 0:
        return input.clone()
    if num_upper >= 0:
        input = torch.tril(input, num_upper)
    return torch.triu(input, -num_lower) if num_lower >= 0 else input


def _band_part_spec(input: Spec, *, num_lower: int, num_upper: int) -> Spec:
    dims = _matrix_dims(input)
    for name, count, size, what in (
        ("num_lower", num_lower, dims[-2], "rows"), ("num_upper", num_upper, dims[-1], "columns"),
    ):  # fmt: skip
        if count > size:
            raise invalid_argument(
                f"{name} must be negative or less or equal to number of {what} ({size}) got: "
                f"{count}"
            )
    return input


BAND_PART = op(
    "MatrixBandPart", "input: T, num_lower: host, num_upper: host -> band: T",
    band_part_kernel, _band_part_spec, T=dtypes.ANY_FIXED,
)  # fmt: skip


def eye(
    num_rows: TensorLike,
    num_columns: Any = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Returns identity matrices (`tf.eye`).

    Args:
        num_rows: how many rows.
        num_columns: how many columns, None for as many as rows.
        batch_shape: the shape of the batch in front of the matrices.
        dtype: the dtype.
        name: a name in graphs.

    Raises:
        TypeError: a number of rows or columns is no integer.

    >>> eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    if any(map(is_symbolic, (num_rows, columns, batch_shape))):
        return _eye_of_tensors(num_rows, columns, batch_shape, as_dtype(dtype))
    rows, columns = (_count(count, num_rows, columns) for count in (num_rows, columns))
    batch = () if batch_shape is None else static_ints(batch_shape, "batch_shape")
    diagonal = ones([*batch, min(rows, columns)], dtype=as_dtype(dtype))
    if rows == columns:
        return apply(DIAG, (diagonal,), {"k": (0, 0)})
    attrs = {"k": (0, 0), "num_rows": rows, "num_cols": columns}
    return apply(DIAG, (diagonal,), attrs)


def _eye_of_tensors(
    rows: TensorLike, columns: TensorLike, batch_shape: ShapeLike | None, dtype: DType
) -> Tensor:
    """Identity matrices whose sizes only running a graph may tell."""
    counts = [cast(to_tensor(count), dtypes.int32) for count in (rows, columns)]
    batch: Any = () if batch_shape is None else batch_shape
    length = minimum(counts[0], counts[1])
    sizes = concat([cast(to_tensor(batch, hint=dtypes.int32), dtypes.int32), [length]], 0)
    attrs: dict[str, Any] = {"k": (0, 0)}
    if columns is not rows:
        attrs |= {"num_rows": known_int(counts[0]), "num_cols": known_int(counts[1])}
    return apply(DIAG, (ones(sizes, dtype=dtype),), attrs)


def _count(value: object, rows: object, columns: object) -> int:
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.ndim or array.dtype.kind not in "iu":
        raise TypeError(
            "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
            f"num_rows={rows}, num_columns={columns}"
        )
    return int(array)


def diag(
    diagonal: TensorLike,
    name: str = "diag",
    k: TensorLike = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Returns matrices with given diagonals (`tf.linalg.diag`).

    Args:
        diagonal: the elements, of shape (..., n) for one diagonal; for several, from the highest
            to the lowest, (..., diagonals, length of the longest).
        name: a name in graphs.
        k: which diagonal, 0 for the main one and positive ones above it, or (lowest, highest).
        num_rows: how many rows, -1 for as few as possible.
        num_cols: how many columns, likewise.
        padding_value: the number beside the diagonals.
        align: at which ends shorter diagonals above and below the main one are aligned.

    Raises:
        InvalidArgumentError: the sizes do not fit the diagonals.

    >>> diag([1, 2], k=1).numpy().tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    argument, diagonal = diagonal, to_tensor(diagonal)
    attrs = {
        "k": _band(k, align, "MatrixDiagV3"),
        "num_rows": one_number(num_rows, "num_rows"),
        "num_cols": one_number(num_cols, "num_cols"),
        "padding_value": _padding(padding_value, diagonal.dtype, argument),
        "align": align,
    }
    return apply(DIAG, (diagonal,), attrs)


def _band(k: TensorLike, align: str, op_name: str) -> Band:
    if align not in _ALIGNS:
        allowed = ", ".join(f'"{each}"' for each in _ALIGNS)
        raise invalid_argument(
            f"Value for attr 'align' of \"{align}\" is not in the list of allowed values: "
            f"{allowed} [Op:{op_name}] name: "
        )
    ends = static_ints(k, "k")
    if isinstance(ends, SymbolicValue):
        raise ValueError(f"k must have a known number of elements, one or two, got {k!r}")
    if len(ends) not in (1, 2):
        raise invalid_argument(
            f"diag_index must have only one or two elements, received {len(ends)} elements. "
            f"[Op:{op_name}] name: "
        )
    if not any(isinstance(end, SymbolicValue) for end in ends) and ends[0] > ends[-1]:
        raise invalid_argument(
            f"lower_diag_index must not be larger than upper_diag_index: {ends[0]} > {ends[-1]} "
            f"[Op:{op_name}] name: "
        )
    return ends[0], ends[-1]


def _padding(value: float, dtype: DType, given: object) -> Any:
    if type(value) is int and value == 0 and dtype.is_numeric:  # the default, at no cost
        return 0
    if dtype is dtypes.bool_ and hasattr(given, "dtype"):  # TF: not for lists of Python bools
        value = bool(value)
    made = to_tensor(value, dtype)
    return SymbolicValue(made) if is_symbolic(made) else made.numpy().item()


def diag_part(
    input: TensorLike,
    name: str = "diag_part",
    k: TensorLike = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Returns diagonals of matrices (`tf.linalg.diag_part`).

    Args:
        input: a tensor of shape (..., m, n).
        name: a name in graphs.
        k: which diagonal, 0 for the main one and positive ones above it, or (lowest, highest).
        padding_value: the number beside shorter diagonals.
        align: at which ends shorter diagonals above and below the main one are aligned.

    Returns:
        The diagonal, or several from the highest to the lowest, packed side by side.

    Raises:
        InvalidArgumentError: `input` has less than two axes, or no such diagonals.

    >>> diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    argument, input = input, to_tensor(input)
    attrs = {
        "k": _band(k, align, "MatrixDiagPartV3"),
        "padding_value": _padding(padding_value, input.dtype, argument),
        "align": align,
    }
    return apply(DIAG_PART, (input,), attrs)


def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str = "set_diag",
    k: TensorLike = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Returns matrices with diagonals replaced (`tf.linalg.set_diag`).

    Args:
        input: a tensor of shape (..., m, n).
        diagonal: the new elements, as `diag_part` returns them.
        name: a name in graphs.
        k: which diagonals, as in `diag_part`.
        align: as in `diag_part`.

    Raises:
        InvalidArgumentError: the shapes do not fit.

    >>> set_diag([[1, 2], [3, 4]], [0, 0]).numpy().tolist()
    [[0, 2], [3, 0]]
    """
    input, diagonal = tensors([input, diagonal])
    attrs = {"k": _band(k, align, "MatrixSetDiagV3"), "align": align}
    return apply(SET_DIAG, (input, diagonal), attrs)


def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with given elements on its diagonal (`tf.linalg.tensor_diag`).

    >>> tensor_diag([1, 2]).numpy().tolist()
    [[1, 0], [0, 2]]
    """
    return apply(TENSOR_DIAG, (to_tensor(diagonal),))


def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor whose shape is one shape twice (`tf.linalg.tensor_diag_part`).

    Raises:
        InvalidArgumentError: the shape is not of that kind.

    >>> tensor_diag_part([[1, 2], [3, 4]]).numpy().tolist()
    [1, 4]
    """
    return apply(TENSOR_DIAG_PART, (to_tensor(input),))


def band_part(input: TensorLike, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Returns matrices with zeros outside of a band (`tf.linalg.band_part`).

    Args:
        input: a tensor of shape (..., m, n).
        num_lower: how many diagonals below the main one to keep; negative for all.
        num_upper: how many above it, likewise.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: there are not that many diagonals.

    >>> band_part([[1, 2], [3, 4]], 0, -1).numpy().tolist()
    [[1, 2], [0, 4]]
    """
    attrs = {
        "num_lower": one_number(num_lower, "num_lower"),
        "num_upper": one_number(num_upper, "num_upper"),
    }
    return apply(BAND_PART, (to_tensor(input),), attrs)


def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal (`tf.linalg.trace`).

    >>> trace([[1, 2], [3, 4]]).numpy().tolist()
    5
    """
    return reduce_sum(diag_part(x), -1)
