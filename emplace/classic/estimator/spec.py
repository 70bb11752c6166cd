"""What a model function returns, and how a training is to run."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...base.typing import TensorLike
from ...graph.representation.graph import Operation
from ...ops.array.shaping import reshape
from ...ops.convert import is_tensor_like, to_tensor


class ModeKeys:
    """What a model is built for (`tf.estimator.ModeKeys`)."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class ModelSpec(NamedTuple):
    """What a model is made of; `EstimatorSpec` checks it."""

    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class EstimatorSpec(ModelSpec):
    """A model, for one mode (`tf.estimator.EstimatorSpec`).

    Args:
        mode: one of `ModeKeys`.
        predictions: a tensor or a dictionary of tensors; PREDICT needs them.
        loss: a scalar; TRAIN and EVAL need it.
        train_op: an operation that makes one step; TRAIN needs it.
        eval_metric_ops: metrics by name, as `tf.metrics` returns them: (value, update).
        export_outputs: not used: models are not exported.
        training_chief_hooks: hooks of the training.
        training_hooks: hooks of the training.
        scaffold: the training's `Scaffold`.
        evaluation_hooks: hooks of evaluations.
        prediction_hooks: hooks of predictions.

    Raises:
        ValueError: what the mode needs is missing, or the loss is no scalar.
        TypeError: something is of another type.
    """

    def __new__(  # TensorFlow's signature
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> EstimatorSpec:
        """A model whose parts have been checked."""
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL) and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        if train_op is not None and not (isinstance(train_op, Operation) or _is_tensor(train_op)):
            raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
        for prediction in predictions.values() if isinstance(predictions, dict) else ():
            if not _is_tensor(prediction):
                raise TypeError(f"predictions must be Tensor, given: {prediction}")
        return super().__new__(
            cls, mode, {} if predictions is None else predictions, _checked_loss(loss), train_op,
            _checked_metrics(eval_metric_ops), export_outputs, tuple(training_chief_hooks or ()),
            tuple(training_hooks or ()), scaffold, tuple(evaluation_hooks or ()),
            tuple(prediction_hooks or ()),
        )  # fmt: skip


def _is_tensor(value: object) -> bool:
    return is_tensor_like(value)


def _checked_loss(loss: TensorLike) -> Any:
    if loss is None:
        return None
    loss = to_tensor(loss)
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss if loss.shape.rank in (None, 0) else reshape(loss, [])


def _checked_metrics(metrics: object) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    for name, pair in metrics.items():
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{pair} for key: {name}"
            )
    return dict(metrics)


_UNSET = object()


class RunConfig:
    """How a training is to run (`tf.estimator.RunConfig`).

    Args:
        model_dir: the folder of checkpoints and summaries.
        tf_random_seed: the seed of graphs.
        save_summary_steps: steps between summaries.
        save_checkpoints_steps: steps between checkpoints,
        save_checkpoints_secs: or seconds; 600 if neither is given, none if both are None.
        session_config: the sessions' `ConfigProto`.
        keep_checkpoint_max: how many checkpoints are kept.
        keep_checkpoint_every_n_hours: one per so many hours is kept for good.
        log_step_count_steps: steps between two lines of the log.
        train_distribute: a strategy on whose replicas models are trained. Its input functions
            return datasets of batches of a replica's size.
        device_fn: a device function for the graph.
        eval_distribute: a strategy on whose replicas models are evaluated.
        experimental_distribute: a `DistributeConfig` with both.
        **others: not used: there is one process.

    Raises:
        ValueError: checkpoints are asked for by steps and by seconds, or a strategy is given twice.
    """

    def __init__(
        self,
        model_dir: Any = None,
        tf_random_seed: int | None = None,
        save_summary_steps: int = 100,
        save_checkpoints_steps: Any = _UNSET,
        save_checkpoints_secs: Any = _UNSET,
        session_config: Any = None,
        keep_checkpoint_max: int = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: int | None = 100,
        train_distribute: Any = None,
        device_fn: Any = None,
        protocol: Any = None,
        eval_distribute: Any = None,
        experimental_distribute: Any = None,
        **others: Any,
    ) -> None:
        steps = None if save_checkpoints_steps is _UNSET else save_checkpoints_steps
        secs = None if save_checkpoints_secs is _UNSET else save_checkpoints_secs
        if steps is not None and secs is not None:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        if save_checkpoints_steps is _UNSET and save_checkpoints_secs is _UNSET:
            secs = 600
        self.model_dir = model_dir
        self.tf_random_seed = tf_random_seed
        self.save_summary_steps = save_summary_steps
        self.save_checkpoints_steps, self.save_checkpoints_secs = steps, secs
        self.session_config = session_config
        self.keep_checkpoint_max = keep_checkpoint_max
        self.keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self.log_step_count_steps = log_step_count_steps
        self.train_distribute = train_distribute
        self.eval_distribute = eval_distribute
        if experimental_distribute is not None:
            if train_distribute is not None or eval_distribute is not None:
                raise ValueError(
                    "Give a strategy once: as train_distribute or eval_distribute, or in "
                    "experimental_distribute."
                )
            self.train_distribute = experimental_distribute.train_distribute
            self.eval_distribute = experimental_distribute.eval_distribute
        self.device_fn = device_fn
        self.master, self.task_type, self.task_id = "", "worker", 0
        self.is_chief, self.num_worker_replicas, self.num_ps_replicas = True, 1, 0

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with some values replaced.

        Raises:
            ValueError: there is no value of such a name, or they contradict each other.
        """
        changed = copy.copy(self)
        for name, value in kwargs.items():
            if name not in _REPLACEABLE:
                raise ValueError(
                    f"Replacing {name} is not supported. Allowed properties are {_REPLACEABLE}."
                )
            setattr(changed, name, value)
        if "save_checkpoints_steps" in kwargs and "save_checkpoints_secs" not in kwargs:
            changed.save_checkpoints_secs = None
        if "save_checkpoints_secs" in kwargs and "save_checkpoints_steps" not in kwargs:
            changed.save_checkpoints_steps = None
        return changed


_REPLACEABLE = [
    "model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps",
    "save_checkpoints_secs", "session_config", "keep_checkpoint_max",
    "keep_checkpoint_every_n_hours", "log_step_count_steps", "device_fn", "train_distribute",
    "eval_distribute",
]  # fmt: skip


class TrainSpec(NamedTuple):
    """A training, for `train_and_evaluate` (`tf.estimator.TrainSpec`): see `Estimator.train`."""

    input_fn: Any
    max_steps: int | None = None
    hooks: Sequence[Any] = ()
    saving_listeners: Sequence[Any] = ()


class EvalSpec(NamedTuple):
    """Evaluations, for `train_and_evaluate` (`tf.estimator.EvalSpec`): see `Estimator.evaluate`.

    At least `throttle_secs` seconds are between two of them; `start_delay_secs` and `exporters`
    are without effect.
    """

    input_fn: Any
    steps: int | None = 100
    name: str | None = None
    hooks: Sequence[Any] = ()
    exporters: Any = None
    start_delay_secs: float = 120
    throttle_secs: float = 600
