"""What one op costs when it runs at once, on 4 x 4 floats, where the kernel itself is nothing."""

from ..budgets import Budget

ROWS = {
    "add": "a + b",
    "matmul": "a @ b",
    "relu": "max(a, 0)",
    "reduce_sum": "the sum of all elements",
    "reduce_sum axis=0": "the sum over the rows",
    "a * 2": "a tensor times a Python number",
    "a[0]": "one row of a matrix",
    "constant": "a tensor of three Python floats",
    "zeros": "a new 4 x 4 tensor",
    "assign_sub": "v -= g of a variable, in place",
    "gradient": "of sum(relu(x @ w)) for a variable w, recording included",
    "device scope": "a + b under a device asked for by name",
    "import": "in a fresh interpreter",
    "first op": "import and a + b of two numbers, in a fresh interpreter",
}

# Rows that need a fresh interpreter each time, by peer.
STARTS = {
    "import": {
        "emplace": "import emplace",
        "torch": "import torch",
        "tensorflow": "import tensorflow",
        "jax": "import jax",
    },
    "first op": {
        "emplace": "import emplace.tensorflow as tf; tf.add(1.0, 2.0)",
        "torch": "import torch; torch.add(torch.tensor(1.0), torch.tensor(2.0))",
        "tensorflow": "import tensorflow as tf; tf.add(1.0, 2.0)",
        "jax": "import jax.numpy as jnp; jnp.add(1.0, 2.0).block_until_ready()",
    },
}

BUDGETS = (
    Budget("add", factor=1.5, of="torch"),
    Budget("add", factor=1 / 6, of="tensorflow"),
    Budget("matmul", factor=1.5, of="torch"),
    Budget("matmul", factor=1 / 6, of="tensorflow"),
    Budget("add", "watched", plus_us=8),
    Budget("matmul", "watched", plus_us=8),
    Budget("gradient", factor=1 / 8, of="tensorflow"),
    Budget("import", plus_us=0.2e6),
    Budget("first op", of="torch", of_row="import", plus_us=0.3e6),
)
