"""What every backend must do, on every backend this machine has; what an absent one must say."""

from __future__ import annotations

import pytest
import torch

from emplace.devices.backend import Backend
from emplace.devices.cpu import CpuBackend
from emplace.devices.cuda import CudaBackend
from emplace.devices.mps import MpsBackend
from emplace.devices.strict import StrictBackend
from emplace.devices.virtual import VirtualBackend

MB = 1 << 20

REAL: dict[str, Backend] = {"cuda": CudaBackend(), "mps": MpsBackend()}
PRESENT: dict[str, Backend] = {
    "cpu": CpuBackend(),
    "virtual": VirtualBackend([64 * MB, None, None], real=None),
    "strict": StrictBackend([64 * MB, None]),
    **{name: backend for name, backend in REAL.items() if backend.count()},
}
for _name, _backend in REAL.items():
    if _backend.count():
        PRESENT[f"virtual over {_name}"] = VirtualBackend([64 * MB, 64 * MB], real=_backend)
ABSENT = {name: backend for name, backend in REAL.items() if not backend.count()}

DTYPES = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64,
    torch.complex128, torch.bool, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64,
    torch.uint16, torch.uint32, torch.uint64, torch.float8_e4m3fn, torch.float8_e5m2,
)  # fmt: skip

SOURCES = {
    "a matrix": lambda: torch.arange(12.0).reshape(3, 4),
    "a scalar": lambda: torch.tensor(3.5),
    "nothing": lambda: torch.empty(0, 4),
    "a transposed view": lambda: torch.arange(12.0).reshape(3, 4).t(),
    "every other column": lambda: torch.arange(12.0).reshape(3, 4)[:, ::2],
    "a part of a larger storage": lambda: torch.arange(12.0)[3:7],
    "a stretched scalar": lambda: torch.tensor(2.0).expand(3, 4),
    "a lazily conjugated view": lambda: torch.tensor([1 + 2j, 3 - 1j]).conj(),
}

each_backend = pytest.mark.parametrize("backend", PRESENT.values(), ids=PRESENT.keys())


def devices(backend: Backend) -> range:
    return range(backend.count())


@each_backend
def test_it_counts_devices_and_has_no_excuse(backend: Backend) -> None:
    assert backend.count() > 0
    assert backend.why_unavailable() == ""


@each_backend
def test_it_has_a_type_and_a_label_for_tables(backend: Backend) -> None:
    assert backend.device_type in ("CPU", "GPU")
    assert backend.label == backend.label.lower() != ""


@each_backend
def test_it_describes_every_device(backend: Backend) -> None:
    for i in devices(backend):
        hardware = backend.describe(i)
        assert hardware.name
        assert hardware.memory_bytes is None or hardware.memory_bytes > 0
        if backend.device_type == "GPU":
            assert hardware.details["device_name"]
            assert hardware.memory_bytes is not None


@each_backend
def test_memory_is_free_or_used_but_never_more_than_there_is(backend: Backend) -> None:
    for i in devices(backend):
        free, total = backend.memory_info(i)
        assert 0 <= free <= total
        assert total > 0


@each_backend
def test_a_default_limit_is_positive_and_at_most_the_memory(backend: Backend) -> None:
    for i in devices(backend):
        limit = backend.default_limit(i)
        assert limit is None or 0 < limit <= backend.memory_info(i)[1]


@each_backend
def test_copies_arrive_on_the_torch_device_it_names(backend: Backend) -> None:
    for i in devices(backend):
        assert backend.copy(torch.ones(2), i).device == backend.torch_device(i)


@each_backend
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_a_copy_has_equal_values_and_memory_of_its_own(backend: Backend, source: object) -> None:
    value = source()  # type: ignore[operator]
    for i in devices(backend):
        copied = backend.copy(value, i)
        assert copied.shape == value.shape
        assert copied.dtype == value.dtype
        assert torch.equal(copied.cpu(), value)
        assert copied.untyped_storage()._cdata != value.untyped_storage()._cdata


@each_backend
def test_a_copy_of_what_is_there_already_is_a_copy_too(backend: Backend) -> None:
    for i in devices(backend):
        there = backend.copy(torch.zeros(4), i)
        again = backend.copy(there, i)
        there.fill_(1)
        assert again.cpu().tolist() == [0, 0, 0, 0]


