"""What objects hold, as a graph: a node per object, an edge per attribute, key or place."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.typing import TensorLike
from ...core.tracking import UNTRACKED, Trackable
from ...eager.generator import Generator
from ...eager.variable import Variable
from ...state.checkpoint_files import CheckpointReader, damaged
from ...state.object_names import GRAPH_KEY, VALUE
from ..optimizer import Optimizer
from .own_values import has_own_way, own_tensors_of, saves_itself

ATTRIBUTES = "/.ATTRIBUTES/"
SUFFIX = ATTRIBUTES + VALUE
_SLOTS = "/.OPTIMIZER_SLOT/"


@dataclass
class ObjectNode:
    """An object of a checkpoint.

    Fields:
        children: the number of the node of each child, by name.
        values: the key of each value of its own, by name: VARIABLE_VALUE for a variable.
        slots: of an optimizer: (node of a variable, name of the slot, node of the slot).
        path: the shortest way to it from the root.
        name: the name of a variable.
    """

    children: dict[str, int] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    slots: list[tuple[int, str, int]] = field(default_factory=list)
    path: str = ""
    name: str = ""


def is_saved(value: object) -> bool:
    """Whether an object may hold variables."""
    return isinstance(value, (Variable, Trackable, Optimizer, Generator, dict, list, tuple))


def variable_of(value: TensorLike) -> Variable | None:
    """The variable that an object is, or stands for as Keras's do."""
    if isinstance(value, Variable):
        return value
    inner = getattr(value, "_value", None) if saves_itself(value) else None
    return inner if isinstance(inner, Variable) else None


def is_unmade(value: object) -> bool:
    """Whether an object stands for a variable that it makes later (Keras's in symbolic calls)."""
    return has_own_way(value) and (
        vars(value).get("_value", value) is None and hasattr(value, "_initialize")
    )


def children(value: TensorLike) -> Iterator[tuple[str, Any]]:
    """What an object holds, by name."""
    yield from ((name, each) for name, each in _held(value) if is_saved(each))


def _held(value: TensorLike) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        _refuse_equal_names(value)
        yield from ((str(name), each) for name, each in value.items())
    elif isinstance(value, (list, tuple)):
        yield from zip(names_of_parts(value), value, strict=True)
    elif isinstance(value, Optimizer):
        yield from value.own_variables().items()
    elif isinstance(value, Generator):
        yield "_state_var", value.state
    elif isinstance(value, Trackable) and not isinstance(value, Variable):
        attributes = {} if saves_itself(value) else _attributes(value)
        yield from {**attributes, **value._trackable_children()}.items()


def names_of_parts(value: Sequence[Any]) -> Sequence[str]:
    """What the parts of a list or tuple are called: by their fields, or by their places."""
    fields = getattr(value, "_fields", None)
    return tuple(fields) if fields is not None else [str(i) for i in range(len(value))]


def _refuse_equal_names(value: Mapping[Any, Any]) -> None:
    """Raises ValueError if two keys that are saved would have one name, as 1 and "1"."""
    names = [str(key) for key, each in value.items() if is_saved(each)]
    if len(set(names)) < len(names):
        raise ValueError(
            f"Unable to save the object {value}: two of its keys have the same name in a "
            "checkpoint. Use strings that differ as keys."
        )


def _attributes(value: Trackable) -> dict[str, Any]:
    """The attributes of a module, without what it notes for itself."""
    attributes = vars(value)
    left_out = set(attributes.get(UNTRACKED, ()))
    if attributes.get("_functional") is not None:
        left_out.add("_layers")  # of a Keras Sequential: building it shifts their places
    return {
        name: each
        for name, each in attributes.items()
        if not name.startswith("_self_") and name not in left_out
    }


def lookup(value: TensorLike, name: str) -> Any:
    """What an object calls `name`; None if there is nothing that is saved."""
    held = dict(_held(value))
    found = held.get(name)
    if found is None and isinstance(value, tuple):  # of named ones, by places, in older files
        found = dict(zip(map(str, range(len(value))), value, strict=True)).get(name)
    if found is None and isinstance(value, Optimizer):  # names of variables, in older files
        found = {each.name.removesuffix(":0"): each for each in value.variables()}.get(name)
    if found is None and isinstance(value, Trackable):
        found = value._lookup_dependency(name, held)
    if found is None and saves_itself(value):
        found = vars(value).get(name)
    return found if is_saved(found) else None


