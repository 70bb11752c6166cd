"""`tf.summary` of TF 1: operations that return summaries, as strings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata

from ..base import dtypes, log
from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..base.typing import TensorLike
from ..classic.scopes.collections import (
    GraphKeys,
    get_collection,
    outer_graph,
    replica_number,
)
from ..core.context import LOCAL
from ..core.tensor import torch_to_numpy
from ..graph.recording.scopes import current_graph
from ..ops.array.making import constant
from ..ops.convert import to_tensor
from ..ops.infer import Spec
from ..ops.op import CPU_ONLY, apply, op
from ..ops.strings.basic import text_array
from . import encoding

# -- kernels ---------------------------------------------------------------------------------------


def _packed(summary: Any) -> Any:
    return text_array([summary.SerializeToString()], ())


def _text_spec(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.string)


def scalar_kernel(values: Any, *, tag: str) -> Any:
    """A summary of one number."""
    if values.ndim:
        raise invalid_argument(
            f"tags and values are not the same shape: [] != {runtime_text(values.shape)} "
            f"(tag '{tag}')"
        )
    return _packed(Summary(value=[Summary.Value(tag=tag, simple_value=float(values))]))


def histogram_kernel(values: Any, *, tag: str) -> Any:
    """A summary of how numbers are distributed."""
    array = torch_to_numpy(values).astype(np.float64)
    if np.isnan(array).any():
        raise invalid_argument(f"Nan in summary histogram for: {tag}")
    if np.isinf(array).any():
        raise invalid_argument(f"Infinity in Histogram for: {tag}")
    return _packed(Summary(value=[Summary.Value(tag=tag, histo=encoding.histogram(array))]))


def image_kernel(tensor: Any, *, tag: str, max_images: int) -> Any:
    """A summary of some pictures."""
    if tensor.ndim != 4 or tensor.shape[-1] not in (1, 3, 4):
        raise invalid_argument(
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {runtime_text(tensor.shape)}"
        )
    return _listed("image", torch_to_numpy(tensor), tag, max_images, encoding.image)


def audio_kernel(tensor: Any, sample_rate: Any, *, tag: str, max_outputs: int) -> Any:
    """A summary of some sounds."""
    if tensor.ndim not in (2, 3):
        raise invalid_argument(f"Tensor must be 3-D or 2-D, got: {runtime_text(tensor.shape)}")
    array = torch_to_numpy(tensor)
    sounds = array if array.ndim == 3 else array[..., np.newaxis]
    rate = float(sample_rate)
    return _listed("audio", sounds, tag, max_outputs, lambda each: encoding.audio(each, rate))


def _listed(kind: str, values: Any, tag: str, most: int, encode: Callable[[Any], Any]) -> Any:
    summary = Summary()
    for i, each in enumerate(values[:most]):
        name = f"{tag}/{kind}" if most == 1 else f"{tag}/{kind}/{i}"
        summary.value.add(tag=name, **{kind: encode(each)})
    return _packed(summary)


def tensor_kernel(tensor: TensorLike, *, tag: str, metadata: bytes) -> Any:
    """A summary of a tensor as it is."""
    value = Summary.Value(
        tag=tag, tensor=encoding.tensor(tensor), metadata=SummaryMetadata.FromString(metadata)
    )
    return _packed(Summary(value=[value]))


def merge_kernel(*inputs: Any) -> Any:
    """Several summaries as one."""
    merged, seen = Summary(), set()
    for text in (each for some in inputs for each in some.reshape(-1).tolist()):
        try:
            found = Summary.FromString(text)
        except DecodeError:
            raise invalid_argument("Could not parse one of the summary inputs") from None
        for value in found.value:
            if value.tag in seen:
                raise invalid_argument(f"Duplicate tag {value.tag} found in summary inputs")
            seen.add(value.tag)
            merged.value.add().CopyFrom(value)
    return _packed(merged)


_OPTIONS: dict[str, Any] = {"device_types": CPU_ONLY, "is_listed": False}
SCALAR = op("ScalarSummary", "values: T -> summary: string", scalar_kernel, _text_spec,
            T=dtypes.REALS, **_OPTIONS)  # fmt: skip
HISTOGRAM = op("HistogramSummary", "values: T -> summary: string", histogram_kernel, _text_spec,
               T=dtypes.REALS, **_OPTIONS)  # fmt: skip
IMAGE = op("ImageSummary", "tensor: T -> summary: string", image_kernel, _text_spec,
           T=(dtypes.uint8, dtypes.float32, dtypes.float16, dtypes.float64),
           **_OPTIONS)  # fmt: skip
AUDIO = op("AudioSummaryV2", "tensor: float32, sample_rate: float32 -> summary: string",
           audio_kernel, _text_spec, **_OPTIONS)  # fmt: skip
TENSOR = op("TensorSummaryV2", "tensor: any -> summary: string", tensor_kernel, _text_spec,
            **_OPTIONS)  # fmt: skip
MERGE = op("MergeSummary", "inputs: N * string -> summary: string", merge_kernel, _text_spec,
           **_OPTIONS)  # fmt: skip

# -- names -----------------------------------------------------------------------------------------

_ILLEGAL = re.compile(r"[^-/\w\.]")


def clean_name(name: str) -> str:
    """A summary's name as graphs take it: other signs become `_`; logged if that changes it."""
    cleaned = _ILLEGAL.sub("_", name).lstrip("/")
    if cleaned != name:
        log.info(f"Summary name {name} is illegal; using {cleaned} instead.")
    return cleaned


