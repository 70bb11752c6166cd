"""What graphs cost: calls of small functions, runs of small sessions, and loops.

The loop is a recurrent network of 32 units and 200 steps on batches of 32, written step by step
with `tf.while_loop` and `tf.TensorArray`, forward and backward. Torch runs it in Python, JAX as a
compiled scan.
"""

from ..budgets import Budget

PEERS = ("emplace", "torch", "tensorflow", "jax")
ROWS = {
    "small function call": "a function of three small ops",
    "session run": "`Session.run` of the same three ops on a constant",
    "session run with feed": "the same, on a value that is fed",
    "lstm loop step": "the loss and the gradients of 200 steps of a recurrent network",
}
STARTS: dict[str, dict[str, str]] = {}

BUDGETS = (
    Budget("small function call", plus_us=5.0),
    Budget("small function call", of="tensorflow"),
    Budget("session run", plus_us=10.0),
    Budget("session run", of="tensorflow"),
    Budget("session run with feed", plus_us=10.0),
    Budget("session run with feed", of="tensorflow"),
)
