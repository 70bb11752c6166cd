"""What TF 1's optimizers share (`tf.compat.v1.train.Optimizer`).

An optimizer finds gradients, keeps slots beside variables, and takes a step. In a graph a step is
an operation; in eager mode it happens at once.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..base.dtypes import FLOATS, DType, float32
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..classic.scopes.collections import outer_graph
from ..classic.scopes.variable_scope import get_variable_scope, scope_of_one_variable
from ..core.context import LOCAL, device
from ..core.tensor import Tensor
from ..core.tracking import arrived
from ..devices.charges import SLOTS
from ..distribute.replicas.contexts import current, entered
from ..distribute.replicas.replica_context import get_replica_context
from ..distribute.replicas.values import ReduceOp, container_of
from ..distribute.strategies.classic_strategies import get_loss_reduction
from ..distribute.strategies.strategy import Strategy, get_strategy
from ..distribute.variables.variables import DistributedVariable, components_of
from ..eager.rollback import Need, all_or_nothing, before_write, bounded
from ..eager.tape import GradientTape
from ..eager.variable import Variable
from ..grads.rules import is_trainable
from ..graph.recording.default import get_default_graph
from ..graph.recording.gradients import gradients
from ..graph.recording.grouping import group
from ..graph.recording.scopes import control_dependencies, current_graph, init_scope
from ..graph.recording.variable import GraphVariable
from ..graph.representation.graph import Graph, Operation
from ..holders.walkers import Known, always_asked
from ..ops.array.making import fill
from ..ops.array.shaping import shape
from ..ops.array.unique import unique
from ..ops.convert import to_tensor
from ..ops.math.elementwise import multiply
from ..ops.math.segment import unsorted_segment_sum
from ..ops.variables.indexed_slices import IndexedSlices
from ..ops.variables.slice_info import SaveSliceInfo


class Optimizer:
    """Base of the optimizers, and of those that programs write. A subclass says which slots it
    keeps (`_create_slots`) and how a variable changes: `_resource_apply_dense` along a tensor,
    `_resource_apply_sparse` along rows. `_apply_dense` and `_apply_sparse`, which TensorFlow asks
    for its older kind of variables, are asked if they were written last.

    Args:
        use_locking: not needed: variables are always locked while they change.
        name: the scope of what it makes in graphs.
        use_own_namescope_for_non_slot_vars: variables of its own, such as beta1_power, are named
            below `name`.

    Raises:
        ValueError: there is no name.
    """

    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(
        self, use_locking: bool, name: str, use_own_namescope_for_non_slot_vars: bool = False
    ) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._name = name
        self._names_own = use_own_namescope_for_non_slot_vars
        self._slots: dict[str, dict[Any, Variable]] = {}
        # In each graph of sessions, and outside of them, there are others.
        self._own: dict[tuple[str, Graph | None], Variable] = {}
        # What hyperparameters that are functions said in this step: they are asked once.
        self._called: dict[int, Any] = {}
        self._need = Need()

    def get_name(self) -> str:
        """Its name."""
        return self._name

    def minimize(
        self,
        loss: Any,
        global_step: TensorLike | None = None,
        var_list: Iterable[Any] | None = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Any:
        """A step that makes `loss` smaller.

        Args:
            loss: a tensor of a graph; in eager mode a function that returns one.
            global_step: a variable that counts steps.
            var_list: the variables to change; all trainable ones if None.
            gate_gradients: not needed.
            aggregation_method: not used.
            colocate_gradients_with_ops: see `tf.gradients`.
            name: the name of the operation.
            grad_loss: the gradient of the loss itself; ones if None.

        Returns:
            The operation that takes the step; None in eager mode.

        Raises:
            ValueError: the loss depends on no variable.
            RuntimeError: in eager mode, if `loss` is no function.
        """
        grads_and_vars = self.compute_gradients(
            loss, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops,
            grad_loss,
        )  # fmt: skip
        if not any(grad is not None for grad, _ in grads_and_vars):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                "support gradients, between variables "
                f"{[str(v) for _, v in grads_and_vars]} and loss {loss}."
            )
        return self.apply_gradients(grads_and_vars, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: object = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """(gradient, variable) pairs; see `minimize`. A gradient is None where the loss does not
        depend on the variable.
        """
        if callable(loss) and not isinstance(loss, Variable):
            return self._by_tape(lambda: _scaled(loss()), var_list, grad_loss)
        if LOCAL.state.target.is_eager:
            raise RuntimeError(
                "`loss` passed to Optimizer.compute_gradients should be a function when eager "
                "execution is enabled."
            )
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH.  Not {gate_gradients}"
            )
        variables = (
            get_default_graph().get_collection("trainable_variables")
            if var_list is None
            else _listed(var_list)
        )
        if not variables:
            raise ValueError("No variables to optimize.")
        if not is_trainable(to_tensor(loss).dtype):
            raise ValueError(
                f"Invalid type {to_tensor(loss).dtype!r} for {stem(loss)}:0, expected: "
                "[tf.float32, tf.float64, tf.float16, tf.bfloat16]."
            )
        grads = gradients(
            _scaled(loss), variables, grad_loss,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )  # fmt: skip
        return list(zip(grads, variables, strict=True))

    def _by_tape(
        self, loss: Callable[..., Any], var_list: Iterable[Any], grad_loss: object
    ) -> list[tuple[Any, Any]]:
        with GradientTape() as tape:
            variables = _listed(var_list)
            tape.watch([each for each in variables if not isinstance(each, Variable)])
            value = loss()
        variables = variables or list(tape.watched_variables())
        found = tape.gradient(value, variables, grad_loss)
        return list(zip(found, variables, strict=True))

    def apply_gradients(
        self,
        grads_and_vars: Any,
        global_step: TensorLike | None = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Any:
        """Takes a step along given gradients; on several replicas along their sums.

        Args:
            grads_and_vars: what `compute_gradients` returned, changed or not.
            global_step: a variable that is then one larger.
            name: the name of the operation.
            skip_gradients_aggregation: not used.

        Raises:
            ValueError: there is nothing to do.
            NotImplementedError: a gradient is one to a tensor.
            RuntimeError: in a strategy's scope, outside of its replicas.
        """
        pairs = [(grad, _inside(variable)) for grad, variable in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        useful = [(grad, variable) for grad, variable in pairs if grad is not None]
        if not useful:
            raise ValueError(
                f"No gradients provided for any variable: {[str(v) for _, v in pairs]}."
            )
        fixed = [target for _, target in useful if isinstance(target, Tensor)]
        if fixed:
            raise NotImplementedError(f"Trying to update a Tensor {fixed[0]}")
        replica = get_replica_context()
        if replica is None:
            raise RuntimeError(
                "Use `_distributed_apply()` instead of `apply_gradients()` in a cross-replica "
                "context. Call apply_gradients in the function that strategy.run is given."
            )
        if replica.strategy.extended._use_merge_call():
            return replica.merge_call(self._distributed_apply, (useful, global_step, name))
        return self._applied(useful, global_step, name, self._updated)

    def _distributed_apply(
        self,
        strategy: Strategy,
        useful: Any,
        global_step: TensorLike | None = None,
        name: str | None = None,
    ) -> Any:
        """Takes a step along the sums of all replicas' gradients, on all of them."""
        variables = [variable for _, variable in useful]
        sums = strategy.extended.batch_reduce_to("SUM", useful)

        def update(grad: TensorLike, variable: object) -> Any:
            made = strategy.extended.update(
                variable, lambda component, part: self._updated(part, component), args=(grad,),
                group=False,
            )  # fmt: skip
            return list(made)

        return self._applied(list(zip(sums, variables, strict=True)), global_step, name, update)

    def _applied(
        self, useful: Any, global_step: Any, name: str | None, update: Callable[[Any, Any], Any]
    ) -> Any:
        """Takes a step along gradients; `update` does it for one variable."""
        with init_scope():  # TF: what slots begin with is computed where they are made
            self._create_slots([variable for _, variable in useful])
        with _named(name or self._name) as scope:
            self._called.clear()
            with self._whole_step([variable for _, variable in useful], global_step):
                self._prepare()
                made = [update(grad, variable) for grad, variable in useful]
                parts = [each if type(each) is list else [each] for each in made]
                updates = [each for part in parts for each in part]
                if global_step is None:
                    step = self._finish(updates, scope)
                else:
                    done = self._finish(updates, "update")
                    # In a function changes give nothing: they keep their order there.
                    with control_dependencies([] if done is None else [done]), beside(global_step):
                        step = group(global_step.assign_add(1, read_value=False), name=scope)
        graph = current_graph()
        if graph is not None:
            step = step.op if isinstance(step, Tensor) else step
            graph.add_to_collection("train_op", step)
        return step

    @contextmanager
    def _whole_step(
        self, variables: Sequence[Any], global_step: TensorLike | None
    ) -> Iterator[None]:
        """A step that is taken now: if it is refused memory, nothing has changed. (In a graph the
        plan of the step takes care.)
        """
        if not LOCAL.state.target.is_eager or not bounded():
            yield
            return
        changed = [*variables, *self.variables(), *([] if global_step is None else [global_step])]
        with all_or_nothing(self._need):
            before_write(*[part.handle for each in changed for part in components_of(each)])
            yield

    def _updated(self, grad: TensorLike, variable: Variable) -> Any:
        with beside(variable), _named(f"update_{stem(variable)}"):
            constraint = getattr(variable, "constraint", None)
            if isinstance(grad, IndexedSlices):
                if constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                return self._apply_rows(grad, variable)
            update = getattr(self, _written_last(type(self), _DENSE))(to_tensor(grad), variable)
            if constraint is None:
                return update
            with control_dependencies([] if update is None else [update]):
                return variable.assign(constraint(variable))

    def _apply_rows(self, grad: IndexedSlices, variable: Variable) -> Any:
        name = _written_last(type(self), _OF_ROWS)
        way = getattr(self, name)
        is_once = not name.endswith("_duplicate_indices")
        values, indices = summed(grad) if is_once else (grad.values, grad.indices)
        if name.startswith("_resource"):
            return way(values, variable, indices)
        return way(IndexedSlices(values, indices, grad.dense_shape), variable)

    # -- what subclasses say --------------------------------------------------------------------

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        """Makes what is kept beside variables."""

    def _prepare(self) -> None:
        """What is to be done before the updates, such as tensors of hyperparameters."""

    def _resource_apply_dense(self, grad: Any, handle: Any) -> Any:
        raise NotImplementedError("Must be implemented in subclasses.")

    def _apply_dense(self, grad: Any, var: Any) -> Any:
        raise NotImplementedError("Must be implemented in subclasses.")

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Any, handle: Any, indices: TensorLike
    ) -> Any:
        values, indices = summed(IndexedSlices(grad, indices))
        return self._resource_apply_sparse(values, handle, indices)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: TensorLike) -> Any:
        raise NotImplementedError("Must be implemented in subclasses.")

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Any:
        values, indices = summed(grad)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Any:
        raise NotImplementedError("Must be implemented in subclasses.")

    def _finish(self, update_ops: list[Any], name_scope: str) -> Any:
        """What remains to be done after all updates; returns the operation of all of it."""
        return group(*update_ops, name=name_scope)

    def _call_if_callable(self, param: Any) -> Any:
        return param() if callable(param) else param

    def _valid_dtypes(self) -> set[DType]:
        return set(FLOATS)

    # -- variables that subclasses ask for ------------------------------------------------------

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Any:
        return self._slot(var, slot_name, op_name)

    def _get_or_make_slot(self, var: Variable, val: Any, slot_name: str, op_name: str) -> Any:
        return self._kept(var, slot_name, op_name, lambda: to_tensor(val))

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Callable[..., Any], shape: ShapeLike, dtype: DTypeLike,
        slot_name: str, op_name: str,
    ) -> Any:  # fmt: skip
        return self._kept(var, slot_name, op_name, lambda: initializer(shape, dtype=dtype))

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _create_non_slot_variable(
        self, initial_value: Any, name: str, colocate_with: Variable
    ) -> Variable:
        return self._number(name, lambda: to_tensor(initial_value), colocate_with)

    def _get_non_slot_variable(self, name: str, graph: Graph | None = None) -> Any:
        return self._own.get((name, _home() if graph is None or graph.is_function else graph))

    def _non_slot_variables(self) -> list[Variable]:
        return list(self.own_variables().values())

    # -- slots ----------------------------------------------------------------------------------

    def get_slot_names(self) -> list[str]:
        """The names of what is kept beside variables."""
        return sorted(self._slots)

    def get_slot(self, var: Variable, name: str) -> Any:
        """What is kept beside a variable; None if nothing is."""
        return self._slots.get(name, {}).get(_key(var))

    def variables(self) -> list[Any]:
        """All variables that the optimizer made in the present graph, or outside of graphs."""
        found, home = list(self.own_variables().values()), _home()
        for slots in self._slots.values():
            found += [each for each in slots.values() if _home_of(each) is home]
        return sorted(found, key=lambda variable: variable.name)

    def own_variables(self) -> dict[str, Variable]:
        """The variables that belong to no other variable, by name, as `variables`."""
        home = _home()
        return {name: each for (name, graph), each in self._own.items() if graph is home}

    def slots(self) -> Iterator[tuple[Any, str, Variable]]:
        """What is kept beside variables: the variable, the name of the slot, and the slot."""
        for name in sorted(self._slots):
            for key, slot in self._slots[name].items():
                yield key.deref(), name, slot

    def slot_key(self, variable: Variable, name: str) -> Any:
        """What a slot is called where a restore waits for it."""
        return _key(variable), name

    def restored_slot(self, variable: Any, name: str, full_name: str) -> Variable:
        """A new slot for a value of a checkpoint, in which it is called `full_name`."""
        with beside(variable):
            made = _made(lambda: fill(variable.shape, to_tensor(0, variable.dtype)), full_name)
        slot: Variable = made
        self._slots.setdefault(name, {})[_key(variable)] = slot
        return slot

    def _slot(self, variable: Variable, name: str, op_name: str, value: float | None = None) -> Any:
        """The variable beside a variable, made the first time: zeros, or `value` everywhere.
        Further ones of the same `op_name` have numbers behind their names.
        """
        first = functools.partial(_filled, variable, value or 0)
        return self._kept(variable, name, op_name, first, variable.shape)

    def _kept(
        self, variable: Any, name: str, op_name: str, first: Callable[[], Any], dims: Any = None
    ) -> Any:
        """The variable beside a variable, which begins with what `first` returns."""
        slots = self._slots.setdefault(name, {})
        key = _key(variable)
        if key not in slots:
            count = sum(key in each for each in self._slots.values())
            with beside(variable):
                full_name = scope_of_one_variable(f"{stem(variable)}/{op_name}")
                slots[key] = _made(first, full_name, dims)
            keep_slice_info(variable, slots[key])
            arrived(self, self.slot_key(variable, name), slots[key])
            # In the first files of Emplace slots were numbered beside each variable.
            old_name = (
                f"{stem(variable)}/{op_name}_{count}" if count else f"{stem(variable)}/{op_name}"
            )
            arrived(self, inside_scope(old_name), slots[key])
        return slots[key]

    def _number(self, name: str, first: Callable[[], Any], like: Variable) -> Variable:
        """A variable of the optimizer's own, such as beta1_power."""
        key = name, _home()
        if key not in self._own:
            with beside(like):
                full_name = f"{self._name}/{name}" if self._names_own else name
                self._own[key] = _made(first, below_scope(full_name))
            arrived(self, name, self._own[key])
        return self._own[key]


