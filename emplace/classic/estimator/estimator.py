"""`tf.estimator.Estimator`: builds a graph for each call, and runs it in a monitored session."""

from __future__ import annotations

import copy
import inspect
import itertools
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary

from ...base.errors import OutOfRangeError
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...data.dataset.dataset import Dataset
from ...data.library.v1 import make_initializable_iterator
from ...distribute.strategies.strategy import Strategy
from ...graph.recording.grouping import group
from ...graph.representation.graph import Graph
from ...graph.session.config import message
from ...state.checkpoint_state import latest_checkpoint, list_variables, load_variable
from ...state.saver import Saver
from ...state.warm_start import init_from_checkpoint
from ...summary.file_writer import FileWriterCache
from ...summary.ops import scalar
from ...training.global_step import create_global_step, get_global_step
from ..models.metrics.means import mean
from ..monitored.creators import ChiefSessionCreator
from ..monitored.hooks import LoggingTensorHook, NanTensorHook, StopAtStepHook
from ..monitored.run_hooks import SessionRunHook
from ..monitored.saving_hooks import CheckpointSaverHook
from ..monitored.scaffold import Scaffold
from ..monitored.sessions import MonitoredSession, MonitoredTrainingSession
from ..scopes import messages as logging
from ..scopes.collections import GraphKeys, add_to_collection, get_collection
from ..scopes.seeds import set_random_seed
from . import replicas
from .spec import EstimatorSpec, ModeKeys, ModelSpec, RunConfig


