"""`tf.dtensor` (`tf.experimental.dtensor`): not served. Libraries ask what is an instance of it."""

from ..base.missing import (
    Missing as Missing,
)

_INSTEAD = "Use tf.distribute, or devices by hand."

MATCH = "match"
UNSHARDED = "unsharded"

DTensorCheckpoint = Missing.of("tf.experimental.dtensor.DTensorCheckpoint", _INSTEAD)
DTensorDataset = Missing.of("tf.experimental.dtensor.DTensorDataset", _INSTEAD)
DVariable = Missing.of("tf.experimental.dtensor.DVariable", _INSTEAD)
Layout = Missing.of("tf.experimental.dtensor.Layout", _INSTEAD)
Mesh = Missing.of("tf.experimental.dtensor.Mesh", _INSTEAD)
barrier = Missing.of("tf.experimental.dtensor.barrier", _INSTEAD)
call_with_layout = Missing.of("tf.experimental.dtensor.call_with_layout", _INSTEAD)
check_layout = Missing.of("tf.experimental.dtensor.check_layout", _INSTEAD)
client_id = Missing.of("tf.experimental.dtensor.client_id", _INSTEAD)
copy_to_mesh = Missing.of("tf.experimental.dtensor.copy_to_mesh", _INSTEAD)
create_distributed_mesh = Missing.of("tf.experimental.dtensor.create_distributed_mesh", _INSTEAD)
create_mesh = Missing.of("tf.experimental.dtensor.create_mesh", _INSTEAD)
create_tpu_mesh = Missing.of("tf.experimental.dtensor.create_tpu_mesh", _INSTEAD)
default_mesh = Missing.of("tf.experimental.dtensor.default_mesh", _INSTEAD)
device_name = Missing.of("tf.experimental.dtensor.device_name", _INSTEAD)
enable_save_as_bf16 = Missing.of("tf.experimental.dtensor.enable_save_as_bf16", _INSTEAD)
fetch_layout = Missing.of("tf.experimental.dtensor.fetch_layout", _INSTEAD)
full_job_name = Missing.of("tf.experimental.dtensor.full_job_name", _INSTEAD)
get_default_mesh = Missing.of("tf.experimental.dtensor.get_default_mesh", _INSTEAD)
heartbeat_enabled = Missing.of("tf.experimental.dtensor.heartbeat_enabled", _INSTEAD)
initialize_accelerator_system = Missing.of(
    "tf.experimental.dtensor.initialize_accelerator_system", _INSTEAD
)
initialize_multi_client = Missing.of("tf.experimental.dtensor.initialize_multi_client", _INSTEAD)
initialize_tpu_system = Missing.of("tf.experimental.dtensor.initialize_tpu_system", _INSTEAD)
is_dtensor = Missing.of("tf.experimental.dtensor.is_dtensor", _INSTEAD)
job_name = Missing.of("tf.experimental.dtensor.job_name", _INSTEAD)
jobs = Missing.of("tf.experimental.dtensor.jobs", _INSTEAD)
local_devices = Missing.of("tf.experimental.dtensor.local_devices", _INSTEAD)
name_based_restore = Missing.of("tf.experimental.dtensor.name_based_restore", _INSTEAD)
name_based_save = Missing.of("tf.experimental.dtensor.name_based_save", _INSTEAD)
num_clients = Missing.of("tf.experimental.dtensor.num_clients", _INSTEAD)
num_global_devices = Missing.of("tf.experimental.dtensor.num_global_devices", _INSTEAD)
num_local_devices = Missing.of("tf.experimental.dtensor.num_local_devices", _INSTEAD)
pack = Missing.of("tf.experimental.dtensor.pack", _INSTEAD)
preferred_device_type = Missing.of("tf.experimental.dtensor.preferred_device_type", _INSTEAD)
relayout = Missing.of("tf.experimental.dtensor.relayout", _INSTEAD)
relayout_like = Missing.of("tf.experimental.dtensor.relayout_like", _INSTEAD)
run_on = Missing.of("tf.experimental.dtensor.run_on", _INSTEAD)
sharded_save = Missing.of("tf.experimental.dtensor.sharded_save", _INSTEAD)
shutdown_accelerator_system = Missing.of(
    "tf.experimental.dtensor.shutdown_accelerator_system", _INSTEAD
)
shutdown_tpu_system = Missing.of("tf.experimental.dtensor.shutdown_tpu_system", _INSTEAD)
unpack = Missing.of("tf.experimental.dtensor.unpack", _INSTEAD)
