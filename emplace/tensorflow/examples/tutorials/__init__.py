"""`tensorflow.examples.tutorials`: data of old tutorials."""
