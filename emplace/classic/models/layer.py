"""What the layers of `tf.layers` have in common: a variable scope, and variables in it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import DTypeLike, InitializerLike, ShapeLike, TensorLike
from ...ops.convert import to_tensor
from ...ops.variables.parts import variables_of
from ..scopes.collections import GraphKeys, add_to_collection, outer_graph
from ..scopes.op_names import inside
from ..scopes.variable_scope import VariableScope, get_variable, get_variable_scope, variable_scope


def default_layer_name(kind: type) -> str:
    """ "Conv2DTranspose" as "conv2d_transpose"."""
    name = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", kind.__name__)
    return re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()


def _in_its_scope(build: Callable[..., None]) -> Callable[..., None]:
    """A `build` that opens the layer's scope if a program calls it itself."""

    @functools.wraps(build)
    def call(self: Layer, input_shape: Any) -> None:
        if self._builds:
            build(self, input_shape)
            return
        with self._opened(None):
            self._build(build.__get__(self), input_shape)

    return call


class Layer:
    """A function with variables of its own, made at the first call
    (`tf.compat.v1.layers.Layer`).

    Args:
        trainable: whether optimizers change its variables.
        name: the name of its variable scope; one after the class if None.
        dtype: the dtype of its variables, that of the inputs if None.
        _scope: a variable scope or its name, which is used as it is.
        _reuse: whether variables are looked up.
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        *,
        _scope: Any = None,
        _reuse: Any = None,
        **unknown: Any,
    ) -> None:
        for each in unknown:
            raise TypeError(f"Keyword argument not understood: {each!r}")
        self.trainable = trainable
        self.built = False
        self._builds = False
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._base_name = name or default_layer_name(type(self))
        self._reuse = _reuse
        self._scope: VariableScope | None = None
        self._variables: list[Any] = []
        self.updates: list[Any] = []
        self._losses: list[Any] = []
        if _scope is not None:
            with variable_scope(_scope) as scope:
                self._scope = scope
            self._is_new = True
        self._calls = 0

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "build" in vars(cls):
            cls.build = _in_its_scope(vars(cls)["build"])  # type: ignore[method-assign]

    # -- what layers define ---------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Makes the variables, with `add_variable`."""

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes."""
        return inputs

    # -- what programs use ----------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of its scope."""
        return self._base_name if self._scope is None else self._scope.name

    scope_name = name

    @property
    def dtype(self) -> Any:
        """The dtype of its variables."""
        return self._dtype

    @property
    def variables(self) -> list[Any]:
        """Its variables."""
        return list(self._variables)

    weights = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that optimizers change."""
        return [each for each in self._variables if each.trainable] if self.trainable else []

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """Those that they do not."""
        kept = {id(each) for each in self.trainable_variables}
        return [each for each in self._variables if id(each) not in kept]

    non_trainable_weights = non_trainable_variables

    @property
    def losses(self) -> list[Any]:
        """The losses of its regularizers."""
        return list(self._losses)

    def add_variable(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Callable[..., Any] | None = None,
        trainable: bool = True,
        constraint: Callable[..., Any] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        partitioner: Callable[..., Any] | None = None,
        **more: Any,
    ) -> Any:
        """A variable of the layer, in its scope; its `variables` has the parts of one in parts."""
        lists = outer_graph()._collections
        before = len(lists.get(GraphKeys.REGULARIZATION_LOSSES, ()))
        made = get_variable(
            name, shape, dtype or self._dtype or dtypes.float32, initializer, regularizer,
            trainable and self.trainable, constraint=constraint, synchronization=synchronization,
            aggregation=aggregation, partitioner=partitioner,
        )  # fmt: skip
        self._losses += lists.get(GraphKeys.REGULARIZATION_LOSSES, [])[before:]
        for part in variables_of(made):
            if not any(part is each for each in self._variables):
                self._variables.append(part)
        return made

    add_weight = add_variable

    def _weight(self, name: str, sizes: list[int], options: tuple[Any, Any, Any]) -> Any:
        """A variable with (initializer, regularizer, constraint)."""
        initializer, regularizer, constraint = options
        return self.add_variable(name, sizes, None, initializer, regularizer, constraint=constraint)

    def add_loss(self, losses: TensorLike, inputs: TensorLike | None = None) -> None:
        """Adds losses to the layer's and the graph's."""
        for each in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append(each)
            add_to_collection(GraphKeys.REGULARIZATION_LOSSES, each)

    def add_update(self, updates: TensorLike, inputs: TensorLike | None = None) -> None:
        """Adds updates to the layer's and the graph's."""
        for each in updates if isinstance(updates, (list, tuple)) else [updates]:
            self.updates.append(each)
            outer_graph().add_to_collection(GraphKeys.UPDATE_OPS, each)

    def apply(self, inputs: TensorLike, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes; makes the variables at the first call."""
        with self._opened(kwargs.pop("scope", None)) as scope, inside(self._names(scope)):
            if not isinstance(inputs, (list, tuple)):
                inputs = to_tensor(inputs)
            self._make(inputs)
            return self.call(inputs, *args, **kwargs)

    def _make(self, inputs: Any) -> None:
        if self.built:
            return
        first = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
        if self._dtype is None:
            self._dtype = first.dtype
        self._build(self.build, first.shape)

    def _build(self, build: Callable[..., None], input_shape: Any) -> None:
        self._builds = True
        try:
            build(input_shape)
        finally:
            self._builds = False
        self.built = True

    def _opened(self, given: object) -> Any:
        """The layer's variable scope, opened again."""
        if self._scope is None:
            with variable_scope(given, default_name=self._base_name) as scope:
                self._scope = scope
        reuse = True if self.built else self._reuse
        return variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False)

    def _names(self, scope: VariableScope) -> str:
        """The name scope: that of the variable scope first, then numbered ones."""
        self._calls += 1
        if self._calls == 1 and scope.original_name_scope:
            return str(scope.original_name_scope)
        return str(scope.name.split("/")[-1])


def functional(kind: type[Layer]) -> Callable[..., Any]:
    """The function that makes a layer and calls it once."""

    def layer(inputs: TensorLike, *args: Any, reuse: object = None, **kwargs: Any) -> Any:
        name = kwargs.get("name")
        made = kind(*args, _scope=name, _reuse=reuse, **kwargs)
        return made(inputs)

    layer.__name__ = layer.__qualname__ = default_layer_name(kind)
    layer.__doc__ = (
        f"Makes a `{kind.__name__}` and calls it (`tf.compat.v1.layers.{layer.__name__}`). With "
        "`name` and `reuse=True` it shares the variables of an earlier one."
    )
    return layer


__all__ = ["Layer", "default_layer_name", "functional", "get_variable_scope"]
