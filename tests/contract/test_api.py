"""Emplace has the names that TensorFlow 2.21 exports, and its functions take what TensorFlow's do.

What does not hold yet is in `tests/data/api_gaps.json`, which may only shrink:
`python scripts/api_gaps.py --write`.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

import api_facts
import pytest

import emplace.tensorflow as tf
from emplace.base.missing import Missing
from emplace.names import late, refused

LISTED: dict[str, dict[str, Any]] = json.loads(api_facts.GAPS.read_text())
FACADES = sorted(api_facts.FACADES)


@pytest.mark.parametrize("facade", FACADES)
def test_every_name_that_tensorflow_exports_is_there_or_says_what_to_use(facade: str) -> None:
    assert api_facts.missing(facade) == LISTED[facade]["missing"]


@pytest.mark.parametrize("facade", FACADES)
def test_functions_and_classes_take_the_parameters_that_tensorflow_names(facade: str) -> None:
    assert api_facts.other_signatures(facade) == LISTED[facade]["signatures"]


@pytest.mark.parametrize("facade", FACADES)
def test_parameters_have_the_defaults_that_tensorflow_gives_them(facade: str) -> None:
    assert api_facts.other_defaults(facade) == LISTED[facade]["defaults"]


def test_every_difference_that_stays_is_explained() -> None:
    text = (api_facts.TESTS.parent / "docs" / "DIFFERENCES.md").read_text()
    for kinds in LISTED.values():
        for names in kinds.values():
            for name in names:
                assert f"{name}`" in text, f"docs/DIFFERENCES.md does not say why {name} differs"


def test_every_late_name_is_where_its_table_says() -> None:
    for names in late.NAMES.values():
        for where, ours in names.values():
            module = importlib.import_module(where)
            assert ours == "*" or hasattr(module, ours), f"{where} has no {ours}"


def test_every_refused_name_is_one_of_tensorflows_and_says_what_to_do() -> None:
    for namespace, names in refused.NAMES.items():
        for name, (instead, _) in names.items():
            space = f"{namespace}.".removeprefix("compat.v1.").rstrip(".")
            path = ".".join(filter(None, (space, name)))
            facades = [each for each in FACADES if path in api_facts.exported()[each]]
            if space != namespace:
                facades = ["tf.compat.v1"]
            assert facades, f"TensorFlow has no {namespace}.{name}"
            found = api_facts.find(facades[0], path)
            assert isinstance(found, Missing), f"{path} is there, and not refused"
            assert instead.endswith("."), instead


def test_a_refused_name_raises_when_it_is_used() -> None:
    with pytest.raises(NotImplementedError, match=r"^Emplace has no tf\.load_op_library\. "):
        tf.load_op_library("ops.so")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        tf.linalg.nonsense  # type: ignore[attr-defined] # noqa: B018
