"""Records which public names TensorFlow has, but for those of Keras and of `tf.compat`.

run_on_tensorflow scripts/record_oracle/names.py > tests/data/tf_names.json

The documentation lists those that are missing here (`scripts/docs_pages.py`).
"""

from __future__ import annotations

import json
from types import ModuleType

import tensorflow as tf

# What is not TensorFlow's interface, or is Keras's.
LEFT_OUT = {
    "keras",
    "compat",
    "python",
    "core",
    "compiler",
    "tools",
    "security",
    "proto",
    "estimator",
}


def names(module: ModuleType, prefix: str, above: frozenset[int]) -> list[str]:
    found = []
    for name in sorted(each for each in dir(module) if not each.startswith("_")):
        value = getattr(module, name, None)
        if not isinstance(value, ModuleType):
            found.append(prefix + name)
        elif "tensorflow" in value.__name__ and name not in LEFT_OUT and id(value) not in above:
            found += names(value, f"{prefix}{name}.", above | {id(value)})
    return found


if __name__ == "__main__":
    print(json.dumps(sorted(set(names(tf, "tf.", frozenset()))), indent=0))
