"""The gradient of every op in the registry, against torch's autograd of its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from gradient_samples import (
    FOR_AUTOGRAD,
    NO_SECOND_ORDER,
    SAMPLES,
    Sample,
    is_differentiable,
    samples_of,
)

import emplace.tensorflow as tf
from emplace.grads.rules import NOT_DIFFERENTIABLE, RULES
from emplace.ops.array import volume_patches
from emplace.ops.nn import fractional_pool
from emplace.ops.op import REGISTRY, Op, apply

# Ops that are declared when somebody asks for them.
LATE = (fractional_pool, volume_patches)
OPS = [op for op in REGISTRY.values() if is_differentiable(op) and op.name != "_EagerConst"]
DIFFERENTIABLE = [op for op in OPS if op.name not in NOT_DIFFERENTIABLE]


def each_case(*, without: Any = ()) -> pytest.MarkDecorator:
    """Runs a test on every sample of every op, but for some ops."""
    cases = [
        pytest.param(op, sample, id=f"{op.name}-{i}")
        for op in DIFFERENTIABLE
        for i, sample in enumerate(samples_of(op))
        if op.name not in without
    ]
    return pytest.mark.parametrize(("op", "sample"), cases)


def weights_for(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(y.shape, generator=generator, dtype=y.dtype) for y in outputs]


def floats(values: Any) -> list[Any]:
    """The outputs that have gradients."""
    values = values if isinstance(values, (tuple, list)) else [values]
    return [y for y in values if y.is_floating_point()]


def torch_inputs(sample: Sample) -> list[torch.Tensor]:
    tensors = [torch.from_numpy(np.array(x)) for x in sample.inputs]
    return [x.requires_grad_() if x.is_floating_point() else x for x in tensors]


def reference(op: Op, sample: Sample) -> tuple[list[Any], list[Any], list[Any]]:
    """By torch: (weights of the outputs, first gradients, gradients of a mix of those).

    None stands for an input without a gradient; both lists hold one entry per float input.
    """
    inputs = torch_inputs(sample)
    sources = [x for x in inputs if x.requires_grad]
    kernel = FOR_AUTOGRAD.get(op.name, op.kernel)
    outputs = [y for y in floats(kernel(*inputs, **(sample.attrs or {}))) if y.requires_grad]
    weights = weights_for(outputs)
    first = torch.autograd.grad(
        outputs, sources, weights, create_graph=True, allow_unused=True, materialize_grads=True
    )
    mixed = sum((w * g).sum() for w, g in zip(weights_for(list(first)), first, strict=True))
    second: Any = [torch.zeros_like(x) for x in sources]
    if mixed.requires_grad:  # type: ignore[union-attr]
        second = torch.autograd.grad(mixed, sources, allow_unused=True, materialize_grads=True)
    return [w.numpy() for w in weights], list(first), list(second)


def ours(op: Op, sample: Sample, weights: list[Any]) -> tuple[list[Any], list[Any]]:
    """By tapes: first gradients, and gradients of the same mix of them; zeros where is none."""
    inputs = [tf.constant(x) for x in sample.inputs]
    sources = [x for x in inputs if x.dtype.is_floating]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as inner:
            inner.watch(sources)
            outputs = apply(op, tuple(inputs), sample.attrs)
            outputs = outputs if isinstance(outputs, list) else [outputs]
            outputs = [y for y in outputs if y.dtype.is_floating]
        first = inner.gradient(outputs, sources, weights, unconnected_gradients="zero")
        first = [tf.convert_to_tensor(each) for each in first]  # some come as slices by index
        mix = weights_for([torch.from_numpy(np.array(g)) for g in first])
        mixed = [tf.reduce_sum(tf.constant(w.numpy()) * g) for w, g in zip(mix, first, strict=True)]
    second = outer.gradient(mixed, sources, unconnected_gradients="zero")
    return first, [tf.convert_to_tensor(each) for each in second]


def numpy_of(value: torch.Tensor) -> Any:
    """As NumPy, also where torch says "zeros" without memory behind it."""
    return np.zeros(value.shape) if value._is_zerotensor() else value.detach().numpy()


def assert_close(found: list[Any], expected: list[Any], what: str) -> None:
    for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert mine.shape.as_list() == list(theirs.shape), f"{what} of input {i}"
        assert mine.dtype == theirs.dtype, f"{what} of input {i}"
        assert np.allclose(mine.numpy(), numpy_of(theirs), rtol=1e-6, atol=1e-9), (
            f"{what} of input {i}: {mine.numpy()}, torch says {theirs}"
        )


@pytest.mark.parametrize("op", DIFFERENTIABLE, ids=lambda op: op.name)
def test_every_op_that_can_have_a_gradient_has_samples_to_check_it_on(op: Op) -> None:
    assert samples_of(op), f"give {op.name} an entry in gradient_samples.py"


def test_samples_belong_to_ops_that_exist() -> None:
    assert set(SAMPLES) <= set(REGISTRY)


def test_an_op_has_a_rule_or_says_that_it_has_no_gradient_but_not_both() -> None:
    assert sorted(NOT_DIFFERENTIABLE & set(RULES)) == []


@each_case()
def test_a_gradient_is_what_torch_says(op: Op, sample: Sample) -> None:
    weights, first, _ = reference(op, sample)
    assert_close(ours(op, sample, weights)[0], first, "the gradient")


@pytest.mark.one_of(2)
@each_case(without=NO_SECOND_ORDER)
def test_a_gradient_of_a_gradient_is_what_torch_says(op: Op, sample: Sample) -> None:
    weights, _, second = reference(op, sample)
    assert_close(ours(op, sample, weights)[1], second, "the second gradient")


@pytest.mark.one_of(2)
@each_case(without=FOR_AUTOGRAD)
def test_the_generic_rule_agrees(op: Op, sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RULES, op.name, raising=False)
    weights, first, _ = reference(op, sample)
    assert_close(ours(op, sample, weights)[0], first, "the generic gradient")


@pytest.mark.parametrize(
    "name", ["Tanh", "RealDiv", "MatMul", "Softmax", "SoftmaxCrossEntropyWithLogits", "Pow", "Max"]
)
def test_a_gradient_is_what_small_steps_say(name: str) -> None:
    op, sample = REGISTRY[name], samples_of(REGISTRY[name])[0]
    outputs = floats(op.kernel(*torch_inputs(sample), **(sample.attrs or {})))
    weights = [w.numpy() for w in weights_for(outputs)]

    def weighed(inputs: list[Any]) -> float:
        made = apply(op, tuple(tf.constant(x) for x in inputs), sample.attrs)
        made = made if isinstance(made, list) else [made]
        return sum(float(np.sum(w * y.numpy())) for w, y in zip(weights, made, strict=True))

    gradients = ours(op, sample, weights)[0]
    for place, found in enumerate(gradients):
        for index in np.ndindex(*found.shape.as_list()):
            ends = []
            for step in (1e-6, -1e-6):
                moved = [np.array(x) for x in sample.inputs]
                moved[place][index] += step
                ends.append(weighed(moved))
            assert found.numpy()[index] == pytest.approx(
                (ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-6
            )


def test_the_second_gradient_of_cross_entropy_is_what_torch_says() -> None:
    features = torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    labels = torch.tensor([[0.2, 0.5, 0.3]], dtype=torch.float64)
    weights = torch.tensor([[1.0, -2.0, 0.5]], dtype=torch.float64)
    loss = -(labels * torch.log_softmax(features, -1)).sum()
    first = torch.autograd.grad(loss, features, create_graph=True)[0]
    expected = torch.autograd.grad((first * weights).sum(), features)[0]
    logits = tf.constant(features.detach().numpy())
    with tf.GradientTape() as outer:
        outer.watch(logits)
        with tf.GradientTape() as inner:
            inner.watch(logits)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels.numpy(), logits)
        mixed = inner.gradient(loss, logits) * weights.numpy()
    assert np.allclose(outer.gradient(mixed, logits).numpy(), expected.numpy())


# Conventions that are TensorFlow's own, recorded from TensorFlow 2.21

NAN, INF = float("nan"), float("inf")
X, Y = np.array([1 + 2j, 3 - 1j]), np.array([2 - 1j, 1 + 1j])

KINKS: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "maximum of equals": (tf.maximum, [[1.0, 2.0], [1.0, 3.0]], [[1, 0], [0, 1]]),
    "minimum of equals": (tf.minimum, [[1.0, 2.0], [1.0, 1.0]], [[1, 0], [0, 1]]),
    "the largest of equals": (tf.reduce_max, [[1.0, 2.0, 2.0]], [[0, 0.5, 0.5]]),
    "abs at 0": (tf.abs, [[0.0, -1.0, 2.0]], [[0, -1, 1]]),
    "sqrt at 0": (tf.sqrt, [[0.0, 4.0]], [[INF, 0.25]]),
    "relu at 0": (tf.nn.relu, [[0.0, 4.0]], [[0, 1]]),
    "sign": (tf.sign, [[5.0, -4.0]], [[0, 0]]),
    "clip at its bounds": (
        tf.clip_by_value, [[0.0, 1.0, 2.0, 3.0, 4.0], 1.0, 3.0], [[0, 1, 1, 1, 0], 1, 1],
    ),
    "a product with one 0": (tf.reduce_prod, [[0.0, 4.0, 2.0]], [[8, 0, 0]]),
    "a product with two": (tf.reduce_prod, [[0.0, 0.0, 2.0]], [[0, 0, 0]]),
    "a // b": (lambda a, b: a // b, [[5.0, 4.0], [2.0, 3.0]], [None, None]),
    "a % b": (lambda a, b: a % b, [[5.0, -4.0], [2.0, 3.0]], [[1, 1], [-2, 2]]),
    "0 ** 0": (tf.pow, [0.0, 0.0], [NAN, 0]),
    "0 ** 1": (tf.pow, [0.0, 1.0], [1, 0]),
    "0 ** 2": (tf.pow, [0.0, 2.0], [0, 0]),
    "-2 ** 3": (tf.pow, [-2.0, 3.0], [12, 0]),
    "0 ** -1": (tf.pow, [0.0, -1.0], [-INF, NAN]),
    "where": (lambda a, b: tf.where([True, False], a, b), [[1.0, 2.0], 3.0], [[1, 0], 1]),
    "labels of cross entropy": (
        lambda logits, labels: tf.nn.softmax_cross_entropy_with_logits(labels, logits),
        [[[1.0, 2.0]], [[0.3, 0.7]]],
        [[[-0.03105858, 0.03105861]], [[1.3132616, 0.31326166]]],
    ),
    "one_hot": (lambda a, b: tf.one_hot([0, 1], 2, a, b), [1.0, 0.0], [None, None]),
    "argmax": (tf.argmax, [[1.0, 2.0, 3.0]], [None]),
    "complex a * b": (lambda a, b: a * b, [X, Y], [[2 + 1j, 1 - 1j], [1 - 2j, 3 + 1j]]),
    "complex a / b": (
        lambda a, b: a / b, [X, Y], [[0.4 - 0.2j, 0.5 + 0.5j], [0.2 + 0.4j, 0.5 - 1.5j]],
    ),
    "complex a ** b": (
        tf.pow,
        [X, Y],
        [
            [14.93241487 + 2.42844775j, -0.69802528 - 1.82181923j],
            [-14.57818604 - 14.70505012j, 4.42661389 - 2.75695683j],
        ],
    ),
    "complex exp": (tf.exp, [X], [[-1.13120438 - 2.47172667j, 10.85226191 + 16.90139654j]]),
    "complex log": (tf.math.log, [X], [[0.2 + 0.4j, 0.3 - 0.1j]]),
    "complex sqrt": (tf.sqrt, [X], [[0.28443224 + 0.17578879j, 0.27754003 - 0.04503855j]]),
    "complex square": (tf.square, [X], [[2 - 4j, 6 + 2j]]),
    "complex tanh": (tf.tanh, [X], [[-0.3020016 - 0.56810302j, -0.00409379 - 0.00905284j]]),
    "complex sigmoid": (tf.sigmoid, [X], [[0.14088881 + 0.42071828j, 0.02861301 - 0.03745594j]]),
    "complex conj": (tf.math.conj, [X], [[1, 1]]),
    "complex mean": (tf.reduce_mean, [X], [[0.5, 0.5]]),
    "complex matmul": (
        tf.matmul, [X[None], Y[:, None]], [[[2 + 1j, 1 - 1j]], [[1 - 2j], [3 + 1j]]],
    ),
    "complex adjoint matmul": (
        lambda a, b: tf.matmul(a, b, adjoint_a=True), [X[None], Y[None]],
        [[[3, 3]], [[4 + 1j, 4 + 1j]]],
    ),
    "complex to real": (lambda a: tf.cast(a, tf.float64), [X], [[1, 1]]),
    "real to complex": (lambda a: tf.cast(a, tf.complex128), [[1.0, 2.0]], [[1, 1]]),
}  # fmt: skip


@pytest.mark.parametrize(("f", "at", "expected"), KINKS.values(), ids=KINKS.keys())
def test_a_gradient_is_what_tensorflow_says(f: Any, at: list[Any], expected: list[Any]) -> None:
    inputs = [tf.constant(x) for x in at]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = f(*inputs)
    for found, value in zip(tape.gradient(y, inputs), expected, strict=True):
        if value is None:
            assert found is None
        else:
            assert np.allclose(found.numpy(), value, equal_nan=True), found


def test_the_other_output_of_cross_entropy_costs_nothing_where_nobody_uses_it() -> None:
    import emplace

    logits = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([1], logits)
    with emplace.watch() as seen:
        tape.gradient(loss, logits)
    assert "Softmax" not in {each["op"] for each in seen.report().to_dict()["ops"]}


def test_threads_may_need_a_generic_rule_at_the_same_time() -> None:
    import threading

    errors: list[Exception] = []
    start = threading.Barrier(8)

    def work() -> None:
        x = tf.constant([2.0, 3.0])
        start.wait()
        try:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_prod(x)
            assert tape.gradient(y, x).numpy().tolist() == [3.0, 2.0]
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
