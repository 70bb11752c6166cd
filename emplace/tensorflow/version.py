"""`tf.version`: the TensorFlow release whose behaviour the facade follows."""

VERSION = "2.21.0"
GIT_VERSION = "emplace"
COMPILER_VERSION = "emplace"
GRAPH_DEF_VERSION = 2474
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
