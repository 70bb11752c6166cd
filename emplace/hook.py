"""The import hook: makes `import tensorflow` mean Emplace, in this process only.

The name `tensorflow` is never installed. The hook serves it, and every dotted path below it,
with the modules of `emplace.tensorflow`, so that `tensorflow` and `emplace.tensorflow` are one.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import cast

from .base import flags, python_random
from .base.garbage import garbage_after_import

_NAME = "tensorflow"
_FACADE = "emplace.tensorflow"
_FACADE_1 = "emplace.v1"
_KERAS = "keras"
_PRIVATE_MODULES = "emplace.private.modules"

# What `tensorflow.keras` is: the names of Keras as TensorFlow shows them.
KERAS = "keras._tf_keras.keras"
# Where programs ask for Keras 2: the names that it has for TensorFlow 2, and for 1.
KERAS_2 = "tf_keras.api._v2.keras"
KERAS_2_OF_TF1 = "tf_keras.api._v1.keras"


def keras_name(of_tf1: bool = False) -> str:
    """The module that `tensorflow.keras` is, or `tensorflow.compat.v1.keras`."""
    if not flags.LEGACY_KERAS.value():
        return KERAS
    return KERAS_2_OF_TF1 if of_tf1 else KERAS_2


# Private paths that programs import from, and the module of ours that serves each. Those below
# `tensorflow.python` that are not here are made of their names, see `private/modules.py`.
ALIASES: dict[str, str] = {
    "tensorflow.python.client.device_lib": "emplace.private.device_lib",
    "tensorflow.compiler.tf2xla.python.xla": "emplace.private.xla",
    "tensorflow.tools.docs.doc_controls": "emplace.private.marks",
    "tensorflow.python.data.experimental.ops.distribute": "emplace.private.data_distribute",
    "tensorflow.python.eager.context": "emplace.private.eager_context",
    "tensorflow.python.eager.execute": "emplace.private.eager_execute",
    "tensorflow.python.framework.config": "emplace.private.framework_config",
    "tensorflow.python.framework.dtypes": "emplace.tensorflow.dtypes",
    "tensorflow.python.framework.errors": "emplace.tensorflow.errors",
    "tensorflow.python.framework.type_spec_registry": "emplace.private.type_spec_registry",
    "tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops": (
        "emplace.private.sparse_csr_matrix_ops"
    ),
}


_PRIVATE = f"{_NAME}.python."
# Messages that others have declared as well: of `tensorflow.core`.
_MESSAGES = re.compile(r"tensorflow\.core\.(?:framework|protobuf|util)\.(\w+_pb2)")
_KERAS_PATH = re.compile(r"(\.compat\.v[12])?\.keras\.")

# The packages on the way to an alias, which hold nothing else.
_ON_THE_WAY = {alias.rsplit(".", n)[0] for alias in ALIASES for n in range(1, alias.count("."))}
_ON_THE_WAY |= {
    f"{_NAME}.core",
    *(f"{_NAME}.core.{name}" for name in ("framework", "protobuf", "util")),
}


class _Loader(importlib.abc.Loader):
    """Hands out a module of the facade under its TensorFlow name."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """The facade's module itself."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """Puts back what the import system has overwritten; the module has run already."""
        module.__spec__ = self._spec


# Modules of Keras that are told something when they are loaded, and who tells them.
_ADJUSTED_BY = {
    "keras.src.losses.loss": "emplace.distribute.strategies.keras_parts",
    "keras.src.backend.tensorflow.numpy": "emplace.distribute.strategies.keras_parts",
    "keras.src.backend.tensorflow.trainer": "emplace.distribute.strategies.keras_parts",
    "keras.src.trainers.trainer": "emplace.observe.model_batches",
    "keras.src.optimizers": "emplace.training.keras_parts",
    "keras.src.utils.python_utils": "emplace.training.keras_logs",
    "keras.src.callbacks.callback_list": "emplace.training.keras_logs",
    "keras.src.callbacks.model_checkpoint": "emplace.distribute.workers.callbacks",
    "tf_keras.src.engine.keras_tensor": "emplace.interop.asking",
    "keras.src.callbacks.backup_and_restore": "emplace.distribute.workers.callbacks",
}


Execute = Callable[[ModuleType], None]


def _tell(module: ModuleType) -> None:
    importlib.import_module(_ADJUSTED_BY[module.__name__]).ADJUSTMENTS[module.__name__](module)


def _execute_and_tell(execute: Execute, module: ModuleType) -> None:
    execute(module)
    _tell(module)


def _execute_and_keep(execute: Execute, module: ModuleType) -> None:
    with garbage_after_import():
        execute(module)


def _execute_drawing_nothing(execute: Execute, module: ModuleType) -> None:
    with python_random.kept():
        execute(module)


def _spec_executed_by(
    around: Callable[[Execute, ModuleType], None],
    fullname: str,
    path: Sequence[str] | None,
    target: ModuleType | None,
) -> importlib.machinery.ModuleSpec | None:
    """The spec of a module of somebody else's, with something around its execution."""
    spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
    if spec is None or spec.loader is None:
        return None
    execute = functools.partial(around, spec.loader.exec_module)
    spec.loader.exec_module = execute  # type: ignore[method-assign]
    return spec


