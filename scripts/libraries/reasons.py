"""Why tests of libraries fail here that pass on TensorFlow: the table of the page."""

from __future__ import annotations

# (library, a part of a failure's name or of what it says, the reason).
REASONS: tuple[tuple[str, str, str], ...] = (
    ("", "device:CPU:1", "The test makes several CPUs; there is one."),
    (
        "", "variable_sync_on_read_context",
        "`tf.__internal__.distribute.variable_sync_on_read_context` is missing.",
    ),
    (
        "Larq", "quantizers.py",
        "`tf.__internal__.distribute.variable_sync_on_read_context` is missing.",
    ),
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
