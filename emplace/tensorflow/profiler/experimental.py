"""`tf.profiler.experimental`: not served."""

from ...base.missing import (
    Missing as Missing,
)

_INSTEAD = "Use emplace.watch(), whose report tells of ops, copies and memory."

start = Missing.of("tf.profiler.experimental.start", _INSTEAD)
stop = Missing.of("tf.profiler.experimental.stop", _INSTEAD)
Trace = Missing.of("tf.profiler.experimental.Trace", _INSTEAD)
Profile = Missing.of("tf.profiler.experimental.Profile", _INSTEAD)
