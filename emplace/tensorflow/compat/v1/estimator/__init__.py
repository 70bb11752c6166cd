"""`tf.estimator`, which TensorFlow had until 2.15."""

from .....classic.estimator.estimator import Estimator
from .....classic.estimator.spec import EstimatorSpec, EvalSpec, ModeKeys, RunConfig, TrainSpec
from .....classic.estimator.training import train_and_evaluate
from . import inputs
