"""PennyLane: circuits whose parameters are tensors, as its documentation begins with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pennylane as qml
import tensorflow as tf


def program_qubit_rotation() -> Any:
    """Turns a qubit until it points down."""

    @qml.qnode(qml.device("default.qubit", wires=1), interface="tf")
    def circuit(angles: Any) -> Any:
        qml.RX(angles[0], wires=0)
        qml.RY(angles[1], wires=0)
        return qml.expval(qml.PauliZ(0))

    angles = tf.Variable([0.011, 0.012], dtype=tf.float64)
    losses = []
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = circuit(angles)
        losses.append(loss.numpy())
        angles.assign_sub(0.4 * tape.gradient(loss, angles))
    return [losses[::8], angles.numpy()]


def program_jacobian_and_hessian_by_backpropagation() -> Any:
    """Derivatives of probabilities, and the second ones of an expectation."""
    device = qml.device("default.qubit", wires=2)

    @qml.qnode(device, interface="tf", diff_method="backprop")
    def probabilities(x: Any) -> Any:
        qml.RX(x[0], wires=0)
        qml.CRY(x[1], wires=[0, 1])
        return qml.probs(wires=[0, 1])

    @qml.qnode(device, interface="tf", diff_method="backprop")
    def expectation(x: Any) -> Any:
        qml.RX(x[0], wires=0)
        qml.RY(x[1], wires=0)
        qml.CNOT(wires=[0, 1])
        return qml.expval(qml.PauliZ(0) @ qml.PauliX(1) + 0.5 * qml.PauliZ(0))

    x = tf.Variable([0.3, 0.8], dtype=tf.float64)
    with tf.GradientTape() as tape:
        found = probabilities(x)
    first = tape.jacobian(found, x)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            value = expectation(x)
        slope = inner.gradient(value, x)
    return [found.numpy(), first.numpy(), outer.jacobian(slope, x).numpy()]


def program_parameter_shift() -> Any:
    """Derivatives of a circuit by running it at other parameters."""

    @qml.qnode(qml.device("default.qubit", wires=2), interface="tf", diff_method="parameter-shift")
    def circuit(weights: Any) -> Any:
        qml.StronglyEntanglingLayers(weights, wires=[0, 1])
        return qml.expval(qml.PauliZ(0))

    weights = tf.Variable(np.linspace(0.1, 1.2, 12).reshape(2, 2, 3), dtype=tf.float64)
    with tf.GradientTape() as tape:
        value = circuit(weights)
    return [value.numpy(), tape.gradient(value, weights).numpy()]


def program_variational_classifier() -> Any:
    """Learns parity of two bits."""

    @qml.qnode(qml.device("default.qubit", wires=2), interface="tf")
    def circuit(weights: Any, bits: Any) -> Any:
        qml.BasisEmbedding(bits, wires=[0, 1])
        for layer in range(2):
            qml.Rot(*[weights[layer, 0, i] for i in range(3)], wires=0)
            qml.Rot(*[weights[layer, 1, i] for i in range(3)], wires=1)
            qml.CNOT(wires=[0, 1])
        return qml.expval(qml.PauliZ(1))

    weights = tf.Variable(np.cos(np.arange(12.0)).reshape(2, 2, 3), dtype=tf.float64)
    losses = []
    for _ in range(6):
        with tf.GradientTape() as tape:
            loss = tf.add_n([
                (circuit(weights, np.array([a, b])) - (1.0 - 2.0 * (a ^ b))) ** 2
                for a in (0, 1) for b in (0, 1)
            ])  # fmt: skip
        losses.append(loss.numpy())
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
    return [losses, weights.numpy()]


def program_states_and_batches() -> Any:
    """States, density matrices and many parameters at once."""
    device = qml.device("default.qubit", wires=2)

    @qml.qnode(device, interface="tf")
    def state(x: Any) -> Any:
        qml.Hadamard(wires=0)
        qml.CRZ(x, wires=[0, 1])
        qml.IsingXX(x, wires=[0, 1])
        return qml.state(), qml.density_matrix(wires=[0])

    @qml.qnode(device, interface="tf")
    def many(x: Any) -> Any:
        qml.AngleEmbedding(x, wires=[0, 1])
        qml.CNOT(wires=[0, 1])
        return [qml.expval(qml.PauliZ(i)) for i in range(2)]

    x = tf.Variable([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], dtype=tf.float64)
    with tf.GradientTape() as tape:
        values = tf.stack(many(x))
    parts = [each.numpy() for each in state(tf.constant(0.7, tf.float64))]
    shown = [[each.real, each.imag] for each in parts]
    return [shown, values.numpy(), tape.gradient(values, x).numpy()]
