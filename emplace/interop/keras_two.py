"""What Keras 2 (`tf_keras`) tells TensorFlow about itself, and asks of its insides
(`tf.__internal__`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..core.context import LOCAL
from ..core.tracking import Trackable
from ..eager.variable import Variable
from ..graph.recording.scopes import init_scope

#: What was registered, by what it is for.
REGISTERED: dict[str, Callable[..., Any]] = {}


def register_call_context_function(func: Callable[..., Any]) -> None:
    """Keeps the function that tells Keras's call context."""
    REGISTERED["call context"] = func


def register_clear_session_function(func: Callable[..., Any]) -> None:
    """Keeps the function that forgets Keras's state."""
    REGISTERED["clear session"] = func


def register_get_session_function(func: Callable[..., Any]) -> None:
    """Keeps the function that returns Keras's session."""
    REGISTERED["get session"] = func


def register_load_model_function(func: Callable[..., Any]) -> None:
    """Keeps the function that loads models."""
    REGISTERED["load model"] = func


def register_session_provider(session_provider: Callable[..., Any]) -> None:
    """Keeps the function that returns the session that checkpoints of graphs use."""
    REGISTERED["session provider"] = session_provider


def set_using_mixed_precision_policy(is_using: bool) -> None:
    """Does nothing: no graph is rewritten for mixed precision, so nothing can be done twice."""


def is_tfrt_enabled() -> bool:
    """Returns False: there is one runtime."""
    return False


def get_enclosing_xla_context() -> None:
    """Returns None: there is no XLA."""


@contextmanager
def load_context(load_options: object) -> Iterator[None]:
    """A scope in which a SavedModel is loaded; none is."""
    yield


class VersionedTypeRegistration:
    """How a type comes back from a SavedModel, which is kept and not used: none is loaded."""

    def __init__(
        self, object_factory: Callable[..., Any], version: int, min_producer_version: int,
        min_consumer_version: int, bad_consumers: object = None,
        setter: Callable[..., Any] | None = None,
    ) -> None:  # fmt: skip
        self.object_factory, self.version, self.setter = object_factory, version, setter
        self.identifier: str | None = None


_REVIVED: dict[str, list[VersionedTypeRegistration]] = {}


def register_revived_type(
    identifier: str, predicate: Callable[..., Any], versions: list[VersionedTypeRegistration]
) -> None:
    """Keeps how a type comes back from a SavedModel.

    Args:
        identifier: the name of the type.
        predicate: tells whether an object is of it.
        versions: its versions.
    """
    for each in versions:
        each.identifier = identifier
    _REVIVED[identifier] = versions


def registered_identifiers() -> Any:
    """Returns the names of those types."""
    return _REVIVED.keys()


def get_setter(proto: Any) -> Callable[..., Any] | None:
    """Returns the function that sets an attribute of a type that came back."""
    found = _REVIVED.get(proto.identifier, ())
    return next((each.setter for each in found), None)


def is_resource_variable(var: object) -> bool:
    """Tells whether a value is a variable: all of them are resources."""
    return isinstance(var, Variable)


@contextmanager
def eager_mode() -> Iterator[None]:
    """A scope in eager mode."""
    with init_scope():
        yield


def get_device_name() -> str:
    """Returns the device that the program asked for, "" for none."""
    scope = LOCAL.state.scope
    return "" if scope is None else str(getattr(scope, "name", "") or "")


class TrackableReference:
    """A child of an object of a checkpoint, and its name
    (`tf.__internal__.tracking.TrackableReference`).
    """

    def __init__(self, name: str, ref: Trackable) -> None:
        self.name, self.ref = name, ref

    def __iter__(self) -> Iterator[Any]:
        return iter((self.name, self.ref))


class DelegatingTrackableMixin:
    """Lets an object be another one in checkpoints
    (`tf.__internal__.tracking.DelegatingTrackableMixin`).
    """

    def __init__(self, trackable_obj: Trackable) -> None:
        self._trackable = trackable_obj

    def _trackable_children(self, *args: Any, **kwargs: Any) -> Any:
        inner: Any = self._trackable
        return inner._trackable_children(*args, **kwargs)


class Trace:
    """Marks a step of a program for a profiler (`tf.profiler.experimental.Trace`). As in TensorFlow
    while no profiler runs it does nothing, and here none ever does.

    Args:
        name: of what is marked.
        kwargs: what the profiler is to know of it, such as `step_num`.

    >>> import emplace.tensorflow as tf
    >>> with tf.profiler.experimental.Trace("train", step_num=1, _r=1):
    ...     print(tf.constant(1) + 1)
    tf.Tensor(2, shape=(), dtype=int32)
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> Trace:
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds to what the profiler is to know."""

    def __exit__(self, *exc: object) -> None:
        pass
