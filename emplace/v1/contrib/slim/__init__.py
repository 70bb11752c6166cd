"""`tf.contrib.slim`: of it only `prefetch_queue`."""

from typing import NoReturn

from ....pipelines import batching as prefetch_queue


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(
        f"tf.contrib.slim.{name} does not exist here: of tf.contrib.slim, which TensorFlow 2 has "
        "left behind, only prefetch_queue is offered. Use tf.layers and tf.losses."
    )
