"""`tf.strings`."""

from ..ops.strings.basic import (
    join,
    length,
    lower,
    reduce_join,
    strip,
    substr,
    unsorted_segment_join,
    upper,
)
from ..ops.strings.hashing import to_hash_bucket, to_hash_bucket_fast, to_hash_bucket_strong
from ..ops.strings.matching import regex_full_match, regex_replace
from ..ops.strings.numbers import as_string, to_number
from ..ops.strings.split import bytes_split, ngrams, split
from ..ops.strings.split import format_ as format
from ..ops.strings.unicode import (
    unicode_decode,
    unicode_decode_with_offsets,
    unicode_encode,
    unicode_script,
    unicode_split,
    unicode_split_with_offsets,
    unicode_transcode,
)
