"""`tf.saved_model`: options and constants; the format itself is not served."""

from ..base.missing import (
    Missing as Missing,
)
from ..interop.saved_model_options import (
    LoadOptions as LoadOptions,
    SaveOptions as SaveOptions,
)

_INSTEAD = "Save a model with `model.save('model.keras')`, variables with tf.train.Checkpoint."

save = Missing.of("tf.saved_model.save", _INSTEAD)
load = Missing.of("tf.saved_model.load", _INSTEAD)
contains_saved_model = Missing.of("tf.saved_model.contains_saved_model", _INSTEAD)
Asset = Missing.of("tf.saved_model.Asset", _INSTEAD)

# What files and signatures of the format are called.
ASSETS_DIRECTORY = "assets"
ASSETS_KEY = "saved_model_assets"
CLASSIFY_INPUTS = "inputs"
CLASSIFY_METHOD_NAME = "tensorflow/serving/classify"
CLASSIFY_OUTPUT_CLASSES = "classes"
CLASSIFY_OUTPUT_SCORES = "scores"
DEBUG_DIRECTORY = "debug"
DEBUG_INFO_FILENAME_PB = "saved_model_debug_info.pb"
DEFAULT_SERVING_SIGNATURE_DEF_KEY = "serving_default"
GPU = "gpu"
PREDICT_INPUTS = "inputs"
PREDICT_METHOD_NAME = "tensorflow/serving/predict"
PREDICT_OUTPUTS = "outputs"
REGRESS_INPUTS = "inputs"
REGRESS_METHOD_NAME = "tensorflow/serving/regress"
REGRESS_OUTPUTS = "outputs"
SAVED_MODEL_FILENAME_PB = "saved_model.pb"
SAVED_MODEL_FILENAME_PBTXT = "saved_model.pbtxt"
SAVED_MODEL_SCHEMA_VERSION = 1
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
VARIABLES_DIRECTORY = "variables"
VARIABLES_FILENAME = "variables"
