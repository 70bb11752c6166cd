"""What TensorFlow calls the results of functions that make several nodes there.

Programs look results up by name (`graph.get_tensor_by_name("nm/Reshape_2:0")`) and print them. The
nodes on the way to a result are ours and keep our names.
"""

from __future__ import annotations

from types import FrameType

# The whole scope is the result's name; or, with `AGAIN`, the name stands inside of itself once more
# (`nm/nm`), and without one the op's type does.
SCOPE, AGAIN = "", "="

# Functions that make one node here, which TensorFlow puts into a scope: the scope, and the node.
_ALONE = {
    "softmax_cross_entropy_with_logits": ("softmax_cross_entropy_with_logits", "Reshape_2"),
    "softmax_cross_entropy_with_logits_v2": ("softmax_cross_entropy_with_logits", "Reshape_2"),
    "sparse_softmax_cross_entropy_with_logits": ("SparseSoftmaxCrossEntropyWithLogits", AGAIN),
    "in_top_k": ("in_top_k", AGAIN),
    "in_top_k_v1": ("in_top_k", AGAIN),
    "embedding_lookup": ("embedding_lookup", "Identity"),
    "einsum": ("einsum", "Einsum"),
    "count_nonzero": ("count_nonzero", "Sum"),
    "sample_distorted_bounding_box": (
        "sample_distorted_bounding_box", "SampleDistortedBoundingBoxV2",
    ),
    "sample_distorted_bounding_box_v1": (
        "sample_distorted_bounding_box", "SampleDistortedBoundingBoxV2",
    ),
    "stateless_sample_distorted_bounding_box": (
        "stateless_sample_distorted_bounding_box", "StatelessSampleDistortedBoundingBox",
    ),
}  # fmt: skip

# The nodes that are results of functions that make several, by our names for them.
_RESULTS = {
    "softmax_cross_entropy_with_logits": {"SoftmaxCrossEntropyWithLogits": "Reshape_2"},
    "l2_normalize": {"RealDiv": SCOPE},
    **{name: {"RealDiv": SCOPE} for name in ("truediv", "divide", "operator", "reflected")},
    "clip_by_norm": {"Identity": SCOPE},
    "random_normal": {"AddV2": SCOPE},
    "normal": {"AddV2": SCOPE},
    "truncated_normal": {"AddV2": SCOPE},
    "xw_plus_b": {"BiasAdd": SCOPE},
    "separable_conv2d": {"Conv2D": SCOPE},
    "rgb_to_grayscale": {"Identity": SCOPE},
    "per_image_standardization": {"RealDiv": SCOPE},
    "trace": {"Sum": SCOPE},
    "log_sigmoid": {"Neg_1": SCOPE},
    "weighted_cross_entropy_with_logits": {"AddV2_1": SCOPE},
    "saturate_cast": {"Cast": SCOPE},
    "convert_image_dtype": {"Mul": SCOPE},
    "log_poisson_loss": {"Sub": "sub"},
    "polyval": {"AddV2": "add"},
    "unsorted_segment_mean": {"RealDiv": "truediv"},
    "logdet": {"Mul": "mul"},
    "global_norm": {"Sqrt": "global_norm"},
    "normalize": {"RealDiv": "truediv"},
    "random_flip_left_right": {"SelectV2": "add"},
    "random_flip_up_down": {"SelectV2": "add"},
    "moments": {"Reshape": "Squeeze", "Mean_1": "Squeeze_1"},
    "moments_v1": {"Reshape": "Squeeze", "Mean_1": "Squeeze_1"},
    "batch_normalization": {"AddV2_2": "add_1"},
    "zero_fraction": {"RealDiv": "fraction"},
    "norm": {"Sqrt": "Squeeze"},
    "eye": {"MatrixDiagV3": "diag"},
    "linspace": {"ConcatV2": "Slice"},
    "meshgrid": {"BroadcastTo": "mul", "BroadcastTo_1": "mul_1", "BroadcastTo_2": "mul_2"},
}


def alone(call: FrameType | None, op_name: str) -> tuple[str, str] | None:
    """The scope and the node of a function that makes one node; None where it is no scope."""
    if call is None:
        return None
    function = call.f_code.co_name
    if function in ("uniform", "random_uniform") and op_name == "RandomUniform":
        return "random_uniform", op_name
    if function == "resize":
        return function, op_name
    if function == "softmax_cross_entropy_with_logits" and op_name == "StopGradient":
        return f"{function}_sg", op_name  # TF: the older of the two is called so
    return _ALONE.get(function)


def result_name(call: FrameType, part: str) -> str | None:
    """The name below a call's scope of one of its nodes, which we call `part`."""
    return _RESULTS.get(call.f_code.co_name, {}).get(part)
