"""A small problem for every TF 1 optimizer, dense and by rows; TensorFlow runs this file too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def optimizers(tf: Any) -> dict[str, Callable[[], Any]]:
    """How to make each."""
    o = tf.compat.v1.train
    return {
        "GradientDescent": lambda: o.GradientDescentOptimizer(0.1),
        "Momentum": lambda: o.MomentumOptimizer(0.1, 0.9),
        "Nesterov": lambda: o.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        "Adagrad": lambda: o.AdagradOptimizer(0.1),
        "Adadelta": lambda: o.AdadeltaOptimizer(1.0),
        "RMSProp": lambda: o.RMSPropOptimizer(0.05, momentum=0.5),
        "CenteredRMSProp": lambda: o.RMSPropOptimizer(0.05, momentum=0.5, centered=True),
        "Adam": lambda: o.AdamOptimizer(0.1),
        "Ftrl": lambda: o.FtrlOptimizer(
            0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02
        ),
    }


FIRST = np.array([[0.5], [-0.3]], np.float32), np.arange(6, dtype=np.float32).reshape(3, 2) / 10


def problem(tf: Any, w: Any, e: Any) -> Any:
    """A loss of a matrix and of some rows of another."""
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    rows = tf.gather(e, [0, 2, 0])
    return tf.reduce_mean((tf.matmul(x, w) - 1.0) ** 2) + tf.reduce_sum(rows**2)


def in_session(tf: Any, make: Callable[[], Any]) -> dict[str, Any]:
    """Five steps in a session: values, and the names of all that was made."""
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        w, e = (
            v1.Variable(value, name=name, use_resource=True)
            for name, value in zip("we", FIRST, strict=True)
        )
        step = v1.Variable(0, trainable=False, name="global_step", use_resource=True)
        optimizer = make()
        train = optimizer.minimize(problem(tf, w, e), global_step=step)
        session.run([v.initializer for v in [w, e, step, *optimizer.variables()]])
        for _ in range(5):
            session.run(train)
        return {
            "w": session.run(w).tolist(), "e": session.run(e).tolist(),
            "step": int(session.run(step)),
            "names": sorted(v.name for v in optimizer.variables()),
            "slots": optimizer.get_slot_names(), "op": train.name,
        }  # fmt: skip


def eagerly(tf: Any, make: Callable[[], Any]) -> dict[str, Any]:
    """Five steps in eager mode."""
    w, e = (tf.Variable(value, name=name) for name, value in zip("we", FIRST, strict=True))
    optimizer = make()
    for _ in range(5):
        optimizer.minimize(lambda: problem(tf, w, e), var_list=[w, e])
    return {"w": w.numpy().tolist(), "e": e.numpy().tolist()}
