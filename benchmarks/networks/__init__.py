"""A training step of a whole network: what layouts, kernels and gradients cost together.

One network is that of TensorFlow's CIFAR-10 tutorial, on batches of 128 images of 24 x 24; the
other a perceptron of 784, 512, 512 and 10 units, on batches of 128. TensorFlow and JAX compile the
step; Emplace and torch run it op by op. The last rows are the same steps on all cores, with the
threads that each library takes by itself, first alone and then beside a busy loop per core.
"""

from ..budgets import Budget

PEERS = ("emplace", "torch", "tensorflow", "jax")
ROWS = {
    "cifar10 forward": "the loss, op by op",
    "cifar10 step": "the loss and the gradients of all variables, op by op",
    "cifar10 compiled": "the same step under tf.function or jax.jit",
    "mlp step": "the loss and the gradients of a perceptron with two hidden layers, op by op",
    "mlp compiled": "the same step under tf.function or jax.jit",
    "cifar10 quiet": "the compiled step on all cores; op by op in torch",
    "cifar10 busy": "the same beside a busy loop per core",
    "mlp quiet": "the perceptron's compiled step on all cores; op by op in torch",
    "mlp busy": "the same beside a busy loop per core",
}
# Rows that are measured on all cores, and those of them that share the machine.
ALL_CORES = ("cifar10 quiet", "cifar10 busy", "mlp quiet", "mlp busy")
BUSY = ("cifar10 busy", "mlp busy")
STARTS: dict[str, dict[str, str]] = {}

BUDGETS = (
    Budget("cifar10 step", of="tensorflow", of_row="cifar10 compiled"),
    Budget("cifar10 step", of="tensorflow"),
    Budget("mlp step", of="tensorflow", of_row="mlp compiled"),
    Budget("mlp step", of="tensorflow"),
    Budget("cifar10 busy", factor=2.5, of="emplace", of_row="cifar10 quiet"),
    Budget("cifar10 busy", of="tensorflow"),
    Budget("mlp busy", factor=2.5, of="emplace", of_row="mlp quiet"),
    Budget("mlp busy", of="tensorflow"),
)
