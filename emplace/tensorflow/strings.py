"""`tf.strings`."""

from ..ops.strings.basic import (
    join as join,
    length as length,
    lower as lower,
    reduce_join as reduce_join,
    strip as strip,
    substr as substr,
    unsorted_segment_join as unsorted_segment_join,
    upper as upper,
)
from ..ops.strings.hashing import (
    to_hash_bucket as to_hash_bucket,
    to_hash_bucket_fast as to_hash_bucket_fast,
    to_hash_bucket_strong as to_hash_bucket_strong,
)
from ..ops.strings.matching import (
    regex_full_match as regex_full_match,
    regex_replace as regex_replace,
)
from ..ops.strings.numbers import (
    as_string as as_string,
    to_number as to_number,
)
from ..ops.strings.split import (
    bytes_split as bytes_split,
    format_ as _format,
    ngrams as ngrams,
    split as split,
)
from ..ops.strings.unicode import (
    unicode_decode as unicode_decode,
    unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_encode as unicode_encode,
    unicode_script as unicode_script,
    unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets,
    unicode_transcode as unicode_transcode,
)

# Names that differ from ours, as type checkers want them said.
format = _format
