"""`tf.__internal__.distribute.combinations`: without strategies and workers, those of tests."""

from ....interop.test_combinations import (
    generate_with as generate,
)