class ObjectGraph:
    """The nodes below an object, the nearer ones first, and children as their owner got them: what
    can be reached in several ways has the name that TensorFlow gives it.

    Args:
        root: the object.
    """

    def __init__(self, root: Any) -> None:
        self.nodes: list[ObjectNode] = []
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        waiting = deque([self._add(root, "")])
        while waiting:
            number = waiting.popleft()
            for name, each in children(self.objects[number]):
                there = self._number(each)
                if there is None:
                    there = self._add(each, _joined(self.nodes[number].path, escaped(name)))
                    waiting.append(there)
                self.nodes[number].children[name] = there
        self._add_slots()

    def _number(self, value: TensorLike) -> int | None:
        variable = variable_of(value)
        return self._numbers.get(id(value if variable is None else variable))

    def _add(self, value: TensorLike, path: str) -> int:
        number, variable = len(self.nodes), variable_of(value)
        node = ObjectNode(path=path)
        if variable is not None:
            node.values = {VALUE: path + SUFFIX}
            node.name = variable.name.removesuffix(":0")
        self.nodes.append(node)
        self.objects.append(value)
        self._numbers[id(value if variable is None else variable)] = number
        return number

    def _add_slots(self) -> None:
        """Adds what optimizers keep beside the variables that are there."""
        found = [(n, each) for n, each in enumerate(self.objects) if isinstance(each, Optimizer)]
        for number, optimizer in found:
            for variable, name, slot in optimizer.slots():
                beside = self._number(variable)
                if beside is not None:
                    path = f"{self.nodes[beside].path}{_SLOTS}{self.nodes[number].path}"
                    there = self._add(slot, f"{path}/{escaped(name)}")
                    self.nodes[number].slots.append((beside, name, there))

    def variables(self) -> dict[str, Variable]:
        """All variables by the key that each is saved under."""
        found = ((node.values, variable_of(each))
                 for node, each in zip(self.nodes, self.objects, strict=True))  # fmt: skip
        return {values[VALUE]: each for values, each in found if each is not None}

    def own_tensors(self) -> dict[str, Any]:
        """What objects save of themselves, by key; their nodes learn the keys."""
        found = {}
        for node, each in zip(self.nodes, self.objects, strict=True):
            if saves_itself(each) and variable_of(each) is None:
                for name, tensor in own_tensors_of(each).items():
                    node.values[name] = node.path + ATTRIBUTES + escaped(name)
                    found[node.values[name]] = tensor
        return found


def has_values(value: TensorLike) -> bool:
    """Whether an object has values of its own."""
    return variable_of(value) is not None or saves_itself(value)


def as_text(nodes: list[ObjectNode]) -> str:
    """Nodes as JSON."""
    return json.dumps([[n.children, n.values, n.slots, n.name] for n in nodes])


def nodes_of(text: str, keys: list[str]) -> list[ObjectNode]:
    """Nodes from JSON, or from the keys of a file that has none of them.

    Raises:
        ValueError, KeyError, TypeError: the text is something else.
    """
    read = json.loads(text)
    if isinstance(read, Mapping):
        return _from_keys(keys, read["others"])
    nodes = [
        ObjectNode(dict(c), dict(v), [(int(a), str(b), int(d)) for a, b, d in s], name=n)
        for c, v, s, n in read
    ]
    last = len(nodes)
    for node in nodes:
        numbers = [*node.children.values(), *(x for a, _, b in node.slots for x in (a, b))]
        if not all(isinstance(each, int) and 0 <= each < last for each in numbers):
            raise ValueError("a child is no node")
    _tell_paths(nodes)
    return nodes


def nodes_in(reader: CheckpointReader) -> list[ObjectNode]:
    """The nodes of a checkpoint.

    Raises:
        DataLossError: they cannot be read.
    """
    known = reader.get_variable_to_shape_map()
    keys = sorted(each for each in known if each.endswith(SUFFIX))
    try:
        nodes = nodes_of(reader.get_tensor(GRAPH_KEY), keys)
        missing = [key for n in nodes for key in n.values.values() if key not in known]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise damaged(reader.prefix, f"its object graph cannot be read ({error!r})") from None
    if missing:
        raise damaged(reader.prefix, f"it has no value {missing[0]!r}")
    return nodes


def _tell_paths(nodes: list[ObjectNode]) -> None:
    """Notes the shortest path to each node."""
    waiting, seen = deque([0]), {0}
    while waiting:
        node = nodes[waiting.popleft()]
        pairs = [*node.children.items()]
        pairs += [(f"({name})", there) for _, name, there in node.slots]
        for name, there in pairs:
            if there not in seen:
                seen.add(there)
                nodes[there].path = _joined(node.path, escaped(name))
                waiting.append(there)


def _from_keys(keys: list[str], others: Mapping[str, str]) -> list[ObjectNode]:
    """The nodes that keys of variables tell of; `others` are further keys of some."""
    nodes, leaves = [ObjectNode()], {}

    def parent(key: str) -> tuple[int, str]:
        *way, last = [unescaped(part) for part in key.removesuffix(SUFFIX).split("/")]
        number = 0
        for name in way:
            if name not in nodes[number].children:
                nodes.append(ObjectNode(path=_joined(nodes[number].path, escaped(name))))
                nodes[number].children[name] = len(nodes) - 1
            number = nodes[number].children[name]
        return number, last

    for key in keys:
        number, name = parent(key)
        nodes.append(ObjectNode(values={VALUE: key}, path=key.removesuffix(SUFFIX)))
        leaves[key] = nodes[number].children[name] = len(nodes) - 1
    for other, key in others.items():
        number, name = parent(other)
        nodes[number].children[name] = leaves[key]
    return nodes


def _joined(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def escaped(name: str) -> str:
    """A name as a part of a path."""
    return name.replace(".", "..").replace("/", ".S")


def unescaped(part: str) -> str:
    """A name from a part of a path."""
    return part.replace(".S", "/").replace("..", ".")
