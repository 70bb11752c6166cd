"""TF 1's `name_scope`, which has a default name and a list of values besides the name."""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike
from ...graph.recording.scopes import current_graph, name_scope


class name_scope_v1:  # noqa: N801  # TensorFlow's name
    """A scope for the names of nodes (`tf.compat.v1.name_scope`).

    Args:
        name: the name; below it nodes are called "name/...". None for `default_name`.
        default_name: the name if there is none; None, without `values`, for no scope at all.
        values: what a function was given; not used.

    Raises:
        TypeError: `default_name` is no text.
        ValueError: there are values and no name.

    >>> with name_scope_v1(None, "layer") as scope:
    ...     scope
    'layer/'
    """

    def __init__(
        self, name: str | None, default_name: str | None = None, values: TensorLike | None = None
    ):
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely "
                "meant to pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._has_values = values is not None
        self._open: list[Any] = []

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    def __enter__(self) -> str:
        if self._name is None and self._has_values:
            raise ValueError(
                "At least one of name (None) and default_name (None) must be provided."
            )
        graph = current_graph()
        name = "" if self._name is None else self._name
        scope = name_scope(name) if graph is None else graph.name_scope(name)
        entered: str = scope.__enter__()
        self._open.append(scope)
        return entered

    def __exit__(self, *exc: object) -> None:
        self._open.pop().__exit__(*exc)


def op_scope(
    values: TensorLike, name: str | None, default_name: str | None = None
) -> name_scope_v1:
    """The same with the arguments of old programs (`tf.compat.v1.op_scope`)."""
    return name_scope_v1(name, default_name, values)
