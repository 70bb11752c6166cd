"""Steps that several workers take together (`tf.compat.v1.train.SyncReplicasOptimizer`).

Each worker puts its gradients into accumulators and waits for a token. The chief's queue runner
takes their mean once enough are there, changes the variables and hands tokens out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.errors import CancelledError, OutOfRangeError
from ...core.context import device
from ...eager.variable import Variable
from ...graph.recording.grouping import group, no_op
from ...graph.recording.scopes import control_dependencies
from ...graph.recording.variable import GraphVariable
from ...graph.session.session import BaseSession
from ...ops.array.making import fill
from ...ops.data_flow.accumulator_classes import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from ...ops.data_flow.queue_classes import FIFOQueue
from ...ops.variables.indexed_slices import IndexedSlices
from ...state.coordinator import Coordinator
from ...training.averages import ExponentialMovingAverage
from ...training.optimizer import Optimizer
from ..pipelines.queue_runner import QueueRunner
from ..scopes import messages as logging
from ..scopes.collections import GraphKeys, global_variables
from ..scopes.name_scopes import name_scope_v1
from ..scopes.readiness import report_uninitialized_variables
from .run_hooks import SessionRunHook
from .session_manager import missing_in


class SyncReplicasOptimizer(Optimizer):
    """Lets workers, which are threads of this process or runs one after the other, take each step
    together, along the mean of their gradients.

    Args:
        opt: the optimizer that takes the steps.
        replicas_to_aggregate: of how many gradients the mean is. Late ones, of earlier steps, do
            not count.
        total_num_replicas: how many workers there are; as many if None.
        variable_averages: averages that follow each step, an `ExponentialMovingAverage`.
        variables_to_average: of these variables.
        use_locking: not needed.
        name: the scope of what it makes.
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: ExponentialMovingAverage | None = None,
        variables_to_average: Sequence[Any] | None = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        logging.info(
            f"SyncReplicasV2: replicas_to_aggregate={replicas_to_aggregate}; "
            f"total_num_replicas={total}"
        )
        self._opt = opt
        self._replicas_to_aggregate, self._total_num_replicas = replicas_to_aggregate, total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: Any = None
        # What gives the step of a worker, and of the chief, its first value.
        self.local_step_init_op: Any = None
        self.chief_init_op: Any = None
        self.ready_for_local_init_op: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """(gradient, variable) pairs, as the optimizer computes them."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Adds a worker's gradients to those of the others, and waits for the next step.

        Args:
            grads_and_vars: what `compute_gradients` returned.
            global_step: the variable that counts steps.
            name: not used.
            skip_gradients_aggregation: not used.

        Raises:
            ValueError: there are no variables, or no step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        local_step = GraphVariable(
            0, False, collections=[GraphKeys.LOCAL_VARIABLES], dtype=global_step.dtype,
            name="sync_rep_local_step",
        )  # fmt: skip
        self.local_step_init_op = local_step.assign(global_step, read_value=False)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with name_scope_v1(None, self._name):
            sums = _sums(pairs, local_step)
            taken = [
                (None if total is None else total.mean(self._replicas_to_aggregate), variable)
                for total, (_, variable) in zip(sums, pairs, strict=True)
            ]
            added = [total.added for total in sums if total is not None]
            with device(global_step.device), name_scope_v1(""):
                step = self._synchronized(taken, added, local_step)
        begun = [total.begin(global_step) for total in sums if total is not None]
        self.chief_init_op = group(self.local_step_init_op, *begun)
        self._gradients_applied = True
        return step

    def _synchronized(self, taken: Any, added: Sequence[Any], local_step: Any) -> Any:
        update = self._opt.apply_gradients(taken, self._global_step)
        dtype = self._global_step.dtype
        tokens = FIFOQueue(-1, dtype, (), name="sync_token_q", shared_name="sync_token_q")
        self._sync_token_queue = tokens
        with control_dependencies(added):
            step = local_step.assign(tokens.dequeue(), read_value=False)
        with control_dependencies([update]):
            handed_out = tokens.enqueue_many(fill([self._tokens_per_step], self._global_step))
        if self._variable_averages is not None:
            with control_dependencies([handed_out]):
                handed_out = self._variable_averages.apply(self._variables_to_average)
        self._chief_queue_runner = QueueRunner(
            FIFOQueue(1, [dtypes.int32], [()], name="dummy_queue"), [handed_out],
            queue_closed_exception_types=(OutOfRangeError, CancelledError),  # a session that ends
        )  # fmt: skip
        return step

    def get_chief_queue_runner(self) -> QueueRunner:
        """What the chief runs beside its training: the steps themselves.

        Raises:
            ValueError: `apply_gradients` has not been called.
        """
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        runner: QueueRunner = self._chief_queue_runner
        return runner

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """The operation by which the chief hands the first tokens out.

        Args:
            num_tokens: how many; as many as gradients are waited for if -1.

        Raises:
            ValueError: `apply_gradients` has not been called, or too few for the first step.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(
                f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} "
                "(needed)"
            )
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope_v1(""):
            return self._sync_token_queue.enqueue_many(fill([num_tokens], self._global_step))

    def get_slot(self, var: Variable, name: str) -> Any:
        """What the optimizer keeps beside a variable."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """The names of what the optimizer keeps beside variables."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """The variables of the optimizer."""
        return self._opt.variables()

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> SessionRunHook:
        """A hook that starts what a worker, or the chief, needs."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


