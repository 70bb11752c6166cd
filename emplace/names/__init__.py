"""Names of TensorFlow's that are found when a program asks for them: those whose code is loaded
late, and those that are refused.
"""
