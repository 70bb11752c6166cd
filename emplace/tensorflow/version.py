"""`tf.version`: the TensorFlow release whose behaviour the facade follows."""

VERSION = "2.21.0"
GIT_VERSION = "emplace"