@each_backend
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES.keys())
def test_a_staged_value_may_change_and_be_let_go_once_it_is_copied(
    backend: Backend, source: object
) -> None:
    value = source().clone()  # type: ignore[operator]
    expected = value.clone()
    for i in devices(backend):
        copied = backend.copy(backend.staged(value), i)
        value.zero_()
        assert torch.equal(copied.cpu(), expected)
        value.copy_(expected)


@each_backend
def test_a_copy_takes_no_more_memory_than_its_elements(backend: Backend) -> None:
    for value in (torch.tensor(2.0).expand(100, 100), torch.zeros(1000)[:10]):
        copied = backend.copy(value, 0)
        assert copied.untyped_storage().nbytes() == value.numel() * 4


@each_backend
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_is_copied_bit_by_bit(backend: Backend, dtype: torch.dtype) -> None:
    if dtype in backend.lacks:
        return
    value = torch.tensor([0, 1, 2, 3]).to(dtype)
    copied = backend.copy(value, backend.count() - 1)
    assert copied.dtype == dtype
    assert copied.cpu().view(torch.uint8).tolist() == value.view(torch.uint8).tolist()


@each_backend
def test_values_can_come_back_after_synchronizing(backend: Backend) -> None:
    for i in devices(backend):
        value = backend.copy(torch.arange(1000.0), i) * 2
        backend.synchronize(i)
        assert float(value.sum()) == 999000.0


@each_backend
def test_opening_a_device_changes_no_values(backend: Backend) -> None:
    before = backend.copy(torch.arange(4.0), 0)
    backend.open(0, 0, None)
    backend.open(0, 0, 4 * MB)
    assert before.cpu().tolist() == [0, 1, 2, 3]


@each_backend
def test_releasing_memory_spares_living_tensors(backend: Backend) -> None:
    kept = backend.copy(torch.arange(4.0), 0)
    backend.release()
    assert kept.cpu().tolist() == [0, 1, 2, 3]


@each_backend
def test_an_allocator_that_counts_starts_its_peak_again(backend: Backend) -> None:
    if backend.allocator_peak(0) is None:
        backend.reset_allocator_peak(0)
        return
    big = backend.copy(torch.zeros(MB), 0)
    del big
    backend.reset_allocator_peak(0)
    current, peak = backend.allocator_peak(0) or (0, 0)
    assert current <= peak < current + 4 * MB


@pytest.mark.parametrize("backend", ABSENT.values(), ids=ABSENT.keys())
def test_an_absent_backend_counts_nothing_and_says_what_to_do(backend: Backend) -> None:
    assert backend.count() == 0
    assert backend.why_unavailable().endswith(".")
    assert len(backend.why_unavailable().split()) > 4


@pytest.mark.parametrize("backend", REAL.values(), ids=REAL.keys())
def test_a_missing_backend_does_nothing_when_asked_to_release(backend: Backend) -> None:
    backend.release()


def test_a_hidden_gpu_is_named_as_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    assert CudaBackend().why_unavailable() == (
        "CUDA_VISIBLE_DEVICES='-1' hides every GPU. Unset it, or name GPUs: '0,1'."
    )


def test_a_build_without_cuda_is_named_as_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert "was built without CUDA or ROCm" in CudaBackend().why_unavailable()


def test_virtual_gpus_share_host_memory_where_no_size_is_given() -> None:
    backend = PRESENT["virtual"]
    total = backend.memory_info(0)[1]
    assert backend.default_limit(0) == 64 * MB
    assert backend.default_limit(1) == backend.default_limit(2) == total // 3


# Recorded work

CAPTURING = {**PRESENT, "strict": StrictBackend([64 * MB])}


@pytest.mark.parametrize("backend", CAPTURING.values(), ids=CAPTURING.keys())
def test_it_repeats_recorded_work_or_says_why_not(backend: Backend) -> None:
    why = backend.why_no_capture(0)
    if why:
        with pytest.raises(NotImplementedError, match=why):
            backend.capture(0, [])
        return
    x, total = (backend.copy(torch.tensor(value), 0) for value in ([1.0, 2.0], [0.0, 0.0]))
    capture = backend.capture(0, [])

    def run() -> torch.Tensor:
        total.add_(x)
        return total * 10.0

    assert capture.warm_up(run).tolist() == [10.0, 20.0]
    made = capture.record(run)
    assert total.tolist() == [1.0, 2.0]
    for i in range(2, 5):
        capture.replay()
        assert made.tolist() == [10.0 * i, 20.0 * i]
    x.fill_(1.0)
    capture.replay()
    assert total.tolist() == [5.0, 9.0]
