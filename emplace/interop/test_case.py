"""`tf.test.TestCase`: assertions about tensors, in eager mode and in sessions."""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock as mock

import numpy as np
from absl.testing import absltest

from ..base import nest
from ..base.typing import Structure
from ..core.context import device, executing_eagerly
from ..core.ragged import RaggedTensor
from ..graph.recording.default import get_default_graph, reset_default_graph
from ..graph.representation.default_graph import as_default
from ..graph.representation.graph import Graph
from ..graph.session.session import Session, get_default_session
from ..graph.session.values.composites import IndexedSlicesValue, RaggedTensorValue
from ..ops.extension.types import ExtensionType
from ..ops.random.stateful import set_seed
from ..ops.sparse.tensor import SparseTensor, SparseTensorValue
from ..ops.variables.indexed_slices import IndexedSlices
from .test_assertions import TensorAssertions

_SEED = 87654321  # TF: what its tests begin with


class TensorFlowTestCase(TensorAssertions):
    """A test case with assertions about tensors (`tf.test.TestCase`).

    Each test begins with the same random numbers and, where graphs take ops, an empty graph.
    """

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803  # unittest's name
        super().__init__(methodName)
        self._cached: Any = None
        self._threads: list[Any] = []

    def setUp(self) -> None:
        """Seeds the generators and empties the default graph."""
        super().setUp()
        random.seed(_SEED)
        np.random.seed(_SEED)
        if not executing_eagerly():
            reset_default_graph()
        set_seed(_SEED)

    def tearDown(self) -> None:
        """Closes the session that the test has used, and fails if a thread of it goes on."""
        for thread in self._threads:
            thread.check_termination()
        self._threads = []
        if self._cached is not None:
            self._cached[0].close()
            self._cached = None
        super().tearDown()

    def get_temp_dir(self) -> str:
        """A folder of this test's own, which exists."""
        found: str | None = self.__dict__.get("_tempdir")
        if found is None:
            found = self.__dict__["_tempdir"] = tempfile.mkdtemp(dir=get_temp_dir())
        return found

    def evaluate(self, tensors: Structure) -> Any:
        """The values of a nested structure of tensors, as arrays."""
        if executing_eagerly():
            return self._values(tensors)
        session = get_default_session()
        if session is not None:
            return session.run(tensors)
        with self.test_session() as opened:
            return opened.run(tensors)

    def _values(self, tensors: Structure) -> Any:
        if isinstance(tensors, SparseTensor):
            return SparseTensorValue(*[part.numpy() for part in tensors.components()])
        if isinstance(tensors, RaggedTensor):
            return RaggedTensorValue(self._values(tensors.values), tensors.row_splits.numpy())
        if isinstance(tensors, IndexedSlices):
            return IndexedSlicesValue(
                *map(self._value, (tensors.values, tensors.indices, tensors.dense_shape))
            )
        if isinstance(tensors, ExtensionType):
            return nest.map_structure(self._value, tensors, expand_composites=True)
        if isinstance(tensors, Mapping) or (nest.is_nested(tensors) and tensors is not None):
            return nest.map_structure(self._value, tensors)
        return self._value(tensors)

    def _value(self, tensor: Any) -> Any:
        if tensor is None:
            return None
        if isinstance(tensor, (SparseTensor, RaggedTensor, IndexedSlices, ExtensionType)):
            return self._values(tensor)
        if callable(tensor) and not hasattr(tensor, "numpy"):
            return self._values(tensor())
        if not hasattr(tensor, "numpy"):
            raise ValueError(f"Unsupported type {type(tensor).__name__!r}.")
        return tensor.numpy()

    @contextmanager
    def session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Opens a scope with a session of its own; in eager mode there is none.

        Args:
            graph: its graph; the default one if None.
            config: as a session takes it.
            use_gpu: False puts all ops on the CPU.
            force_gpu: True puts them on the first GPU.
        """
        if executing_eagerly():
            yield _NoSession()
            return
        with Session(graph=graph, config=config) as opened, _on(opened, use_gpu, force_gpu):
            yield opened

    @contextmanager
    def cached_session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """Opens a scope with a session that the whole test shares.

        Args:
            graph: as `session`.
            config: as `session`.
            use_gpu: as `session`.
            force_gpu: as `session`.
        """
        if executing_eagerly():
            yield _EagerSession(self)
            return
        wanted = graph or get_default_graph()
        if self._cached is not None and self._cached[1] is not wanted:
            raise ValueError(
                "The graph used to get the cached session is different than the one that was used "
                "to create the session. Maybe create a new session with self.session()"
            )
        if self._cached is None:
            self._cached = (Session(graph=graph, config=config), wanted)
        opened = self._cached[0]
        with as_default(wanted), opened.as_default(), _on(opened, use_gpu, force_gpu):
            yield opened

    def test_session(
        self,
        graph: Graph | None = None,
        config: object = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Any:
        """Returns the scope `cached_session` for the default graph, `session` for another one.

        Args:
            graph: as `session`.
            config: as `session`.
            use_gpu: as `session`.
            force_gpu: as `session`.
        """
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        kind = self.cached_session if graph is None else self.session
        return kind(graph, config, use_gpu, force_gpu)

    def checkedThread(  # noqa: N802
        self,
        target: Callable[..., Any],
        args: Sequence[object] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Makes a thread whose errors the test sees when it joins it.

        Args:
            target: the function that it runs.
            args: its arguments.
            kwargs: its arguments by name.
        """
        made = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(made)
        return made


