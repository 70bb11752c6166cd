"""Why tests of libraries fail here that pass on TensorFlow: the table of the page."""

from __future__ import annotations

SAVED_MODELS = "SavedModels are not written."
TPUS = "There are no TPUs here."

#: Tests that fail for these are named, and do not count.
APART = (SAVED_MODELS, TPUS)

# (library, a part of a failure's name or of what it says, the reason).
REASONS: tuple[tuple[str, str, str], ...] = (
    ("", "save_and_return_nodes", SAVED_MODELS),
    ("", "tf.tpu", TPUS),
    ("", "tf.saved_model", SAVED_MODELS),
    ("", "xla_context", "No XLA is around a compiled function; the test asks for it."),
    ("", "encode_structure", "It writes specs as the messages of SavedModels."),
    ("tf_keras", "model_checkpoint_test", "It looks for the file `.index` of TensorFlow's format."),
    ("tf_keras", "src/dtensor/", "It spreads tensors by tf.dtensor."),
    ("GPflow", "test_lognormal", "Its tolerance is finer than a rounding of float32."),
    ("Trieste", "test_Timer", "It measures seconds of a machine that has other things to do."),
    ("", "Timeout (>", "It takes longer than a test may on the machine that was measured on."),
    ("tf_keras", "CollectiveAllReduce", "It makes a strategy's workers by a private method."),
    ("tf_keras", "Mirrored1CPU", "It takes its strategies from TensorFlow's own tests."),
    ("", "SerializeToString", "Keras 2 makes layers of a graph's operations, of their messages."),
    ("", "You are passing KerasTensor", "It took functions before Keras 2 heard of their calls."),
    ("", "the process ended", "The run's time was over before."),
    ("", "was not reached", "The run's time was over before."),
    ("", "SaveOptions", SAVED_MODELS),
    ("", "_to_components", "Keras 2 asks specs of datasets for parts."),
)  # fmt: skip

UNKNOWN = "not looked at yet"


def reason(library: str, name: str, said: str) -> str:
    """The first reason of the table that fits a failure."""
    for of, part, why in REASONS:
        if of in ("", library) and (part in name or part in said):
            return why
    return UNKNOWN
