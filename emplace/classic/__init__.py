"""The TF 1 library: variable scopes, initializers, layers, losses, metrics and the like, on top of
graphs. `emplace/tensorflow/compat/v1/` offers it.
"""
