"""Fourier transforms. Cosine transforms are in `cosine.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..arguments import is_symbolic, static_ints
from ..array.making import range_
from ..array.shaping import rank as rank_of, shape as shape_of
from ..convert import by_default, to_tensor
from ..infer import Spec, shape_only
from ..math.elementwise import maximum
from ..op import Op, apply, op

_REAL_OF = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}
_COMPLEX_OF = {real: complex_ for complex_, real in _REAL_OF.items()}
_NAMES = {1: "", 2: "2D", 3: "3D"}


def _check_rank(dims: Sequence[int | None], axes: int) -> None:
    if len(dims) < axes:
        raise invalid_argument(
            f"Input must have rank of at least {axes} but got: {runtime_text(tuple(dims))}"
        )


def _transform(axes: int, inverse: bool) -> Op:
    """FFT, FFT2D, FFT3D and their inverses."""
    compute = torch.fft.ifftn if inverse else torch.fft.fftn
    over = tuple(range(-axes, 0))

    def kernel(input: torch.Tensor) -> Any:
        if input.numel() == 0 or input.ndim < axes:
            _check_rank(input.shape, axes)
            return torch.empty_like(input)
        return compute(input, dim=over)

    def spec(input: Spec) -> Spec:
        _check_rank(input.dims or (), axes)
        return input

    kernel.__doc__ = spec.__doc__ = f"Over the last {axes} axes."
    name = f"{'I' if inverse else ''}FFT{_NAMES[axes]}"
    return op(name, "input: T -> output: T", kernel, spec, T=dtypes.COMPLEX)


def _check_lengths(lengths: Sequence[int], axes: int) -> None:
    if len(lengths) != axes:
        raise invalid_argument(f"fft_length must have shape [{axes}]")
    for i, length in enumerate(lengths):
        if length < 0:
            raise invalid_argument(f"fft_length[{i}] must >= 0, but got: {length}")


def _real_transform(axes: int) -> Op:
    """RFFT, RFFT2D, RFFT3D: of real numbers, the first half of the last axis only."""
    over = tuple(range(-axes, 0))

    def spec(
        input: Spec,
        *,
        fft_length: tuple[int, ...],
        Tcomplex: DType,  # noqa: N803
    ) -> Spec:
        dims = infer.known_dims(input)
        _check_rank(dims, axes)
        _check_lengths(fft_length, axes)
        last = fft_length[-1] // 2 + 1 if fft_length[-1] else 0
        return Spec((*dims[:-axes], *fft_length[:-1], last), Tcomplex)

    def kernel(
        input: torch.Tensor,
        *,
        fft_length: tuple[int, ...],
        Tcomplex: DType,  # noqa: N803
    ) -> Any:
        output_spec = spec(shape_only(input), fft_length=fft_length,
                    Tcomplex=Tcomplex)  # fmt: skip
        if 0 in (output_spec.dims or ()):
            return torch.empty(
                infer.known_dims(output_spec), dtype=Tcomplex.torch, device=input.device
            )
        return torch.fft.rfftn(input, fft_length, dim=over).to(Tcomplex.torch)

    kernel.__doc__ = spec.__doc__ = f"Over the last {axes} axes, cut or padded to a length."
    signature = "input: Treal, fft_length: host -> output: Tcomplex"
    return op(f"RFFT{_NAMES[axes]}", signature, kernel, spec, Treal=dtypes.WIDE)


def _real_inverse(axes: int) -> Op:
    """IRFFT, IRFFT2D, IRFFT3D: the inverses of those."""
    over = tuple(range(-axes, 0))

    def spec(input: Spec, *, fft_length: tuple[int, ...], Treal: DType) -> Spec:  # noqa: N803
        dims = infer.known_dims(input)
        _check_rank(dims, axes)
        _check_lengths(fft_length, axes)
        return Spec((*dims[:-axes], *fft_length), Treal)

    def kernel(
        input: torch.Tensor,
        *,
        fft_length: tuple[int, ...],
        Treal: DType,  # noqa: N803
    ) -> Any:
        made = spec(shape_only(input), fft_length=fft_length, Treal=Treal)
        if 0 in (made.dims or ()):
            return torch.empty(infer.known_dims(made), dtype=Treal.torch, device=input.device)
        return torch.fft.irfftn(input, fft_length, dim=over).to(Treal.torch)

    kernel.__doc__ = spec.__doc__ = f"Over the last {axes} axes, cut or padded to a length."
    signature = "input: Tcomplex, fft_length: host -> output: Treal"
    return op(f"IRFFT{_NAMES[axes]}", signature, kernel, spec, Tcomplex=dtypes.COMPLEX)


FFT = {axes: _transform(axes, inverse=False) for axes in _NAMES}
IFFT = {axes: _transform(axes, inverse=True) for axes in _NAMES}
RFFT = {axes: _real_transform(axes) for axes in _NAMES}
IRFFT = {axes: _real_inverse(axes) for axes in _NAMES}


def _nd(name: str, compute: Callable[..., Any], gives: str) -> Op:
    """FFTND and its relatives: over any axes."""

    def kernel(
        input: torch.Tensor, *, fft_length: tuple[int, ...], axes: tuple[int, ...], norm: Any
    ) -> Any:
        return compute(input, fft_length, axes, norm)

    kernel.__doc__ = "Over any axes, cut or padded to a length."
    takes = dtypes.WIDE if name == "RFFTND" else dtypes.COMPLEX
    signature = f"input: Tin, fft_length: host, axes: host -> output: {gives}"
    return op(name, signature, kernel, infer.by_kernel(kernel), Tin=takes)


FFTND = _nd("FFTND", torch.fft.fftn, "Tin")
IFFTND = _nd("IFFTND", torch.fft.ifftn, "Tin")
RFFTND = _nd("RFFTND", torch.fft.rfftn, "Tcomplex")
IRFFTND = _nd("IRFFTND", torch.fft.irfftn, "Treal")


def _complex(input: TensorLike) -> Tensor:
    return to_tensor(input, hint=dtypes.complex64)


def _complex_by_default(input: TensorLike) -> Tensor:
    """The same for ops that have no Python function around them in TensorFlow."""
    return by_default(input, dtypes.COMPLEX, dtypes.complex64)


def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last axis (`tf.signal.fft`).

    Args:
        input: complex numbers of rank 1 or more.
        name: a name in graphs.

    Returns:
        A tensor like `input`.

    >>> fft([1.0, 2.0]).numpy().real.tolist()
    [3.0, -1.0]
    """
    return apply(FFT[1], (_complex_by_default(input),))


