"""Serves the private modules that TensorFlow's tests import, out of what Emplace has.

`install(source)` comes after `emplace.install()`. A name of a private module is the first of these
that there is: a stand-in; a raw op; the public name that TensorFlow exports it under (Emplace's own
table of private modules knows); what its generated module has, or another version of it; what
Emplace serves itself; the public name that another private module exports it under. Else it is a
hole.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import importlib
import importlib.abc
import importlib.machinery
import importlib.resources
import importlib.util
import inspect
import json
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emplace.base.missing import Missing
from emplace.hook import ALIASES
from emplace.private import modules

from . import test_util
from .helpers import HELPERS, helper_loader
from .holes import USES, Hole, MissingPublic, NotPublic
from .stand_ins import NAMES

_PYTHON = "tensorflow.python."
# What is served; all of it is private to TensorFlow.
_ROOTS = (
    "tensorflow.python", "tensorflow.core", "tensorflow.compiler", "tensorflow.tools",
    "tensorflow.dtensor", "tensorflow.lite", "xla", "local_xla", "tsl",
)  # fmt: skip
# Where public names of messages are, before those that TensorBoard declares.
_OF_MESSAGES = ("tf.train", "tf.compat.v1", "tf.compat.v1.train", "tf.compat.v1.summary")
_VERSIONS = ("_v1", "_v2", "V2", "V1")
# What a search has found that has found nothing: None is a value, that of `tf.newaxis`.
_NOTHING = object()


def is_served(fullname: str) -> bool:
    """Whether a module is one of TensorFlow's private ones."""
    return any(f"{fullname}.".startswith(f"{root}.") for root in _ROOTS)


@functools.cache
def table() -> dict[str, dict[str, Any]]:
    """From a module below `tensorflow.python` to its names that have public ones.

    Functions of generated modules are under "raw": from a name to the op and its arguments.
    """
    file = importlib.resources.files("emplace.private") / "public_names.json.gz"
    found: dict[str, dict[str, Any]] = json.loads(gzip.decompress(file.read_bytes()))
    return found


def public_path(short: str, name: str) -> str:
    """The public name of a name, such as "tf.math.add"; "" if it has none."""
    path = table().get(short, {}).get(name, "")
    is_public = name != "raw" and "__internal__" not in path and "__operators__" not in path
    return path if is_public else ""


@functools.cache
def exported_elsewhere() -> dict[str, list[str]]:
    """From a name to public names that end like it."""
    elsewhere: dict[str, list[str]] = {}
    for short, names in sorted(table().items()):
        for name in names if "numpy" not in short else ():
            path = public_path(short, name)
            if path.rpartition(".")[2] == name and "dtensor" not in path and name[0] != "_":
                elsewhere.setdefault(name, []).append(path)
    return elsewhere


@functools.cache
def packages() -> frozenset[str]:
    """The private modules that hold others."""
    names = [f"{_PYTHON}{short}" for short in (*table(), *NAMES, *HELPERS)]
    return frozenset(
        name.rsplit(".", n)[0] for name in names for n in range(1, name.count(".") + 1)
    )


def public(path: str) -> Any:
    """What Emplace has under a public name.

    Raises:
        AttributeError: it lacks it.
    """
    value: Any = importlib.import_module("tensorflow")
    parts = path.split(".")[1:]
    for i, part in enumerate(parts):
        try:
            value = getattr(value, part)
        except AttributeError:
            try:
                value = importlib.import_module(".".join(["tensorflow", *parts[: i + 1]]))
            except ImportError:
                raise AttributeError(path) from None
    return value


def first_of(paths: Sequence[str]) -> Any:
    """What Emplace has under the first of several public names that it has."""
    for path in paths:
        with contextlib.suppress(AttributeError):
            return public(path)
    return _NOTHING


