"""What replicas on one machine cost: `MirroredStrategy` on one core, against one device.

All devices share the core, so more of them cannot be faster: the rows show what the strategy takes.
Emplace runs on four virtual GPUs of 4 GB in host memory, TensorFlow on four logical CPUs with
`ReductionToOneDevice`: its collectives work for one strategy in a program. A row ends
with the number of replicas; "plain" is the same step on one device without a strategy. Every row is
the same global batch.
"""

from ..budgets import Budget

PEERS = ("emplace", "tensorflow")
_STEPS = {
    "step": "one weight, one number per replica: what is left is the strategy",
    "cnn": "a training step of a convolutional network on 512 images of 8 x 8",
    "mlp": "a training step of a perceptron of 784, 512, 512 and 10 units on 512 examples",
    "cifar10": "a training step of the network of the CIFAR-10 tutorial on 128 images",
    "fit": "a step of Keras's `fit`, with all around it, of a convolutional network on 512 images",
}
_HOW = {
    "plain": "without a strategy",
    "1": "1 replica", "2": "2 replicas", "4": "4 replicas",
}  # fmt: skip
ROWS = {
    **{
        f"{step} {how}": f"{what}; {told}"
        for step, what in _STEPS.items()
        for how, told in _HOW.items()
    },
    "gradients 1000": "the sums over 2 replicas of 1,000 gradients of 40 KB each",
    "gradients 1": "the sum over 2 replicas of one gradient of 40 MB",
}
STARTS: dict[str, dict[str, str]] = {}

BUDGETS = (
    Budget("step 2", of="emplace", of_row="step plain", plus_us=100),
    *[
        Budget(f"{step} {count}", factor=1.15, of="emplace", of_row=f"{step} plain")
        for step in ("cnn", "mlp", "cifar10", "fit")
        for count in (2, 4)
    ],
    Budget("gradients 1000", factor=1.2, of="emplace", of_row="gradients 1"),
)