def _home() -> Graph | None:
    """The graph that variables are made in: that of a session, around functions; else None."""
    if LOCAL.state.target.is_eager:
        return None
    graph = outer_graph()
    return None if graph.is_function else graph


def _home_of(variable: Any) -> Graph | None:
    first = components_of(variable)[0]
    return first.graph if isinstance(first, GraphVariable) else None


def _scaled(loss: Tensor) -> Tensor:
    """A replica's part of the mean of losses, where an estimator trains with one."""
    count = get_strategy().num_replicas_in_sync
    if count == 1 or get_loss_reduction() is ReduceOp.SUM:
        return loss
    graph = current_graph()
    if graph is not None:
        graph.__dict__["_is_loss_scaled_by_optimizer"] = True
    return multiply(to_tensor(loss), 1.0 / count)


def as_scalar(number: Any) -> Tensor:
    """A hyperparameter as a tensor. As in TensorFlow a number of Python is rounded to float32,
    whatever the variables are.
    """
    return to_tensor(number, float32 if isinstance(number, (int, float)) else None)


def summed(grad: IndexedSlices) -> tuple[Any, Any]:
    """Slices with each index once: rows of the same index are added."""
    indices, places = unique(grad.indices)
    return unsorted_segment_sum(grad.values, places, shape(indices)[0]), indices


