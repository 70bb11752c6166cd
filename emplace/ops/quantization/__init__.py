"""Numbers rounded to few bits (`tf.quantization`)."""
