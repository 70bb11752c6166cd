"""`tf.dtensor`: not served."""

from ..base.missing import (
    Missing as Missing,
)

_INSTEAD = "Use tf.distribute, or devices by hand."

Layout = Missing.of("tf.dtensor.Layout", _INSTEAD)
Mesh = Missing.of("tf.dtensor.Mesh", _INSTEAD)
DTensorDataset = Missing.of("tf.dtensor.DTensorDataset", _INSTEAD)
create_mesh = Missing.of("tf.dtensor.create_mesh", _INSTEAD)
create_distributed_mesh = Missing.of("tf.dtensor.create_distributed_mesh", _INSTEAD)
copy_to_mesh = Missing.of("tf.dtensor.copy_to_mesh", _INSTEAD)
pack = Missing.of("tf.dtensor.pack", _INSTEAD)
unpack = Missing.of("tf.dtensor.unpack", _INSTEAD)
