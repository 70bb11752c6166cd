"""Linear operators that are convolutions around the ends, known by their spectrum."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...ops.array.gathering import gather
from ...ops.array.making import zeros
from ...ops.array.shaping import expand_dims, reshape, shape, sizes_of
from ...ops.convert import to_tensor
from ...ops.debugging import assertions
from ...ops.linalg.products import matrix_transpose
from ...ops.math.complex import imag, real
from ...ops.math.elementwise import abs as absolute, cast, conj, log
from ...ops.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from ...ops.signal.fourier import fft, fft2d, fft3d, ifft, ifft2d, ifft3d
from .base import Flag, LinearOperator, arguments_of, joined_sizes, parameter
from .blocks import product
from .hints import of_commuting

_TRANSFORMS = {1: (fft, ifft), 2: (fft2d, ifft2d), 3: (fft3d, ifft3d)}


class _Circulant(LinearOperator):
    """A circulant matrix, of circulant blocks where the spectrum has several dimensions."""

    _depth: ClassVar[int] = 1

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = True, name: str | None = None,
    ) -> None:  # fmt: skip
        given = dict(locals())
        self._spectrum = parameter(spectrum, "spectrum")
        rank = self._spectrum.shape.rank
        if rank is not None and rank < self._depth:
            raise ValueError(
                f"Argument `spectrum` must have at least {self._depth} dimensions. Received: "
                f"{to_tensor(self._spectrum)}."
            )
        if is_square is False:
            raise ValueError(
                "A [[nested] block] circulant operator is always square. Expected argument "
                "`is_square` to be True. Received: False."
            )
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        super().__init__(
            as_dtype(input_output_dtype), None, is_non_singular, is_self_adjoint,
            is_positive_definite, True, name or type(self).__name__, arguments_of(given),
        )  # fmt: skip

    # -- what it is -------------------------------------------------------------------------------

    @property
    def _experimental_parameter_ndims_to_matrix_ndims(self) -> dict[str, Any]:
        return {"spectrum": self._depth}

    @property
    def spectrum(self) -> Any:
        """The eigenvalues: the transform of the convolution's kernel."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How many levels of circulant blocks there are."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of the blocks, level by level."""
        sizes: TensorShape = self._spectrum.shape
        return TensorShape([None] * self._depth) if sizes.rank is None else sizes[-self._depth :]

    def block_shape_tensor(self) -> Any:
        """The sizes of the blocks as a tensor."""
        return shape(self._spectrum)[-self._depth :]

    def _blocks(self) -> Any:
        """The sizes of the blocks: a list where they are known, else a tensor."""
        known = self.block_shape
        return known.as_list() if known.is_fully_defined() else self.block_shape_tensor()

    def _count(self) -> Any:
        """The number of rows: an int where it is known, else a tensor."""
        sizes = self._blocks()
        return int(np.prod(sizes)) if isinstance(sizes, list) else reduce_prod(sizes)

    def _shape(self) -> TensorShape:
        sizes = self._spectrum.shape
        if sizes.rank is None:
            return TensorShape(None)
        count = product(self.block_shape.as_list())
        return sizes[: -self._depth].concatenate([count, count])  # type: ignore[no-any-return]

    def _shape_tensor(self) -> Any:
        count = self._count()
        return joined_sizes(sizes_of(self._spectrum, -self._depth), count, count)

    def _complex(self) -> Any:
        spectrum = to_tensor(self._spectrum)
        wide = spectrum.dtype.size > 8 or spectrum.dtype is dtypes.float64
        return cast(spectrum, dtypes.complex128 if wide else dtypes.complex64)

    def _as_result(self, value: Any) -> Any:
        return cast(value if self.dtype.is_complex else real(value), self.dtype)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Any:
        """Returns the kernel: the inverse transform of the spectrum."""
        return self._as_result(_TRANSFORMS[self._depth][1](self._complex()))

    # -- products and solutions -------------------------------------------------------------------

    def _filtered(self, x: Any, spectrum: Any) -> Any:
        """The product with a matrix, whose columns are transformed, scaled and brought back."""
        there, back = _TRANSFORMS[self._depth]
        columns = matrix_transpose(cast(x, spectrum.dtype))
        blocks = reshape(columns, joined_sizes(sizes_of(columns, -1), self._blocks()))
        made = back(there(blocks) * expand_dims(spectrum, -self._depth - 1))
        flat = reshape(made, joined_sizes(sizes_of(made, -self._depth), self._count()))
        return self._as_result(matrix_transpose(flat))

    def _matmul(self, x: object, adjoint: bool) -> Any:
        spectrum = self._complex()
        return self._filtered(x, conj(spectrum) if adjoint else spectrum)

    def _solve(self, rhs: object, adjoint: bool) -> Any:
        spectrum = self._complex()
        return self._filtered(rhs, 1.0 / (conj(spectrum) if adjoint else spectrum))

    def _to_dense(self) -> Any:
        if not self.block_shape.is_fully_defined():
            return super()._to_dense()
        kernel = self.convolution_kernel()
        flat = reshape(kernel, joined_sizes(sizes_of(kernel, -self._depth), self._count()))
        return gather(flat, to_tensor(_places(tuple(self.block_shape.as_list()))), axis=-1)

    # -- numbers -------------------------------------------------------------------------------

    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _trace(self) -> Any:
        return self._as_result(reduce_sum(self._complex(), self._axes()))

    def _determinant(self) -> Any:
        return self._as_result(reduce_prod(self._complex(), self._axes()))

    def _log_abs_determinant(self) -> Any:
        return cast(reduce_sum(log(absolute(self._complex())), self._axes()), self.dtype)

    def _eigvals(self) -> Any:
        spectrum = to_tensor(self._spectrum)
        lead = sizes_of(spectrum, -self._depth)
        return reshape(spectrum, joined_sizes(lead, self._count()))

    def _cond(self) -> Any:
        sizes = absolute(self._complex())
        largest, smallest = reduce_max(sizes, self._axes()), reduce_min(sizes, self._axes())
        return cast(largest / smallest, self.dtype.real_dtype)

    # -- other operators ---------------------------------------------------------------------------

    def _with(self, spectrum: Any, **hints: Any) -> LinearOperator:
        return type(self)(spectrum, self.dtype, **hints)

    def _adjoint(self) -> LinearOperator:
        return self._with(conj(to_tensor(self._spectrum)), **self._said())

    def _inverse(self) -> LinearOperator:
        return self._with(1.0 / to_tensor(self._spectrum), **self._said())

    def _times(self, right: LinearOperator) -> LinearOperator:
        if isinstance(right, _Circulant) and right.block_depth == self._depth:
            spectrum = to_tensor(self._spectrum) * to_tensor(right.spectrum)
            return self._with(spectrum, **of_commuting(self, right))
        return super()._times(right)

    # -- checks ------------------------------------------------------------------------------------

    def _assert_non_singular(self) -> Any:
        text = "Singular operator:  Spectrum contained zero values."
        sizes = absolute(self._complex())
        return assertions.assert_less(zeros([], sizes.dtype), sizes, message=text)

    def _assert_positive_definite(self) -> Any:
        text = "Not positive definite:  Real part of spectrum was not all positive."
        return assertions.assert_positive(real(self._complex()), message=text)

    def _assert_self_adjoint(self) -> Any:
        text = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        part = imag(self._complex())
        return assertions.assert_equal(part, part - part, message=text)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raises InvalidArgumentError unless the kernel is real, so that products of reals are."""
        text = "Spectrum was not Hermitian"
        kernel = _TRANSFORMS[self._depth][1](self._complex())
        part = absolute(imag(kernel))
        most = 1e-5 * (1.0 + reduce_max(absolute(kernel)))
        return assertions.assert_less(part, cast(most, part.dtype) + part * 0, message=text)


def _places(sizes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Which element of the kernel stands where in the matrix: row minus column, level by level."""
    grid = np.stack(np.unravel_index(np.arange(int(np.prod(sizes))), sizes), -1)
    apart = (grid[:, None, :] - grid[None, :, :]) % np.array(sizes)
    return np.asarray(np.ravel_multi_index(tuple(np.moveaxis(apart, -1, 0)), sizes))


