"""What Keras is told of logs: callbacks that do not look at a batch's numbers do not wait for them.

Keras makes Python numbers of what a step returns before it calls the callbacks, whether they look
or not, so the host waits for the GPU after every batch. Here callbacks get a dictionary that reads
them when somebody looks. What goes wrong while they are read is raised; Keras drops every error
there. The import hook hands the modules in when Keras loads them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from ..core.tensor import EagerTensor

Numbers = Callable[[Any], dict[str, Any]]


class Logs(dict[str, Any]):
    """Logs of a batch or an epoch by their names: numbers, once somebody looks at them.

    Args:
        numbers: makes a dictionary of numbers of one of tensors.
        logs: the tensors. What they hold stays as it is, so it may be read late.
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Numbers, logs: dict[str, Any]) -> None:
        super().__init__(sorted(logs.items()))
        self._numbers: Numbers | None = numbers

    def look(self) -> Logs:
        """Reads them, if nobody has."""
        numbers = self._numbers
        if numbers is not None:
            dict.update(self, numbers(dict(dict.items(self))))
            self._numbers = None
        return self

    def __iter__(self) -> Iterator[str]:  # so that dict(logs) asks for each number
        return dict.__iter__(self)

    def __reduce__(self) -> Any:
        return dict, (dict(self.look().items()),)


def _looking(name: str) -> Callable[..., Any]:
    plain = getattr(dict, name)

    @functools.wraps(plain)
    def method(self: Logs, *args: Any, **kwargs: Any) -> Any:
        return plain(self.look(), *args, **kwargs)

    return method


for _name in ("__delitem__", "__eq__", "__getitem__", "__ior__", "__ne__", "__or__", "__repr__",
              "__ror__", "__setitem__", "clear", "copy", "get", "items", "pop", "popitem",
              "setdefault", "update", "values"):  # fmt: skip
    setattr(Logs, _name, _looking(_name))


def adjust_python_utils(module: ModuleType) -> None:
    """Makes `keras.src.utils.python_utils` raise what goes wrong while logs are read."""
    convert = module.pythonify_logs

    @functools.wraps(convert)
    def numbers(logs: dict[str, Any] | None) -> dict[str, Any]:
        given = {name: _number(value) for name, value in (logs or {}).items()}
        return convert(given)  # type: ignore[no-any-return]

    module.pythonify_logs = numbers  # type: ignore[attr-defined]


def _number(value: Any) -> Any:
    """A tensor of one number as that; anything else as it is."""
    if not isinstance(value, EagerTensor):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


class _Utils:
    """Keras's `python_utils` with logs that are read late."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)

    def pythonify_logs(self, logs: dict[str, Any] | None) -> dict[str, Any]:
        """A dictionary of Python numbers, read later where the logs are tensors."""
        numbers: Numbers = self._module.pythonify_logs
        if not logs or not all(isinstance(each, _CONSTANT) for each in logs.values()):
            return numbers(logs)
        return Logs(numbers, logs)


# What is the same whenever somebody looks, which a variable is not.
_CONSTANT = (EagerTensor, int, float)


def adjust_callback_list(module: ModuleType) -> None:
    """Makes `keras.src.callbacks.callback_list` hand such logs to callbacks."""
    module.python_utils = _Utils(module.python_utils)  # type: ignore[attr-defined]


ADJUSTMENTS: dict[str, Callable[[ModuleType], None]] = {
    "keras.src.utils.python_utils": adjust_python_utils,
    "keras.src.callbacks.callback_list": adjust_callback_list,
}