def beside(variable: Any) -> AbstractContextManager[Any]:
    """A scope in which things are where a variable is: those of all replicas everywhere."""
    if isinstance(variable, DistributedVariable):
        return nullcontext() if current() is not None else entered(variable._strategy.cross_context)
    graph = current_graph()
    if graph is not None and isinstance(getattr(variable, "op", None), Operation):
        return graph.colocate_with(variable.handle)
    return device(variable.device or None)


@contextmanager
def _named(name: str) -> Iterator[str]:
    """A name scope in a graph, in which operations are called by their ops."""
    graph = current_graph()
    if graph is None:
        yield name
        return
    with graph.name_scope(name) as scope, graph.plain_names(scope):
        yield scope


def _made(value: Callable[[], Any], name: str, dims: Any = None) -> Any:
    """A variable; its first value is made where variables are, outside of traced functions."""
    graph = current_graph()
    if graph is None:
        return _noted(Variable(value, trainable=False, name=name, shape=dims))
    with graph.name_scope(None):
        return _noted(Variable(value, trainable=False, name=name, shape=dims))


def keep_slice_info(variable: Any, slot: Any) -> None:
    """Says of what is kept beside a part of a variable that it is that part of what is kept
    beside the whole.
    """
    info = getattr(variable, "_save_slice_info", None)
    rank = slot.shape.rank
    if info is None or rank == 0:
        return
    around, _, rest = stem(slot).rpartition(f"{stem(variable)}/")
    parts = [numbers[:rank] for numbers in (info.full_shape, info.var_offset, info.var_shape)]
    slot._set_save_slice_info(SaveSliceInfo(f"{around}{info.full_name}/{rest}", *parts))


