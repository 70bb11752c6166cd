"""What libraries built on TensorFlow hook into: creators of variables, conversions, gradients of
ops by name, types to test against, test cases. Loaded when it is asked for.
"""
