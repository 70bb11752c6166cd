"""Samples of networks: activations, losses, convolutions, pooling, normalization."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .makers import RNG, Sample, real, shares

ROWS = np.array([2, 0, 1])


def sliding(**others: Any) -> dict[str, Any]:
    """Attributes of a convolution of images; those of a volume for strides of five."""
    rank = len(others.get("strides", (1, 1, 1, 1)))
    attrs = {"strides": (1,) * rank, "padding": "SAME", "dilations": (1,) * rank}
    return {**attrs, "data_format": "NHWC" if rank == 4 else "NDHWC", **others}


def pooling(ksize: Any, strides: Any, padding: str = "SAME", **others: Any) -> dict[str, Any]:
    """Attributes of pooling."""
    layout = "NHWC" if len(ksize) == 4 else "NDHWC"
    return {"ksize": ksize, "strides": strides, "padding": padding, "data_format": layout, **others}


def both(features: Any) -> list[Sample]:
    """A gradient's op: gradients and features."""
    return [Sample((real(*features.shape), features))]


def below_and_above(*shape: int) -> Any:
    """Outputs of elu or selu: above -1, none near 0."""
    return np.where(RNG.random(shape) > 0.5, RNG.uniform(-0.8, -0.2, shape), real(*shape) ** 2)


def apart(*shape: int) -> Any:
    """Numbers no two of which are near, so that small steps change no maximum."""
    count = int(np.prod(shape))
    return RNG.permutation(np.linspace(-2.0, 2.0, count)).reshape(shape)