# The methods that may say how a variable changes.
_DENSE = ("_resource_apply_dense", "_apply_dense")
_OF_ROWS = (
    "_resource_apply_sparse_duplicate_indices", "_resource_apply_sparse",
    "_apply_sparse_duplicate_indices", "_apply_sparse",
)  # fmt: skip


def _written_last(kind: type, names: tuple[str, ...]) -> str:
    """Which of the methods the class itself has, or the first one of its bases that has any."""
    for each in kind.__mro__:
        for name in names:
            if name in vars(each):
                return name
    return names[0]


def _filled(variable: Any, number: float) -> Any:
    return fill(_first_shape(variable), to_tensor(number, variable.dtype))


def _first_shape(variable: Any) -> Any:
    """The sizes that a variable begins with, as a tensor where they are not known before."""
    if variable.shape.is_fully_defined():
        return variable.shape
    in_graph = isinstance(variable, GraphVariable)
    return shape(variable.initial_value if in_graph else variable)


# The variables that optimizers made, for who asks what memory is for.
_MADE: dict[int, weakref.ref[Any]] = {}


def _noted(variable: Any) -> Any:
    _MADE[id(variable)] = weakref.ref(variable, functools.partial(_forget, id(variable)))
    return variable


def _forget(key: int, reference: object) -> None:
    if _MADE.get(key) is reference:
        del _MADE[key]


