"""`TF_USE_LEGACY_KERAS`: `tf.keras` is Keras 2, the package `tf_keras`."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import code

NAMES = """
import sys
import emplace
emplace.install()
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers
import tensorflow.keras.layers as again
import tensorflow.compat.v1.keras.layers as first
import tensorflow.compat.v2.keras.layers as second
assert keras is tf.keras is tf.compat.v2.keras
assert layers is again is tf.keras.layers is second
print(tf.keras.__name__, layers.WHAT, tf.compat.v1.keras.__name__, first.WHAT)
print(tf.losses.WHAT, tf.metrics.WHAT, tf.optimizers.WHAT, tf.initializers.WHAT)
print("keras" in sys.modules)
"""


@pytest.fixture
def keras_2(tmp_path: Path) -> Path:
    """A package of the form of Keras 2."""
    for version in ("_v1", "_v2"):
        folder = tmp_path / "tf_keras" / "api" / version / "keras"
        for name in ("layers", "losses", "metrics", "optimizers", "initializers"):
            (folder / name).mkdir(parents=True)
            (folder / name / "__init__.py").write_text(f"WHAT = '{name} of {version}'\n")
        (folder / "__init__.py").write_text(
            f"from tf_keras.api.{version}.keras import "
            "initializers, layers, losses, metrics, optimizers\n"
        )
    return tmp_path


def with_path(folder: Path) -> str:
    return f"import sys; sys.path.insert(0, {str(folder)!r})\n"


@pytest.mark.parametrize("switch", ["1", "true", "True"])
def test_tf_keras_is_keras_2_where_the_variable_says_so(keras_2: Path, switch: str) -> None:
    done = code(with_path(keras_2) + NAMES, TF_USE_LEGACY_KERAS=switch)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "tf_keras.api._v2.keras layers of _v2 tf_keras.api._v1.keras layers of _v1",
        "losses of _v2 metrics of _v2 optimizers of _v2 initializers of _v2",
        "False",
    ]


def test_any_other_text_means_keras_3(keras_2: Path) -> None:
    program = with_path(keras_2) + NAMES.replace("print", "# ").split("assert")[0]
    program += "print(tf.keras.__name__, layers.__name__)"
    program = program.replace("import tensorflow.compat.v1.keras.layers as first\n", "")
    done = code(program, TF_USE_LEGACY_KERAS="yes")
    assert done.stdout.split() == ["keras._tf_keras.keras", "keras._tf_keras.keras.layers"]


def test_without_tf_keras_the_error_says_what_to_install() -> None:
    program = "import sys; sys.modules['tf_keras'] = None\n" + NAMES.split("from tensorflow")[0]
    done = code(program + "tf.keras", TF_USE_LEGACY_KERAS="1")
    assert done.stderr.splitlines()[-1] == (
        "ImportError: [tf.keras] TF_USE_LEGACY_KERAS asks for Keras 2, which is not installed: "
        "pip install --no-deps tf_keras, or take the variable away for Keras 3."
    )
