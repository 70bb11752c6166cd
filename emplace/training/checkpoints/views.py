"""What is in a checkpoint, and what objects hold, as graphs that can be compared."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from ...base.typing import PathLike
from ...classic.scopes import messages
from ...ops.io.paths import as_text
from ...state.checkpoint_files import CheckpointReader
from ...state.object_names import GRAPH_KEY
from .object_graph import children, is_saved, lookup, nodes_in


class TrackableView:
    """The objects below one, as a checkpoint would find them (`tf.train.TrackableView`).

    Args:
        root: the object, or a weak reference to it.

    >>> from emplace.tensorflow import Module, Variable
    >>> module = Module()
    >>> module.v = Variable(1.0)
    >>> TrackableView(module).descendants() == [module, module.v]
    True
    """

    def __init__(self, root: Any) -> None:
        self._root = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @property
    def root(self) -> Any:
        """The object; None when it is gone."""
        return self._root()

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Returns what an object holds, by name.

        Args:
            obj: the object.
            save_type: not used: what is saved is the same everywhere.
            **kwargs: not used.
        """
        return dict(children(obj))

    def descendants(self) -> list[Any]:
        """The root and all objects below it, each once, the nearer ones first."""
        found, seen, waiting = [], set[int](), deque([self.root])
        while waiting:
            each = waiting.popleft()
            if id(each) not in seen:
                seen.add(id(each))
                found.append(each)
                waiting.extend(self.children(each).values())
        return found


class CheckpointView:
    """The nodes of a checkpoint, by number; the root is 0 (`tf.train.CheckpointView`).

    Nearer nodes have smaller numbers, and children are in the order in which their owner got them.

    Args:
        save_path: its prefix.

    Raises:
        ValueError: it has no objects: a saver of TF 1 wrote it.
        NotFoundError: there is no such checkpoint.
    """

    def __init__(self, save_path: PathLike) -> None:
        reader = CheckpointReader(as_text(save_path))
        if not reader.has_tensor(GRAPH_KEY):
            raise ValueError(
                f'The specified checkpoint "{as_text(save_path)}" does not appear to be '
                f'object-based (saved with TF2) since it is missing the key "{GRAPH_KEY}". Likely '
                "it was created with the TF1 name-based saver and does not contain an object "
                "dependency graph."
            )
        self._nodes = nodes_in(reader)

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of the children of a node, by name."""
        return dict(self._nodes[node_id].children)

    def descendants(self) -> list[int]:
        """The root and all nodes below it, each once, the nearer ones first."""
        found, waiting = list[int](), deque([0])
        while waiting:
            number = waiting.popleft()
            if number not in found:
                found.append(number)
                waiting.extend(self.children(number).values())
        return found

    def match(self, obj: Any) -> dict[int, Any]:
        """The nodes that have an object at their place below `obj`: the objects by number.

        Raises:
            ValueError: `obj` holds no variables.
        """
        if not is_saved(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        found: dict[int, Any] = {0: obj}
        waiting = deque([0])
        while waiting:
            number = waiting.popleft()
            for name, there in self.children(number).items():
                here = lookup(found[number], name)
                if here is not None and there not in found:
                    found[there] = here
                    waiting.append(there)
                elif here is not None and found[there] is not here:
                    messages.warning(
                        "Inconsistent references when matching the checkpoint into this object "
                        f"graph. The referenced objects are: ({found[there]} and {here})."
                    )
        return found

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What matches `obj`, the nodes that match nothing, and the objects that match none.

        Raises:
            ValueError: `obj` holds no variables.
        """
        matched = self.match(obj)
        there = {id(each) for each in matched.values()}
        nodes = [number for number in self.descendants() if number not in matched]
        objects = [each for each in TrackableView(obj).descendants() if id(each) not in there]
        return matched, nodes, objects
