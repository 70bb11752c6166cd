"""CUDA graphs: kernels of one GPU, launched by one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .backend import Capture


class CudaCapture(Capture):
    """A CUDA graph with a memory pool of its own.

    It is recorded in a queue of its own, in which the first calls run already: cuBLAS and cuDNN
    keep work memory per queue, and choose their kernels when they are called first.
    """

    def __init__(self, device: torch.device, generators: Sequence[torch.Generator]) -> None:
        self._device = device
        self._queue = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self._graph = torch.cuda.CUDAGraph()
        self._generators = list(generators)

    def warm_up(self, run: Callable[[], Any]) -> Any:
        """Runs it in this queue, after and before what the program does in its own."""
        current = torch.cuda.current_stream(self._device)
        self._queue.wait_stream(current)
        with torch.cuda.stream(self._queue):
            made = run()
        current.wait_stream(self._queue)
        for each in made if isinstance(made, (list, tuple)) else (made,):
            if isinstance(each, torch.Tensor) and each.is_cuda:
                each.record_stream(current)  # it was allocated for the other queue
        return made

    def record(self, run: Callable[[], Any]) -> Any:
        """Records it. Torch gives its unused memory to the driver first, for the graph's own pool
        takes fresh memory. Other threads may use the GPU meanwhile.
        """
        for generator in self._generators:
            self._graph.register_generator_state(generator)
        with torch.cuda.graph(
            self._graph, stream=self._queue, capture_error_mode="thread_local"
        ):  # fmt: skip
            return run()

    def replay(self) -> None:
        """Launches the graph in the program's queue."""
        with torch.cuda.device(self._device):
            self._graph.replay()
