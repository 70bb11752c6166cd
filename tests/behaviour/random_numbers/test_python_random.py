"""Layers get TensorFlow's weights from Python's `random`, whichever import comes before the seed.

`tests/data/python_random.json` has what each program printed on TensorFlow 2.21 with Keras 3.15.
"""

import json

import pytest
from programs import REPOSITORY, emplace, new_emplace

CASES = json.loads((REPOSITORY / "tests" / "data" / "python_random.json").read_text())
# These seed when all is imported, so they may begin with it.
AFTERWARDS = "seeded after the import", "all seeds at once"
END = """
layer = tf.keras.layers.Dense(2)
layer(tf.ones((1, 2)))
print(layer.kernel.numpy().ravel().tolist())
"""


@pytest.mark.parametrize(
    "case",
    [
        # Processes of their own, each of which imports all anew.
        case if case in AFTERWARDS else pytest.param(case, marks=pytest.mark.slow)
        for case in CASES
    ],
)
def test_the_first_layer_has_the_weights_that_tensorflow_gives_it(case):
    run = emplace if case in AFTERWARDS else new_emplace
    done = run("run", "-c", CASES[case]["program"] + END)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == CASES[case]["kernel"]
