"""`tf.keras`: the real Keras package, on its TensorFlow backend, which is Emplace; or Keras 2 where
`TF_USE_LEGACY_KERAS` asks for it.

Keras is loaded when it is first touched. It imports `tensorflow`, so the import hook comes first.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from .hook import KERAS, install, keras_name

# `tf.losses` is `tf.keras.losses`, and so on.
_ALSO_SHOWN = frozenset({"initializers", "losses", "metrics", "optimizers"})


def keras_when_touched(name: str) -> Any:
    """The attributes of the facade that are Keras: `keras`, and those of its modules that
    TensorFlow shows beside its own, such as `losses`.

    Raises:
        AttributeError: there is no such name.
        ImportError: Keras is not installed.
    """
    if name == "keras":
        return load()
    if name in _ALSO_SHOWN:
        return getattr(load(), name)
    raise AttributeError(f"module 'emplace.tensorflow' has no attribute {name!r}")


def load() -> ModuleType:
    """Keras as `tf.keras` shows it.

    Raises:
        ImportError: Keras is not installed, or is too old.
        RuntimeError: it runs on another backend already.
    """
    return _loaded(keras_name())


def load_for_tf1() -> ModuleType:
    """Keras as `tf.compat.v1.keras` shows it.

    Raises:
        ImportError, RuntimeError: as `load` does.
    """
    return _loaded(keras_name(of_tf1=True))


def _loaded(name: str) -> ModuleType:
    install()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != name.split(".")[0]:
            raise
        if name != KERAS:
            raise ImportError(
                "[tf.keras] TF_USE_LEGACY_KERAS asks for Keras 2, which is not installed: "
                "pip install --no-deps tf_keras, or take the variable away for Keras 3."
            ) from error
        raise ImportError(
            "[tf.keras] Keras is not installed, or older than 3.15: pip install 'keras>=3.15,<4'."
        ) from error
