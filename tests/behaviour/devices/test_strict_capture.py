"""Graphs of strict virtual GPUs refuse what CUDA's refuse, and replay on the same memory."""

from __future__ import annotations

import pytest
import torch

from emplace.base.errors import InternalError
from emplace.devices.strict import StrictBackend, StrictTensor, strict_kernel
from emplace.devices.strict_capture import StrictCapture


def on_gpu(values: list[float]) -> StrictTensor:
    return StrictBackend([None]).copy(torch.tensor(values), 0)


def test_what_is_recorded_happens_only_when_it_is_replayed() -> None:
    x, total = on_gpu([1.0, 2.0]), on_gpu([0.0, 0.0])
    capture = StrictCapture()

    def run():
        total.add_(x * 3.0)
        return total + 1.0

    made = capture.record(run)
    assert total.tolist() == [0.0, 0.0]
    assert str(made.tolist()) == "[nan, nan]"
    capture.replay()
    assert total.tolist() == [3.0, 6.0]
    assert made.tolist() == [4.0, 7.0]
    x.fill_(1.0)
    capture.replay()
    assert total.tolist() == [6.0, 9.0]
    assert made.tolist() == [7.0, 10.0]


def test_parts_of_memory_that_was_there_before_are_put_back_too() -> None:
    x = on_gpu([1.0, 2.0, 3.0])
    capture = StrictCapture()
    capture.record(lambda: x[1:].mul_(2.0))
    assert x.tolist() == [1.0, 2.0, 3.0]
    capture.replay()
    assert x.tolist() == [1.0, 4.0, 6.0]


@pytest.mark.parametrize(
    ("run", "what"),
    [
        (lambda x: x.sum().item(), "is read by the host"),
        (lambda x: x.tolist(), "is read by the host"),
        (lambda x: x.cpu(), "is read by the host"),
        (lambda x: x[x > 1.0], "is waited for: a size depends on values"),
        (lambda x: torch.nonzero(x), "is waited for: a size depends on values"),
        (lambda x: StrictBackend([None]).copy(torch.ones(2), 0), "takes a copy from the host"),
        (
            lambda x: strict_kernel(lambda x: x + torch.tensor([1.0, 2.0], device=x.device), None)(
                x
            ),
            "takes a copy from the host",
        ),
    ],
)
def test_waits_and_copies_from_the_host_are_refused_while_work_is_recorded(run, what) -> None:
    x = on_gpu([1.0, 2.0])

    def changes_and_waits():
        x.add_(1.0)
        return run(x)

    text = f"While a graph is recorded .* and the GPU {what}"
    with pytest.raises(InternalError, match=text):
        StrictCapture().record(changes_and_waits)
    assert x.tolist() == [1.0, 2.0]


def test_random_numbers_go_on_in_each_replay() -> None:
    generator = torch.Generator()
    draw = strict_kernel(
        lambda x: torch.rand(3, generator=generator, device=x.device), None
    )  # fmt: skip
    capture = StrictCapture()
    made = capture.record(lambda: draw(on_gpu_zero))
    seen = []
    for _ in range(3):
        capture.replay()
        seen.append(tuple(made.tolist()))
    assert len(set(seen)) == 3


on_gpu_zero = on_gpu([0.0])
