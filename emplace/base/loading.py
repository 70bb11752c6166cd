"""What is otherwise while a facade loads: Python looks for garbage seldom.

An import makes many objects that stay, torch's some hundred thousand, and each look through them
takes up to a tenth of a second. That begins when this module is imported, so a facade imports it
first, and calls `end` when it is there.
"""

from __future__ import annotations

from contextlib import ExitStack

from .garbage import garbage_after_import

_LOADING = ExitStack()
_LOADING.enter_context(garbage_after_import())


def end() -> None:
    """Looks for garbage as before; may be called again."""
    _LOADING.close()
