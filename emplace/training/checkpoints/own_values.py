"""Objects that say themselves what is saved of them, in one of TensorFlow's two ways.

The newer way is a method that gives tensors by name and one that takes them back. The older one
gives, by name, variables or makers of *saveables*: objects with `specs`, what is written, and
`restore`, as `tf.compat.v1.train.Saver` takes them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...core.tracking import Trackable
from ...eager.variable import Variable
from ...graph.recording.grouping import group
from ...state.saved_variables import is_maker, tensor_of

_TENSORS, _SAVEABLES = "_serialize_to_tensors", "_gather_saveables_for_checkpoint"


def has_own_way(value: object) -> bool:
    """Whether an object says which tensors are saved for it."""
    kind = type(value)
    return isinstance(value, Trackable) and (hasattr(kind, _TENSORS) or hasattr(kind, _SAVEABLES))


def saves_itself(value: TensorLike) -> bool:
    """The same, of a Keras variable once it has a value."""
    return has_own_way(value) and getattr(value, "_value", value) is not None


def own_tensors_of(value: Any) -> dict[str, Tensor]:
    """What an object saves of itself, by name."""
    if hasattr(type(value), _TENSORS):
        return dict(value._serialize_to_tensors())
    found: dict[str, Tensor] = {}
    for name, each in _saveables(value):
        if isinstance(each, Variable):
            found[name] = each.read_value()
        elif isinstance(each, Tensor):
            found[name] = each
        else:
            for spec in each.specs:
                found[spec.name] = tensor_of(spec)
    return found


def take_own(value: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Gives an object what it saved; in a graph the operation that does so."""
    if hasattr(type(value), _TENSORS):
        return value._restore_from_tensors(tensors)
    given = []
    for name, each in _saveables(value):
        if isinstance(each, Variable):
            given.append(each.assign(tensors[name]))
        elif not isinstance(each, Tensor):  # whose value cannot be set
            given.append(each.restore([tensors[spec.name] for spec in each.specs], None))
    return group(*[each for each in given if each is not None])


def _saveables(value: Any) -> Iterator[tuple[str, Any]]:
    """What the older way gives, by name."""
    for name, each in value._gather_saveables_for_checkpoint().items():
        yield name, each(name=name) if is_maker(each) else each
