"""ForwardAccumulator: how results change when inputs change along a direction.

It is a tape that is gone through backwards twice. The gradients of the inputs are a linear function
of the gradient of the result; what that function is multiplied by is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..base import nest
from ..core.context import LOCAL
from ..ops.array.making import zeros_like
from ..ops.convert import to_tensor
from ..ops.math.reduction import add_n, reduce_sum
from .tape import GradientTape, UnconnectedGradients


class ForwardAccumulator:
    """Jacobian-vector products (`tf.autodiff.ForwardAccumulator`).

    Args:
        primals: the inputs: a tensor or a variable, or a nest of them.
        tangents: their directions, tensors of the same structure.

    Raises:
        ValueError, TypeError: the structures differ.

    >>> import emplace.tensorflow as tf
    >>> x = tf.constant([1.0, 2.0])
    >>> with ForwardAccumulator(x, tf.constant([1.0, 0.0])) as accumulator:
    ...     y = tf.reduce_sum(x ** 3)
    >>> float(accumulator.jvp(y))
    3.0
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        nest.assert_same_structure(primals, tangents)
        self._primals = nest.flatten(primals)
        if len({id(each) for each in self._primals}) < len(self._primals):
            raise ValueError(
                "A tensor was specified as a primal multiple times. This may indicate an error. If "
                "it was intended, please sum the corresponding tangents."
            )
        self._tangents = [to_tensor(each) for each in nest.flatten(tangents)]
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        self._recording = False
        self._around: tuple[Any, ...] = ()

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        self._recording = True
        self._around = LOCAL.state.tapes
        self._tape.__enter__()
        self._tape.watch(self._primals)
        return self

    def __exit__(self, *exc: object) -> None:
        self._recording = False
        self._tape.__exit__(*exc)

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """How results change along the directions.

        Args:
            primals: results: a tensor or a nest of them.
            unconnected_gradients: what results get that depend on no input: None or zeros.

        Returns:
            In the structure of `primals` tensors like them, or None.
        """
        wants_zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        with self._seen_from_around():
            return nest.map_structure(lambda y: self._along(y, wants_zeros), primals)

    @contextmanager
    def _seen_from_around(self) -> Iterator[None]:
        """The tapes and accumulators that were around this one see how results change, even if they
        have ended since: in TensorFlow that is known as soon as a result is.
        """
        state = LOCAL.state
        tapes = state.tapes
        others = [each for each in tapes if each is not self._tape and each not in self._around]
        state.tapes = (*self._around, *others)
        try:
            yield
        finally:
            state.tapes = tapes

    def _along(self, result: Any, wants_zeros: bool) -> Any:
        weights = zeros_like(to_tensor(result))
        with GradientTape() as tape:
            tape.watch(weights)
            grads = self._tape.gradient(result, self._primals, output_gradients=weights)
            parts = [
                reduce_sum(to_tensor(grad) * tangent)
                for grad, tangent in zip(grads, self._tangents, strict=True)
                if grad is not None
            ]
            total = add_n(parts) if parts else None
        if total is None:
            return zeros_like(to_tensor(result)) if wants_zeros else None
        return tape.gradient(total, weights, unconnected_gradients=UnconnectedGradients.ZERO)
