"""`tf.raw_ops` by name: the registry first, then the table, then what refuses."""

from __future__ import annotations

import difflib
import functools
import importlib
from collections.abc import Callable
from typing import Any, NoReturn

from .. import ops
from ..base.errors import UnimplementedError
from ..core.context import LOCAL
from ..ops.op import REGISTRY
from ..ops.raw import has_raw_form, python_name, raw_op
from .arguments import check_dtypes, with_required
from .calls import described, raw_function
from .definitions import Definition, definition, names
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


# Ops that are declared when somebody asks for them, and where.
_LATE = {
    "DrawBoundingBoxesV2": "image.frames",
    "ExtractVolumePatches": "array.volume_patches",
    "IsotonicRegression": "nn.isotonic",
    "SampleDistortedBoundingBoxV2": "image.random_boxes",
    "StatelessSampleDistortedBoundingBox": "image.random_boxes",
}


@functools.cache
def _found(name: str) -> Callable[..., Any]:
    if name in _LATE:
        importlib.import_module(f"{ops.__name__}.{_LATE[name]}")
    if is_registered(name):
        return _checked(name, raw_op(name))
    found = definition(name)
    return raw_function(found, ROWS[name]) if name in ROWS else _refusing(name)


_ONE = {"bool", "float", "int"}


def _checked(name: str, raw: Callable[..., Any]) -> Callable[..., Any]:
    """A raw op that takes only dtypes that TensorFlow lists for its attributes, and no list for one
    that is one number, which Python would take for True, or torch for the number in it.
    """

    @functools.wraps(raw)
    def call(*positional: Any, **keywords: Any) -> Any:
        for argument, value in keywords.items():
            if isinstance(value, (list, tuple)):
                about = definition(name).attributes.get(argument)
                if about is not None and about.type in _ONE:
                    raise TypeError(
                        f"Expected {about.type} for argument {argument!r} not {value!r}."
                    )
        check_dtypes(definition(name), keywords)
        return raw(*positional, **keywords)

    return call


def is_registered(name: str) -> bool:
    """Whether the op's own record makes its raw form."""
    return name in REGISTRY and has_raw_form(REGISTRY[name])


def _refusing(name: str) -> Callable[..., Any]:
    """What stands for an op that Emplace does not have. It raises what TensorFlow raises, if it
    cannot be called there either.
    """
    found = definition(name)

    def raw(*positional: Any, **keywords: Any) -> NoReturn:
        is_eager = LOCAL.state.target.is_eager
        if found.has_references and is_eager:
            with_required(found, positional, keywords)
            raise RuntimeError(
                f"{python_name(name)} op does not support eager execution. Arg "
                f"{_reference(found)!r} is a ref."
            )
        version, advice = found.removed
        if version:
            with_required(found, positional, keywords)
            text = (
                f"Op {name} is not available in GraphDef version {_GRAPHS}. It has been removed "
                f"in version {version}. {advice}."
            )
            if is_eager:
                raise UnimplementedError(None, None, f"{text} [Op:{name}] name: ")
            raise NotImplementedError(text)
        raise NotImplementedError(f"Emplace has no tf.raw_ops.{name}. {hint_for(name)}")

    raw.refuses = True  # type: ignore[attr-defined]  # for who lists names
    return described(found, raw)


def _reference(found: Definition) -> str:
    """The argument that TensorFlow names: the last one."""
    return [part.name for part in (*found.inputs, *found.outputs) if part.is_reference][-1]


# The version of graphs that TensorFlow 2.21 writes, which tells which ops are gone.
_GRAPHS = 2474


def served_names() -> list[str]:
    """The names of all raw ops that compute something."""
    return sorted({*filter(is_registered, REGISTRY), *ROWS, *_LATE})


def refused_names() -> list[str]:
    """The names of TensorFlow's raw ops that refuse."""
    return sorted(set(names()).difference(served_names()))


def raw_names() -> list[str]:
    """What `dir(tf.raw_ops)` lists: the raw ops that compute something."""
    return served_names()