class LinearOperatorCirculant(_Circulant):
    """A batch of circulant matrices (`tf.linalg.LinearOperatorCirculant`).

    Args:
        spectrum: (..., n): the transform of the convolution's kernel.
        input_output_dtype: of the elements.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`; True for a real spectrum.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:  # fmt: skip
        super().__init__(
            spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name,
        )  # fmt: skip


class LinearOperatorCirculant2D(_Circulant):
    """A batch of circulant matrices of circulant blocks (`tf.linalg.LinearOperatorCirculant2D`).

    Args:
        spectrum: (..., n, m): the transform of the convolution's kernel.
        input_output_dtype: of the elements.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`; True for a real spectrum.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    _depth = 2

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:  # fmt: skip
        super().__init__(
            spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name,
        )  # fmt: skip


class LinearOperatorCirculant3D(_Circulant):
    """Circulant matrices of circulant blocks of such (`tf.linalg.LinearOperatorCirculant3D`).

    Args:
        spectrum: (..., n, m, k): the transform of the convolution's kernel.
        input_output_dtype: of the elements.
        is_non_singular: see `LinearOperator`.
        is_self_adjoint: see `LinearOperator`; True for a real spectrum.
        is_positive_definite: see `LinearOperator`.
        is_square: True.
        name: its name.
    """

    _depth = 3

    def __init__(
        self, spectrum: TensorLike, input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: Flag = None, is_self_adjoint: Flag = None,
        is_positive_definite: Flag = None, is_square: Flag = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:  # fmt: skip
        super().__init__(
            spectrum, input_output_dtype, is_non_singular, is_self_adjoint, is_positive_definite,
            is_square, name,
        )  # fmt: skip
