"""The logs that Keras's callbacks get: numbers, which are read when somebody looks at them."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.testing import assert_no_waits
from emplace.training.keras_logs import Logs

PLAIN = {"accuracy": 0.5, "loss": 2.0, "rounds": 3.0}


def numbers(logs: dict[str, Any]) -> dict[str, Any]:
    return {name: float(value) for name, value in logs.items()}


def logs() -> Logs:
    return Logs(numbers, {"loss": tf.constant(1.0) * 2.0, "rounds": 3, "accuracy": tf.ones([]) / 2})


@pytest.mark.gpus(1, strict=True)
def test_their_names_are_known_without_a_wait() -> None:
    mine = logs()
    with assert_no_waits():
        assert mine
        assert (mine or {}) is mine
        assert len(mine) == 3
        assert list(mine) == list(mine.keys()) == list(PLAIN)
        assert "loss" in mine
        assert isinstance(mine, dict)


LOOKS: dict[str, Callable[[Any], Any]] = {
    "dict": dict,
    "unpacked": lambda mine: {**mine},
    "copied": lambda mine: mine.copy(),
    "copied as an object": copy.copy,
    "copied deeply": copy.deepcopy,
    "pickled": lambda mine: pickle.loads(pickle.dumps(mine)),
    "as JSON": lambda mine: json.loads(json.dumps(mine)),
    "items": lambda mine: dict(mine.items()),
    "by name": lambda mine: {name: mine[name] for name in mine},
    "get": lambda mine: {name: mine.get(name) for name in mine.keys()},  # noqa: SIM118
    "values": lambda mine: dict(zip(mine, mine.values(), strict=True)),
    "text": lambda mine: eval(repr(mine)),
    "joined": lambda mine: mine | {},
    "joined from the right": lambda mine: {} | mine,
    "updated": lambda mine: [update := {}, update.update(mine)][0],
    "itself": lambda mine: mine,
    "popped": lambda mine: {name: mine.pop(name) for name in list(mine)},
    "given": lambda mine: dict(**mine),
}


@pytest.mark.gpus(1, strict=True)
@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_whoever_looks_sees_python_numbers(look: Callable[[Any], Any]) -> None:
    found = look(logs())
    assert found == PLAIN
    assert PLAIN == found  # noqa: SIM300  # both ways
    assert {type(value) for value in dict(found).values()} == {float}


def test_callbacks_may_change_them() -> None:
    mine = logs()
    mine["lr"] = "slow"
    mine.setdefault("loss", 0.0)
    del mine["rounds"]
    assert mine == {"accuracy": 0.5, "loss": 2.0, "lr": "slow"}
    assert mine.popitem() == ("lr", "slow")


def test_they_are_read_once() -> None:
    calls = []
    mine = Logs(lambda given: [calls.append(1), numbers(given)][1], {"loss": tf.constant(1.0)})
    assert (mine["loss"], mine["loss"], calls) == (1.0, 1.0, [1])
    mine["loss"] = 5
    assert mine["loss"] == 5


def test_what_goes_wrong_while_they_are_read_is_raised_and_again() -> None:
    def fail(given: dict[str, Any]) -> Any:
        raise tf.errors.InvalidArgumentError(None, None, "indices[0] = 9 is not in [0, 3)")

    mine = Logs(fail, {"loss": tf.constant(1.0)})
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            mine["loss"]
