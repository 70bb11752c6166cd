"""`tf.contrib.seq2seq`: the decoding of sequences without attention and beams, and
`sequence_loss`.
"""

from ....classic.contrib.decoders import (
    BasicDecoder,
    BasicDecoderOutput,
    CustomHelper,
    Decoder,
    GreedyEmbeddingHelper,
    Helper,
    SampleEmbeddingHelper,
    TrainingHelper,
    dynamic_decode,
)
from ....classic.contrib.seq2seq import sequence_loss
