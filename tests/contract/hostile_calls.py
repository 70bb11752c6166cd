"""Calls of ops that a program could make by mistake or by malice: what stands in its tensors and
attributes is out of range, empty, of another rank, or no number.

Cases of every op record are run once to learn what the op is called with; then one input or one
attribute at a time is bent. The ops of the runtime itself (`_CTCLossDense`) are among them: users
reach them by public functions. A child process of test_hostile_calls.py runs this file, for what
is wrong here may end the process.

    python tests/contract/hostile_calls.py OP,OP,...   or all of them without names
"""

from __future__ import annotations

import faulthandler
import json
import re
import resource
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from op_cases.values import evaluate
from registry_facts import records, witnesses

import emplace.tensorflow as tf
from emplace.core.context import LOCAL, AppliesAlike
from emplace.ops.op import Op, apply

MARK = "hostile call "
"""Begins the lines that are ours; ops print, too."""
MOST_BYTES = 5 << 29
"""More than the process may take: what asks for more is refused, and no other process suffers."""

INTEGERS = (-1, 300, 10**9, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63))
NUMBERS = (float("nan"), float("inf"), -1e30)
SIZES = (-1, 0, 2**31 - 1, 2**62, -(2**63))
# The latter makes a list as long as it is told, which takes more time than there is.
LEFT_OUT = {"_EagerConst", "FixedUnigramCandidateSampler"}
# Words of torch and of Python that no program has called.
FOREIGN = re.compile(
    r"aten::|\bat::|c10|THP|torch\.|INTERNAL ASSERT|Storage size|native_|zip\(\)|positional arg"
    r"|unpack|object has no|tuple index|while checking arguments|Dimension out of range"
)
ALLOWED = (tf.errors.OpError, TypeError, ValueError, LookupError)


class Learner(AppliesAlike):
    """Stands before the thread's target and keeps the first call of some ops."""

    def __init__(self, target: Any, wanted: set[str]) -> None:
        self._target, self._wanted = target, wanted
        self.calls: dict[str, tuple[Op, tuple[Any, ...], dict[str, Any]]] = {}

    def apply(self, state: Any, op: Op, inputs: tuple[Any, ...], attrs: Any) -> Any:
        if op.name in self._wanted and all(hasattr(x, "_value") for x in inputs):
            self.calls.setdefault(op.name, (op, tuple(inputs), dict(attrs or {})))
        return self._target.apply(state, op, inputs, attrs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


def learned(expression: str, wanted: set[str]) -> dict[str, Any]:
    """The calls of `wanted` ops that an expression makes."""
    state = LOCAL.state
    before = state.target
    state.target = learner = Learner(before, wanted)
    try:
        evaluate(expression, tf)
    except Exception:
        pass  # cases of errors make calls, too
    finally:
        state.target = before
    return learner.calls


def bent_arrays(array: Any) -> Iterator[Any]:
    """Arrays that are wrong in one way each."""
    kind = array.dtype.kind
    if kind in "iu" and array.size:
        info = np.iinfo(array.dtype)
        for number in {min(max(each, info.min), info.max) for each in INTEGERS}:
            for place in (0, -1):
                bent = array.copy()
                bent.reshape(-1)[place] = number
                yield bent
    elif kind == "f" and array.size:
        for number in NUMBERS:
            with np.errstate(over="ignore"):
                yield np.full_like(array, number)
    for axis, size in enumerate(array.shape):
        yield array.take([], axis)
        yield array.take(range(size - 1), axis) if size else array
        yield np.concatenate([array, array], axis)
    if array.ndim:
        yield np.zeros(array.shape[1:], array.dtype)
    yield array[None]


def bent_values(value: Any) -> Iterator[Any]:
    """Attributes that are wrong in one way each."""
    if type(value) is int:
        yield from SIZES
    elif type(value) is tuple and all(type(each) is int for each in value):
        yield ()
        yield (*value, 1)
        for size in SIZES:
            yield (*value[:-1], size)


def bent_calls(inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Iterator[tuple[Any, Any, str]]:
    """Inputs, attributes and what is wrong with them."""
    for i, tensor in enumerate(inputs):
        if tensor.dtype in (tf.resource, tf.variant, tf.string):
            continue
        for array in bent_arrays(tensor.numpy()):
            told = f"input {i} = {array.dtype}{list(array.shape)} {array.reshape(-1)[:6].tolist()}"
            yield (*inputs[:i], tf.constant(array), *inputs[i + 1 :]), attrs, told
    for key, value in attrs.items():
        for bent in bent_values(value):
            yield inputs, attrs | {key: bent}, f"{key}={bent}"


def call(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> None:
    """Runs an op and its gradient."""
    watched = [x for x in inputs if x.dtype.is_floating or x.dtype.is_complex]
    with tf.GradientTape() as tape:
        tape.watch(watched)
        made = apply(op, inputs, attrs or None)
    outputs = made if isinstance(made, list) else [made]
    targets = [y for y in outputs if y is not None and y.dtype.is_floating]
    if watched and targets:
        tape.gradient(targets, watched)


def complaint(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> str | None:
    """What is wrong with the way in which a call fails, if it does."""
    try:
        call(op, inputs, attrs)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if not isinstance(error, ALLOWED) or FOREIGN.search(text):
            return text.splitlines()[0][:200]
    return None


def main(names: set[str]) -> None:
    faulthandler.enable()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    torch.set_num_threads(1)
    left = {op.name for op in records() if not op.is_blocking} - LEFT_OUT
    left = left & names if names else left
    for name, expression in witnesses().items():
        if name not in left:
            continue
        for op, inputs, attrs in learned(expression, {name}).values():
            for given, with_attrs, told in bent_calls(inputs, attrs):
                print(MARK + json.dumps([name, told]), flush=True)  # the last line, if it ends here
                wrong = complaint(op, given, with_attrs)
                if wrong:
                    print(MARK + json.dumps([name, told, wrong]), flush=True)


if __name__ == "__main__":
    main({each for each in "".join(sys.argv[1:]).split(",") if each})
