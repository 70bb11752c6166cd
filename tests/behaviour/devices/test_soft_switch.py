"""The switch that lets other devices stand in for missing ones in a whole program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import programs
import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(0)

# Messages are matched by their text.
WAY_OUT = "emplace run --soft, or EMPLACE_SOFT_PLACEMENT=1, does so for a whole program"


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> None:
    """The switch, on."""
    monkeypatch.setenv("EMPLACE_SOFT_PLACEMENT", "1")
    emplace.reset()


def test_without_it_a_missing_device_is_an_error_that_names_it() -> None:
    with pytest.raises(RuntimeError, match=WAY_OUT), tf.device("/GPU:0"):
        tf.constant(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=WAY_OUT):
        _in_a_session()


def _in_a_session() -> float:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with tf.compat.v1.device("/GPU:0"):
            v = tf.compat.v1.get_variable("v", initializer=3.0)
        session.run(v.initializer)
        return float(session.run(v * 2.0))


def _eagerly() -> float:
    with tf.device("/GPU:0"):
        return float(tf.Variable(3.0) * 2.0)


def _in_a_function() -> float:
    @tf.function
    def double(x: tf.Tensor) -> tf.Tensor:
        with tf.device("/GPU:0"):
            return x * 2.0

    return float(double(tf.constant(3.0)))


def _around_a_function() -> float:
    with tf.device("/GPU:0"):
        return float(tf.function(lambda x: x * 2.0)(tf.constant(3.0)))


WAYS = [_eagerly, _in_a_function, _around_a_function, _in_a_session]


@pytest.mark.usefixtures("switch")
@pytest.mark.parametrize("way", WAYS)
def test_with_it_programs_run_and_are_warned_once_for_each_device_and_line(
    way: Callable[[], float], capfd: pytest.CaptureFixture[str]
) -> None:
    assert way() == way() == 6.0
    lines = [each for each in capfd.readouterr().err.splitlines() if "stands in" in each]
    assert len(lines) == 1
    assert f"{__file__}:" in lines[0]
    assert (
        "asks for device '/GPU:0', which does not exist; another one stands in, for soft placement "
        "is on (EMPLACE_SOFT_PLACEMENT=1 or emplace run --soft). Devices here: CPU:0."
    ) in lines[0]


@pytest.mark.usefixtures("switch")
def test_each_line_and_each_device_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("/GPU:0", "/GPU:1", "/GPU:0", "/CPU:0", "/cpu:0", None, "/job:localhost"):
        with tf.device(name):
            tf.zeros([])
    with tf.device("/GPU:0"):
        tf.zeros([])
    lines = [each for each in capfd.readouterr().err.splitlines() if "stands in" in each]
    told = [each.split("asks for device ")[1][:8] for each in lines]
    assert told == ["'/GPU:0'", "'/GPU:1'", "'/GPU:0'"]


@pytest.mark.usefixtures("switch")
def test_what_the_program_says_itself_comes_first(capfd: pytest.CaptureFixture[str]) -> None:
    assert tf.config.get_soft_device_placement()
    tf.config.set_soft_device_placement(False)
    assert not tf.config.get_soft_device_placement()
    with pytest.raises(RuntimeError, match="unknown device"), tf.device("/GPU:0"):
        tf.constant(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="no such device exists"):
        _in_a_session()
    tf.config.set_soft_device_placement(True)
    assert _eagerly() == 6.0
    assert "stands in" not in capfd.readouterr().err
    tf.config.set_soft_device_placement(None)
    assert _eagerly() == 6.0
    assert "stands in" in capfd.readouterr().err


@pytest.mark.usefixtures("switch")
def test_another_process_and_a_wrong_name_stay_errors() -> None:
    with pytest.raises(RuntimeError, match="unknown device"), tf.device("/job:worker/task:7/GPU:0"):
        tf.constant(1.0)
    with pytest.raises(ValueError, match="zero"), tf.device("/GPU:zero"):
        tf.constant(1.0)


@pytest.mark.gpus(1)
@pytest.mark.usefixtures("switch")
def test_where_the_device_exists_nothing_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    assert _eagerly() == 6.0
    assert "stands in" not in capfd.readouterr().err


SCRIPT = """
import tensorflow as tf
import keras
with tf.device("/GPU:0"):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0)
print(model.predict(tf.ones([1, 2]), verbose=0).shape, model.weights[0].value.device[-5:])
"""


def test_emplace_run_soft_runs_a_program_of_keras(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = programs.keras("run", "--soft", "script.py", folder=tmp_path)
    assert done.stdout.strip() == "(1, 1) CPU:0"
    assert done.stderr.count("stands in") == 1
    assert "script.py:4 asks for device '/GPU:0'" in done.stderr
    refused = programs.keras("run", "script.py", folder=tmp_path)
    assert refused.returncode == 1
    assert WAY_OUT in refused.stderr