def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `fft` (`tf.signal.ifft`)."""
    return apply(IFFT[1], (_complex_by_default(input),))


def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last two axes (`tf.signal.fft2d`)."""
    return apply(FFT[2], (_complex_by_default(input),))


def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `fft2d` (`tf.signal.ifft2d`)."""
    return apply(IFFT[2], (_complex_by_default(input),))


def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last three axes (`tf.signal.fft3d`)."""
    return apply(FFT[3], (_complex_by_default(input),))


def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `fft3d` (`tf.signal.ifft3d`)."""
    return apply(IFFT[3], (_complex_by_default(input),))


def _of_real(axes: int, input: TensorLike, fft_length: TensorLike | None) -> Tensor:
    input = _with_type(input, dtypes.float32, dtypes.WIDE, "RFFT requires tf.float32 or tf.float64")
    lengths = _lengths(input, fft_length, axes)
    attrs = {"fft_length": lengths, "Tcomplex": _COMPLEX_OF[input.dtype]}
    return apply(RFFT[axes], (input,), attrs)


def _with_type(input: TensorLike, hint: DType, allowed: Sequence[DType], what: str) -> Tensor:
    input = to_tensor(input, hint=hint)
    if input.dtype not in allowed:
        raise ValueError(f"{what} inputs, got: {input}")
    return input


def _lengths(input: Tensor, fft_length: TensorLike | None, axes: int) -> tuple[int, ...]:
    if fft_length is not None:
        return static_ints(fft_length, "fft_length")
    dims = input.shape.sizes
    if dims is not None and len(dims) < axes:
        raise ValueError(f"Shape {input.shape} must have rank at least {axes}")
    if dims is None or None in dims[-axes:]:
        return static_ints(shape_of(input)[-axes:], "fft_length")
    return dims[-axes:]  # type: ignore[return-value]


def _to_real(axes: int, input: TensorLike, fft_length: TensorLike | None) -> Tensor:
    needed = "IRFFT requires tf.complex64 or tf.complex128"
    input = _with_type(input, dtypes.complex64, dtypes.COMPLEX, needed)
    lengths = _lengths(input, fft_length, axes)
    if fft_length is None:
        if input.shape.rank is None:  # TF: in these words
            raise ValueError("Cannot infer argument `num` from shape (None,)")
        known = input.shape[-1]
        half = shape_of(input)[-1] if known is None else known
        whole = maximum(0, 2 * (half - 1)) if is_symbolic(half) else max(0, 2 * (half - 1))
        lengths = (*lengths[:-1], *static_ints([whole], "fft_length"))
    attrs = {"fft_length": lengths, "Treal": _REAL_OF[input.dtype]}
    return apply(IRFFT[axes], (input,), attrs)


def rfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The Fourier transform of real numbers over the last axis (`tf.signal.rfft`).

    Args:
        input_tensor: float32 or float64 numbers of rank 1 or more.
        fft_length: a list with the length to which the axis is cut or padded, its own by default.
        name: a name in graphs.

    Returns:
        The first fft_length // 2 + 1 complex numbers; the others mirror them.

    Raises:
        ValueError: other dtypes, or too few axes.

    >>> rfft([1.0, 2.0, 3.0]).shape
    TensorShape([2])
    """
    return _of_real(1, input_tensor, fft_length)


def rfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The Fourier transform of real numbers over the last two axes (`tf.signal.rfft2d`)."""
    return _of_real(2, input_tensor, fft_length)


def rfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The Fourier transform of real numbers over the last three axes (`tf.signal.rfft3d`)."""
    return _of_real(3, input_tensor, fft_length)


def irfft(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfft` (`tf.signal.irfft`).

    Args:
        input_tensor: what `rfft` returns.
        fft_length: a list with the number of results, an even one by default.
        name: a name in graphs.
    """
    return _to_real(1, input_tensor, fft_length)


def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfft2d` (`tf.signal.irfft2d`)."""
    return _to_real(2, input_tensor, fft_length)


def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `rfft3d` (`tf.signal.irfft3d`)."""
    return _to_real(3, input_tensor, fft_length)


def _over_axes(
    record: Op, input: Tensor, fft_length: Tensor, axes: Axis | None, norm: object
) -> Tensor:
    rank = input.ndim
    count = rank if fft_length is None else len(static_ints(fft_length, "fft_length"))
    over = tuple(range(rank - count, rank)) if axes is None else static_ints(axes, "axes")
    sizes = input.shape.as_list()
    if not all(-rank <= axis < rank for axis in over) or len({a % rank for a in over}) < len(over):
        raise ValueError(f"axes {over} are out of range or named twice for rank {rank}.")
    if fft_length is not None:
        lengths = static_ints(fft_length, "fft_length")
    else:
        lengths = tuple(sizes[axis] for axis in over)
        if record is IRFFTND:
            lengths = (*lengths[:-1], max(0, 2 * (lengths[-1] - 1)))
    if len(lengths) != len(over):
        raise ValueError(f"fft_length {lengths} and axes {over} must have the same length.")
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"Unknown norm {norm!r}: use None, 'backward', 'ortho' or 'forward'.")
    return apply(record, (input,), {"fft_length": lengths, "axes": over, "norm": norm})


