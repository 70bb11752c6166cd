"""What a limit costs: the same work on a device that is bounded and on one that is not.

`bounded` is Emplace on a GPU of 64 MB in host memory, `emplace` the same on the CPU: both compute
with the same kernels on the same core.
"""

from ..budgets import Budget

PEERS = ("emplace", "bounded")
ROWS = {
    "add": "a + b of 4 x 4 floats",
    "matmul": "a @ b of 4 x 4 floats",
    "conv": "an image of 8 x 8 x 4, 3 x 3 filters",
    "chain": "three ops on 4 x 4 floats, each on the result before",
    "variable": "v + a of a variable",
    "function call": "matmul(x, x) * 2 + 1 as a tf.function",
    "function step": "ten products and sums as a tf.function, of 32 x 32 floats",
    "unknown shapes": "the same, traced for any number of rows",
    "loop": "a tf.while_loop of ten iterations",
    "session run": "matmul(x, x) * 2 + 1 of a TF 1 graph, x fed",
    "mlp fit": "a step of Keras's fit, a perceptron",
    "cnn step": "a step of two convolutions and a product on 16 images, as a tf.function",
}
STARTS: dict[str, dict[str, str]] = {}

_EAGER = ("add", "matmul", "conv", "chain", "variable")
_PLANS = ("function call", "function step", "unknown shapes", "loop", "session run", "cnn step")
BUDGETS = (
    *[Budget(row, "bounded", factor=1.5, of="emplace") for row in _EAGER],
    *[Budget(row, "bounded", factor=1.1, of="emplace") for row in _PLANS],
    Budget("mlp fit", "bounded", factor=1.03, of="emplace"),
)