class Estimator:
    """Trains, evaluates and uses a model (`tf.estimator.Estimator`).

    Each call builds a graph of its own; between calls the model is in checkpoints.

    Args:
        model_fn: takes `features`, `labels`, and, if it wants, `mode`, `params` and `config`;
            returns an `EstimatorSpec`.
        model_dir: the folder of checkpoints and summaries; a new one if neither this nor `config`
            says one.
        config: a `RunConfig`.
        params: what the model function is given as `params`.
        warm_start_from: a checkpoint, or a folder of some, whose values of trainable variables
            are the first ones.

    Raises:
        ValueError: the model function lacks `features`, or two folders are given.
    """

    def __init__(
        self, model_fn: Callable[..., Any], model_dir: Any = None, config: RunConfig | None = None,
        params: Any = None, warm_start_from: Any = None,
    ) -> None:  # fmt: skip
        config = config or RunConfig()
        folders = [os.fspath(each) for each in (model_dir, config.model_dir) if each]
        if len(set(folders)) > 1:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with different "
                f"values. In constructor: '{folders[0]}', in `RunConfig`: '{folders[1]}' "
            )
        if not folders:
            folders = [tempfile.mkdtemp()]
            logging.warning(f"Using temporary folder as model directory: {folders[0]}")
        names = _names(model_fn)
        if "features" not in names:
            raise ValueError(f"model_fn ({model_fn}) must include features argument.")
        if params is not None and "params" not in names:
            raise ValueError(
                f"model_fn ({model_fn}) does not include params argument, but params ({params}) is "
                "passed to Estimator."
            )
        self._model_fn = model_fn
        self._config = config.replace(model_dir=folders[0])
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = warm_start_from

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        folder: str = self._config.model_dir
        return folder

    @property
    def config(self) -> RunConfig:
        """How it runs."""
        return copy.copy(self._config)

    @property
    def params(self) -> Any:
        """What the model function is given."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., Any]:
        """The model function, for `features`, `labels`, `mode` and `config`."""
        return lambda features, labels, mode, config: self._called(features, labels, mode, config)

    def latest_checkpoint(self) -> str | None:
        """The latest checkpoint; None if there is none."""
        return latest_checkpoint(self.model_dir)

    def get_variable_names(self) -> list[str]:
        """The names of all values of the latest checkpoint.

        Raises:
            ValueError: it has not been trained.
        """
        return [name for name, _ in list_variables(self._trained())]

    def get_variable_value(self, name: str) -> Any:
        """One value of the latest checkpoint, as an array.

        Raises:
            ValueError: it has not been trained.
            NotFoundError: there is no such value.
        """
        return load_variable(self._trained(), name)

    def eval_dir(self, name: str | None = None) -> str:
        """The folder of the summaries of evaluations."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def _trained(self) -> str:
        found = self.latest_checkpoint()
        if found is None:
            raise ValueError(f"Estimator has not been trained yet: {self.model_dir} is empty.")
        return found

    # -- training -------------------------------------------------------------------------------

    def train(
        self, input_fn: Callable[..., Any], hooks: Sequence[SessionRunHook] | None = None,
        steps: int | None = None, max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Estimator:  # fmt: skip
        """Trains, from the latest checkpoint on.

        Args:
            input_fn: returns features, or (features, labels): tensors or dictionaries of some.
            hooks: more hooks.
            steps: how many steps; until the input ends if both are None.
            max_steps: after how many steps in all to stop.
            saving_listeners: `CheckpointSaverListener`s.

        Returns:
            Itself.

        Raises:
            ValueError: both numbers are given, or one is not positive.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for what, value in (("steps", steps), ("max_steps", max_steps)):
            if value is not None and value <= 0:
                raise ValueError(f"Must specify {what} > 0, given: {value}")
        path = self.latest_checkpoint()
        done = 0 if path is None else load_variable(path, GraphKeys.GLOBAL_STEP)
        if max_steps is not None and done >= max_steps:
            logging.info("Skipping training since max_steps has already saved.")
            return self
        all_hooks = list(hooks or ())
        if steps is not None or max_steps is not None:
            all_hooks.append(StopAtStepHook(steps, max_steps))
        strategy = self._config.train_distribute
        hooks_and_listeners = all_hooks, list(saving_listeners or ())
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            if strategy is None:
                self._train(self._built(input_fn, ModeKeys.TRAIN), *hooks_and_listeners)
                return self
            with replicas.replicas_of(strategy):
                model = self._on_replicas(strategy, input_fn, ModeKeys.TRAIN)
                self._train(replicas.trained(strategy, model), *hooks_and_listeners)
        return self

    def _train(
        self, spec: EstimatorSpec, hooks: list[SessionRunHook], listeners: list[Any]
    ) -> None:
        if self._warm_start_from is not None:
            init_from_checkpoint(self._warm_start_from, _trainables())
        config = self._config
        if "loss" not in [summary.op.name for summary in get_collection(GraphKeys.SUMMARIES)]:
            scalar("loss", spec.loss)
        hooks = [NanTensorHook(spec.loss), *hooks, *spec.training_hooks]
        if config.log_step_count_steps:
            shown = {"loss": spec.loss, "step": get_global_step()}
            hooks.append(LoggingTensorHook(shown, config.log_step_count_steps))
        scaffold = self._scaffold(spec)
        steps, secs = config.save_checkpoints_steps, config.save_checkpoints_secs
        chief_hooks = list(spec.training_chief_hooks)
        if steps or secs:
            chief_hooks.append(
                CheckpointSaverHook(
                    self.model_dir, secs, steps, scaffold=scaffold, listeners=listeners
                )
            )
        loss = None
        with MonitoredTrainingSession(
            checkpoint_dir=self.model_dir, scaffold=scaffold, hooks=hooks,
            chief_only_hooks=chief_hooks, save_checkpoint_secs=0,
            save_summaries_steps=config.save_summary_steps, config=self._session_config(),
            log_step_count_steps=config.log_step_count_steps,
        ) as session:  # fmt: skip
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
        logging.info(f"Loss for final step: {loss}.")

    def _scaffold(self, spec: EstimatorSpec) -> Scaffold:
        """The model's scaffold, with a saver that keeps as many checkpoints as asked for."""
        scaffold = spec.scaffold or Scaffold()
        if scaffold.saver is None and not get_collection(GraphKeys.SAVERS):
            saver = Saver(
                max_to_keep=self._config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
                allow_empty=True, save_relative_paths=True,
            )  # fmt: skip
            scaffold = Scaffold(saver=saver, copy_from_scaffold=scaffold)
        return scaffold

    # -- evaluation and prediction --------------------------------------------------------------

    def evaluate(
        self, input_fn: Callable[..., Any], steps: int | None = None,
        hooks: Sequence[SessionRunHook] | None = None, checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Evaluates the model of a checkpoint.

        Args:
            input_fn: see `train`.
            steps: how many batches; until the input ends if None.
            hooks: more hooks.
            checkpoint_path: the checkpoint; the latest if None, first values if there is none.
            name: the name of this evaluation, for its folder.

        Returns:
            The metrics by name, "loss" and "global_step" among them.

        Raises:
            ValueError: `steps` is not positive, or a metric is called "loss".
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            metrics, spec = self._to_evaluate(input_fn)
            update = group(*[metric[1] for metric in metrics.values()])
            values = {key: pair[0] for key, pair in metrics.items()}
            values[GraphKeys.GLOBAL_STEP] = get_global_step()
            session = self._opened(spec, checkpoint_path, [*(hooks or ()), *spec.evaluation_hooks])
        with session:
            _run_all(session, update, steps)
            results: dict[str, Any] = session.run_step_fn(
                lambda step_context: step_context.session.run(values)
            )
        self._tell(results, name)
        return dict(sorted(results.items()))

    def _to_evaluate(self, input_fn: Callable[..., Any]) -> tuple[dict[str, Any], ModelSpec]:
        """The metrics, the loss among them, and the rest of the model."""
        strategy = self._config.eval_distribute
        if strategy is None:
            spec: ModelSpec = self._built(input_fn, ModeKeys.EVAL)
            _check_metrics(spec)
            return {**spec.eval_metric_ops, "loss": mean(spec.loss)}, spec
        with replicas.replicas_of(strategy):
            spec = self._on_replicas(strategy, input_fn, ModeKeys.EVAL)
            _check_metrics(spec)
            return replicas.evaluated(strategy, spec)

    def _tell(self, found: dict[str, Any], name: str | None) -> None:
        """Writes what an evaluation found for TensorBoard."""
        step = int(found[GraphKeys.GLOBAL_STEP])
        shown = ", ".join(f"{key} = {value}" for key, value in sorted(found.items()))
        logging.info(f"Saving dict for global step {step}: {shown}")
        summary = Summary()
        for key, value in found.items():
            if key != GraphKeys.GLOBAL_STEP and np.ndim(value) == 0:
                summary.value.add(tag=key, simple_value=float(value))
        writer = FileWriterCache.get(self.eval_dir(name))
        writer.add_summary(summary, step)
        writer.flush()

    def predict(
        self, input_fn: Callable[..., Any], predict_keys: Any = None,
        hooks: Sequence[SessionRunHook] | None = None, checkpoint_path: Any = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:  # fmt: skip
        """Predicts with the model of a checkpoint, as long as the input lasts.

        Args:
            input_fn: returns features; labels are left out.
            predict_keys: which of the predictions, if they are a dictionary; all if None.
            hooks: more hooks.
            checkpoint_path: the checkpoint; the latest if None, first values if there is none.
            yield_single_examples: whether examples come one by one, or batches.

        Yields:
            Arrays, or dictionaries of arrays.

        Raises:
            ValueError: there is no such prediction, or their batches are not of one size.
        """
        with Graph().as_default() as graph, graph.device(self._config.device_fn):
            spec = self._built(input_fn, ModeKeys.PREDICT)
            chosen = _chosen(spec.predictions, predict_keys)
            session = self._opened(spec, checkpoint_path, [*(hooks or ()), *spec.prediction_hooks])
        with session:  # outside of the graph's scope, which would last between examples
            while not session.should_stop():
                batch = session.run(chosen)
                if yield_single_examples:
                    yield from _examples(batch)
                else:
                    yield batch

    def _opened(self, spec: ModelSpec, path: Any, hooks: Any) -> MonitoredSession:
        path = path or self.latest_checkpoint()
        if path is None:
            logging.info(
                f"Could not find trained model in model_dir: {self.model_dir}, running "
                "initialization."
            )
        creator = ChiefSessionCreator(
            spec.scaffold, config=self._session_config(), checkpoint_filename_with_path=path
        )
        return MonitoredSession(creator, hooks)

    # -- building -------------------------------------------------------------------------------

    def _session_config(self) -> Any:
        """The sessions' config; TF: without one, what cannot run on a GPU runs on the CPU."""
        found = self._config.session_config
        return message("ConfigProto")(allow_soft_placement=True) if found is None else found

    def _built(self, input_fn: Callable[..., Any], mode: str) -> EstimatorSpec:
        """The model, in the default graph."""
        self._begin()
        made = self._inputs(input_fn, mode)
        if isinstance(made, Dataset):
            iterator = make_initializable_iterator(made)
            add_to_collection(GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
            made = iterator.get_next()
        features, labels = _split(made)
        return self._called(features, None if mode == ModeKeys.PREDICT else labels, mode,
                            self.config)  # fmt: skip

    def _on_replicas(
        self, strategy: Strategy, input_fn: Callable[..., Any], mode: str
    ) -> ModelSpec:
        """The model on all replicas of a strategy, in the default graph."""
        self._begin()
        made = replicas.inputs_of(strategy, lambda context: self._inputs(input_fn, mode, context))

        def model(features: Any, labels: Any) -> EstimatorSpec:
            return self._called(features, labels, mode, self.config)

        return replicas.built(strategy, model, *_split(made))

    def _begin(self) -> None:
        if self._config.tf_random_seed is not None:
            set_random_seed(self._config.tf_random_seed)
        create_global_step()

    def _inputs(self, input_fn: Callable[..., Any], mode: str, context: object = None) -> Any:
        """What an input function returns."""
        known = {
            "mode": mode, "params": self.params, "config": self.config, "input_context": context,
        }  # fmt: skip
        names = _names(input_fn)
        return input_fn(**{name: value for name, value in known.items() if name in names})

    def _called(
        self, features: TensorLike, labels: object, mode: str, config: RunConfig
    ) -> EstimatorSpec:
        names = _names(self._model_fn)
        known = {"mode": mode, "params": self.params, "config": config}
        given = {name: value for name, value in known.items() if name in names}
        if "labels" in names:
            given["labels"] = labels
        elif labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        logging.info("Calling model_fn.")
        spec = self._model_fn(features=features, **given)
        logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def export_saved_model(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not supported.

        Raises:
            NotImplementedError: always; it says what to use.
        """
        raise NotImplementedError(
            "[Estimator.export_saved_model] Emplace writes no SavedModels. The latest checkpoint, "
            "Estimator.latest_checkpoint(), is a safetensors file that other programs read; "
            "Estimator.predict uses the model here."
        )

    export_savedmodel = export_saved_model
    experimental_export_all_saved_models = export_saved_model


def _run_all(session: MonitoredSession, update: object, steps: int | None) -> None:
    """Runs an operation some times, or until the input ends."""
    try:
        for _ in itertools.count() if steps is None else range(steps):
            if session.should_stop():
                return
            session.run(update)
    except OutOfRangeError:
        return


def _split(made: object) -> tuple[Any, Any]:
    """Features, and labels or None."""
    return tuple(made) if isinstance(made, (list, tuple)) and len(made) == 2 else (made, None)


def _check_metrics(spec: ModelSpec) -> None:
    """Raises ValueError for a name that is taken."""
    if "loss" in spec.eval_metric_ops:
        raise ValueError('Metric with name "loss" is not allowed, because Estimator adds it.')


def _names(function: Callable[..., Any]) -> list[str]:
    """The names of a function's arguments."""
    return list(inspect.signature(function).parameters)


def _trainables() -> dict[str, Any]:
    variables = get_collection(GraphKeys.TRAINABLE_VARIABLES)
    return {each.op.name: each for each in variables}


def _chosen(predictions: Tensor, keys: Tensor) -> Any:
    if keys is None:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    wanted = [keys] if isinstance(keys, str) else list(keys)
    chosen = {key: value for key, value in predictions.items() if key in wanted}
    if not chosen:
        raise ValueError(
            f"Expected to run at least one output from {list(predictions)}, provided {keys}."
        )
    return chosen


def _examples(found: Any) -> Iterator[Any]:
    """The examples of a batch, one by one."""
    if not isinstance(found, dict):
        yield from found
        return
    if len({len(each) for each in found.values()}) > 1:
        raise ValueError(
            "Batch length of predictions should be same. Got "
            f"{ {key: len(each) for key, each in found.items()} }."
        )
    for i in range(len(next(iter(found.values())))):
        yield {key: each[i] for key, each in found.items()}
