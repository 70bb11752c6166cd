"""DeepXDE: what its documentation begins with, with weights that do not depend on chance."""

from __future__ import annotations

from typing import Any

import deepxde as dde
import numpy as np
import tensorflow as tf


def _net(sizes: list[int], activation: str = "tanh") -> Any:
    """A network whose weights are the same wherever it runs."""
    net = dde.nn.FNN(sizes, activation, "Glorot uniform")
    net(tf.zeros([1, sizes[0]]))
    chance = np.random.RandomState(7)
    net.set_weights([0.4 * chance.standard_normal(w.shape) for w in net.get_weights()])
    return net


def program_derivatives() -> Any:
    """First and second derivatives of a network by its inputs."""
    net = _net([2, 8, 1])
    x = tf.constant([[0.1, 0.2], [0.3, -0.4]])

    @tf.function
    def all_of() -> Any:
        y = net(x)
        found = [y, dde.grad.jacobian(y, x, i=0, j=0), dde.grad.jacobian(y, x, i=0, j=1)]
        found += [dde.grad.hessian(y, x, i=0, j=0), dde.grad.hessian(y, x, i=0, j=1)]
        dde.grad.clear()
        return found

    return [each.numpy() for each in all_of()]


def program_function_from_formula() -> Any:
    """Learns a function of which a formula is known."""
    geometry = dde.geometry.Interval(-1, 1)
    data = dde.data.Function(
        geometry, lambda x: x * np.sin(5 * x), 16, 20, train_distribution="uniform"
    )
    model = dde.Model(data, _net([1, 10, 1]))
    model.compile("adam", lr=0.01, metrics=["l2 relative error"])
    losses, _ = model.train(iterations=20, display_every=10)
    return [losses.loss_train, losses.metrics_test, model.predict(np.array([[0.5], [0.7]]))]


def program_poisson() -> Any:
    """Poisson's equation in one dimension, with values at both ends."""

    def equation(x: Any, y: Any) -> Any:
        return -dde.grad.hessian(y, x) - np.pi**2 * tf.sin(np.pi * x)

    geometry = dde.geometry.Interval(-1, 1)
    ends = dde.icbc.DirichletBC(geometry, lambda x: 0 * x, lambda _, is_end: is_end)
    data = dde.data.PDE(
        geometry, equation, ends, 12, 2, solution=lambda x: np.sin(np.pi * x),
        num_test=10, train_distribution="uniform",
    )  # fmt: skip
    model = dde.Model(data, _net([1, 10, 10, 1]))
    model.compile("adam", lr=0.005, metrics=["l2 relative error"])
    losses, _ = model.train(iterations=20, display_every=10)
    x = geometry.uniform_points(5)
    return [losses.loss_train, losses.metrics_test, model.predict(x, operator=equation)]


def program_system_of_odes() -> Any:
    """Two coupled ordinary equations with values at the start."""

    def system(t: Any, y: Any) -> Any:
        first, second = y[:, 0:1], y[:, 1:2]
        return [
            dde.grad.jacobian(y, t, i=0) - second,
            dde.grad.jacobian(y, t, i=1) + first,
        ]

    time = dde.geometry.TimeDomain(0, 3)
    starts = [
        dde.icbc.IC(time, np.sin, lambda _, is_start: is_start, component=0),
        dde.icbc.IC(time, np.cos, lambda _, is_start: is_start, component=1),
    ]
    data = dde.data.PDE(time, system, starts, 12, 2, train_distribution="uniform")
    model = dde.Model(data, _net([1, 10, 2]))
    model.compile("adam", lr=0.01, loss_weights=[1, 1, 2, 2])
    losses, _ = model.train(iterations=20, display_every=10)
    return [losses.loss_train, model.predict(np.array([[0.0], [1.5]]))]


def program_inverse_problem() -> Any:
    """Finds a coefficient of an equation from observations."""
    rate = dde.Variable(0.5)

    def equation(t: Any, y: Any) -> Any:
        return dde.grad.jacobian(y, t) + rate * y

    time = dde.geometry.TimeDomain(0, 2)
    seen = np.linspace(0, 2, 9)[:, None]
    observed = dde.icbc.PointSetBC(seen, np.exp(-1.5 * seen))
    data = dde.data.PDE(time, equation, [observed], 10, 2, train_distribution="uniform")
    model = dde.Model(data, _net([1, 8, 1]))
    model.compile("adam", lr=0.02, external_trainable_variables=[rate])
    losses, _ = model.train(iterations=30, display_every=15)
    return [losses.loss_train, rate.numpy()]
