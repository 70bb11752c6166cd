"""`tf.data`: datasets, what they do with elements, and the iterators over them."""
