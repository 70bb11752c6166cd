"""`tensorflow.examples.tutorials.mnist`."""

from . import (
    input_data as input_data,
)
