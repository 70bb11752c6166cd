"""Many small tensors as a few large ones, so that carrying them costs one trip, not one each.

Nothing here knows of devices or workers: whoever carries tensors packs them where they are, carries
the packs, and unpacks what came.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import torch


class Pack(NamedTuple):
    """Tensors of one dtype and device laid flat, one behind the other.

    Attributes:
        flat: all elements, rank 1.
        places: which of the given tensors they are, in order.
        shapes: the shape of each.
    """

    flat: torch.Tensor
    places: tuple[int, ...]
    shapes: tuple[torch.Size, ...]


def packs_of(sizes: Sequence[int], bytes_per_pack: int) -> list[list[int]]:
    """Which values go into one pack, by their places: a pack is full as soon as it is larger than
    `bytes_per_pack` (TF: so, and its log tells how many there are). 0 makes one pack of all.

    >>> packs_of([40, 40, 40], 40)
    [[0, 1], [2]]
    """
    packs: list[list[int]] = []
    filled = 0
    for place, size in enumerate(sizes):
        if not packs or (bytes_per_pack and filled > bytes_per_pack):
            packs.append([])
            filled = 0
        packs[-1].append(place)
        filled += size
    return packs


def packs_by_dtype(
    sizes: Sequence[int], dtypes: Sequence[Hashable], bytes_per_pack: int
) -> list[list[int]]:
    """As `packs_of`, with a pack for each dtype in it."""
    made: list[list[int]] = []
    for places in packs_of(sizes, bytes_per_pack):
        alike: dict[Hashable, list[int]] = {}
        for place in places:
            alike.setdefault(dtypes[place], []).append(place)
        made += alike.values()
    return made


def pack(
    tensors: Sequence[torch.Tensor], bytes_per_pack: int = 0, is_own: bool = False
) -> list[Pack]:
    """Tensors as a few flat ones.

    Args:
        tensors: on whatever devices, of any shapes and dtypes. Those of one pack keep their order.
        bytes_per_pack: when a pack is full, see `packs_of`; 0 packs all that can be together.
        is_own: copy also a tensor that is alone in its pack, whose memory it would be otherwise:
            for packs that are written into.

    Returns:
        A pack, or one for each dtype and device in it, for each of `packs_of`.
    """
    sizes = [each.numel() * each.element_size() for each in tensors]
    kinds = [(each.dtype, each.device) for each in tensors]
    return [
        _packed(tensors, places, is_own) for places in packs_by_dtype(sizes, kinds, bytes_per_pack)
    ]


def _packed(tensors: Sequence[torch.Tensor], places: Sequence[int], is_own: bool) -> Pack:
    chosen = [tensors[place] for place in places]
    flat = laid_flat(chosen, is_own)
    return Pack(flat, tuple(places), tuple(each.shape for each in chosen))


def laid_flat(tensors: Sequence[torch.Tensor], is_own: bool = False) -> torch.Tensor:
    """Tensors of one dtype and device one behind the other, rank 1; one that is alone in its own
    memory, unless `is_own`. One call for all of them: a thousand cost little more than one.
    """
    if len(tensors) > 1:
        return torch._C._nn.flatten_dense_tensors(list(tensors))
    flat = tensors[0].reshape(-1)
    return flat.clone() if is_own else flat


def unpack(packs: Sequence[Pack]) -> list[torch.Tensor]:
    """The tensors of packs in their first order, as views of what each pack holds by now.

    >>> unpack(pack([torch.zeros(2, 2), torch.ones(3)]))[1]
    tensor([1., 1., 1.])
    """
    made: list[torch.Tensor | None] = [None] * sum(len(each.places) for each in packs)
    for each in packs:
        parts = torch.split(each.flat, [shape.numel() for shape in each.shapes])
        for place, part, shape in zip(each.places, parts, each.shapes, strict=True):
            made[place] = part.view(shape)
    return [each for each in made if each is not None]
