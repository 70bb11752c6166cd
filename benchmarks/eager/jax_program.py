"""The eager rows as written for JAX, without jit. JAX returns before the result is there, the
others do not: every row waits for it. Its arrays do not change, so there is no `assign_sub`.
"""

import jax
import jax.numpy as jnp

a = jax.random.uniform(jax.random.key(0), (4, 4))
b = jax.random.uniform(jax.random.key(1), (4, 4))
cpu = jax.devices("cpu")[0]
gradient = jax.grad(lambda w: jnp.sum(jax.nn.relu(a @ w)))

ROWS = {
    "add": "jnp.add(a, b).block_until_ready()",
    "matmul": "jnp.matmul(a, b).block_until_ready()",
    "relu": "jax.nn.relu(a).block_until_ready()",
    "reduce_sum": "jnp.sum(a).block_until_ready()",
    "reduce_sum axis=0": "jnp.sum(a, axis=0).block_until_ready()",
    "a * 2": "(a * 2.0).block_until_ready()",
    "a[0]": "a[0].block_until_ready()",
    "constant": "jnp.array([1.0, 2.0, 3.0]).block_until_ready()",
    "zeros": "jnp.zeros((4, 4)).block_until_ready()",
    "gradient": "gradient(b).block_until_ready()",
    "device scope": "with jax.default_device(cpu): jnp.add(a, b).block_until_ready()",
}
