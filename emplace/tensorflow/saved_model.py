"""`tf.saved_model`: not served."""

from ..base.missing import (
    Missing as Missing,
)

_INSTEAD = "Save a model with `model.save('model.keras')`, variables with tf.train.Checkpoint."

save = Missing.of("tf.saved_model.save", _INSTEAD)
load = Missing.of("tf.saved_model.load", _INSTEAD)
contains_saved_model = Missing.of("tf.saved_model.contains_saved_model", _INSTEAD)
Asset = Missing.of("tf.saved_model.Asset", _INSTEAD)
LoadOptions = Missing.of("tf.saved_model.LoadOptions", _INSTEAD)
SaveOptions = Missing.of("tf.saved_model.SaveOptions", _INSTEAD)