def _sums(pairs: Sequence[tuple[Any, Any]], local_step: Any) -> list[_Sum | None]:
    return [None if grad is None else _Sum(grad, variable, local_step) for grad, variable in pairs]


class _Sum:
    """The gradients that workers have of a variable."""

    def __init__(self, grad: Any, variable: Any, local_step: Any) -> None:
        self._place = variable.device
        name = f"{variable.name}/grad_accum"
        with device(self._place):
            if isinstance(grad, IndexedSlices):
                rows = SparseConditionalAccumulator(grad.dtype, (), shared_name=name)
                self._accumulator: Any = rows
                self.added = rows.apply_indexed_slices_grad(grad, local_step)
            else:
                self._accumulator = ConditionalAccumulator(
                    grad.dtype, variable.shape, shared_name=name
                )
                self.added = self._accumulator.apply_grad(grad, local_step)

    def mean(self, count: int) -> Any:
        """The mean of them, once there are so many."""
        with device(self._place):
            rows = getattr(self._accumulator, "take_indexed_slices_grad", None)
            return (rows or self._accumulator.take_grad)(count)

    def begin(self, global_step: Any) -> Any:
        """Lets gradients of this step and later ones count."""
        with device(self._place):
            return self._accumulator.set_global_step(global_step, name="SetGlobalStep")


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Starts the steps of a `SyncReplicasOptimizer`: the chief's queue runner and first tokens."""

    def __init__(
        self, sync_optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int
    ) -> None:
        self._optimizer, self._is_chief = sync_optimizer, is_chief
        self._num_tokens = num_tokens
        self._started: tuple[Any, Any, Any] = None, None, None

    def begin(self) -> None:
        """Makes what the session will need.

        Raises:
            ValueError: `apply_gradients` has not been called.
        """
        made = self._optimizer
        if not made._gradients_applied:
            raise ValueError(
                "SyncReplicasOptimizer.apply_gradient should be called before using the hook."
            )
        if self._is_chief:
            tokens = made.get_init_tokens_op(self._num_tokens)
            self._started = made.chief_init_op, made.get_chief_queue_runner(), tokens
        else:
            self._started = made.local_step_init_op, None, None

    def after_create_session(self, session: BaseSession, coord: Coordinator) -> None:
        """Starts the steps.

        Raises:
            RuntimeError: variables lack values.
        """
        first, runner, tokens = self._started
        missing = missing_in(session, self._optimizer.ready_for_local_init_op)
        if missing:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. "
                f"Init op: {first.name}, error: {missing}"
            )
        session.run(first)
        if tokens is not None:
            session.run(tokens)
        if runner is not None:
            runner.create_threads(session, coord=coord, daemon=True, start=True)
