"""The variables that a function keeps for itself, by name, where nothing else shares them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class OwnVariables:
    """The variables of one function. What is made inside of another such function is that one's,
    too, and found there again.

    Args:
        tell: is told of each that is made in the function itself, with its name.
        around: the variables of the function in which this one was made; None for none.
    """

    def __init__(self, tell: Callable[[str, Any], None], around: OwnVariables | None) -> None:
        self._tell = tell
        self.by_name: dict[str, Any] = {}
        self._around = around

    def get(self, name: str) -> Any:
        """The variable of a name, or None; it counts as this function's from now on."""
        found = self.by_name.get(name)
        if found is None and self._around is not None:
            found = self._around.get(name)
            if found is not None:
                self.by_name[name] = found
        return found

    def keep(self, name: str, variable: Any) -> None:
        """Keeps a variable that is new."""
        self._add(name, variable)
        self._tell(name, variable)

    def _add(self, name: str, variable: Any) -> None:
        self.by_name[name] = variable
        if self._around is not None:
            self._around._add(name, variable)


class _InFunction(threading.local):
    """The function that this thread is in, and its own variables; None outside of all."""

    holder: Any = None
    variables: OwnVariables | None = None


OPEN = _InFunction()
