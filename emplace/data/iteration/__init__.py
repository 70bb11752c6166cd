"""One pass through a dataset: nodes, iterators, errors on the way, devices."""
