"""Resources that programs share by name: in eager mode, one per kind of op and name.

Without a name every call makes a resource of its own. (TensorFlow's eager execution then hands out
one per kind of op, which is named after the op.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..base.errors import invalid_argument
from ..core.context import LOCAL, at_reset
from .definitions import Definition

# What TensorFlow calls a resource that nobody shares.
ANONYMOUS = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

_SHARED: dict[tuple[str, str, str], tuple[dict[str, Any], Any]] = {}
at_reset(_SHARED.clear)


def shared(found: Definition, given: Mapping[str, Any], make: Callable[[], Any]) -> Any:
    """The resource of that name, made if there is none.

    Raises:
        NotImplementedError: in a graph, where sessions would have to share it.
        InvalidArgumentError: there is one with other attributes.
    """
    name = given.get("shared_name")
    if not name or name == ANONYMOUS or not found.outputs or found.outputs[0].kind != "resource":
        return make()
    if not LOCAL.state.target.is_eager:
        raise NotImplementedError(
            f"tf.raw_ops.{found.name}: Emplace shares resources by name in eager mode alone, got "
            f"shared_name={name!r} in a graph. Pass the handle itself on."
        )
    key = found.name, str(given["container"]), str(name)
    kind = {each: given[each] for each in ("dtype", "key_dtype", "value_dtype") if each in given}
    if key not in _SHARED:
        _SHARED[key] = kind, make()
    known, handle = _SHARED[key]
    if known != kind:
        raise invalid_argument(
            f"There is a resource {name!r} of {known}, got {kind} [Op:{found.name}]"
        )
    return handle
