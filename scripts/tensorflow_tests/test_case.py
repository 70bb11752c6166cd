"""TensorFlow's test case, as far as its tests use it, over the public API."""

from __future__ import annotations

import contextlib
import os
import random
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import emplace.tensorflow as tf

from .comparisons import Comparisons
from .marks import SEED

_v1 = tf.compat.v1
_READY = (str, bytes, int, float, np.ndarray, np.generic)
_JOIN_SECONDS = 25
_folders: list[str] = []


def get_temp_dir() -> str:
    """A folder of this process."""
    if not _folders:
        _folders.append(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
    return _folders[0]


class EagerSession:
    """What a test in eager mode gets for a session: `run` evaluates."""

    def __init__(self, test: Any) -> None:
        self._test = test

    def run(self, fetches: Any, *_: Any, **__: Any) -> Any:
        return self._test.evaluate(fetches)


class CheckedThread:
    """A thread whose errors are the test's."""

    def __init__(
        self,
        test: Any,
        target: Callable[..., Any],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        self.error: Exception | None = None
        self._test = test

        def run() -> None:
            try:
                target(*args, **(kwargs or {}))
            except Exception as error:
                self.error = error

        self._thread = threading.Thread(target=run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._thread.join(_JOIN_SECONDS)
        if self._thread.is_alive():
            self._test.fail("thread hangs")
        if self.error is not None:
            self._test.fail(f"Error in checkedThread: {self.error!r}")

    def check_termination(self) -> None:
        self.join()


class CapturedWrites:
    """What was written to a stream."""

    def __init__(self, name: str) -> None:
        self._name = name

    def contents(self) -> str:
        return Path(self._name).read_text(errors="replace")


@contextlib.contextmanager
def _placed(session: Any, use_gpu: bool, force_gpu: bool) -> Iterator[Any]:
    """A session and its graph as the default ones."""
    with session.graph.as_default(), session.as_default():
        if force_gpu:
            with session.graph.device("/device:GPU:0"):
                yield session
        elif use_gpu:
            yield session
        else:
            with session.graph.device("/device:CPU:0"):
                yield session


def _softly(config: Any, force_gpu: bool) -> Any:
    """The settings of a session whose test does not say any: ops without a kernel for GPUs run
    elsewhere, unless the test wants them on a GPU.
    """
    return _v1.ConfigProto(allow_soft_placement=not force_gpu) if config is None else config


class TensorFlowTestCase(Comparisons):
    """Sessions, values, threads and streams."""

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._tempdir: str | None = None
        self._cached_session: Any = None
        self._threads: list[Any] = []

    def setUp(self) -> None:
        super().setUp()
        self._cached_session = None
        random.seed(SEED)
        np.random.seed(SEED)
        with contextlib.suppress(AssertionError):  # in a graph of its own it has nothing to forget
            _v1.reset_default_graph()
        _v1.set_random_seed(SEED)
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    def tearDown(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None
        super().tearDown()

    def _ClearCachedSession(self) -> None:
        self._cached_session = None

    def get_temp_dir(self) -> str:
        if not self._tempdir:
            self._tempdir = tempfile.mkdtemp(dir=get_temp_dir())
        return self._tempdir

    @contextlib.contextmanager
    def session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        if tf.executing_eagerly():
            yield EagerSession(self)
            return
        with (
            _v1.Session(graph=graph, config=_softly(config, force_gpu)) as session,
            _placed(session, use_gpu, force_gpu) as placed,
        ):
            yield placed

    @contextlib.contextmanager
    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Iterator[Any]:
        if tf.executing_eagerly():
            yield EagerSession(self)
            return
        if self._cached_session is None:
            config = _softly(config, force_gpu)
            self._cached_session = _v1.Session(graph=graph, config=config)
        with _placed(self._cached_session, use_gpu, force_gpu) as placed:
            yield placed

    def test_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Any:
        if graph is None:
            return self.cached_session(None, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)

    def _eval_tensor(self, tensor: Any) -> Any:
        if tensor is None or isinstance(tensor, _READY):
            return tensor
        if isinstance(tensor, tf.SparseTensor):
            parts = (tensor.indices, tensor.values, tensor.dense_shape)
            return _v1.SparseTensorValue(*[part.numpy() for part in parts])
        if isinstance(tensor, tf.RaggedTensor):
            return _v1.ragged.RaggedTensorValue(
                self._eval_tensor(tensor.values), self._eval_tensor(tensor.row_splits)
            )
        if isinstance(tensor, tf.IndexedSlices):
            parts = (tensor.values, tensor.indices, tensor.dense_shape)
            return _v1.IndexedSlicesValue(*[self._eval_tensor(part) for part in parts])
        if hasattr(tensor, "numpy"):
            return tensor.numpy()
        if callable(tensor):
            return self._eval(tensor())
        raise ValueError(f"Unsupported type {type(tensor)}.")

    def _eval(self, tensors: Any) -> Any:
        if isinstance(tensors, dict):
            values = {key: self._eval(each) for key, each in tensors.items()}
            return values if hasattr(tensors, "default_factory") else type(tensors)(values)
        is_sparse = isinstance(tensors, tf.SparseTensor)
        if isinstance(tensors, tuple) and hasattr(tensors, "_fields") and not is_sparse:
            return type(tensors)(*[self._eval(each) for each in tensors])
        if isinstance(tensors, list | tuple):
            return type(tensors)(self._eval(each) for each in tensors)
        if hasattr(tensors, "__tf_flatten__"):
            metadata, parts = tensors.__tf_flatten__()
            return tensors.__tf_unflatten__(metadata, tuple(map(self._eval, parts)))
        return self._eval_tensor(tensors)

    def evaluate(self, tensors: Any) -> Any:
        """The values of tensors, by the default session or at once."""
        if tf.executing_eagerly():
            return self._eval(tensors)
        session = _v1.get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as session:
            return session.run(tensors)

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> CheckedThread:
        return CheckedThread(self, target, args or (), kwargs)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: BinaryIO) -> Iterator[CapturedWrites]:
        number = stream.fileno()
        saved = os.dup(number)
        with tempfile.NamedTemporaryFile(dir=self.get_temp_dir(), delete=False) as file:
            os.dup2(file.fileno(), number)
            try:
                yield CapturedWrites(file.name)
            finally:
                os.dup2(saved, number)
                os.close(saved)
