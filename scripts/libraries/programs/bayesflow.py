"""BayesFlow: adapters, networks and training, with weights that do not depend on chance."""

from __future__ import annotations

from typing import Any

import bayesflow as bf
import numpy as np
import tensorflow as tf


def _numbers(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).standard_normal(shape).astype("float32")


def _fixed(network: Any) -> Any:
    """A network whose weights are the same wherever it runs."""
    chance = np.random.RandomState(3)
    for weight in network.trainable_variables:
        weight.assign(0.2 * chance.standard_normal(tuple(weight.shape)))
    return network


def program_adapter() -> Any:
    """What a simulator gives becomes what networks are given, and back."""
    adapter = (
        bf.Adapter()
        .to_array()
        .convert_dtype("float64", "float32")
        .constrain("rate", lower=0)
        .concatenate(["rate", "shift"], into="inference_variables")
        .rename("data", "summary_variables")
    )
    given = {
        "rate": np.array([[0.5], [2.0]]),
        "shift": np.array([[1.0], [-1.0]]),
        "data": np.arange(6.0).reshape(2, 3, 1),
    }
    there = adapter(given)
    return {"there": there, "back": adapter(there, inverse=True)}


def program_coupling_flow() -> Any:
    """A flow maps samples to a normal distribution and back, and knows their density."""
    flow = bf.networks.CouplingFlow(
        depth=2, permutation="swap", subnet_kwargs={"widths": (8,), "dropout": None}
    )
    samples, conditions = _numbers(5, 4), _numbers(5, 2)
    flow.build(samples.shape, conditions.shape)
    _fixed(flow)
    z, density = flow(samples, conditions=conditions, density=True)
    back = flow(z, conditions=conditions, inverse=True)
    return [z.numpy(), density.numpy(), back.numpy()]


def program_summaries() -> Any:
    """Sets become summaries that the order of their members does not change."""
    network = bf.networks.DeepSet(summary_dim=3, embed_dim=8, mlp_widths=(8,))
    sets = _numbers(4, 6, 2)
    network.build(sets.shape)
    _fixed(network)
    one, other = network(sets).numpy(), network(sets[:, ::-1]).numpy()
    return [one, float(np.abs(one - other).max())]


def program_perceptron_learns() -> Any:
    """Gradients of a residual perceptron by TensorFlow's tape, and steps of them."""
    network = bf.networks.MLP(widths=(8, 8), dropout=None)
    x = _numbers(6, 3)
    network.build(x.shape)
    _fixed(network)
    rate, losses = 0.05, []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(network(x) - 1.0))
        weights = [each.value for each in network.trainable_variables]
        for weight, grad in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(rate * grad)
        losses.append(float(loss))
    return losses


def program_simulators() -> Any:
    """Simulators put together draw what NumPy draws."""
    chance = np.random.RandomState(5)

    def prior() -> Any:
        return {"rate": chance.gamma(2.0)}

    def likelihood(rate: float) -> Any:
        return {"seen": chance.poisson(rate, size=3)}

    return bf.make_simulator([prior, likelihood]).sample(4)
