"""`tf.train.Example` and its parts: protocol buffers with TensorFlow's names and numbers."""

from __future__ import annotations

from typing import Any

from ...base.protos import declare

_MESSAGES = declare(
    __name__,
    {
        "BytesList": ["repeated bytes value = 1"],
        "FloatList": ["repeated float value = 1"],
        "Int64List": ["repeated int64 value = 1"],
        "Feature": [
            "kind: BytesList bytes_list = 1",
            "kind: FloatList float_list = 2",
            "kind: Int64List int64_list = 3",
        ],
        "Features": ["map<string, Feature> feature = 1"],
        "FeatureList": ["repeated Feature feature = 1"],
        "FeatureLists": ["map<string, FeatureList> feature_list = 1"],
        "Example": ["Features features = 1"],
        "SequenceExample": ["Features context = 1", "FeatureLists feature_lists = 2"],
    },
)

BytesList: Any = _MESSAGES["BytesList"]
FloatList: Any = _MESSAGES["FloatList"]
Int64List: Any = _MESSAGES["Int64List"]
Feature: Any = _MESSAGES["Feature"]
Features: Any = _MESSAGES["Features"]
FeatureList: Any = _MESSAGES["FeatureList"]
FeatureLists: Any = _MESSAGES["FeatureLists"]
Example: Any = _MESSAGES["Example"]
SequenceExample: Any = _MESSAGES["SequenceExample"]
