"""cuDNN's recurrent layers by their raw op: on (virtual) GPUs, as TensorFlow has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.testing import assert_no_waits, fresh_runtime

RANDOM = np.random.default_rng(3)
TIMES, BATCH, INPUTS, UNITS = 4, 3, 2, 5
LENGTHS = [4, 2, 3]


def normal(*shape: int) -> Any:
    return (RANDOM.standard_normal(shape) * 0.5).astype(np.float32)


def parameters(gates: int) -> tuple[list[Any], Any]:
    """(matrices and biases of one layer, all of them as one vector)."""
    parts = [
        normal(gates * UNITS, INPUTS), normal(gates * UNITS, UNITS), normal(gates * UNITS),
        normal(gates * UNITS),
    ]  # fmt: skip
    return parts, np.concatenate([part.reshape(-1) for part in parts])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def lstm(x: Any, h: Any, c: Any, parts: list[Any]) -> tuple[Any, Any]:
    """One step of the definition."""
    w, r, b, d = parts
    i, f, g, o = np.split(x @ w.T + h @ r.T + b + d, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru(x: Any, h: Any, parts: list[Any]) -> Any:
    """One step of the definition, with the reset behind the product, as cuDNN has it."""
    w, r, b, d = parts
    ours, theirs = np.split(x @ w.T + b, 3, -1), np.split(h @ r.T + d, 3, -1)
    reset, keep = sigmoid(ours[0] + theirs[0]), sigmoid(ours[1] + theirs[1])
    return keep * h + (1 - keep) * np.tanh(ours[2] + reset * theirs[2])


def run(mode: str, x: Any, h: Any, params: Any) -> Any:
    return tf.raw_ops.CudnnRNNV3(
        input=x, input_h=h, input_c=np.zeros_like(h), params=params, rnn_mode=mode,
        sequence_lengths=np.array(LENGTHS, np.int32),
    )  # fmt: skip


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize("mode", ["lstm", "gru"])
def test_a_layer_is_its_definition(mode: str) -> None:
    parts, params = parameters(4 if mode == "lstm" else 3)
    x, h = normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS)
    made = run(mode, x, h, params)
    for row, length in enumerate(LENGTHS):
        state, cell = h[0, row], np.zeros(UNITS)
        for time in range(length):
            if mode == "lstm":
                state, cell = lstm(x[time, row], state, cell, parts)
            else:
                state = gru(x[time, row], state, parts)
            assert np.allclose(made.output.numpy()[time, row], state, atol=1e-5)
        assert not made.output.numpy()[length:, row].any()
        assert np.allclose(made.output_h.numpy()[0, row], state, atol=1e-5)


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize("mode", ["lstm", "gru"])
def test_a_layer_has_the_gradient_that_small_steps_say(mode: str) -> None:
    _, params = parameters(4 if mode == "lstm" else 3)
    x, h = normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS)
    way = normal(*params.shape)
    given = tf.constant(params)
    with tf.GradientTape() as tape:
        tape.watch(given)
        total = tf.reduce_sum(run(mode, x, h, given).output)
    found = np.sum(tape.gradient(total, given).numpy() * way)
    ends = [
        float(tf.reduce_sum(run(mode, x, h, params + step * way).output)) for step in (0.01, -0.01)
    ]
    assert found == pytest.approx((ends[0] - ends[1]) / 0.02, rel=1e-2)


@pytest.mark.gpus(1, memory="64MB")
def test_a_gru_needs_no_cell_state_with_batches_first_either() -> None:
    _, params = parameters(3)
    x, h = normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS)
    wanted = run("gru", x, h, params)
    with tf.GradientTape() as tape:
        weights = tf.Variable(params)
        made = tf.raw_ops.CudnnRNNV3(
            input=x.transpose(1, 0, 2), input_h=h.transpose(1, 0, 2), input_c=0, params=weights,
            rnn_mode="gru", sequence_lengths=np.array(LENGTHS, np.int32), time_major=False,
        )  # fmt: skip
        total = tf.reduce_sum(made.output)
    assert np.allclose(made.output.numpy().transpose(1, 0, 2), wanted.output.numpy())
    assert np.allclose(made.output_h.numpy().transpose(1, 0, 2), wanted.output_h.numpy())
    assert tape.gradient(total, weights).numpy().any()


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize("mode", ["lstm", "gru"])
@pytest.mark.parametrize("time_major", [False, True])
def test_a_layer_of_no_examples_gives_none_and_a_gradient_of_zero(
    mode: str, time_major: bool
) -> None:
    # As a replica has that gets nothing of a last batch.
    _, params = parameters(4 if mode == "lstm" else 3)
    x = tf.zeros((TIMES, 0, INPUTS) if time_major else (0, TIMES, INPUTS))
    h, weights = tf.zeros((1, 0, UNITS) if time_major else (0, 1, UNITS)), tf.constant(params)
    with tf.GradientTape() as tape:
        tape.watch([x, weights])
        y, *states = tf.raw_ops.CudnnRNNV3(
            input=x, input_h=h, input_c=h, params=weights, rnn_mode=mode, time_major=time_major,
            sequence_lengths=np.array([], np.int32),
        )  # fmt: skip
        total = tf.reduce_sum(y)
    assert y.shape == ((TIMES, 0, UNITS) if time_major else (0, TIMES, UNITS))
    assert [state.shape for state in states[:2]] == [h.shape] * 2
    of_x, of_weights = tape.gradient(total, [x, weights])
    assert of_x.shape == x.shape
    assert not of_weights.numpy().any()
    assert of_weights.shape == weights.shape


@pytest.mark.gpus(1, memory="64MB")
def test_parameters_of_another_length_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="params should hold 180 numbers"):
        run("lstm", normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS), normal(100))


@pytest.mark.gpus(0)
def test_there_is_no_such_layer_on_a_cpu() -> None:
    _, params = parameters(4)
    with pytest.raises(tf.errors.OpError, match="CudnnRNNV3"):
        run("lstm", normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS), params)


def everything(mode: str, x: Any, h: Any, c: Any, params: Any, lengths: Any) -> list[Any]:
    """Results of a layer and the gradients of what is made of all of them."""
    given = [tf.constant(each) for each in (x, h, c, params)]
    with tf.GradientTape() as tape:
        tape.watch(given)
        made = tf.raw_ops.CudnnRNNV3(
            input=given[0], input_h=given[1], input_c=given[2], params=given[3], rnn_mode=mode,
            sequence_lengths=lengths,
        )  # fmt: skip
        total = sum(tf.reduce_sum(tf.sin(each * 3.0)) for each in made[:3])
    return [*made[:3], *tape.gradient(total, given)]


@pytest.mark.parametrize("mode", ["lstm", "gru", "rnn_tanh", "rnn_relu"])
@pytest.mark.parametrize("lengths", [[4, 2, 3], [4, 4, 4], [1, 1, 2], [4, 0, 3]])
def test_lengths_that_only_the_gpu_knows_need_no_wait(mode: str, lengths: list[int]) -> None:
    _, params = parameters({"lstm": 4, "gru": 3}.get(mode, 1))
    x, h, c = normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS), normal(1, BATCH, UNITS)
    x[2:, 1] = np.inf if lengths[1] == 2 else 0.0  # nobody looks behind the end
    with fresh_runtime(1, strict=True):
        there = tf.cast(tf.Variable(np.array(lengths, np.float32)), tf.int32)
        with assert_no_waits():
            found = everything(mode, x, h, c, params, there)
        found = [each.numpy() for each in found]
    if 0 in lengths:  # no step at all: the state stays, which packing does not know
        assert np.allclose(found[1][0, 1], h[0, 1])
        return
    with fresh_runtime(1, memory="64MB"):
        for mine, wanted in zip(found, everything(mode, x, h, c, params, lengths), strict=True):
            np.testing.assert_allclose(mine, wanted.numpy(), rtol=1e-5, atol=2e-6)


@pytest.mark.gpus(1, memory="64MB")
@pytest.mark.parametrize(("name", "results"), [("CudnnRNN", 4), ("CudnnRNNV2", 5)])
def test_versions_without_lengths_run_every_sequence_to_its_end(name: str, results: int) -> None:
    _, params = parameters(4)
    x, h, c = normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS), normal(1, BATCH, UNITS)
    given = [tf.constant(each) for each in (x, h, c, params)]
    with tf.GradientTape() as tape:
        tape.watch(given)
        made = getattr(tf.raw_ops, name)(
            input=given[0], input_h=given[1], input_c=given[2], params=given[3]
        )
        total = sum(tf.reduce_sum(tf.sin(each * 3.0)) for each in made[:3])
    assert len(made) == results
    assert made.reserve_space.shape == (0,)
    wanted = everything("lstm", x, h, c, params, [TIMES] * BATCH)
    for mine, each in zip([*made[:3], *tape.gradient(total, given)], wanted, strict=True):
        np.testing.assert_allclose(mine.numpy(), each.numpy(), rtol=1e-5, atol=2e-6)


@pytest.mark.gpus(0)
@pytest.mark.parametrize("name", ["CudnnRNN", "CudnnRNNV2"])
def test_a_cpu_traces_such_a_layer_that_it_cannot_run(name: str) -> None:
    # Sonnet traces what GPUs would run beside what runs here.
    _, params = parameters(4)

    @tf.function
    def layer(x: Any, h: Any, c: Any) -> Any:
        return getattr(tf.raw_ops, name)(input=x, input_h=h, input_c=c, params=params)

    state = tf.TensorSpec([1, None, UNITS])
    made = layer.get_concrete_function(tf.TensorSpec([TIMES, None, INPUTS]), state, state)
    results = made.structured_outputs
    assert results.output.shape.as_list() == [TIMES, None, UNITS]
    assert results.output_c.shape.as_list() == [1, None, UNITS]
    with pytest.raises(tf.errors.OpError, match="CudnnRNN"):
        made(normal(TIMES, BATCH, INPUTS), normal(1, BATCH, UNITS), normal(1, BATCH, UNITS))
