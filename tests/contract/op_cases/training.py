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

_TRAIN = "tf.compat.v1.train"
SCHEDULES = [
    *[
        f"{_TRAIN}.{name}(0.1, {at}, 10, 0.5{stairs})()"
        for name in ("exponential_decay", "natural_exp_decay", "inverse_time_decay")
        for at in (0, 3, 25)
        for stairs in ("", ", staircase=True")
    ],
    *[
        f"{_TRAIN}.polynomial_decay(0.1, {at}, 10{how})()"
        for at in (0, 3, 25)
        for how in ("", ", 0.01, 2.0", ", power=0.5, cycle=True")
    ],
    *[f"{_TRAIN}.cosine_decay(0.1, {at}, 10, {low})()" for at in (0, 3, 25) for low in (0.0, 0.2)],
    *[
        f"{_TRAIN}.cosine_decay_restarts(0.1, {at}, 10{how})()"
        for at in (0, 3, 25, 31)
        for how in ("", ", t_mul=1.0", ", 1.5, 0.5, 0.1")
    ],
    *[f"{_TRAIN}.linear_cosine_decay(0.1, {at}, 10)()" for at in (0, 3, 25)],
    *[f"{_TRAIN}.piecewise_constant({at}, [3, 7], [1.0, 0.5, 0.1])()" for at in (0, 3, 4, 7, 8)],
    f"{_TRAIN}.piecewise_constant(1, [3, 7], [1.0, 0.5])()",
    f"{_TRAIN}.exponential_decay(0.1, None, 10, 0.5)()",
]
AVERAGES = [
    f"run(v := tf.Variable({value}), e := {_TRAIN}.ExponentialMovingAverage({how}), "
    "e.apply([v]), v.assign_add(v), e.apply([v]), v.assign_add(v), e.apply([v]), "
    "e.average(v).numpy())"
    for value in ("1.0", "f32(2, 3)", "f64(2)")
    for how in ("0.9", "0.99, 3", "0.5, name='kept'")
]

_STEPS = [
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
CASES = [
    *[
        loose(case, 1e-6, "the decay is taken from 1 as float32 or as the average's type")
        for case in AVERAGES
    ],
    *[loose(case, 2e-5, _ROUNDING) for case in SCHEDULES],
    *_STEPS,
]
# A gradient whose square float32 does not hold.
_LARGE = "np.float32([1.0, 1e25])"
CASES += [
    loose(step(optimizer, "tf.reduce_sum(v * v)", _LARGE), 2e-5, _ROUNDING)
    for optimizer in ("AdadeltaOptimizer(1.0)", "RMSPropOptimizer(0.1)", "AdagradOptimizer(0.1)")
]
