"""The networks as written for JAX."""

import jax
import jax.numpy as jnp

from .inputs import (
    ALPHA,
    BETA,
    DECAY,
    DIGITS,
    IMAGES,
    LABELS,
    MLP_WEIGHTS,
    RADIUS,
    WEIGHTS,
)

weights = {name: jnp.asarray(array) for name, array in WEIGHTS.items()}
images, labels = jnp.asarray(IMAGES), jnp.asarray(LABELS)
mlp_weights = {name: jnp.asarray(array) for name, array in MLP_WEIGHTS.items()}
digits = jnp.asarray(DIGITS)


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


def entropy(logits):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def loss(w):
    x = normalized(pooled(convolved(images, w["conv1"], w["bias1"])))
    x = pooled(normalized(convolved(x, w["conv2"], w["bias2"])))
    x = x.reshape(128, -1)
    x = jax.nn.relu(x @ w["dense3"] + w["bias3"])
    x = jax.nn.relu(x @ w["dense4"] + w["bias4"])
    logits = x @ w["dense5"] + w["bias5"]
    decay = jnp.sum(w["dense3"] ** 2) / 2 + jnp.sum(w["dense4"] ** 2) / 2
    return entropy(logits) + DECAY * decay


def mlp_loss(w):
    x = jax.nn.relu(digits @ w["dense1"] + w["bias1"])
    x = jax.nn.relu(x @ w["dense2"] + w["bias2"])
    return entropy(x @ w["dense3"] + w["bias3"])


step, mlp_step = jax.jit(jax.grad(loss)), jax.jit(jax.grad(mlp_loss))

ROWS = {
    "cifar10 compiled": "jax.block_until_ready(step(weights))",
    "mlp compiled": "jax.block_until_ready(mlp_step(mlp_weights))",
    "cifar10 quiet": "jax.block_until_ready(step(weights))",
    "cifar10 busy": "jax.block_until_ready(step(weights))",
    "mlp quiet": "jax.block_until_ready(mlp_step(mlp_weights))",
    "mlp busy": "jax.block_until_ready(mlp_step(mlp_weights))",
}
