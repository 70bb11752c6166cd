"""Modules of `util`."""

from __future__ import annotations

import collections.abc
import contextlib
from collections.abc import Callable
from typing import Any

import emplace.tensorflow as tf


def _same(f: Any) -> Any:
    return f


def leaves_as_it_is(*_: Any, **__: Any) -> Callable[[Any], Any]:
    """A decorator with arguments that changes nothing."""
    return _same


class Export:
    """What `tf_export(...)` makes: a decorator that exports nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __call__(self, f: Any) -> Any:
        return f

    @staticmethod
    def export_constant(*_: Any) -> None:
        """Nothing."""


def add_dispatch_support(f: Any = None, **_: Any) -> Any:
    """A decorator, with arguments or without."""
    return f or _same


NAMES: dict[str, dict[str, Any]] = {
    "util.compat": {
        "as_bytes": tf.compat.as_bytes,
        "as_str": tf.compat.as_str,
        "as_str_any": tf.compat.as_str_any,
        "as_text": tf.compat.as_text,
        "collections_abc": collections.abc,
    },
    "util.deprecation": {
        "deprecated": leaves_as_it_is,
        "deprecated_args": leaves_as_it_is,
        "deprecated_endpoints": leaves_as_it_is,
        "silence": contextlib.nullcontext,
    },
    "util.dispatch": {"add_dispatch_support": add_dispatch_support},
    "util.nest": {
        "is_nested": tf.nest.is_nested,
        "is_nested_or_composite": tf.nest.is_nested,
    },
    "util.tf_export": {
        "get_v1_names": lambda *_: [],
        "get_v2_names": lambda *_: [],
        "keras_export": Export,
        "tf_export": Export,
    },
}
