"""Changes of variables that all replicas would make alike: the first one makes them, and the
variables of the others take its values.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import NamedTuple

from ...base.dtypes import resource
from ...ops.variables.resource import READ_VARIABLE
from ..representation.graph import Operation, SymbolicTensor
from .alike import Alike, Members, storage_of, touched_by
from .prune import has_effect
from .row_wise import SAME


class Followers(NamedTuple):
    """What is changed once: `gone` are the changes that need not run, with those of the first
    replica, `last` the operation after which variables may follow, `handles` theirs: the first
    replica's and those of the others, one group behind the other.
    """

    gone: dict[Operation, Operation]
    last: Operation
    handles: list[SymbolicTensor]


def followers(
    alike: Alike, takers: Mapping[int, Sequence[Operation]], kept: Container[int]
) -> Followers | None:
    """The changes of other replicas that nobody looks at before the last one of all is made."""
    changes = [
        members for members in dict.fromkeys(alike.members.values())
        if members[0].record.stateful and members[0].record is not READ_VARIABLE
        and alike.kinds[members[0]] is SAME and not members[0].outputs
    ]  # fmt: skip
    while changes:
        seen = _seen_between(alike, changes, takers, kept)
        if not seen:
            return _followers(alike, changes)
        # Who leaves a variable to its own replica leaves those beside it to theirs.
        own = {
            key for members in changes for one in members if (k := _keys(one)) & seen for key in k
        }
        changes = [m for m in changes if not any(_keys(one) & own for one in m)]
    return None


def _followers(alike: Alike, changes: Sequence[Members]) -> Followers:
    handles: dict[int, list[SymbolicTensor]] = {}
    for members in changes:
        for xs in zip(*[each.given for each in members], strict=True):
            if xs[0].dtype is resource:
                handles.setdefault(id(storage_of(xs[0])), list(xs))
    gone = {each: members[0] for members in changes for each in members[1:]}
    last = max((each for members in changes for each in members), key=alike.places.__getitem__)
    return Followers(gone, last, [x for group in handles.values() for x in group])


def _keys(operation: Operation) -> set[int]:
    return set(touched_by(operation) or ())


def _seen_between(
    alike: Alike, changes: Sequence[Members], takers: Mapping[int, Sequence[Operation]],
    kept: Container[int],
) -> set[int]:  # fmt: skip
    """The variables that are read or changed between a change that need not run and the last one of
    all, by what has to run even so.
    """
    changed: dict[int, int] = {}
    dead: set[Operation] = set()
    for members in changes:
        for each in members[1:]:
            dead.add(each)
            for key in _keys(each):
                place = alike.places[each]
                changed[key] = min(changed.get(key, place), place)
    last = max(alike.places[each] for members in changes for each in members)
    seen: set[int] = set()
    for each, place in reversed(alike.places.items()):
        if each in dead:
            continue
        if not has_effect(each) and not any(
            id(y) in kept or any(one not in dead for one in takers.get(id(y), ()))
            for y in each.outputs
        ):
            dead.add(each)
        elif place < last:
            seen |= {key for key in _keys(each) if changed.get(key, place) < place}
    return seen
