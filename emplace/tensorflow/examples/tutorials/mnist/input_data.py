"""`tensorflow.examples.tutorials.mnist.input_data`."""

from .....classic.programs.mnist import DataSet, Datasets, read_data_sets
