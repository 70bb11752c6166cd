"""Accumulators of gradients as programs hold them: `tf.compat.v1.ConditionalAccumulator`."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, IntLike, TensorLike
from ...core.context import LOCAL, DeviceScope
from ...core.tensor import Tensor
from ..convert import to_tensor
from ..math.elementwise import cast
from ..op import Op, apply
from ..variables.indexed_slices import IndexedSlices
from .accumulator_ops import (
    APPLY,
    APPLY_SPARSE,
    COUNT,
    DENSE,
    SET_STEP,
    SPARSE,
    TAKE,
    TAKE_SPARSE,
)


class ConditionalAccumulatorBase:
    """What all accumulators have in common (`tf.compat.v1.ConditionalAccumulatorBase`).

    Args:
        dtype: the type of gradients: float16, float32 or float64.
        shape: what is known of their shape.
        accumulator_ref: the resource.
    """

    def __init__(self, dtype: DTypeLike, shape: Any, accumulator_ref: Any) -> None:
        self._dtype = as_dtype(dtype)
        self._shape = TensorShape(None) if shape is None else TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        node = getattr(accumulator_ref, "op", None)
        self._name = "" if node is None else str(node.name).split("/")[-1]

    @property
    def accumulator_ref(self) -> Any:
        """The resource that is the accumulator."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of its operation; "" in eager mode."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Any:
        """How many gradients are in it, as an int32 scalar."""
        name = name or f"{self._name}_NumAccumulated"
        return apply(COUNT, (self._accumulator_ref,))

    def set_global_step(self, new_global_step: IntLike, name: str | None = None) -> Any:
        """Lets gradients of earlier time steps be dropped.

        Args:
            new_global_step: the first time step whose gradients count.
            name: a name in graphs.
        """
        step = cast(new_global_step, dtypes.int64)
        return apply(SET_STEP, (self._accumulator_ref, step))


def _made(
    record: Op, dtype: DTypeLike, shape: Any, shared_name: str | None, reduction_type: str,
    name: str,
) -> Any:  # fmt: skip
    """An accumulator's handle; accumulators are on the host, whatever the device scope.

    Raises:
        ValueError: it would be neither a sum nor a mean.
    """
    if reduction_type not in ("MEAN", "SUM"):
        raise ValueError(
            f"Attr 'reduction_type' of '{record.name}' Op passed string '{reduction_type}' not in: "
            '"MEAN", "SUM".'
        )
    attrs = {
        "dtype": as_dtype(dtype), "shape": TensorShape(shape), "shared_name": shared_name or "",
        "reduction_type": reduction_type,
    }  # fmt: skip
    with DeviceScope("/device:CPU:0"):
        return apply(record, (), attrs)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds gradients up until enough have come, and drops late ones
    (`tf.compat.v1.ConditionalAccumulator`).

    Args:
        dtype: the type of gradients: float16, float32 or float64.
        shape: what is known of their shape; None for nothing.
        shared_name: the name under which sessions share it.
        name: a name in graphs.
        reduction_type: "MEAN" or "SUM", what `take_grad` returns.

    Raises:
        ValueError: `reduction_type` is something else.

    >>> sums = ConditionalAccumulator(dtypes.float32, shape=[])
    >>> for gradient in (2.0, 4.0):
    ...     sums.apply_grad(gradient)
    >>> float(sums.take_grad(num_required=2))
    3.0
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        handle = _made(DENSE, dtype, shape, shared_name, reduction_type, name)
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad: TensorLike, local_step: IntLike = 0, name: str | None = None) -> Any:
        """Adds a gradient, unless its time step is before the accumulator's.

        Args:
            grad: the gradient.
            local_step: its time step.
            name: a name in graphs.

        Raises:
            ValueError: it has another dtype or shape.
            InvalidArgumentError: it has another shape than the gradients before it.
        """
        grad = to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        step = cast(local_step, dtypes.int64)
        return apply(APPLY, (self._accumulator_ref, step, grad))

    def take_grad(self, num_required: IntLike, name: str | None = None) -> Tensor:
        """The mean or the sum of the gradients, once there are enough of them.

        It is empty afterwards, and its time step one more.

        Args:
            num_required: how many must have come.
            name: a name in graphs.

        Raises:
            InvalidArgumentError: `num_required` is not above 0.
        """
        count = to_tensor(num_required, dtypes.int32)
        taken: Any = apply(TAKE, (self._accumulator_ref, count), {"dtype": self._dtype})
        taken.set_shape(self._shape)
        return taken  # type: ignore[no-any-return]


class SparseAccumulatorTakeGradient(NamedTuple):
    """Rows that were taken out of an accumulator: which they are, and what shape the whole has."""

    indices: Any
    values: Any
    shape: Any


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds rows of gradients up until enough gradients have come, and drops late ones
    (`tf.compat.v1.SparseConditionalAccumulator`).

    A mean is that of each row over the gradients that have it.

    Args:
        dtype: the type of gradients: float16, float32 or float64.
        shape: what is known of the shape of the whole gradient; None for nothing.
        shared_name: the name under which sessions share it.
        name: a name in graphs.
        reduction_type: "MEAN" or "SUM", what `take_grad` returns.

    Raises:
        ValueError: `reduction_type` is something else.
        RuntimeError: in eager mode, as in TensorFlow.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: Any = None,
        shared_name: str | None = None,
        name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        if LOCAL.state.target.is_eager:
            raise RuntimeError(
                "sparse_conditional_accumulator op does not support eager execution. Arg 'handle' "
                "is a ref."
            )
        handle = _made(SPARSE, dtype, shape, shared_name, reduction_type, name)
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(
        self, grad: IndexedSlices, local_step: IntLike = 0, name: str | None = None
    ) -> Any:
        """Adds rows, unless their time step is before the accumulator's; see `apply_grad`."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self, grad_indices: TensorLike, grad_values: TensorLike, grad_shape: Any = None,
        local_step: IntLike = 0, name: str | None = None,
    ) -> Any:  # fmt: skip
        """Adds rows, unless their time step is before the accumulator's.

        Args:
            grad_indices: which rows of the whole gradient they are, a vector.
            grad_values: the rows.
            grad_shape: the shape of the whole; None if it is not known.
            local_step: their time step.
            name: a name in graphs.

        Raises:
            InvalidArgumentError: they have another shape than the accumulator or the rows before.
        """
        inputs = (
            self._accumulator_ref, cast(local_step, dtypes.int64),
            cast(grad_indices, dtypes.int64), to_tensor(grad_values, self._dtype),
            cast([] if grad_shape is None else grad_shape, dtypes.int64),
        )  # fmt: skip
        return apply(APPLY_SPARSE, inputs, {"has_known_shape": grad_shape is not None})

    def take_grad(
        self, num_required: IntLike, name: str | None = None
    ) -> SparseAccumulatorTakeGradient:
        """The mean or the sum of the rows, once there are enough gradients.

        It is empty afterwards, and its time step one more.

        Args:
            num_required: how many gradients must have come.
            name: a name in graphs.

        Returns:
            A named tuple of `indices`, `values` and `shape`.

        Raises:
            InvalidArgumentError: `num_required` is not above 0.
        """
        count = to_tensor(num_required, dtypes.int32)
        taken = apply(TAKE_SPARSE, (self._accumulator_ref, count), {"dtype": self._dtype})
        return SparseAccumulatorTakeGradient(*taken)

    def take_indexed_slices_grad(
        self, num_required: IntLike, name: str | None = None
    ) -> IndexedSlices:
        """The same as `IndexedSlices`; see `take_grad`."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(taken.values, taken.indices, taken.shape)
