"""Leaves that are values of batchable extension types: they travel as what encodes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.extension.batching import BatchableExtensionTypeSpec, encoding_of
from ...ops.infer import Spec
from .structure import KINDS, Element, LeafKind, Raw, Structure


class Batchable(LeafKind):
    """Values of the program's own types that are stacked and taken apart."""

    def components(self, spec: object) -> tuple[Spec, ...]:
        """The shapes and dtypes of the raw values."""
        return encoded(spec).components

    def value(self, spec: Any, tensors: Sequence[Any]) -> Any:
        """The leaf that is made of tensors."""
        return spec.value_type.__batch_encoder__.decode(spec, encoded(spec).value(tensors))

    def parts(self, value: Any) -> tuple[Any, ...]:
        """The tensors that a leaf is made of."""
        return tuple(encoded(type(value).Spec.from_value(value)).tensors(encoding_of(value)))

    def stack(self, spec: object, leaves: Sequence[Element], place: int) -> list[Raw]:
        """The components of a batch."""
        return list(encoded(spec).stacker()(leaves))

    def rows(self, spec: object, raws: Element) -> list[Element]:
        """The components of each row."""
        return encoded(spec).rows(raws)


def encoded(spec: Any) -> Structure:
    """What a value of a batchable type travels as."""
    return Structure(spec.value_type.__batch_encoder__.encoding_specs(spec))


KINDS[BatchableExtensionTypeSpec] = Batchable()
