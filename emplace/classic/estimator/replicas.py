"""An estimator's model on several replicas of a strategy, as one model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...base.typing import TensorLike
from ...distribute.replicas.values import ReduceOp
from ...distribute.strategies.classic_methods import ClassicMethods
from ...distribute.strategies.classic_strategies import get_loss_reduction
from ...distribute.strategies.strategy import Strategy
from ...graph.recording.grouping import group
from ..models.metrics.means import mean
from ..monitored.scaffold import Scaffold
from ..scopes.collections import GraphKeys, add_to_collection, outer_graph
from .spec import EstimatorSpec, ModelSpec

Model = Callable[[Any, Any], EstimatorSpec]


@contextmanager
def replicas_of(strategy: Any) -> Iterator[None]:
    """The scope of a strategy in which optimizers take the mean of replicas' losses, if the losses
    are means.
    """
    before, strategy._scales_loss = getattr(strategy, "_scales_loss", False), True
    try:
        with strategy.scope():
            yield
    finally:
        strategy._scales_loss = before


def inputs_of(strategy: Strategy, make: Callable[[Any], Any]) -> Any:
    """What a function's dataset gives the replicas, each a batch; it starts with the session.

    Args:
        strategy: whose replicas.
        make: takes an `InputContext`, returns a dataset of batches of a replica's size.

    Raises:
        ValueError: it returns something else.
    """
    iterator = ClassicMethods.make_input_fn_iterator(strategy, make)
    add_to_collection(GraphKeys.TABLE_INITIALIZERS, iterator.initialize())
    return iterator.get_next()


def built(strategy: Strategy, model: Model, features: TensorLike, labels: TensorLike) -> ModelSpec:
    """The model on all replicas: its parts are distributed values."""

    def plain(features: TensorLike, labels: TensorLike) -> ModelSpec:
        return ModelSpec(*model(features, labels))

    found: ModelSpec = strategy.extended.call_for_each_replica(plain, (features, labels))
    return found


def trained(strategy: Strategy, found: ModelSpec) -> EstimatorSpec:
    """The model of all replicas, for training."""
    is_scaled = getattr(outer_graph(), "_is_loss_scaled_by_optimizer", False)
    kind = get_loss_reduction() if is_scaled else ReduceOp.SUM
    return EstimatorSpec(
        found.mode,
        loss=strategy.reduce(kind, found.loss, axis=None),
        train_op=strategy.group(found.train_op),
        training_hooks=_first_of_each(strategy, found.training_hooks),
        training_chief_hooks=_first_of_each(strategy, found.training_chief_hooks),
        scaffold=_joined(strategy, found.scaffold),
    )


def evaluated(strategy: Strategy, found: ModelSpec) -> tuple[dict[str, Any], ModelSpec]:
    """The metrics of all replicas, the loss among them, and the rest of the model."""
    metrics = {name: _metric(strategy, pair) for name, pair in found.eval_metric_ops.items()}
    loss = strategy.extended.call_for_each_replica(mean, (found.loss,))
    metrics["loss"] = _metric(strategy, loss)
    rest = found._replace(
        scaffold=_joined(strategy, found.scaffold),
        evaluation_hooks=_first_of_each(strategy, found.evaluation_hooks),
    )
    return metrics, rest


def _metric(strategy: Strategy, pair: Any) -> tuple[Any, Any]:
    value, update = pair
    return strategy.experimental_local_results(value)[0], strategy.group(update)


def _first_of_each(strategy: Strategy, hooks: Sequence[Any]) -> list[Any]:
    return [strategy.experimental_local_results(each)[0] for each in hooks]


def _joined(strategy: Strategy, found: object) -> Scaffold | None:
    """The scaffold of the first replica, with what starts any of them."""
    scaffolds = [each for each in strategy.experimental_local_results(found) if each is not None]
    if not scaffolds:
        return None
    starts = {
        name: [getattr(each, name) for each in scaffolds if getattr(each, name) is not None]
        for name in ("init_op", "local_init_op")
    }
    joined = {name: group(*ops) for name, ops in starts.items() if ops}
    return Scaffold(copy_from_scaffold=scaffolds[0], **joined)
