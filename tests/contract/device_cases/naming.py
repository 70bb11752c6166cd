"""Cases about naming devices: device strings, memory statistics by name, nested scopes."""

from __future__ import annotations

import random
from collections.abc import Iterator

from .spellings import corpus

START = "tf.config.list_logical_devices()\n"
HARD = "tf.config.set_soft_device_placement(False)\n"
PLACE = """
x = tf.constant([1.0])

def here():
    return tf.add(x, x).device

def spec(text):
    return tf.DeviceSpec.from_string(text).to_string()

def place(text, soft):
    tf.config.set_soft_device_placement(soft)
    with tf.device(text):
        return here()

def constant(text, soft):
    tf.config.set_soft_device_placement(soft)
    with tf.device(text):
        return tf.constant([1.0]).device
"""


def strings() -> list[list[str]]:
    """What device strings mean, and where ops under them run, with soft placement off and on."""
    return [
        [f"spec({text!r})"]
        + [f"{do}({text!r}, {soft})" for do in ("place", "constant") for soft in (False, True)]
        for text in corpus(2000, seed=1)
    ]


def memory_names() -> list[list[str]]:
    """Which device names memory statistics take."""
    names = [*corpus(600, seed=2), "GPU:3", "GPU:4", "CPU:1", "/device:GPU:1/task:0"]
    return [
        [
            f"tf.config.experimental.{do}({text!r})"
            for do in ("get_memory_info", "reset_memory_stats")
        ]
        for text in names
    ]


_SCOPES = (
    None, "", "/", "/cpu", "/cpu:0", "/cpu:*", "/gpu", "/gpu:0", "/gpu:1", "/gpu:2", "/gpu:*",
    "/device:GPU:3", "/job:localhost", "/job:*", "/task:0", "/replica:0", "/gpu:9", "/job:worker",
    "/job:localhost/replica:0/task:0/device:GPU:1", "/task:1", "/device:*:2",
)  # fmt: skip
_NO_SCOPES = ("/bad", "/cpu:x", "/device:GPU", "/cpu:0/gpu:0", 3, b"/cpu:0")


def scopes() -> list[list[str]]:
    """Scopes inside scopes, entered and left in any order, some of them again."""
    rng = random.Random(3)
    return [list(_walk(rng)) for _ in range(300)]


def _walk(rng: random.Random) -> Iterator[str]:
    names = rng.sample(("a", "b", "c"), 3)
    for name in names:
        yield f"{name} = tf.device({rng.choice(_SCOPES)!r})"
    yield f"bad = tf.device({rng.choice(_NO_SCOPES)!r})"
    opened: list[str] = []
    for _ in range(rng.randint(3, 9)):
        if opened and rng.random() < 0.45:
            yield f"{opened.pop()}.__exit__(None, None, None)"
        elif opened and rng.random() < 0.03:
            yield f"{opened.pop(0)}.__exit__(None, None, None)"
        elif rng.random() < 0.05:
            yield "bad.__enter__()"
        else:
            opened.append(rng.choice(names))
            yield f"{opened[-1]}.__enter__()"
        yield "here()"
