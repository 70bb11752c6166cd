"""Products of large matrices on the host, by the faster routine: ops/linalg/matrix_routines.py."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.ops.linalg import machine_products, matrix_routines, products

_RANDOM = np.random.default_rng(0)


@pytest.fixture(params=["oneDNN where it is", "mm"])
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Matrices of any size; both routines."""
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: False)
    monkeypatch.setattr(matrix_routines, "LEAST_MULTIPLICATIONS", 1)
    monkeypatch.setattr(products, "LEAST_AS_ONE", 1)
    if request.param == "mm":
        monkeypatch.setattr(matrix_routines, "_linear", lambda: None)


def _numbers(*shape: int) -> np.ndarray:
    return _RANDOM.normal(size=shape).astype("float32")


def _close(made: object, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("sizes", [(64, 32, 48), (16, 16, 16), (200, 17, 31), (1, 64, 64)])
@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
def test_factors_of_any_layout(sizes: tuple[int, int, int], transposed: tuple[bool, bool]):
    rows, inner, columns = sizes
    a, b, row = _numbers(rows, inner), _numbers(inner, columns), _numbers(columns)
    given = [x.T.copy() if turned else x for x, turned in zip((a, b), transposed, strict=True)]
    how = dict(zip(("transpose_a", "transpose_b"), transposed, strict=True))
    _close(tf.matmul(*given, **how), a @ b)
    function = tf.function(lambda a, b: tf.nn.relu(tf.matmul(a, b, **how) + row))
    _close(function(*map(tf.constant, given)), np.maximum(a @ b + row, 0))


@pytest.mark.usefixtures("_way")
def test_what_is_not_a_number_stays():
    a, b = _numbers(64, 32), _numbers(32, 48)
    a[3, 5], a[7, 1] = np.nan, np.inf
    function = tf.function(lambda a, b: tf.nn.relu(tf.matmul(a, b) + tf.zeros(48)))
    made = function(tf.constant(a), tf.constant(b)).numpy()
    assert np.isnan(made[3]).all()
    assert np.isin(made[7], [0.0, np.inf]).all()
    assert np.isfinite(np.delete(made, [3, 7], 0)).all()


@pytest.mark.usefixtures("_way")
def test_views_spread_rows_and_gaps():
    wide = torch.from_numpy(_numbers(40, 96))
    row = torch.from_numpy(_numbers(1, 32))
    for a, b in (
        (wide[:, :32], wide[:32, :64]),  # rows with gaps
        (wide[:, ::3], wide[:32, ::2]),  # columns with gaps
        (row.expand(40, 32), wide[:32]),
        (wide[:, :32].contiguous(), row.t().expand(32, 40)),
    ):
        _close(matrix_routines.product(a, b), a.double().numpy() @ b.double().numpy())
        bias = wide[0, : b.shape[1]]
        _close(matrix_routines.product(a, b, bias), (a.double() @ b.double() + bias).numpy())


@pytest.mark.usefixtures("_way")
def test_torch_differentiates_products():
    a, b = (torch.from_numpy(_numbers(64, 64)).requires_grad_() for _ in range(2))
    matrix_routines.product(a, b).sum().backward()
    _close(a.grad, np.broadcast_to(b.detach().numpy().sum(1), (64, 64)))


@pytest.mark.usefixtures("_way")
def test_sizes_that_do_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        tf.matmul(_numbers(64, 32), _numbers(33, 64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        tf.matmul(_numbers(4, 64, 32), _numbers(33, 64))


@pytest.fixture
def _one_dnn_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Says that oneDNN was asked, by an error."""

    def refuse(*args: object) -> None:
        raise AssertionError("oneDNN was asked")

    monkeypatch.setattr(matrix_routines, "_linear", lambda: refuse)
    monkeypatch.setattr(machine_products, "LEAST_OF_ONE", 1 << 60)


@pytest.mark.usefixtures("_one_dnn_refuses")
def test_torchs_own_switch_is_obeyed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: False)
    a, b = (torch.from_numpy(_numbers(512, 512)) for _ in range(2))
    with pytest.raises(AssertionError, match="oneDNN was asked"):
        matrix_routines.product(a, b)
    monkeypatch.setattr(torch.backends.mkldnn, "enabled", False)
    assert torch.equal(matrix_routines.product(a, b), torch.mm(a, b))


@pytest.mark.usefixtures("_one_dnn_refuses")
def test_on_intel_one_dnn_is_asked_to_add_rows_to_sums_of_few_numbers(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(matrix_routines, "is_of_intel", lambda: True)
    a, b, row = (torch.from_numpy(_numbers(*sizes)) for sizes in ((4096, 64), (64, 96), (96,)))
    wide, square = (torch.from_numpy(_numbers(*sizes)) for sizes in ((512, 512), (512, 96)))
    assert torch.equal(matrix_routines.product(a, b), torch.mm(a, b))
    assert torch.equal(matrix_routines.product(wide, square, row), torch.mm(wide, square) + row)
    with pytest.raises(AssertionError, match="oneDNN was asked"):
        matrix_routines.product(a, b, row)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("adj_y", [False, True])
@pytest.mark.parametrize("leading", [(3,), (2, 3), (0,)])
def test_the_gradient_of_a_matrix_that_many_share(
    dtype: str, adj_y: bool, leading: tuple[int, ...]
):
    x = _numbers(*leading, 5, 4).astype(dtype)
    y = _numbers(6, 4) if adj_y else _numbers(4, 6)
    if dtype == "complex64":
        x, y = x * (1 + 2j), y + 1j * y[::-1]
    x, y = tf.constant(x.astype(dtype)), tf.constant(y.astype(dtype))
    weights = tf.cast(tf.reshape(tf.range(6.0), [6]), dtype)

    def gradients(y_of):
        with tf.GradientTape() as tape:
            tape.watch((x, y))
            z = tf.math.real(tf.matmul(x, y_of(y), adjoint_b=adj_y) * weights)
        return tape.gradient(z, [x, y])

    def stretched(y):  # the same matrix for each, summed afterwards
        return y + tf.zeros((*leading, 1, 1), y.dtype)

    for python in (gradients, tf.function(gradients)):
        for made, wanted in zip(python(lambda y: y), gradients(stretched), strict=True):
            assert made.shape == wanted.shape
            _close(made, wanted.numpy())
