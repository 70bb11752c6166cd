"""Keras's `fit`: the same programs, unchanged, on every backend of Keras that trains.

An epoch is the steps of `program.py`; a row's time is that of one step, with all that `fit` does
around it. The first epoch is a whole program in a fresh interpreter: imports, building, tracing or
compiling, and the steps of one epoch.
"""

from ..budgets import Budget, MeanBudget

PEERS = ("emplace", "torch", "tensorflow", "jax")
MODELS = {
    "mlp": "784, 512, 512 and 10 units, batches of 32",
    "cnn": "two convolutions with pooling on images of 28 x 28, batches of 128",
    "lstm": "LSTM(32) over 32 steps of 16 numbers, batches of 32",
    "transformer": "a block of four heads over 32 x 64 numbers, batches of 32",
}
ROWS = {f"{name} step": what for name, what in MODELS.items()} | {
    f"{name} first epoch": "the program up to the end of its first epoch, in a fresh interpreter"
    for name in MODELS
}
_PROGRAMS = {
    "emplace": "import emplace; emplace.install(); from benchmarks.keras.tf_program import fit",
    "torch": "from benchmarks.keras.torch_program import fit",
    "tensorflow": "from benchmarks.keras.tf_program import fit",
    "jax": "from benchmarks.keras.jax_program import fit",
}
STARTS = {
    f"{name} first epoch": {peer: f"{start}; fit({name!r}, 1)" for peer, start in _PROGRAMS.items()}
    for name in MODELS
}

STEPS = tuple(f"{name} step" for name in MODELS)
BUDGETS = (
    *(Budget(row, of="tensorflow") for row in STEPS),
    *(Budget(row, of="torch") for row in STEPS),
    MeanBudget(STEPS, factor=1.2, of=("tensorflow", "torch", "jax")),
    *(Budget(f"{name} first epoch", of="tensorflow") for name in MODELS),
)
