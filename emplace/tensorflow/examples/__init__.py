"""`tensorflow.examples`: data of old tutorials."""
