"""`tf.lite`: not served."""

from ..base.missing import (
    Missing as Missing,
)

_INSTEAD = "Export to TensorFlow Lite with TensorFlow itself, from a `.keras` file."

TFLiteConverter = Missing.of("tf.lite.TFLiteConverter", _INSTEAD)
Interpreter = Missing.of("tf.lite.Interpreter", _INSTEAD)
Optimize = Missing.of("tf.lite.Optimize", _INSTEAD)
OpsSet = Missing.of("tf.lite.OpsSet", _INSTEAD)