class _EagerSession:
    """What `cached_session` gives in eager mode: its `run` evaluates."""

    def __init__(self, case: Any) -> None:
        self._case = case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        if "feed_dict" in kwargs:
            raise RuntimeError(
                "feed_dict is not supported when eager execution is enabled (in this case, "
                "sess.run(t) is shorthand for t.numpy()"
            )
        if args or kwargs:
            raise RuntimeError(
                "Optional args are not supported when eager execution is enabled (in this case, "
                "sess.run(t) is shorthand for t.numpy()"
            )
        return self._case.evaluate(fetches)


class _NoSession:
    """What `session` gives in eager mode: it has nothing."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "Trying to access properties or call methods on the result of self.session(), "
            "self.cached_session(), etc while eager execution is enabled. If you're porting this "
            "test case to TF 2.0, either adapt the test to work with eager execution or insert a "
            "call to tf.disable_eager_execution() in the main() function of this test file."
        )


@contextmanager
def _on(session: Any, use_gpu: bool, force_gpu: bool) -> Iterator[None]:
    graph: Graph = session.graph
    if force_gpu:
        with graph.device("/device:GPU:0"):
            yield
    elif use_gpu:
        yield
    else:
        with graph.device("/device:CPU:0"):
            yield


class _CheckedThread:
    """A thread that keeps the error of what it runs."""

    def __init__(
        self, case: Any, target: Callable[..., Any], args: Sequence[object], kwargs: dict[str, Any]
    ) -> None:
        self._case, self._error = case, None
        self._ended = False

        def run() -> None:
            try:
                target(*args, **kwargs)
            except Exception as error:  # whatever it is, the test shows it
                self._error = error

        self._thread = threading.Thread(target=run)

    def start(self) -> None:
        """Starts it."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end, and fails the test if it has failed."""
        self._ended = True
        self._thread.join()
        if self._error is not None:
            self._case.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Whether it runs."""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test if it runs on, or was not joined."""
        if self._ended:
            if self.is_alive():
                self._case.fail("A checked thread was not joined.")
            return
        if self.is_alive():
            self._case.fail("A checked thread was not joined.")


def get_temp_dir() -> str:
    """Returns a folder for files of tests, which exists (`tf.compat.v1.test.get_temp_dir`)."""
    folder: str = absltest.get_default_test_tmpdir()
    os.makedirs(folder, exist_ok=True)
    return folder


def main(argv: list[str] | None = None) -> None:
    """Runs all tests of the program (`tf.test.main`)."""
    absltest.main(argv=argv if argv is not None else sys.argv)


def force_cpu() -> Any:
    """Returns a scope on the CPU."""
    return device("/device:CPU:0")
