"""The ops that write variables into a checkpoint and read them back; they run on the CPU."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.dtypes import DType, runtime_name
from ..base.errors import NotFoundError, invalid_argument
from ..base.shapes import TensorShape, runtime_text
from ..core.tensor import torch_to_numpy
from ..ops import infer
from ..ops.host_values import raw_of
from ..ops.infer import Spec
from ..ops.io.paths import as_text, local
from ..ops.op import CPU_ONLY, op
from .checkpoint_files import CheckpointReader, write_checkpoint
from .object_names import keys_of_names
from .slices import joined, part_of


def save_kernel(
    prefix: Any, *tensors: Any, tensor_names: Sequence[str], makes_folder: bool = True,
    slices: Sequence[str] = (),
) -> None:  # fmt: skip
    """Writes tensors under their names as one checkpoint. Its folder may be missing, if
    `makes_folder`, but no folder above it. Where `slices` are not empty, they say for each tensor
    which part it is of that of its name, or nothing; all parts have to be there."""
    folder = os.path.dirname(os.path.abspath(local(prefix[()])))
    needed = os.path.dirname(folder) if makes_folder else folder
    if not os.path.isdir(needed):
        raise NotFoundError(None, None, f"{folder}; No such file or directory")
    arrays = [x if isinstance(x, np.ndarray) else torch_to_numpy(x) for x in tensors]
    write_checkpoint(as_text(prefix[()]), joined(tensor_names, slices, arrays))


SAVE = op(
    "SaveV2", "prefix: string, tensors: N * any ->", save_kernel, infer.nothing,
    device_types=CPU_ONLY,
    stateful=True, is_listed=False,
)  # fmt: skip


def restore_kernel(
    prefix: Any, *, tensor_names: Sequence[str], dtypes: Sequence[DType],
    shapes: Sequence[TensorShape], reshape: bool, slices: Sequence[str] = (),
) -> tuple[Any, ...]:  # fmt: skip
    """Reads the values of variables of these types and shapes, or of the parts of them that
    `slices` say."""
    reader = CheckpointReader(as_text(prefix[()]))
    known = reader.get_variable_to_dtype_map()
    if not all(map(reader.has_tensor, tensor_names)):
        keys = keys_of_names(reader)
        tensor_names = [name if name in known else keys.get(name, name) for name in tensor_names]
    values, read = [], None
    specs = slices or ("",) * len(tensor_names)
    for i, (name, dtype, shape, spec) in enumerate(
        zip(tensor_names, dtypes, shapes, specs, strict=True)
    ):
        if read is None or name != tensor_names[i - 1]:  # parts of one follow each other
            read = reader.get_tensor(name)
        array = np.asarray(read, None if known[name].torch else object)
        if known[name] is not dtype:
            raise invalid_argument(
                f"tensor_name = {name}; expected dtype {runtime_name(dtype)} does not equal "
                f"original dtype {runtime_name(known[name])}"
            )
        array = part_of(name, array, spec) if spec else array
        values.append(raw_of(_fitting(name, array, shape, reshape)))
    return tuple(values)


def _fitting(name: str, array: Any, shape: TensorShape, reshape: bool) -> Any:
    """An array in the shape of its variable."""
    if shape.is_compatible_with(array.shape):
        return array if array.flags.writeable else array.copy()
    if not reshape:
        raise invalid_argument(
            f"Assign requires shapes of both tensors to match. lhs shape= {runtime_text(shape)} "
            f"rhs shape= {runtime_text(array.shape)}: the checkpoint's value of {name!r} does not "
            "fit its variable."
        )
    if shape.num_elements() != array.size:
        raise invalid_argument(
            f"Input to reshape is a tensor with {array.size} values, but the requested shape has "
            f"{shape.num_elements()}: the checkpoint's value of {name!r} does not fit its variable."
        )
    return array.reshape(shape.as_list()).copy()


def _restore_spec(prefix: Spec, *, dtypes: Sequence[DType], shapes: Any, **attrs: Any) -> Any:
    return tuple(Spec(s.sizes, dtype) for s, dtype in zip(shapes, dtypes, strict=True))


RESTORE = op(
    "RestoreV2", "prefix: string -> tensors: N * any", restore_kernel, _restore_spec,
    device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
