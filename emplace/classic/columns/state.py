"""What keeps the variables and tables of columns for a model."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ...base.typing import DTypeLike, ShapeLike
from ...core.tracking import Trackable
from ...ops.variables.parts import variables_of
from ..scopes.variable_scope import get_variable
from .column import FeatureColumn


class StateManager:
    """Variables and tables by column and name (`tf.__internal__.feature_column.StateManager`).

    Args:
        layer: the layer of a model that makes and keeps the variables, by `add_weight`.
        trainable: False makes variables that no optimizer changes.
    """

    def __init__(self, layer: Any, trainable: bool) -> None:
        self._layer, self._trainable = layer, trainable
        self._variables: defaultdict[FeatureColumn, dict[str, Any]] = defaultdict(dict)
        self._resources: defaultdict[FeatureColumn, dict[str, Any]] = defaultdict(dict)

    def create_variable(
        self,
        feature_column: FeatureColumn,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """Makes a variable of a column.

        Args:
            feature_column: the column.
            name: its name.
            shape: its shape.
            dtype: its dtype.
            trainable: whether optimizers change it.
            use_resource: not used.
            initializer: what makes its first value.

        Raises:
            ValueError: the column has one of that name.
        """
        if name in self._variables[feature_column]:
            raise ValueError("Variable already exists.")
        is_trained = self._trainable and trainable
        variable = self._made(name, shape, dtype, initializer, is_trained, use_resource)
        if isinstance(self._layer, Trackable):
            self._layer._track_trackable(variable, f"{feature_column.name}/{name}")
        self._variables[feature_column][name] = variable
        return variable

    def _made(
        self, name: str, shape: ShapeLike, dtype: Any, initializer: Any, is_trained: bool,
        use_resource: bool,
    ) -> Any:  # fmt: skip
        return self._layer.add_weight(
            name=name, shape=shape, dtype=dtype, initializer=initializer, trainable=is_trained,
            use_resource=use_resource, getter=get_variable,
        )  # fmt: skip

    def add_variable(self, feature_column: FeatureColumn, var: Any, name: str = "") -> None:
        """Keeps a variable that exists for a column, too."""
        self._variables[feature_column][name or var.name] = var

    def get_variable(self, feature_column: FeatureColumn, name: str) -> Any:
        """The variable of a column.

        Raises:
            ValueError: the column has none of that name.
        """
        if name not in self._variables[feature_column]:
            raise ValueError("Variable does not exist.")
        return self._variables[feature_column][name]

    def add_resource(self, feature_column: FeatureColumn, name: str, resource: Any) -> None:
        """Keeps a table of a column."""
        self._resources[feature_column][name] = resource

    def has_resource(self, feature_column: FeatureColumn, name: str) -> bool:
        """Whether the column has a table of that name."""
        return name in self._resources[feature_column]

    def get_resource(self, feature_column: FeatureColumn, name: str) -> Any:
        """The table of a column.

        Raises:
            ValueError: the column has none of that name.
        """
        if not self.has_resource(feature_column, name):
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column][name]


class ScopedState(StateManager):
    """The same without a layer: variables are those of the open variable scope.

    Args:
        collections: the lists that variables are added to.
        trainable: as for `StateManager`.
    """

    def __init__(self, collections: Any, trainable: bool) -> None:
        super().__init__(None, trainable)
        self._collections = collections

    def _made(
        self, name: str, shape: ShapeLike, dtype: Any, initializer: Any, is_trained: bool,
        use_resource: bool,
    ) -> Any:  # fmt: skip
        return get_variable(
            name, shape, dtype, initializer, trainable=is_trained, collections=self._collections
        )

    def variables_of(self, feature_column: FeatureColumn) -> list[Any]:
        """The variables of a column, those in parts as their parts."""
        found = self._variables[feature_column].values()
        return [part for each in found for part in variables_of(each)]
