"""`tf.contrib.seq2seq`: the decoding of sequences without attention and beams, and
`sequence_loss`.
"""

from ....classic.contrib.decoders import (
    BasicDecoder as BasicDecoder,
    BasicDecoderOutput as BasicDecoderOutput,
    CustomHelper as CustomHelper,
    Decoder as Decoder,
    GreedyEmbeddingHelper as GreedyEmbeddingHelper,
    Helper as Helper,
    SampleEmbeddingHelper as SampleEmbeddingHelper,
    TrainingHelper as TrainingHelper,
    dynamic_decode as dynamic_decode,
)
from ....classic.contrib.seq2seq import (
    sequence_loss as sequence_loss,
)
