"""Ops with large workspaces, at a size where they show, and what their process really takes.

Run as a program it measures each case from outside, by the kernel's count of the pages that the
process has touched, and prints a line of JSON per case.
"""

# ruff: noqa: E501  # a case per line

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Workspace(NamedTuple):
    """`make` makes inputs for a scale, about so many MB; `run` is the op. `share` makes those
    smaller whose kernels take long.
    """

    make: Callable[[Any, Any], Any]
    run: Callable[..., Any]
    share: float = 1.0


def _matrix(columns: int) -> Callable[[Any, Any], Any]:
    return lambda tf, n: tf.random.normal([max(1, n * 262144 // columns), columns])


def _vector(tf: Any, n: int) -> Any:
    return tf.random.normal([n * 262144])


def _images(channels: int, size: int = 64) -> Callable[[Any, Any], Any]:
    def make(tf: Any, n: int) -> Any:
        count = max(1, n * 262144 // (channels * size * size))
        return tf.random.normal([count, size, size, channels])

    return make


def _square(tf: Any, n: int) -> Any:
    size = int((n * 262144) ** 0.5)
    x = tf.random.normal([size, size])
    return x + tf.eye(size) * float(4 * size)


def _squares(tf: Any, n: int) -> Any:
    return tf.random.normal([n * 64, 64, 64]) + tf.eye(64) * 300.0


def _definite(tf: Any, n: int) -> Any:
    x = _squares(tf, n)
    return (x + tf.linalg.matrix_transpose(x)) / 2.0


def _filter(tf: Any, *shape: int) -> Any:
    return tf.ones(shape) * 0.01


def _gradient(tf: Any, f: Callable[[Any], Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def _rows(tf: Any, x: Any, count: int) -> Any:
    return tf.cast(tf.range(tf.shape(x)[0]) * 7919 % count, tf.int32)


WORKSPACES: dict[str, Workspace] = {
    "conv2d": Workspace(_images(16), lambda tf, x: tf.nn.conv2d(x, _filter(tf, 3, 3, 16, 16), 1, "SAME")),
    "conv2d to few": Workspace(_images(32), lambda tf, x: tf.nn.conv2d(x, _filter(tf, 3, 3, 32, 1), 1, "SAME")),
    "conv2d strided": Workspace(_images(16), lambda tf, x: tf.nn.conv2d(x, _filter(tf, 5, 5, 16, 16), 2, "VALID")),
    "conv2d dilated": Workspace(_images(16), lambda tf, x: tf.nn.conv2d(x, _filter(tf, 3, 3, 16, 16), 1, "SAME", dilations=2)),
    "conv2d float64": Workspace(_images(16), lambda tf, x: tf.nn.conv2d(tf.cast(x, tf.float64), tf.ones([3, 3, 16, 8], tf.float64), 1, "SAME"), 0.25),
    "conv2d gradient": Workspace(_images(16), lambda tf, x: _gradient(tf, lambda x: tf.nn.conv2d(x, _filter(tf, 3, 3, 16, 16), 1, "SAME"), x)),
    "conv2d filter gradient": Workspace(_images(16), lambda tf, x: _gradient(tf, lambda w: tf.nn.conv2d(x, w, 1, "SAME"), _filter(tf, 3, 3, 16, 16))),
    "conv1d": Workspace(_matrix(4096), lambda tf, x: tf.nn.conv1d(tf.reshape(x, [-1, 256, 16]), _filter(tf, 5, 16, 16), 1, "SAME")),
    "conv3d": Workspace(_images(64), lambda tf, x: tf.nn.conv3d(tf.reshape(x, [-1, 16, 64, 64, 4]), _filter(tf, 3, 3, 3, 4, 4), [1] * 5, "SAME")),
    "conv2d_transpose": Workspace(_images(16, 32), lambda tf, x: tf.nn.conv2d_transpose(x, _filter(tf, 3, 3, 8, 16), [x.shape[0], 64, 64, 8], 2)),
    "depthwise_conv2d": Workspace(_images(16), lambda tf, x: tf.nn.depthwise_conv2d(x, _filter(tf, 3, 3, 16, 1), [1] * 4, "SAME")),
    "separable_conv2d": Workspace(_images(16), lambda tf, x: tf.nn.separable_conv2d(x, _filter(tf, 3, 3, 16, 1), _filter(tf, 1, 1, 16, 16), [1] * 4, "SAME")),
    "dilation2d": Workspace(_images(16), lambda tf, x: tf.nn.dilation2d(x, _filter(tf, 3, 3, 16), [1] * 4, "SAME", "NHWC", [1] * 4), 0.5),
    "max_pool2d": Workspace(_images(16), lambda tf, x: tf.nn.max_pool2d(x, 3, 2, "SAME")),
    "max_pool2d gradient": Workspace(_images(16), lambda tf, x: _gradient(tf, lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"), x)),
    "max_pool_with_argmax": Workspace(_images(16), lambda tf, x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")),
    "max_pool3d": Workspace(_images(64), lambda tf, x: tf.nn.max_pool3d(tf.reshape(x, [-1, 16, 64, 64, 4]), 2, 2, "SAME")),
    "avg_pool2d": Workspace(_images(16), lambda tf, x: tf.nn.avg_pool2d(x, 3, 2, "SAME")),
    "avg_pool2d gradient": Workspace(_images(16), lambda tf, x: _gradient(tf, lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"), x)),
    "fractional_max_pool": Workspace(_images(4), lambda tf, x: tf.nn.fractional_max_pool(x, 1.5, seed=1)),
    "extract_patches": Workspace(_images(4), lambda tf, x: tf.image.extract_patches(x, [1, 3, 3, 1], [1, 2, 2, 1], [1] * 4, "SAME")),
    "sort": Workspace(_vector, lambda tf, x: tf.sort(x)),
    "sort rows": Workspace(_matrix(512), lambda tf, x: tf.sort(x, axis=1)),
    "sort columns": Workspace(_matrix(512), lambda tf, x: tf.sort(x, axis=0)),
    "argsort": Workspace(_vector, lambda tf, x: tf.argsort(x, stable=True)),
    "top_k": Workspace(_matrix(4096), lambda tf, x: tf.math.top_k(x, 64)),
    "top_k of one row": Workspace(_vector, lambda tf, x: tf.math.top_k(x, 1000)),
    "in_top_k": Workspace(_matrix(512), lambda tf, x: tf.math.in_top_k(_rows(tf, x, 512), x, 5)),
    "nth_element": Workspace(_matrix(512), lambda tf, x: tf.raw_ops.NthElement(input=x, n=3)),
    "unique": Workspace(_vector, lambda tf, x: tf.unique(x), 0.25),
    "unique_with_counts": Workspace(_vector, lambda tf, x: tf.unique_with_counts(tf.cast(x * 10.0, tf.int32)), 0.5),
    "searchsorted": Workspace(_vector, lambda tf, x: tf.searchsorted(tf.range(1000.0), x)),
    "where": Workspace(_matrix(512), lambda tf, x: tf.where(x > 0.0)),
    "boolean_mask": Workspace(_matrix(512), lambda tf, x: tf.boolean_mask(x, x > 0.0)),
    "dynamic_partition": Workspace(_matrix(512), lambda tf, x: tf.dynamic_partition(x, _rows(tf, x, 4), 4)),
    "einsum": Workspace(_matrix(512), lambda tf, x: tf.einsum("abc,abd->acd", tf.reshape(x, [-1, 64, 64]), tf.reshape(x, [-1, 64, 64]))),
    "einsum outer": Workspace(_matrix(512), lambda tf, x: tf.einsum("ab,cb,ab->ac", x[:1024], x[:1024], x[:1024])),
    "matmul": Workspace(_square, lambda tf, x: tf.matmul(x, x, transpose_b=True)),
    "matmul broadcast": Workspace(_squares, lambda tf, x: tf.matmul(tf.reshape(x, [8, -1, 64, 64]), tf.ones([1, 1, 64, 64]))),
    "matmul of views": Workspace(_squares, lambda tf, x: tf.matmul(tf.transpose(x, [1, 2, 0]), tf.transpose(x, [1, 0, 2]))),
    "matmul half": Workspace(_square, lambda tf, x: tf.matmul(tf.cast(x, tf.bfloat16), tf.cast(x, tf.bfloat16)), 0.25),
    "tensordot": Workspace(_squares, lambda tf, x: tf.tensordot(x, x[:16], [[1, 2], [1, 2]])),
    "cumsum": Workspace(_matrix(512), lambda tf, x: tf.cumsum(x, exclusive=True, reverse=True)),
    "cumprod": Workspace(_matrix(512), lambda tf, x: tf.math.cumprod(x, axis=1)),
    "cumulative_logsumexp": Workspace(_matrix(512), lambda tf, x: tf.math.cumulative_logsumexp(x, axis=1)),
    "reduce_logsumexp": Workspace(_matrix(512), lambda tf, x: tf.reduce_logsumexp(x, axis=1)),
    "reduce_std": Workspace(_matrix(512), lambda tf, x: tf.math.reduce_std(x, axis=1)),
    "softmax of columns": Workspace(_matrix(512), lambda tf, x: tf.nn.softmax(x, axis=0)),
    "cross_entropy": Workspace(_matrix(512), lambda tf, x: tf.nn.softmax_cross_entropy_with_logits(x, x)),
    "sparse_cross_entropy": Workspace(_matrix(512), lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits(_rows(tf, x, 512), x)),
    "batch_normalization": Workspace(_images(16), lambda tf, x: tf.compat.v1.nn.fused_batch_norm(x, tf.ones([16]), tf.zeros([16]))[0]),
    "batch_normalization gradient": Workspace(_images(16), lambda tf, x: _gradient(tf, lambda x: tf.compat.v1.nn.fused_batch_norm(x, tf.ones([16]), tf.zeros([16]))[0], x)),
    "local_response_normalization": Workspace(_images(16), lambda tf, x: tf.nn.local_response_normalization(x)),
    "moments": Workspace(_images(16), lambda tf, x: tf.nn.moments(x, [0, 1, 2])),
    "gelu": Workspace(_vector, lambda tf, x: tf.nn.gelu(x)),
    "gelu gradient": Workspace(_vector, lambda tf, x: _gradient(tf, tf.nn.gelu, x)),
    "selu gradient": Workspace(_vector, lambda tf, x: _gradient(tf, tf.nn.selu, x)),
    "erfcinv": Workspace(_vector, lambda tf, x: tf.math.erfcinv(tf.sigmoid(x))),
    "expint": Workspace(_vector, lambda tf, x: tf.math.special.expint(tf.sigmoid(x)), 0.125),
    "igamma": Workspace(_vector, lambda tf, x: tf.math.igamma(tf.sigmoid(x), tf.sigmoid(x)), 0.25),
    "betainc": Workspace(_vector, lambda tf, x: tf.math.betainc(tf.sigmoid(x) + 1.0, tf.sigmoid(x) + 1.0, tf.sigmoid(x)), 0.0625),
    "segment_sum": Workspace(_matrix(512), lambda tf, x: tf.math.segment_sum(x, tf.sort(_rows(tf, x, 64)))),
    "segment_max": Workspace(_matrix(512), lambda tf, x: tf.math.segment_max(x, tf.sort(_rows(tf, x, 64)))),
    "unsorted_segment_sum": Workspace(_matrix(512), lambda tf, x: tf.math.unsorted_segment_sum(x, _rows(tf, x, 64), 64)),
    "unsorted_segment_max": Workspace(_matrix(512), lambda tf, x: tf.math.unsorted_segment_max(x, _rows(tf, x, 64), 64)),
    "tensor_scatter_add": Workspace(_matrix(512), lambda tf, x: tf.tensor_scatter_nd_add(x, _rows(tf, x, 64)[:, None], x)),
    "scatter_nd": Workspace(_matrix(512), lambda tf, x: tf.scatter_nd(_rows(tf, x, 64)[:, None], x, [64, 512])),
    "gather_nd": Workspace(_vector, lambda tf, x: tf.gather_nd(x, tf.reshape(tf.range(tf.size(x)), [-1, 1]))),
    "gather": Workspace(_vector, lambda tf, x: tf.gather(x, tf.range(tf.size(x)))),
    "gather gradient": Workspace(_matrix(512), lambda tf, x: _gradient(tf, lambda x: tf.gather(x, _rows(tf, x, 64), axis=0) * 2.0, x)),
    "resize bilinear": Workspace(_images(4, 64), lambda tf, x: tf.image.resize(x, [96, 96])),
    "resize antialiased": Workspace(_images(4, 64), lambda tf, x: tf.image.resize(x, [32, 32], antialias=True)),
    "resize bicubic": Workspace(_images(4, 64), lambda tf, x: tf.image.resize(x, [96, 96], "bicubic")),
    "resize area": Workspace(_images(4, 64), lambda tf, x: tf.image.resize(x, [24, 24], "area")),
    "resize gradient": Workspace(_images(4, 64), lambda tf, x: _gradient(tf, lambda x: tf.image.resize(x, [96, 96]), x)),
    "crop_and_resize": Workspace(_images(4), lambda tf, x: tf.image.crop_and_resize(x, tf.ones([x.shape[0], 4]) * [0.1, 0.1, 0.8, 0.8], tf.range(x.shape[0]), [64, 64])),
    "adjust_hue": Workspace(_images(3), lambda tf, x: tf.image.adjust_hue(tf.sigmoid(x), 0.2)),
    "rgb_to_hsv": Workspace(_images(3), lambda tf, x: tf.image.rgb_to_hsv(tf.sigmoid(x))),
    "cholesky": Workspace(_definite, lambda tf, x: tf.linalg.cholesky(x)),
    "inverse": Workspace(_squares, lambda tf, x: tf.linalg.inv(x)),
    "solve": Workspace(_squares, lambda tf, x: tf.linalg.solve(x, x)),
    "triangular_solve": Workspace(_squares, lambda tf, x: tf.linalg.triangular_solve(x, x)),
    "det": Workspace(_squares, lambda tf, x: tf.linalg.det(x)),
    "slogdet": Workspace(_squares, lambda tf, x: tf.linalg.slogdet(x)),
    "lu": Workspace(_squares, lambda tf, x: tf.linalg.lu(x)),
    "qr": Workspace(_squares, lambda tf, x: tf.linalg.qr(x)),
    "svd": Workspace(_squares, lambda tf, x: tf.linalg.svd(x), 0.25),
    "eigh": Workspace(_definite, lambda tf, x: tf.linalg.eigh(x), 0.25),
    "expm": Workspace(_squares, lambda tf, x: tf.linalg.expm(x * 1e-3), 0.25),
    "band_part": Workspace(_squares, lambda tf, x: tf.linalg.band_part(x, 3, 3)),
    "set_diag": Workspace(_squares, lambda tf, x: tf.linalg.set_diag(x, tf.ones([x.shape[0], 64]))),
    "fft": Workspace(_matrix(512), lambda tf, x: tf.signal.fft(tf.cast(x, tf.complex64)), 0.5),
    "rfft": Workspace(_matrix(512), lambda tf, x: tf.signal.rfft(x)),
    "irfft": Workspace(_matrix(512), lambda tf, x: tf.signal.irfft(tf.cast(x, tf.complex64)), 0.5),
    "fft2d": Workspace(_matrix(512), lambda tf, x: tf.signal.fft2d(tf.cast(tf.reshape(x, [-1, 64, 64]), tf.complex64)), 0.5),
    "stft": Workspace(_vector, lambda tf, x: tf.signal.stft(x, 512, 256), 0.5),
    "dct": Workspace(_matrix(512), lambda tf, x: tf.signal.dct(x)),
    "tile": Workspace(_matrix(512), lambda tf, x: tf.tile(x, [1, 2])),
    "repeat": Workspace(_matrix(512), lambda tf, x: tf.repeat(x, 2, axis=0)),
    "roll": Workspace(_matrix(512), lambda tf, x: tf.roll(x, 3, 0)),
    "reverse_sequence": Workspace(_matrix(512), lambda tf, x: tf.reverse_sequence(x, _rows(tf, x, 512), seq_axis=1, batch_axis=0)),
    "mirror_pad": Workspace(_images(16), lambda tf, x: tf.pad(x, [[0, 0], [2, 2], [2, 2], [0, 0]], "REFLECT")),
    "space_to_batch": Workspace(_images(16), lambda tf, x: tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])),
    "one_hot": Workspace(_matrix(512), lambda tf, x: tf.one_hot(_rows(tf, x, 512), 512)),
    "bincount": Workspace(_vector, lambda tf, x: tf.math.bincount(tf.cast(tf.abs(x) * 100.0, tf.int32), minlength=1000, maxlength=1000)),
    "histogram": Workspace(_vector, lambda tf, x: tf.histogram_fixed_width(x, [-3.0, 3.0])),
    "quantize": Workspace(_vector, lambda tf, x: tf.quantization.fake_quant_with_min_max_args(x)),
    "quantize_and_dequantize": Workspace(_vector, lambda tf, x: tf.quantization.quantize_and_dequantize_v2(x, -3.0, 3.0)),
    "random normal": Workspace(_vector, lambda tf, x: tf.random.normal(x.shape)),
    "random uniform": Workspace(_vector, lambda tf, x: tf.random.uniform(x.shape)),
    "random truncated": Workspace(_vector, lambda tf, x: tf.random.truncated_normal(x.shape)),
    "random stateless": Workspace(_vector, lambda tf, x: tf.random.stateless_normal(x.shape, [1, 2])),
    "random gamma": Workspace(_vector, lambda tf, x: tf.random.stateless_gamma(x.shape, [1, 2], 0.5), 0.25),
    "random shuffle": Workspace(_matrix(512), lambda tf, x: tf.random.shuffle(x)),
    "dropout": Workspace(_vector, lambda tf, x: tf.nn.dropout(x, 0.5)),
    "categorical": Workspace(_matrix(512), lambda tf, x: tf.random.categorical(x, 64)),
    "clip_by_norm": Workspace(_vector, lambda tf, x: tf.clip_by_norm(x, 1.0)),
    "pow": Workspace(_vector, lambda tf, x: tf.pow(tf.cast(x * 10.0, tf.int32), 3)),
    "floormod": Workspace(_vector, lambda tf, x: tf.math.floormod(x, 0.7)),
    "adam": Workspace(_vector, lambda tf, x: _adam(tf, x), 0.5),
    "adagrad": Workspace(_vector, lambda tf, x: tf.raw_ops.ResourceApplyAdagradV2(var=tf.Variable(x).handle, accum=tf.Variable(x * x).handle, lr=0.1, epsilon=1e-3, grad=x), 0.5),
    "sparse matmul": Workspace(_matrix(512), lambda tf, x: tf.sparse.sparse_dense_matmul(tf.sparse.eye(x.shape[0]), x)),
    "sparse to dense": Workspace(_matrix(512), lambda tf, x: tf.sparse.to_dense(tf.sparse.eye(x.shape[0], 512))),
    "ctc_loss": Workspace(_vector, lambda tf, x: tf.nn.ctc_loss(tf.ones([x.shape[0] // 16384, 10], tf.int32), tf.reshape(x, [256, -1, 64]), tf.fill([x.shape[0] // 16384], 10), tf.fill([x.shape[0] // 16384], 256), blank_index=0), 0.5),
    "attention": Workspace(_matrix(512), lambda tf, x: tf.matmul(tf.nn.softmax(tf.matmul(tf.reshape(x, [-1, 512, 64]), tf.reshape(x, [-1, 512, 64]), transpose_b=True)), tf.reshape(x, [-1, 512, 64])), 0.25),
}  # fmt: skip


def _adam(tf: Any, x: Any) -> None:
    var, m, v = (tf.Variable(each) for each in (x, x * 0.0, x * x))
    tf.raw_ops.ResourceApplyAdam(
        var=var.handle, m=m.handle, v=v.handle, beta1_power=0.9, beta2_power=0.99, lr=0.1,
        beta1=0.9, beta2=0.99, epsilon=1e-3, grad=x,
    )  # fmt: skip


def _status(name: str) -> int:
    """A number of /proc/self/status, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(each.split()[1]) << 10 for each in lines if each.startswith(name))


def measured(name: str, scale: int) -> dict[str, Any]:
    """What the budget and the process say that a case takes at most, in bytes above what was
    there.
    """
    import emplace.tensorflow as tf
    from emplace.devices.inventory import find_devices

    case = WORKSPACES[name]
    budget = find_devices(type="GPU")[0].budget
    assert budget is not None
    trim = ctypes.CDLL(None).malloc_trim
    with tf.device("/GPU:0"):
        x = case.make(tf, max(1, int(scale * case.share)))
        for _ in range(2):  # the first run warms up
            gc.collect()
            trim(0)
            Path("/proc/self/clear_refs").write_text("5")
            before, in_use = _status("VmRSS"), budget.usage().in_use
            moment = budget.mark()
            y = case.run(tf, x)
            process, counted = _status("VmHWM") - before, budget.peak_since(moment) - in_use
            result_bytes = budget.usage().in_use - in_use
            del y
    return {
        "name": name,
        "input": in_use,
        "kept": result_bytes,
        "counted": counted,
        "process": process,
        "budget": in_use + counted,
    }


def main() -> None:
    """Prints a line per case: `workspaces.py SCALE [NAME ...]`."""
    os.environ.setdefault("EMPLACE_GPUS", "1x8GB")
    for name in sys.argv[2:] or WORKSPACES:
        try:
            print(json.dumps(measured(name, int(sys.argv[1]))), flush=True)
        except Exception as error:  # the others shall be measured all the same
            print(
                json.dumps({"name": name, "error": f"{type(error).__name__}: {error}"}), flush=True
            )


if __name__ == "__main__":
    main()
