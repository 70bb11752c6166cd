"""`tf.raw_ops` by name: the registry first, then the table, then what refuses."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable
from typing import Any, NoReturn

from ..ops.op import REGISTRY
from ..ops.raw import has_raw_form, raw_op
from .calls import described, raw_function
from .definitions import definition, names
from .refusals import hint_for
from .table import ROWS


def raw_attribute(name: str) -> Callable[..., Any]:
    """`tf.raw_ops.<name>`, as a module looks it up.

    Raises:
        AttributeError: TensorFlow has no such op.
    """
    try:
        return _found(name)
    except KeyError:
        near = difflib.get_close_matches(name, served_names(), n=3)
        hint = f"Did you mean {', '.join(near)}? " if near else ""
        raise AttributeError(
            f"module 'tensorflow.raw_ops' has no attribute {name!r}: Emplace has no op of that "
            f"name. {hint}emplace.kernels() lists the ops there are."
        ) from None


@functools.cache
def _found(name: str) -> Callable[..., Any]:
    if is_registered(name):
        return raw_op(name)
    found = definition(name)
    return raw_function(found, ROWS[name]) if name in ROWS else _refusing(name)


def is_registered(name: str) -> bool:
    """Whether the op's own record makes its raw form."""
    return name in REGISTRY and has_raw_form(REGISTRY[name])


def _refusing(name: str) -> Callable[..., Any]:
    """What stands for an op that Emplace does not have."""

    def raw(*positional: Any, **keywords: Any) -> NoReturn:
        raise NotImplementedError(f"Emplace has no tf.raw_ops.{name}. {hint_for(name)}")

    return described(definition(name), raw)


def served_names() -> list[str]:
    """The names of all raw ops that compute something."""
    return sorted({*filter(is_registered, REGISTRY), *ROWS})


def refused_names() -> list[str]:
    """The names of TensorFlow's raw ops that refuse."""
    return sorted(set(names()).difference(served_names()))


def raw_names() -> list[str]:
    """The names of all raw ops."""
    return sorted({*names(), *served_names()})
