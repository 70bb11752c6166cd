"""Late bindings: functions that a module calls and a module below it provides.

Imports only go up the list of layers, see `tests/plain/test_layers.py`; a call that has to go the
other way has a name here, a type, and the module that must provide it. `tests/plain/
test_late_bindings.py` lists all of them and why each is one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class LateBinding(Generic[P, R]):
    """A function that another module provides when it is imported; `call` is that function.

    Args:
        name: what it does, for errors: "stack tensors".
        provider: the module that must provide it: "ops/array/joining.py".
        default: what is called as long as nobody has; None if that is an error.

    >>> double: LateBinding[[int], int] = LateBinding("double a number", "numbers.py")
    >>> _ = double.bind(lambda number: 2 * number)
    >>> double.call(4)
    8
    """

    __slots__ = ("call", "is_bound", "name", "provider")

    def __init__(self, name: str, provider: str, default: Callable[P, R] | None = None) -> None:
        self.name = name
        self.provider = provider
        self.is_bound = False
        #: A plain attribute: calling it costs what calling any function of a module costs.
        self.call: Callable[P, R] = default or self._unbound

    def bind(self, function: Callable[P, R]) -> Callable[P, R]:
        """Provides the function, once; returns it, so that this may decorate it.

        Raises:
            RuntimeError: another one has been provided.
        """
        if self.is_bound:
            raise RuntimeError(
                f"{self!r} is bound twice: {self.call!r} is there, got {function!r}. Only "
                f"emplace/{self.provider} provides it, once."
            )
        self.call, self.is_bound = function, True
        return function

    def _unbound(self, *args: P.args, **kwargs: P.kwargs) -> NoReturn:
        raise RuntimeError(
            f"Cannot {self.name} yet: emplace/{self.provider}, which provides it, has not been "
            "imported. Import it first, or emplace.tensorflow, which imports everything."
        )

    def __repr__(self) -> str:
        return f"<LateBinding to {self.name}, from {self.provider}>"
