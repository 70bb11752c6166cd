"""What the cases about strategies rely on: three logical CPUs, and how answers are written down."""

PRELUDE = '''
import copy, logging, re

CPU, *GPUS = tf.config.list_physical_devices()
SPLIT = tf.config.LogicalDeviceConfiguration
SYNC, AGGREGATION = tf.VariableSynchronization, tf.VariableAggregation
LINES = []


class _Lines(logging.Handler):
    def emit(self, record):
        LINES.append(record.levelname + ": " + record.getMessage())


tf.get_logger().handlers[:] = [_Lines()]
tf.get_logger().propagate = False
tf.get_logger().setLevel("INFO")


def told():
    """What has been logged since the last time."""
    found = LINES[:]
    LINES.clear()
    return found


def cpus(count):
    tf.config.set_visible_devices([], "GPU")
    tf.config.set_logical_device_configuration(CPU, [SPLIT()] * count)


def mirrored(*names, **options):
    made = tf.distribute.MirroredStrategy(names or ["CPU:0", "CPU:1"], **options)
    told()
    return made


def context():
    return tf.distribute.get_replica_context()


def place():
    return context().replica_id_in_sync_group


def number():
    return tf.cast(place(), tf.float32) + 1


def show(x):
    """A value as one that prints alike everywhere."""
    if isinstance(x, dict):
        return {key: show(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(map(show, x)) if type(x) in (list, tuple) else [type(x).__name__, *x]
    if isinstance(x, tf.distribute.DistributedValues):
        return [type(x).__name__, *map(show, x.values)]
    if isinstance(x, tf.IndexedSlices):
        return ["IndexedSlices", show(x.indices), show(x.values)]
    if isinstance(x, tf.Variable):
        return ["Variable", x.name, x.device[-5:], x.numpy().tolist()]
    if tf.is_tensor(x):
        return [x.device[-5:], x.dtype.name, x.numpy().tolist()]
    return x


def bare(x):
    """A value without its devices: TensorFlow has what functions return on the first CPU."""
    if isinstance(x, dict):
        return {key: bare(value) for key, value in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(map(bare, x))
    if isinstance(x, tf.distribute.DistributedValues):
        return [type(x).__name__, *map(bare, x.values)]
    if isinstance(x, tf.IndexedSlices):
        return ["IndexedSlices", bare(x.indices), bare(x.values)]
    return x.numpy().tolist() if hasattr(x, "numpy") else x


def values(x):
    """Only the numbers of the components."""
    return [each.numpy().tolist() for each in x.values]


def attempt(call, *args, **kwargs):
    """What a call returns, or its error."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return [type(error).__name__, re.sub(r" \\[Op:.*", "", str(error), flags=re.S)]


def way(as_function, call):
    return tf.function(call, autograph=False) if as_function else call
'''

TWO = PRELUDE + "\ncpus(2)\ns = mirrored()\n"
THREE = PRELUDE + "\ncpus(3)\n"
