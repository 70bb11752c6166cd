"""`tf.compat.v1.feature_column`."""

from ....classic.columns.models import (
    input_layer as input_layer,
    linear_model as linear_model,
    make_parse_example_spec_v1 as _make_parse_example_spec,
)
from ....classic.columns.shared import shared_embedding_columns as shared_embedding_columns
from ....classic.columns.vocabulary import (
    categorical_column_with_vocabulary_file_v1 as _vocabulary_file,
)
from ...feature_column import (
    bucketized_column as bucketized_column,
    categorical_column_with_hash_bucket as categorical_column_with_hash_bucket,
    categorical_column_with_identity as categorical_column_with_identity,
    categorical_column_with_vocabulary_list as categorical_column_with_vocabulary_list,
    crossed_column as crossed_column,
    embedding_column as embedding_column,
    indicator_column as indicator_column,
    numeric_column as numeric_column,
    sequence_categorical_column_with_hash_bucket as sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity as sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file as _sequence_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list as _sequence_vocabulary_list,
    sequence_numeric_column as sequence_numeric_column,
    weighted_categorical_column as weighted_categorical_column,
)

categorical_column_with_vocabulary_file = _vocabulary_file
make_parse_example_spec = _make_parse_example_spec
sequence_categorical_column_with_vocabulary_file = _sequence_vocabulary_file
sequence_categorical_column_with_vocabulary_list = _sequence_vocabulary_list
