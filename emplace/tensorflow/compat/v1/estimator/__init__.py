"""`tf.estimator`, which TensorFlow had until 2.15."""

from .....estimator.estimator import Estimator
from .....estimator.spec import EstimatorSpec, EvalSpec, ModeKeys, RunConfig, TrainSpec
from .....estimator.training import train_and_evaluate
from . import inputs
