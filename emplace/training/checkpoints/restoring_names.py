"""Restoring a checkpoint of TF 1's Saver into objects: variables are found by their names."""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike
from ...core.tracking import ANY, AutoTrackable, wait_for
from ...state.checkpoint_files import CheckpointReader
from ...state.object_names import VALUE
from .object_graph import ObjectGraph, ObjectNode, is_saved, variable_of
from .restoring import Restoration


class PlacesByName:
    """The values of a checkpoint that knows variables by their names only.

    Args:
        restoration: its restore, with a node per value after the root.
    """

    def __init__(self, restoration: Restoration) -> None:
        self._restoration = restoration
        self._numbers = {node.path: i for i, node in enumerate(restoration.nodes) if node.path}

    def takes(self, value: TensorLike) -> bool:
        """Whether `value` is an object that may hold variables."""
        return is_saved(value)

    def bind(self, value: object) -> Any:
        """Gives the variables below an object, and those that come later, their values."""
        for each in ObjectGraph(value).objects:
            variable = variable_of(each)
            if variable is not None:
                number = self._numbers.get(variable.name.removesuffix(":0"))
                if number is not None:
                    self._restoration.bind(self._free(number, variable), variable)
            elif isinstance(each, AutoTrackable):
                wait_for(each, ANY, self)
        return value

    def _free(self, number: int, variable: object) -> int:
        """The node of a name; another one like it where a variable of that name has it already."""
        taken = self._restoration.bound.get(number)
        if taken is None or taken() is variable:
            return number
        nodes = self._restoration.nodes
        nodes.append(nodes[number])
        return len(nodes) - 1

    def __deepcopy__(self, memo: object) -> PlacesByName:
        return self


def named_nodes(reader: CheckpointReader) -> list[ObjectNode]:
    """A node per value of a checkpoint."""
    names = sorted(reader.get_variable_to_shape_map())
    return [ObjectNode(values={VALUE: name}, path=name) for name in names]
