"""Variables by name: `get_variable` makes one, or gives back the one that has the name.

`variable_scope` puts a prefix before names and says what variables below it have in common. Every
entry of a scope opens a name scope of its own, "a", then "a_1", while variables stay below "a".
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from enum import Enum
from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike
from ...core.aggregation import VariableAggregation, VariableSynchronization, is_trained
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...eager.variable import Variable
from ...graph.recording.default import global_graph
from ...graph.recording.scopes import current_graph, name_scope
from .collections import GraphKeys, outer_graph, replica_number
from .making_parts import found_or_made_in_parts, partitioner_for
from .own_variables import OPEN
from .variable_making import add_regularization, new_variable, shared_variable, wanted_dtype


class _Reuse(Enum):
    """What `tf.AUTO_REUSE` is."""

    AUTO_REUSE = 1


AUTO_REUSE = _Reuse.AUTO_REUSE


def no_regularizer(_: object) -> None:
    """A regularizer that adds nothing, where a scope has one (`tf.compat.v1.no_regularizer`)."""


class _Open(threading.local):
    """The open scope of a thread, and how often each scope was opened."""

    def __init__(self, reuse: Any) -> None:
        self.scope = VariableScope(reuse)
        self.opened: dict[str, int] = {}


class _Store:
    """The variables of a graph by name, which threads share, and the scopes of each thread."""

    def __init__(self, reuse: Any = False) -> None:
        self.variables: dict[str, Any] = {}
        self.in_parts: dict[str, Any] = {}  # their parts are among `variables`
        self._open = _Open(reuse)

    @property
    def scope(self) -> VariableScope:
        """The open scope."""
        return self._open.scope

    @scope.setter
    def scope(self, scope: VariableScope) -> None:
        self._open.scope = scope

    @property
    def opened(self) -> dict[str, int]:
        """How often each scope was opened."""
        return self._open.opened

    @opened.setter
    def opened(self, opened: dict[str, int]) -> None:
        self._open.opened = opened

    def open(self, name: str) -> None:
        """Counts a scope, so that the next one by default has another name."""
        self.opened[name] = self.opened.get(name, 0) + 1

    def close_inner(self, name: str) -> None:
        """Lets the names of the scopes inside be used again."""
        for each in self.opened:
            if not name or each.startswith(f"{name}/"):
                self.opened[each] = 0

    def unused(self, prefix: str) -> str:
        """`prefix`, with a number behind it if a scope of that name has been opened."""
        around = f"{self.scope.name}/" if self.scope.name else ""
        if not self.opened.get(around + prefix):
            return prefix
        number = 1
        while self.opened.get(f"{around}{prefix}_{number}"):
            number += 1
        return f"{prefix}_{number}"


def _store() -> _Store:
    """What belongs to the graph of the default session; or to eager mode and the functions that it
    calls, which find each other's variables by their names.
    """
    if LOCAL.state.target.is_eager:
        return _eager_store()
    graph = outer_graph()
    if graph.is_function:
        return _eager_store()
    found = graph.__dict__.get("_classic_store")
    if found is None:
        found = graph.__dict__["_classic_store"] = _Store()
    assert isinstance(found, _Store)
    return found


def _eager_store() -> _Store:
    kept = global_graph().__dict__  # TF: a new default graph counts scopes from the start
    found = kept.get("_eager_store")
    if found is None:
        # TF: whether variables are shared by default is up to who asks first.
        found = kept["_eager_store"] = _Store(AUTO_REUSE if LOCAL.state.target.is_eager else False)
    assert isinstance(found, _Store)
    return found


class VariableScope:
    """What variables of a scope have in common (`tf.compat.v1.VariableScope`).

    Args:
        reuse: True to look variables up, False to make them, `tf.AUTO_REUSE` for either.
        name: the prefix of their names.
        initializer: what makes first values.
        regularizer: a function from a variable to a loss.
        caching_device: not used.
        partitioner: a function of a shape and a dtype to the number of parts per axis, such as
            `fixed_size_partitioner` makes; None for variables that are whole.
        custom_getter: a function that is called instead of `get_variable`, which it is given.
        name_scope: the name scope.
        dtype: their dtype.
        use_resource: not used: all variables are resources.
        constraint: what optimizers apply after each update.
    """

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: InitializerLike | None = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: Any = None,
        partitioner: Callable[..., Any] | None = None,
        custom_getter: Callable[..., Any] | None = None,
        name_scope: str = "",
        dtype: DTypeLike = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
    ) -> None:
        self._name = name
        self._reuse = reuse
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._name_scope = name_scope
        self._dtype = dtype
        self._use_resource = use_resource
        self._constraint = constraint

    name = property(lambda self: self._name, doc="The prefix of names.")
    original_name_scope = property(
        lambda self: self._name_scope, doc="The name scope that was opened with it first."
    )
    reuse = property(lambda self: self._reuse, doc="Whether variables are looked up.")
    initializer = property(lambda self: self._initializer, doc="What makes first values.")
    dtype = property(lambda self: self._dtype, doc="The dtype of variables.")
    use_resource = property(lambda self: self._use_resource, doc="Not used.")
    regularizer = property(lambda self: self._regularizer, doc="A function to a loss.")
    caching_device = property(lambda self: self._caching_device, doc="Not used.")
    partitioner = property(lambda self: self._partitioner, doc="What divides variables.")
    custom_getter = property(lambda self: self._custom_getter, doc="What is called instead.")
    constraint = property(lambda self: self._constraint, doc="For optimizers.")

    def reuse_variables(self) -> None:
        """From now on variables are looked up, not made."""
        self._reuse = True

    def set_initializer(self, initializer: InitializerLike) -> None:
        """Changes what makes first values."""
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        """Changes the dtype of variables."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: bool) -> None:
        """Changes nothing: all variables are resources."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Callable[..., Any]) -> None:
        """Changes the regularizer."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Changes nothing: values are not cached."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Callable[..., Any] | None) -> None:
        """Changes what divides variables."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Callable[..., Any]) -> None:
        """Changes what is called instead of `get_variable`."""
        self._custom_getter = custom_getter

    def get_collection(self, name: str | None) -> list[Any]:
        """What a list of the graph has from this scope."""
        scope = f"{self._name}/" if self._name else ""
        return outer_graph().get_collection(name, scope)

    def trainable_variables(self) -> list[Any]:
        """The scope's variables that optimizers change."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The scope's variables."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The scope's local variables."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def _copy(self) -> VariableScope:
        made = VariableScope(self._reuse)
        made.__dict__.update(self.__dict__)
        return made

    def get_variable(self, name: str, **wishes: Any) -> Any:
        """See `tf.get_variable`."""
        if isinstance(name, bytes):
            name = name.decode()
        if not isinstance(name, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(name).__name__}'")
        return self._get(f"{self._name}/{name}" if self._name else name, wishes)

    def _get(self, full_name: str, wishes: dict[str, Any]) -> Any:
        """A variable by its full name; what is not wished for is as the scope says."""
        for each in ("regularizer", "constraint", "initializer", "caching_device", "partitioner"):
            if wishes.get(each) is None:
                wishes[each] = getattr(self, f"_{each}")
        getter = checked_getter(wishes.pop("custom_getter", None) or self._custom_getter)
        if wishes.get("reuse") is None:
            wishes["reuse"] = self._reuse
        wishes["dtype"] = wanted_dtype(wishes, self._dtype)
        graph = current_graph()
        with name_scope("") if graph is None else graph.name_scope(None):
            if getter is None:
                return _found_or_made(full_name, **wishes)
            return getter(getter=_found_or_made, name=full_name, **_getter_arguments(wishes))


