"""Which part of a larger variable a variable holds, as checkpoints of TF 1 write it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.board_protos import board_proto
from ...base.typing import ShapeLike


class SaveSliceInfo:
    """Where a variable's values stand in a larger one (`tf.Variable.SaveSliceInfo`).

    Args:
        full_name: the name of the larger variable.
        full_shape: its shape.
        var_offset: where the part begins, an int per axis.
        var_shape: the part's shape.
        save_slice_info_def: a `SaveSliceInfoDef` with all four, in the place of the others.
        import_scope: a name scope to put before the name that the def has.

    >>> SaveSliceInfo("w", [4, 2], [2, 0], [2, 1]).spec
    '4 2 2,2:0,1'
    """

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: ShapeLike | None = None,
        var_offset: Sequence[int] | None = None,
        var_shape: ShapeLike | None = None,
        save_slice_info_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if save_slice_info_def is not None:
            name = str(save_slice_info_def.full_name)
            full_name = f"{import_scope}/{name}" if import_scope else name
            full_shape = list(save_slice_info_def.full_shape)
            var_offset = list(save_slice_info_def.var_offset)
            var_shape = list(save_slice_info_def.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The larger shape, then begin and length per axis, as one text."""
        sizes = " ".join(str(each) for each in _listed(self.full_shape))
        parts = zip(_listed(self.var_offset), _listed(self.var_shape), strict=True)
        return f"{sizes} {':'.join(f'{begin},{length}' for begin, length in parts)}"

    @classmethod
    def from_spec(cls, spec: str) -> SaveSliceInfo:
        """What a text of `spec`'s form says, without a name.

        Raises:
            ValueError: the text has another form.
        """
        if not spec:
            return cls()
        try:
            sizes, parts = spec.rsplit(" ", 1)
        except ValueError as error:
            raise ValueError(  # TF: the text, here and below
                f"Spec string must contain space-separated full_shape info. Got {spec!r}."
            ) from error
        full_shape = [_number(each, "full_shape must be a sequence of integers", each)
                      for each in sizes.split()]  # fmt: skip
        var_offset, var_shape = [], []
        for part in parts.split(":"):
            try:
                begin, length = part.split(",")
            except ValueError as error:
                raise ValueError(
                    "Spec string must contain comma-separated pairs of offsets and shapes. "
                    f"Got {parts!r}."
                ) from error
            var_offset.append(_number(begin, "var_offset must be an integer", begin))
            var_shape.append(_number(length, "var_shape must be an integer", length))
        return cls(full_shape=full_shape, var_offset=var_offset, var_shape=var_shape)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A `SaveSliceInfoDef`, or None where the name is not below `export_scope`.

        Raises:
            ModuleNotFoundError: TensorBoard, which has the message, is not installed.
        """
        name = self.full_name or ""
        if export_scope is not None:
            if not name.startswith(export_scope):
                return None
            name = name.removeprefix(export_scope).removeprefix("/")
        return board_proto("variable_pb2", "SaveSliceInfoDef")(
            full_name=name,
            full_shape=_listed(self.full_shape),
            var_offset=_listed(self.var_offset),
            var_shape=_listed(self.var_shape),
        )


def _listed(numbers: Any) -> list[int]:
    return [] if numbers is None else [int(each) for each in numbers]


def _number(text: str, what: str, found: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise ValueError(
            f"Spec string {what}. Found '{found}', which is not an integer."
        ) from error
