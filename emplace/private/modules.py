"""Private modules of TensorFlow, as far as their names are public ones or ours.

Libraries import them though they are nobody's interface: `from tensorflow.python.framework import
ops`. A module here is made when it is imported, a name when it is asked for. It is, in this order,
one of `own_names.py`, the public name that TensorFlow exports it under (`public_names.json.gz`, see
`scripts/record_oracle/private_names.py`), a raw op, or a name of one of the modules that stand in
for its module.
"""

from __future__ import annotations

import functools
import gzip
import importlib
import importlib.resources
import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..base.missing import Missing
from ..hook import ALIASES
from .own_names import NAMES, NEVER, STAND_INS

ROOT = "tensorflow.python."
_FACADE = "emplace.tensorflow"
_LACKS = (
    "Emplace has no {}, a private name of TensorFlow. Use a public name, or tell us what needs it."
)


@functools.cache
def _public() -> dict[str, dict[str, Any]]:
    """From a module below `tensorflow.python` to a dictionary from its names to public ones."""
    file = importlib.resources.files(__package__) / "public_names.json.gz"
    found: dict[str, dict[str, Any]] = json.loads(gzip.decompress(file.read_bytes()))
    return found


def _aliases() -> set[str]:
    """Modules below `tensorflow.python` that the import hook serves by itself."""
    return {name.removeprefix(ROOT) for name in ALIASES if name.startswith(ROOT)}


def _short(fullname: str) -> str:
    """A module's name below `tensorflow.python`, "" for that itself."""
    return fullname.removeprefix(ROOT.removesuffix(".")).removeprefix(".")


@functools.cache
def _packages() -> frozenset[str]:
    names = {*_public(), *NAMES, *NEVER, *STAND_INS, *_aliases()}
    return frozenset({""}) | frozenset(
        name.rsplit(".", n)[0] for name in names for n in range(1, name.count(".") + 1)
    )


class PrivateModule(ModuleType):
    """A private module; what it has is found when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _found(_short(self.__name__), name)
        vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        short = _short(self.__name__)
        return sorted({*vars(self), *NAMES.get(short, ()), *_public().get(short, ())} - {"raw"})


def module(fullname: str) -> ModuleType | None:
    """The private module of a name, None if TensorFlow has no such module.

    Args:
        fullname: such as "tensorflow.python.framework.ops".
    """
    short = _short(fullname)
    if not any(short in table for table in (_public(), NAMES, NEVER, STAND_INS, _packages())):
        return None
    made = PrivateModule(fullname, "A private module of TensorFlow, as far as it is served.")
    if short in _packages():
        made.__path__ = []
    return made


def _found(short: str, name: str) -> Any:
    """What a name of a private module is.

    Raises:
        AttributeError: there is no such thing here; `from ... import` makes an ImportError of it.
    """
    entry = NAMES.get(short, {}).get(name)
    if entry is not None:
        where, ours = entry
        here = importlib.import_module(where)
        return here if ours == "*" else getattr(here, ours)
    listed = _public().get(short, {})
    if name in listed.get("raw", {}):
        return _by_position(name, *listed["raw"][name])
    if name in listed:
        return _of_facade(listed[name])
    for stand_in in STAND_INS.get(short, ()):
        value = getattr(importlib.import_module(stand_in), name, None)
        if value is not None:
            return value
    if name in NEVER.get(short, "").split():
        return Missing.of(f"{ROOT}{short}.{name}", "It is a private name of TensorFlow.")
    below = f"{short}.{name}".removeprefix(".")
    if any(below in table for table in (_public(), NAMES, STAND_INS, _aliases(), _packages())):
        return importlib.import_module(ROOT + below)
    if short.partition(".")[0] == "keras":
        return _of_keras_two(short.removeprefix("keras").removeprefix("."), name)
    raise AttributeError(_LACKS.format(f"{ROOT}{below}"))


# Modules of that copy that are elsewhere in Keras 2.
_MOVED = {"testing_utils": "testing_infra.test_utils"}


def _of_keras_two(module: str, name: str) -> Any:
    """What Keras 2 has under a name of TensorFlow's old copy of it, `tensorflow.python.keras`.

    Raises:
        AttributeError: Keras 2 lacks it, or is not installed.
    """
    where = f"tf_keras.src.{_MOVED.get(module, module)}".removesuffix(".")
    try:
        if not module and name in _MOVED:
            return importlib.import_module(f"{where}.{_MOVED[name]}")
        return getattr(importlib.import_module(where), name)
    except (ModuleNotFoundError, AttributeError) as error:
        whole = f"{ROOT}keras.{module}.{name}".replace("..", ".")
        raise AttributeError(
            f"{_LACKS.format(whole)} With Keras 2 (`pip install --no-deps tf_keras`) it would be "
            f"that of {where}."
        ) from error


def _of_facade(public: str) -> Any:
    """What a public name such as "tf.math.add" stands for."""
    value: Any = importlib.import_module(_FACADE)
    for part in public.split(".")[1:]:
        value = getattr(value, part)
    return value


def _by_position(name: str, op: str, parameters: list[str]) -> Callable[..., Any]:
    """A function of a generated module: a raw op that takes its arguments in their order."""
    raw = getattr(importlib.import_module(f"{_FACADE}.raw_ops"), op)

    def call(*args: Any, **kwargs: Any) -> Any:
        wishes = dict(zip(parameters, args, strict=False)) | kwargs
        wishes.pop("ctx", None)
        return raw(**wishes)

    call.__name__ = call.__qualname__ = name
    return call
