"""What tests ask of private modules and TensorFlow does not export, over Emplace's public API.

Each file has a table NAMES: from a module below `tensorflow.python` to its names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import data, eager, framework, gradients, lists, numpy_tests, ops, platform, util

NAMES: dict[str, dict[str, Any]] = {}
for _part in (framework, eager, gradients, ops, lists, data, util, platform, numpy_tests):
    _names: Mapping[str, Mapping[str, Any]] = _part.NAMES
    for _module, _values in _names.items():
        NAMES.setdefault(_module, {}).update(_values)