SAMPLES: dict[str, list[Sample]] = {
    "Softmax": [Sample((real(3, 4),)), Sample((real(2, 3, 4),))],
    "LogSoftmax": [Sample((real(3, 4),)), Sample((real(4),))],
    "ReluGrad": both(real(3, 4)),
    "Relu6Grad": both(real(3, 4)),
    "EluGrad": both(below_and_above(3, 4)),
    "SeluGrad": both(below_and_above(3, 4)),
    "LeakyRelu": [Sample((real(3, 4),)), Sample((real(3, 4),), {"alpha": 0.5})],
    "LeakyReluGrad": both(real(3, 4)),
    "SoftplusGrad": both(real(3, 4)),
    "SoftsignGrad": both(real(3, 4)),
    "_GeluGrad": both(real(3, 4)),
    "_GeluByTanhGrad": both(real(3, 4)),
    "_Silu": [Sample((real(3, 4),)), Sample((real(3, 4),), {"beta": 2.0})],
    "_SiluGrad": [Sample((real(3, 4), real(3, 4)), {"beta": beta}) for beta in (1.0, 2.0)],
    "SoftmaxCrossEntropyWithLogits": [Sample((real(3, 4), shares(3, 4)))],
    "SparseSoftmaxCrossEntropyWithLogits": [Sample((real(3, 4), ROWS))],
    "_SigmoidCrossEntropyWithLogits": [Sample((real(3, 4), shares(3, 4)))],
    "_SigmoidError": [Sample((real(3, 4), shares(3, 4)))],
    "BiasAdd": [
        Sample((real(2, 3), real(3)), {"data_format": "NHWC"}),
        Sample((real(2, 4, 5, 3), real(3)), {"data_format": "NHWC"}),
        Sample((real(2, 3, 4, 5), real(3)), {"data_format": "NCHW"}),
        Sample((real(2, 3), real(3)), {"data_format": "NCHW"}),
    ],
    "BiasAddGrad": [
        Sample((real(2, 4, 5, 3),), {"data_format": "NHWC"}),
        Sample((real(2, 3, 4, 5),), {"data_format": "NCHW"}),
    ],
    "Conv2D": [
        Sample((real(2, 5, 4, 2), real(3, 2, 2, 3)), sliding()),
        Sample((real(1, 5, 6, 2), real(3, 3, 2, 2)), sliding(strides=(1, 2, 2, 1))),
        Sample((real(1, 6, 5, 4), real(2, 2, 2, 4)), sliding(padding="VALID")),
        Sample((real(1, 6, 5, 2), real(2, 2, 2, 2)), sliding(dilations=(1, 2, 2, 1))),
        Sample(
            (real(1, 4, 4, 1), real(2, 2, 1, 2)),
            sliding(padding="EXPLICIT", explicit_paddings=(0, 0, 0, 1, 2, 1, 0, 0)),
        ),
        Sample((real(1, 2, 4, 4), real(2, 2, 2, 2)), sliding(data_format="NCHW")),
    ],
    "Conv2DBackpropInput": [
        Sample((real(3, 2, 2, 3), real(2, 5, 4, 3)), sliding(input_sizes=(2, 5, 4, 2))),
        Sample(
            (real(3, 3, 2, 2), real(1, 3, 3, 2)),
            sliding(strides=(1, 2, 2, 1), input_sizes=(1, 6, 6, 2)),
        ),
    ],
    "Conv2DBackpropFilter": [
        Sample((real(2, 5, 4, 2), real(2, 5, 4, 3)), sliding(filter_sizes=(3, 2, 2, 3))),
        Sample(
            (real(1, 6, 6, 2), real(1, 3, 3, 2)),
            sliding(strides=(1, 2, 2, 1), filter_sizes=(3, 3, 2, 2)),
        ),
    ],
    "Conv3D": [
        Sample((real(1, 3, 4, 3, 2), real(2, 2, 2, 2, 2)), sliding(strides=(1,) * 5)),
        Sample(
            (real(1, 4, 4, 4, 1), real(2, 3, 2, 1, 2)),
            sliding(strides=(1, 2, 2, 2, 1), padding="VALID"),
        ),
    ],
    "Conv3DBackpropInputV2": [
        Sample(
            (real(2, 2, 2, 1, 2), real(1, 2, 2, 2, 2)),
            sliding(strides=(1, 2, 2, 2, 1), input_sizes=(1, 4, 3, 4, 1)),
        ),
    ],
    "Conv3DBackpropFilterV2": [
        Sample(
            (real(1, 4, 3, 4, 1), real(1, 2, 2, 2, 2)),
            sliding(strides=(1, 2, 2, 2, 1), filter_sizes=(2, 2, 2, 1, 2)),
        ),
    ],
    "DepthwiseConv2dNative": [
        Sample((real(2, 5, 4, 2), real(3, 2, 2, 2)), sliding()),
        Sample((real(1, 6, 6, 3), real(3, 3, 3, 1)), sliding(strides=(1, 2, 2, 1))),
    ],
    "DepthwiseConv2dNativeBackpropInput": [
        Sample((real(3, 2, 2, 2), real(2, 5, 4, 4)), sliding(input_sizes=(2, 5, 4, 2))),
    ],
    "DepthwiseConv2dNativeBackpropFilter": [
        Sample((real(2, 5, 4, 2), real(2, 5, 4, 4)), sliding(filter_sizes=(3, 2, 2, 2))),
    ],
    "MaxPool": [
        Sample((apart(2, 5, 4, 2),), pooling((1, 2, 2, 1), (1, 2, 2, 1))),
        Sample((apart(1, 4, 5, 2),), pooling((1, 2, 2, 1), (1, 1, 1, 1))),
        Sample((apart(1, 5, 5, 2),), pooling((1, 3, 3, 1), (1, 2, 2, 1), "VALID")),
        Sample((apart(1, 2, 2, 4),), pooling((1, 1, 1, 2), (1, 1, 1, 2), "VALID")),
    ],
    "MaxPoolGrad": [
        Sample(
            (apart(1, 4, 4, 2), real(1, 2, 2, 2), real(1, 2, 2, 2)),
            pooling((1, 2, 2, 1), (1, 2, 2, 1)),
        ),
    ],
    "MaxPool3D": [Sample((apart(1, 3, 4, 3, 2),), pooling((1, 2, 2, 2, 1), (1, 2, 1, 2, 1)))],
    "MaxPool3DGrad": [
        Sample(
            (apart(1, 2, 4, 2, 2), real(1, 1, 2, 1, 2), real(1, 1, 2, 1, 2)),
            pooling((1, 2, 2, 2, 1), (1, 2, 2, 2, 1)),
        ),
    ],
    "AvgPool": [
        Sample((real(2, 5, 4, 2),), pooling((1, 2, 2, 1), (1, 2, 2, 1))),
        Sample((real(1, 4, 5, 2),), pooling((1, 2, 2, 1), (1, 1, 1, 1))),
    ],
    "AvgPoolGrad": [
        Sample(
            (real(1, 3, 3, 2),),
            pooling((1, 2, 2, 1), (1, 2, 2, 1), orig_input_shape=(1, 5, 6, 2)),
        ),
        Sample(
            (real(1, 4, 5, 2),),
            pooling((1, 2, 2, 1), (1, 1, 1, 1), orig_input_shape=(1, 4, 5, 2)),
        ),
    ],
    "AvgPool3D": [Sample((real(1, 3, 4, 3, 2),), pooling((1, 2, 2, 2, 1), (1, 2, 1, 2, 1)))],
    "AvgPool3DGrad": [
        Sample(
            (real(1, 2, 2, 2, 2),),
            pooling((1, 2, 2, 2, 1), (1, 2, 2, 2, 1), orig_input_shape=(1, 4, 4, 3, 2)),
        ),
    ],
    "MaxPoolWithArgmax": [
        Sample(
            (apart(2, 4, 4, 2),),
            {"ksize": (1, 2, 2, 1), "strides": (1, 2, 2, 1), "padding": "SAME"},
        ),
    ],
    "MaxPoolGradWithArgmax": [
        Sample(
            (real(2, 2, 2, 1), real(2, 1, 1, 1), np.array([3, 0]).reshape(2, 1, 1, 1)),
            {"ksize": (1, 2, 2, 1), "strides": (1, 2, 2, 1), "padding": "SAME"},
        ),
    ],
    "Dilation2D": [
        Sample(
            (apart(1, 4, 4, 1), apart(2, 2, 1) * 0.01),
            {"strides": (1, 1, 1, 1), "rates": (1, 1, 1, 1), "padding": "SAME"},
        ),
    ],
    "_FractionalMaxPool": [
        Sample((apart(1, 5, 4, 1), np.array([0, 2, 5]), np.array([0, 1, 2, 4])), overlaps)
        for overlaps in ({"overlapping": False}, {"overlapping": True})
    ],
    "_FractionalAvgPool": [
        Sample((real(1, 5, 4, 2), np.array([0, 2, 5]), np.array([0, 1, 2, 4])), overlaps)
        for overlaps in ({"overlapping": False}, {"overlapping": True})
    ],
    "SpaceToDepth": [Sample((real(1, 4, 2, 2),), {"block_size": 2})],
    "DepthToSpace": [Sample((real(1, 2, 1, 8),), {"block_size": 2})],
    "SpaceToBatchND": [
        Sample((real(1, 3, 4, 2),), {"block_shape": (2, 2), "paddings": ((1, 0), (0, 2))}),
    ],
    "BatchToSpaceND": [
        Sample((real(4, 2, 3, 2),), {"block_shape": (2, 2), "crops": ((1, 0), (0, 2))}),
    ],
}


def sparse_cross_entropy(features: torch.Tensor, labels: torch.Tensor) -> tuple[Any, Any]:
    """The kernel, without changes in place."""
    ones = torch.nn.functional.one_hot(labels, features.shape[-1])
    return -(torch.log_softmax(features, -1) * ones).sum(-1), torch.softmax(features, -1) - ones


# Kernels that change values in place, which autograd cannot follow, written without that.
FOR_AUTOGRAD = {"SparseSoftmaxCrossEntropyWithLogits": sparse_cross_entropy}

# TF: rows of labels add up to 1 by definition, also while labels are differentiated.
NO_SECOND_ORDER = {"SoftmaxCrossEntropyWithLogits"}
