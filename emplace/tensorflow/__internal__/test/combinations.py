"""`tf.__internal__.test.combinations`."""

from ....interop.test_combinations import (
    NamedObject as NamedObject,
    OptionalParameter as OptionalParameter,
    ParameterModifier as ParameterModifier,
    TestCombination as TestCombination,
    combine as combine,
    generate as generate,
    times as times,
)
