"""`tf.lookup`."""

from ...ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from ...ops.lookup.tables import (
    StaticHashTable,
    StaticVocabularyTable,
)
from . import (
    experimental,
)
