"""Networks: convolutions, pooling, activations, losses, normalization: `tf.nn`."""