@always_asked
def slots_of_optimizers() -> Iterator[Known]:
    """The names of the variables that optimizers made."""
    for reference in list(_MADE.values()):
        variable = reference()
        if variable is not None:
            yield from (Known(SLOTS, stem(each)) for each in components_of(variable))


def _key(variable: Variable) -> Any:
    container = container_of(variable)  # a slot belongs to the variable of all replicas
    variable = variable if container is None else container
    return variable.ref() if hasattr(variable, "ref") else id(variable)


def _inside(variable: object) -> Any:
    """The variable inside of one of Keras's; else the variable itself."""
    value = getattr(variable, "value", None)
    return value if isinstance(value, Variable) else variable


def stem(variable: Any) -> str:
    """The name of a variable or tensor without the number of its output."""
    return str(variable.name).split(":")[0]


def inside_scope(name: str) -> str:
    """The name of a variable that TF makes by `get_variable`, in the open variable scope."""
    scope = get_variable_scope().name if current_graph() is not None else ""
    return f"{scope}/{name}" if scope else name


def below_scope(name: str) -> str:
    """The name of a variable that TF makes by itself: it is in the open name scope."""
    graph = current_graph()
    scope = "" if graph is None else graph.get_name_scope()
    return f"{scope}/{name}" if scope else name


def _listed(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]
