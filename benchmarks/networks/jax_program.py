"""The network as written for JAX."""

import jax
import jax.numpy as jnp

from .inputs import ALPHA, BETA, DECAY, IMAGES, LABELS, RADIUS, WEIGHTS

weights = {name: jnp.asarray(array) for name, array in WEIGHTS.items()}
images, labels = jnp.asarray(IMAGES), jnp.asarray(LABELS)


def convolved(x, kernel, bias):
    layout = ("NHWC", "HWIO", "NHWC")
    x = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=layout)
    return jax.nn.relu(x + bias)


def pooled(x):
    window, strides = (1, 3, 3, 1), (1, 2, 2, 1)
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, strides, "SAME")


def normalized(x):
    ends = ((0, 0), (0, 0), (0, 0), (RADIUS, RADIUS))
    window = (1, 1, 1, 2 * RADIUS + 1)
    near = jax.lax.reduce_window(x * x, 0.0, jax.lax.add, window, (1, 1, 1, 1), ends)
    return x * (1.0 + ALPHA * near) ** -BETA


def loss(w):
    x = normalized(pooled(convolved(images, w["conv1"], w["bias1"])))
    x = pooled(normalized(convolved(x, w["conv2"], w["bias2"])))
    x = x.reshape(128, -1)
    x = jax.nn.relu(x @ w["dense3"] + w["bias3"])
    x = jax.nn.relu(x @ w["dense4"] + w["bias4"])
    logits = x @ w["dense5"] + w["bias5"]
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
    decay = jnp.sum(w["dense3"] ** 2) / 2 + jnp.sum(w["dense4"] ** 2) / 2
    return -jnp.mean(chosen) + DECAY * decay


step = jax.jit(jax.grad(loss))

ROWS = {
    "cifar10 compiled": "jax.block_until_ready(step(weights))",
}