def raw(op: str, parameters: Sequence[str]) -> Any:
    """A function of a generated module: a raw op that takes arguments by position, too."""
    path = f"tf.raw_ops.{op}"
    try:
        run = public(path)
    except AttributeError:
        return Hole(path, MissingPublic)
    if not parameters:
        with contextlib.suppress(TypeError, ValueError):
            parameters = list(inspect.signature(run).parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        kwargs.update(zip(parameters, args, strict=False))
        if kwargs.get("name", "") is None:
            del kwargs["name"]
        return run(**kwargs)

    call.__name__ = op
    return call


def message(fullname: str, name: str) -> Any:
    """A name of a module of protocol buffers."""
    value = first_of([f"{prefix}.{name}" for prefix in _OF_MESSAGES])
    if hasattr(value, "DESCRIPTOR"):
        return value
    with contextlib.suppress(ImportError, AttributeError):
        theirs = importlib.import_module(f"tensorboard.compat.proto.{fullname.rpartition('.')[2]}")
        return getattr(theirs, name)
    return Hole(f"{fullname}.{name}")


def find(fullname: str, name: str) -> Any:
    """What a name of a private module is."""
    short = fullname.removeprefix(_PYTHON)
    if name in NAMES.get(short, {}):
        return NAMES[short][name]
    if fullname.endswith("_pb2"):
        return message(fullname, name)
    for search in (_generated, _exported, _of_versions, _of_emplace, _from_elsewhere):
        value = search(short, name)
        if value is not _NOTHING:
            return value
    return Hole(f"{fullname}.{name}")


def _generated(short: str, name: str) -> Any:
    """A function of a module that TensorFlow generates, or an op of it by its own name."""
    functions = table().get(short, {}).get("raw", {})
    if name in functions:
        return raw(*functions[name])
    if short.rpartition(".")[2].startswith("gen_") and name[:1].isupper():
        return raw(name, [])
    return _NOTHING


def _exported(short: str, name: str) -> Any:
    """What TensorFlow exports."""
    path = public_path(short, name)
    if not path:
        return _NOTHING
    try:
        return public(path)
    except AttributeError:
        return Hole(path, MissingPublic)


def _of_emplace(short: str, name: str) -> Any:
    """What Emplace itself serves, unless it refuses it: a private name is nothing it must have."""
    fullname = short if is_served(short) else _PYTHON + short
    if fullname in ALIASES:
        return getattr(importlib.import_module(ALIASES[fullname]), name, _NOTHING)
    served = modules.module(fullname)
    value = _NOTHING
    if served is not None:
        with contextlib.suppress(AttributeError, ImportError):
            value = getattr(served, name)
    return _NOTHING if isinstance(value, Missing) else value


def _of_versions(short: str, name: str) -> Any:
    """What a module has from its generated one, or a name under which it exports a version."""
    if name.startswith("_"):
        return _NOTHING
    generated = f"ops.gen_{short.rpartition('.')[2]}"
    if name in table().get(generated, {}).get("raw", {}):
        return _generated(generated, name)
    return first_of(list(filter(None, (public_path(short, name + each) for each in _VERSIONS))))


def _from_elsewhere(short: str, name: str) -> Any:
    """What another module exports under the same name, for modules take names from each other."""
    return first_of(exported_elsewhere().get(name, ()))


class Served(types.ModuleType):
    """A private module of TensorFlow; what it has is found when it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if hasattr(self, "__path__"):
            raise _missing_module(f"{self.__name__}.{name}")
        value = find(self.__name__, name)
        if not isinstance(value, Hole):
            setattr(self, name, value)
        return value


def _missing_module(fullname: str) -> AttributeError:
    """What a package raises that lacks a name; its modules are found by importing them."""
    if USES.importing or fullname in packages() or fullname.removeprefix(_PYTHON) in table():
        return AttributeError(fullname)
    USES.touched.append(fullname)
    return NotPublic(f"NotPublic: {fullname}")


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds private modules of TensorFlow."""

    def __init__(self, source: Path) -> None:
        self._source = source

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of a private module, None for all others."""
        if not is_served(fullname):
            return None
        file = self._source.joinpath(*fullname.split(".")).with_suffix(".py")
        if fullname.removeprefix(_PYTHON) in HELPERS and file.exists():
            loader = helper_loader(fullname, file)
            return importlib.util.spec_from_file_location(fullname, file, loader=loader)
        return importlib.util.spec_from_loader(
            fullname, self, is_package=self._is_package(fullname, file)
        )

    def _is_package(self, fullname: str, file: Path) -> bool:
        if fullname in packages() or file.with_suffix("").is_dir():
            return True
        is_elsewhere = not fullname.startswith("tensorflow.python")
        return is_elsewhere and not fullname.endswith("_pb2") and not file.exists()

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module, which has no names yet."""
        if spec.name == f"{_PYTHON}framework.test_util":
            return test_util
        module = Served(spec.name)
        if spec.submodule_search_locations is not None:
            module.__path__ = []
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing: names are found when they are asked for."""


def install(source: Path) -> None:
    """Serves private modules from now on, before Emplace's own hook does.

    Args:
        source: a folder with `tensorflow/python` in it.
    """
    sys.meta_path.insert(0, Finder(source))
    for name in [name for name in sys.modules if is_served(name)]:
        del sys.modules[name]
