"""What the optimizers of the library share: a step is one method, for gradients of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base.typing import DTypeLike, TensorLike
from ..core.tensor import Tensor
from ..eager.variable import Variable
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast
from ..ops.op import Op, apply
from ..ops.variables.indexed_slices import IndexedSlices
from .optimizer import Optimizer, as_scalar, summed


class BuiltIn(Optimizer):
    """An optimizer of the library. Subclasses of programs find what TensorFlow's have: methods for
    tensors and for rows, and hyperparameters by TensorFlow's names, as they were given and, once
    a step is prepared, as tensors.
    """

    HYPER: tuple[str, ...] = ()  # names of hyperparameters
    TENSORS: tuple[str, ...] = ()  # and of their tensors

    @property
    def _hyper(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.HYPER)

    def _prepare(self) -> None:
        if type(self).__module__.startswith(__package__ or ""):
            return  # nobody asks for the tensors
        for name, number in zip(self.TENSORS, self._hyper, strict=True):
            setattr(self, name, as_scalar(self._said(number)))

    def _stepped(self, grad: Any, variable: Any) -> Any:
        """Changes a variable along a tensor or along rows, of which some may be the same."""
        raise NotImplementedError

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        return self._stepped(grad, handle)

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        return self._stepped(grad, var)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: TensorLike
    ) -> Any:
        return self._stepped(IndexedSlices(grad, indices), handle)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: TensorLike) -> Any:
        return self._stepped(IndexedSlices(grad, indices), handle)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        return self._stepped(grad, var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        return self._stepped(grad, var)

    def _step(
        self, ops: tuple[Op, Op | None], grad: TensorLike, variable: Variable, slots: Sequence[str],
        numbers: Sequence[Any], attrs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """Applies the op that takes a step: the dense one, or that for rows."""
        handles = [variable.handle, *[self.get_slot(variable, name).handle for name in slots]]
        scalars = [self._scalar(number, variable.dtype) for number in numbers]
        dense, sparse = ops
        if isinstance(grad, IndexedSlices):
            if sparse is not None:
                values, indices = summed(grad)
                return apply(sparse, (*handles, *scalars, values, indices), attrs)
            grad = IndexedSlices(grad.values, grad.indices, variable.shape.as_list())
        return apply(dense, (*handles, *scalars, to_tensor(grad)), attrs)

    def _scalar(self, number: object, dtype: DTypeLike) -> Tensor:
        """A hyperparameter, which may be a function, as a scalar of a variable's dtype."""
        tensor = as_scalar(self._said(number))
        return tensor if tensor.dtype is dtype else cast(tensor, dtype)

    def _said(self, number: Any) -> Any:
        """A hyperparameter; what a function said is kept during a step."""
        if not callable(number) or isinstance(number, Variable):
            return number
        if id(number) not in self._called:
            self._called[id(number)] = number()
        return self._called[id(number)]
