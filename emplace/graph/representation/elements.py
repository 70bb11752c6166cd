"""What programs find in a graph: operations and tensors by name, collections."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...base.typing import TensorLike
from .names.operations import OperationNames
from .operation import Operation, SymbolicTensor


class Elements(OperationNames):
    """Operations and tensors by name, and which of them may be fetched and fed."""

    def __init__(self) -> None:
        super().__init__()
        self._unfetchable: set[int] = set()
        self._unfeedable: set[int] = set()

    def get_operations(self) -> list[Operation]:
        """All operations, in order."""
        return list(self.operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name.

        Raises:
            KeyError: there is none.
            ValueError: it is a tensor's name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        if ":" in name:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
        self._name_all()
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of that name, such as "x:0".

        Raises:
            KeyError: there is none.
            ValueError: it is no tensor's name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        parts = name.split(":")
        if len(parts) == 1:
            self._name_all()
            if name in self._by_name:
                raise ValueError(
                    f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must "
                    'be of the form "<op_name>:<output_index>".'
                )
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        if len(parts) != 2 or not parts[1].isdigit():
            raise ValueError(
                f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        self._name_all()
        operation, index = self._by_name.get(parts[0]), int(parts[1])
        if operation is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{parts[0]!r}, does not exist in the graph."
            )
        if index >= len(operation.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{parts[0]!r}, exists but only has {len(operation.outputs)} outputs."
            )
        return operation.outputs[index]

    def _name_all(self) -> None:
        for operation in self.operations:
            if not operation.is_named:
                self.name_constant(operation)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """Returns the tensor or operation that `obj`, one of those or a name, means here.

        Args:
            obj: a tensor, an operation, a name, or what has `_as_graph_element`.
            allow_tensor: whether it may be a tensor.
            allow_operation: whether it may be an operation.

        Raises:
            KeyError, TypeError, ValueError: it means nothing here.
        """
        what = " or ".join(
            kind for kind, is_one in
            (("Tensor", allow_tensor), ("Operation", allow_operation)) if is_one
        )  # fmt: skip
        if not what:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            obj = convert()
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._by_text(name, allow_tensor, allow_operation)
        if isinstance(obj, SymbolicTensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {what}.")

    def _by_text(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
            return self.get_tensor_by_name(name)
        if not allow_operation:
            return self.get_tensor_by_name(name)
        return self.get_operation_by_name(name)

    def prevent_fetching(self, op: Operation) -> None:
        """Forbids to fetch an operation's outputs."""
        self._unfetchable.add(op.id)

    def prevent_feeding(self, tensor: SymbolicTensor) -> None:
        """Forbids to feed a tensor."""
        self._unfeedable.add(id(tensor))

    def is_fetchable(self, element: Any) -> bool:
        """Whether a tensor or operation may be fetched."""
        operation = element.op if isinstance(element, SymbolicTensor) else element
        return operation.id not in self._unfetchable

    def is_feedable(self, tensor: SymbolicTensor) -> bool:
        """Whether a tensor may be fed."""
        return id(tensor) not in self._unfeedable


class Collections:
    """Lists of whatever a program wants to find again, by name."""

    def __init__(self) -> None:
        self._collections: dict[Any, list[Any]] = {}
        self._finalized = False

    @property
    def finalized(self) -> bool:
        """True if nothing can be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """From now on nothing can be added."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        """Lets it be added to again; TensorFlow's name, which programs use."""
        self._finalized = False

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def add_to_collection(self, name: str | None, value: Any) -> None:
        """Adds a value to the list of that name."""
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: str | Sequence[str], value: TensorLike) -> None:
        """Adds a value to several lists."""
        for name in dict.fromkeys([names] if isinstance(names, str) else names or ()):
            self.add_to_collection(name, value)

    def get_collection(self, name: str | None, scope: str | None = None) -> list[Any]:
        """A copy of a list; with `scope`, a regular expression, what has such a name."""
        found = self._collections.get(name, [])
        if scope is None:
            return list(found)
        matches = re.compile(scope).match
        return [each for each in found if hasattr(each, "name") and matches(each.name)]

    def get_collection_ref(self, name: str | None) -> list[Any]:
        """The list itself."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that are texts."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: str | None) -> None:
        """Forgets a list."""
        self._collections.pop(name, None)
