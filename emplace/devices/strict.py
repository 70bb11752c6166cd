"""Strict virtual GPUs: each has a memory of its own, which the host cannot look into.

Their tensors hold real values in host memory and refuse what hardware refuses: a kernel that mixes
two memories, and NumPy on a device's memory. Whatever would make the host wait for a GPU is told to
whoever listens: numbers that are read, sizes that depend on values, copies from pageable memory.
Programs that are right here are right on hardware in these respects; they are not fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from ..base.errors import InternalError
from .backend import Capture
from .late import CURRENT, naming_kernel
from .modes import Mode
from .strict_capture import RECORDING, StrictCapture, refuse_while_recording
from .virtual import VirtualBackend

# A device type of torch's that no build computes on: tensors that claim it cannot be mistaken.
_TYPE = "lazy"


class Wait(NamedTuple):
    """The host waited for a strict GPU. `route` is the op's, None where the program read a value;
    `what` says why in three words: "reads", "sizes depend on" or "copies from the host".
    """

    ordinal: int
    route: Any
    what: str
    nbytes: int


class Waits:
    """Whom waits are told to; None while nobody listens. `core/events.py` sets it."""

    listener: Callable[[Wait], None] | None = None


WAITS = Waits()

READS, SIZES, FROM_HOST = "reads", "sizes depend on", "copies from the host"
_REFUSED = {
    READS: "is read by the host",
    SIZES: "is waited for: a size depends on values",
    FROM_HOST: "takes a copy from the host",
}


class StrictTensor(torch.Tensor):
    """A tensor in the memory of a strict GPU: `elements` are its values, whatever it claims."""

    elements: torch.Tensor

    @staticmethod
    def __new__(cls, real: torch.Tensor, device: torch.device) -> StrictTensor:
        """Wraps `real`, whose memory it shares."""
        is_dense = real.layout is torch.strided
        made: StrictTensor = torch.Tensor._make_wrapper_subclass(
            cls, real.shape, strides=real.stride() if is_dense else None,
            storage_offset=real.storage_offset() if is_dense else None,
            dtype=real.dtype, layout=real.layout, device=device, requires_grad=False,
        )  # fmt: skip
        made.elements = real
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Runs an operation of torch on real values, if hardware could."""
        return _run(func, args, kwargs or {})

    def to(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        """As torch's, in the mode of kernels: without one torch loads its distributed tensors, for
        close to a second, to see whether this is one of them.
        """
        with _Factories():  # type: ignore[no-untyped-call]
            return super().to(*args, **kwargs)

    def untyped_storage(self) -> torch.UntypedStorage:
        """The storage that budgets charge."""
        return self.elements.untyped_storage()

    def tolist(self) -> Any:
        """The elements as Python numbers: the host waits for them."""
        _waits(self, READS, _bytes(self))
        return self.elements.tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """A copy in the host's memory if `force` allows one; else refused."""
        if not force:
            raise _refused(f"{_name(self.device)}'s memory as NumPy, without a copy to the host")
        _waits(self, READS, _bytes(self))
        return self.elements.clone().numpy()

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise _refused(f"{_name(self.device)}'s memory as NumPy, without a copy to the host")

    def data_ptr(self) -> NoReturn:
        """Refused: the host cannot follow an address of a GPU."""
        raise _refused(f"addresses of {_name(self.device)}'s memory from the host")

    def __dlpack__(self, **options: Any) -> NoReturn:
        raise _refused(f"{_name(self.device)}'s memory from the host, by DLPack")

    def __dlpack_device__(self) -> NoReturn:
        self.__dlpack__()

    def new_tensor(self, data: Any, *, dtype: Any = None, device: Any = None) -> Any:  # type: ignore[override]
        """Numbers of the host as a tensor here, or on `device`."""
        return torch.tensor(data, dtype=dtype or self.dtype, device=device or self.device)

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(_places(index, self.device))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(_places(index, self.device), value)

    def __iter__(self) -> Iterator[torch.Tensor]:
        return iter(self.unbind(0))

    def __repr__(self) -> str:  # type: ignore[override]
        return f"StrictTensor({self.elements!r}, {_name(self.device)})"


class Pinned(torch.Tensor):
    """A value in host memory that hardware copies from by itself."""


class _Factories(Mode):  # type: ignore[no-untyped-call]
    """Lets kernels make tensors on strict GPUs: nothing else in torch could."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _run(func, args, kwargs or {})


class _Numbers(TorchFunctionMode):
    """Lets kernels make tensors of Python's numbers there, which torch does without dispatch."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.unravel_index and isinstance(args[0], StrictTensor):
            return _unraveled(args[0], *args[1:], **kwargs)
        device = kwargs.get("device")
        if func not in (torch.tensor, torch.as_tensor) or device is None:
            return func(*args, **kwargs)
        device = torch.device(device)
        if device.type != _TYPE or isinstance(args[0], torch.Tensor):
            return func(*args, **kwargs)
        return _from_host(func(*args, **{**kwargs, "device": None}), device)


def strict_kernel(kernel: Callable[..., Any], route: Any) -> Callable[..., Any]:
    """`kernel` as it runs on a strict GPU: what it waits for and mixes is told as this op's."""

    named = naming_kernel(kernel, route)

    def run(*values: Any, **attrs: Any) -> Any:
        with _Factories(), _Numbers():  # type: ignore[no-untyped-call]
            made = named(*values, **attrs)
        for each in made if isinstance(made, (tuple, list)) else (made,):
            # A number may be anywhere: hardware takes it along.
            if isinstance(each, torch.Tensor) and each.dim() and not isinstance(each, StrictTensor):
                raise InternalError(
                    None, None,
                    "The kernel left its result in the host's memory, where no kernel of a GPU "
                    "reaches it (strict virtual GPUs).",
                )  # fmt: skip
        return made

    return run


class StrictBackend(VirtualBackend):
    """Virtual GPUs in host memory, each of which is a memory of its own.

    Args:
        sizes: memory of each in bytes; None shares what the host has.
    """

    label = "strict"
    is_strict = True
    torch_type = _TYPE

    def __init__(self, sizes: Sequence[int | None]) -> None:
        super().__init__(sizes, None)
        self.on_host = False
        self.checks_late = True

    def torch_device(self, i: int) -> torch.device:
        """A place that no kernel of the host reaches."""
        return torch.device(_TYPE, i)

    def copy(self, value: torch.Tensor, i: int) -> torch.Tensor:
        """A new tensor in the memory of GPU `i`; the host waits for what it did not stage."""
        if isinstance(value, StrictTensor):
            if RECORDING.capture is not None and value.device == self.torch_device(i):
                return value.clone()
            refuse_while_recording("takes a copy from another GPU")
            return StrictTensor(value.elements.clone(), self.torch_device(i))
        refuse_while_recording(_REFUSED[FROM_HOST])
        if isinstance(value, Pinned):
            value = value.as_subclass(torch.Tensor)
        else:
            _waits_at(self.torch_device(i), FROM_HOST, _bytes(value))
        return StrictTensor(value.clone(), self.torch_device(i))

    def staged(self, value: torch.Tensor) -> torch.Tensor:
        """A copy in memory that hardware copies from by itself."""
        return value.clone().as_subclass(Pinned)

    def generator(self, i: int) -> torch.Generator:
        """Random numbers of GPU `i`."""
        return torch.Generator()

    def why_no_capture(self, i: int) -> str:
        """Nothing: they refuse in it what hardware refuses."""
        return ""

    def capture(self, i: int, generators: Sequence[torch.Generator]) -> Capture:
        """The operations of torch, to be run again."""
        return StrictCapture()


# Operations that may take tensors of several memories: they copy.
_COPIES = {"_to_copy", "copy_", "copy"}
# Operations whose places may come from the host, which copies them and waits.
_INDEXED = {"index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index"}
_IN_PLACE = {"copy_"}
_ON_LISTS = ("_foreach_", "_fused_", "_amp_foreach_")
# Operations that look at what a decomposition says of itself.
_READ = {"_linalg_check_errors"}
# Operations that take sizes of batches from the host, or leave them there, on hardware too.
_PACKS = "_pack_padded_sequence"
_PACKED = {_PACKS, "_pack_padded_sequence_backward", "_pad_packed_sequence", "lstm", "gru"}


def _run(func: Any, args: Any, kwargs: Any) -> Any:
    capture = RECORDING.capture
    if capture is None:
        return _run_now(func, args, kwargs)
    capture.before(func, args, kwargs)
    made = _run_now(func, args, kwargs)
    capture.after(func, args, kwargs, made)
    return made


def _run_now(func: Any, args: Any, kwargs: Any) -> Any:
    name = func._schema.name.rpartition("::")[2]
    tensors: list[torch.Tensor] = []
    real_args, real_kwargs = _reals(args, tensors), _reals(kwargs, tensors)
    strict = [x for x in tensors if isinstance(x, StrictTensor)]
    target = _target(kwargs.get("device"), strict)
    if strict:
        _check(name, strict, tensors, args)
        _tell(func, name, strict, target, tensors, kwargs)
    elif target is not None and tensors and name in _COPIES:
        _waits_at(target, FROM_HOST, sum(_bytes(x) for x in tensors))
    made = func(*real_args, **real_kwargs)
    if name in _IN_PLACE:
        return args[0]
    if name.endswith("_") and name.startswith(_ON_LISTS):  # torch counts the others' changes itself
        torch.autograd.graph.increment_version(strict)
    if target is None:
        return made
    if name == _PACKS:
        return StrictTensor(made[0], target), made[1]
    same = {id(x.elements): x for x in strict}
    if isinstance(made, torch.Tensor):
        return _wrapped(made, target, same)
    return tree_map(lambda x: _wrapped(x, target, same), made)


def _target(asked: Any, strict: list[StrictTensor]) -> torch.device | None:
    """The strict GPU that results are on; None for the host."""
    if asked is not None:
        device = torch.device(asked)
        return device if device.type == _TYPE else None
    return strict[0].device if strict else None


def _reals(x: Any, tensors: list[torch.Tensor]) -> Any:
    """The same arguments in the host's memory; notes all tensors among them.

    Arguments of torch's operations nest no deeper than lists, which torch's own walk over trees
    does not know: it takes three times as long.
    """
    if isinstance(x, torch.Tensor):
        tensors.append(x)
        return x.elements if isinstance(x, StrictTensor) else x
    if isinstance(x, (tuple, list)):
        return type(x)([_reals(each, tensors) for each in x])
    if isinstance(x, dict):
        return {name: _reals(each, tensors) for name, each in x.items()}
    if isinstance(x, torch.device) and x.type == _TYPE:
        return torch.device("cpu")
    return x


def _wrapped(x: Any, target: torch.device, same: dict[int, StrictTensor]) -> Any:
    if not isinstance(x, torch.Tensor) or isinstance(x, StrictTensor):
        return x
    if id(x) in same:  # changed in place
        return same[id(x)]
    if x._is_zerotensor():  # torch's zeros without memory, which only its own autograd understands
        x = torch.zeros(x.shape, dtype=x.dtype)
    return StrictTensor(x.resolve_conj().resolve_neg(), target)


def _check(name: str, strict: list[StrictTensor], tensors: list[Any], args: Any) -> None:
    """Refuses what mixes two memories; numbers of the host are handed over, as on hardware."""
    if name in _COPIES or name in _PACKED:
        return
    homes = {x.device for x in strict}
    if len(homes) > 1:
        names = " and ".join(sorted(_name(each) for each in homes))
        raise _refused(f"tensors of {names} at once")
    host = [x for x in tensors if not isinstance(x, StrictTensor) and x.dim()]
    if host and not (name in _INDEXED and isinstance(args[0], StrictTensor)):
        raise _refused(f"tensors of {_name(strict[0].device)} and of the host at once")


def _tell(
    func: Any,
    name: str,
    strict: list[StrictTensor],
    target: torch.device | None,
    tensors: list[Any],
    kwargs: Any,
) -> None:
    """Tells of waits: values that the host reads, sizes that it must know, copies both ways."""
    if WAITS.listener is None and RECORDING.capture is None:
        return
    if torch.Tag.data_dependent_output in func.tags or name in _READ:
        _waits(strict[0], READS, strict[0].element_size())
    elif _has_unknown_size(func, name, tensors, kwargs):
        _waits(strict[0], SIZES, sum(_bytes(x) for x in strict))
    elif name in _COPIES and (target is None or (name in _IN_PLACE and not _is_strict(tensors[0]))):
        _waits(strict[-1], READS, _bytes(strict[-1]))
    elif name in _IN_PLACE and not _is_strict(tensors[1]) and tensors[1].dim():
        _waits(strict[0], FROM_HOST, _bytes(tensors[1]))
    elif name in _INDEXED and not all(map(_is_strict, tensors)):
        _waits(strict[0], FROM_HOST, sum(_bytes(x) for x in tensors if not _is_strict(x)))


def _has_unknown_size(func: Any, name: str, tensors: list[Any], kwargs: Any) -> bool:
    """Whether how large the result is must be counted first."""
    if name in _INDEXED:  # torch says so of places given as numbers too
        places = tensors[1:-1] if "put" in name else tensors[1:]
        return any(x.dtype in (torch.bool, torch.uint8) for x in places)
    if kwargs.get("output_size") is not None:
        return False
    return torch.Tag.dynamic_output_shape in func.tags


def _places(index: Any, device: torch.device) -> Any:
    """An index whose lists of numbers are tensors of this memory: torch copies them there."""
    if isinstance(index, tuple):
        return tuple(_places(each, device) for each in index)
    if not isinstance(index, list):
        return index
    numbers = torch.tensor(index) if index else torch.tensor([], dtype=torch.int64)
    return _from_host(numbers, device)


def _from_host(numbers: torch.Tensor, device: torch.device) -> StrictTensor:
    """Numbers that torch brings from pageable memory, for which the host waits."""
    _waits_at(device, FROM_HOST, _bytes(numbers))
    return StrictTensor(numbers, device)


def _unraveled(places: StrictTensor, shape: Any) -> tuple[StrictTensor, ...]:
    """Torch makes a tensor of the shape's sizes for this, out of the reach of modes."""
    _waits_at(places.device, FROM_HOST, 8 * len(shape))
    made = torch.unravel_index(places.elements, shape)
    return tuple(StrictTensor(each, places.device) for each in made)


def _is_strict(x: Any) -> bool:
    return isinstance(x, StrictTensor)


def _waits(x: StrictTensor, what: str, nbytes: int) -> None:
    _waits_at(x.device, what, nbytes)


def _waits_at(device: torch.device, what: str, nbytes: int) -> None:
    refuse_while_recording(_REFUSED[what])
    if WAITS.listener is not None:
        WAITS.listener(Wait(device.index, CURRENT.route, what, nbytes))


def _bytes(x: torch.Tensor) -> int:
    return x.numel() * x.element_size()


def _name(device: torch.device) -> str:
    return f"GPU:{device.index}"


def _refused(what: str) -> InternalError:
    return InternalError(
        None, None,
        f"A kernel reads {what}, which hardware cannot (strict virtual GPUs). Copy first, or run "
        "the op where its inputs are.",
    )  # fmt: skip
