"""Which functions and classes are Emplace's own.

Some classes say that they come from TensorFlow's modules, by which libraries tell them: of a class
its functions are asked.
"""

from __future__ import annotations

import inspect


def is_ours(value: object) -> bool:
    """Whether a function or a class was written in Emplace."""
    if _module_of(value).startswith("emplace"):
        return True
    written = vars(value).values() if inspect.isclass(value) else ()
    return any(inspect.isfunction(f) and _module_of(f).startswith("emplace") for f in written)


def _module_of(value: object) -> str:
    return str(getattr(value, "__module__", ""))
