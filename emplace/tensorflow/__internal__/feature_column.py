"""`tf.__internal__.feature_column`."""

from ...classic.columns.column import (
    DenseColumn as DenseColumn,
    FeatureColumn as FeatureColumn,
    FeatureTransformationCache as FeatureTransformationCache,
    SequenceDenseColumn as SequenceDenseColumn,
)
from ...classic.columns.serialisation import (
    deserialize_feature_column as deserialize_feature_column,
    serialize_feature_column as serialize_feature_column,
)
from ...classic.columns.state import StateManager as StateManager
