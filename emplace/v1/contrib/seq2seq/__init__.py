"""`tf.contrib.seq2seq`: of it only `sequence_loss`."""

from ....classic.contrib_seq2seq import sequence_loss
