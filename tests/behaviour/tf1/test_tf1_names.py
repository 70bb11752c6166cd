"""The names of `tf.compat.v1` (TensorFlow 2.21, without `raw_ops`) that exist keep existing.

`tests/data/tf1_names.json` lists them, and those that are missing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow.compat.v1 as tf1

NAMES = json.loads((Path(__file__).parents[2] / "data" / "tf1_names.json").read_text())


def find(name: str) -> Any:
    value: Any = tf1
    for part in name.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("first", sorted({name.split(".")[0] for name in NAMES["present"]}))
def test_names_that_exist_keep_existing(first):
    for name in NAMES["present"]:
        if name.split(".")[0] == first:
            find(name)


def test_the_lists_are_of_all_names():
    assert len(NAMES["present"]) + len(NAMES["missing"]) == NAMES["names"]