class _Finder(importlib.abc.MetaPathFinder):
    """Finds `tensorflow` and what is below it, and what Keras is told."""

    serves = _NAME

    def __init__(self, is_tf1: bool) -> None:
        self._facades = (_FACADE_1, f"{_FACADE}.compat.v1", _FACADE) if is_tf1 else (_FACADE,)

    def _module(self, fullname: str) -> ModuleType | None:
        """The module of the first facade that has it."""
        rest = fullname.removeprefix(_NAME)
        messages = _MESSAGES.fullmatch(fullname)
        if f"{fullname}.".startswith(_PRIVATE) and fullname not in ALIASES:
            return cast(
                "ModuleType | None", importlib.import_module(_PRIVATE_MODULES).module(fullname)
            )
        if messages is not None:
            names = [f"tensorboard.compat.proto.{messages[1]}"]
        elif _KERAS_PATH.match(f"{rest}."):
            base, _, below = rest.partition(".keras")
            names = [keras_name(of_tf1=base == ".compat.v1") + below]
        elif f"{rest}.".startswith(".compat.v2."):
            names = [_FACADE + rest.removeprefix(".compat.v2")]
        elif fullname in ALIASES:
            names = [ALIASES[fullname]]
        else:
            names = [facade + rest for facade in self._facades]
        for name in names:
            try:
                return importlib.import_module(name)
            except ModuleNotFoundError as error:
                if not name.startswith(error.name or "?"):
                    raise
        return None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for names below `tensorflow`, and for a few of Keras's; None for all others."""
        if fullname in _ADJUSTED_BY:
            return _spec_executed_by(_execute_and_tell, fullname, path, target)
        if fullname == _KERAS:
            return _spec_executed_by(_execute_and_keep, fullname, path, target)
        if fullname == python_random.DRAWING and _FACADE in sys.modules:
            return _spec_executed_by(_execute_drawing_nothing, fullname, path, target)
        if fullname != _NAME and not fullname.startswith(f"{_NAME}."):
            return None
        if fullname in _ON_THE_WAY and not f"{fullname}.".startswith(_PRIVATE):
            return importlib.machinery.ModuleSpec(fullname, None, is_package=True)
        module = self._module(fullname)
        if module is None:
            raise ModuleNotFoundError(
                f"Emplace does not provide the module {fullname!r}. "
                "See docs/DIFFERENCES.md for what it provides.",
                name=fullname,
            )
        return importlib.util.spec_from_loader(fullname, _Loader(module))


class _KerasLoader(importlib.machinery.SourceFileLoader):
    """Runs a module of Keras, which is written for TensorFlow 2, while `tensorflow` means that."""

    def exec_module(self, module: ModuleType) -> None:
        """Runs it."""
        with _FOR_KERAS:
            super().exec_module(module)
            if module.__name__ in _ADJUSTED_BY:
                _tell(module)


class _KerasFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of Keras where `tensorflow` means TensorFlow 1."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for Keras and what is below it, None for all others."""
        if fullname.partition(".")[0] != _KERAS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = _KerasLoader(fullname, spec.origin)
        return spec


class _ForKeras:
    """A scope in which `tensorflow` is TensorFlow 2. Modules import each other, so it nests."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._finder = _Finder(False)
        self._around: dict[str, ModuleType] = {}
        self._modules: dict[str, ModuleType] = {}

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1
        if self._depth == 1:
            self._around = _swapped(self._modules)
            sys.meta_path.insert(0, self._finder)

    def __exit__(self, *exc: object) -> None:
        self._depth -= 1
        if not self._depth:
            sys.meta_path.remove(self._finder)
            self._modules = _swapped(self._around)
            utils = sys.modules.get("keras.src.utils.module_utils")
            late = getattr(utils, "tensorflow", None)
            if late is not None:  # what Keras imports when it first touches it
                late.module = importlib.import_module(_FACADE)
        self._lock.release()


def _swapped(modules: dict[str, ModuleType]) -> dict[str, ModuleType]:
    """Puts modules in the place of TensorFlow's; returns those that were there."""
    names = [name for name in list(sys.modules) if f"{name}.".startswith(f"{_NAME}.")]
    before = {name: sys.modules.pop(name) for name in names}
    sys.modules.update(modules)
    return before


_FOR_KERAS = _ForKeras()


def install(tf1: bool = False) -> None:
    """Makes `import tensorflow` in this process mean Emplace. May be called again.

    Args:
        tf1: serve TensorFlow 1, where ops make graphs and sessions run them.

    Keras, if the program imports it, runs on its TensorFlow backend, whatever `KERAS_BACKEND` or
    its settings' file say.

    Raises:
        RuntimeError: the real TensorFlow is in this process already, or Keras is, on another
            backend.

    >>> import emplace
    >>> emplace.install()
    >>> import tensorflow as tf
    >>> tf.constant(1).dtype
    tf.int32
    """
    loaded = sys.modules.get(_NAME)
    if loaded is not None and getattr(loaded, "__name__", "") not in (_FACADE, _FACADE_1):
        raise RuntimeError(
            "The real TensorFlow is already imported in this process. Call emplace.install() "
            "before anything imports tensorflow, or start the program with `emplace run`."
        )
    _choose_backend()
    # Told by what it serves, not by its class, which is another after a reload of this module.
    if not any(getattr(finder, "serves", None) == _NAME for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder(tf1))
        if tf1:
            sys.meta_path.insert(0, _KerasFinder())
        for name in _ADJUSTED_BY:
            if name in sys.modules:
                _tell(sys.modules[name])


def _choose_backend() -> None:
    """Makes Keras run on Emplace."""
    config = sys.modules.get("keras.src.backend.config")
    chosen = "tensorflow" if config is None else config.backend()
    if chosen != "tensorflow":
        raise RuntimeError(
            f"Keras is already imported in this process, on its backend {chosen!r}. Call "
            "emplace.install() before anything imports keras, or start the program with "
            "`emplace run`."
        )
    os.environ["KERAS_BACKEND"] = "tensorflow"
