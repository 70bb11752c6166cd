"""TF 1's mixed precision: an optimizer around another that scales losses
(`tf.compat.v1.mixed_precision`).

TensorFlow also computes parts of the graph in float16 then, on GPUs that are fast at it. Here all
stays in the dtypes that the program says: the same steps, more precisely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..base.typing import TensorLike
from ..core.settings import set_experimental_options
from ..core.tensor import Tensor
from ..distribute.replicas.contexts import in_cross_replica_context
from ..distribute.replicas.replica_context import get_replica_context
from ..distribute.strategies.strategy import Strategy
from ..graph.control_flow.branches import smart_cond
from ..graph.recording.grouping import group
from ..graph.recording.scopes import control_dependencies
from ..ops.math.elementwise import cast
from ..ops.variables.indexed_slices import IndexedSlices
from .loss_scales import DynamicLossScale, LossScale, loss_scale_of
from .optimizer import Optimizer


class MixedPrecisionLossScaleOptimizer(Optimizer):
    """Takes the steps of another optimizer along gradients of a scaled loss, without the scale
    (`tf.compat.v1.mixed_precision.MixedPrecisionLossScaleOptimizer`). Where the scale is dynamic,
    a step with gradients that are not finite is left out, and `global_step` does not count it.

    Args:
        opt: the optimizer.
        loss_scale: a LossScale, a number, or "dynamic".

    Raises:
        ValueError: `opt` is no optimizer of TF 1; or there is no loss scale.
    """

    def __init__(self, opt: Optimizer, loss_scale: LossScale | float | str | None) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        super().__init__(False, opt.get_name())
        scale = loss_scale_of(loss_scale)
        if scale is None:
            raise ValueError("loss_scale cannot be None")
        self._optimizer = opt
        self._loss_scale: LossScale = scale

    def compute_gradients(
        self,
        loss: Any,
        var_list: Iterable[Any] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: TensorLike | None = None,
    ) -> list[tuple[Any, Any]]:
        """Returns (gradient, variable) pairs, without the scale.

        Args:
            loss: a tensor of a graph, or a function that returns one.
            var_list: the variables; see `Optimizer.compute_gradients`.
            gate_gradients: not needed.
            aggregation_method: not used.
            colocate_gradients_with_ops: see `tf.gradients`.
            grad_loss: the gradient of the loss itself; ones if None.
        """
        scale = self._loss_scale()

        def scaled(value: Tensor) -> Any:
            return value * cast(scale, value.dtype)

        pairs = self._optimizer.compute_gradients(
            (lambda: scaled(loss())) if callable(loss) else scaled(loss), var_list, gate_gradients,
            aggregation_method, colocate_gradients_with_ops, grad_loss,
        )  # fmt: skip
        factor = 1.0 / self._loss_scale()
        return [(_times(grad, factor), variable) for grad, variable in pairs]

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Any],
        global_step: TensorLike | None = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Takes a step, unless the scale is dynamic and a gradient is not finite.

        Args:
            grads_and_vars: what `compute_gradients` returned, changed or not.
            global_step: a variable that is then one larger, if the step is taken.
            name: the name of the operation.
            skip_gradients_aggregation: not used.

        Raises:
            ValueError: in a strategy's scope, outside of its replicas.
        """
        if in_cross_replica_context():
            raise ValueError("apply_gradients() must be called in a replica context.")
        pairs = tuple(grads_and_vars)
        if not isinstance(self._loss_scale, DynamicLossScale):
            return self._optimizer.apply_gradients(pairs, global_step, name)
        replica: Any = get_replica_context()
        return replica.merge_call(self._distributed_apply, (pairs, global_step, name))

    def _distributed_apply(
        self,
        strategy: Strategy,
        useful: Any,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """The same for all replicas."""
        name = name or self.get_name()
        # Outside of the branch: what is made there ends with it.
        with control_dependencies(None):
            self._optimizer._create_slots([each for grad, each in useful if grad is not None])
        adapted, is_taken = self._loss_scale.update([grad for grad, _ in useful])

        def take() -> Any:
            steps = strategy.extended.call_for_each_replica(
                self._optimizer.apply_gradients, args=(useful, global_step, f"{name}-wrapped")
            )
            return strategy.group(steps)

        taken = smart_cond(is_taken, take, group)
        return group(*[each for each in (taken, adapted) if each is not None], name=name)

    def variables(self) -> list[Any]:
        """The variables of the optimizer and of the scale."""
        return [*self._optimizer.variables(), *self._loss_scale.weights()]

    def own_variables(self) -> dict[str, Any]:
        """What checkpoints hold: the optimizer and the scale."""
        return {"base_optimizer": self._optimizer, "loss_scale": self._loss_scale}


def _times(grad: IndexedSlices | Tensor | None, factor: Tensor) -> Any:
    if grad is None:
        return None
    factor = cast(factor, grad.dtype)
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(grad.values * factor, grad.indices, grad.dense_shape)
    return grad * factor


#: Classes of optimizers: what wraps one of them, and the class of what that gives.
_WRAPPERS: dict[type, tuple[Callable[..., Any], type]] = {
    Optimizer: (MixedPrecisionLossScaleOptimizer, MixedPrecisionLossScaleOptimizer)
}


def register_loss_scale_wrapper(
    optimizer_cls: type, wrapper_fn: type | Callable[..., Any], wrapper_cls: type | None = None
) -> None:
    """Tells `enable_mixed_precision_graph_rewrite` of another kind of optimizers
    (`tf.__internal__.mixed_precision.register_loss_scale_wrapper`).

    Args:
        optimizer_cls: their class.
        wrapper_fn: takes one of them and a loss scale, and returns an optimizer around it.
        wrapper_cls: the class of that; `wrapper_fn` itself if None.

    Raises:
        TypeError: neither is a class.
    """
    kind = wrapper_cls or wrapper_fn
    if not isinstance(kind, type):
        raise TypeError(f"wrapper_cls must be a class, got {kind}")
    _WRAPPERS[optimizer_cls] = wrapper_fn, kind


def enable_mixed_precision_graph_rewrite(
    opt: object, loss_scale: LossScale | float | str = "dynamic"
) -> Any:
    """Returns an optimizer that scales losses, around another one
    (`tf.compat.v1.mixed_precision.enable_mixed_precision_graph_rewrite`). What the program
    computes stays in its own dtypes.

    Args:
        opt: an optimizer of TF 1, or of Keras 2.
        loss_scale: a LossScale, a number, or "dynamic".

    Raises:
        ValueError: `opt` is something else, or has been wrapped before.
    """
    for _, kind in _WRAPPERS.values():
        if isinstance(opt, kind):
            raise ValueError(
                f'"opt" must not already be an instance of a {kind.__name__}. '
                "`enable_mixed_precision_graph_rewrite` will automatically wrap the optimizer "
                f"with a {kind.__name__}."
            )
    for kind, (wrap, _) in _WRAPPERS.items():
        if isinstance(opt, kind):
            wrapped = wrap(opt, loss_scale)
            _switch(True)
            return wrapped
    raise ValueError(
        '"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, '
        f"but got: {opt}"
    )


def disable_mixed_precision_graph_rewrite() -> None:
    """Says that no mixed precision is asked for
    (`tf.compat.v1.mixed_precision.disable_mixed_precision_graph_rewrite`)."""
    _switch(False)


def is_mixed_precision_graph_rewrite_enabled() -> bool:
    """Whether it is (`tf.__internal__.train.is_mixed_precision_graph_rewrite_enabled`)."""
    return _ENABLED[0]


def _switch(is_on: bool) -> None:
    _ENABLED[0] = is_on
    set_experimental_options({"auto_mixed_precision": is_on})


_ENABLED = [False]
