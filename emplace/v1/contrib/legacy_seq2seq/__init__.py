"""`tf.contrib.legacy_seq2seq`: of it `rnn_decoder` and the losses."""

from ....classic.contrib.legacy_seq2seq import (
    rnn_decoder as rnn_decoder,
    sequence_loss as sequence_loss,
    sequence_loss_by_example as sequence_loss_by_example,
)
