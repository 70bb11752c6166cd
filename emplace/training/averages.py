"""Moving averages of variables and tensors (`tf.train.ExponentialMovingAverage`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ..base.dtypes import FLOATS
from ..classic.scopes.variable_scope import scope_of_one_variable
from ..core.tensor import Tensor
from ..distribute.replicas.replica_context import get_replica_context
from ..distribute.replicas.values import ReduceOp
from ..eager.variable import Variable
from ..graph.recording.default import (
    executing_eagerly_outside_functions,
    get_default_graph,
)
from ..graph.recording.grouping import group
from ..graph.recording.scopes import current_graph, init_scope
from ..ops.array.making import zeros
from ..ops.array.shaping import shape
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast, minimum
from .optimizer import beside, inside_scope, keep_slice_info, stem

_MOVING_AVERAGES = "moving_average_variables"


class ExponentialMovingAverage:
    """Keeps averages in which old values fade (`tf.train.ExponentialMovingAverage`).

    Args:
        decay: how much of the average stays in each step.
        num_updates: a count of steps; in the first ones the average then follows faster.
        zero_debias: divide averages of tensors, which begin at 0, by what is in them so far.
        name: the end of the averages' names.

    >>> import emplace.tensorflow as tf
    >>> v = tf.Variable(1.0)
    >>> average = ExponentialMovingAverage(0.5)
    >>> _ = average.apply([v]), v.assign(3.0), average.apply([v])
    >>> float(average.average(v))
    2.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, Variable] = {}
        self._variables: list[Variable] = []  # those of the averages that are no tensors'
        # Of averages without a debt to their first zero: the plain average, and its steps.
        self._biased: dict[Any, tuple[Variable, Variable]] = {}

    @property
    def name(self) -> str:
        """The end of the averages' names."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Brings the averages up to date.

        Args:
            var_list: variables, or tensors of a graph; all trainable variables if None.

        Returns:
            The operation that does it; None in eager mode.

        Raises:
            TypeError: something in the list is no floating point number, or a tensor of eager mode.
        """
        values = var_list
        if values is None:
            values = get_default_graph().get_collection("trainable_variables")
        if executing_eagerly_outside_functions() and _has_tensors(values):
            raise TypeError(
                "tf.train.ExponentialMovingAverage does not support non-Variable tensors when "
                "eager execution is enabled."
            )
        share = 1.0 - self._current_decay()
        done = []
        for value in values:
            if value.dtype not in FLOATS:
                raise TypeError(
                    f"The variables must be half, float, or double: {getattr(value, 'name', value)}"
                )
            average = self._average_of(value)
            with beside(average):
                # TF: what is left of 1 is rounded to the average's type, not the decay.
                done.append(self._followed(value, average, cast(share, average.dtype)))
        return group(*done, name=self._name)

    def _current_decay(self) -> Tensor:
        decay = to_tensor(self._decay)
        if self._num_updates is None:
            return decay
        count = cast(to_tensor(self._num_updates), decay.dtype)
        return minimum(decay, (1.0 + count) / (10.0 + count))

    def _average_of(self, value: Variable) -> Variable:
        key = value.ref()
        if key not in self._averages:
            self._averages[key] = self._made(value)
            if isinstance(value, Variable):
                self._variables.append(value)
            keep_slice_info(value, self._averages[key])
        return self._averages[key]

    def _made(self, value: Any) -> Variable:
        name = scope_of_one_variable(f"{stem(value)}/{self._name}")
        is_variable = isinstance(value, Variable)
        graph = current_graph()
        if graph is None:
            with beside(value):
                return Variable(value.read_value(), trainable=False, name=name)
        with _outside(), beside(value) if is_variable else nullcontext():
            made = Variable(
                _first(value) if is_variable else _zeros_like(value), trainable=False, name=name,
                validate_shape=is_variable or value.shape.is_fully_defined(),
            )  # fmt: skip
        if is_variable:
            graph.add_to_collection(_MOVING_AVERAGES, value)
        return made

    def _followed(self, value: Any, average: Variable, share: Any) -> Any:
        replica = get_replica_context()
        if replica is None or replica.num_replicas_in_sync == 1:
            return self._follow(value, average, share)

        def all_follow(strategy: Any, average: Any, value: Any, share: Any) -> Any:
            mean = strategy.extended.reduce_to(ReduceOp.MEAN, value, average)
            return strategy.extended.update(
                average, lambda each, value, share: self._follow(value, each, share), (mean, share)
            )

        return replica.merge_call(all_follow, (average, value, share))

    def _follow(self, value: Any, average: Variable, share: Any) -> Any:
        if self._zero_debias and not isinstance(value, Variable):
            return self._debiased(value, average, share)
        return average.assign_sub((average - value) * share, read_value=False)

    def _debiased(self, value: Any, average: Variable, share: Any) -> Any:
        """The average of all values so far, as if there had been no zero before them."""
        key = value.ref()
        if key not in self._biased:
            stems = inside_scope(stem(average))
            with _outside():
                self._biased[key] = (
                    Variable(_zeros_like(value), trainable=False, name=f"{stems}/biased",
                             validate_shape=value.shape.is_fully_defined()),
                    Variable(zeros((), average.dtype), trainable=False, name=f"{stems}/local_step"),
                )  # fmt: skip
        biased, steps = self._biased[key]
        count = steps.value() + 1.0
        total = biased - (biased - value) * share
        return group(
            average.assign(total / (1.0 - (1.0 - share) ** count), read_value=False),
            biased.assign(total, read_value=False), steps.assign(count, read_value=False),
        )  # fmt: skip

    def average(self, var: Variable) -> Variable | None:
        """The variable that holds the average of `var`; None if there is none."""
        return self._averages.get(var.ref())

    def average_name(self, var: Any) -> str:
        """The name of the average of `var`, which need not exist."""
        found = self.average(var)
        if found is not None:
            return stem(found)
        name: str = get_default_graph().unique_name(f"{stem(var)}/{self._name}", False)
        return name

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """For a Saver: each averaged variable by its average's name, all others by their own."""
        graph = get_default_graph()
        averaged = moving_avg_variables
        if averaged is None:
            averaged = [
                *graph.get_collection("trainable_variables"),
                *graph.get_collection(_MOVING_AVERAGES),
                *self._variables,
            ]
        names = {self.average_name(variable): variable for variable in averaged}
        done = {id(variable) for variable in averaged}
        for variable in [*averaged, *graph.get_collection("variables")]:
            if id(variable) not in done:
                names.setdefault(stem(variable), variable)
        return names


def _has_tensors(values: Any) -> bool:
    return any(isinstance(each, Tensor) for each in values)


def _first(variable: Any) -> Any:
    """The value that an average begins with: what a variable of eager mode holds now."""
    if not hasattr(variable, "initialized_value"):
        with init_scope():
            return variable.read_value()
    return variable.initialized_value()


def _zeros_like(value: Any) -> Any:
    """What the average of a tensor begins with; of its size in the run where that is not known."""
    known = value.shape.is_fully_defined()
    return zeros(value.shape if known else shape(value), value.dtype)


@contextmanager
def _outside() -> Iterator[None]:
    """Where variables are made: in no scope of a graph, after nothing in it."""
    graph = current_graph()
    if graph is None:
        yield
        return
    with graph.control_dependencies(None), graph.name_scope(None):
        yield
