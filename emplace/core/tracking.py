"""Objects that know the variables they are made of: what checkpoints and modules walk over."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

CHILDREN = "_self_unconditional_dependency_names"
# Both are called what TensorFlow calls them: Keras, which saves what it finds in attributes,
# leaves them out.
WAITING = "_self_unconditional_deferred_dependencies"


UNTRACKED = "_self_untracked_names"
ANY = None  # the name under which a place waits for all children


class Awaited(Protocol):
    """A place in a checkpoint that no object has come for yet."""

    def takes(self, value: Any) -> bool:
        """Whether `value` is an object that may have a place in a checkpoint."""

    def bind(self, value: Any) -> Any:
        """Gives `value` what was saved there; returns it, or what is to be kept instead."""


def wait_for(holder: object, name: str | None, place: Awaited) -> None:
    """Notes that the object which `holder` will call `name` has a place in a checkpoint."""
    holder.__dict__.setdefault(WAITING, {}).setdefault(name, []).append(place)


def arrived(holder: object, name: Any, value: object) -> Any:
    """Gives an object that `holder` now calls `name` what checkpoints have for it.

    Returns:
        What `holder` is to keep: the object, or a list or dictionary in its place that tells of
        what is put into it later.
    """
    waiting = holder.__dict__.get(WAITING)
    if waiting and name in waiting and waiting[name][0].takes(value):
        for place in reversed(waiting.pop(name)):  # what was restored last counts
            value = place.bind(value)
    if waiting and ANY in waiting:
        for place in reversed(waiting[ANY]):
            value = place.bind(value) if place.takes(value) else value
    return value


class Trackable:
    """Something with state, or made of such things (TensorFlow's base class of that name).

    Children are in a dict by name.
    """

    def _track_trackable(self, trackable: Trackable, name: str, overwrite: bool = False) -> Any:
        """Makes `trackable` a child called `name`.

        Raises:
            ValueError: another child has that name, and `overwrite` is False.
        """
        children = self.__dict__.setdefault(CHILDREN, {})
        if not overwrite and children.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        children[name] = trackable
        arrived(self, name, trackable)
        return trackable

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Its children by name."""
        return dict(self.__dict__.get(CHILDREN, {}))

    def _lookup_dependency(self, name: str, cached_dependencies: object = None) -> Any:
        """The child called `name`; None if there is none."""
        return self._trackable_children().get(name)

    def _no_dependency(self, value: object) -> Any:
        """A value to be kept in an attribute, but as no child."""
        return value

    def _add_variable_with_custom_getter(
        self, name: str, shape: Any = None, dtype: Any = "float32", initializer: Any = None,
        getter: Any = None, overwrite: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """The variable that `getter` makes of all this, as a child. Keras 2 makes weights so."""
        made = getter(name=name, shape=shape, dtype=dtype, initializer=initializer, **kwargs)
        if overwrite and not isinstance(made, Trackable):
            return made
        return self._track_trackable(made, name, overwrite)

    def _handle_deferred_dependencies(self, name: str, trackable: object) -> None:
        """Gives a child what checkpoints have for it."""
        arrived(self, name, trackable)


class NoDependency:
    """What an attribute is to be, without being a child
    (`tensorflow.python.trackable.data_structures.NoDependency`).

    Args:
        value: of the attribute.
    """

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def sticky_attribute_assignment(trackable: Trackable, name: str, value: object) -> Any:
    """Makes what is about to be an attribute a child, if it is a trackable
    (`tf.__internal__.tracking.sticky_attribute_assignment`).

    Args:
        trackable: whose attribute.
        name: of the attribute.
        value: what it is to be; a `NoDependency` makes no child.

    Returns:
        The value for the attribute.
    """
    if isinstance(value, NoDependency):
        return value.value
    if isinstance(value, Trackable):
        trackable._track_trackable(value, name, overwrite=True)
    elif type(value) in _CONTAINERS and hasattr(trackable, "_flatten_layers"):
        tracked = [
            each
            for each in trackable.__dict__.get(_OF_KERAS, ())
            if not (isinstance(each, ContainerOfLayer) and each.name == name)
        ]
        trackable.__dict__[_OF_KERAS] = [*tracked, ContainerOfLayer(trackable, name, value)]
    return value


_CONTAINERS = (list, tuple, dict)
_OF_KERAS = "_self_tracked_trackables"  # where layers of Keras 2 look for their parts


class TrackableDataStructure(Trackable):
    """What tells of the variables of what is in it
    (`tf.__internal__.tracking.TrackableDataStructure`).
    """

    @property
    def _values(self) -> Iterable[Any]:
        """What is in it."""
        raise NotImplementedError

    @property
    def trainable(self) -> bool:
        """Whether variables in it that can be trained are."""
        return bool(self.__dict__.get(_TRAINS, True))

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.__dict__[_TRAINS] = value

    @property
    def layers(self) -> list[Any]:
        """The layers in it, and those of containers and models in it."""
        return [one for each in _trackables(self._values) for one in _layers_of(each)]

    def _below(self, trains: bool) -> list[Any]:
        """The variables in it that say of themselves that they are trained, or not: those of its
        layers and modules first.
        """
        name = "trainable_variables" if trains else "non_trainable_variables"
        found, own = [], []
        for each in _trackables(self._values):
            if hasattr(each, name):
                found += getattr(each, name)
            elif hasattr(each, "assign") and getattr(each, "trainable", None) is trains:
                own.append(each)
        return found + own

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that are trained."""
        return self._below(trains=True) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables."""
        rest = self._below(trains=False)
        return rest if self.trainable else self._below(trains=True) + rest

    @property
    def weights(self) -> list[Any]:
        """All variables."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def updates(self) -> list[Any]:
        """What its layers are to run after a step."""
        return [one for each in self.layers for one in getattr(each, "updates", ())]

    @property
    def losses(self) -> list[Any]:
        """The losses of its layers."""
        return [one for each in self.layers for one in getattr(each, "losses", ())]

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights


_TRAINS = "_self_trainable"


def _layers_of(value: object) -> list[Any]:
    if hasattr(value, "_is_layer"):
        return [value]
    holds = isinstance(value, TrackableDataStructure) or hasattr(value, "trainable_weights")
    return list(getattr(value, "layers", None) or ()) if holds else []


class ContainerOfLayer(TrackableDataStructure):
    """The layers in a list, tuple or dictionary that is an attribute of a layer of Keras 2, those
    that are appended later, too.

    Args:
        owner: the layer.
        name: of its attribute.
        container: the list, tuple or dictionary.
    """

    def __init__(self, owner: Any, name: str, container: Any) -> None:
        self.name = name
        self._owner, self._container = weakref.ref(owner), container

    @property
    def _values(self) -> list[Any]:
        """What is in it and may have weights, while it is the attribute."""
        owner = self._owner()
        if owner is None or owner.__dict__.get(self.name) is not self._container:
            return []
        return list(_trackables(self._container))


def _trackables(container: Any) -> Iterator[Trackable]:
    for each in container.values() if isinstance(container, dict) else container:
        if type(each) in _CONTAINERS:
            yield from _trackables(each)
        elif isinstance(each, Trackable):
            yield each


class AutoTrackable(Trackable):
    """A trackable whose attributes are its children (`tf.__internal__.tracking.AutoTrackable`)."""

    def __setattr__(self, name: str, value: object) -> None:
        if type(value) is NoDependency:
            value = value.value
            self.__dict__.setdefault(UNTRACKED, set()).add(name)
        elif getattr(self, "_self_setattr_tracking", True):
            if isinstance(value, Trackable):
                self.__dict__.setdefault(CHILDREN, {})[name] = value
            if WAITING in self.__dict__:
                value = arrived(self, name, value)
        elif not name.startswith("_self_"):
            self.__dict__.setdefault(UNTRACKED, set()).add(name)
        super().__setattr__(name, value)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """Its children by name, in the order in which it got them: lists and dictionaries among
        its attributes too, and tuples that hold trackables."""
        left_out = self.__dict__.get(UNTRACKED, ())
        tracked = super()._trackable_children(save_type, **kwargs)
        attributes = {
            name: tracked.get(name, each)
            for name, each in self.__dict__.items()
            if (name in tracked or _is_container(each))
            and name not in left_out
            and not name.startswith("_self_")
        }
        return {**attributes, **tracked}

    def _no_dependency(self, value: object) -> Any:
        return NoDependency(value)

    def __delattr__(self, name: str) -> None:
        self._delete_tracking(name)
        super().__delattr__(name)

    def _delete_tracking(self, name: str) -> None:
        """Makes an attribute no child any more. Keras 2 does that to optimizers."""
        self.__dict__.get(CHILDREN, {}).pop(name, None)


def _is_container(value: object) -> bool:
    """Whether an attribute is a child without being a trackable."""
    return isinstance(value, (list, dict)) or (
        isinstance(value, tuple) and _holds_trackables(value)
    )


def _holds_trackables(values: tuple[Any, ...]) -> bool:
    return any(
        isinstance(each, Trackable) or (isinstance(each, tuple) and _holds_trackables(each))
        for each in values
    )


def no_automatic_dependency_tracking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method whose assignments to `self` make no children."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = getattr(self, "_self_setattr_tracking", True)
        self._self_setattr_tracking = False
        try:
            return method(self, *args, **kwargs)
        finally:
            self._self_setattr_tracking = before

    return untracked
