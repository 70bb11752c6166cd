"""What TensorFlow 2.21 exports (`tests/oracle/api.json.gz`) beside what Emplace has."""

from __future__ import annotations

import functools
import gzip
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import emplace.tensorflow as tf
from emplace.base.missing import Missing

TESTS = Path(__file__).resolve().parents[1]
GAPS = TESTS / "data" / "api_gaps.json"
FACADES: dict[str, ModuleType] = {"tf": tf, "tf.compat.v1": tf.compat.v1}


@functools.cache
def exported() -> dict[str, dict[str, list[Any]]]:
    """Per facade, from a name to its kind and parameters; see `scripts/record_oracle/api.py`."""
    with gzip.open(TESTS / "oracle" / "api.json.gz") as file:
        names: dict[str, dict[str, list[Any]]] = json.load(file)
    return names


def find(facade: str, name: str) -> Any:
    """What a name below a facade stands for.

    Raises:
        AttributeError: there is none.
    """
    return functools.reduce(getattr, name.split("."), FACADES[facade])


def exists(facade: str, name: str) -> bool:
    """Whether a name is there, or refuses."""
    try:
        find(facade, name)
    except AttributeError:
        return False
    return True


def missing(facade: str) -> list[str]:
    """The exported names that a facade lacks."""
    return [name for name in sorted(exported()[facade]) if not exists(facade, name)]


def lacking(theirs: list[str], ours: Any) -> list[str]:
    """The parameters of TensorFlow's that ours does not take by name, or by their place."""
    try:
        taken = inspect.signature(ours).parameters
    except (TypeError, ValueError):
        return []
    if {"args", "kwargs"} <= taken.keys():
        return []
    kinds = {each.kind for each in taken.values()}
    any_name = inspect.Parameter.VAR_KEYWORD in kinds
    places = [name for name, each in taken.items() if each.kind != each.KEYWORD_ONLY]
    any_place = inspect.Parameter.VAR_POSITIONAL in kinds
    wrong = []
    for i, each in enumerate(theirs):
        if each.startswith("*"):
            any_place = True
            continue
        name = each.split("=")[0].removesuffix(" !")
        by_place = each.endswith(" !") or any_place or places[i : i + 1] == [name]
        if not (by_place and (any_name or name in taken)):
            wrong.append(name)
    return wrong


def other_signatures(facade: str) -> dict[str, list[str]]:
    """The parameters that functions and classes of ours lack, or have in another place."""
    found = {}
    for name, (kind, *taken) in sorted(exported()[facade].items()):
        if kind in ("function", "class") and taken and exists(facade, name):
            ours = find(facade, name)
            wrong = [] if isinstance(ours, Missing) else lacking(taken[0], ours)
            if wrong:
                found[name] = wrong
    return found


def _other_default(wanted: str, ours: inspect.Parameter) -> bool:
    """Whether a plain default of TensorFlow's is another one here; "?" is one that is not plain."""
    name, _, default = wanted.removesuffix(" !").partition("=")
    return default not in ("", "?") and name != "name" and repr(ours.default) != default


def other_defaults(facade: str) -> dict[str, list[str]]:
    """The parameters of functions and classes of ours whose plain default is another one."""
    found = {}
    for name, (kind, *taken) in sorted(exported()[facade].items()):
        if kind not in ("function", "class") or not taken or not exists(facade, name):
            continue
        try:
            ours = inspect.signature(find(facade, name)).parameters
        except (TypeError, ValueError):
            continue
        wrong = [
            each
            for each in taken[0]
            if each.split("=")[0] in ours and _other_default(each, ours[each.split("=")[0]])
        ]
        if wrong and not isinstance(find(facade, name), Missing):
            found[name] = wrong
    return found


def gaps() -> dict[str, dict[str, Any]]:
    """All that differs, per facade."""
    return {
        facade: {
            "missing": missing(facade),
            "signatures": other_signatures(facade),
            "defaults": other_defaults(facade),
        }
        for facade in FACADES
    }
