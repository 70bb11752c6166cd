"""Why tests of libraries fail here that pass on TensorFlow: the table of the page."""

from __future__ import annotations

# (library, a part of a failure's name or of what it says, the reason).
REASONS: tuple[tuple[str, str, str], ...] = (
    ("", "device:CPU:1", "The test makes several CPUs; there is one."),
    ("", "IsInitialized/VarIsInit", "The test makes several CPUs; there is one."),
    ("", "save_and_return_nodes", "SavedModels are not written."),
    ("", "tf.tpu", "There are no TPUs here."),
    ("", "xla_context", "No XLA is around a compiled function; the test asks for it."),
    ("", "sobol_sample", "There are no Sobol sequences."),
    ("shap", "get_graph", "It replaces gradients in TensorFlow's private registry."),
    ("", "Timeout (>", "It takes longer than 90 s on the machine that was measured on."),
    ("", "the process ended", "The run's time was over before."),
    ("tf_keras", "agged_tensor", "Losses of Keras 2 fail on ragged targets, after dispatch."),
    ("", "was not reached", "The run's time was over before."),
    ("", "SaveOptions", "SavedModels are not written."),
    ("", "_to_components", "Keras 2 asks specs of datasets for parts."),
)  # fmt: skip

UNKNOWN = "not looked at yet"


def reason(library: str, name: str, said: str) -> str:
    """The first reason of the table that fits a failure."""
    for of, part, why in REASONS:
        if of in ("", library) and (part in name or part in said):
            return why
    return UNKNOWN
