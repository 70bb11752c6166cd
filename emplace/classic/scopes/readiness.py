"""Giving variables their first values, and asking which have one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...base import dtypes
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...graph.recording.grouping import group
from ...graph.recording.scopes import current_graph
from ...graph.representation.default_graph import as_default
from ...ops.array.gathering import boolean_mask
from ...ops.array.joining import stack
from ...ops.array.making import constant
from ...ops.math.elementwise import logical_not
from ...ops.op import apply
from ...ops.variables.resource import IS_INITIALIZED
from .collections import GraphKeys, get_collection, global_variables, local_variables


def variables_initializer(var_list: Iterable[Any], name: str = "init") -> Any:
    """An operation that gives variables their first values
    (`tf.compat.v1.variables_initializer`).
    """
    if LOCAL.state.target.is_eager:
        return None
    return group(*[each.initializer for each in var_list or ()], name=name)


def global_variables_initializer() -> Any:
    """An operation that gives all global variables their first values
    (`tf.compat.v1.global_variables_initializer`).
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Any:
    """The same for local variables (`tf.compat.v1.local_variables_initializer`)."""
    return variables_initializer(local_variables())


def initialize_variables(var_list: Iterable[Any], name: str = "init") -> Any:
    """The old name of `variables_initializer`."""
    return variables_initializer(var_list, name)


def initialize_all_variables() -> Any:
    """The old name of `global_variables_initializer`."""
    return global_variables_initializer()


def initialize_local_variables() -> Any:
    """The old name of `local_variables_initializer`."""
    return local_variables_initializer()


def tables_initializer(name: str = "init_all_tables") -> Any:
    """An operation that fills all lookup tables (`tf.compat.v1.tables_initializer`)."""
    if LOCAL.state.target.is_eager:
        return None
    return group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Any:
    """The old name of `tables_initializer`."""
    return tables_initializer(name)


def is_variable_initialized(variable: Any) -> Any:
    """Whether a variable has a value, as a tensor (`tf.compat.v1.is_variable_initialized`).

    Args:
        variable: a variable, or the tensor that its graph calls NAME:0, a variable's handle.
    """
    if isinstance(variable, Tensor) and variable.dtype == dtypes.resource:
        with as_default(variable.graph):  # TF: an operation is of its inputs' graph
            return apply(IS_INITIALIZED, (variable,))
    return variable.is_initialized()


def report_uninitialized_variables(
    var_list: Iterable[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Any:
    """The names of the variables without a value, as a vector of strings
    (`tf.compat.v1.report_uninitialized_variables`).

    Args:
        var_list: variables; all global and local ones if None.
        name: a name scope.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not variables:
        return constant([], dtypes.string, shape=[0])
    names = constant([each.op.name for each in variables], dtypes.string)
    return boolean_mask(names, logical_not(stack([each.is_initialized() for each in variables])))


def assert_variables_initialized(var_list: Iterable[Any] | None = None) -> Any:
    """An operation that fails unless all variables have values
    (`tf.compat.v1.assert_variables_initialized`); None if there is no variable.
    """
    variables = global_variables() + local_variables() if var_list is None else list(var_list)
    if not variables:
        return None
    graph: Any = current_graph()
    with graph.control_dependencies(None):
        return group(*[each.value() for each in variables])
