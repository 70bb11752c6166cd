"""`tensorflow.examples.tutorials.mnist.input_data`."""

from .....classic.mnist import DataSet, Datasets, read_data_sets
