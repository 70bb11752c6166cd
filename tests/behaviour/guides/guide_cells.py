"""The calls and values of TensorFlow's "Use a GPU" guides, cell by cell, as functions of `tf`.

As a program it runs the cells of the TF 2 guide in their order, in one process that looks like a
notebook: `emplace run --gpus 4 guide_cells.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Cell = Callable[[Any], None]

A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
B = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
FLAT = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


# TF 2


def count(tf: Any) -> None:
    print("Num GPUs Available: ", len(tf.config.list_physical_devices("GPU")))


def product(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    print(tf.matmul(tf.constant(A), tf.constant(B)))


def product_of_host_constants(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    with tf.device("/CPU:0"):
        a, b = tf.constant(A), tf.constant(B)
    print(tf.matmul(a, b))


def one_visible_gpu(tf: Any) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    try:
        tf.config.set_visible_devices(gpus[0], "GPU")
        logical = tf.config.list_logical_devices("GPU")
        print(len(gpus), "Physical GPUs,", len(logical), "Logical GPU")
    except RuntimeError as error:
        print(error)


def growth(tf: Any) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    try:
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
        logical = tf.config.list_logical_devices("GPU")
        print(len(gpus), "Physical GPUs,", len(logical), "Logical GPUs")
    except RuntimeError as error:
        print(error)


def one_bounded_gpu(tf: Any) -> None:
    _bound(tf, [tf.config.LogicalDeviceConfiguration(memory_limit=1024)], "GPUs")


def one_bounded_gpu_by_its_older_name(tf: Any) -> None:
    _bound(tf, [tf.config.experimental.VirtualDeviceConfiguration(memory_limit=1024)], "GPUs")


def two_bounded_gpus(tf: Any) -> None:
    one = tf.config.LogicalDeviceConfiguration(memory_limit=1024)
    _bound(tf, [one, one], "GPU")


def _bound(tf: Any, configurations: list[Any], noun: str) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    try:
        tf.config.set_logical_device_configuration(gpus[0], configurations)
        logical = tf.config.list_logical_devices("GPU")
        print(len(gpus), f"Physical {noun},", len(logical), "Logical GPUs")
    except RuntimeError as error:
        print(error)


def third_gpu(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    try:
        with tf.device("/device:GPU:2"):
            tf.matmul(tf.constant(A), tf.constant(B))
    except RuntimeError as error:
        print(error)


def soft_placement(tf: Any) -> None:
    tf.config.set_soft_device_placement(True)
    product(tf)


def towers(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    results = []
    for gpu in tf.config.list_logical_devices("GPU"):
        with tf.device(gpu.name):
            results.append(tf.matmul(tf.constant(A), tf.constant(B)))
    with tf.device("/CPU:0"):
        print(tf.add_n(results))


TF2: list[Cell] = [
    count, product, product_of_host_constants, one_visible_gpu, growth, one_bounded_gpu,
    one_bounded_gpu_by_its_older_name, third_gpu, soft_placement, two_bounded_gpus, towers,
]  # fmt: skip


# TF 2.0 alpha


def alpha_product(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    print(_alpha_product(tf))


def alpha_product_of_host_constants(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    with tf.device("/cpu:0"):
        a, b = _alpha_constants(tf)
    print(tf.matmul(a, b))


def alpha_growth(tf: Any) -> None:
    tf.config.gpu.set_per_process_memory_growth()


def alpha_fraction(tf: Any) -> None:
    tf.config.gpu.set_per_process_memory_fraction(0.4)


def alpha_third_gpu(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    with tf.device("/device:GPU:2"):
        c = _alpha_product(tf)
    print(c)


def alpha_soft_placement(tf: Any) -> None:
    tf.config.set_soft_device_placement(True)
    alpha_third_gpu(tf)


def alpha_towers(tf: Any) -> None:
    tf.debugging.set_log_device_placement(True)
    results = []
    for device in ["/device:GPU:2", "/device:GPU:3"]:
        with tf.device(device):
            a = tf.constant(FLAT, shape=[2, 3])
            b = tf.constant(FLAT, shape=[3, 2])
            results.append(tf.matmul(a, b))
    with tf.device("/cpu:0"):
        total = tf.add_n(results)
    print(total)


def _alpha_constants(tf: Any) -> tuple[Any, Any]:
    a = tf.constant(FLAT, shape=[2, 3], name="a")
    return a, tf.constant(FLAT, shape=[3, 2], name="b")


def _alpha_product(tf: Any) -> Any:
    a, b = _alpha_constants(tf)
    return tf.matmul(a, b)


def get_ipython() -> None:
    """What a notebook has; the placement log looks for it."""


if __name__ == "__main__":
    import tensorflow

    for cell in TF2:
        print(f"# {cell.__name__}")
        cell(tensorflow)