def _tensor(arg: Any, value: TensorLike) -> Any:
    return to_tensor(value, dtypes.float32 if arg.type == "float32" else None)


def _tag(scope: str, family: str | None) -> str:
    return scope if family is None else f"{family}/{scope}"


def _made(
    record: Any, name: str, family: str | None, collections: Any, inputs: Sequence[Any],
    **attrs: Any,
) -> Any:  # fmt: skip
    """Makes the operation of a summary; its name is the name scope of its constants as well."""
    if name is None:
        raise ValueError("At least one of name (None) and default_name (None) must be provided.")
    base = clean_name(name)
    family = None if family is None else clean_name(family)
    base = base if family is None else f"{family}/{base}"
    graph = current_graph()
    if replica_number():  # TF: the first replica alone tells
        return constant("")
    if graph is None:
        tensors = [_tensor(*pair) for pair in zip(record.inputs, inputs, strict=True)]
        tag = _tag(f"{LOCAL.state.names}{base}", family)
        return apply(record, tuple(tensors), {"tag": tag, **attrs})
    with graph.name_scope(base) as scope:
        tensors = []
        for arg, given in zip(record.inputs, inputs, strict=True):
            with graph.exact_name(arg.name):
                tensors.append(_tensor(arg, given))
        tag = _tag(scope.rstrip("/"), family)
        with graph.exact_name(scope):
            found = apply(record, tuple(tensors), {"tag": tag, **attrs})
    keys = [GraphKeys.SUMMARIES] if collections is None else collections
    outer_graph().add_to_collections(keys, found)
    return found


# -- functions -------------------------------------------------------------------------------------


def scalar(
    name: str,
    tensor: TensorLike,
    collections: str | Sequence[str] | None = None,
    family: str | None = None,
) -> Any:
    """Makes a summary of one number (`tf.compat.v1.summary.scalar`).

    Args:
        name: its name in TensorBoard, below the open name scope.
        tensor: one real number.
        collections: lists of the graph that it is added to, those of `merge_all` if None.
        family: a prefix under which TensorBoard groups it.

    Returns:
        A string tensor: a `Summary`, for `FileWriter.add_summary`.

    Raises:
        InvalidArgumentError: when it runs, if the tensor is no scalar.

    >>> len(scalar("loss", 0.5).numpy()) > 0
    True
    """
    return _made(SCALAR, name, family, collections, [tensor])