def fftnd(
    input_tensor: Any, fft_length: Any = None, axes: Axis | None = None, norm: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the discrete Fourier transform over any axes (`tf.signal.fftnd`).

    Args:
        input_tensor: complex numbers.
        fft_length: the length to which each axis is cut or padded, its own by default.
        axes: the axes, by default the last ones.
        norm: None, "backward", "ortho" or "forward": which direction is divided by the length.
        name: a name in graphs.

    Raises:
        ValueError: axes, lengths or norm do not fit.
    """
    return _over_axes(FFTND, _complex(input_tensor), fft_length, axes, norm)


def ifftnd(
    input_tensor: Any, fft_length: Any = None, axes: Axis | None = None, norm: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the inverse of `fftnd` (`tf.signal.ifftnd`).

    Args:
        input_tensor: the tensor.
        fft_length: the sizes of the transformed axes, which are cut or padded with zeros; their
            own for None.
        axes: the axes that are transformed; the last ones for None.
        norm: None, "backward", "ortho" or "forward": which direction is divided by the length.
        name: a name in graphs.
    """
    return _over_axes(IFFTND, _complex(input_tensor), fft_length, axes, norm)


def rfftnd(
    input_tensor: TensorLike, fft_length: Any = None, axes: Axis | None = None, norm: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the Fourier transform of real numbers over any axes (`tf.signal.rfftnd`).

    Args:
        input_tensor: the tensor.
        fft_length: the sizes of the transformed axes, which are cut or padded with zeros; their
            own for None.
        axes: the axes that are transformed; the last ones for None.
        norm: None, "backward", "ortho" or "forward": which direction is divided by the length.
        name: a name in graphs.
    """
    input = to_tensor(input_tensor, hint=dtypes.float32)
    return _over_axes(RFFTND, input, fft_length, axes, norm)


def irfftnd(
    input_tensor: Any, fft_length: Any = None, axes: Axis | None = None, norm: Any = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns the inverse of `rfftnd` (`tf.signal.irfftnd`).

    Args:
        input_tensor: the tensor.
        fft_length: the sizes of the transformed axes, which are cut or padded with zeros; their
            own for None.
        axes: the axes that are transformed; the last ones for None.
        norm: None, "backward", "ortho" or "forward": which direction is divided by the length.
        name: a name in graphs.
    """
    return _over_axes(IRFFTND, _complex(input_tensor), fft_length, axes, norm)


def shift_kernel(x: torch.Tensor, *, axes: tuple[int, ...], inverse: bool) -> Any:
    """The first half of each axis swapped with the second."""
    return (torch.fft.ifftshift if inverse else torch.fft.fftshift)(x, axes)


def _shift_spec(x: Spec, *, axes: tuple[int, ...], inverse: bool) -> Spec:
    rank = len(x.dims or ())
    wrong = next((axis for axis in axes if not -rank <= axis < rank), None)
    if wrong is not None:
        raise invalid_argument(f"axis {wrong} is out of range for {rank} dimension(s)")
    return x


SHIFT = op("_FftShift", "x: T -> y: T", shift_kernel, _shift_spec, T=dtypes.ANY_FIXED)


def _shifted(x: TensorLike, axes: Axis | None, inverse: bool) -> Tensor:
    x = to_tensor(x)
    rank = x.shape.rank
    if axes is None:
        axes = range_(rank_of(x)) if rank is None else tuple(range(rank))
    over = static_ints(axes, "axes")
    return apply(SHIFT, (x,), {"axes": over, "inverse": inverse})


def fftshift(x: TensorLike, axes: Axis | None = None, name: str | None = None) -> Tensor:
    """The number for frequency zero moved to the middle (`tf.signal.fftshift`).

    >>> fftshift([1, 2, 3, 4, 5]).numpy().tolist()
    [4, 5, 1, 2, 3]
    """
    return _shifted(x, axes, inverse=False)


def ifftshift(x: TensorLike, axes: Axis | None = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift` (`tf.signal.ifftshift`)."""
    return _shifted(x, axes, inverse=True)
