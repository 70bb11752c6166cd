"""The functions as written for JAX."""

import jax
import jax.numpy as jnp

from .inputs import BATCH, BIAS, KERNEL, RECURRENT, ROW, SEQUENCE, UNITS

weights = tuple(jnp.asarray(each) for each in (KERNEL, RECURRENT, BIAS))
sequence, row = jnp.asarray(SEQUENCE), jnp.asarray(ROW)


@jax.jit
def small(x):
    return jnp.matmul(x, x) * 2.0 + 1.0


def loss(weights, xs):
    kernel, recurrent, bias = weights

    def body(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ kernel + h @ recurrent + bias, 4, 1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((BATCH, UNITS))
    return jnp.mean(jax.lax.scan(body, (zeros, zeros), xs)[1] ** 2)


lstm = jax.jit(jax.grad(loss))

ROWS = {
    "small function call": "small(row).block_until_ready()",
    "lstm loop step": "jax.block_until_ready(lstm(weights, sequence))",
}
