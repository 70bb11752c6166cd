"""Looks names of the facade up that its modules do not hold: late ones, and refused ones.

The tables are loaded with the first such name, so that importing the facade costs nothing more.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

from ..base.missing import Missing

# Loaded by name: the table of late names tells of modules that stand below this one.
_CLASSIC = "compat.v1."
_LATE, _REFUSED = "emplace.names.late", "emplace.names.refused"


def serve(facade: str, namespaces: Iterable[str]) -> None:
    """Lets the modules of some namespaces find names in the tables.

    Args:
        facade: the module whose name theirs begin with.
        namespaces: such as "linalg", "" for the facade itself.
    """
    for namespace in namespaces:
        serve_module(f"{facade}.{namespace}" if namespace else facade, namespace)


def serve_module(module: str, namespace: str) -> None:
    """The same for one module that is called otherwise than its namespace."""
    names = vars(sys.modules[module])
    names["__getattr__"] = _finder(sys.modules[module], namespace)
    names["__dir__"] = _lister(names, namespace)


def _lister(names: dict[str, Any], namespace: str) -> Callable[[], list[str]]:
    """The `__dir__` of a module: what it holds, and what it would find. One that it has already
    tells the rest.
    """
    otherwise = names.get("__dir__", lambda: [*names])

    def list_all() -> list[str]:
        return sorted({*otherwise(), *_late_names(namespace)})

    return list_all


def _late_names(namespace: str) -> Iterator[str]:
    tables = importlib.import_module(_LATE).NAMES
    yield from tables.get(namespace, ())
    if f"{namespace}.".startswith(_CLASSIC):
        yield from tables.get(namespace[len(_CLASSIC) :], ())


def _finder(module: ModuleType, namespace: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module; one that it has already is asked last."""
    otherwise = vars(module).get("__getattr__")

    def find(name: str) -> Any:
        if not name.startswith("__") or name in ("__internal__", "__operators__"):
            for table in (_late, _refused):
                value = table(namespace, name)
                if value is not None:
                    vars(module)[name] = value
                    return value
        if otherwise is not None:
            return otherwise(name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    return find


def _late(namespace: str, name: str) -> Any:
    where, ours = _entry(_LATE, namespace, name)
    if not where:
        return None
    module = importlib.import_module(where)
    return module if ours == "*" else getattr(module, ours)


def _refused(namespace: str, name: str) -> Any:
    instead, _ = _entry(_REFUSED, namespace, name)
    path = ".".join(filter(None, ("tf", namespace, name)))
    return Missing.of(path, instead) if instead else None


def _entry(table: str, namespace: str, name: str) -> tuple[str, str]:
    """What a table says of a name; what is so in TF 2 is so in TF 1, if that has nothing else."""
    names = importlib.import_module(table).NAMES
    found: tuple[str, str] | None = names.get(namespace, {}).get(name)
    if found is None and f"{namespace}.".startswith(_CLASSIC):
        found = names.get(namespace[len(_CLASSIC) :], {}).get(name)
    return found or ("", "")
