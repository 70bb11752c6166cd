"""Functions that make their variables in their first call and share them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...core.context import LOCAL
from ...core.tracking import Trackable
from .collections import GraphKeys, outer_graph
from .own_variables import OPEN, OwnVariables
from .variable_scope import AUTO_REUSE, VariableScope, variable_scope


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Template:
    """Makes a function whose `get_variable` makes variables in its first call, and gives them back
    in all others (`tf.compat.v1.make_template`). In eager mode they belong to it alone.

    Args:
        name_: the scope of its variables, with a number behind it if it has been used.
        func_: what it does.
        create_scope_now_: whether the scope is taken now, and not in the first call.
        unique_name_: the scope as it is, also if it has been used; in graphs only.
        custom_getter_: a function that is called instead of `get_variable`.
        **kwargs: arguments of each call.

    Raises:
        ValueError: there is no name, or `unique_name_` is given in eager mode.
    """
    if LOCAL.state.target.is_eager:
        if unique_name_ is not None:
            raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
        return EagerTemplate(name_, func_, create_scope_now_, None, custom_getter_, kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_, kwargs)


class Template(Trackable):
    """What `make_template` returns: a function with variables, those of its scope in the graph."""

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        takes_scope_now: bool,
        unique_name: str | None,
        custom_getter: Callable[..., Any] | None,
        arguments: dict[str, Any],
    ) -> None:
        if name is None:
            raise ValueError("name cannot be None.")
        self._name = name
        self._function = function
        self._arguments = arguments
        self._scope: VariableScope | None = None
        self._variables_created = False
        self._first_runs = False  # so do other replicas, which share the variables
        self._names = unique_name, name, custom_getter
        self._around: Template | None = OPEN.holder
        if takes_scope_now:
            with self._first_scope(opens_names=False):
                pass

    @contextmanager
    def _first_scope(self, opens_names: bool = True) -> Iterator[None]:
        unique_name, name, getter = self._names
        with variable_scope(
            unique_name, name, custom_getter=getter, auxiliary_name_scope=opens_names
        ) as scope:
            self._scope = scope
            yield

    def _reuse(self) -> Any:
        """How variables are found where the scope is opened again."""
        return self._variables_created or self._first_runs or None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function in the scope of its variables.

        Raises:
            ValueError: a call after the first one makes a variable that optimizers change.
        """
        before, OPEN.holder = OPEN.holder, self
        try:
            result = self._called(args, kwargs)
        finally:
            OPEN.holder = before
            self._note_children()
        self._variables_created = True
        return result

    def _called(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        opened: Any = (
            self._first_scope()
            if self._scope is None
            else variable_scope(self._scope, reuse=self._reuse())
        )
        with opened:
            self._join()
            before, were_made = len(self._trained()), self._variables_created
            is_first, self._first_runs = not self._first_runs, True
            try:
                result = self._function(*args, **{**self._arguments, **kwargs})
            finally:
                self._first_runs = not is_first
        made = self._trained()[before:]
        if were_made and made:
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps "
                f"you used tf.Variable when you meant tf.get_variable: {made}"
            )
        return result

    def _join(self) -> None:
        """Becomes a child of the template whose function made it."""
        if self._around is not None:
            around = self._around.variable_scope_name or ""
            name = (self.variable_scope_name or "").removeprefix(around).rstrip("/")
            self._around._track_trackable(self, name, overwrite=True)

    def _note_children(self) -> None:
        """Tracks its variables, but for those of templates that its function makes."""
        prefix = self.variable_scope_name or ""
        children = self._trackable_children().values()
        templates = [each for each in children if isinstance(each, Template)]
        inside = {id(v) for each in templates for v in each.variables}
        for variable in self.variables:
            name = variable.name.removeprefix(prefix).removesuffix(":0")
            if id(variable) not in inside and self._lookup_dependency(name) is None:
                self._track_trackable(variable, name)

    def _trained(self) -> list[Any]:
        """The variables that optimizers change, where one that is made comes last."""
        return outer_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def _of_scope(self, kind: str) -> list[Any]:
        name = self.variable_scope_name
        return [] if name is None else outer_graph().get_collection(kind, name)

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        """What it does."""
        return self._function

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of its variables; None before there is one."""
        return self._scope

    @property
    def var_scope(self) -> VariableScope | None:
        """The old name of `variable_scope`."""
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        """What the names of its variables begin with; None before there is a scope."""
        if self._scope is None:
            return None
        name: str = self._scope.name
        return name if not name or name.endswith("/") else f"{name}/"

    @property
    def variables(self) -> Sequence[Any]:
        """Its variables, global ones and local ones."""
        return [*self.global_variables, *self.local_variables]

    @property
    def trainable_variables(self) -> Sequence[Any]:
        """Its variables that optimizers change."""
        return self._of_scope(GraphKeys.TRAINABLE_VARIABLES)

    @property
    def non_trainable_variables(self) -> Sequence[Any]:
        """Its variables that optimizers leave alone."""
        trained = set(map(id, self.trainable_variables))
        return [each for each in self.variables if id(each) not in trained]

    @property
    def global_variables(self) -> Sequence[Any]:
        """Its variables that are not local."""
        return self._of_scope(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self) -> Sequence[Any]:
        """Its local variables."""
        return self._of_scope(GraphKeys.LOCAL_VARIABLES)

    weights = property(lambda self: self.variables, doc="See `variables`.")
    trainable_weights = property(
        lambda self: self.trainable_variables, doc="See `trainable_variables`."
    )
    non_trainable_weights = property(
        lambda self: self.non_trainable_variables, doc="See `non_trainable_variables`."
    )


class EagerTemplate(Template):
    """A template of eager mode, which keeps its variables itself. Templates that its function makes
    are children of it: they have the same variables in each call.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        around = self._around
        self._own: OwnVariables = OwnVariables(
            self._track_new, around._own if isinstance(around, EagerTemplate) else None
        )

    def _track_new(self, name: str, variable: Any) -> None:
        """Lets a new variable have what a checkpoint holds for it."""
        self._track_trackable(variable, name.removeprefix(self.variable_scope_name or ""))

    def _reuse(self) -> Any:
        return AUTO_REUSE

    def _called(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        before, OPEN.variables = OPEN.variables, self._own
        try:
            return super()._called(args, kwargs)
        finally:
            OPEN.variables = before

    def _trained(self) -> list[Any]:
        return [each for each in self._own.by_name.values() if each.trainable]

    @property
    def global_variables(self) -> Sequence[Any]:
        """Its variables, by their names."""
        return sorted(self._own.by_name.values(), key=lambda each: each.name)

    @property
    def local_variables(self) -> Sequence[Any]:
        """None: eager mode knows no local variables."""
        return []

    @property
    def trainable_variables(self) -> Sequence[Any]:
        """Its variables that optimizers change."""
        return [each for each in self.global_variables if each.trainable]