def checked_getter(getter: Any) -> Any:
    """A `custom_getter`.

    Raises:
        ValueError: it cannot be called.
    """
    if getter is not None and not callable(getter):
        raise ValueError(
            f"A custom_getter must be a function, and this is not callable: {getter!r}"
        )
    return getter


def _getter_arguments(wishes: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a custom getter is called with, defaults filled in."""
    arguments = {k: v for k, v in wishes.items() if k not in ("expected_shape", "import_scope")}
    arguments["trainable"] = is_trained(wishes.get("trainable"), wishes.get("synchronization"))
    arguments["synchronization"] = wishes.get("synchronization") or VariableSynchronization.AUTO
    arguments["aggregation"] = wishes.get("aggregation") or VariableAggregation.NONE
    return arguments


def _found_or_made(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    initializer: InitializerLike | None = None,
    regularizer: Callable[..., Any] | None = None,
    reuse: object = None,
    **more: Any,
) -> Any:
    getter = checked_getter(more.pop("custom_getter", None))
    if getter is not None:
        return getter(_found_or_made, name, shape=shape, dtype=dtype, initializer=initializer,
                      regularizer=regularizer, reuse=reuse, **more)  # fmt: skip
    store, is_eager = _store(), LOCAL.state.target.is_eager
    partitioner = partitioner_for(more.pop("partitioner", None), shape)
    if partitioner is not None or (reuse is True and name in store.in_parts and not is_eager):
        return found_or_made_in_parts(
            store, _found_or_made, name, partitioner, shape, dtype, initializer, reuse,
            regularizer=regularizer, **more,
        )  # fmt: skip
    if f"{name}/part_0" in store.variables and not is_eager:
        raise ValueError(
            "No partitioner was provided, but a partitioned version of the variable was found: "
            f"{name}/part_0. Perhaps a variable of the same name was already created with "
            "partitioning?"
        )
    is_value = initializer is not None and not callable(initializer)
    if shape is not None and is_value:
        raise ValueError("If initializer is a constant, do not specify shape.")
    dtype = as_dtype(dtype)
    own = OPEN.variables
    if own is not None:
        existing = own.get(name)
    else:
        existing = None if is_eager else store.variables.get(name)
    if existing is not None:
        shared = shared_variable(existing, name, shape, dtype, reuse)
        if regularizer is not None and replica_number():  # which has a component of its own
            add_regularization(shared, name, regularizer)
        return shared
    if reuse is True:
        raise ValueError(
            f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you "
            "mean to set reuse=tf.AUTO_REUSE in VarScope?"
        )
    variable = new_variable(name, shape, dtype, initializer, is_value, more)
    if own is not None:
        own.keep(name, variable)
    elif not is_eager:
        store.variables[name] = variable
    if regularizer is not None:
        add_regularization(variable, name, regularizer)
    return variable


def get_variable_scope() -> VariableScope:
    """The open variable scope (`tf.compat.v1.get_variable_scope`)."""
    return _store().scope


def scope_of_one_variable(prefix: str) -> str:
    """The name of a variable that TensorFlow makes in a scope of its own: a scope by default, which
    has a number behind its name if another one had that name before. Functions that are not in a
    session's graph count with eager mode.
    """
    store = _store()
    around = f"{store.scope.name}/" if store.scope.name else ""
    name = around + store.unused(prefix)
    store.open(name)
    store.close_inner(name)
    return name


@contextmanager
def scope_of_thread(scope: VariableScope, reuse: Any = None) -> Iterator[None]:
    """Makes a variable scope of another thread the open one of this thread; no name scope is
    opened.
    """
    store = _store()
    before, store.scope = store.scope, scope
    if reuse and not LOCAL.state.target.is_eager:
        store.scope = scope._copy()
        store.scope._reuse = True
    try:
        yield
    finally:
        store.scope = before


def get_variable(
    name: str,
    shape: ShapeLike | None = None,
    dtype: DTypeLike | None = None,
    initializer: InitializerLike | None = None,
    regularizer: Callable[..., Any] | None = None,
    trainable: bool | None = None,
    collections: str | Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Callable[..., Any] | None = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Callable[..., Any] | None = None,
    constraint: Callable[..., Any] | None = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """A variable of the open scope: a new one, or with `reuse` the one that has the name
    (`tf.compat.v1.get_variable`).

    Args:
        name: its name below the scope.
        shape: its shape; None if the initializer is a value.
        dtype: its dtype, that of the scope if None.
        initializer: a function of a shape and a dtype, or a value; Glorot's uniform numbers, or
            zeros for integers, if neither it nor the scope has one.
        regularizer: a function from the variable to a loss, kept in `REGULARIZATION_LOSSES`.
        trainable: whether optimizers change it.
        collections: the lists that it is added to; the global variables if None.
        caching_device: not used.
        partitioner: what divides it, see `VariableScope`; what is returned then is a
            `PartitionedVariable`, which has its parts as variables of their own.
        validate_shape: False allows values of other shapes later.
        use_resource: not used.
        custom_getter: a function that is called instead, with the real one as its first argument.
        constraint: what optimizers apply after each update.
        synchronization: kept for strategies.
        aggregation: kept for strategies.

    Raises:
        ValueError: the variable exists and is not to be shared, or the other way round, or it has
            another shape or dtype.

    >>> import emplace.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("layer"):
    ...     print(get_variable("w", [2, 3]).name)
    layer/w:0
    """
    return get_variable_scope().get_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
        trainable=trainable, collections=collections, caching_device=caching_device,
        partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource,
        custom_getter=custom_getter, constraint=constraint, synchronization=synchronization,
        aggregation=aggregation,
    )  # fmt: skip


def get_local_variable(name: str, *args: Any, **kwargs: Any) -> Any:
    """A variable that is neither saved nor trained (`tf.compat.v1.get_local_variable`); the
    arguments are those of `get_variable`.
    """
    bound = inspect.signature(get_variable).bind(name, *args, **kwargs).arguments
    found = list(bound.pop("collections", None) or [])
    bound["collections"] = [*found, GraphKeys.LOCAL_VARIABLES]
    bound["trainable"] = False
    return get_variable(**bound)


# TF: as if the arguments were written out; `trainable` is False whatever is asked for.
get_local_variable.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        each.replace(default=False) if each.name == "trainable" else each
        for each in inspect.signature(get_variable).parameters.values()
    ]
)


class variable_scope:  # noqa: N801  # TensorFlow's name
    """Puts a prefix before the names of variables (`tf.compat.v1.variable_scope`).

    Args:
        name_or_scope: a name, or a scope to open again; None for `default_name`.
        default_name: the name if there is none, with a number behind it if it has been used.
        values: tensors that must be of one graph; not used.
        initializer: what makes first values of the scope's variables.
        regularizer: a function from a variable to a loss.
        caching_device: not used.
        partitioner: what divides variables, see `VariableScope`.
        custom_getter: a function that is called instead of `get_variable`.
        reuse: True to look variables up, `tf.AUTO_REUSE` to make those that do not exist.
        dtype: the dtype of the scope's variables.
        use_resource: not used.
        constraint: what optimizers apply after each update.
        auxiliary_name_scope: False opens no name scope.

    Raises:
        TypeError: there is no name.
        ValueError: `reuse` without a name.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: TensorLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Callable[..., Any] | None = None,
        caching_device: Any = None,
        partitioner: Callable[..., Any] | None = None,
        custom_getter: Callable[..., Any] | None = None,
        reuse: Any = None,
        dtype: DTypeLike | None = None,
        use_resource: bool | None = None,
        constraint: Callable[..., Any] | None = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if reuse not in (True, False, None, AUTO_REUSE):
            raise ValueError("The reuse parameter must be True or False or None.")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError("VariableScope: name_or_scope must be a string or VariableScope.")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                "The auxiliary_name_scope must be `True` or `False`, while get "
                f"{auxiliary_name_scope}"
            )
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._opens_names = auxiliary_name_scope
        self._wishes = {
            "initializer": initializer, "regularizer": regularizer,
            "caching_device": caching_device, "partitioner": partitioner, "dtype": dtype,
            "use_resource": use_resource, "constraint": constraint,
        }  # fmt: skip
        self._custom_getter = custom_getter
        self._entered: list[Any] = []

    def __enter__(self) -> VariableScope:
        store, names = _store(), self._name_scope()
        full = names.__enter__()
        try:
            scope = self._scope(store, full)
        except BaseException:
            names.__exit__(None, None, None)
            raise
        before = store.scope, dict(store.opened)
        store.open(scope.name)
        self._entered.append((store, names, before, scope))
        store.scope = scope
        return scope

    def __exit__(self, *exc: object) -> None:
        store, names, (before, opened), scope = self._entered[-1]
        if store.scope is not scope:
            raise RuntimeError("Improper nesting of variable_scope.")
        self._entered.pop()
        store.close_inner(scope.name)
        if isinstance(self._name_or_scope, VariableScope):
            store.opened = opened
        store.scope = before
        names.__exit__(*exc)

    def _name_scope(self) -> Any:
        graph = current_graph()
        open_names = name_scope if graph is None else graph.name_scope
        given = self._name_or_scope
        if given is None:
            name = self._default_name
        else:
            name = given if isinstance(given, str) else given.name.split("/")[-1]
        if name and self._opens_names:
            return open_names(name)
        if graph is None:
            return nullcontext(LOCAL.state.names)
        return nullcontext(f"{graph.names.scope}/" if graph.names.scope else "")

    def _scope(self, store: _Store, name_scope: str) -> VariableScope:
        around, given = store.scope, self._name_or_scope
        if isinstance(given, VariableScope):
            made = given._copy()
            made._reuse = self._reuse or given.reuse
        else:
            name = given if given is not None else store.unused(self._default_name or "")
            made = around._copy()
            made._name = f"{around.name}/{name}" if around.name else name
            made._name_scope = name_scope
            made._reuse = self._reuse or around.reuse
        if LOCAL.state.target.is_eager:
            made._reuse = AUTO_REUSE
        for key, value in self._wishes.items():
            if value is not None:
                setattr(made, f"_{key}", value)
        if self._custom_getter is not None:
            made._custom_getter = _chained(self._custom_getter, made._custom_getter)
        return made

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Opens the scope around each call of a function."""

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return call


def _chained(inner: Callable[..., Any], around: Callable[..., Any] | None) -> Callable[..., Any]:
    """A getter that is given the getter of the scope around it."""
    if around is None:
        return inner

    def both(getter: object, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(around, getter), *args, **kwargs)

    return both


@contextmanager
def variable_op_scope(
    values: TensorLike,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: DTypeLike | None = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Iterator[VariableScope]:
    """The old form of `variable_scope` (`tf.compat.v1.variable_op_scope`)."""
    with variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device,
        partitioner, custom_getter, reuse, dtype, use_resource, constraint,
    ) as scope:  # fmt: skip
        yield scope


def is_variable(value: object) -> bool:
    """Whether a value is a variable and no tensor."""
    return isinstance(value, Variable) and not isinstance(value, Tensor)