def histogram(
    name: str,
    values: TensorLike,
    collections: str | Sequence[str] | None = None,
    family: str | None = None,
) -> Any:
    """Makes a summary of how numbers are distributed (`tf.compat.v1.summary.histogram`).

    Args:
        name: see `scalar`.
        values: real numbers, of any shape.
        collections: see `scalar`.
        family: see `scalar`.

    Raises:
        InvalidArgumentError: when it runs, if a number is not finite.
    """
    return _made(HISTOGRAM, name, family, collections, [values])


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: str | Sequence[str] | None = None,
    family: str | None = None,
) -> Any:
    """Makes a summary of some pictures (`tf.compat.v1.summary.image`).

    Args:
        name: see `scalar`; each picture's is this with `/image` and its number.
        tensor: [batch, height, width, channels]: bytes, or numbers, which are stretched to bytes;
            1, 3 or 4 channels.
        max_outputs: how many of the batch.
        collections: see `scalar`.
        family: see `scalar`.

    Raises:
        InvalidArgumentError: when it runs, if the shape is another.
        ValueError: `max_outputs` is not positive.
    """
    most = _positive(max_outputs, "max_images", "ImageSummary")
    return _made(IMAGE, name, family, collections, [tensor], max_images=most)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: str | Sequence[str] | None = None,
    family: str | None = None,
) -> Any:
    """Makes a summary of some sounds (`tf.compat.v1.summary.audio`).

    Args:
        name: see `image`.
        tensor: [batch, frames] or [batch, frames, channels], from -1 to 1.
        sample_rate: frames per second.
        max_outputs: how many of the batch.
        collections: see `scalar`.
        family: see `scalar`.
    """
    most = _positive(max_outputs, "max_outputs", "AudioSummaryV2")
    return _made(AUDIO, name, family, collections, [tensor, sample_rate], max_outputs=most)


def _positive(number: Any, what: str, op_name: str) -> int:
    if number < 1:
        raise ValueError(f"Attr '{what}' of '{op_name}' Op passed {number} less than minimum 1.")
    return int(number)


def text(name: str, tensor: TensorLike, collections: str | Sequence[str] | None = None) -> Any:
    """A summary of texts, which TensorBoard shows as Markdown (`tf.compat.v1.summary.text`).

    Raises:
        ValueError: the tensor holds no strings.
    """
    tensor = to_tensor(tensor)
    if tensor.dtype is not dtypes.string:
        label = getattr(tensor, "name", "tensor") if current_graph() is not None else "tensor"
        raise ValueError(f"Expected tensor {label} to have dtype string, got {tensor.dtype}")
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: Any = None,
    collections: str | Sequence[str] | None = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Any:
    """A summary of a tensor as it is (`tf.compat.v1.summary.tensor_summary`).

    Args:
        name: see `scalar`.
        tensor: any tensor.
        summary_description: a `SummaryDescription`, kept as the description.
        collections: see `scalar`.
        summary_metadata: a `SummaryMetadata`: which plugin of TensorBoard shows it, and how.
        family: see `scalar`.
        display_name: the name that TensorBoard shows.
    """
    metadata = SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    packed = metadata.SerializeToString()
    return _made(TENSOR, name, family, collections, [tensor], metadata=packed)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Several summaries as one (`tf.compat.v1.summary.merge`).

    Args:
        inputs: string tensors, each a summary.
        collections: lists of the graph that it is added to; none if None.
        name: a name in graphs.

    Raises:
        ValueError: there is none.
        InvalidArgumentError: when it runs, if two have the same tag.
    """
    tensors = tuple(to_tensor(each) for each in inputs)
    if not tensors:
        raise ValueError(
            "List argument 'inputs' to 'MergeSummary' Op with length 0 shorter than minimum "
            "length 1."
        )
    graph = current_graph()
    if graph is None:
        return apply(MERGE, tensors)
    with graph.name_scope(name or "Merge"), graph.exact_name("MergeSummary"):
        found = apply(MERGE, tensors)
    outer_graph().add_to_collections(collections or (), found)
    return found


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Any:
    """All summaries of a list of the graph as one (`tf.compat.v1.summary.merge_all`).

    Args:
        key: the list.
        scope: a regular expression: only summaries whose names begin so.
        name: a name in graphs.

    Returns:
        A string tensor; None if there is no summary.

    Raises:
        RuntimeError: in eager mode.
    """
    if current_graph() is None:
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. Use "
            "tf.contrib.summary instead."
        )
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None


def get_summary_description(node_def: Any) -> Any:
    """Not supported: descriptions are not kept in nodes
    (`tf.compat.v1.summary.get_summary_description`).

    Raises:
        ValueError: always.
    """
    raise ValueError(f"Can't get_summary_description on {node_def.op}")
