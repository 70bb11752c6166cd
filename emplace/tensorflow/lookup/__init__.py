"""`tf.lookup`."""

from ...ops.lookup.initializers import (
    KeyValueTensorInitializer as KeyValueTensorInitializer,
    TextFileIndex as TextFileIndex,
    TextFileInitializer as TextFileInitializer,
)
from ...ops.lookup.tables import (
    StaticHashTable as StaticHashTable,
    StaticVocabularyTable as StaticVocabularyTable,
)
from . import (
    experimental as experimental,
)
