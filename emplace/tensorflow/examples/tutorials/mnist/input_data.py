"""`tensorflow.examples.tutorials.mnist.input_data`."""

from .....classic.programs.mnist import (
    DataSet as DataSet,
    Datasets as Datasets,
    read_data_sets as read_data_sets,
)
