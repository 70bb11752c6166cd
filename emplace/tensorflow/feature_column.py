"""`tf.feature_column`."""

from ..classic.columns.categorical import (
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
    categorical_column_with_identity as categorical_column_with_identity,
    weighted_categorical_column as weighted_categorical_column,
)
from ..classic.columns.crossed import crossed_column as crossed_column
from ..classic.columns.models import make_parse_example_spec as make_parse_example_spec
from ..classic.columns.numeric import (
    bucketized_column as bucketized_column,
    numeric_column as numeric_column,
    sequence_numeric_column as sequence_numeric_column,
)
from ..classic.columns.sequences import (
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as _sequence_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as _sequence_vocabulary_list,
)
from ..classic.columns.shared import shared_embeddings as shared_embeddings
from ..classic.columns.tables import (
    embedding_column as embedding_column,
    indicator_column as indicator_column,
)
from ..classic.columns.vocabulary import (
    categorical_column_with_vocabulary_file as categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
)

# Names that are too long for a line above.
sequence_categorical_column_with_vocabulary_file = _sequence_vocabulary_file
sequence_categorical_column_with_vocabulary_list = _sequence_vocabulary_list
