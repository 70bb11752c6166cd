"""`tf.profiler.experimental`: the marks of programs, and nothing that collects them."""

from ...base.missing import (
    Missing as Missing,
)
from ...interop.keras_two import (
    Trace as Trace,
)

_INSTEAD = "Use emplace.watch(), whose report tells of ops, copies and memory."

start = Missing.of("tf.profiler.experimental.start", _INSTEAD)
stop = Missing.of("tf.profiler.experimental.stop", _INSTEAD)
Profile = Missing.of("tf.profiler.experimental.Profile", _INSTEAD)
