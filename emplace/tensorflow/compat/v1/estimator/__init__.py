"""`tf.estimator`, which TensorFlow had until 2.15."""

from .....classic.estimator.estimator import (
    Estimator as Estimator,
)
from .....classic.estimator.spec import (
    EstimatorSpec as EstimatorSpec,
    EvalSpec as EvalSpec,
    ModeKeys as ModeKeys,
    RunConfig as RunConfig,
    TrainSpec as TrainSpec,
)
from .....classic.estimator.training import (
    train_and_evaluate as train_and_evaluate,
)
from . import (
    inputs as inputs,
)
