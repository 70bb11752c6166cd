"""Networks from Keras's shelf, in the sizes of people's first experiments: a step of training, a
prediction, and a whole program up to the end of its first step.

Rows named "on all cores" take the threads that each library takes by itself.
"""

from ..budgets import Budget

PEERS = ("emplace", "torch", "tensorflow")
MODELS = {
    "resnet50": "ResNet50 on 8 images of 96 x 96",
    "mobilenet": "MobileNetV2 on 8 images of 96 x 96",
    "efficientnet": "EfficientNetB0 on 8 images of 96 x 96",
    "densenet": "DenseNet121 on 8 images of 96 x 96",
    "transformer": "4 layers of width 256 over 16 texts of 128 words",
    "lstm": "two bidirectional LSTM(96) over 32 texts of 60 words",
    "unet": "a small U-Net with batch norm on 8 images of 64 x 64",
}
STEPS = tuple(f"{name} {what}" for name in MODELS for what in ("train", "predict"))
ALL_CORES = tuple(f"{row} on all cores" for row in STEPS)
FIRST = tuple(f"{name} first step" for name in MODELS)
WHOLE = tuple(f"{name} program" for name in MODELS)
ROWS = (
    {row: MODELS[row.split()[0]] for row in (*STEPS, *ALL_CORES)}
    | dict.fromkeys(FIRST, "making the network and its first step, all modules being loaded")
    | dict.fromkeys(WHOLE, "the program up to there, with all that it imports")
)  # fmt: skip
_IMPORT = "from benchmarks.shelf.{} import first_step"
_PROGRAMS = {
    "emplace": "import emplace; emplace.install(); " + _IMPORT.format("tf_program"),
    "torch": _IMPORT.format("torch_program"),
    "tensorflow": _IMPORT.format("tf_program"),
}
_LOADED = "start = time.perf_counter()"  # the clock of the row begins anew
STARTS = {
    f"{name} {row}": {
        peer: f"{program}; {begin}first_step({name!r})" for peer, program in _PROGRAMS.items()
    }
    for name in MODELS
    for row, begin in (("first step", f"{_LOADED}; "), ("program", ""))
}

BUDGETS = (
    *(Budget(row, factor=0.95, of="tensorflow") for row in (*STEPS, *ALL_CORES)),
    *(Budget(row, factor=0.9, of="torch") for row in (*STEPS, *ALL_CORES)),
    *(Budget(row, factor=0.3, of="tensorflow") for row in FIRST),
    *(Budget(row, factor=0.5, of="tensorflow") for row in WHOLE),
)
