"""Cases of `ops/variables/training.py`, by the optimizers that use its ops: a step or two, whole
and of some rows.
"""

from . import loose


def step(optimizer: str, loss: str, value: str, steps: int = 2) -> str:
    """A case: some steps along the gradient of a loss of `v`, and what `v` then holds."""
    taken = ", ".join([f"o.minimize(lambda: {loss}, var_list=[v])"] * steps)
    return (
        f"run(v := tf.Variable({value}), o := tf.compat.v1.train.{optimizer}, {taken}, v.numpy())"
    )


OPTIMIZERS = (
    "GradientDescentOptimizer(0.1)", "MomentumOptimizer(0.1, 0.9)",
    "MomentumOptimizer(0.1, 0.9, use_nesterov=True)", "AdagradOptimizer(0.1)",
    "AdadeltaOptimizer(1.0)", "AdamOptimizer(0.1)", "AdamOptimizer(0.1, epsilon=0.1)",
    "RMSPropOptimizer(0.1)", "RMSPropOptimizer(0.1, momentum=0.5)",
    "RMSPropOptimizer(0.1, momentum=0.5, centered=True)", "FtrlOptimizer(0.1)",
    "FtrlOptimizer(0.1, l1_regularization_strength=0.1, l2_regularization_strength=0.2)",
)  # fmt: skip
_ROWS = "tf.reduce_sum(tf.gather(v, [2, 0, 2]) ** 2)"
_ROUNDING = "steps divide by roots, which two libraries round differently"

CASES = [
    loose(case, 2e-5, _ROUNDING)
    for optimizer in OPTIMIZERS
    for case in (
        step(optimizer, "tf.reduce_sum(v * v)", "f32(3, 2)"),
        step(optimizer, "tf.reduce_sum(v * v)", "f64(3)"),
        step(optimizer, _ROWS, "f32(4, 2)"),
        step(optimizer, _ROWS, "f32(3)", steps=1),
        step(optimizer, "tf.constant(1.0)", "f32(3)"),
    )
]
